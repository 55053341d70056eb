/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a library, for C and C++: build a modelled GPU from a configuration, replay traces
 * on it, read what happened.
 *
 *     struct smrf_platform *p;
 *     smrf_platform_create(&p);
 *     smrf_platform_set(p, "gpu.sms=4");
 *     smrf_platform_add_trace(p, "trace-folder");
 *     if (smrf_platform_run(p, SMRF_NO_LIMIT) != SMRF_RUN_DONE) puts(smrf_platform_error(p));
 *     smrf_platform_write_json(p, "result.json");
 *     smrf_platform_destroy(p);
 *
 * Order of calls: create; configure, bind, add traces (any order); build or run; read; destroy. The
 * order of configuration calls of different kinds does not matter. Their precedence is fixed:
 * default < preset < mechanism's defaults < gpgpusim files < configuration files < set. Of one kind
 * the later call wins.
 *
 * Errors: every int function returns 0 or more, or a negative enum smrf_err. smrf_platform_error
 * then says why. No exception leaves a call.
 *
 * Pointers: no pointer may be NULL unless its function says so. A call with one returns
 * SMRF_ERR_INVAL (NULL or 0 if it returns no error, nothing if it returns nothing), and
 * smrf_platform_error says which, also for a platform that is NULL. Callbacks and their ctx may be
 * NULL. A destroyed platform is treated like NULL; destroying it again does nothing. If create
 * returns the same address again, it is the new platform's. A pointer to too little room cannot be
 * recognised; that is the caller's fault.
 *
 * Threads: a platform belongs to one thread. Only smrf_platform_stop may be called from others.
 * With the engine "systemc" build all platforms before the simulation begins, as many as you like.
 * Run them one at a time from sc_main or a main() of your own, or at the same time from thread
 * processes of the simulation. "direct" has neither limit. */
#ifndef SMRF_PLATFORM_H
#define SMRF_PLATFORM_H

#include "models/common/smrf_err.h"
#include "platform/outside/outside.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_platform;

#define SMRF_NO_LIMIT UINT64_MAX

/* *p is set unless memory is short (SMRF_ERR_NOMEM). */
int smrf_platform_create(struct smrf_platform **p);
/* p may be NULL. Call it after every create that set *p. */
void smrf_platform_destroy(struct smrf_platform *p);

/* Text of the last failure: what, where, what to do. Never NULL; "no error" before any. */
const char *smrf_platform_error(const struct smrf_platform *p);

/* Program version and commit, for example "0.1.0 (a165281)". */
const char *smrf_platform_version(void);

/* --- configuration: before the first build or run -------------------------------------------- */

int smrf_platform_preset(struct smrf_platform *p, const char *name);
int smrf_platform_mechanism(struct smrf_platform *p, const char *name);
/* Replaces the mechanism's table by a text file (malekeh-*: the STHLD machine; its form is in
 * models/malekeh/sthld.h). The file is read now and parsed when the platform is built. */
int smrf_platform_mechanism_table(struct smrf_platform *p, const char *path);
/* "systemc" (default): TLM-2.0 sockets under the SystemC kernel; "direct": the same cores driven by
 * a plain loop, with the same results. */
int smrf_platform_engine(struct smrf_platform *p, const char *name);
/* Number of threads that simulate SMs and memory. 0: one for each processor, if SMs and memory give
 * them work. The default is one. No result depends on it. With a memory bound from outside,
 * sim.monitor or an observer there is one thread; a note says so if you asked for more by number.
 */
int smrf_platform_threads(struct smrf_platform *p, unsigned threads);
/* A gpgpusim.config or trace.config of Accel-Sim. Options without counterpart become notes. */
int smrf_platform_gpgpusim(struct smrf_platform *p, const char *path);
/* A YAML configuration file. */
int smrf_platform_config_file(struct smrf_platform *p, const char *path);
/* "key=value". */
int smrf_platform_set(struct smrf_platform *p, const char *pair);
/* The file of reuse bits (smrf annotate), for mechanisms that use them; others refuse it. Without a
 * file the bits are found during the run, as reuse.mode says. */
