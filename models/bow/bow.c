/* SPDX-License-Identifier: Apache-2.0 */
#include "bow.h"

#include "models/bank/bank.h"
#include "models/collector/collector.h"
#include "models/common/smrf_bits.h"
#include "models/counters/sm_stats.h"
#include "models/seam/mechanism_define.h"

#include <string.h>

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    return aligned_(sizeof(struct smrf_bow)) +
           (size_t)setup->sm.subcores * setup->rf.collectors * sizeof(struct smrf_boc);
}

static const char *check_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_bow_params *o = setup->options;
    const uint32_t warps = setup->sm.warps / setup->sm.subcores;
    if (!o->bow_private || setup->rf.collectors == warps) {
        return NULL;
    }
    if (warps > SMRF_MAX_COLLECTORS) {
        return "bow.private=on gives every warp a collector, and a sub-core has 16 at most: set "
               "bow.private=off, or sm.warps to 16 x sm.subcores";
    }
    if (warps * setup->rf.collector_slots > SMRF_MAX_COLLECTING) {
        return "bow.private=on gives every warp a collector, and all hold 32 instructions at most: "
               "set rf.collectors to sm.warps / sm.subcores with rf.collector_slots=2, or "
               "bow.private=off";
    }
    return "bow.private=on gives every warp a collector: set rf.collectors to sm.warps / "
           "sm.subcores, or bow.private=off";
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    const struct smrf_bow_params *o = setup->options;
    struct smrf_bow *m = state;
    (void)sm;
    if (check_(setup)) {
        return SMRF_ERR_INVAL;
    }
    memset(m, 0, sizeof *m);
    m->setup = *setup;
    m->options = o;
    m->boc_config = (struct smrf_boc_config){
        .window = (uint8_t)o->bow_window,
        .sources = (uint8_t)o->bow_sources,
        .results = (uint8_t)o->bow_results,
        .flush_on_branch = o->bow_flush_on_branch,
        .counts_entering = o->bow_counts_entering,
    };
    m->units = setup->rf.collectors;
    m->stats.storage_values = (uint64_t)setup->sm.subcores * m->units * o->bow_window *
                              (o->bow_sources + o->bow_results) * SMRF_WARP_REG_BYTES;
    m->slots = setup->rf.collector_slots;
    m->in_use = m->slots < o->bow_window ? m->slots : o->bow_window;
    m->subs = setup->sm.subcores;
    m->sub_shift = (uint32_t)__builtin_ctz(setup->sm.subcores);
    m->boc = (struct smrf_boc *)((char *)state + aligned_(sizeof *m));
    for (unsigned slot = 0; slot < m->units * m->slots; slot++) {
        m->unit_of_slot[slot] = (uint8_t)(slot / m->slots);
    }
    for (unsigned i = 0; i < m->subs * m->units; i++) {
        const unsigned sub = i / m->units, unit = i % m->units;
        m->next[sub][unit] = (uint8_t)(unit * m->slots);
        m->next_slots[sub] |= UINT32_C(1) << m->next[sub][unit];
        int err = smrf_boc_init(&m->boc[i], &m->boc_config);
        if (err) {
            return err;
        }
    }
    return SMRF_OK;
}

/* --- ownership -------------------------------------------------------------------------------- */

static struct smrf_boc *boc_(const struct smrf_bow *m, unsigned sub, unsigned unit)
{
    return &m->boc[sub * m->units + unit];
}

static struct smrf_boc *boc_of_(const struct smrf_bow *m, unsigned sub, unsigned k)
{
    return m->owners[sub] >> k & 1 ? boc_(m, sub, m->unit_of[sub][k]) : NULL;
}

static void forget_(struct smrf_bow *m, unsigned warp)
{
    unsigned sub = warp & (m->subs - 1), k = warp >> m->sub_shift;
    struct smrf_boc *b = boc_of_(m, sub, k);
    if (b) {
        smrf_boc_reset(b);
        m->owners[sub] &= ~(UINT64_C(1) << k);
    }
}

static void start_(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    (void)base;
    (void)registers;
    forget_(m, warp);
}

static void exit_(void *m, unsigned warp)
{
    forget_(m, warp);
}

/* --- allocation ------------------------------------------------------------------------------- */

/* The slot that a collector fills next. */
static unsigned slot_(const struct smrf_bow *m, unsigned sub, unsigned unit)
{
    return m->next[sub][unit];
}

