/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction buffers and their filling. */
#include "frontend_internal.h"

#include "models/common/smrf_apart.h"

static const struct smrf_inst *head_of_(const struct smrf_frontend *fe, unsigned warp)
{
    return fe->warp[warp].buffer[fe->warp[warp].head];
}

/* The cycle from which an instruction of a warp is there. */
static uint64_t fetch_(const struct smrf_frontend *fe, unsigned warp, const struct smrf_inst *inst,
                       uint64_t cycle)
{
    const struct smrf_code_port *code = &fe->links.code;
    return code->fetch(code->ctx, warp % fe->cfg.sm.subcores, inst->op->pc, cycle);
}

/* The instructions just fetched, after the first `from` of the buffer, may still be on their way to
 * the instruction cache. */
static void wait_for_icache_(struct smrf_frontend *fe, unsigned warp, unsigned from, uint64_t cycle)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    uint64_t ready = cycle;
    for (unsigned i = from; i < w->count; i++) {
        const struct smrf_inst *inst = w->buffer[(w->head + i) % SMRF_IBUFFER];
        uint64_t at = fetch_(fe, warp, inst, cycle);
        ready = at > ready ? at : ready;
    }
    if (ready > cycle) {
        fe->links.wires.hold(fe->links.wires.ctx, warp, ready);
    }
}

/* A warp's next instruction may still be on its way. */
static void wait_for_head_(const struct smrf_frontend *fe, unsigned warp)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    if (w->count && w->ready[w->head]) {
        fe->links.wires.refill(fe->links.wires.ctx, warp, w->ready[w->head]);
    }
}

/* The instructions just fetched, after the first `from` of the buffer, come from the cache of their
 * sub-core, in order. */
static SMRF_APART void look_up_l0_(struct smrf_frontend *fe, unsigned warp, unsigned from,
                                   uint64_t cycle)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    uint64_t ready = from ? w->ready[(w->head + from - 1) % SMRF_IBUFFER] : 0;
    ready = ready > cycle ? ready : cycle;
    for (unsigned i = from; i < w->count; i++) {
        const unsigned slot = (w->head + i) % SMRF_IBUFFER;
        const uint64_t at = fetch_(fe, warp, w->buffer[slot], cycle);
        ready = at > ready ? at : ready;
        w->ready[slot] = ready > cycle ? ready : 0;
    }
    if (!from) {
        wait_for_head_(fe, warp);
    }
}

/* The same, from the sub-core's cache or the SM's. */
static inline void look_up_(struct smrf_frontend *fe, unsigned warp, unsigned from, uint64_t cycle)
{
    if (fe->cfg.frontend.l0_bytes) {
        look_up_l0_(fe, warp, from, cycle);
    } else if (fe->cfg.frontend.icache_bytes) {
        wait_for_icache_(fe, warp, from, cycle);
    }
}

static SMRF_APART void fail_(struct smrf_frontend *fe, int got)
{
    fe->error = fe->error ? fe->error : got < 0 ? got : SMRF_ERR_CORRUPT;
}

/* Those are read for this execution, into the room. */
static SMRF_APART void keep_values_(struct smrf_frontend *fe, unsigned warp, unsigned at)
{
    struct smrf_inst *room = &fe->room[warp][at];
    fe->values[warp][at] = *room->values;
    room->values = &fe->values[warp][at];
}

/* As many of the next instructions as come at once, of so many, to a place of the buffer and its
 * room. */
static inline int read_(struct smrf_frontend *fe, unsigned warp, unsigned at, unsigned wanted)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    const struct smrf_inst_source *source = &fe->links.source;
    const unsigned behind = SMRF_IBUFFER - at;
    return source->next(source->ctx, w->block, w->index, wanted < behind ? wanted : behind,
                        &fe->room[warp][at], &w->buffer[at], &w->ahead);
}

/* Behind n of the wanted, those that have been fetched ahead. Returns how many there are then. */
static inline unsigned take_ahead_(struct smrf_frontend *fe, unsigned warp, unsigned n,
                                   unsigned wanted)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    for (; n < wanted && w->ahead.left; n++) {
        w->buffer[(w->head + w->count + n) % SMRF_IBUFFER] = smrf_inst_run_take(&w->ahead);
    }
    return n;
}

/* Behind n of the wanted, what a read has brought, less than the rest or with values, and then the
 * rest of them. Returns how many there were. */
static SMRF_APART unsigned fill_on_(struct smrf_frontend *fe, unsigned warp, unsigned n,
                                    unsigned at, int got, unsigned wanted)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    for (;;) {
        if (got <= 0) {
            fail_(fe, got);
            return n;
        }
        n += (unsigned)got;
        if (w->buffer[at + (unsigned)got - 1]->values) {
            keep_values_(fe, warp, at + (unsigned)got - 1);
        }
        n = take_ahead_(fe, warp, n, wanted);
        if (n == wanted) {
            return n;
        }
        at = (w->head + w->count + n) % SMRF_IBUFFER;
        got = read_(fe, warp, at, wanted - n);
    }
}

/* So many instructions, at least one, behind those that the buffer of a warp holds. Returns how
 * many there were. */
static inline unsigned fill_(struct smrf_frontend *fe, unsigned warp, unsigned wanted)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    w->head = w->count ? w->head : 0; /* then they fit behind one another */
    const unsigned n = take_ahead_(fe, warp, 0, wanted);
    if (n == wanted) {
        return n;
    }
    const unsigned at = (w->head + w->count + n) % SMRF_IBUFFER;
    const int got = read_(fe, warp, at, wanted - n);
    if (got == (int)(wanted - n) && !w->buffer[at + wanted - n - 1]->values) {
        return wanted;
    }
    return fill_on_(fe, warp, n, at, got, wanted);
}