int smrf_platform_reuse_file(struct smrf_platform *p, const char *path);
/* A further set of energy constants, from a YAML file; at most 8. */
int smrf_platform_energy_file(struct smrf_platform *p, const char *path);
/* Records statistics every `interval` core cycles. names: which, "ipc,rf.*" for example, NULL: a
 * selection. by: for which parts of the machine, "gpu" (the default), "sm", "subcore" or "bank". A
 * row ends with its launch at the latest. Names are checked when the platform is built. */
int smrf_platform_series(struct smrf_platform *p, uint64_t interval, const char *by,
                         const char *names);
/* Also record where time goes, by instruction, for smrf_platform_write_profile. Changes no result.
 */
int smrf_platform_profile(struct smrf_platform *p);
/* Unknown opcodes of a trace are errors instead of counted warnings. */
int smrf_platform_strict(struct smrf_platform *p, bool strict);
/* May the lines of a list name files outside of its folder? Default: no. */
int smrf_platform_allow_outside(struct smrf_platform *p, bool allow);
/* Name and value of the effective configuration's parameter, in the table's order. Returns 0, or
 * SMRF_ERR_UNKNOWN past the last. *key stays valid; value: at most size bytes with terminator. */
int smrf_platform_config_at(const struct smrf_platform *p, size_t index, const char **key,
                            char *value, size_t size);

/* Checks whether the configuration makes a machine that the mechanism accepts. Builds nothing. */
int smrf_platform_check(struct smrf_platform *p);

/* --- traces and the outside ----------------------------------------------------------------- */

/* Appends a trace: a kernelslist.g, one trace file, or a folder. Several are replayed one after the
 * other on the same machine. The file is opened now, so a wrong path fails here. */
int smrf_platform_add_trace(struct smrf_platform *p, const char *path);

/* Appends a trace after a run: when everything has been replayed, the machine continues with this
 * trace. Its caches and counters stay as they are. */
int smrf_platform_continue(struct smrf_platform *p, const char *path);

/* Use the caller's memory instead of the in-tree one. *memory is copied; its ctx must outlive p.
 * (Any TLM-2.0 target: platform_tlm.h.) */
int smrf_platform_bind_memory(struct smrf_platform *p, const struct smrf_outside_memory *memory);

/* Callback for notes and warnings, one line each: options without counterpart, unknown
 * opcodes. Without one they are dropped. The text is valid during the call. */
void smrf_platform_on_note(struct smrf_platform *p, void (*note)(void *ctx, const char *text),
                           void *ctx);

/* --- running -------------------------------------------------------------------------------- */

enum smrf_platform_run_end {
    SMRF_RUN_DONE = 0,  /* every trace has been replayed, every check has passed */
    SMRF_RUN_MORE = 1,  /* the cycles asked for, or the limit of instructions, have been reached */
    SMRF_RUN_HALTED = 2 /* smrf_platform_stop, or sc_pause of another module */
};

/* Builds (elaborates) the machine. The first run does so by itself. */
int smrf_platform_build(struct smrf_platform *p);

/* Simulates at most `cycles` further core cycles (SMRF_NO_LIMIT: to the end). Returns an enum
 * smrf_platform_run_end or an error: SMRF_ERR_CHECK if a check of the model failed (value oracle,
 * conservation law, watchdog), SMRF_ERR_IO, FORMAT, CORRUPT, UNKNOWN or LIMIT if a trace is at
 * fault. After an error you can read results up to there, but not continue. A thread process of the
 * simulation waits in this call; do not kill it meanwhile. */
int smrf_platform_run(struct smrf_platform *p, uint64_t cycles);

/* Brings the platform into its state after build: simulated time, counters and traces are dropped.
 * With the engine "systemc" a thread process waits for outstanding memory accesses. Elsewhere such
 * accesses make the call fail with SMRF_ERR_STATE. */
int smrf_platform_reset(struct smrf_platform *p);

/* Ends at once the run in which a thread process waits. Only smrf_platform_reset may follow. */
void smrf_platform_abandon(struct smrf_platform *p);

/* Ends a later run with SMRF_RUN_MORE after `insts` warp instructions in total. This is checked
 * every sim.quantum cycles or more, so a few more instructions may have been issued. */
int smrf_platform_limit_insts(struct smrf_platform *p, uint64_t insts);

/* Ends the present or the next run soon, between two cycles. Safe in a signal handler and from
 * other threads. */
void smrf_platform_stop(struct smrf_platform *p);

