/* SPDX-License-Identifier: Apache-2.0 */
#include "ltrf.h"

#include "models/common/smrf_assert.h"
#include "models/issue/dependence.h"
#include "models/seam/mechanism_stats.h"
#include "models/sm/sm_stats.h"

#include <string.h>

static const char *check_(const struct smrf_mechanism_setup *setup)
{
    return setup->war ? NULL : "the newest value may be in one place only: use scoreboard.war=on";
}

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_ltrf);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_ltrf *m = state;
    (void)sm;
    if (check_(setup)) {
        return SMRF_ERR_INVAL;
    }
    memset(m, 0, sizeof *m);
    m->setup = *setup;
    m->options = setup->options;
    m->active = setup->two_level ? 0 : UINT64_MAX;
    return SMRF_OK;
}

static void attach_(void *state, const struct smrf_services *services)
{
    ((struct smrf_ltrf *)state)->services = *services;
}

static void wish_(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish)
{
    wish->interval_registers = ((const struct smrf_ltrf_params *)setup->options)->entries;
}

static uint64_t bit_(unsigned warp)
{
    return UINT64_C(1) << warp;
}

static unsigned sub_of_(const struct smrf_ltrf *m, unsigned warp)
{
    return warp & (m->setup.sm.subcores - 1);
}

/* What the warp's next instruction waits for may have come or gone. */
static void wake_(struct smrf_ltrf *m, unsigned warp)
{
    if (m->waits & bit_(warp)) {
        m->waits &= ~bit_(warp);
        m->services.wake(m->services.ctx, warp);
    }
}

/* --- the life of a warp --------------------------------------------------------------------------- */

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[warp];
    memset(w, 0, sizeof *w);
    w->base = base;
    w->registers = registers;
    w->known = true; /* nothing is live before its first instruction */
    m->leaving &= ~bit_(warp);
    m->waits &= ~bit_(warp);
}

static uint64_t dirty_(const struct smrf_held *e)
{
    uint64_t n = e->leaving;
    for (unsigned k = 0; k < e->held; k++) {
        n += e->queue[k].dirty != 0;
    }
    return n;
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_ltrf *m = state;
    struct smrf_held *e = &m->warp[warp].held;
    m->stats.ended += dirty_(e);
    m->stats.resident -= dirty_(e);
    e->held = e->leaving = 0;
}

/* --- names: every register lies where the baseline has it ----------------------------------------- */

static struct smrf_register_place bank_(const struct smrf_ltrf *m, unsigned warp, unsigned reg)
{
    const struct smrf_ltrf_warp *w = &m->warp[warp];
    return smrf_place_of(&m->setup.rf, warp, reg,
                         reg >= w->registers ? SMRF_PHYS_NONE : w->base + reg);
}

static struct smrf_register_place source_(void *state, const struct smrf_flight *f, unsigned i)
{
    return bank_(state, f->warp, f->src_reg[i]);
}

static struct smrf_register_place destination_(void *state, const struct smrf_flight *f, unsigned i,
                                               struct smrf_register_place *carry)
{
    (void)carry;
    return bank_(state, f->warp, f->dst_reg[i]);
}

static struct smrf_register_place probe_(const void *state, unsigned warp, unsigned reg)
{
    return bank_(state, warp, reg);
}

static bool is_long_(const struct smrf_static_inst *op)
{
    return op->op_class == SMRF_CLASS_ATOMIC || op->op_class == SMRF_CLASS_TEX ||
           (op->op_class == SMRF_CLASS_LOAD && op->space != SMRF_SPACE_SHARED);
}

static void issued_(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    m->leaving &= ~bit_(f->warp);
    m->stats.by_program += f->facts != NULL;
    m->stats.by_nobody += f->facts == NULL;
    w->readers = (uint16_t)(w->readers + (f->num_src != 0));
    w->known = inst->facts != NULL;
    if (w->known) {
        w->live = inst->facts->live;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        const unsigned reg = f->dst_reg[i];
        if (reg != SMRF_REG_ZERO) {
            w->pending[reg]++;
            w->pending_long[reg] = (uint8_t)(w->pending_long[reg] + is_long_(f->op));
        }
    }
}

