/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

#include "models/common/smrf_apart.h"

#include <string.h>

_Static_assert(SMRF_FLIGHTS <= SMRF_UNITS_NOBODY, "a slot names every instruction in 16 bits");

#define OF_SUB 0xffffu                         /* latches of a sub-core */
#define EVERY_SUB UINT64_C(0x0001000100010001) /* .. the first one of each */
#define EVERY_DP (EVERY_SUB << SMRF_UNIT_DP)   /* .. those before double precision */
#define RESULT_LATCH 2                         /* cycles from a unit's last stage to write-back */

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
        [SMRF_TIMING_HMUL2] = {e->half_latency, or_(e->hmul2_interval, e->half_interval)},
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
        [SMRF_TIMING_MERGE] = {cfg->merge_latency, 1},
    };
    if (cfg->subcores == 0 || cfg->subcores > SMRF_MAX_SUBCORES) {
        return SMRF_ERR_INVAL;
    }
    u->wires = wires;
    u->flights = flights;
    u->subcores = cfg->subcores;
    u->buses = e->result_buses;
    u->by_kind = e->buses_by_kind;
    u->extra_latency = cfg->extra_latency;
    u->behind_window = cfg->behind_window;
    u->memory_interval = e->mem_interval;
    u->dp_shared = e->dp_shared;
    const uint32_t around = RESULT_LATCH + cfg->extra_latency;
    uint32_t longest = 0;
    for (unsigned c = 0; c < SMRF_TIMINGS; c++) {
        const bool own = timing[c][0] || c == SMRF_TIMING_MERGE; /* a merge may take no time */
        u->timing[c] = (struct smrf_unit_timing){(own ? timing[c][0] : 1) + around,
                                                 timing[c][1] ? timing[c][1] : 1};
        longest = u->timing[c].delay > longest ? u->timing[c].delay : longest;
    }
    /* Within a round, so that a slot of the wheel tells which unit ends in which cycle. */
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
    u->memory_full = 0;
    u->memory_ready = u->memory_next = u->dp_free = 0;
    memset(u->memory_from, 0, sizeof u->memory_from);
    memset(u->latched, 0, sizeof u->latched);
    memset(u->unit, 0, sizeof u->unit);
    u->full = u->far = 0;
    u->starts = 0;
    u->far_ready = SMRF_NEVER;
    memset(u->start, 0, sizeof u->start);
    memset(u->map, 0, sizeof u->map);
    for (unsigned at = 0; at < u->slots; at++) {
        u->slot[at] = (struct smrf_units_slot){SMRF_UNITS_NOBODY, 0};
    }
}

/* A latch whose unit takes from it in a cycle to come. */
static inline void start_in_(struct smrf_units *u, uint64_t latch, uint64_t ready, uint64_t cycle)
{
    if (ready - cycle > SMRF_UNITS_STARTS) {
        u->far |= latch;
        u->far_ready = ready < u->far_ready ? ready : u->far_ready;
        return;
    }
    u->start[ready % SMRF_UNITS_STARTS] |= latch;
    u->starts |= UINT32_C(1) << ready % SMRF_UNITS_STARTS;
}

void smrf_units_dispatch(struct smrf_units *u, unsigned sub, uint32_t flight, uint64_t cycle)
{
    const unsigned unit = u->flights->record[flight].unit, at = smrf_units_latch_of(sub, unit);
    const uint64_t latch = UINT64_C(1) << at;
    SMRF_ASSERT(!(u->full & latch));
    u->full |= latch;
    u->latched[at] = (uint16_t)flight;
    if (unit == SMRF_UNIT_MEM) {
        u->memory_full |= UINT32_C(1) << sub;
        u->memory_ready = u->memory_from[sub] = cycle + 1 + u->extra_latency;
    } else {
        const uint64_t until = u->unit[at].until, next = cycle + 1;
        start_in_(u, latch, until > next ? until : next, cycle);
    }
}

/* --- the wheel ------------------------------------------------------------------------------- */

static unsigned slot_of_(const struct smrf_units *u, uint64_t cycle)
{
    return (unsigned)cycle & (u->slots - 1);
}

