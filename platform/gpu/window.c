/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdlib.h>

static uint64_t first_sample_(const struct smrf_window *w)
{
    return w->hooks.sample_every ? w->hooks.sample_every + 1 : SMRF_NEVER;
}

int smrf_window_init(struct smrf_window *w, const struct smrf_config *cfg,
                     const struct smrf_mechanism *mechanism, const struct smrf_gpu_hooks *hooks,
                     uint32_t lookahead)
{
    uint32_t n = cfg->gpu.sms, ahead = lookahead ? lookahead : 1;
    *w = (struct smrf_window){
        .machine = {.cfg = cfg, .mechanism = mechanism, .gpu = &w->gpu},
        .quantum = cfg->sim.quantum < ahead ? cfg->sim.quantum : ahead,
        .phase = SMRF_WINDOW_OPENING,
    };
    if (hooks) {
        w->hooks = *hooks;
    }
    w->sample = first_sample_(w);
    w->machine.sm = calloc(n, sizeof(struct smrf_sm *));
    w->machine.mechanism_state = calloc(n, sizeof(void *));
    w->machine.simt = calloc(n, sizeof(struct smrf_simt_log *));
    w->run = calloc(n, sizeof *w->run);
    if (!w->machine.sm || !w->machine.mechanism_state || !w->machine.simt || !w->run) {
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
    free(w->run);
}

int smrf_window_reset(struct smrf_window *w)
{
    smrf_gpu_drop_blocks(&w->gpu);
    smrf_gpu_close(&w->gpu);
    w->gpu = (struct smrf_gpu){0};
    w->machine.cycle = w->cycle = w->limit = w->at = w->until = 0;
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
    int err = smrf_gpu_init(&w->gpu, w->machine.cfg, trace, w->machine.sm);
    w->gpu.annotator = w->hooks.annotator;
    w->gpu.mechanism = w->machine.mechanism;
    return err;
}

void smrf_window_resume(struct smrf_window *w, uint64_t limit)
{
    w->limit = limit;
}

/* --- pausing ---------------------------------------------------------------------------------- */

static enum smrf_window_step pause_(struct smrf_window *w, int how)
{
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

/* --- a window ----------------------------------------------------------------------------------- */

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

/* First cycle in which something can happen, as far as is known: an edge of the mechanism's, too. The
 * hook is to see a machine that waits for what does not come: it gets a window, in which nothing
 * happens, once the watchdog's time has passed. Without a hook such a machine passes no edges. */
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

static enum smrf_window_step open_(struct smrf_window *w, uint64_t come)
{
    if (!w->gpu.running) {
        return begin_kernel_(w);
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
    return SMRF_WINDOW_MEMORY;
}

/* The SMs that have something to do before the window's end. */
static bool list_ready_(struct smrf_window *w)
{
    w->num_run = 0;
    for (uint32_t i = 0; i < w->machine.cfg->gpu.sms; i++) {
        const struct smrf_sm *sm = w->machine.sm[i];
        if (smrf_sm_next(sm) < w->until && !smrf_sm_wants_block(sm)) {
            w->run[w->num_run++] = i;
        }
    }
    return w->num_run > 0;
}

static int sm_error_(struct smrf_window *w)
{
    for (uint32_t i = 0; i < w->machine.cfg->gpu.sms; i++) {
        int err = smrf_sm_error(w->machine.sm[i]);
        if (err) {
            smrf_gpu_refused(&w->gpu, smrf_sm_refusal(w->machine.sm[i]));
            return err;
        }
    }
    return SMRF_OK;
}

/* SMs that sleep come up to the edge as well, before the mechanism's part of the GPU speaks and before
 * samples are taken. */
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

static bool begin_(struct smrf_window *w, int *err)
{
    *err = pass_edges_(w);
    w->until = w->limit - w->cycle > w->quantum ? w->cycle + w->quantum : w->limit;
    w->until = bound_(w, w->until);
    w->phase = SMRF_WINDOW_SERVING;
    return list_ready_(w);
}

/* True: SMs are to be run. Those that stopped for a thread block are served in order of time; once
 * there is none, those go on that stopped when the last blocks ran out. */
static bool serve_(struct smrf_window *w, int *err)
{
    int served = smrf_gpu_serve(&w->gpu);
    if (served == SMRF_GPU_ERROR) {
        *err = w->gpu.error;
        return false;
    }
    if (served >= 0) {
        w->run[0] = (uint32_t)served;
        w->num_run = 1;
        return true;
    }
    w->phase = SMRF_WINDOW_CLOSING;
    return list_ready_(w);
}

static enum smrf_window_step close_(struct smrf_window *w)
{
    if (smrf_gpu_kernel_done(&w->gpu) && smrf_gpu_next_start(&w->gpu) < w->until) {
        w->until = smrf_gpu_next_start(&w->gpu);
    }
    w->at = w->until;
    w->phase = SMRF_WINDOW_CLOSED;
    return SMRF_WINDOW_MEMORY;
}

/* Idle SMs catch up with the launch's end, so that their counters of time do. */
static int end_kernel_(struct smrf_window *w)
{
    int err = smrf_gpu_catch_up(&w->gpu, w->gpu.kernel.end + 1);
    if (!err) {
        smrf_interval_kernel_end(&w->interval, &w->gpu, w->cycle);
    }
    if (!err && w->hooks.kernel_end) {
        w->hooks.kernel_end(w->hooks.ctx, &w->gpu.kernel);
    }
    return err;
}

static enum smrf_window_step rest_(struct smrf_window *w)
{
    w->cycle = w->at = w->machine.cycle = w->until;
    w->phase = SMRF_WINDOW_RESTING;
    int err = w->gpu.running ? SMRF_OK : end_kernel_(w);
    if (err) {
        return pause_(w, err);
    }
    if (w->hooks.window && !w->hooks.window(w->hooks.ctx, &w->machine)) {
        return cut_off_(w, w->cycle, SMRF_RUN_STOPPED);
    }
    return SMRF_WINDOW_SLEEP;
}

enum smrf_window_step smrf_window_next(struct smrf_window *w, uint64_t come)
{
    int err = SMRF_OK;
    switch (w->phase) {
    case SMRF_WINDOW_RESTING:
        if (w->cycle >= come) {
            w->at = w->cycle;
            return SMRF_WINDOW_SLEEP;
        }
        w->phase = SMRF_WINDOW_OPENING;
        return open_(w, come);
    case SMRF_WINDOW_OPENING:
        return open_(w, come);
    case SMRF_WINDOW_OPEN:
        if (begin_(w, &err)) {
            return SMRF_WINDOW_RUN;
        }
        break;
    case SMRF_WINDOW_SERVING:
    case SMRF_WINDOW_CLOSING:
        err = sm_error_(w);
        break;
    case SMRF_WINDOW_CLOSED:
        return rest_(w);
    }
    if (!err && w->phase == SMRF_WINDOW_SERVING && serve_(w, &err)) {
        return SMRF_WINDOW_RUN;
    }
    return err ? pause_(w, err) : close_(w);
}
