/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the instructions of blocks. Blocks on several threads have a record each, so that they
 * need no lock: what they share is only touched in block_end, which comes in the order of blocks.
 */
#include "capture_internal.h"

#include "firmware/exec/operands.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET ((size_t)64 * 1024 * 1024)

static uint64_t linear_(const struct smrf_capture *c, struct smrf_exec_dim id)
{
    const struct smrf_exec_dim grid = c->launch->grid;
    return ((uint64_t)id.z * grid.y + id.y) * grid.x + id.x;
}

/* Of a block's instructions in memory: blocks that run together share it. */
static size_t budget_(const struct smrf_capture *c)
{
    const struct smrf_exec_dim g = c->launch->grid;
    const size_t all = c->options.memory_budget != 0 ? c->options.memory_budget : DEFAULT_BUDGET;
    return c->launch->together ? all / ((size_t)g.x * g.y * g.z) : all;
}

static int block_begin_(void *ctx, struct smrf_exec_dim id, uint32_t warps)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    const uint64_t linear = linear_(c, id);
    struct smrf_stream_block *b = smrf_stream_open(&t->begun, linear, true);
    t->open = b;
    if (b == NULL) {
        return smrf_capture_fail(c, SMRF_ERR_NOMEM, "out of memory");
    }
    b->at = id;
    b->stream.budget = budget_(c);
    b->wanted = c->writer != NULL && smrf_capture_ranges_has(&c->options.blocks, linear) &&
                (c->options.max_insts == 0 || c->launch_written < c->options.max_insts);
    const int rc = b->wanted ? smrf_stream_begin(&b->stream, warps) : 0;
    return rc != 0 ? smrf_capture_fail(c, rc, "out of memory") : 0;
}

static void block_resume_(void *ctx, struct smrf_exec_dim id)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    t->open = smrf_stream_open(&t->begun, linear_(c, id), false);
}

static int before_(void *ctx, const struct smrf_exec_warp *warp, const struct smrf_exec_op *op,
                   uint32_t active, uint32_t mask)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    (void)active;
    if (!t->open->wanted || mask == 0) {
        return 0;
    }
    const struct smrf_capture_op *o = c->code->op[op - c->launch->code->op];
    for (unsigned i = 0; i < o->num_src; i++) {
        memcpy(t->src_values[i], warp->r[o->src[i]], sizeof t->src_values[i]);
    }
    return 0;
}

/* The active lanes' addresses; returns the flag that says how they are kept. */
static unsigned put_addresses_(uint8_t **p, uint32_t mask, const uint64_t *lane)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t base = lane[first], last = base, stride = 0;
    uint32_t rest = mask & (mask - 1);
    if (rest != 0) {
        stride = lane[__builtin_ctz(rest)] - base;
    }
    bool constant = true;
    for (uint32_t m = rest; m != 0; m &= m - 1) {
        uint64_t a = lane[__builtin_ctz(m)];
        constant &= a - last == stride;
        last = a;
    }
    if (constant) {
        memcpy(*p, &base, 8);
        memcpy(*p + 8, &stride, 8);
        *p += 16;
        return SMRF_STREAM_STRIDE;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1, *p += 8) {
        memcpy(*p, &lane[__builtin_ctz(m)], 8);
    }
    return SMRF_STREAM_LIST;
}

static uint8_t *put_row_(uint8_t *p, uint32_t mask, const uint32_t *row)
{
    if (mask == SMRF_EXEC_ALL) {
        memcpy(p, row, SMRF_LANES * 4);
        return p + (size_t)SMRF_LANES * 4;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1, p += 4) {
        memcpy(p, &row[__builtin_ctz(m)], 4);
    }
    return p;
}

/* What a thread has counted goes to the launch's counts, or (undone) is forgotten. */
static void settle_counts_(struct smrf_capture_thread *t, bool undone)
{
    for (uint32_t i = 0; i < t->num_counted; i++) {
        struct smrf_capture_tally *from = &t->tally[t->counted[i]];
        struct smrf_capture_tally *to = &t->capture->code->tally[t->counted[i]];
        to->count += undone ? 0 : from->count;
        to->threads += undone ? 0 : from->threads;
        *from = (struct smrf_capture_tally){0};
    }
    t->num_counted = 0;
    t->capture->executed += undone ? 0 : t->executed;
    t->executed = 0;
}

/* Every executed instruction is counted, whether it is written or not. */
static inline int count_(struct smrf_capture_thread *t, uint32_t index, uint32_t mask)
{
    struct smrf_capture_tally *tally = &t->tally[index];
    if (tally->count++ == 0) {
        t->counted[t->num_counted++] = index;
    }
    tally->threads += smrf_exec_lane_count(mask);
    return (++t->executed & 0xfffffu) == 0 && smrf_capture_stopped(t->capture) != 0
               ? (int)SMRF_ERR_STATE
               : 0;
}

static int only_count_(void *ctx, const struct smrf_exec_warp *warp, const struct smrf_exec_op *op,
                       uint32_t active, uint32_t mask, const uint64_t *address)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    (void)warp;
    (void)active;
    (void)address;
    return count_(t, (uint32_t)(op - c->launch->code->op), mask);
}