static void written_(void *state, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    w->pending[reg]--;
    w->pending_long[reg] = (uint8_t)(w->pending_long[reg] - is_long_(f->op));
    w->arriving.w[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
    wake_(m, f->warp);
}

/* So that readers are counted (is_dead_). */
static void last_read_(void *state, unsigned sub, struct smrf_register_place at)
{
    (void)state;
    (void)sub;
    (void)at;
}

/* --- values that leave ------------------------------------------------------------------------------ */

/* Does nobody need the value? An instruction that has issued may still have to collect it. */
static bool is_dead_(const struct smrf_ltrf *m, unsigned warp, const struct smrf_held_value *v)
{
    const struct smrf_ltrf_warp *w = &m->warp[warp];
    return w->known && !smrf_program_set_has(&w->live, v->reg) &&
           !m->services.readers(m->services.ctx, sub_of_(m, warp), v->at);
}

static void leave_(struct smrf_ltrf *m, unsigned warp, unsigned n)
{
    struct smrf_held *e = &m->warp[warp].held;
    const bool dirty = e->queue[n].dirty != 0, dead = dirty && is_dead_(m, warp, &e->queue[n]);
    if (!dirty || dead) {
        m->stats.dead += dead;
        m->stats.resident -= dead;
        smrf_held_drop(e, n);
        return;
    }
    /* A warp's tokens are its own. */
    const uint32_t token = m->tokens++ * SMRF_MAX_WARPS + warp;
    const struct smrf_held_value *out = smrf_held_leave(e, n, token);
    const bool queued = m->services.evict(m->services.ctx, sub_of_(m, warp), out->at, token);
    SMRF_ASSERT(queued); /* fewer leave than can wait for a bank */
}

static uint32_t evict_(void *state, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    struct smrf_ltrf *m = state;
    const unsigned warp = token % SMRF_MAX_WARPS;
    struct smrf_held *e = &m->warp[warp].held;
    const unsigned before = e->leaving;
    const uint32_t lanes = smrf_held_gone(e, token, data, version);
    (void)sub;
    if (e->leaving == before) {
        return 0; /* its warp has ended */
    }
    m->stats.resident--;
    m->stats.evicted += lanes != 0;
    m->stats.outdated += lanes == 0;
    wake_(m, warp);
    return lanes;
}

/* All go that are not of a set (NULL: of the empty one). Returns whether they have left. */
static bool clear_(struct smrf_ltrf *m, unsigned warp, const struct smrf_program_set *but)
{
    struct smrf_held *e = &m->warp[warp].held;
    unsigned kept = 0;
    for (unsigned n = 0; n < e->held;) {
        const bool stays = but && smrf_program_set_has(but, e->queue[n].reg);
        if (stays || !smrf_held_may_leave(e)) {
            kept += !stays;
            n++;
        } else {
            leave_(m, warp, n);
        }
    }
    return kept == 0;
}

/* --- intervals -------------------------------------------------------------------------------------- */

/* The interval of an instruction, NULL: none that the cache can hold. */
static const struct smrf_program_set *interval_of_(const struct smrf_ltrf *m,
                                                   const struct smrf_inst_facts *facts)
{
    const struct smrf_program_set *set = facts && !facts->exact ? facts->interval : NULL;
    return set && smrf_program_set_count(set) <= m->options->entries ? set : NULL;
}

static bool waits_for_memory_(const struct smrf_ltrf_warp *w, const struct smrf_static_inst *op)
{
    bool waits = false;
    for (unsigned i = 0; i < op->num_src; i++) {
        waits |= op->src[i] != SMRF_REG_ZERO && w->pending_long[op->src[i]];
    }
    return waits;
}

/* Is a register to be brought where an interval begins? */
static bool wanted_(const struct smrf_ltrf_warp *w, unsigned reg)
{
    const struct smrf_held_value *v;
    const bool comes = w->pending[reg] && !smrf_program_set_has(&w->arriving, reg);
    return reg < w->registers && !comes && smrf_held_find(&w->held, 0, reg) < 0 &&
           (!w->known || smrf_program_set_has(&w->live, reg)) &&
           smrf_held_look(&w->held, reg, UINT32_MAX, &v) != SMRF_HELD_BOTH;
}

/* Returns false: not yet. */
static bool begin_(struct smrf_ltrf *m, unsigned warp, const struct smrf_program_set *interval)
{
    struct smrf_ltrf_warp *w = &m->warp[warp];
    if (!clear_(m, warp, interval)) {
        return false;
    }
    w->interval = interval;
    w->begun = true;
    m->leaving &= ~bit_(warp);
    m->stats.intervals += interval != NULL;
    for (unsigned reg = 0; interval && reg < SMRF_REG_ZERO; reg++) {
        if (smrf_program_set_has(interval, reg) && wanted_(w, reg)) {
            w->todo.w[reg >> 6] |= UINT64_C(1) << (reg & 63);
        }
    }
    return true;
}

static struct smrf_static_inst *operation_(struct smrf_ltrf *m, unsigned warp)
{
    struct smrf_ltrf_warp *w = &m->warp[warp];
    struct smrf_static_inst *op = &w->op[w->next_op++ % (sizeof w->op / sizeof *w->op)];
    *op = (struct smrf_static_inst){.op_class = SMRF_CLASS_UNIFORM, .text = "PREFETCH"};
    for (unsigned reg = 0; reg < SMRF_REG_ZERO && op->num_src < m->options->prefetch; reg++) {
        if (smrf_program_set_has(&w->todo, reg)) {
            w->todo.w[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
            op->src[op->num_src++] = (uint8_t)reg;
        }
    }
    return op;
}

static bool next_(void *state, unsigned warp, const struct smrf_inst *before,
                  struct smrf_micro *micro)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[warp];
    const struct smrf_program_set *interval = interval_of_(m, before->facts);
    if (!(m->active & bit_(warp)) || !w->registers) {
        return false;
    }
    if (!w->begun || w->interval != interval) {
        if (w->readers || w->left || waits_for_memory_(w, before->op) ||
            !begin_(m, warp, interval)) {
            return false;
        }
    }
    const struct smrf_static_inst *op = operation_(m, warp);
    if (!op->num_src) {
        return false;
    }
    micro->inst = (struct smrf_inst){.op = op};
    micro->num_waits = 0;
    for (unsigned i = 0; i < op->num_src; i++) {
        micro->src_phys[i] = (uint16_t)(w->base + op->src[i]);
    }
    w->left = (uint8_t)(w->left + op->num_src);
    m->stats.operations++;
    return true;
}

/* A register has come; what a result has brought of it meanwhile is newer. */
static void read_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t version)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    const int n = smrf_held_find(&w->held, 0, f->src_reg[i]);
    const struct smrf_held_result put = {
        f->src[i], n < 0 ? version : w->held.queue[n].version,
        n < 0 ? UINT32_MAX : ~w->held.queue[n].lanes, 0, true, f->src_reg[i]};
    (void)smrf_held_put(&w->held, &put, data);
    w->left--;
    wake_(m, f->warp);
}

