/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

#include "models/common/smrf_assert.h"

#include <string.h>

#define RESULT_LATCH 2 /* cycles from a unit's last stage to write-back */

static uint32_t or_(uint32_t own, uint32_t otherwise)
{
    return own ? own : otherwise;
}

int smrf_units_init(struct smrf_units *u, const struct smrf_units_config *cfg,
                    struct smrf_flights *flights, const struct smrf_wires *wires)
{
    const struct smrf_exec_params *e = &cfg->exec;
    /* Classes without a unit of their own take one cycle. */
    const uint32_t timing[SMRF_TIMINGS][2] = {
        [SMRF_CLASS_INT] = {e->int_latency, e->int_interval},
        [SMRF_CLASS_ALU] = {e->int_latency, e->int_interval},
        [SMRF_CLASS_SP] = {e->sp_latency, e->sp_interval},
        [SMRF_CLASS_HALF] = {e->half_latency, e->half_interval},
        [SMRF_CLASS_DP] = {e->dp_latency, e->dp_interval},
        [SMRF_CLASS_SFU] = {e->sfu_latency, e->sfu_interval},
        [SMRF_CLASS_TENSOR] = {e->tensor_latency, e->tensor_interval},
        [SMRF_TIMING_HMMA_F16] = {or_(e->hmma_f16_latency, e->tensor_latency),
                                  or_(e->hmma_f16_interval, e->tensor_interval)},
        [SMRF_TIMING_HMMA_F32] = {or_(e->hmma_f32_latency, e->tensor_latency),
                                  or_(e->hmma_f32_interval, e->tensor_interval)},
        [SMRF_TIMING_IMMA] = {or_(e->imma_latency, e->tensor_latency),
                              or_(e->imma_interval, e->tensor_interval)},
        [SMRF_CLASS_BRANCH] = {e->branch_latency, e->branch_interval},
        [SMRF_CLASS_TEX] = {e->tex_latency, e->tex_interval},
        [SMRF_CLASS_UNIFORM] = {e->uniform_latency, e->uniform_interval},
    };
    if (cfg->subcores == 0 || cfg->subcores > SMRF_MAX_SUBCORES) {
        return SMRF_ERR_INVAL;
    }
    u->wires = wires;
    u->flights = flights;
    u->subcores = cfg->subcores;
    u->buses = e->result_buses;
    u->extra_latency = cfg->extra_latency;
    u->merge_latency = cfg->merge_latency;
    uint32_t longest = cfg->merge_latency;
    for (unsigned c = 0; c < SMRF_TIMINGS; c++) {
        u->latency[c] = (uint16_t)(timing[c][0] ? timing[c][0] : 1);
        u->interval[c] = (uint16_t)(timing[c][1] ? timing[c][1] : 1);
        longest = timing[c][0] > longest ? timing[c][0] : longest;
    }
    /* Within a round, so that a slot of the wheel tells which unit ends in which cycle. */
    longest += RESULT_LATCH + cfg->extra_latency;
    if (longest >= SMRF_UNITS_WHEEL) {
        return SMRF_ERR_INVAL;
    }
    u->slots = SMRF_UNITS_WHEEL_LEAST;
    while (u->slots <= longest) {
        u->slots *= 2;
    }
    smrf_units_reset(u);
    return SMRF_OK;
}

void smrf_units_reset(struct smrf_units *u)
{
    memset(&u->stats, 0, sizeof u->stats);
    memset(u->busy, 0, sizeof u->busy);
    u->memory_full = u->other_full = 0;
    memset(u->sub, 0, sizeof u->sub);
    u->start = 0;
    memset(u->map, 0, sizeof u->map);
    memset(u->slot, 0, u->slots * sizeof u->slot[0]);
}

void smrf_units_dispatch(struct smrf_units *u, unsigned sub, uint32_t flight, uint64_t cycle)
{
    struct smrf_units_sub *s = &u->sub[sub];
    const unsigned unit = u->flights->record[flight].unit;
    SMRF_ASSERT(!(s->full >> unit & 1));
    s->full |= UINT32_C(1) << unit;
    s->latch[unit] = flight;
    if (unit == SMRF_UNIT_MEM) {
        u->memory_full |= UINT32_C(1) << sub;
        s->ready[unit] = cycle + 1 + u->extra_latency;
        return;
    }
    u->other_full |= UINT32_C(1) << sub;
    s->ready[unit] = cycle + 1;
    const uint64_t at = s->free[unit] > s->ready[unit] ? s->free[unit] : s->ready[unit];
    s->start = at < s->start ? at : s->start;
    u->start = s->start < u->start ? s->start : u->start;
}