void smrf_units_schedule(struct smrf_units *u, uint32_t flight, uint64_t due)
{
    const unsigned at = slot_of_(u, due);
    struct smrf_units_slot *slot = &u->slot[at];
    struct smrf_flight *f = &u->flights->record[flight];
    uint32_t *before = &f->next;
    if (slot->last != SMRF_UNITS_NOBODY) {
        before = &u->flights->record[slot->last].next;
        f->next = *before;
    }
    *before = flight;
    f->due = due;
    slot->last = (uint16_t)flight;
    u->map[at / 64] |= UINT64_C(1) << (at % 64);
}

/* Takes out the wheel's present slot: the first instruction, whose record names the next. */
static inline uint32_t turn_(struct smrf_units *u, uint64_t cycle)
{
    const unsigned at = slot_of_(u, cycle);
    struct smrf_units_slot *slot = &u->slot[at];
    if (slot->last == SMRF_UNITS_NOBODY) {
        return SMRF_NO_FLIGHT;
    }
    u->map[at / 64] &= ~(UINT64_C(1) << (at % 64));
    struct smrf_flight *last = &u->flights->record[slot->last];
    const uint32_t first = last->next;
    last->next = SMRF_NO_FLIGHT;
    *slot = (struct smrf_units_slot){SMRF_UNITS_NOBODY, 0};
    return first;
}

void smrf_units_end(struct smrf_units *u, uint64_t cycle)
{
    uint32_t flight = turn_(u, cycle);
    while (flight != SMRF_NO_FLIGHT) {
        const struct smrf_flight *f = &u->flights->record[flight];
        const uint32_t next = f->next;
        if (f->due == cycle) {
            u->wires->done(u->wires->ctx, flight);
        } else { /* in a later round */
            smrf_units_schedule(u, flight, f->due);
        }
        flight = next;
    }
}

/* Does an older instruction of the same unit end in that cycle? Possible where classes of different
 * latency share a unit, and then not behind all others of it. */
static SMRF_APART bool unit_ends_(const struct smrf_units *u, const struct smrf_flight *f,
                                  uint64_t end)
{
    const uint32_t last = u->slot[slot_of_(u, end)].last;
    if (last == SMRF_UNITS_NOBODY) {
        return false;
    }
    const struct smrf_flight *other = &u->flights->record[last];
    do {
        other = &u->flights->record[other->next];
        if (other->due == end && other->sub == f->sub && other->unit == f->unit) {
            return true;
        }
    } while (other != &u->flights->record[last]);
    return false;
}

/* First cycle from `cycle` on in which the map has a result. */
static uint64_t result_next_(const struct smrf_units *u, uint64_t cycle)
{
    const unsigned start = slot_of_(u, cycle), words = u->slots / 64;
    uint64_t bits = u->map[start / 64] & UINT64_MAX << (start % 64);
    for (unsigned n = 0; n <= words; n++) {
        if (bits) {
            return cycle - start % 64 + n * 64 + (unsigned)__builtin_ctzll(bits);
        }
        bits = u->map[(start / 64 + n + 1) & (words - 1)];
    }
    return SMRF_NEVER;
}

/* The same of a unit that takes or tries to. */
static uint64_t start_next_(const struct smrf_units *u, uint64_t cycle)
{
    const uint64_t round = u->starts, twice = round | round << SMRF_UNITS_STARTS;
    uint64_t next = SMRF_NEVER;
    if (round) {
        next = cycle + (unsigned)__builtin_ctzll(twice >> cycle % SMRF_UNITS_STARTS);
    }
    return next < u->far_ready ? next : u->far_ready;
}

/* --- issue to the units ---------------------------------------------------------------------- */

static inline unsigned timing_(const struct smrf_flight *f, unsigned unit)
{
    return unit == SMRF_UNIT_MERGE ? SMRF_TIMING_MERGE : smrf_units_timing_kind(f->op);
}

