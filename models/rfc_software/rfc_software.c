/* SPDX-License-Identifier: Apache-2.0 */
#include "rfc_software.h"

#include "models/common/smrf_bits.h"
#include "models/issue/dependence.h"

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_rfc_software);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_rfc_software *m = state;
    (void)sm;
    return smrf_register_cache_init(m, sizeof *m, setup, (uint64_t *)&m->stats);
}

static void wish_(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish)
{
    const struct smrf_rfc_software_params *options = setup->options;
    wish->operand_entries = options->entries;
    wish->last_result = options->last_result;
    wish->read_operands = options->read_operands;
}

static struct smrf_cached_values *held_(struct smrf_rfc_software *m, unsigned warp)
{
    return &m->cache.warp[warp].values;
}

/* --- the life of a warp ----------------------------------------------------------------------- */

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_rfc_software *m = state;
    m->warp[warp] = (struct smrf_rfc_software_warp){.done = 0};
    smrf_register_cache_start(m, warp, base, registers);
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_rfc_software *m = state;
    const struct smrf_cached_values *e = held_(m, warp);
    smrf_register_cache_exit(&m->cache, warp, (uint64_t)e->count + e->leaving);
    m->warp[warp].facts = m->warp[warp].next = NULL; /* nothing holds it on the list */
}

/* --- what the compiler told ------------------------------------------------------------------- */

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

static struct smrf_operands operands_(const struct smrf_rfc_software *m,
                                      const struct smrf_static_inst *op)
{
    return smrf_operands_of(op, m->cache.setup.rf.base_registers_only);
}

static unsigned told_(const struct smrf_inst_facts *facts, const struct smrf_operands *o,
                      unsigned reg)
{
    return facts ? look_up_(o->src, facts->src_place, o->num_src, reg) : 0;
}

/* From where a source is read. */
static unsigned src_place_(const struct smrf_inst_facts *facts, const struct smrf_operands *o,
                           unsigned reg)
{
    const unsigned told = told_(facts, o, reg);
    return told & SMRF_PLACE_FROM_BANK ? 0 : told;
}

/* To where it is brought from its bank, 0: nowhere. */
static unsigned brought_to_(const struct smrf_inst_facts *facts, const struct smrf_operands *o,
                            unsigned reg)
{
    const unsigned told = told_(facts, o, reg);
    return told & SMRF_PLACE_FROM_BANK ? told & ~(unsigned)SMRF_PLACE_FROM_BANK : 0;
}

static unsigned dst_place_(const struct smrf_inst_facts *facts, const struct smrf_operands *o,
                           unsigned reg)
{
    return facts ? look_up_(o->dst, facts->dst_place, o->num_dst, reg) : 0;
}

/* --- entries ---------------------------------------------------------------------------------- */

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
    smrf_register_cache_leave(&m->cache, warp, n, stays);
    m->stats.copied += stays;
    m->stats.resident += stays;
}

/* Lanes of the n-th of the queue are no longer wanted. Returns whether it went with the last of
 * them: to its bank, if that has what other lanes of the register need and this is its newest
 * result, as that of `replaced` is not. */
static bool strip_(struct smrf_rfc_software *m, unsigned warp, unsigned n, uint32_t lanes,
                   unsigned replaced)
{
    const struct smrf_rfc_software_warp *w = &m->warp[warp];
    struct smrf_cached_values *e = held_(m, warp);
    const struct smrf_cached_value *v = smrf_cached_queued(e, n);
    const bool others = v->dirty && v->reg != replaced && !w->pending[v->reg] && w->facts &&
                        smrf_program_set_has(&w->facts->live, v->reg);
    const bool stays = (v->lanes & ~lanes) != 0, last = !(v->dirty & ~lanes);
    if (others && last && !smrf_cached_may_leave(e)) {
        return false;
    }
    if (others && last) {
        m->stats.joined++;
        leave_(m, warp, n, stays);
    }
    if (stays) {
        smrf_cached_lose(e, n, lanes);
        return false;
    }
    if (others) {
        return true;
    }
    smrf_register_cache_drop(&m->cache, warp, n);
    m->stats.dropped++;
    m->stats.resident--;
    return true;
}

/* Lanes that are in this strand have done with their others, and, if they have just come to it,
 * with what they left in it before. */
static void enter_strand_(struct smrf_rfc_software *m, unsigned warp, uint32_t strand,
                          uint32_t lanes)
{
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    const struct smrf_cached_values *e = held_(m, warp);
    const uint32_t come = lanes & w->done;
    w->done &= ~lanes;
    for (unsigned n = 0; n < e->count;) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, n);
        const bool old = v->slot / SMRF_RFC_SOFTWARE_PLACES != strand;
        const uint32_t gone = w->readers[place_of_(v->slot)] ? 0 : old ? lanes : come;
        n += !(gone && strip_(m, warp, n, gone, SMRF_REG_ZERO));
    }
}

