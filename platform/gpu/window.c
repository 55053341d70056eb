/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include "models/estimate/piece.h"
#include "platform/gpu/ahead.h"

#include <stdlib.h>

static uint64_t first_sample_(const struct smrf_window *w)
{
    return w->hooks.sample_every ? w->hooks.sample_every + 1 : SMRF_NEVER;
}

int smrf_window_init(struct smrf_window *w, const struct smrf_config *cfg,
                     const struct smrf_mechanism *mechanism, const struct smrf_gpu_hooks *hooks,
                     uint32_t lookahead, bool follows)
{
    const bool halves = follows && lookahead > 1;
    uint32_t n = cfg->gpu.sms, ahead = halves ? lookahead / 2 : lookahead ? lookahead : 1;
    *w = (struct smrf_window){
        .machine = {.cfg = cfg, .mechanism = mechanism, .gpu = &w->gpu},
        .quantum = cfg->sim.quantum < ahead ? cfg->sim.quantum : ahead,
        .follows = halves,
        .phase = SMRF_WINDOW_OPENING,
        .reserve = {.built = n},
    };
    if (hooks) {
        w->hooks = *hooks;
    }
    w->sample = first_sample_(w);
    w->machine.sm = calloc(n, sizeof(struct smrf_sm *));
    w->machine.mechanism_state = calloc(n, sizeof(void *));
    w->machine.simt = calloc(n, sizeof(struct smrf_simt_log *));
    w->machine.bus = calloc(n, sizeof(struct smrf_bus_stats *));
    w->run = calloc(n, sizeof *w->run);
    const bool estimates = cfg->sim.view == SMRF_VIEW_SCOREBOARD;
    w->pieces = estimates ? aligned_alloc(_Alignof(struct smrf_pieces), sizeof *w->pieces) : NULL;
    w->feed = aligned_alloc(_Alignof(struct smrf_gpu_feed), n * sizeof *w->feed);
    if (!w->feed || !w->machine.sm || !w->machine.mechanism_state || !w->machine.simt ||
        !w->machine.bus || !w->run || (estimates && !w->pieces)) {
        return SMRF_ERR_NOMEM;
    }
    int err =
        smrf_interval_init(&w->interval, cfg, mechanism, w->machine.sm, w->machine.mechanism_state);
    w->interval.row = w->hooks.interval;
    w->interval.row_ctx = w->hooks.ctx;
    w->machine.mechanism_gpu = w->interval.gpu_state;
    return err;
}

void smrf_window_free(struct smrf_window *w)
{
    smrf_gpu_drop_blocks(&w->gpu);
    smrf_gpu_close(&w->gpu);
    smrf_interval_free(&w->interval);
    free(w->machine.sm);
    free(w->machine.mechanism_state);
    free(w->machine.simt);
    free(w->machine.bus);
    free(w->run);
    free(w->pieces);
    free(w->feed);
}

int smrf_window_reset(struct smrf_window *w)
{
    smrf_gpu_drop_blocks(&w->gpu);
    smrf_gpu_close(&w->gpu);
    w->gpu = (struct smrf_gpu){0};
    w->reserve.launches = 0;
    w->machine.cycle = w->cycle = w->limit = w->at = w->until = w->closes = w->memory = 0;
    w->num_run = 0;
    w->sample = first_sample_(w);
    w->phase = SMRF_WINDOW_OPENING;
    return smrf_interval_reset(&w->interval);
}

int smrf_window_load(struct smrf_window *w, struct smrf_trace *trace)
{
    if (w->gpu.running) {
        return SMRF_ERR_STATE;
    }
    smrf_gpu_close(&w->gpu);
    int err = smrf_gpu_init(&w->gpu, w->machine.cfg, trace, w->machine.sm, w->feed);
    w->gpu.annotator = w->hooks.annotator;
    w->gpu.reserve = &w->reserve;
    w->gpu.pieces = w->pieces;
    w->gpu.mechanism = w->machine.mechanism;
    smrf_gpu_ahead_init(&w->gpu, w->crew);
    return err;
}

void smrf_window_resume(struct smrf_window *w, uint64_t limit)
{
    w->limit = limit;
    w->stops = false;
}

/* --- pausing ---------------------------------------------------------------------------------- */

static enum smrf_window_step pause_(struct smrf_window *w, int how)
{
    smrf_gpu_ahead_end(&w->gpu);
    w->end = how;
    w->phase = SMRF_WINDOW_OPENING;
    return SMRF_WINDOW_PAUSE;
}

/* The run ends at `cycle` for now, in the middle of a launch. */
static enum smrf_window_step cut_off_(struct smrf_window *w, uint64_t cycle, int how)
{
    int err = smrf_gpu_catch_up(&w->gpu, cycle);
    w->machine.cycle = cycle > w->machine.cycle ? cycle : w->machine.cycle;
    return pause_(w, err ? err : how);
}

