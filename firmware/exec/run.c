/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a thread block, its warps in turns. */
#include "firmware/exec/runner.h"

#include "firmware/exec/claims.h"
#include "firmware/exec/lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Rounds in which all warps only yield, see smrf_exec_overtake_; one in which they wrote counts
 * as 1. */
#define PATIENCE (64U * IDLE_ROUND)
#define IDLE_ROUND 1024U

enum { TURN_OVER = 1 }; /* a warp's turn ended without an error */

static struct smrf_exec_runner *runner_of_(struct smrf_exec_block *block)
{
    return (struct smrf_exec_runner *)(void *)block;
}

struct smrf_exec_flow *smrf_exec_flows(struct smrf_exec_block *block)
{
    return runner_of_(block)->flow;
}

int smrf_exec_fail(struct smrf_exec_warp *warp, int lane, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(warp->block->text, sizeof warp->block->text, format, args);
    va_end(args);
    warp->error = warp->block->text;
    warp->error_lane = lane;
    return code;
}

/* ---- barriers ------------------------------------------------------------------------------ */

static uint32_t lanes_at_(const struct smrf_exec_flow *f, unsigned number)
{
    uint32_t lanes = 0;
    for (uint32_t rest = f->at_bar; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (f->bar_number[lane] == number) {
            lanes |= UINT32_C(1) << lane;
        }
    }
    return lanes;
}

static bool barrier_complete_(struct smrf_exec_runner *r, unsigned number)
{
    const struct smrf_exec_barrier *b = &r->block.barrier[number];
    if (b->expected == 0) {
        return b->waiting >= r->block.live_threads && b->waiting != 0;
    }
    uint32_t threads = b->arrived;
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        uint32_t lanes = lanes_at_(&r->flow[i], number);
        if (lanes != 0) {
            threads += lanes == r->flow[i].warp.live ? SMRF_EXEC_LANES
                                                     : (uint32_t)__builtin_popcount(lanes);
        }
    }
    return threads >= b->expected;
}

static void barrier_release_(struct smrf_exec_runner *r, unsigned number)
{
    struct smrf_exec_barrier *b = &r->block.barrier[number];
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        struct smrf_exec_flow *f = &r->flow[i];
        uint32_t lanes = f->at_bar == 0 ? 0 : lanes_at_(f, number);
        if (lanes == 0) {
            continue;
        }
        f->at_bar &= ~lanes;
        f->bar_count = b->count;
        f->bar_all = b->count == b->voters;
        f->bar_any = b->count != 0;
        smrf_exec_flow_wake(f, lanes);
    }
    *b = (struct smrf_exec_barrier){0};
    r->block.barriers_in_use &= ~(UINT32_C(1) << number);
}

void smrf_exec_barrier_settle(struct smrf_exec_block *block)
{
    struct smrf_exec_runner *r = runner_of_(block);
    for (uint32_t rest = block->barriers_in_use; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        if (barrier_complete_(r, number)) {
            barrier_release_(r, number);
        }
    }
}

/* ---- a warp's turn ------------------------------------------------------------------------- */

static uint32_t guard_mask_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                            uint32_t active)
{
    uint32_t lanes = op->guard_uniform ? 0U - (uint32_t)(w->up[op->guard] != 0) : w->p[op->guard];
    return active & (op->guard_inverted ? ~lanes : lanes);
}

