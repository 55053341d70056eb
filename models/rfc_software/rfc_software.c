/* SPDX-License-Identifier: Apache-2.0 */
#include "rfc_software.h"

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
    return sizeof(struct smrf_rfc_software);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_rfc_software *m = state;
    (void)sm;
    if (check_(setup)) {
        return SMRF_ERR_INVAL;
    }
    memset(m, 0, sizeof *m);
    m->setup = *setup;
    m->active = setup->two_level ? 0 : UINT64_MAX;
    return SMRF_OK;
}

static void attach_(void *state, const struct smrf_services *services)
{
    ((struct smrf_rfc_software *)state)->services = *services;
}

static void wish_(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish)
{
    const struct smrf_rfc_software_params *options = setup->options;
    wish->operand_entries = options->entries;
    wish->last_result = options->last_result;
}

static uint64_t bit_(unsigned warp)
{
    return UINT64_C(1) << warp;
}

static unsigned sub_of_(const struct smrf_rfc_software *m, unsigned warp)
{
    return warp & (m->setup.sm.subcores - 1);
}

/* What waited for an entry may go on. */
static void unblock_(struct smrf_rfc_software *m, unsigned warp)
{
    if (m->blocked & bit_(warp)) {
        m->blocked &= ~bit_(warp);
        m->services.wake(m->services.ctx, warp);
    }
}

/* --- the life of a warp --------------------------------------------------------------------------- */

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_rfc_software *m = state;
    m->warp[warp] = (struct smrf_rfc_software_warp){.base = base, .registers = registers};
    m->leaving &= ~bit_(warp);
    m->blocked &= ~bit_(warp);
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_rfc_software *m = state;
    struct smrf_held *e = &m->warp[warp].held;
    m->stats.ended += (uint64_t)e->held + e->leaving;
    m->stats.resident -= (uint64_t)e->held + e->leaving;
    e->held = e->leaving = 0;
    m->warp[warp].facts = m->warp[warp].next = NULL; /* nothing holds it on the list */
}

/* --- names: every register lies where the baseline has it ----------------------------------------- */

