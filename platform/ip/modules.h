/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of IP, and the blocks that they are made of, for C: created by the name of their kind,
 * connected by the names of their sockets, and driven by processes whose bodies are C functions.
 *
 *     struct smrf_module *bank, *core;
 *     const char *const options[] = {"rows=64", NULL};
 *     smrf_module_create(&bank, "bank", "bank_0", options);
 *     smrf_module_process(&core, "core", 1, body, ctx);
 *     smrf_module_bind(core, "out_0", bank, "read_in");
 *     smrf_simulation_run(0);
 *
 * Modules are created and bound before the simulation begins, and outlive it. Every int function
 * returns 0 or more, or a negative enum smrf_err; smrf_module_error then says why. No exception
 * leaves a call. Times are in picoseconds. */
#ifndef SMRF_IP_MODULES_H
#define SMRF_IP_MODULES_H

#include "models/common/smrf_err.h"
#include "models/rf/rf_instruction.h"
#include "platform/platform.h"
#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_module;

/* Name of the index-th kind, NULL past the last; *options (may be NULL): those it understands. */
const char *smrf_module_kind(size_t index, const char **options);

/* options: "key=value", NULL at the end; NULL: none. *m is set unless memory is short. */
int smrf_module_create(struct smrf_module **m, const char *kind, const char *name,
                       const char *const *options);
/* After the simulation; m may be NULL. */
void smrf_module_destroy(struct smrf_module *m);
/* Text of the last failure. Never NULL. */
const char *smrf_module_error(const struct smrf_module *m);

struct smrf_socket_info {
    const char *name;
    bool initiator; /* else a target */
    bool bound;
};
/* Returns 0, or SMRF_ERR_UNKNOWN past the last. */
int smrf_module_socket(const struct smrf_module *m, size_t index, struct smrf_socket_info *info);
/* Binds an initiator socket of `from` to a target socket of `to`. */
int smrf_module_bind(struct smrf_module *from, const char *initiator, struct smrf_module *to,
                     const char *target);

/* A signal of one bit, created before the simulation begins. SMRF_ERR_INVAL: SystemC refuses the
 * name. */
struct smrf_signal;
int smrf_signal_create(struct smrf_signal **s, const char *name, bool initial);
/* Call it after the modules' destruction; s may be NULL. */
void smrf_signal_destroy(struct smrf_signal *s);
/* Binds a port of one bit: "reset" (gpu, sm; active high) or "interrupt" (gpu). A port may stay
 * unbound. */
int smrf_module_bind_signal(struct smrf_module *m, const char *port, struct smrf_signal *s);

/* Resets a module to its state after elaboration. SMRF_ERR_STATE: its kind has no reset. */
int smrf_module_reset(struct smrf_module *m);
/* gpu, sm: the platform, for statistics and results. Other kinds: NULL. */
struct smrf_platform *smrf_module_platform(struct smrf_module *m);
/* gpu: text of the latest launch's failure. Other kinds: NULL. */
const char *smrf_module_launch_error(const struct smrf_module *m);
/* sm: replay a trace. gpu: add a program, whose handle is returned. */
int smrf_module_trace(struct smrf_module *m, const char *path);
/* sm: replay the instructions that the function writes with smrf_trace_writer_* (traces/trace.h):
 * kernels, their blocks, warps and lines. It is called once, at once, and returns 0 or a negative
 * value. */
int smrf_module_source(struct smrf_module *m, int (*source)(void *ctx, struct smrf_trace_writer *w),
                       void *ctx);

/* --- modules whose insides are C -------------------------------------------------------------- */

struct smrf_access {
    uint64_t address;
    void *data;
    uint32_t bytes;
    bool write;
    const uint8_t *enables; /* [num_enables] of 0 or 0xff, as TLM has them; NULL: all bytes */
    uint32_t num_enables;
};

/* A thread process with initiator sockets out_0, out_1, ... */
int smrf_module_process(struct smrf_module **m, const char *name, unsigned sockets,
                        void (*body)(void *ctx, struct smrf_module *self), void *ctx);
/* A target with sockets in_0, in_1, ... Each access calls the function, which must not wait;
 * *delay: how long it takes. Returns 0, or a negative value: it is answered with an error. */
int smrf_module_target(struct smrf_module **m, const char *name, unsigned sockets,
                       int (*access)(void *ctx, unsigned socket, struct smrf_access *a,
                                     uint64_t *delay),
                       void *ctx);
/* A function for debug accesses to that target, which take no time and have no side effect; it
 * returns the bytes done. Without it none are. */
int smrf_module_target_debug(struct smrf_module *m,
                             int (*look)(void *ctx, unsigned socket, struct smrf_access *a));

/* Within a body: */
/* Carries out an access through out_<socket>; returns when it has been answered. 0, or
 * SMRF_ERR_PROTOCOL: answered with an error. */
int smrf_transfer(struct smrf_module *self, unsigned socket, struct smrf_access *a);
/* A debug access: no time, no side effect. Returns the bytes done. */
int smrf_transfer_debug(struct smrf_module *self, unsigned socket, struct smrf_access *a);
void smrf_wait(uint64_t ps);
bool smrf_signal_read(const struct smrf_signal *s);
/* Other processes see the value after this delta cycle. */
void smrf_signal_write(struct smrf_signal *s, bool value);
/* Waits until the signal has the value, at most the given time (0: no limit). Returns whether it
 * has. */
bool smrf_signal_wait(struct smrf_signal *s, bool value, uint64_t ps);

/* --- the simulation --------------------------------------------------------------------------- */

/* Call it from sc_main. text (may be NULL): the reason of a failure, such as an unbound socket. */
int smrf_simulation_elaborate(char *text, size_t size);
/* Runs for the given time; 0: until no event is left. */
int smrf_simulation_run(uint64_t ps, char *text, size_t size);
uint64_t smrf_simulation_time(void);

#ifdef __cplusplus
}
#endif

#endif