/* Run a warp until it waits, ends or its turn is over. */
SMRF_EXEC_INLINE int turn_(struct smrf_exec_runner *r, struct smrf_exec_flow *f,
                           const struct smrf_exec_listener *ear)
{
    struct smrf_exec_warp *w = &f->warp;
    const uint64_t start = f->insts, clock = r->block.clock - start;
    const uint64_t end = start + r->turn < r->max_insts ? start + r->turn : r->max_insts;
    uint64_t insts = start, threads = 0;
    int rc = 0;
    if (f->active == 0 && !smrf_exec_flow_switch(f)) {
        return TURN_OVER;
    }
    f->preempt = false;
    /* Only control instructions change the active lanes and look at f->ip. */
    const struct smrf_exec_op *op = f->ip;
    uint32_t active = f->active;
    while (insts < end) {
        uint32_t mask = active;
        if (op->guard != 7 || op->guard_inverted) {
            mask = guard_mask_(w, op, active);
        }
        threads += smrf_exec_lane_count(mask);
        f->insts = ++insts;
        r->block.clock = clock + insts;
        r->current = op;
        if (ear != NULL && ear->before != NULL &&
            (rc = ear->before(ear->ctx, w, op, active, mask)) < 0) {
            break;
        }
        const unsigned control = op->control;
        if ((mask != 0 || control == SMRF_EXEC_CONTROL) && (rc = op->fn(w, op, mask)) < 0) {
            break;
        }
        if (ear != NULL && ear->after != NULL &&
            (rc = ear->after(ear->ctx, w, op, active, mask,
                             control == SMRF_EXEC_MEMORY ? r->block.address : NULL)) < 0) {
            break;
        }
        op++;
        if (control == SMRF_EXEC_CONTROL) {
            if ((f->active == 0 && !smrf_exec_flow_switch(f)) || f->preempt) {
                op = f->ip;
                break;
            }
            op = f->ip;
            active = f->active;
        }
    }
    f->ip = op;
    r->totals.warp_insts += f->insts - start;
    r->totals.thread_insts += threads;
    if (rc < 0) {
        return rc;
    }
    if (f->insts >= r->max_insts && w->live != 0) {
        w->fault = SMRF_FAULT_TIMEOUT;
        return smrf_exec_fail(
            w, -1, SMRF_ERR_LIMIT,
            "the warp has executed %" PRIu64
            " instructions: a runaway loop, or raise the limit (max_insts_per_warp, --runaway)",
            f->insts);
    }
    return TURN_OVER;
}

static int turn_plain_(struct smrf_exec_runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, NULL);
}

static int turn_heard_(struct smrf_exec_runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, r->listener);
}

SMRF_EXEC_WIDE static int turn_plain_wide_(struct smrf_exec_runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, NULL);
}

SMRF_EXEC_WIDE static int turn_heard_wide_(struct smrf_exec_runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, r->listener);
}

smrf_exec_turn *smrf_exec_turn_(bool heard)
{
    static smrf_exec_turn *const turn[2][2] = {{turn_plain_, turn_plain_wide_},
                                               {turn_heard_, turn_heard_wide_}};
    return turn[heard][smrf_exec_wide()];
}

/* ---- a block ------------------------------------------------------------------------------- */

static int barrier_deadlock_(struct smrf_exec_runner *r)
{
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        struct smrf_exec_flow *f = &r->flow[i];
        if (f->at_bar == 0) {
            continue;
        }
        unsigned lane = (unsigned)__builtin_ctz(f->at_bar), number = f->bar_number[lane];
        const struct smrf_exec_barrier *b = &r->block.barrier[number];
        const struct smrf_exec_op *at =
            smrf_exec_op_at(f->code, f->warp.pc[lane] - SMRF_SASS_INST_BYTES);
        if (at != NULL) {
            r->current = at;
        }
        f->warp.fault = SMRF_FAULT_TIMEOUT;
        return smrf_exec_fail(&f->warp, (int)lane, SMRF_ERR_CHECK,
                              "barrier deadlock: %u of %u threads have arrived at barrier %u and "
                              "no other thread can run",
                              b->waiting + b->arrived,
                              b->expected == 0 ? r->block.live_threads : b->expected, number);
    }
    return SMRF_ERR_CHECK;
}

/* Lanes that spin with YIELD may wait for lanes that wait for them in BSYNC, for example for the
 * holder of a lock. On Volta and later every lane makes progress (CUDA programming guide,
 * independent thread scheduling), so lanes that yield must let the others go on. Assumption: they
 * do so only if nothing else in the block moves, because a wait that ends by itself is no reason to
 * diverge. A loop that yields may also be at work: then it most likely writes to memory. */
void smrf_exec_overtake_(struct smrf_exec_runner *r)
{
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        r->totals.forced_syncs += smrf_exec_flow_overtake(&r->flow[i]);
    }
}

static bool stopped_(const struct smrf_exec_runner *r)
{
    const volatile sig_atomic_t *stop = r->block.launch->stop;
    return stop != NULL && *stop != 0;
}

bool smrf_exec_is_undone_(const struct smrf_exec_runner *r)
{
    return r->block.claims != NULL && smrf_claims_undone(r->block.claims);
}