/* The next instruction of a collector goes to the slot behind that of its last one. */
static void advance_(struct smrf_bow *m, unsigned sub, unsigned unit)
{
    const unsigned first = unit * m->slots, now = m->next[sub][unit];
    const unsigned next = now + 1 < first + m->in_use ? now + 1 : first;
    m->next[sub][unit] = (uint8_t)next;
    m->next_slots[sub] = (m->next_slots[sub] & ~(UINT32_C(1) << now)) | UINT32_C(1) << next;
}

/* Collectors that hold no instruction in any slot. */
static uint32_t empty_(const struct smrf_bow *m, uint32_t free_slots)
{
    const uint32_t all = (UINT32_C(1) << m->slots) - 1;
    uint32_t empty = 0;
    if (m->slots == 1) {
        return free_slots;
    }
    for (unsigned u = 0; u < m->units; u++) {
        empty |= (uint32_t)((free_slots >> u * m->slots & all) == all) << u;
    }
    return empty;
}

/* A warp whose collector is full has none. */
static uint64_t eligible_(void *state, unsigned sub, uint32_t free_slots, uint64_t ready)
{
    const struct smrf_bow *m = state;
    for (uint32_t full = m->next_slots[sub] & ~free_slots; full; full &= full - 1) {
        const unsigned unit = m->unit_of_slot[__builtin_ctz(full)];
        const unsigned warp = m->options->bow_private ? unit : boc_(m, sub, unit)->warp;
        ready &= warp == SMRF_BOC_NO_WARP ? UINT64_MAX : ~(UINT64_C(1) << warp);
    }
    return m->options->bow_private || empty_(m, free_slots) ? ready : ready & m->owners[sub];
}

static int pick_(void *state, unsigned sub, unsigned warp, uint32_t free_slots,
                 struct smrf_rng *rng, uint64_t cycle)
{
    const struct smrf_bow *m = state;
    unsigned k = warp >> m->sub_shift;
    (void)cycle;
    if (m->options->bow_private || m->owners[sub] >> k & 1) {
        const unsigned slot = slot_(m, sub, m->options->bow_private ? k : m->unit_of[sub][k]);
        return free_slots >> slot & 1 ? (int)slot : SMRF_PICK_NEXT;
    }
    const uint32_t empty = empty_(m, free_slots);
    return empty
               ? (int)slot_(m, sub, smrf_collectors_choose(empty, m->setup.rf.collector_pick, rng))
               : SMRF_PICK_NEXT;
}

/* --- the collector seam ----------------------------------------------------------------------- */

static uint32_t allocate_(void *state, unsigned sub, unsigned slot, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_bow *m = state;
    const unsigned unit = m->unit_of_slot[slot];
    struct smrf_boc *b = boc_(m, sub, unit);
    unsigned k = f->warp >> m->sub_shift;
    const struct smrf_boc_inst in = {f->src_reg, f->dst_reg, f->number,  f->op->pc,
                                     f->num_src, f->num_dst, (uint8_t)k, data != NULL};
    struct smrf_boc_entered out;

    if (b->warp != SMRF_BOC_NO_WARP && b->warp != k) {
        m->owners[sub] &= ~(UINT64_C(1) << b->warp);
    }
    m->owners[sub] |= UINT64_C(1) << k;
    m->unit_of[sub][k] = (uint8_t)unit;
    advance_(m, sub, unit);
    smrf_boc_enter(b, &in, &out);
    for (uint32_t hits = data ? out.hits : 0; hits; hits &= hits - 1) {
        unsigned i = (unsigned)__builtin_ctz(hits);
        memcpy(data[i], out.value[i]->data, sizeof data[i]);
        version[i] = out.value[i]->version;
    }
    m->stats.entered++;
    m->stats.sources += f->num_src;
    m->stats.hits += smrf_count_bits(out.hits);
    m->stats.misses += smrf_count_bits(out.missing);
    m->stats.unbuffered += out.unbuffered;
    m->stats.values += out.brought;
    m->stats.kept_read += out.first_reads;
    m->stats.flushes += out.flushed;
    m->stats.branch_flushes += out.branched;
    return out.missing;
}

static void arrive_(void *state, unsigned sub, unsigned slot, const struct smrf_flight *f,
                    unsigned i, const uint32_t *data, uint32_t version)
{
    const struct smrf_bow *m = state;
    smrf_boc_arrive(boc_(m, sub, m->unit_of_slot[slot]), f->number, i, data, version);
}