/* --- a window --------------------------------------------------------------------------------- */

static enum smrf_window_step begin_kernel_(struct smrf_window *w)
{
    int got = smrf_gpu_next_kernel(&w->gpu, w->cycle);
    if (got <= 0) {
        return pause_(w, got < 0 ? got : SMRF_RUN_FINISHED);
    }
    if (w->cycle > 0) {
        (void)smrf_interval_pass(&w->interval,
                                 w->cycle - 1); /* time that passed between launches */
    }
    smrf_interval_kernel_begin(&w->interval, &w->gpu, w->cycle);
    smrf_gpu_begin_kernel(&w->gpu);
    w->cycle = w->gpu.kernel.start;
    if (w->hooks.kernel_begin) {
        w->hooks.kernel_begin(w->hooks.ctx, &w->gpu.kernel);
    }
    return SMRF_WINDOW_KERNEL;
}

/* A window ends at the next edge of the mechanism's and at the next sample. */
static uint64_t bound_(const struct smrf_window *w, uint64_t until)
{
    until = smrf_interval_bound(&w->interval, until);
    return until < w->sample ? until : w->sample;
}

/* The first cycle in which something may happen, an edge of the mechanism included. A hook must see
 * a machine that waits in vain. So once the watchdog's time has passed, such a machine gets a
 * window in which nothing happens. Without a hook it passes no edges. */
static uint64_t next_event_(const struct smrf_window *w)
{
    uint64_t next = smrf_gpu_next_event(&w->gpu);
    uint64_t memory = w->memory_next ? w->memory_next(w->memory_ctx) : SMRF_NEVER;
    uint64_t watch = w->cycle + w->machine.cfg->sim.watchdog + 1;
    next = memory < next ? memory : next;
    if (w->hooks.window && (!w->memory_next || next == SMRF_NEVER) && watch < next) {
        next = watch;
    }
    if (w->hooks.window || next != SMRF_NEVER) {
        next = bound_(w, next);
    }
    next = w->limit < next ? w->limit : next;
    return next > w->cycle ? next : w->cycle;
}

static enum smrf_window_step bring_up_(struct smrf_window *w, uint64_t cycle)
{
    w->at = w->memory = cycle;
    return SMRF_WINDOW_MEMORY;
}

static bool lags_(const struct smrf_window *w)
{
    return w->follows && w->memory < w->cycle;
}

/* The SMs that have something to do before the window's end. */
static bool list_ready_(struct smrf_window *w)
{
    w->num_run = 0;
    for (uint32_t i = 0; i < w->reserve.built; i++) {
        const struct smrf_sm *sm = w->machine.sm[i];
        if (smrf_sm_next(sm) < w->until && !smrf_sm_wants_block(sm)) {
            w->run[w->num_run++] = i;
        }
    }
    return w->num_run > 0;
}

/* Sleeping SMs are brought up to the edge as well, before the mechanism's GPU part is called and
 * before samples are taken. */
static int pass_edges_(struct smrf_window *w)
{
    if (bound_(w, SMRF_NEVER) > w->cycle) {
        return SMRF_OK;
    }
    int err = smrf_gpu_catch_up(&w->gpu, w->cycle);
    for (; !err && w->sample <= w->cycle; w->sample += w->hooks.sample_every) {
        w->hooks.sample(w->hooks.ctx, &w->machine, w->sample - 1);
    }
    if (!err && smrf_interval_pass(&w->interval, w->cycle) && w->machine.mechanism->allotment) {
        smrf_gpu_look_for_room(&w->gpu);
    }
    return err;
}

/* The memory follows up to the window's end, or has just followed up to its beginning. */
static enum smrf_window_step close_(struct smrf_window *w)
{
    const bool done = smrf_gpu_kernel_done(&w->gpu);
    w->closes = done ? smrf_gpu_next_start(&w->gpu) : w->closes;
    w->phase = SMRF_WINDOW_CLOSED;
    return bring_up_(w, w->follows && !done && w->memory == w->cycle ? w->cycle : w->closes);
}

/* The listed SMs run; beside them the memory, if it lags, and the trace's reader. */
static enum smrf_window_step run_(struct smrf_window *w)
{
    smrf_gpu_ahead_begin(&w->gpu);
    w->beside = lags_(w) ? w->cycle : 0;
    w->memory = w->beside ? w->beside : w->memory;
    return SMRF_WINDOW_RUN;
}

/* SMs run to the window's end. Those that stopped for a thread block are served in order of time:
 * when one's turn comes, the others have been through its cycle, so that none of them can stop
 * earlier. */