/* The same where an instruction may go to another unit than its class has. */
static SMRF_APART unsigned timing_of_unit_(const struct smrf_flight *f, unsigned unit)
{
    const unsigned own = timing_(f, unit);
    return unit == SMRF_UNIT_INT                                        ? SMRF_CLASS_INT
           : unit == SMRF_UNIT_SFU                                      ? SMRF_CLASS_SFU
           : unit == SMRF_UNIT_DP                                       ? SMRF_CLASS_DP
           : unit == SMRF_UNIT_BRANCH                                   ? SMRF_CLASS_BRANCH
           : unit == SMRF_UNIT_SP && f->op->op_class != SMRF_CLASS_HALF ? SMRF_CLASS_SP
                                                                        : own;
}

/* Is a result bus free in the cycle in which the instruction of sub-core `sub` would end, and its
 * unit's end, and can its results wait for their banks? */
static inline bool may_end_(const struct smrf_units *u, const struct smrf_unit_busy *unit,
                            uint32_t flight, unsigned sub, uint64_t end)
{
    const struct smrf_wires *w = u->wires;
    return u->slot[slot_of_(u, end)].buses_taken < u->buses &&
           (!(*w->waiting >> sub & 1) || w->room(w->ctx, flight)) &&
           (end > unit->last || !unit_ends_(u, &u->flights->record[flight], end));
}

/* A unit takes from its latch, number `at`, in this cycle. Returns whether it could. */
static inline bool take_(struct smrf_units *u, unsigned at, uint64_t cycle)
{
    const uint32_t flight = u->latched[at];
    const unsigned kind = at % SMRF_UNITS_OF_SUB;
    struct smrf_unit_busy *unit = &u->unit[at];
    const struct smrf_flight *f = &u->flights->record[flight];
    const struct smrf_unit_timing timing =
        u->timing[u->behind_window ? timing_of_unit_(f, kind) : timing_(f, kind)];
    const uint64_t end = cycle + timing.delay;
    if (!u->behind_window && !may_end_(u, unit, flight, at / SMRF_UNITS_OF_SUB, end)) {
        u->stats.result_bus_stalls++;
        return false;
    }
    u->slot[slot_of_(u, end)].buses_taken++;
    unit->last = end > unit->last ? end : unit->last;
    unit->until = cycle + timing.interval;
    u->dp_free = kind == SMRF_UNIT_DP ? unit->until : u->dp_free;
    u->busy[kind] += timing.interval;
    u->full &= ~(UINT64_C(1) << at);
    smrf_units_schedule(u, flight, end);
    return true;
}

/* Latches whose time comes after more cycles than `start` counts. Returns those of this cycle. */
static SMRF_APART uint64_t come_near_(struct smrf_units *u, uint64_t cycle)
{
    uint64_t due = 0;
    u->far_ready = SMRF_NEVER;
    for (uint64_t m = u->far; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        const uint64_t ready = u->unit[i].until;
        if (ready <= cycle) {
            due |= m & -m;
        } else {
            u->far_ready = ready < u->far_ready ? ready : u->far_ready;
        }
    }
    u->far &= ~due;
    return due;
}

/* The unit of latch i takes from it, or tries to again in the next cycle. */
static inline void start_(struct smrf_units *u, unsigned i, uint64_t cycle)
{
    if (!take_(u, i, cycle)) {
        start_in_(u, UINT64_C(1) << i, cycle + 1, cycle);
    } else {
        u->wires->drained(u->wires->ctx, i / SMRF_UNITS_OF_SUB, i % SMRF_UNITS_OF_SUB);
    }
}

/* Units of one kind after the other, each in all sub-cores, as Accel-Sim creates and steps them. */
static void start_by_kind_(struct smrf_units *u, uint64_t due, uint64_t cycle)
{
    static const uint8_t order[] = {SMRF_UNIT_SP,     SMRF_UNIT_DP,      SMRF_UNIT_INT,
                                    SMRF_UNIT_SFU,    SMRF_UNIT_BRANCH,  SMRF_UNIT_TEX,
                                    SMRF_UNIT_TENSOR, SMRF_UNIT_UNIFORM, SMRF_UNIT_MERGE};

    for (unsigned k = 0; k < sizeof order; k++) {
        for (uint64_t m = due >> order[k] & EVERY_SUB; m; m &= m - 1) {
            start_(u, (unsigned)__builtin_ctzll(m) + order[k], cycle);
        }
    }
}