/* A value of a register comes: of older ones, and of what was at its place, these lanes are gone.
 * slot: of place 0, it goes to the bank alone. */
static void replace_(struct smrf_rfc_software *m, unsigned warp, unsigned reg, uint32_t slot,
                     uint32_t lanes)
{
    struct smrf_cached_values *e = held_(m, warp);
    for (unsigned n = 0; n < e->count;) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, n);
        const bool same = v->slot == slot && v->reg == reg;
        const bool gone = !same && (v->reg == reg || place_of_(v->slot) == place_of_(slot));
        n += !(gone && strip_(m, warp, n, lanes, reg));
    }
}

static bool may_put_(const struct smrf_rfc_software *m, unsigned warp)
{
    const struct smrf_cached_values *e = &m->cache.warp[warp].values;
    return smrf_register_cache_holds(&m->cache, warp) &&
           (e->count < SMRF_CACHED_MAX || smrf_cached_may_leave(e));
}

static void put_(struct smrf_rfc_software *m, const struct smrf_flight *f,
                 const struct smrf_cached_result *put, const uint32_t *data)
{
    struct smrf_cached_values *e = held_(m, f->warp);
    if (e->count == SMRF_CACHED_MAX && smrf_cached_find(e, put->slot, put->reg) < 0) {
        leave_(m, f->warp, 0, false);
    }
    const bool over = smrf_register_cache_put(&m->cache, f->warp, put, data);
    m->stats.kept++;
    m->stats.overwritten += over;
    m->stats.resident += !over;
}

/* --- issue ------------------------------------------------------------------------------------ */

static const struct smrf_cached_value *at_place_(const struct smrf_cached_values *e,
                                                 const struct smrf_inst_facts *facts,
                                                 unsigned place, unsigned reg, uint32_t lanes)
{
    const int n = place ? smrf_cached_find(e, slot_(facts->strand, place), reg) : -1;
    const struct smrf_cached_value *v = n >= 0 ? smrf_cached_queued(e, (unsigned)n) : NULL;
    return v && !(lanes & ~v->lanes) ? v : NULL;
}

/* Does the bank lack lanes of a register, wanted now or not? They are sent there: the newest of a
 * register must be in one place as a whole where it is read. */
static bool bank_lacks_(struct smrf_rfc_software *m, unsigned warp, unsigned reg)
{
    struct smrf_cached_values *e = held_(m, warp);
    bool lacks = false;
    for (unsigned n = 0; n < e->count; n++) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, n);
        const bool here = v->reg == reg && v->dirty;
        lacks |= here;
        if (here && smrf_cached_may_leave(e)) {
            leave_(m, warp, n, true);
        }
    }
    for (unsigned n = 0; n < e->leaving; n++) {
        lacks |= smrf_cached_leaving(e, n)->reg == reg && smrf_cached_leaving(e, n)->dirty;
    }
    return lacks;
}

/* Has an older instruction still to write the place, or to read it? */
static bool in_use_(const struct smrf_rfc_software_warp *w, unsigned place)
{
    return place && (w->readers[place] || w->writers[place] || w->bringers[place]);
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[warp];
    const struct smrf_inst_facts *facts = facts_of_(inst->facts);
    const struct smrf_operands o = operands_(m, inst->op);
    bool lacks = false, collides = false;
    for (unsigned i = 0; i < o.num_src; i++) {
        const unsigned place = src_place_(facts, &o, o.src[i]);
        lacks |= o.src[i] != SMRF_REG_ZERO && !w->pending[o.src[i]] &&
                 !at_place_(held_(m, warp), facts, place, o.src[i], inst->mask) &&
                 bank_lacks_(m, warp, o.src[i]);
        const unsigned to = brought_to_(facts, &o, o.src[i]);
        collides |= w->bringers[place] || in_use_(w, to);
    }
    for (unsigned i = 0; i < o.num_dst; i++) {
        const unsigned place = place_of_(dst_place_(facts, &o, o.dst[i]));
        collides |= in_use_(w, place);
    }
    m->stats.collisions += collides && !(m->cache.waits & smrf_cached_bit(warp));
    m->cache.waits = (m->cache.waits & ~smrf_cached_bit(warp)) | (uint64_t)(lacks || collides)
                                                                     << warp;
    w->next = facts;
    w->next_mask = inst->mask;
    return m->cache.warp[warp].registers != 0 && !lacks && !collides;
}