static struct smrf_register_place bank_(const struct smrf_rfc_software *m, unsigned warp,
                                        unsigned reg)
{
    const struct smrf_rfc_software_warp *w = &m->warp[warp];
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

/* --- what the compiler told ------------------------------------------------------------------------ */

/* Facts of a program; those of an execution alone tell of no places. */
static const struct smrf_inst_facts *facts_of_(const struct smrf_inst_facts *facts)
{
    return facts && !facts->exact ? facts : NULL;
}

static unsigned look_up_(const uint8_t *reg, const uint8_t *place, unsigned count, unsigned wanted)
{
    unsigned k = 0;
    while (k < count && reg[k] != wanted) {
        k++;
    }
    return k < count ? place[k] : 0;
}

static unsigned src_place_(const struct smrf_inst_facts *facts, const struct smrf_static_inst *op,
                           unsigned reg)
{
    return facts ? look_up_(op->src, facts->src_place, op->num_src, reg) : 0;
}

static unsigned dst_place_(const struct smrf_inst_facts *facts, const struct smrf_static_inst *op,
                           unsigned reg)
{
    return facts ? look_up_(op->dst, facts->dst_place, op->num_dst, reg) : 0;
}

/* --- entries ---------------------------------------------------------------------------------------- */

/* A place, as lanes of a strand see it. */
static uint32_t slot_(uint32_t strand, unsigned place)
{
    return strand * SMRF_RFC_SOFTWARE_PLACES + place;
}

static unsigned place_of_(uint32_t slot)
{
    return slot % SMRF_RFC_SOFTWARE_PLACES;
}

/* The n-th of the queue goes to its bank; stays: and is kept. */
static void leave_(struct smrf_rfc_software *m, unsigned warp, unsigned n, bool stays)
{
    struct smrf_held *e = &m->warp[warp].held;
    /* A warp's tokens are its own. */
    const uint32_t token = m->tokens++ * SMRF_MAX_WARPS + warp;
    const struct smrf_held_value *out =
        stays ? smrf_held_write_back(e, n, token) : smrf_held_leave(e, n, token);
    m->stats.copied += stays;
    m->stats.resident += stays;
    const bool queued = m->services.evict(m->services.ctx, sub_of_(m, warp), out->at, token);
    SMRF_ASSERT(queued); /* fewer leave than can wait for a bank */
}

/* Lanes of the n-th of the queue are no longer wanted. Returns whether it went with the last of them:
 * to its bank, if that has what other lanes of the register need and this is its newest result, as that
 * of `replaced` is not. */
static bool strip_(struct smrf_rfc_software *m, unsigned warp, unsigned n, uint32_t lanes,
                   unsigned replaced)
{
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    struct smrf_held_value *v = &w->held.queue[n];
    const bool others = v->dirty && v->reg != replaced && !w->pending[v->reg] && w->facts &&
                        smrf_program_set_has(&w->facts->live, v->reg);
    const bool stays = (v->lanes & ~lanes) != 0, last = !(v->dirty & ~lanes);
    if (others && last && !smrf_held_may_leave(&w->held)) {
        return false;
    }
    if (others && last) {
        m->stats.joined++;
        leave_(m, warp, n, stays);
    }
    if (stays) {
        v->lanes &= ~lanes;
        v->dirty &= ~lanes;
        return false;
    }
    if (others) {
        return true;
    }
    smrf_held_drop(&w->held, n);
    m->stats.dropped++;
    m->stats.resident--;
    return true;
}

/* Lanes that are in this strand have done with their others, and, if they have just come to it, with
 * what they left in it before. */
static void enter_strand_(struct smrf_rfc_software *m, unsigned warp, uint32_t strand,
                          uint32_t lanes)
{
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    const uint32_t come = lanes & w->done;
    w->done &= ~lanes;
    for (unsigned n = 0; n < w->held.held;) {
        const struct smrf_held_value *v = &w->held.queue[n];
        const bool old = v->slot / SMRF_RFC_SOFTWARE_PLACES != strand;
        const uint32_t gone = w->readers[place_of_(v->slot)] ? 0 : old ? lanes : come;
        n += !(gone && strip_(m, warp, n, gone, SMRF_REG_ZERO));
    }
}

static uint32_t evict_(void *state, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    struct smrf_rfc_software *m = state;
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
    unblock_(m, warp);
    return lanes;
}

/* A new value of a register: of older ones, and of what was at its place, these lanes are gone.
 * slot: of place 0, it goes to the bank alone. */
static void replace_(struct smrf_rfc_software *m, unsigned warp, unsigned reg, uint32_t slot,
                     uint32_t lanes, uint32_t version)
{
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    for (unsigned n = 0; n < w->held.held;) {
        const struct smrf_held_value *v = &w->held.queue[n];
        const bool same = v->slot == slot && v->reg == reg;
        const bool gone = !same && (v->reg == reg || place_of_(v->slot) == place_of_(slot));
        n += !(gone && strip_(m, warp, n, lanes, reg));
    }
    smrf_held_renew(&w->held, reg, version);
}

static void put_(struct smrf_rfc_software *m, const struct smrf_flight *f,
                 const struct smrf_held_result *put, const uint32_t *data)
{
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    struct smrf_held *e = &w->held;
    if (e->held == SMRF_HELD_MAX && smrf_held_find(e, put->slot, put->reg) < 0) {
        leave_(m, f->warp, 0, false);
    }
    const bool over = smrf_held_put(e, put, data);
    m->stats.kept++;
    m->stats.overwritten += over;
    m->stats.resident += !over;
}

/* --- issue ------------------------------------------------------------------------------------------ */

static const struct smrf_held_value *at_place_(const struct smrf_rfc_software_warp *w,
                                               const struct smrf_inst_facts *facts,
                                               unsigned place, unsigned reg, uint32_t lanes)
{
    const int n = place ? smrf_held_find(&w->held, slot_(facts->strand, place), reg) : -1;
    return n >= 0 && !(lanes & ~w->held.queue[n].lanes) ? &w->held.queue[n] : NULL;
}

/* Does the bank lack lanes of a register, wanted now or not? They are sent there: the newest of a
 * register must be in one place as a whole where it is read. */
static bool bank_lacks_(struct smrf_rfc_software *m, unsigned warp, unsigned reg)
{
    struct smrf_held *e = &m->warp[warp].held;
    bool lacks = false;
    for (unsigned n = 0; n < e->held; n++) {
        const bool here = e->queue[n].reg == reg && e->queue[n].dirty;
        lacks |= here;
        if (here && smrf_held_may_leave(e)) {
            leave_(m, warp, n, true);
        }
    }
    for (unsigned n = 0; n < e->leaving; n++) {
        lacks |= e->out[n].reg == reg && e->out[n].dirty;
    }
    return lacks;
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    const struct smrf_inst_facts *facts = facts_of_(inst->facts);
    const struct smrf_operands o = smrf_operands_of(inst->op, m->setup.rf.base_registers_only);
    bool lacks = false, collides = false;
    for (unsigned i = 0; i < o.num_src; i++) {
        const unsigned place = src_place_(facts, inst->op, o.src[i]);
        lacks |= o.src[i] != SMRF_REG_ZERO && !w->pending[o.src[i]] &&
                 !at_place_(w, facts, place, o.src[i], inst->mask) &&
                 bank_lacks_(m, warp, o.src[i]);
    }
    for (unsigned i = 0; i < o.num_dst; i++) {
        const unsigned place =
            place_of_(dst_place_(facts, inst->op, o.dst[i]));
        collides |= place && (w->readers[place] || w->writers[place]);
    }
    m->stats.collisions += collides && !(m->blocked & bit_(warp));
    m->blocked = (m->blocked & ~bit_(warp)) | (uint64_t)(lacks || collides) << warp;
    w->next = facts;
    w->next_mask = inst->mask;
    return w->registers != 0 && !lacks && !collides;
}

static void count_(struct smrf_rfc_software_warp *w, const struct smrf_flight *f)
{
    for (unsigned i = 0; i < f->num_read; i++) {
        w->readers[src_place_(f->facts, f->op, f->src_reg[i])]++;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        if (f->dst_reg[i] != SMRF_REG_ZERO) {
            w->pending[f->dst_reg[i]]++;
            w->writers[place_of_(dst_place_(f->facts, f->op, f->dst_reg[i]))]++;
        }
    }
}

static void issued_(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    (void)inst;
    m->leaving &= ~bit_(f->warp);
    m->stats.by_program += f->facts != NULL;
    m->stats.by_nobody += f->facts == NULL;
    if (f->facts) {
        enter_strand_(m, f->warp, f->facts->strand, f->mask);
    }
    w->exits = f->op->op_class == SMRF_CLASS_EXIT;
    if (!f->facts || f->facts->ends_strand || w->exits) {
        w->done |= f->mask;
    }
    w->facts = f->facts;
    w->next = NULL;
    w->next_mask = 0;
    count_(w, f);
}

static void written_(void *state, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    w->pending[reg]--;
    w->writers[place_of_(dst_place_(f->facts, f->op, reg))]--;
    unblock_(m, f->warp);
}

/* --- the scheduler's lists -------------------------------------------------------------------------- */

/* Is what the warp does next another strand's, for the lanes that do it? */
static bool between_strands_(const struct smrf_rfc_software_warp *w)
{
    bool within = w->facts && !w->facts->ends_strand && !(w->exits && !w->next) &&
                  !(w->next && w->next->strand != w->facts->strand);
    for (unsigned n = 0; w->next && n < w->held.held; n++) {
        const struct smrf_held_value *v = &w->held.queue[n];
        within |= v->slot / SMRF_RFC_SOFTWARE_PLACES == w->next->strand &&
                  (v->lanes & w->next_mask & ~w->done);
    }
    return !within;
}

static bool reads_(const struct smrf_rfc_software_warp *w)
{
    unsigned readers = 0;
    for (unsigned place = 1; place < SMRF_RFC_SOFTWARE_PLACES; place++) {
        readers += w->readers[place];
    }
    return readers != 0;
}

/* Entries go; of those that other lanes may still need, the banks get what they lack. */
static void empty_(struct smrf_rfc_software *m, unsigned warp)
{
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    const uint32_t done = w->done | (w->next ? w->next_mask : 0);
    for (unsigned n = 0; n < w->held.held;) {
        const struct smrf_held_value *v = &w->held.queue[n];
        if (strip_(m, warp, n, done, SMRF_REG_ZERO)) {
            continue;
        }
        const bool needed =
            v->dirty && (!w->facts || smrf_program_set_has(&w->facts->live, v->reg));
        if (!needed) {
            (void)strip_(m, warp, n, UINT32_MAX, SMRF_REG_ZERO);
        } else if (smrf_held_may_leave(&w->held)) {
            m->stats.rescued++;
            leave_(m, warp, n, false);
        } else {
            n++;
        }
    }
}

static bool demote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    (void)cycle;
    if ((m->blocked & bit_(warp)) || !between_strands_(w) || reads_(w)) {
        return false;
    }
    m->leaving |= bit_(warp);
    empty_(m, warp);
    if (w->held.held || w->held.leaving) {
        return false;
    }
    m->active &= ~bit_(warp);
    m->leaving &= ~bit_(warp);
    return true;
}

