/* SPDX-License-Identifier: Apache-2.0 */
/* An engine builds the SMs and the memory and drives them: one over SystemC with TLM sockets
 * between the blocks, one as a plain loop over the same cores. Everything above (C API, results,
 * command line) sees only this. */
#ifndef SMRF_ENGINE_H
#define SMRF_ENGINE_H

#include "platform/gpu/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_engine;

struct smrf_engine_ops {
    const char *name;
    /* cfg is copied. On failure *text says why. */
    int (*create)(struct smrf_engine **engine, const struct smrf_config *cfg,
                  const struct smrf_mechanism *mechanism, const struct smrf_gpu_hooks *hooks,
                  char *text, size_t size);
    /* Replay this trace from here on; the engine does not close it. */
    int (*load)(struct smrf_engine *engine, struct smrf_trace *trace);
    /* As after create, with no trace loaded: everything that has been simulated and counted is
     * forgotten, what the mechanism has learnt, too; a table of the user's is to be given again.
     * The trace is open still. Over SystemC, a thread process waits for memory accesses that are
     * under way; elsewhere they are an error. Returns 0 or an error. */
    int (*reset)(struct smrf_engine *engine);
    /* Simulate up to, not including, cycle `until`. Returns enum smrf_run_end or an error, then
     * error() tells. */
    int (*run)(struct smrf_engine *engine, uint64_t until);
    /* End the run that another process waits for, wherever it is; only a reset may follow. */
    void (*abandon)(struct smrf_engine *engine);
    const struct smrf_machine *(*machine)(struct smrf_engine *engine);
    /* The same, after it has summed what the sockets have sent and what is still held: some
     * 40,000 host instructions for 30 SMs. */
    const struct smrf_machine *(*counted)(struct smrf_engine *engine);
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
