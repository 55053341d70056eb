/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction costs in the load/store unit: nanoseconds of one thread, its accept and all
 * its cycles included, on the default configuration with Accel-Sim's write-backs.
 * usage: bench-ldst [instructions] */
#define _POSIX_C_SOURCE 200809L
#include "models/ldst/ldst.h"
#include "platform/config/smrf_config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY_LATENCY 200 /* cycles */

struct workload {
    const char *name;
    uint8_t op_class, space;
    int64_t stride;
    uint64_t footprint; /* bytes over which bases go round, in steps of 128 */
};

struct surroundings {
    struct smrf_ldst *unit;
    uint64_t ended;
};

static void complete_(void *ctx, uint32_t slot, uint64_t cycle)
{
    (void)slot;
    (void)cycle;
    ((struct surroundings *)ctx)->ended++;
}

static bool write_back_(void *ctx, uint32_t slot, bool last, uint64_t cycle)
{
    (void)slot;
    (void)cycle;
    ((struct surroundings *)ctx)->ended += last;
    return true;
}

static void answered_(void *ctx, uint32_t slot)
{
    (void)ctx;
    (void)slot;
}

static void stores_(void *ctx, uint32_t warp, int32_t delta)
{
    (void)ctx;
    (void)warp;
    (void)delta;
}

static bool send_(void *ctx, const struct smrf_mem_request *r)
{
    const struct smrf_mem_response answer = {
        .cycle = r->cycle + MEMORY_LATENCY, .id = r->id, .sm = r->sm, .kind = r->kind};

    smrf_ldst_response(((struct surroundings *)ctx)->unit, &answer);
    return true;
}

static double seconds_(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct smrf_config configuration_(void)
{
    struct smrf_config c;

    smrf_config_default_sections(&c);
    c.rf.l1_hit_writes = 0;
    c.rf.write_per_sector = 1;
    return c;
}

/* Run n instructions of w, an instruction as soon as the unit is free. Returns cycles stepped. */
static uint64_t run_(struct smrf_ldst *unit, const struct workload *w, uint64_t n, uint64_t *cycle)
{
    const struct smrf_static_inst op = {.op_class = w->op_class,
                                        .space = w->space,
                                        .access_bytes = 4,
                                        .num_dst = w->op_class == SMRF_CLASS_LOAD};
    struct smrf_inst inst = {
        .op = &op, .mask = UINT32_MAX, .addr_kind = SMRF_ADDR_STRIDE, .stride = w->stride};
    const struct smrf_ldst_inst in = {.inst = &inst};
    uint64_t stepped = 0, sent = 0;

    for (;;) {
        uint64_t next;

        if (sent < n && smrf_ldst_free(unit)) {
            inst.base = (UINT64_C(1) << 32) + sent++ * 128 % w->footprint;
            smrf_ldst_accept(unit, &in, *cycle);
        }
        next = smrf_ldst_next(unit, *cycle);
        if (next == SMRF_NEVER) {
            return stepped;
        }
        *cycle = next;
        (void)smrf_ldst_cycle(unit, next);
        stepped++;
    }
}

int main(int argc, char **argv)
{
    static const struct workload workloads[] = {
        {"LDG coalesced, L1 hits", SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, 4, 16384},
        {"LDG coalesced, L1 misses", SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, 4, 16 << 20},
        {"LDG 32 sectors, L1 hits", SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, 128, 16384},
        {"STG coalesced", SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, 4, 16 << 20},
        {"LDS without conflicts", SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 16384},
        {"LDL coalesced, L1 hits", SMRF_CLASS_LOAD, SMRF_SPACE_LOCAL, 0, 128},
    };
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    struct smrf_config cfg = configuration_();
    struct smrf_sm_config sm = smrf_config_sm(&cfg);
    struct smrf_ldst_config part = smrf_sm_config_ldst(&sm);
    size_t bytes = smrf_ldst_bytes(&part);
    struct smrf_ldst *unit = aligned_alloc(64, bytes);
    void *store = aligned_alloc(64, smrf_ldst_store_bytes(&part));
    struct surroundings around = {.unit = unit};
    const struct smrf_ldst_events events = {&around, complete_, write_back_, answered_, stores_};
    const struct smrf_mem_port port = {&around, send_};
    uint64_t cycle = 1;

    if (!unit || !store || smrf_ldst_init(unit, store, &part, 0, &events, &port) < 0) {
        return 1;
    }
    printf("%zu bytes of state\n%-26s %10s %14s %14s\n", bytes, "", "ns/inst", "steps/inst",
           "cycles/inst");
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        const struct workload *w = &workloads[i];
        double best = 1e9;
        uint64_t stepped = 0, from = 0;

        (void)run_(unit, w, 1000, &cycle); /* warm */
        for (int repeat = 0; repeat < 5; repeat++) {
            double start = seconds_(), took;

            from = cycle;
            stepped = run_(unit, w, n, &cycle);
            took = seconds_() - start;
            best = took < best ? took : best;
        }
        printf("%-26s %10.1f %14.2f %14.2f\n", w->name, best * 1e9 / (double)n,
               (double)stepped / (double)n, (double)(cycle - from) / (double)n);
    }
    free(store);
    free(unit);
    return around.ended > 0 ? 0 : 1;
}