/* --- the scheduler's lists -------------------------------------------------------------------------- */

static bool demote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[warp];
    (void)cycle;
    if (w->left) {
        return false; /* what is on its way here comes soon */
    }
    m->stats.flushes += w->held.held && !(m->leaving & bit_(warp));
    m->leaving |= bit_(warp);
    w->begun = false; /* also if the warp goes on before all have left */
    (void)clear_(m, warp, NULL);
    if (w->held.held || w->held.leaving) {
        return false;
    }
    m->active &= ~bit_(warp);
    m->leaving &= ~bit_(warp);
    return true;
}

static void promote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_ltrf *m = state;
    const struct smrf_held *e = &m->warp[warp].held;
    (void)cycle;
    m->stats.faults_resident += e->held || e->leaving;
    m->active |= bit_(warp);
    m->services.wake(m->services.ctx, warp);
}

/* --- reads ------------------------------------------------------------------------------------------ */

/* A source of which the bank has some lanes and the cache others: those are written back first. */
static bool joined_(struct smrf_ltrf *m, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_held *e = &m->warp[warp].held;
    const struct smrf_operands o = smrf_operands_of(inst->op, m->setup.rf.base_registers_only);
    bool joined = true;
    for (unsigned i = 0; i < o.num_src; i++) {
        const struct smrf_held_value *v;
        if (smrf_held_look(e, o.src[i], inst->mask, &v) != SMRF_HELD_BOTH) {
            continue;
        }
        const int held = smrf_held_find(e, 0, o.src[i]);
        if (held >= 0 && smrf_held_may_leave(e)) {
            m->stats.split++;
            leave_(m, warp, (unsigned)held);
        }
        joined = false;
    }
    return joined;
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_ltrf *m = state;
    const struct smrf_ltrf_warp *w = &m->warp[warp];
    const uint64_t todo = w->todo.w[0] | w->todo.w[1] | w->todo.w[2] | w->todo.w[3];
    if (!w->registers || !(m->active & bit_(warp))) {
        return w->registers != 0; /* of a pending warp the policy is asked, not the cache */
    }
    const bool here = w->begun && w->interval == interval_of_(m, inst->facts) && !w->left && !todo;
    const bool ready = here && joined_(m, warp, inst);
    m->waits = (m->waits & ~bit_(warp)) | (uint64_t)!ready << warp;
    return ready;
}

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    uint32_t missing = 0;
    (void)sub;
    (void)unit;
    for (unsigned i = 0; i < f->num_src; i++) {
        const uint32_t lanes = f->micro ? UINT32_MAX : smrf_flight_lanes(f, i);
        const struct smrf_held_value *v;
        m->stats.uncovered += !f->micro && f->facts && f->facts->interval &&
                              !smrf_program_set_has(f->facts->interval, f->src_reg[i]);
        if (smrf_held_look(&w->held, f->src_reg[i], lanes, &v) != SMRF_HELD_ENTRY) {
            missing |= UINT32_C(1) << i;
            continue;
        }
        memcpy(data[i], v->data, sizeof data[i]);
        version[i] = v->version;
    }
    const unsigned absent = (unsigned)__builtin_popcount(missing);
    m->stats.sources += f->num_src;
    *(f->micro ? &m->stats.fetched : &m->stats.misses) += absent;
    *(f->micro ? &m->stats.returned : &m->stats.hits) += f->num_src - absent;
    if (!f->micro && f->num_src) {
        w->readers--;
        wake_(m, f->warp);
    }
    return missing;
}