static void promote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_rfc_software *m = state;
    const struct smrf_held *e = &m->warp[warp].held;
    (void)cycle;
    m->stats.faults_resident += e->held || e->leaving;
    m->active |= bit_(warp);
}

/* --- reads ------------------------------------------------------------------------------------------ */

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    uint32_t missing = 0;
    (void)sub;
    (void)unit;
    for (unsigned i = 0; i < f->num_src; i++) {
        const unsigned place = src_place_(f->facts, f->op, f->src_reg[i]);
        const struct smrf_held_value *v =
            at_place_(w, f->facts, place, f->src_reg[i], smrf_flight_lanes(f, i));
        w->readers[place]--;
        m->stats.violations += place && !v;
        if (!v) {
            missing |= UINT32_C(1) << i;
            continue;
        }
        memcpy(data[i], v->data, sizeof data[i]);
        version[i] = v->version;
        m->stats.hits++;
        m->stats.last_results += place == SMRF_PLACE_LAST_RESULT;
    }
    m->stats.sources += f->num_src;
    m->stats.misses += (unsigned)__builtin_popcount(missing);
    unblock_(m, f->warp);
    return missing;
}

/* --- results ---------------------------------------------------------------------------------------- */

/* The place of a result that may go to one now, else 0. */
static unsigned open_place_(const struct smrf_rfc_software *m, const struct smrf_flight *f,
                            unsigned i)
{
    const struct smrf_held *e = &m->warp[f->warp].held;
    const unsigned place = dst_place_(f->facts, f->op, f->dst_reg[i]);
    const bool holds = (m->active & ~m->leaving) >> f->warp & 1;
    const bool room = e->held < SMRF_HELD_MAX || smrf_held_may_leave(e);
    return f->dst[i].row != SMRF_ROW_NONE && holds && room && f->mask ? place : 0;
}