static enum smrf_window_step serve_(struct smrf_window *w)
{
    int err = smrf_gpu_settle(&w->gpu);
    while (!err) {
        const uint64_t waiting = smrf_gpu_waiting(&w->gpu);
        w->until = waiting < w->closes ? waiting + 1 : w->closes;
        if (w->until > w->come) {
            w->come = w->until;
            if (list_ready_(w)) {
                return run_(w);
            }
        }
        if (waiting >= w->closes) {
            return close_(w);
        }
        err = smrf_gpu_serve(&w->gpu) == SMRF_GPU_ERROR ? w->gpu.error : SMRF_OK;
        w->come = waiting < w->come ? waiting : w->come;
    }
    return pause_(w, err);
}

static uint64_t known_(const struct smrf_window *w)
{
    return w->memory_known ? w->memory_known(w->memory_ctx, w->cycle) : SMRF_NEVER;
}

static uint64_t window_end_(const struct smrf_window *w, uint32_t length)
{
    return bound_(w, w->limit - w->cycle > length ? w->cycle + length : w->limit);
}

static enum smrf_window_step begin_(struct smrf_window *w)
{
    int err = pass_edges_(w);
    w->closes = window_end_(w, w->quantum);
    w->far = window_end_(w, w->machine.cfg->sim.quantum);
    const uint64_t known = known_(w);
    if (known < w->closes) {
        w->closes = known > w->cycle ? known : w->cycle + 1;
    }
    w->come = w->cycle;
    w->phase = SMRF_WINDOW_SERVING;
    return err ? pause_(w, err) : serve_(w);
}

/* Must the memory catch up now? It must if its state is asked for, if it alone has work, or if it
 * is more than a window behind or too far to tell which requests it takes in a window. */
static bool asked_(const struct smrf_window *w)
{
    return w->cycle >= w->limit || w->cycle - w->memory > w->quantum ||
           bound_(w, SMRF_NEVER) <= w->cycle || smrf_gpu_next_event(&w->gpu) > w->cycle ||
           known_(w) < w->cycle + w->quantum;
}

static enum smrf_window_step open_(struct smrf_window *w, uint64_t come)
{
    if (!w->gpu.running) {
        return begin_kernel_(w);
    }
    if (lags_(w) && w->cycle < come) {
        return asked_(w) ? bring_up_(w, w->cycle) : begin_(w);
    }
    if (w->cycle >= w->limit) {
        return cut_off_(w, w->limit, SMRF_RUN_LIMIT);
    }
    w->at = next_event_(w);
    if (w->at >= come) {
        return SMRF_WINDOW_SLEEP;
    }
    w->cycle = w->at;
    w->phase = SMRF_WINDOW_OPEN;
    return bring_up_(w, w->cycle);
}

/* Idle SMs catch up with the launch's end, so that their counters of time do. */
static int end_kernel_(struct smrf_window *w)
{
    int err = smrf_gpu_catch_up(&w->gpu, w->gpu.kernel.end + 1);
    if (!err) {
        smrf_sm_settle(w->gpu.sm, w->reserve.built);
        smrf_interval_kernel_end(&w->interval, &w->gpu, w->cycle);
    }
    if (!err && w->hooks.kernel_end) {
        w->hooks.kernel_end(w->hooks.ctx, &w->gpu.kernel);
    }
    return err;
}

/* Where a run can end: an SM has been simulated so far. */
static uint64_t furthest_(const struct smrf_window *w)
{
    uint64_t cycle = w->cycle;
    for (uint32_t i = 0; i < w->reserve.built; i++) {
        const uint64_t at = smrf_sm_cycle(w->machine.sm[i]);
        cycle = at > cycle ? at : cycle;
    }
    return cycle;
}

static enum smrf_window_step rest_(struct smrf_window *w)
{
    w->cycle = w->at = w->machine.cycle = w->closes;
    w->phase = SMRF_WINDOW_RESTING;
    int err = w->gpu.running ? SMRF_OK : end_kernel_(w);
    if (err) {
        return pause_(w, err);
    }
    if (w->hooks.window && !w->stops && !w->hooks.window(w->hooks.ctx, &w->machine)) {
        w->stops = true;
        w->limit = furthest_(w);
    }
    if (w->stops && (w->cycle >= w->limit || !w->gpu.running)) {
        w->phase = SMRF_WINDOW_STOPPING;
        return bring_up_(w, w->cycle);
    }
    return SMRF_WINDOW_SLEEP;
}

enum smrf_window_step smrf_window_next(struct smrf_window *w, uint64_t come)
{
    switch (w->phase) {
    case SMRF_WINDOW_RESTING:
        if (w->cycle >= come) {
            w->at = w->cycle;
            return SMRF_WINDOW_SLEEP;
        }
        w->phase = SMRF_WINDOW_OPENING;
        break;
    case SMRF_WINDOW_OPENING:
        break;
    case SMRF_WINDOW_OPEN:
        return begin_(w);
    case SMRF_WINDOW_SERVING:
        return serve_(w);
    case SMRF_WINDOW_CLOSED:
        return rest_(w);
    case SMRF_WINDOW_STOPPING:
        return cut_off_(w, w->cycle, SMRF_RUN_STOPPED);
    }
    return open_(w, come);
}
