/* SPDX-License-Identifier: Apache-2.0 */
/* What drives a GPU: launches one after the other, each cut into windows of time. In a window every
 * SM runs to its end on its own; then the memory follows. An engine owns the SMs and the memory,
 * and is a loop that does what smrf_window_next() says:
 *
 *     begin a launch (KERNEL)
 *     sleep until something happens (SLEEP), run the memory up to there (MEMORY)
 *     run the SMs (RUN), those first that wait for a thread block, as often as it takes
 *     run the memory up to the window's end (MEMORY), let time pass up to there (SLEEP)
 *     ...until the trace ends, the limit comes, a hook says so or something fails (PAUSE)
 *
 * A window is never longer than the memory knows its answers ahead, so that its length does not
 * show in any result. An SM that awaits no answer when it comes to the window's end goes on, while
 * it finds its lines in the host's caches, and is left out of the windows up to where it has come.
 * An engine that can run the memory while the SMs run gets windows of half that length: the memory
 * then follows a window behind, and only where something asks for it (an edge, a launch's end, a
 * pause, a machine in which nothing else happens) is it brought up to the SMs. */
#ifndef SMRF_WINDOW_H
#define SMRF_WINDOW_H

#include "platform/gpu/hooks.h"
#include "platform/gpu/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_window_step {
    SMRF_WINDOW_SLEEP,  /* nothing happens before cycle `at`: come back then */
    SMRF_WINDOW_KERNEL, /* a launch begins: SIMT stacks begin anew, as gpu.simt says */
    SMRF_WINDOW_MEMORY, /* all requests before cycle `at` have been sent: run the memory up to it,
                           and give the SMs its answers */
    SMRF_WINDOW_RUN, /* run the SMs in `run` up to cycle `until`, or until they stop; if `beside` is
                           not 0, begin to run the memory up to that, until the next MEMORY */
    SMRF_WINDOW_PAUSE /* the run ends for now, as `end` says */
};

enum smrf_window_phase {
    SMRF_WINDOW_RESTING, /* a window has been closed; its end may lie ahead */
    SMRF_WINDOW_OPENING,
    SMRF_WINDOW_OPEN,    /* the memory has been run up to its beginning */
    SMRF_WINDOW_SERVING, /* SMs run, thread blocks are handed out */
    SMRF_WINDOW_CLOSED,  /* the memory has been run up to its end */
    SMRF_WINDOW_STOPPING /* a hook has ended the run; the memory has been run up to here */
};

struct smrf_window {
    struct smrf_gpu gpu;
    struct smrf_machine machine; /* sm, mechanism_state and simt are filled by the engine */
    struct smrf_gpu_feed *feed;  /* [sms] */
    struct smrf_gpu_reserve
        reserve;                /* an engine that builds SMs when they are needed begins with one */
    struct smrf_pieces *pieces; /* the view scoreboard's, for the GPU; else NULL */
    struct smrf_interval interval;
    struct smrf_gpu_hooks hooks;
    struct smrf_crew *crew; /* NULL: one thread; lives longer than the window */
    /* The first cycle with something to do behind the SMs' sockets; NULL: not known, the engine's
     * SMs tell of answers when they come. */
    uint64_t (*memory_next)(void *ctx);
    /* The cycle before which no answer can come that has not been announced, and which requests the
     * memory takes is decided, at `cycle`; NULL: the quantum sees to it. */
    uint64_t (*memory_known)(void *ctx, uint64_t cycle);
    void *memory_ctx;
    uint32_t quantum; /* longest window */
    /* From a request to its answer, at least: SMs that await none run on so far again and again; 0:
     * they do not. */
    uint32_t latency;
    bool follows;    /* the memory runs while the SMs run */
    uint64_t cycle;  /* everything before has been simulated; within a window: its beginning */
    uint64_t closes; /* the window's end */
    uint64_t far;    /* no SM runs further */
    uint64_t come;   /* every SM that waits for no thread block has run up to here */
    uint64_t memory; /* the memory has been run up to here */
    uint64_t limit;  /* go no further */
    bool stops;      /* a hook has ended the run: the limit is the SMs' present cycle */
    uint64_t sample; /* cycle before which the next sample is taken, SMRF_NEVER: none */
    enum smrf_window_phase phase;
    /* What smrf_window_next() said. */
    uint64_t at, until, beside;
    uint32_t *run, num_run;
    int end; /* enum smrf_run_end or an error */
};

/* lookahead: cycles that the memory knows its answers ahead, 0 = none. follows: the engine can run
 * the memory while the SMs run. cfg stays where it is. Returns 0 or an error; smrf_window_free() in
 * any case. */
int smrf_window_init(struct smrf_window *w, const struct smrf_config *cfg,
                     const struct smrf_mechanism *mechanism, const struct smrf_gpu_hooks *hooks,
                     uint32_t lookahead, bool follows);
/* The SMs still live, the trace is open. */
void smrf_window_free(struct smrf_window *w);

/* As after init, with no trace loaded: the SMs' thread blocks go back to the trace, which is open
 * still. The engine resets its SMs and its memory after it. Returns what the mechanism says. */
int smrf_window_reset(struct smrf_window *w);

/* Replay this trace from here on. Returns 0 or an error: SMRF_ERR_STATE if a launch is running. */
int smrf_window_load(struct smrf_window *w, struct smrf_trace *trace);

/* Simulate up to, not including, cycle `limit`. */
void smrf_window_resume(struct smrf_window *w, uint64_t limit);

/* How far the SMs are to be run. With several threads to the window's end: SMs that are ahead leave
 * too few to be shared out in the windows after. */
static inline struct smrf_sm_reach smrf_window_reach(const struct smrf_window *w)
{
    const struct smrf_sm_reach reach = {w->until, w->far, w->follows ? 0 : w->latency};
    return reach;
}

/* What to do next; `come`: the first cycle that has not come yet, SMRF_NEVER where time waits for
 * the engine. After PAUSE: smrf_window_resume() first. */
enum smrf_window_step smrf_window_next(struct smrf_window *w, uint64_t come);

#ifdef __cplusplus
}
#endif

#endif