static void count_(struct smrf_rfc_software *m, const struct smrf_flight *f)
{
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    const struct smrf_operands o = operands_(m, f->op);
    for (unsigned i = 0; i < f->num_read; i++) {
        const unsigned to = brought_to_(f->facts, &o, f->src_reg[i]);
        w->readers[src_place_(f->facts, &o, f->src_reg[i])]++;
        w->bringers[to] = (uint16_t)(w->bringers[to] + (to != 0));
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        if (f->dst_reg[i] != SMRF_REG_ZERO) {
            w->pending[f->dst_reg[i]]++;
            w->writers[place_of_(dst_place_(f->facts, &o, f->dst_reg[i]))]++;
        }
    }
}

static void issued_(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_rfc_software *m = state;
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    smrf_register_cache_issued(&m->cache, f, inst->facts);
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
    count_(m, f);
}

static void written_(void *state, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_rfc_software *m = state;
    const struct smrf_operands o = operands_(m, f->op);
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    w->pending[reg]--;
    w->writers[place_of_(dst_place_(f->facts, &o, reg))]--;
    smrf_register_cache_wake(&m->cache, f->warp);
}

/* --- the scheduler's lists -------------------------------------------------------------------- */

/* Is what the warp does next another strand's, for the lanes that do it? */
static bool between_strands_(struct smrf_rfc_software *m, unsigned warp)
{
    const struct smrf_rfc_software_warp *w = &m->warp[warp];
    const struct smrf_cached_values *e = held_(m, warp);
    bool within = w->facts && !w->facts->ends_strand && !(w->exits && !w->next) &&
                  !(w->next && w->next->strand != w->facts->strand);
    for (unsigned n = 0; w->next && n < e->count; n++) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, n);
        within |= v->slot / SMRF_RFC_SOFTWARE_PLACES == w->next->strand &&
                  (v->lanes & w->next_mask & ~w->done);
    }
    return !within;
}

static bool reads_(const struct smrf_rfc_software_warp *w)
{
    unsigned readers = 0;
    for (unsigned place = 1; place < SMRF_RFC_SOFTWARE_PLACES; place++) {
        readers += (unsigned)w->readers[place] + w->bringers[place];
    }
    return readers != 0;
}

/* Entries go; of those that other lanes may still need, the banks get what they lack. */
static void empty_(struct smrf_rfc_software *m, unsigned warp)
{
    const struct smrf_rfc_software_warp *w = &m->warp[warp];
    const struct smrf_cached_values *e = held_(m, warp);
    const uint32_t done = w->done | (w->next ? w->next_mask : 0);
    for (unsigned n = 0; n < e->count;) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, n);
        if (strip_(m, warp, n, done, SMRF_REG_ZERO)) {
            continue;
        }
        const bool needed =
            v->dirty && (!w->facts || smrf_program_set_has(&w->facts->live, v->reg));
        if (!needed) {
            (void)strip_(m, warp, n, UINT32_MAX, SMRF_REG_ZERO);
        } else if (smrf_cached_may_leave(e)) {
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
    (void)cycle;
    if ((m->cache.waits & smrf_cached_bit(warp)) || !between_strands_(m, warp) ||
        reads_(&m->warp[warp])) {
        return false;
    }
    m->cache.leaving |= smrf_cached_bit(warp);
    empty_(m, warp);
    return smrf_register_cache_gone(&m->cache, warp);
}

/* --- reads ------------------------------------------------------------------------------------ */

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_rfc_software *m = state;
    const struct smrf_operands o = operands_(m, f->op);
    struct smrf_rfc_software_warp *w = &m->warp[f->warp];
    uint32_t missing = 0;
    (void)sub;
    (void)unit;
    for (unsigned i = 0; i < f->num_src; i++) {
        const unsigned place = src_place_(f->facts, &o, f->src_reg[i]);
        const struct smrf_cached_value *v =
            at_place_(held_(m, f->warp), f->facts, place, f->src_reg[i], smrf_flight_lanes(f, i));
        w->readers[place]--;
        m->stats.violations += place && !v;
        if (!v) {
            missing |= UINT32_C(1) << i;
            continue;
        }
        smrf_cached_copy(held_(m, f->warp), v, data ? data[i] : NULL, &version[i]);
        m->stats.hits++;
        m->stats.last_results += place == SMRF_PLACE_LAST_RESULT;
    }
    m->stats.sources += f->num_src;
    m->stats.misses += smrf_count_bits(missing);
    smrf_register_cache_wake(&m->cache, f->warp);
    return missing;
}

