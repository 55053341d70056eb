/* SPDX-License-Identifier: Apache-2.0 */
/* What a request costs in the memory core: nanoseconds of one thread a 32-byte sector, everything
 * included, on the default configuration with 30 SMs, 12 channels and 24 slices (SM75_RTX2060).
 * usage: bench-memory [requests [part of a workload's name]] */
#define _POSIX_C_SOURCE 200809L
#include "models/memory/memory.h"
#include "platform/config/smrf_config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW 64 /* cycles that SMs run ahead */

struct workload {
    const char *name;
    uint64_t footprint; /* bytes over which addresses go round */
    uint32_t write_percent;
    uint32_t period; /* an SM wants to send in every period-th cycle */
    bool scattered;
};

struct counted {
    uint64_t responses, last_cycle, digest;
};

static void count_(void *ctx, const struct smrf_mem_response *r)
{
    struct counted *c = ctx;

    c->responses++;
    c->last_cycle = r->cycle;
    c->digest = (c->digest ^ r->cycle ^ (uint64_t)r->id << 20 ^ r->sm) * UINT64_C(0x100000001b3);
}

static double seconds_(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may use the machine */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct smrf_config configuration_(void)
{
    struct smrf_config c;

    smrf_config_default_sections(&c);
    c.gpu.sms = 30;
    c.dram.channels = 12;
    c.l2.slices = 24;
    return c;
}

/* Address of request n of all: consecutive sectors, or sectors in a fixed scattered order. */
static uint64_t address_(const struct workload *w, uint64_t n)
{
    uint64_t sectors = w->footprint / SMRF_SECTOR_BYTES;

    n = w->scattered ? (n * UINT64_C(0x9E3779B97F4A7C15) >> 20) % sectors : n % sectors;
    return UINT64_C(0x7f0a20000000) + n * SMRF_SECTOR_BYTES;
}

static void measure_(const struct workload *w, uint64_t total)
{
    struct smrf_config cfg = configuration_();
    struct smrf_memory_config part = smrf_config_memory(&cfg);
    struct smrf_memory *m = aligned_alloc(64, (smrf_memory_bytes(&part) + 63) / 64 * 64);
    struct counted counted = {0};
    struct smrf_mem_sink sink = {&counted, count_};
    struct smrf_memory_stats s;
    uint64_t sent = 0, now = 0;
    double start;

    if (m == NULL || smrf_memory_init(m, &part) != SMRF_OK) {
        fprintf(stderr, "bench-memory: no memory\n");
        exit(1);
    }
    smrf_memory_warm(m, address_(w, 0), w->footprint);
    start = seconds_();
    while (counted.responses < total) {
        for (uint16_t sm = 0; sm < cfg.gpu.sms; sm++) {
            for (uint64_t t = now; t < now + WINDOW && sent < total; t += w->period) {
                struct smrf_mem_request r = {.address = address_(w, sent),
                                             .cycle = t,
                                             .id = (uint32_t)sent,
                                             .byte_mask = UINT32_MAX,
                                             .sm = sm,
                                             .kind = sent % 100 < w->write_percent ? SMRF_MEM_WRITE
                                                                                   : SMRF_MEM_READ};

                if (!smrf_memory_push(m, &r)) {
                    break;
                }
                sent++;
            }
        }
        now += WINDOW;
        smrf_memory_run(m, now, &sink);
    }
    start = seconds_() - start;
    smrf_memory_stats_get(m, &s);
    printf("%-34s %7.1f ns/request  %9" PRIu64
           " cycles  %5.2f requests/cycle  L2 read hits %3.0f %%  "
           "row hits %3.0f %%  digest %016" PRIx64 "\n",
           w->name, start * 1e9 / (double)total, counted.last_cycle,
           (double)total / (double)counted.last_cycle,
           s.l2_reads ? 100.0 * (double)s.l2_read_hits / (double)s.l2_reads : 0.0,
           s.dram_reads + s.dram_writes
               ? 100.0 * (double)s.dram_row_hits / (double)(s.dram_reads + s.dram_writes)
               : 0.0,
           counted.digest);
    free(m);
}

int main(int argc, char **argv)
{
    static const struct workload list[] = {
        {"L2 hits, 12 a cycle", 1u << 20, 0, 2, false},
        {"L2 hits, as many as go", 1u << 20, 0, 1, false},
        {"L2 hits, scattered", 1u << 20, 0, 2, true},
        {"L2 hits, one SM in 32 cycles", 1u << 20, 0, 32, false},
        {"L2 hits, 30 % writes", 1u << 20, 30, 2, false},
        {"DRAM reads, streaming", 1u << 30, 0, 8, false},
        {"DRAM reads, streaming, saturated", 1u << 30, 0, 1, false},
        {"DRAM reads, scattered", 1u << 30, 0, 16, true},
        {"DRAM, streaming, 33 % writes", 1u << 30, 33, 4, false},
        {"DRAM, scattered, 33 % writes", 1u << 30, 33, 16, true},
    };
    uint64_t total = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (argc <= 2 || strstr(list[i].name, argv[2]) != NULL) {
            measure_(&list[i], total);
        }
    }
    return 0;
}
