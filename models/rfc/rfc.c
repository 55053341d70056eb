/* SPDX-License-Identifier: Apache-2.0 */
#include "rfc.h"

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
    return sizeof(struct smrf_rfc);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_rfc *m = state;
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
    ((struct smrf_rfc *)state)->services = *services;
}

static uint64_t bit_(unsigned warp)
{
    return UINT64_C(1) << warp;
}

static unsigned sub_of_(const struct smrf_rfc *m, unsigned warp)
{
    return warp & (m->setup.sm.subcores - 1);
}

/* --- the life of a warp --------------------------------------------------------------------------- */

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_rfc *m = state;
    m->warp[warp] = (struct smrf_rfc_warp){.base = base, .registers = registers};
    m->leaving &= ~bit_(warp);
    m->split &= ~bit_(warp);
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_rfc *m = state;
    struct smrf_held *e = &m->warp[warp].entries;
    m->stats.ended += (uint64_t)e->held + e->leaving;
    m->stats.resident -= (uint64_t)e->held + e->leaving;
    e->held = e->leaving = 0;
}

/* --- names: every register lies where the baseline has it ----------------------------------------- */

static struct smrf_register_place place_(const struct smrf_rfc *m, unsigned warp, unsigned reg)
{
    const struct smrf_rfc_warp *w = &m->warp[warp];
    return smrf_place_of(&m->setup.rf, warp, reg,
                         reg >= w->registers ? SMRF_PHYS_NONE : w->base + reg);
}

static struct smrf_register_place source_(void *state, const struct smrf_flight *f, unsigned i)
{
    return place_(state, f->warp, f->src_reg[i]);
}

static struct smrf_register_place destination_(void *state, const struct smrf_flight *f, unsigned i,
                                               struct smrf_register_place *carry)
{
    (void)carry;
    return place_(state, f->warp, f->dst_reg[i]);
}

static struct smrf_register_place probe_(const void *state, unsigned warp, unsigned reg)
{
    return place_(state, warp, reg);
}

static void issued_(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_rfc *m = state;
    struct smrf_rfc_warp *w = &m->warp[f->warp];
    const struct smrf_inst_facts *facts = inst->facts;
    m->leaving &= ~bit_(f->warp);
    w->known = facts != NULL;
    if (!facts) {
        m->stats.by_nobody++;
        return;
    }
    w->live = facts->live;
    m->stats.by_lookahead += facts->exact;
    m->stats.by_program += !facts->exact;
}

/* So that readers are counted (is_dead_). */
static void last_read_(void *state, unsigned sub, struct smrf_register_place at)
{
    (void)state;
    (void)sub;
    (void)at;
}

/* --- entries that leave --------------------------------------------------------------------------- */

/* Does nobody need the value? An instruction that has issued may still have to collect it. */
static bool is_dead_(const struct smrf_rfc *m, unsigned warp, const struct smrf_held_value *e)
{
    const struct smrf_rfc_warp *w = &m->warp[warp];
    return m->options->dead && w->known && !smrf_program_set_has(&w->live, e->reg) &&
           !m->services.readers(m->services.ctx, sub_of_(m, warp), e->at);
}

static void leave_(struct smrf_rfc *m, unsigned warp, unsigned n)
{
    struct smrf_held *e = &m->warp[warp].entries;
    if (is_dead_(m, warp, &e->queue[n])) {
        m->stats.dead++;
        m->stats.resident--;
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
    struct smrf_rfc *m = state;
    const unsigned warp = token % SMRF_MAX_WARPS;
    struct smrf_held *e = &m->warp[warp].entries;
    const unsigned before = e->leaving;
    const uint32_t lanes = smrf_held_gone(e, token, data, version);
    (void)sub;
    if (e->leaving == before) {
        return 0; /* its warp has ended */
    }
    m->stats.resident--;
    m->stats.evicted += lanes != 0;
    m->stats.outdated += lanes == 0;
    if (m->split & bit_(warp)) {
        m->split &= ~bit_(warp);
        m->services.wake(m->services.ctx, warp);
    }
    return lanes;
}

/* --- the scheduler's lists -------------------------------------------------------------------------- */

static bool demote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_rfc *m = state;
    struct smrf_held *e = &m->warp[warp].entries;
    (void)cycle;
    if (m->split & bit_(warp)) {
        return false; /* it waits for a bank's port and no longer */
    }
    m->stats.flushes += e->held && !(m->leaving & bit_(warp));
    m->leaving |= bit_(warp);
    while (e->held && smrf_held_may_leave(e)) {
        m->stats.flushed++;
        leave_(m, warp, 0);
    }
    if (e->held || e->leaving) {
        return false;
    }
    m->active &= ~bit_(warp);
    m->leaving &= ~bit_(warp);
    return true;
}

static void promote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_rfc *m = state;
    const struct smrf_held *e = &m->warp[warp].entries;
    (void)cycle;
    m->stats.faults_resident += e->held || e->leaving;
    m->active |= bit_(warp);
}

/* --- reads ------------------------------------------------------------------------------------------ */

