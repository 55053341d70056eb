/* SPDX-License-Identifier: Apache-2.0 */
/* Which warps have registers. Source: CARS III-B, IV-B1, IV-B2.
 *
 * A warp that finds no room when it starts is stalled until an exit, or the switch of another,
 * leaves enough. Urgent are those whose block has warps at a barrier, and those that were switched
 * out and whose barrier has been passed since: they come first, the oldest before others, and only
 * for them warps are switched out that wait at barriers: of their own block, or of a younger one.
 * (A machine that switched for every stalled warp, or in both directions, would do little else
 * when blocks with barriers do not all fit.)
 *
 * No deadlock. Say that nothing moves. Then no warp with registers can issue, so that every one of
 * them waits at a barrier (memory answers; nothing else holds a warp for good). Take the oldest
 * block of those that have registers or an urgent warp. If it has an urgent warp, that is the
 * oldest of its sub-core, and all that have registers there wait and are of its block or younger:
 * one after the other would be switched out until it fits, for an empty sub-core has room for any
 * warp (smrf_cars_program_check). If it has none, it has a warp with registers, which waits, so
 * that its stalled ones would be urgent: all that have not exited wait at the barrier, which is
 * then passed. */
#include "cars.h"

#include "models/common/smrf_assert.h"

#include <string.h>

static unsigned sub_of_(const struct smrf_cars *m, unsigned warp)
{
    return warp & (m->subs - 1);
}

/* --- giving and taking ------------------------------------------------------------------------ */

static void reset_slots_(struct smrf_cars_warp *w)
{
    memset(w->written, 0, sizeof w->written);
    memset(w->loading, 0, sizeof w->loading);
    memset(w->holds, 255, sizeof w->holds);
}

/* A warp that has not run yet gets what its SM's level now says, not what it said when the block
 * came: many may have been stalled since. */
static void size_(struct smrf_cars *m, unsigned warp)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    w->registers = (uint16_t)m->levels[m->level].registers;
    smrf_cars_stack_reset(&w->stack, (uint32_t)w->registers - w->kernel, m->options->rfp_slot,
                          m->options->saved == SMRF_CARS_SAVED_PREFIX);
}

static bool give_(struct smrf_cars *m, unsigned warp)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    const unsigned sub = sub_of_(m, warp);
    if (w->state == SMRF_CARS_STALLED) {
        size_(m, warp);
    }
    const bool room = m->taken[sub] + w->registers <= m->rows;
    int base = room ? m->services->allot(m->services->ctx, warp, w->registers) : -1;
    if (base < 0) {
        return false;
    }
    m->taken[sub] += w->registers;
    m->stats.rows_taken += w->registers;
    m->stats.faults_rows += m->taken[sub] > m->rows;
    w->base = (uint16_t)base;
    if (w->state == SMRF_CARS_OUT) {
        m->stats.switched_in++;
        smrf_cars_task_(m, warp, SMRF_CARS_SWITCH_IN, SMRF_CARS_KERNEL, UINT32_MAX);
    } else {
        m->block_level[w->slot] = (uint8_t)m->level;
    }
    w->state = SMRF_CARS_RUNS;
    m->services->wake(m->services->ctx, warp);
    return true;
}

static void took_back_(struct smrf_cars *m, unsigned warp)
{
    const struct smrf_cars_warp *w = &m->warp[warp];
    m->taken[sub_of_(m, warp)] -= w->registers;
    m->stats.rows_given += w->registers;
}

/* --- who is next ------------------------------------------------------------------------------ */

static bool wants_(const struct smrf_cars_warp *w)
{
    return w->state == SMRF_CARS_STALLED || (w->state == SMRF_CARS_OUT && !w->waits_at_barrier);
}

/* Has the block of a warp others at a barrier? */
static bool awaited_(const struct smrf_cars *m, unsigned warp)
{
    for (uint64_t b = m->warp[warp].block; b; b &= b - 1) {
        if (m->warp[__builtin_ctzll(b)].waits_at_barrier) {
            return true;
        }
    }
    return false;
}

static bool urgent_(const struct smrf_cars *m, unsigned warp)
{
    return m->warp[warp].state == SMRF_CARS_OUT || awaited_(m, warp);
}

/* The warp of a sub-core that gets registers next, -1: none wants any. */
static int next_(const struct smrf_cars *m, unsigned sub)
{
    int best = -1;
    bool best_urgent = false;
    for (unsigned warp = sub; warp < m->setup.sm.warps; warp += m->subs) {
        if (!wants_(&m->warp[warp])) {
            continue;
        }
        const bool urgent = urgent_(m, warp);
        const bool first = best < 0 || (urgent && !best_urgent) ||
                           (urgent == best_urgent && m->warp[warp].age < m->warp[best].age);
        best = first ? (int)warp : best;
        best_urgent = first ? urgent : best_urgent;
    }
    return best;
}

/* A warp to switch out for another: the youngest, since a block that keeps its registers needs no
 * switch at its next barrier. -1: none, or one leaves already. */
static int victim_(const struct smrf_cars *m, unsigned sub, unsigned other)
{
    int best = -1;
    for (unsigned warp = sub; warp < m->setup.sm.warps; warp += m->subs) {
        const struct smrf_cars_warp *w = &m->warp[warp];
        if (w->state == SMRF_CARS_LEAVES) {
            return -1;
        }
        const bool waits = w->state == SMRF_CARS_RUNS && w->waits_at_barrier && w->num_tasks == 0;
        const bool may = m->warp[other].block >> warp & 1 || w->age > m->warp[other].age;
        if (waits && may && (best < 0 || w->age > m->warp[best].age)) {
            best = (int)warp;
        }
    }
    return best;
}