/* Latches that are due, when the SM has one unit of double precision: if it is free, only the
 * oldest instruction for it stays among them, otherwise none. */
static SMRF_APART uint64_t leave_one_dp_(struct smrf_units *u, uint64_t due, uint64_t cycle)
{
    uint64_t oldest = 0, least = UINT64_MAX;
    for (uint64_t m = u->dp_free <= cycle ? due & EVERY_DP : 0; m; m &= m - 1) {
        const uint64_t uid = u->flights->record[u->latched[__builtin_ctzll(m)]].uid;
        oldest = uid < least ? m & -m : oldest;
        least = uid < least ? uid : least;
    }
    const uint64_t others = due & EVERY_DP & ~oldest;
    const uint64_t again = u->dp_free > cycle ? u->dp_free : cycle + 1;
    for (uint64_t m = others; m; m &= m - 1) {
        u->unit[__builtin_ctzll(m)].until = again;
        start_in_(u, m & -m, again, cycle);
    }
    return due & ~others;
}

uint32_t smrf_units_start(struct smrf_units *u, uint64_t cycle)
{
    const unsigned at = (unsigned)cycle % SMRF_UNITS_STARTS;
    uint64_t due = u->start[at];
    uint32_t moved = 0;
    u->start[at] = 0;
    u->starts &= ~(UINT32_C(1) << at);
    if (u->far_ready <= cycle) {
        due |= come_near_(u, cycle);
    }
    if (u->dp_shared && due & EVERY_DP) {
        due = leave_one_dp_(u, due, cycle);
    }
    for (unsigned sub = 0; sub < u->subcores; sub++) {
        moved |= (uint32_t)((due >> sub * SMRF_UNITS_OF_SUB & OF_SUB) != 0) << sub;
    }
    if (u->by_kind) {
        start_by_kind_(u, due, cycle);
        return moved;
    }
    for (uint64_t m = due; m; m &= m - 1) {
        start_(u, (unsigned)__builtin_ctzll(m), cycle);
    }
    return moved;
}

uint32_t smrf_units_probe_memory(const struct smrf_units *u, uint64_t cycle)
{
    uint32_t oldest = SMRF_NO_FLIGHT;
    uint64_t least = UINT64_MAX;
    for (uint32_t m = u->memory_full; m; m &= m - 1) {
        const unsigned sub = (unsigned)__builtin_ctz(m);
        const uint32_t flight = u->latched[smrf_units_latch_of(sub, SMRF_UNIT_MEM)];
        const uint64_t uid = u->flights->record[flight].uid;
        const bool before = u->memory_from[sub] <= cycle && uid < least;
        oldest = before ? flight : oldest;
        least = before ? uid : least;
    }
    return oldest;
}

void smrf_units_take_memory(struct smrf_units *u, uint32_t flight)
{
    const unsigned sub = u->flights->record[flight].sub;
    u->busy[SMRF_UNIT_MEM]++;
    u->full &= ~(UINT64_C(1) << smrf_units_latch_of(sub, SMRF_UNIT_MEM));
    u->memory_full &= ~(UINT32_C(1) << sub);
    u->wires->drained(u->wires->ctx, sub, SMRF_UNIT_MEM);
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

/* First cycle from `cycle` on in which a latch before the load/store unit may be emptied. An
 * earlier one has passed without success: something else must move first. */
static SMRF_APART uint64_t memory_next_(const struct smrf_units *u, uint64_t cycle)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = u->memory_full; m; m &= m - 1) {
        const uint64_t at = u->memory_from[__builtin_ctz(m)];
        next = at >= cycle && at < next ? at : next;
    }
    return next;
}

uint64_t smrf_units_next(const struct smrf_units *u, uint64_t cycle)
{
    const uint64_t result = result_next_(u, cycle), start = start_next_(u, cycle);
    uint64_t next = start < result ? start : result;
    if (u->memory_full && u->memory_ready >= cycle) {
        const uint64_t memory = memory_next_(u, cycle);
        next = memory < next ? memory : next;
    }
    if (u->memory_full && u->memory_next >= cycle) {
        next = u->memory_next < next ? u->memory_next : next;
    }
    return next > cycle ? next : cycle;
}