/* A source of which the bank has some lanes and an entry others: the entry is written back first. */
static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_rfc *m = state;
    struct smrf_rfc_warp *w = &m->warp[warp];
    const struct smrf_operands o =
        smrf_operands_of(inst->op, m->setup.rf.base_registers_only);
    bool ready = w->registers != 0;
    for (unsigned i = 0; i < o.num_src; i++) {
        const struct smrf_held_value *entry;
        if (smrf_held_look(&w->entries, o.src[i], inst->mask, &entry) != SMRF_HELD_BOTH) {
            continue;
        }
        const int held = smrf_held_find(&w->entries, 0, o.src[i]);
        if (held >= 0 && smrf_held_may_leave(&w->entries)) {
            m->stats.split++;
            leave_(m, warp, (unsigned)held);
        }
        m->split |= bit_(warp);
        ready = false;
    }
    return ready;
}

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_rfc *m = state;
    const struct smrf_held *e = &m->warp[f->warp].entries;
    uint32_t missing = 0;
    (void)sub;
    (void)unit;
    for (unsigned i = 0; i < f->num_src; i++) {
        const struct smrf_held_value *entry;
        if (smrf_held_look(e, f->src_reg[i], smrf_flight_lanes(f, i), &entry) != SMRF_HELD_ENTRY) {
            missing |= UINT32_C(1) << i;
            continue;
        }
        memcpy(data[i], entry->data, sizeof data[i]);
        version[i] = entry->version;
        m->stats.hits++;
    }
    m->stats.sources += f->num_src;
    m->stats.misses += (unsigned)__builtin_popcount(missing);
    return missing;
}

/* --- results ---------------------------------------------------------------------------------------- */

static enum smrf_write_verdict where_(void *state, const struct smrf_flight *f, unsigned i)
{
    const struct smrf_rfc *m = state;
    const struct smrf_held *e = &m->warp[f->warp].entries;
    const bool holds = (m->active & ~m->leaving) >> f->warp & 1;
    if (f->dst[i].row == SMRF_ROW_NONE || !holds) {
        return SMRF_WRITE_BANK;
    }
    if (smrf_held_find(e, 0, f->dst_reg[i]) >= 0) {
        return SMRF_WRITE_COPY;
    }
    const bool room = e->held < m->options->entries || smrf_held_may_leave(e);
    return f->mask && room ? SMRF_WRITE_COPY : SMRF_WRITE_BANK; /* of no lanes: nothing to keep */
}

static void keep_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t lanes, uint32_t version)
{
    struct smrf_rfc *m = state;
    struct smrf_held *e = &m->warp[f->warp].entries;
    if (e->held == m->options->entries && smrf_held_find(e, 0, f->dst_reg[i]) < 0) {
        leave_(m, f->warp, 0);
    }
    const struct smrf_held_result put = {f->dst[i], version, lanes, 0, false, f->dst_reg[i]};
    const bool over = smrf_held_put(e, &put, data);
    m->stats.kept++;
    m->stats.overwritten += over;
    m->stats.resident += !over;
}

/* To its bank. */
static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_rfc *m = state;
    (void)sub;
    (void)row;
    (void)cycle;
    smrf_held_outdated(&m->warp[f->warp].entries, f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    return false;
}

/* --- what it publishes, and what must hold ---------------------------------------------------------- */

enum index { SMRF_RFC_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources: distinct source registers", INDEX_hits, INDEX_sources},
    {"reads_per_value", "reads", "hits / kept: reads of a cached value, mean", INDEX_hits, INDEX_kept},
    SMRF_RFC_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_rfc *)m)->stats;
}

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(operand_reads_, sm->operand_reads)
SMRF_LAW_SIDE(hits_and_misses_, OWN(hits) + OWN(misses))
SMRF_LAW_SIDE(misses_, OWN(misses))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(kept_, OWN(kept))
SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(evicted) + OWN(dead) + OWN(outdated) + OWN(ended) +
                          OWN(resident))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(direct_and_evicted_, OWN(direct) + OWN(evicted))
SMRF_LAW_SIDE(resident_, OWN(resident))
SMRF_LAW_SIDE(faults_resident_, OWN(faults_resident))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"RFC sources", "sources of collected instructions", "operands read", sources_, operand_reads_},
    {"RFC reads", "sources of collected instructions", "hits + misses", sources_, hits_and_misses_},
    {"RFC misses", "misses of the entries", "bank reads", misses_, bank_reads_},
    {"RFC results", "results that went to entries",
     "overwritten + evicted + dead + outdated + ended + resident", kept_, fates_},
    {"RFC writes", "results that went to their banks at once + evicted", "bank writes",
     direct_and_evicted_, bank_writes_},
    {"RFC flush", "warps that came to the active list with entries", "none", faults_resident_,
     zero_},
    {"RFC end", "results in entries", "none", resident_, zero_},
};

/* --- the mechanism ---------------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {.allocate = allocate_, .write = write_};
static const struct smrf_write_seam write = {where_, keep_, evict_};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_};
static const struct smrf_schedule_seam schedule = {demote_, promote_};
static const struct smrf_rename_seam rename = {
    .source = source_,
    .destination = destination_,
    .ready = ready_,
    .last_read = last_read_,
    .probe = probe_,
    .issued = issued_,
};

static const char *const defaults[] = {"issue.scheduler=two_level", "scoreboard.war=on", NULL};

static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    (void)setup;
    shape->tags = true;
}

const struct smrf_mechanism smrf_rfc_mechanism = {
    .name = "rfc",
    .summary = "register file cache: results of active warps in a few entries, two-level scheduler",
    .family = &smrf_rfc_family,
    .wants_program = true,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = attach_,
    .collector = &collector,
    .rename = &rename,
    .write = &write,
    .warp = &warp,
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

static const struct smrf_param params[] = {SMRF_RFC_PARAMS(SMRF_PARAM_ROW)};
static const struct smrf_mechanism *const mechanisms[] = {&smrf_rfc_mechanism, NULL};

const struct smrf_family smrf_rfc_family = {
    .name = "rfc",
    .options = {params, sizeof params / sizeof *params},
    .mechanism = mechanisms,
};