/* A source has come from its bank. */
static void arrive_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                    unsigned i, const uint32_t *data, uint32_t version)
{
    struct smrf_rfc_software *m = state;
    const struct smrf_operands o = operands_(m, f->op);
    const unsigned to = i < f->num_read ? brought_to_(f->facts, &o, f->src_reg[i]) : 0;
    (void)sub;
    (void)unit;
    if (!to) {
        return;
    }
    const uint32_t lanes = smrf_flight_lanes(f, i), slot = slot_(f->facts->strand, to);
    m->warp[f->warp].bringers[to]--;
    if (lanes && may_put_(m, f->warp)) {
        const struct smrf_cached_result put = {f->src[i], version, lanes,
                                               slot,      true,    f->src_reg[i]};
        replace_(m, f->warp, f->src_reg[i], slot, lanes);
        put_(m, f, &put, data);
        m->stats.brought++;
    }
    smrf_register_cache_wake(&m->cache, f->warp);
}

/* --- results ---------------------------------------------------------------------------------- */

/* The place of a result that may go to one now, else 0. */
static unsigned open_place_(const struct smrf_rfc_software *m, const struct smrf_flight *f,
                            unsigned i)
{
    const struct smrf_operands o = operands_(m, f->op);
    const unsigned place = dst_place_(f->facts, &o, f->dst_reg[i]);
    return f->dst[i].row != SMRF_ROW_NONE && may_put_(m, f->warp) && f->mask ? place : 0;
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
    const struct smrf_operands o = operands_(m, f->op);
    const uint32_t slot = slot_(f->facts->strand, dst_place_(f->facts, &o, f->dst_reg[i]));
    const struct smrf_cached_result put = {f->dst[i], version, lanes, slot, false, f->dst_reg[i]};
    replace_(m, f->warp, f->dst_reg[i], slot, lanes);
    smrf_cached_renew(held_(m, f->warp), f->dst_reg[i], version);
    put_(m, f, &put, data);
    m->stats.spared++;
}

/* To its bank, and to its place where it has one. */
static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_rfc_software *m = state;
    const unsigned place = place_of_(open_place_(m, f, i));
    const uint32_t slot = place ? slot_(f->facts->strand, place) : 0;
    const struct smrf_cached_result put = {f->dst[i], f->version, lanes, slot, true, f->dst_reg[i]};
    (void)sub;
    (void)cycle;
    replace_(m, f->warp, f->dst_reg[i], slot, lanes);
    smrf_cached_renew(held_(m, f->warp), f->dst_reg[i], f->version);
    smrf_cached_outdated(held_(m, f->warp), f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    if (place) {
        put_(m, f, &put, row);
    }
    return place != 0;
}

/* --- what it publishes, and what must hold ---------------------------------------------------- */

enum index { SMRF_RFC_SOFTWARE_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources; sources are distinct source registers", INDEX_hits,
     INDEX_sources},
    {"reads_per_value", "reads", "hits / kept: reads of a cached value, mean", INDEX_hits,
     INDEX_kept},
    SMRF_RFC_SOFTWARE_STATS(SMRF_MECHANISM_ROW)};

SMRF_LAW_SIDE(results_, OWN(kept) + OWN(copied))
SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(dropped) + OWN(evicted) + OWN(outdated) + OWN(ended) +
                          OWN(resident))

static const struct smrf_mechanism_law laws[] = {
    SMRF_REGISTER_CACHE_LAWS("RFC"),
    SMRF_REGISTER_CACHE_READ_LAWS("RFC"),
    {"RFC results", "what went to a file + copied to a bank",
     "overwritten + dropped + evicted + outdated + ended + resident", results_, fates_},
};

/* --- the mechanism ---------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {
    .allocate = allocate_, .arrive = arrive_, .write = write_};
static const struct smrf_write_seam write = {where_, keep_, smrf_register_cache_evict};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_};
static const struct smrf_schedule_seam schedule = {demote_, smrf_register_cache_promote, NULL};
static const struct smrf_rename_seam rename = {
    .ready = ready_,
    .issued = issued_,
    .written = written_,
};

/* No tags. */
SMRF_REGISTER_CACHE_ENERGY(false, INDEX_brought + 1)

const struct smrf_mechanism smrf_rfc_software_mechanism = {
    SMRF_REGISTER_CACHE_MECHANISM,
    .name = "rfc-software",
    .summary = "operands where the compiler places them: last-result file, operand file, banks; "
               "two-level scheduler",
    .family = &smrf_rfc_software_family,
    .wish = wish_,
};

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY(smrf_rfc_software_family, "rfc_software", SMRF_RFC_SOFTWARE_PARAMS,
                      &smrf_rfc_software_mechanism);
