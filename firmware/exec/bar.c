/* SPDX-License-Identifier: Apache-2.0 */
/* The barriers of a thread block: BAR.SYNC, .ARV, .RED and the reduction's result. Whether a
 * barrier is complete is for the block to say (run.c). */
#include "firmware/exec/bar.h"
#include "firmware/exec/flow.h"

#include <string.h>

static unsigned lowest_(uint32_t lanes)
{
    return (unsigned)__builtin_ctz(lanes);
}

/* A barrier's number or thread count: the same in all lanes that are there. */
static int same_in_all_(struct smrf_exec_warp *w, const struct smrf_exec_src *src, uint32_t mask,
                        const char *what, uint32_t *value)
{
    uint32_t scratch[SMRF_EXEC_LANES];
    const uint32_t *row = smrf_exec_u32(w, src, scratch);
    *value = row[lowest_(mask)];
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        if (row[lowest_(rest)] != *value) {
            return smrf_exec_fail(w, (int)lowest_(rest), SMRF_ERR_CHECK,
                                  "lanes of the warp name different %s: %u and %u", what, *value,
                                  row[lowest_(rest)]);
        }
    }
    return smrf_exec_done(w);
}

static int bar_arrive_(struct smrf_exec_flow *f, const struct smrf_exec_op *op, uint32_t mask,
                       uint32_t number, uint32_t threads)
{
    struct smrf_exec_warp *w = &f->warp;
    struct smrf_exec_block *block = w->block;
    struct smrf_exec_barrier *b = &block->barrier[number];
    bool in_use = (block->barriers_in_use >> number & 1) != 0;
    if (in_use && b->expected != threads) {
        return smrf_exec_fail(w, (int)lowest_(mask), SMRF_ERR_CHECK,
                              "barrier %u is waited for by %u threads here, by %u elsewhere "
                              "(0 = all)",
                              number, threads, b->expected);
    }
    b->expected = threads;
    block->barriers_in_use |= UINT32_C(1) << number;
    if (op->sub2 == SMRF_EXEC_BAR_ARV) {
        b->arrived += mask == w->live ? SMRF_EXEC_LANES : (uint32_t)__builtin_popcount(mask);
        smrf_exec_barrier_settle(block);
        return 0;
    }
    if (op->sub2 != SMRF_EXEC_BAR_SYNC) {
        b->count += (uint32_t)__builtin_popcount(mask & smrf_exec_pred(w, &op->psrc[0]));
        b->voters += (uint32_t)__builtin_popcount(mask);
        f->bar_mode = (uint8_t)op->sub2;
    }
    b->waiting += (uint32_t)__builtin_popcount(mask);
    smrf_exec_flow_park(f, mask, op->inst->address + SMRF_SASS_INST_BYTES);
    f->at_bar |= mask;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        f->bar_number[lowest_(rest)] = (uint8_t)number;
    }
    smrf_exec_barrier_settle(block);
    return 0;
}

static int bar_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint32_t number = 0, threads = 0;
    f->ip = op + 1;
    if (mask == 0) {
        return 0;
    }
    int rc = same_in_all_(w, &op->src[0], mask, "barriers", &number);
    if (rc == 0 && op->num_src > 1) {
        rc = same_in_all_(w, &op->src[1], mask, "thread counts", &threads);
    }
    if (rc < 0) {
        return rc;
    }
    if (number >= SMRF_EXEC_BARRIERS) {
        return smrf_exec_fail(w, (int)lowest_(mask), SMRF_ERR_LIMIT, "there is no barrier %u",
                              number);
    }
    if (op->num_src > 1 && (threads == 0 || threads % SMRF_EXEC_LANES != 0)) {
        return smrf_exec_fail(w, (int)lowest_(mask), SMRF_ERR_CHECK,
                              "%u threads at a barrier: not a multiple of the warp's 32", threads);
    }
    if (threads == 0 && op->sub2 == SMRF_EXEC_BAR_ARV) {
        threads = w->block->num_warps * SMRF_EXEC_LANES;
    }
    return bar_arrive_(f, op, mask, number, threads);
}

static int b2r_result_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint32_t row[SMRF_EXEC_LANES];
    bool truth = f->bar_mode == SMRF_EXEC_BAR_AND ? f->bar_all : f->bar_any;
    uint32_t value = f->bar_mode == SMRF_EXEC_BAR_POPC ? f->bar_count : truth;
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        row[i] = value;
    }
    smrf_exec_write(w, op->dst, mask, row);
    smrf_exec_write_pred(w, op->pdst, mask, truth ? SMRF_EXEC_ALL : 0);
    return 0;
}

void smrf_exec_bind_condition(struct smrf_exec_binding *b)
{
    unsigned kind = smrf_exec_bind_kind(b);
    if (kind == SMRF_SASS_PRED || kind == SMRF_SASS_UPRED) {
        smrf_exec_bind_psrc(b);
    } else {
        smrf_exec_bind_true(b);
    }
}

static void bind_bar_(struct smrf_exec_binding *b)
{
    static const char *const modes[] = {"SYNC", "ARV", "RED"};
    static const char *const reductions[] = {"POPC", "AND", "OR"};
    unsigned mode = smrf_exec_bind_one_of(b, modes, 3, 3);
    (void)smrf_exec_bind_has(b, "DEFER_BLOCKING");
    if (mode == 3) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    if (mode == 2) {
        mode = SMRF_EXEC_BAR_POPC + smrf_exec_bind_one_of(b, reductions, 3, 0);
    }
    b->op->fn = bar_;
    b->op->sub2 = mode;
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    unsigned kind = smrf_exec_bind_kind(b);
    if (kind == SMRF_SASS_REG || kind == SMRF_SASS_INT) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    smrf_exec_bind_condition(b);
}

static void bind_b2r_(struct smrf_exec_binding *b)
{
    b->op->control = SMRF_EXEC_PLAIN;
    b->op->fn = b2r_result_;
    if (!smrf_exec_bind_has(b, "RESULT")) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
}

bool smrf_exec_bind_bar(struct smrf_exec_binding *b)
{
    if (strcmp(b->inst->opcode, "BAR") == 0) {
        bind_bar_(b);
    } else if (strcmp(b->inst->opcode, "B2R") == 0) {
        bind_b2r_(b);
    } else {
        return false;
    }
    return true;
}