/* --- results ---------------------------------------------------------------------------------------- */

static enum smrf_write_verdict where_(void *state, const struct smrf_flight *f, unsigned i)
{
    const struct smrf_ltrf *m = state;
    const struct smrf_ltrf_warp *w = &m->warp[f->warp];
    const bool holds = (m->active & ~m->leaving) >> f->warp & 1;
    if (f->dst[i].row == SMRF_ROW_NONE || !holds || !f->mask) {
        return SMRF_WRITE_BANK; /* of no lanes: nothing to keep */
    }
    if (smrf_held_find(&w->held, 0, f->dst_reg[i]) >= 0) {
        return SMRF_WRITE_COPY;
    }
    const bool named = w->begun && w->interval && smrf_program_set_has(w->interval, f->dst_reg[i]);
    return named ? SMRF_WRITE_COPY : SMRF_WRITE_BANK;
}

static void keep_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t lanes, uint32_t version)
{
    struct smrf_ltrf *m = state;
    struct smrf_held *e = &m->warp[f->warp].held;
    const struct smrf_held_result put = {f->dst[i], version, lanes, 0, false, f->dst_reg[i]};
    const int n = smrf_held_find(e, 0, f->dst_reg[i]);
    const bool over = n >= 0 && e->queue[n].dirty;
    (void)smrf_held_put(e, &put, data);
    m->stats.kept++;
    m->stats.overwritten += over;
    m->stats.resident += !over;
}

/* To its bank, while what the cache has of its register may still wait to leave. */
static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    struct smrf_held *e = &w->held;
    const struct smrf_held_result put = {f->dst[i], f->version, lanes, 0, true, f->dst_reg[i]};
    const int n = smrf_held_find(e, 0, f->dst_reg[i]);
    (void)sub;
    (void)cycle;
    smrf_held_outdated(e, f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    w->arriving.w[f->dst_reg[i] >> 6] |= UINT64_C(1) << (f->dst_reg[i] & 63);
    if (n >= 0) {
        const bool dirty = e->queue[n].dirty != 0;
        (void)smrf_held_put(e, &put, row);
        const bool clean = dirty && !e->queue[n].dirty;
        m->stats.overwritten += clean;
        m->stats.resident -= clean;
    }
    return false;
}