static void leave_latch_(struct smrf_units *u, unsigned sub, unsigned unit)
{
    const uint32_t memory = UINT32_C(1) << SMRF_UNIT_MEM;
    const uint32_t left = u->sub[sub].full & ~(UINT32_C(1) << unit);
    u->sub[sub].full = left;
    if (unit == SMRF_UNIT_MEM) {
        u->memory_full &= ~(UINT32_C(1) << sub);
    } else if (!(left & ~memory)) {
        u->other_full &= ~(UINT32_C(1) << sub);
    }
    u->wires->drained(u->wires->ctx, sub, unit);
}

/* --- the wheel ------------------------------------------------------------------------------- */

static unsigned slot_of_(const struct smrf_units *u, uint64_t cycle)
{
    return (unsigned)cycle & (u->slots - 1);
}

static bool slot_taken_(const struct smrf_units *u, unsigned slot)
{
    return u->map[slot / 64] >> (slot % 64) & 1;
}

void smrf_units_schedule(struct smrf_units *u, uint32_t flight, uint64_t due)
{
    const unsigned at = slot_of_(u, due);
    struct smrf_units_slot *slot = &u->slot[at];
    struct smrf_flight *f = &u->flights->record[flight];
    f->next = SMRF_NO_FLIGHT;
    f->due = due;
    if (slot_taken_(u, at)) {
        u->flights->record[slot->last].next = flight;
    } else {
        u->map[at / 64] |= UINT64_C(1) << (at % 64);
        slot->first = flight;
    }
    slot->last = flight;
}

bool smrf_units_end(struct smrf_units *u, uint64_t cycle)
{
    const unsigned at = slot_of_(u, cycle);
    if (!slot_taken_(u, at)) {
        return false;
    }
    uint32_t flight = u->slot[at].first;
    u->map[at / 64] &= ~(UINT64_C(1) << (at % 64));
    u->slot[at].buses_taken = 0;
    while (flight != SMRF_NO_FLIGHT) {
        const struct smrf_flight *f = &u->flights->record[flight];
        const uint32_t next = f->next;
        if (f->due == cycle) {
            u->wires->done(u->wires->ctx, flight);
        } else {
            smrf_units_schedule(u, flight, f->due); /* in a later round */
        }
        flight = next;
    }
    return true;
}

/* Does an older instruction of the same unit end in that cycle? Possible where classes of different
 * latency share a unit. */
static bool unit_ends_(const struct smrf_units *u, const struct smrf_flight *f, uint64_t end)
{
    const unsigned at = slot_of_(u, end);
    if (!slot_taken_(u, at)) {
        return false;
    }
    for (uint32_t i = u->slot[at].first; i != SMRF_NO_FLIGHT; i = u->flights->record[i].next) {
        const struct smrf_flight *other = &u->flights->record[i];
        if (other->due == end && other->sub == f->sub && other->unit == f->unit) {
            return true;
        }
    }
    return false;
}

static uint64_t wheel_next_(const struct smrf_units *u, uint64_t cycle)
{
    const unsigned start = slot_of_(u, cycle), words = u->slots / 64;
    for (unsigned n = 0; n <= words; n++) {
        const unsigned word = (start / 64 + n) & (words - 1);
        uint64_t bits = u->map[word];
        if (n == 0) {
            bits &= UINT64_MAX << (start % 64);
        } else if (n == words) {
            bits &= ~(UINT64_MAX << (start % 64));
        }
        if (bits) {
            const unsigned at = word * 64 + (unsigned)__builtin_ctzll(bits);
            return cycle + ((at - start) & (u->slots - 1));
        }
    }
    return SMRF_NEVER;
}

/* --- issue to the units ---------------------------------------------------------------------- */

/* HMMA.1688.F32, HMMA.1688.F16, IMMA.8816.S8.S8: the type after the shape is the accumulators'. */
static unsigned tensor_timing_(const char *text)
{
    if (text[0] != 'H') {
        return SMRF_TIMING_IMMA;
    }
    for (; *text; text++) {
        if (text[0] == '.' && text[1] == 'F') {
            return text[2] == '3' ? SMRF_TIMING_HMMA_F32 : SMRF_TIMING_HMMA_F16;
        }
    }
    return SMRF_TIMING_HMMA_F16;
}

static unsigned timing_(const struct smrf_flight *f)
{
    return f->op->op_class == SMRF_CLASS_TENSOR ? tensor_timing_(f->op->text) : f->op->op_class;
}

/* Of the pipeline that takes the instruction. */
static uint32_t latency_(const struct smrf_units *u, const struct smrf_flight *f, unsigned timing)
{
    return f->unit == SMRF_UNIT_MERGE ? u->merge_latency : u->latency[timing];
}