struct smrf_progress {
    uint64_t cycle, warp_insts;
    uint64_t launch;               /* number of the present launch over all traces, from 1 */
    const char *kernel;            /* its name as the trace has it */
    uint64_t blocks, blocks_total; /* of the launch: handed to SMs; of the grid */
    double fraction;               /* of all traces, by size of their files; below 0 = unknown */
    double seconds;                /* spent in smrf_platform_run so far */
};
/* Called about every `interval_s` seconds of a run. */
void smrf_platform_on_progress(struct smrf_platform *p, double interval_s,
                               void (*progress)(void *ctx, const struct smrf_progress *progress),
                               void *ctx);

/* --- results: any time after build ---------------------------------------------------------- */

struct smrf_stat_info {
    const char *name; /* dotted: its path in the JSON document */
    const char *unit; /* "" = a ratio */
    const char *meaning;
    bool is_count; /* an exact integer; else a ratio */
};
/* The index-th statistic, in the order of the results. Returns 0, or SMRF_ERR_UNKNOWN past the
 * last. */
int smrf_stat_at(size_t index, struct smrf_stat_info *info);

/* The same, followed by the mechanism's own statistics. The name is valid until the next call. */
int smrf_platform_stat_at(struct smrf_platform *p, size_t index, struct smrf_stat_info *info);

/* Value of a statistic by name. A count is exact up to 2^53; smrf_platform_count is always exact.
 */
int smrf_platform_stat(struct smrf_platform *p, const char *name, double *value);
/* The same for counts; SMRF_ERR_INVAL if the statistic is a ratio. */
int smrf_platform_count(struct smrf_platform *p, const char *name, uint64_t *value);

/* Dynamic energy of the register file in pJ by a set of constants ("flat23", "sliced23", "aw", or
 * the name in a user's file) and component ("banks", "crossbar", "arbiter", "collectors", "total").
 */
int smrf_platform_energy(struct smrf_platform *p, const char *set, const char *component,
                         double *pj);
/* Name of the index-th set, NULL past the last. */
const char *smrf_platform_energy_set(const struct smrf_platform *p, size_t index);

/* Launches begun so far, and a statistic of launch `index` (from 0). */
size_t smrf_platform_launches(const struct smrf_platform *p);
/* Its kernel's name as the trace has it, NULL past the last. */
const char *smrf_platform_launch_name(const struct smrf_platform *p, size_t index);
int smrf_platform_launch_stat(struct smrf_platform *p, size_t index, const char *name,
                              double *value);

/* Wall-clock seconds spent in smrf_platform_run. */
double smrf_platform_seconds(const struct smrf_platform *p);

/* Contents of architectural register `reg` of the warp in slot `warp` of SM `sm`, without side
 * effect: 32 lanes. SMRF_ERR_UNKNOWN if no such warp is resident, if it has no such register, or if
 * values are off: with sim.check=off they are stored only for another observer. */
int smrf_platform_read_register(struct smrf_platform *p, unsigned sm, unsigned warp, unsigned reg,
                                uint32_t lanes[32]);

/* A finding of the value checks as a line of text: the first ten faults of the model, then the
 * first ten places where the trace contradicts itself. Each names kernel, block, warp, lane, PC,
 * cycle and register, faults also bank and row. Returns 0, or SMRF_ERR_UNKNOWN past the last. */
int smrf_platform_finding(struct smrf_platform *p, size_t index, char *text, size_t size);

/* Write the results; "-" is standard output. A file appears under its name only when complete. */
int smrf_platform_write_json(struct smrf_platform *p, const char *path);
int smrf_platform_write_csv(struct smrf_platform *p, const char *path);
/* Where time went, by kernel and instruction, as JSON: {"runs": [{"mechanism", "kernels": [{"name",
 * "launches", "cycles", "instructions": [..]}]}]}. Asked for before the build, and written while
 * the platform lives. */
int smrf_platform_write_profile(struct smrf_platform *p, const char *path);
/* Text for scripts that read Accel-Sim's output (get_stats.py): a section a launch, with totals
 * that grow from launch to launch. */
int smrf_platform_write_accelsim(struct smrf_platform *p, const char *path);
/* The series, tidy: launch,cycle,cycles,sm,subcore,bank,name,value; the JSON document has it,
 * too. */
int smrf_platform_write_series(struct smrf_platform *p, const char *path);

#ifdef __cplusplus
}
#endif

#endif