static int after_(void *ctx, const struct smrf_exec_warp *warp, const struct smrf_exec_op *op,
                  uint32_t active, uint32_t mask, const uint64_t *address)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    const uint32_t index = (uint32_t)(op - c->launch->code->op);
    const struct smrf_capture_op *o = c->code->op[index];
    (void)active;
    if (count_(t, index, mask) != 0) {
        return SMRF_ERR_STATE;
    }
    if (!t->open->wanted || !smrf_capture_ranges_has(&c->options.warps, warp->index)) {
        return 0;
    }
    struct smrf_stream_warp *w = &t->open->stream.warp[warp->index];
    int rc = smrf_stream_reserve(&t->open->stream, w);
    if (rc != 0) {
        return smrf_capture_fail(c, rc,
                                 rc == SMRF_ERR_NOMEM ? "out of memory"
                                                      : "cannot write the temporary file (TMPDIR)");
    }
    if (o->ends) {
        mask &= smrf_exec_pred(warp, &op->psrc[0]); /* EXIT P1: the lanes that do end */
    }
    uint8_t *head = w->p, *p = head + 4;
    unsigned flags = 0;
    if (mask != w->mask) {
        flags = SMRF_STREAM_MASK;
        memcpy(p, &mask, 4);
        p += 4;
        w->mask = mask;
    }
    if (mask != 0 && o->memory && address != NULL) {
        flags |= put_addresses_(&p, mask, address);
    }
    if (mask != 0 && c->options.values) {
        flags |= SMRF_STREAM_VALUES;
        for (unsigned i = 0; i < o->num_dst; i++) {
            p = put_row_(p, mask, warp->r[o->dst[i]]);
        }
        for (unsigned i = 0; i < o->num_src; i++) {
            p = put_row_(p, mask, t->src_values[i]);
        }
    }
    uint32_t word = index << 8 | flags;
    memcpy(head, &word, 4);
    w->p = p;
    w->insts++;
    return 0;
}

/* Waits for nobody: the executor calls it in order. */
static int block_end_(void *ctx)
{
    struct smrf_capture_thread *t = ctx;
    struct smrf_capture *c = t->capture;
    const struct smrf_exec_dim grid = c->launch->grid;
    settle_counts_(t, false);
    int rc = t->open->wanted ? smrf_capture_write_block(c, t->open) : 0;
    t->open->open = false;
    c->blocks++;
    if (rc != 0) {
        return rc;
    }
    if (c->options.progress != NULL) {
        const struct smrf_capture_progress progress = {
            .kernel = c->launch->entry->name,
            .launch = c->totals.launches,
            .blocks = c->blocks,
            .blocks_total = (uint64_t)grid.x * grid.y * grid.z,
            .warp_insts = c->executed,
        };
        c->options.progress(c->options.progress_ctx, &progress);
    }
    return smrf_capture_stopped(c);
}

static void block_undone_(void *ctx)
{
    struct smrf_capture_thread *t = ctx;
    settle_counts_(t, true);
    t->open->open = false;
}

/* ---- threads ------------------------------------------------------------------------------------
 */

/* Counts are of every instruction of the module. */
static int make_room_(struct smrf_capture_thread *t)
{
    const uint32_t insts = t->capture->launch->code->module->num_insts;
    if (insts <= t->room) {
        return 0;
    }
    free(t->tally);
    free(t->counted);
    t->tally = calloc(insts, sizeof *t->tally);
    t->counted = calloc(insts, sizeof *t->counted);
    t->room = t->tally != NULL && t->counted != NULL ? insts : 0;
    return t->room != 0 ? 0 : smrf_capture_fail(t->capture, SMRF_ERR_NOMEM, "out of memory");
}

/* What a launch may write depends on what it has written before where that is limited. */
static const struct smrf_exec_listener *on_thread_(void *ctx, unsigned thread)
{
    struct smrf_capture_thread *first = ctx;
    struct smrf_capture *c = first->capture;
    struct smrf_capture_thread *t = &c->thread[1 + thread];
    if (c->options.max_insts != 0) {
        return NULL;
    }
    if (t->capture == NULL) {
        t->listener = smrf_capture_thread_open(c, 1 + thread);
    }
    return make_room_(t) == 0 ? &t->listener : NULL;
}

struct smrf_exec_listener smrf_capture_thread_open(struct smrf_capture *c, unsigned n)
{
    const bool writes = c->options.dir != NULL || c->options.feed != NULL;
    c->thread[n].capture = c;
    return (struct smrf_exec_listener){.ctx = &c->thread[n],
                                       .block_begin = block_begin_,
                                       .block_resume = block_resume_,
                                       .before = c->options.values && writes ? before_ : NULL,
                                       .after = writes ? after_ : only_count_,
                                       .block_end = block_end_,
                                       .block_undone = block_undone_,
                                       .on_thread = on_thread_};
}

int smrf_capture_threads_begin(struct smrf_capture *c)
{
    for (unsigned i = 0; i < sizeof c->thread / sizeof *c->thread; i++) {
        for (struct smrf_stream_block *b = c->thread[i].begun; b != NULL; b = b->next) {
            b->open = false;
        }
    }
    return make_room_(&c->thread[0]);
}

void smrf_capture_threads_end(struct smrf_capture *c)
{
    for (unsigned i = 0; i < sizeof c->thread / sizeof *c->thread; i++) {
        if (c->thread[i].capture != NULL) {
            settle_counts_(&c->thread[i], false);
        }
    }
}

void smrf_capture_threads_close(struct smrf_capture *c)
{
    for (unsigned i = 0; i < sizeof c->thread / sizeof *c->thread; i++) {
        smrf_stream_blocks_free(c->thread[i].begun);
        free(c->thread[i].tally);
        free(c->thread[i].counted);
    }
}