/* --- what it publishes, and what must hold ---------------------------------------------------------- */

enum index { SMRF_LTRF_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources: distinct source registers, those of prefetches among them",
     INDEX_hits, INDEX_sources},
    SMRF_LTRF_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_ltrf *)m)->stats;
}

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(operand_reads_, sm->operand_reads)
SMRF_LAW_SIDE(all_reads_, OWN(hits) + OWN(misses) + OWN(fetched) + OWN(returned))
SMRF_LAW_SIDE(from_banks_, OWN(misses) + OWN(fetched))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(kept_, OWN(kept))
SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(evicted) + OWN(dead) + OWN(outdated) + OWN(ended) +
                          OWN(resident))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(direct_and_evicted_, OWN(direct) + OWN(evicted))
SMRF_LAW_SIDE(resident_, OWN(resident))
SMRF_LAW_SIDE(uncovered_, OWN(uncovered))
SMRF_LAW_SIDE(faults_resident_, OWN(faults_resident))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"LTRF sources", "sources of collected instructions and prefetches", "operands read", sources_,
     operand_reads_},
    {"LTRF reads", "sources of collected instructions and prefetches",
     "hits + misses + fetched + returned", sources_, all_reads_},
    {"LTRF banks", "misses + fetched", "bank reads", from_banks_, bank_reads_},
    {"LTRF results", "results that went to the cache",
     "overwritten + evicted + dead + outdated + ended + resident", kept_, fates_},
    {"LTRF writes", "results that went to their banks at once + evicted", "bank writes",
     direct_and_evicted_, bank_writes_},
    {"LTRF intervals", "sources that their interval does not name", "none", uncovered_, zero_},
    {"LTRF flush", "warps that came to the active list with values", "none", faults_resident_,
     zero_},
    {"LTRF end", "results in the cache", "none", resident_, zero_},
};

/* --- the mechanism ---------------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {.allocate = allocate_, .write = write_};
static const struct smrf_write_seam write = {where_, keep_, evict_};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_};
static const struct smrf_schedule_seam schedule = {demote_, promote_};
static const struct smrf_micro_seam micro = {.next = next_, .read = read_};
static const struct smrf_rename_seam rename = {
    .source = source_,
    .destination = destination_,
    .ready = ready_,
    .last_read = last_read_,
    .probe = probe_,
    .issued = issued_,
    .written = written_,
};

static const char *const defaults[] = {"issue.scheduler=two_level", "scoreboard.war=on", NULL};

static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    (void)setup;
    shape->tags = true;
    shape->fills = INDEX_fetched + 1;
}

const struct smrf_mechanism smrf_ltrf_mechanism = {
    .name = "ltrf",
    .summary = "register file cache that is filled at the beginning of intervals, two-level "
               "scheduler",
    .family = &smrf_ltrf_family,
    .wants_program = true,
    .wish = wish_,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = attach_,
    .collector = &collector,
    .rename = &rename,
    .write = &write,
    .warp = &warp,
    .micro = &micro,
    .schedule = &schedule,
    .check = check_,
    .energy_shape = energy_shape_,
    .counters = counters_,
    .num_counters = COUNTERS,
    .stats = stats,
    .num_stats = sizeof stats / sizeof *stats,
    .laws = laws,
    .num_laws = sizeof laws / sizeof *laws,
};

/* --- the family ------------------------------------------------------------------------------------- */

static const struct smrf_param params[] = {SMRF_LTRF_PARAMS(SMRF_PARAM_ROW)};
static const struct smrf_mechanism *const mechanisms[] = {&smrf_ltrf_mechanism, NULL};

const struct smrf_family smrf_ltrf_family = {
    .name = "ltrf",
    .options = {params, sizeof params / sizeof *params},
    .mechanism = mechanisms,
};
