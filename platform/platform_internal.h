/* SPDX-License-Identifier: Apache-2.0 */
/* The platform's inside, shared by the files of this folder and by nothing else. */
#ifndef SMRF_PLATFORM_INTERNAL_H
#define SMRF_PLATFORM_INTERNAL_H

#include "handles.h"
#include "platform/annotator.h"
#include "platform/binder.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "platform/lookahead.h"
#include "platform/observe/observer.h"
#include "platform/platform.h"
#include "platform/results/report.h"
#include "platform/series/series.h"
#include "platform/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_PLATFORM_THREADS 256
#define SMRF_PLATFORM_ENERGY 8  /* sets of energy constants from files */
#define SMRF_PLATFORM_TEXT 4096 /* bytes of an error's text */

enum smrf_platform_state {
    SMRF_PLATFORM_OPEN,  /* may be configured */
    SMRF_PLATFORM_BUILT, /* may be run */
    SMRF_PLATFORM_DONE,  /* everything has been replayed */
    SMRF_PLATFORM_FAILED
};

/* Layers of configuration that can come several times, lowest precedence first. */
enum smrf_layer { SMRF_LAYER_GPGPUSIM, SMRF_LAYER_FILE, SMRF_LAYER_SET, SMRF_LAYER_COUNT };

struct smrf_texts {
    char **text;
    size_t count;
};

/* Why a window ended the run. */
enum smrf_halt {
    SMRF_HALT_NONE,
    SMRF_HALT_STOP,
    SMRF_HALT_INSTS,
    SMRF_HALT_WATCHDOG,
    SMRF_HALT_SAMPLES
};

struct smrf_platform {
    struct smrf_handle handle;
    char error[SMRF_PLATFORM_TEXT];
    enum smrf_platform_state state;

    /* configuration */
    char preset[64];
    const struct smrf_mechanism *mechanism;
    struct {
        char *path, *text; /* NULL = the mechanism's own */
        size_t size;
    } table;
    const struct smrf_engine_ops *ops;
    struct smrf_texts layer[SMRF_LAYER_COUNT];
    struct smrf_config cfg;
    bool strict, allow_outside;
    unsigned threads;     /* at least 1 */
    bool threads_by_host; /* as many as the host has processors for */
    struct smrf_outside_memory outside;
    bool has_outside;
    void *binder;
    void (*drop_binder)(void *binder);

    /* reuse annotation */
    char *side_file;                        /* NULL = on the fly */
    struct smrf_reuse_annotator *annotator; /* NULL: the mechanism does not want it */
    struct smrf_lookahead *lookahead;       /* the same */

    /* energy: the built-in sets, then the user's */
    struct smrf_energy_set *energy_own[SMRF_PLATFORM_ENERGY];
    const struct smrf_energy_set *energy[SMRF_ENERGY_BUILT_IN + SMRF_PLATFORM_ENERGY];
    size_t num_energy, num_energy_own;

    /* traces */
    struct smrf_workload workload;
    struct smrf_follow follow;       /* more NULL: the traces are complete */
    size_t next_trace;               /* index of the one after the present */
    struct smrf_trace *trace;        /* the present one, NULL = none */
    struct smrf_trace_totals totals; /* of the closed ones */
    uint64_t digest;

    /* running */
    struct smrf_engine *engine;
    struct smrf_gpu_hooks hooks;
    bool busy;         /* in smrf_platform_run */
    volatile int stop; /* set by smrf_platform_stop, lock-free on every target */
    enum smrf_halt halt;
    uint64_t insts_limit;
    uint64_t watch_at; /* cycle from which the watchdog looks again */
    double seconds;
    const char *end;                  /* how the latest run ended */
    char failure[SMRF_PLATFORM_TEXT]; /* why it failed */
    size_t laws;                      /* checked at the end */

    /* results */
    struct smrf_counters ended; /* sums at the end of the latest launch */
    struct smrf_counters whole; /* of a run that is done: smrf_platform_totals */
    bool knows_whole;
    uint64_t *series; /* rows of the mechanism's intervals */
    size_t series_rows, series_room;
    struct smrf_series *samples; /* NULL: not wanted */
    struct smrf_launch *launches;
    size_t num_launches, room;
    size_t noted_launches; /* of those, of the traces that are closed */
    bool launch_runs;
    bool out_of_memory; /* a launch or sample could not be recorded */
    bool too_many;      /* samples */

    struct smrf_observer observer; /* attach NULL: none */
    struct smrf_profile *profile;  /* which observes; NULL: not wanted */
    struct smrf_series_wish wish;  /* interval 0: no samples; names is the platform's */

    char stat_name[128]; /* returned last by smrf_platform_stat_at */

    void (*note)(void *ctx, const char *text);
    void *note_ctx;
    void (*progress)(void *ctx, const struct smrf_progress *progress);
    void *progress_ctx;
    struct smrf_trace_totals read; /* when the present launch began */
    double fraction;               /* reported last */
    double progress_interval, progress_due, run_began;
    unsigned progress_skip; /* windows until the clock is looked at again */
};

/* Set the error's text and return code. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int smrf_platform_fail(struct smrf_platform *p, int code, const char *fmt, ...);

/* SMRF_ERR_INVAL where the platform or an argument that a call needs is NULL, else 0. */
int smrf_platform_need(struct smrf_platform *p, const void *argument, const char *what);

/* Add to a text that names parameters which lines of configuration files set them. */
void smrf_platform_name_places(const struct smrf_platform *p, char *text, size_t size);
/* Add to a text about memory what of the machine is largest. */
void smrf_platform_name_largest(const struct smrf_config *cfg, char *text, size_t size);

/* Can the view do with the mechanism, the options and the observers? Returns 0 or SMRF_ERR_INVAL.
 */
int smrf_platform_check_view(struct smrf_platform *p);

double smrf_platform_clock(void);

/* Hooks of the engine. */
void smrf_platform_kernel_begin(void *ctx, const struct smrf_gpu_kernel *kernel);
void smrf_platform_kernel_end(void *ctx, const struct smrf_gpu_kernel *kernel);
/* Hand the mechanism the table that the user gave, if one was given. */
int smrf_platform_apply_table(struct smrf_platform *p, void *mechanism_gpu);
/* Digest of its text, 0 = none was given. */
uint64_t smrf_platform_table_digest(const struct smrf_platform *p);
void smrf_platform_interval(void *ctx, const uint64_t *row);
void smrf_platform_sample(void *ctx, const struct smrf_machine *machine, uint64_t cycle);
/* What has happened since the latest sample is one, too. */
void smrf_platform_sample_now(struct smrf_platform *p);
bool smrf_platform_window(void *ctx, const struct smrf_machine *machine);

/* Sums of everything up to now, with cycles. */
void smrf_platform_totals(struct smrf_platform *p, struct smrf_counters *total);
/* Sums over all traces so far. */
struct smrf_trace_totals smrf_platform_trace_totals(const struct smrf_platform *p);

/* Does an SM have work although nothing has happened anywhere for sim.watchdog cycles? Then text
 * says which warp waits for what. */
bool smrf_watchdog_bites(const struct smrf_machine *machine, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