int smrf_exec_round_(struct smrf_exec_runner *r)
{
    bool progress = false, moves = false;
    const uint32_t live = r->block.live_threads;
    const uint64_t writes = r->block.writes;
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        struct smrf_exec_flow *f = &r->flow[i];
        if (f->active == 0 && f->ready == 0) {
            /* Only lanes of its own could end a convergence wait, and none can run. */
            if (f->at_bar != 0 || !smrf_exec_flow_force(f)) {
                continue;
            }
            r->totals.forced_syncs++;
        }
        uint64_t start = f->insts;
        int rc = r->take_turn(r, f);
        if (smrf_exec_is_undone_(r)) {
            return SMRF_ERR_STATE;
        }
        if (rc >= 0 && stopped_(r)) {
            rc = smrf_exec_fail(&f->warp, -1, SMRF_ERR_STATE, "stopped by a signal");
        }
        if (rc < 0) {
            return rc;
        }
        progress = true;
        moves = moves || !f->preempt || f->insts - start >= SMRF_EXEC_TURN;
    }
    moves = moves || live != r->block.live_threads;
    for (uint32_t i = 0; i < r->block.num_warps && !progress; i++) {
        progress = smrf_exec_flow_force(&r->flow[i]);
        r->totals.forced_syncs += progress;
    }
    if (!progress) {
        return barrier_deadlock_(r);
    }
    return moves ? SMRF_EXEC_MOVES : r->block.writes != writes ? SMRF_EXEC_WRITES : SMRF_EXEC_IDLE;
}

bool smrf_exec_impatient_(struct smrf_exec_runner *r, int round)
{
    r->idle += round == SMRF_EXEC_WRITES ? 1 : IDLE_ROUND;
    r->idle = round == SMRF_EXEC_MOVES ? 0 : r->idle;
    if (r->idle < PATIENCE) {
        return false;
    }
    r->idle = 0;
    return true;
}

/* Registers start as zeros, as far as an instruction names them. */
static void clear_flow_(const struct smrf_exec_runner *r, struct smrf_exec_flow *f)
{
    memset(f->warp.r, 0, r->block.launch->code->rows * sizeof f->warp.r[0]);
    memset(f->warp.r[SMRF_EXEC_RZ], 0, sizeof f->warp.r[0]);
    memset((char *)f + sizeof f->warp.r, 0,
           offsetof(struct smrf_exec_flow, kept) - sizeof f->warp.r);
}

int smrf_exec_begin_(struct smrf_exec_runner *r, struct smrf_exec_dim id)
{
    struct smrf_exec_block *b = &r->block;
    const struct smrf_exec_listener *ear = r->listener;
    b->id = id;
    r->idle = 0;
    b->live_threads = b->num_threads;
    b->barriers_in_use = 0;
    memset(&b->watch, 0, sizeof b->watch);
    memset(b->barrier, 0, sizeof b->barrier);
    if (b->shared_bytes != 0) {
        memset(b->shared, 0, b->shared_bytes);
    }
    b->local_low = UINT32_MAX;
    b->local_high = 0;
    for (uint32_t i = 0; i < b->num_warps; i++) {
        uint32_t threads = b->num_threads - i * SMRF_EXEC_LANES;
        clear_flow_(r, &r->flow[i]);
        r->flow[i].code = b->launch->code;
        r->flow[i].warp.index = i;
        r->flow[i].warp.block = b;
        r->flow[i].warp.p[7] = SMRF_EXEC_ALL;
        r->flow[i].warp.up[7] = 1;
        smrf_exec_flow_start(&r->flow[i], r->entry,
                             threads >= SMRF_EXEC_LANES ? SMRF_EXEC_ALL
                                                        : (UINT32_C(1) << threads) - 1);
    }
    return ear != NULL && ear->block_begin != NULL ? ear->block_begin(ear->ctx, id, b->num_warps)
                                                   : 0;
}

int smrf_exec_end_(struct smrf_exec_runner *r)
{
    const struct smrf_exec_listener *ear = r->listener;
    r->totals.blocks++;
    r->totals.warps += r->block.num_warps;
    return ear != NULL && ear->block_end != NULL ? ear->block_end(ear->ctx) : 0;
}