/* The units of a sub-core. Returns whether anything moved or may move in the next cycle. */
static inline bool start_(struct smrf_units *u, unsigned sub, uint64_t cycle)
{
    struct smrf_units_sub *s = &u->sub[sub];
    uint64_t start = SMRF_NEVER;
    bool moved = false;
    for (uint32_t m = s->full & ~(UINT32_C(1) << SMRF_UNIT_MEM); m; m &= m - 1) {
        const unsigned unit = (unsigned)__builtin_ctz(m);
        const uint64_t at = s->free[unit] > s->ready[unit] ? s->free[unit] : s->ready[unit];
        if (at > cycle) {
            start = at < start ? at : start;
            continue;
        }
        const uint32_t flight = s->latch[unit];
        const struct smrf_flight *f = &u->flights->record[flight];
        const unsigned timing = timing_(f);
        const uint64_t end = cycle + latency_(u, f, timing) + RESULT_LATCH + u->extra_latency;
        uint32_t *taken = &u->slot[slot_of_(u, end)].buses_taken;
        moved = true; /* or may succeed in the next cycle */
        if (*taken >= u->buses || !u->wires->room(u->wires->ctx, flight) || unit_ends_(u, f, end)) {
            u->stats.result_bus_stalls++;
            start = cycle;
            continue;
        }
        ++*taken;
        s->free[unit] = cycle + u->interval[timing];
        u->busy[unit] += u->interval[timing];
        leave_latch_(u, sub, unit);
        smrf_units_schedule(u, flight, end);
    }
    s->start = start;
    return moved;
}

uint32_t smrf_units_start(struct smrf_units *u, uint64_t cycle)
{
    uint64_t start = SMRF_NEVER;
    uint32_t moved = 0;
    for (uint32_t m = u->other_full; m; m &= m - 1) {
        const unsigned sub = (unsigned)__builtin_ctz(m);
        const struct smrf_units_sub *s = &u->sub[sub];
        if (s->start <= cycle && start_(u, sub, cycle)) {
            moved |= UINT32_C(1) << sub;
        }
        start = s->start < start ? s->start : start;
    }
    u->start = start;
    return moved;
}

uint32_t smrf_units_probe_memory(const struct smrf_units *u, uint64_t cycle)
{
    uint32_t oldest = SMRF_NO_FLIGHT;
    for (uint32_t m = u->memory_full; m; m &= m - 1) {
        const struct smrf_units_sub *s = &u->sub[__builtin_ctz(m)];
        if (s->ready[SMRF_UNIT_MEM] > cycle) {
            continue;
        }
        const uint32_t flight = s->latch[SMRF_UNIT_MEM];
        if (oldest == SMRF_NO_FLIGHT ||
            u->flights->record[flight].uid < u->flights->record[oldest].uid) {
            oldest = flight;
        }
    }
    return oldest;
}

void smrf_units_take_memory(struct smrf_units *u, uint32_t flight)
{
    u->busy[SMRF_UNIT_MEM]++;
    leave_latch_(u, u->flights->record[flight].sub, SMRF_UNIT_MEM);
}

const struct smrf_units_stats *smrf_units_statistics(struct smrf_units *u)
{
    u->stats.busy_sp = u->busy[SMRF_UNIT_SP];
    u->stats.busy_sfu = u->busy[SMRF_UNIT_SFU];
    u->stats.busy_mem = u->busy[SMRF_UNIT_MEM];
    u->stats.busy_dp = u->busy[SMRF_UNIT_DP];
    u->stats.busy_int = u->busy[SMRF_UNIT_INT];
    u->stats.busy_branch = u->busy[SMRF_UNIT_BRANCH];
    u->stats.busy_tex = u->busy[SMRF_UNIT_TEX];
    u->stats.busy_tensor = u->busy[SMRF_UNIT_TENSOR];
    u->stats.busy_uniform = u->busy[SMRF_UNIT_UNIFORM];
    return &u->stats;
}

uint64_t smrf_units_next(const struct smrf_units *u, uint64_t cycle)
{
    uint64_t next = wheel_next_(u, cycle);
    for (unsigned sub = 0; sub < u->subcores; sub++) {
        const struct smrf_units_sub *s = &u->sub[sub];
        for (uint32_t m = s->full; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            const uint64_t at = s->free[unit] > s->ready[unit] ? s->free[unit] : s->ready[unit];
            /* An earlier cycle has passed without success: something else must move first. */
            next = at >= cycle && at < next ? at : next;
        }
    }
    return next;
}
