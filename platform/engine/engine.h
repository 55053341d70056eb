/* SPDX-License-Identifier: Apache-2.0 */
/* An engine builds the SMs and the memory and drives them: one over SystemC with TLM sockets between
 * the blocks, one as a plain loop over the same cores. Everything above (C API, results, command
 * line) sees only this. */
#ifndef SMRF_ENGINE_H
#define SMRF_ENGINE_H

#include "models/memory/memory.h"
#include "platform/gpu/gpu.h"
#include "platform/outside.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_engine;

/* What results are read from. Pointers live as long as the engine. */
struct smrf_machine {
    const struct smrf_config *cfg;
    const struct smrf_mechanism *mechanism;
    struct smrf_gpu *gpu;
    struct smrf_sm **sm;              /* [cfg->gpu.sms] */
    void **mechanism_state;           /* [cfg->gpu.sms] */
    void *mechanism_gpu;              /* the mechanism's state of the GPU, NULL: none */
    struct smrf_simt_log **simt;      /* [cfg->gpu.sms] */
    const struct smrf_memory *memory; /* NULL: a foreign memory is bound */
    uint64_t cycle;                   /* every SM has been simulated up to here */
    uint64_t payloads_in_use;         /* TLM payloads not returned; 0 at the end of a run */
    uint64_t payloads_peak;
    uint64_t protocol_violations; /* of the base-protocol monitor, where one is in line */
};

/* Called by the engine between windows; never inside one. */
struct smrf_engine_hooks {
    void *ctx;
    void (*kernel_begin)(void *ctx, const struct smrf_gpu_kernel *kernel);
    void (*kernel_end)(void *ctx, const struct smrf_gpu_kernel *kernel);
    /* Once a window; false = stop the run here (limits, signals, watchdog). */
    bool (*window)(void *ctx, const struct smrf_machine *machine);
    /* An interval of the mechanism's has ended; row: as its struct smrf_gpu_seam describes it. */
    void (*interval)(void *ctx, const uint64_t *row);
    const struct smrf_annotator *annotator; /* NULL = none */
    /* What takes the place of the in-tree memory, at most one. An engine that cannot bind it refuses
     * in create; one that did has machine->memory NULL. */
    const struct smrf_outside_memory *outside; /* NULL = none */
    /* NULL = none; else a C++ smrf::memory_binder (platform_tlm.h), for the engine over SystemC. */
    void *binder;
};

/* How a run ended. */
enum smrf_run_end {
    SMRF_RUN_FINISHED, /* the trace has been replayed */
    SMRF_RUN_LIMIT,    /* `until` reached; call again to go on */
    SMRF_RUN_STOPPED   /* the window hook said so */
};

struct smrf_engine_ops {
    const char *name;
    /* cfg is copied. On failure *text says why. */
    int (*create)(struct smrf_engine **engine, const struct smrf_config *cfg,
                  const struct smrf_mechanism *mechanism, const struct smrf_engine_hooks *hooks,
                  char *text, size_t size);
    /* Replay this trace from here on; the engine does not close it. */
    int (*load)(struct smrf_engine *engine, struct smrf_trace *trace);
    /* Simulate up to, not including, cycle `until`. Returns enum smrf_run_end or an error, then
     * error() tells. */
    int (*run)(struct smrf_engine *engine, uint64_t until);
    const struct smrf_machine *(*machine)(struct smrf_engine *engine);
    const char *(*error)(const struct smrf_engine *engine);
    /* Before the trace is closed: SMs may still hold its blocks. */
    void (*destroy)(struct smrf_engine *engine);
};

extern const struct smrf_engine_ops smrf_engine_direct;
extern const struct smrf_engine_ops smrf_engine_systemc;

#ifdef __cplusplus
}
#endif

#endif
