/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver of a GPU supplies: listeners, an annotator, a memory that replaces the in-tree
 * one. */
#ifndef SMRF_HOOKS_H
#define SMRF_HOOKS_H

#include "platform/gpu/machine.h"
#include "platform/outside/outside.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called between windows; never inside one. */
struct smrf_gpu_hooks {
    void *ctx;
    void (*kernel_begin)(void *ctx, const struct smrf_gpu_kernel *kernel);
    void (*kernel_end)(void *ctx, const struct smrf_gpu_kernel *kernel);
    /* Once a window; false = stop the run here (limits, signals, watchdog). */
    bool (*window)(void *ctx, const struct smrf_machine *machine);
    /* Every `sample_every` cycles (0: never): all up to and with `cycle` has been simulated,
     * nothing behind it, and every SM has counted the time up to there. */
    uint64_t sample_every;
    void (*sample)(void *ctx, const struct smrf_machine *machine, uint64_t cycle);
    /* An interval of the mechanism's has ended; row: as its struct smrf_gpu_seam describes it. */
    void (*interval)(void *ctx, const uint64_t *row);
    const struct smrf_annotator *annotator; /* NULL = none */
    /* Most threads that simulate SMs and memory; 0 and 1: one. The number never changes a result.
     * It is one if a foreign memory is bound, if sim.monitor is on, and in other views than at,
     * which run on the kernel's thread. Observers of SMs (smrf_sm_listen) must set it to one. */
    unsigned threads;
    /* Build every SM at once. Set it if you look into SMs. Otherwise an engine may build an SM when
     * it gets its first thread block (struct smrf_gpu_reserve). It never changes a result. */
    bool all_sms;
    /* What takes the place of the in-tree memory, at most one. An engine that cannot bind it
     * refuses in create; one that did has machine->memory NULL. */
    const struct smrf_outside_memory *outside; /* NULL = none */
    /* NULL = none; else a C++ smrf::memory_binder (memory_binder.h), for the engine over
     * SystemC. */
    void *binder;
};

/* How a run ended. */
enum smrf_run_end {
    SMRF_RUN_FINISHED, /* the trace has been replayed */
    SMRF_RUN_LIMIT,    /* `until` reached; call again to go on */
    SMRF_RUN_STOPPED   /* the window hook said so */
};

#ifdef __cplusplus
}
#endif

#endif