/* Fill the instruction buffer of a warp. */
static void decode_(struct smrf_frontend *fe, unsigned warp, uint64_t cycle)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    const unsigned before = w->count, size = fe->cfg.frontend.ibuffer;
    const unsigned room = before < size ? size - before : 0;
    const unsigned wanted = w->left < room ? (unsigned)w->left : room;
    const unsigned filled = wanted ? fill_(fe, warp, wanted) : 0;
    w->left -= filled;
    w->count += (uint8_t)filled;
    if (filled) {
        look_up_(fe, warp, before, cycle);
    }
    if (filled && !before) {
        fe->links.wires.head(fe->links.wires.ctx, warp, head_of_(fe, warp));
    } else if (!w->count) {
        smrf_frontend_ended(fe, warp); /* the trace holds nothing of it */
        smrf_frontend_drained(fe, warp, cycle);
    }
}

/* Who comes next of those that ask. */
static inline unsigned next_(const struct smrf_frontend *fe, uint64_t asked)
{
    return fe->links.fetch_ops == &smrf_fetch_round_ops
               ? smrf_fetch_round_next(fe->links.fetch, asked)
               : fe->links.fetch_ops->next(fe->links.fetch, asked);
}

static inline void pick_(struct smrf_frontend *fe, unsigned warp)
{
    fe->fetched = UINT64_C(1) << warp;
    fe->fetch_need &= ~fe->fetched;
}

/* The next warp to fetch, and those on the way to it that are over: with no warp to fetch, all of
 * them.
 * Source: Accel-Sim shader_core_ctx::fetch. */
static SMRF_APART bool search_among_(struct smrf_frontend *fe, uint64_t cycle)
{
    bool moved = false;
    for (; !fe->fetch_need && fe->over; moved = true) {
        smrf_frontend_exit(fe, (unsigned)__builtin_ctzll(fe->over), cycle);
    }
    while (fe->fetch_need && !fe->fetched) {
        const uint64_t asked = fe->fetch_need | fe->over;
        const unsigned warp = next_(fe, asked);
        SMRF_ASSERT(asked >> warp & 1);
        if (fe->over >> warp & 1) {
            smrf_frontend_exit(fe, warp, cycle);
        } else {
            pick_(fe, warp);
        }
        moved = true;
    }
    return moved;
}

/* The same; mostly none is over. Returns whether anything moved. */
static inline bool search_(struct smrf_frontend *fe, uint64_t cycle)
{
    if (fe->over) {
        return search_among_(fe, cycle);
    }
    if (!fe->fetch_need) {
        return false;
    }
    const unsigned warp = next_(fe, fe->fetch_need);
    SMRF_ASSERT(fe->fetch_need >> warp & 1);
    pick_(fe, warp);
    return true;
}

/* fetch_warps times, decode what was fetched before, then fetch the next warp. The last fetch of a
 * cycle is decoded in the next. */
bool smrf_frontend_fetch(struct smrf_frontend *fe, uint64_t cycle)
{
    bool moved = false;
    for (unsigned i = 0; i < fe->cfg.frontend.fetch_warps; i++) {
        if (fe->fetched) {
            const unsigned warp = (unsigned)__builtin_ctzll(fe->fetched);
            fe->fetched = 0;
            decode_(fe, warp, cycle);
            moved = true;
        }
        moved |= search_(fe, cycle);
        if (!fe->fetched) {
            break;
        }
    }
    return moved;
}

const struct smrf_inst *smrf_frontend_run_low(struct smrf_frontend *fe, unsigned warp)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    const struct smrf_fetch_ops *policy = fe->links.fetch_ops;
    wait_for_head_(fe, warp);
    if (w->left) {
        bool wants =
            w->count == 0 || (policy->wants && policy->wants(fe->links.fetch, warp, w->count));
        fe->fetch_need |= (uint64_t)wants << warp;
    } else if (w->count == 0) {
        smrf_frontend_ended(fe, warp);
    }
    return w->count ? head_of_(fe, warp) : NULL;
}

const struct smrf_inst *smrf_frontend_pass(struct smrf_frontend *fe, unsigned warp, unsigned n,
                                           const struct smrf_inst *behind, uint64_t cycle,
                                           uint32_t *mask)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    SMRF_ASSERT(w->count > 0 && n - 1 <= w->ahead.left);
    w->head = (uint8_t)((w->head + 1) % SMRF_IBUFFER);
    w->count--;
    if (n > 1) {
        w->ahead.next = behind;
        w->ahead.left = (uint16_t)(w->ahead.left - (n - 1));
        w->left -= n - 1;
    }
    if (!w->count && !w->left) {
        smrf_frontend_ended(fe, warp);
        return NULL;
    }
    const bool stands = !w->count && w->ahead.left != 0; /* the next has been fetched ahead */
    if (!w->count) {
        w->count = (uint8_t)fill_(fe, warp, 1);
        w->left -= w->count;
        if (!w->count) {
            return NULL; /* an error */
        }
        look_up_(fe, warp, 0, cycle);
    }
    const struct smrf_inst *head = head_of_(fe, warp);
    *mask = stands ? w->ahead.mask : head->mask;
    return head;
}
