/* SPDX-License-Identifier: Apache-2.0 */
/* Replays traces on several threads, for the thread sanitizer to watch: the plain engine with every
 * mechanism that can run them. What it finds ends the program with a status of its own.
 *
 * usage: races SOURCE_DIR */
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "traces/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct ends replay_(const char *path, const char *preset,
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
    if (smrf_preset_apply(&cfg, preset, &err) == 0 && smrf_trace_open(&trace, path, NULL) == 0 &&
        smrf_engine_direct.create(&engine, &cfg, mechanism, &hooks, text, sizeof text) == 0 &&
        smrf_engine_direct.load(engine, trace) == 0) {
        e.status = smrf_engine_direct.run(engine, SMRF_NEVER);
    }
    smrf_engine_direct.destroy(engine);
    smrf_trace_close(trace);
    return e;
}

int main(int argc, char *argv[])
{
    static const char *const names[] = {"hotspot", "matmul", "ray"};
    const struct smrf_mechanism *m;
    unsigned compared = 0, different = 0;
    if (argc != 2) {
        fputs("usage: races SOURCE_DIR\n", stderr);
        return 2;
    }
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        char path[4096];
        const char *preset = i % 2 ? "rtx2060-accelsim" : "rtx2060-paper";
        snprintf(path, sizeof path, "%s/traces/bundled/%s", argv[1], names[i % 3]);
        const struct ends one = replay_(path, preset, m, 1), three = replay_(path, preset, m, 3);
        if (one.status != three.status || one.launches != three.launches || one.last != three.last) {
            fprintf(stderr, "%s, %s: 1 thread ends in cycle %" PRIu64 " (%d), 3 in %" PRIu64 " (%d)\n",
                    names[i % 3], m->name, one.last, one.status, three.last, three.status);
            different++;
        }
        compared += one.status == SMRF_RUN_FINISHED;
    }
    printf("%u replays on 1 and 3 threads, %u different\n", compared, different);
    return different || compared < 10;
}