static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_bow *m = state;
    struct smrf_boc *b = boc_of_(m, sub, f->warp >> m->sub_shift);
    (void)lanes;
    (void)cycle;
    m->stats.results++;
    if (!b) {
        m->stats.homeless++;
        return false;
    }
    bool kept = f->dst[i].row != SMRF_ROW_NONE &&
                smrf_boc_write(b, f->number, i, f->dst_reg[i], row, f->version);
    m->stats.kept += kept;
    m->stats.values += kept;
    m->stats.slid_out += !kept;
    return kept;
}

static const uint32_t *copy_(const void *state, unsigned sub, unsigned warp, unsigned reg)
{
    const struct smrf_bow *m = state;
    const struct smrf_boc *b = boc_of_(m, sub, warp >> m->sub_shift);
    return b ? smrf_boc_probe_copy(b, reg) : NULL;
}

/* --- what it publishes, and what must hold ---------------------------------------------------- */

enum index { SMRF_BOW_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources; sources are distinct source registers", INDEX_hits,
     INDEX_sources},
    {"reads_per_value", "reads", "hits / values: reads of a cached value, mean", INDEX_hits,
     INDEX_values},
    {"write_ratio", "", "kept / results: writes of the collectors of all register writes",
     INDEX_kept, INDEX_results},
    SMRF_BOW_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_bow *)m)->stats;
}

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(hits_and_misses_, OWN(hits) + OWN(misses))
SMRF_LAW_SIDE(misses_, OWN(misses))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(results_, OWN(results))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(fates_, OWN(kept) + OWN(slid_out) + OWN(homeless))
SMRF_LAW_SIDE(kept_, OWN(kept))
SMRF_LAW_SIDE(cache_writes_, sm->cache_writes)
SMRF_LAW_SIDE(entered_, OWN(entered))
SMRF_LAW_SIDE(issued_, sm->warp_insts + sm->further_steps)

static const struct smrf_mechanism_law laws[] = {
    {"BOC sources", "sources that entered the BOCs", "hits + misses", sources_, hits_and_misses_},
    {"BOC misses", "misses of the BOCs", "bank reads", misses_, bank_reads_},
    {"write-through", "register writes that the BOCs saw", "bank writes", results_, bank_writes_},
    {"fates of results", "results kept, slid out, homeless", "register writes that the BOCs saw",
     fates_, results_},
    {"BOC writes", "results that the BOCs kept", "cache writes of the SMs", kept_, cache_writes_},
    {"BOC entries", "instructions that entered a BOC", "issued", entered_, issued_},
};

/* --- the mechanisms --------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {
    .allocate = allocate_, .arrive = arrive_, .write = write_, .copy = copy_};
static const struct smrf_allocation_seam allocation = {.pick = pick_, .eligible = eligible_};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_};

/* Data moves between the places of a window even on a hit; results reach every BOC by the wires of
 * the write port (bow.result_crossbar adds a crossbar of their own). Malekeh (long) VI-B3. */
static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    const struct smrf_bow_params *o = setup->options;
    shape->store_words = (uint16_t)(o->bow_window * (o->bow_sources + o->bow_results));
    shape->hit_copies = true;
    shape->result_path = o->bow_result_crossbar;
}

/* Fields that all of them have. */
#define COMMON                                                                                     \
    .family = &smrf_bow_family, .bytes = bytes_, .init = init_, .collector = &collector,           \
    .allocation = &allocation, .warp = &warp, .check = check_, .energy_shape = energy_shape_,      \
    .counters = counters_, .marks = UINT64_C(1) << INDEX_storage_values, SMRF_MECHANISM_TABLES

const struct smrf_mechanism smrf_bow_long = SMRF_MECHANISM_VARIANT(
    "bow-long",
    "BOW: a bypassing collector for every warp, window of 3 (as the long paper compares)", COMMON,
    "bow.private=on", "rf.collectors=8", "rf.collector_slots=3");
const struct smrf_mechanism smrf_bow_short = SMRF_MECHANISM_VARIANT(
    "bow-short",
    "BOW in shared collectors, flushed at taken branches (as the short paper compares)", COMMON,
    "bow.private=off", "bow.flush_on_branch=on", "rf.collector_slots=3");

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY(smrf_bow_family, "bow", SMRF_BOW_PARAMS, &smrf_bow_long, &smrf_bow_short);