/* Registers have become free, or a warp now needs some or can give some up. */
static void balance_(struct smrf_cars *m, unsigned sub)
{
    int warp;
    while ((warp = next_(m, sub)) >= 0 && give_(m, (unsigned)warp)) {
    }
    const bool urgent = warp >= 0 && urgent_(m, (unsigned)warp);
    const int victim = urgent ? victim_(m, sub, (unsigned)warp) : -1;
    if (victim >= 0) {
        struct smrf_cars_warp *w = &m->warp[victim];
        w->state = SMRF_CARS_LEAVES;
        m->follow_reads |= UINT64_C(1) << victim;
        m->stats.switches++;
        smrf_cars_task_(m, (unsigned)victim, SMRF_CARS_SWITCH_OUT, SMRF_CARS_KERNEL, UINT32_MAX);
        m->services->hold(m->services->ctx, (unsigned)victim, m->options->trap_overhead);
        m->services->wake(m->services->ctx, (unsigned)victim);
    }
}

/* Does an instruction under way have still to read a register of the warp? */
static bool readers_(const struct smrf_cars *m, unsigned warp)
{
    const struct smrf_cars_warp *w = &m->warp[warp];
    for (unsigned phys = w->base; phys < (unsigned)w->base + w->registers; phys++) {
        if (m->services->readers(m->services->ctx, sub_of_(m, warp),
                                 smrf_cars_place_(m, warp, 0, phys))) {
            return true;
        }
    }
    return false;
}

void smrf_cars_try_out_(struct smrf_cars *m, unsigned warp)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    if (w->state != SMRF_CARS_LEAVES || w->num_tasks || w->under_way || readers_(m, warp)) {
        return;
    }
    took_back_(m, warp);
    w->state = SMRF_CARS_OUT;
    m->services->release(m->services->ctx, warp);
    balance_(m, sub_of_(m, warp));
}

/* --- the life of a warp ----------------------------------------------------------------------- */

void smrf_cars_start(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[warp];
    const uint32_t kernel = m->kernel.registers ? m->kernel.registers : 1;
    const bool own = registers != 0; /* a program without calls */
    w->num_tasks = w->first_task = 0;
    w->waits_at_barrier = w->popped = w->blocked = w->exits = false;
    w->call_frame = w->running = SMRF_CARS_KERNEL;
    w->under_way = 0;
    w->age = m->ages++;
    w->block = m->placed_block;
    w->slot = m->placed_slot;
    w->base = base;
    w->kernel = (uint16_t)(own ? registers : kernel);
    reset_slots_(w);
    if (own) {
        w->registers = (uint16_t)registers;
        smrf_cars_stack_reset(&w->stack, 0, 0, false);
        w->state = SMRF_CARS_RUNS;
        m->taken[sub_of_(m, warp)] += w->registers;
        m->stats.rows_taken += w->registers;
        return;
    }
    w->state = SMRF_CARS_STALLED;
    balance_(m, sub_of_(m, warp));
    m->stats.stalled += w->state == SMRF_CARS_STALLED;
}

/* The warp status check. */
void smrf_cars_exit(void *state, unsigned warp)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[warp];
    SMRF_ASSERT(w->state == SMRF_CARS_RUNS);
    took_back_(m, warp);
    w->state = SMRF_CARS_OFF;
    w->waits_at_barrier = false;
    for (uint64_t b = w->block; b; b &= b - 1) {
        m->warp[__builtin_ctzll(b)].block &= ~(UINT64_C(1) << warp);
    }
    balance_(m, sub_of_(m, warp));
}

void smrf_cars_barrier(void *state, unsigned warp, bool waits)
{
    struct smrf_cars *m = state;
    m->warp[warp].waits_at_barrier = waits;
    if (!m->program || m->failed) {
        return;
    }
    for (unsigned sub = 0; sub < m->subs; sub++) {
        balance_(m, sub);
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

void smrf_cars_placed(void *state, const struct smrf_block_record *block)
{
    struct smrf_cars *m = state;
    m->blocks++;
    m->most_blocks = m->blocks > m->most_blocks ? m->blocks : m->most_blocks;
    m->placed_block = block->warps;
    m->placed_slot = (uint8_t)block->slot;
    m->block_level[block->slot] = (uint8_t)m->level;
    m->block_work[block->slot] = m->work;
}

/* Has the block run beside others of its level only, and was the SM full? The last blocks of a
 * launch are not, and a level that they are of looks worse than it is. */
static bool typical_(const struct smrf_cars *m, const struct smrf_block_record *block)
{
    const uint64_t cycles = block->last - block->first + 1;
    return m->others == 0 && block->first >= m->alone_since &&
           (m->blocks == m->most_blocks || block->last - m->short_since < cycles / 8);
}

void smrf_cars_finished(void *state, const struct smrf_block_record *block)
{
    struct smrf_cars *m = state;
    const uint64_t cycles = block->last - block->first + 1;
    const unsigned level = m->block_level[block->slot];
    const uint64_t done = m->options->measure == SMRF_CARS_MEASURE_TIME
                              ? UINT64_C(1) << 40
                              : (m->work - m->block_work[block->slot]) << 20;
    if (!m->settled || typical_(m, block)) {
        m->samples.sum[level] += done / cycles;
        m->samples.count[level]++;
    }
    if (m->others && block->first < m->alone_since) {
        m->others--;
        m->alone_since = m->others ? m->alone_since : block->last + 1;
    }
    m->short_since = m->blocks == m->most_blocks ? block->last : m->short_since;
    m->blocks--;
}

void smrf_cars_issued(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    (void)f;
    (void)inst;
    ((struct smrf_cars *)state)->work++;
}
