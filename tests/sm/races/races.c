/* SPDX-License-Identifier: Apache-2.0 */
/* Replays traces on several threads, for the thread sanitizer to watch: the plain engine with every
 * mechanism that can run them. What it finds ends the program with a status of its own.
 *
 * usage: races SOURCE_DIR */
#define _POSIX_C_SOURCE 200809L
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "traces/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void smrf_assert_fail(const char *rule, const char *file, int line)
{
    fprintf(stderr, "%s:%d: a rule of the model is broken: %s\n", file, line, rule);
    abort();
}

struct ends {
    uint64_t last; /* cycle of the last launch's end */
    unsigned launches;
    int status;
};

static void kernel_begin_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    (void)ctx;
    (void)kernel;
}

static void kernel_end_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct ends *e = ctx;
    e->last = kernel->end;
    e->launches++;
}

/* sms: 0 = the preset's. Few leave many blocks to be read while they run. */
static struct ends replay_(const char *path, const char *preset, uint32_t sms,
                           const struct smrf_mechanism *mechanism, unsigned threads)
{
    struct smrf_config cfg;
    struct smrf_config_error err;
    struct ends e = {.status = -1};
    const struct smrf_gpu_hooks hooks = {
        .ctx = &e, .kernel_begin = kernel_begin_, .kernel_end = kernel_end_, .threads = threads};
    struct smrf_trace *trace = NULL;
    struct smrf_engine *engine = NULL;
    char text[256] = "";
    const int applied = smrf_preset_apply(&cfg, preset, &err);
    cfg.gpu.sms = sms ? sms : cfg.gpu.sms;
    if (applied == 0 && smrf_trace_open(&trace, path, NULL) == 0 &&
        smrf_engine_direct.create(&engine, &cfg, mechanism, &hooks, text, sizeof text) == 0 &&
        smrf_engine_direct.load(engine, trace) == 0) {
        e.status = smrf_engine_direct.run(engine, SMRF_NEVER);
    }
    smrf_engine_direct.destroy(engine);
    smrf_trace_close(trace);
    return e;
}

/* A launch of many blocks, the late ones with instructions that no other has had. Returns 0 or
 * -1. */
static int write_trace_(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        return -1;
    }
    fputs("-kernel name = _Z1kv\n-kernel id = 1\n-grid dim = (150,1,1)\n-block dim = (64,1,1)\n"
          "-shmem = 0\n-nregs = 40\n-binary version = 75\n-cuda stream id = 0\n"
          "-shmem base_addr = 0x00007f0a10000000\n-local mem base_addr = 0x00007f0a0e000000\n"
          "-nvbit version = 1.5.5\n-accelsim tracer version = 5\n\n",
          f);
    for (unsigned block = 0; block < 150; block++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n", block);
        for (unsigned warp = 0; warp < 2; warp++) {
            fprintf(f, "\nwarp = %u\ninsts = 180\n", warp);
            for (unsigned n = 0; n < 90; n++) {
                const unsigned pc = 32 * (n * (7 + block) % (8 + 2 * block));
                fprintf(f, "%04x ffffffff 1 R1 IMAD 2 R2 R3 0 %u\n", pc, pc);
                fprintf(f, "%04x %08x 1 R4 LDG.E 1 R2 4 1 0x7f%04x00 %u 0\n", pc + 16,
                        n % 5 ? 0xffffffffu : 0xffffu, 4 * n + block, n % 3 ? 4u : 64u);
            }
        }
        fputs("\n#END_TB\n", f);
    }
    return fclose(f) == 0 ? 0 : -1;
}

/* Of which most are read beside the SMs. Returns the replays that differ. */
static unsigned read_ahead_(void)
{
    const struct smrf_mechanism *m = smrf_mechanism_find("baseline");
    const char *tmp = getenv("TMPDIR");
    char path[512];
    unsigned different = 0;
    snprintf(path, sizeof path, "%s/smrf-races-%ld.traceg", tmp ? tmp : "/tmp", (long)getpid());
    const bool written = write_trace_(path) == 0;
    for (uint32_t sms = 1; written && sms <= 4; sms *= 4) {
        const struct ends one = replay_(path, "rtx2060-paper", sms, m, 1);
        for (unsigned threads = 2; threads <= 4; threads++) {
            const struct ends more = replay_(path, "rtx2060-paper", sms, m, threads);
            different += more.status != SMRF_RUN_FINISHED || more.last != one.last;
        }
    }
    (void)remove(path);
    return written ? different : 1;
}

int main(int argc, char *argv[])
{
    static const char *const names[] = {"hotspot", "matmul", "ray"};
    const struct smrf_mechanism *m;
    unsigned compared = 0, different = read_ahead_();
    if (argc != 2) {
        fputs("usage: races SOURCE_DIR\n", stderr);
        return 2;
    }
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        char path[4096];
        const char *preset = i % 2 ? "rtx2060-accelsim" : "rtx2060-paper";
        snprintf(path, sizeof path, "%s/traces/bundled/%s", argv[1], names[i % 3]);
        const struct ends one = replay_(path, preset, 0, m, 1),
                          three = replay_(path, preset, 0, m, 3);
        if (one.status != three.status || one.launches != three.launches ||
            one.last != three.last) {
            fprintf(stderr,
                    "%s, %s: 1 thread ends in cycle %" PRIu64 " (%d), 3 in %" PRIu64 " (%d)\n",
                    names[i % 3], m->name, one.last, one.status, three.last, three.status);
            different++;
        }
        compared += one.status == SMRF_RUN_FINISHED;
    }
    printf("%u replays on 1 and 3 threads, %u different\n", compared, different);
    return different || compared < 10;
}