static enum smrf_write_verdict where_(void *state, const struct smrf_flight *f, unsigned i)
{
    const unsigned place = open_place_(state, f, i);
    return place && !(place & SMRF_PLACE_ALSO_BANK) ? SMRF_WRITE_COPY : SMRF_WRITE_BANK;
}

static void keep_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t lanes, uint32_t version)
{
    struct smrf_rfc_software *m = state;
    const uint32_t slot =
        slot_(f->facts->strand, dst_place_(f->facts, f->op, f->dst_reg[i]));
    const struct smrf_held_result put = {f->dst[i], version, lanes, slot, false, f->dst_reg[i]};
    replace_(m, f->warp, f->dst_reg[i], slot, lanes, version);
    put_(m, f, &put, data);
    m->stats.spared++;
}

/* To its bank, and to its place where it has one. */
static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    const unsigned place = place_of_(open_place_(m, f, i));
    const uint32_t slot = place ? slot_(f->facts->strand, place) : 0;
    const struct smrf_held_result put = {f->dst[i], f->version, lanes, slot, true, f->dst_reg[i]};
    (void)sub;
    (void)cycle;
    replace_(m, f->warp, f->dst_reg[i], slot, lanes, f->version);
    smrf_held_outdated(&w->held, f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    if (place) {
        put_(m, f, &put, row);
    }
    return place != 0;
}

/* --- what it publishes, and what must hold ---------------------------------------------------------- */

enum index { SMRF_RFC_SOFTWARE_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources: distinct source registers", INDEX_hits, INDEX_sources},
    {"reads_per_value", "reads", "hits / kept: reads of a cached value, mean", INDEX_hits, INDEX_kept},
    SMRF_RFC_SOFTWARE_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_rfc_software *)m)->stats;
}

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(operand_reads_, sm->operand_reads)
SMRF_LAW_SIDE(hits_and_misses_, OWN(hits) + OWN(misses))
SMRF_LAW_SIDE(misses_, OWN(misses))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(kept_, OWN(kept) + OWN(copied))
SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(dropped) + OWN(evicted) + OWN(outdated) + OWN(ended) +
                          OWN(resident))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(direct_and_evicted_, OWN(direct) + OWN(evicted))
SMRF_LAW_SIDE(resident_, OWN(resident))
SMRF_LAW_SIDE(faults_resident_, OWN(faults_resident))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"RFC sources", "sources of collected instructions", "operands read", sources_, operand_reads_},
    {"RFC reads", "sources of collected instructions", "hits + misses", sources_, hits_and_misses_},
    {"RFC misses", "reads from the banks", "bank reads", misses_, bank_reads_},
    {"RFC results", "results that went to a file + copied to a bank",
     "overwritten + dropped + evicted + outdated + ended + resident", kept_, fates_},
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
    .probe = probe_,
    .issued = issued_,
    .written = written_,
};

static const char *const defaults[] = {"issue.scheduler=two_level", "scoreboard.war=on", NULL};

/* No tags. */
static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    (void)setup;
    shape->tags = false;
}

const struct smrf_mechanism smrf_rfc_software_mechanism = {
    .name = "rfc-software",
    .summary = "operands where the compiler places them: last-result file, operand file, banks; "
               "two-level scheduler",
    .family = &smrf_rfc_software_family,
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

static const struct smrf_param params[] = {SMRF_RFC_SOFTWARE_PARAMS(SMRF_PARAM_ROW)};
static const struct smrf_mechanism *const mechanisms[] = {&smrf_rfc_software_mechanism, NULL};

const struct smrf_family smrf_rfc_software_family = {
    .name = "rfc_software",
    .options = {params, sizeof params / sizeof *params},
    .mechanism = mechanisms,
};
