/* SPDX-License-Identifier: Apache-2.0 */
#include "rfc.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_rfc);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_rfc *m = state;
    (void)sm;
    const int err = smrf_register_cache_init(m, sizeof *m, setup, (uint64_t *)&m->stats);
    if (!err) {
        m->options = setup->options;
    }
    return err;
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_rfc *m = state;
    const struct smrf_cached_values *e = &m->cache.warp[warp].values;
    smrf_register_cache_exit(&m->cache, warp, (uint64_t)e->count + e->leaving);
}

static void issued_(void *state, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_rfc *m = state;
    const uint64_t exact = inst->facts && inst->facts->exact;
    smrf_register_cache_issued(&m->cache, f, inst->facts);
    m->stats.by_lookahead += exact;
    m->stats.by_nobody -= exact;
}

/* --- entries that leave ----------------------------------------------------------------------- */

static void leave_(struct smrf_rfc *m, unsigned warp, unsigned n)
{
    struct smrf_cached_values *e = &m->cache.warp[warp].values;
    if (m->options->dead &&
        smrf_register_cache_is_dead(&m->cache, warp, smrf_cached_queued(e, n))) {
        m->stats.dead++;
        m->stats.resident--;
        smrf_register_cache_drop(&m->cache, warp, n);
    } else {
        smrf_register_cache_leave(&m->cache, warp, n, false);
    }
}

static bool demote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_rfc *m = state;
    struct smrf_register_cache *c = &m->cache;
    struct smrf_cached_values *e = &c->warp[warp].values;
    (void)cycle;
    if (c->waits & smrf_cached_bit(warp)) {
        return false; /* for a bank's port and no longer */
    }
    m->stats.flushes += e->count && !(c->leaving & smrf_cached_bit(warp));
    c->leaving |= smrf_cached_bit(warp);
    while (e->count && smrf_cached_may_leave(e)) {
        m->stats.flushed++;
        leave_(m, warp, 0);
    }
    return smrf_register_cache_gone(c, warp);
}

static bool move_freely_(void *state, unsigned sub, uint64_t warps)
{
    struct smrf_register_cache *c = &((struct smrf_rfc *)state)->cache;
    return smrf_register_cache_move_freely(c, sub, warps, c->waits);
}

/* --- reads ------------------------------------------------------------------------------------ */

/* Entries that have some lanes of a source are written back first. Returns whether there are none.
 */
static SMRF_APART bool join_(struct smrf_rfc *m, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_cached_warp *w = &m->cache.warp[warp];
    uint8_t reg[SMRF_MAX_SRC];
    const unsigned parted = smrf_register_cache_parted(&m->cache, warp, inst, reg);
    for (unsigned i = 0; i < parted; i++) {
        const int n = smrf_cached_find(&w->values, 0, reg[i]);
        if (n >= 0 && smrf_cached_may_leave(&w->values)) {
            m->stats.split++;
            leave_(m, warp, (unsigned)n);
        }
        m->cache.waits |= smrf_cached_bit(warp);
    }
    return !parted;
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_rfc *m = state;
    const struct smrf_cached_warp *w = &m->cache.warp[warp];
    return w->registers != 0 && (!w->values.parted || join_(m, warp, inst));
}

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_rfc *m = state;
    const uint32_t missing = smrf_register_cache_collect(&m->cache, f, data, version);
    const unsigned misses = smrf_count_bits(missing);
    (void)sub;
    (void)unit;
    m->stats.sources += f->num_src;
    m->stats.misses += misses;
    m->stats.hits += f->num_src - misses;
    return missing;
}

/* --- results ---------------------------------------------------------------------------------- */

static enum smrf_write_verdict where_(void *state, const struct smrf_flight *f, unsigned i)
{
    struct smrf_rfc *m = state;
    const struct smrf_cached_values *e = &m->cache.warp[f->warp].values;
    smrf_register_cache_settle(&m->cache, f->warp);
    if (f->dst[i].row == SMRF_ROW_NONE || !smrf_register_cache_holds(&m->cache, f->warp)) {
        return SMRF_WRITE_BANK;
    }
    if (smrf_cached_find(e, 0, f->dst_reg[i]) >= 0) {
        return SMRF_WRITE_COPY;
    }
    const bool room = e->count < m->options->entries || smrf_cached_may_leave(e);
    return f->mask && room ? SMRF_WRITE_COPY : SMRF_WRITE_BANK; /* of no lanes: nothing to keep */
}

static void keep_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t lanes, uint32_t version)
{
    struct smrf_rfc *m = state;
    struct smrf_cached_values *e = &m->cache.warp[f->warp].values;
    if (e->count == m->options->entries && smrf_cached_find(e, 0, f->dst_reg[i]) < 0) {
        leave_(m, f->warp, 0);
    }
    const struct smrf_cached_result put = {f->dst[i], version, lanes, 0, false, f->dst_reg[i]};
    const bool over = smrf_register_cache_put(&m->cache, f->warp, &put, data);
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
    smrf_cached_outdated(&m->cache.warp[f->warp].values, f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    return false;
}

/* --- what it publishes, and what must hold ---------------------------------------------------- */

enum index { SMRF_RFC_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources; sources are distinct source registers", INDEX_hits,
     INDEX_sources},
    {"reads_per_value", "reads", "hits / kept: reads of a cached value, mean", INDEX_hits,
     INDEX_kept},
    SMRF_RFC_STATS(SMRF_MECHANISM_ROW)};

SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(evicted) + OWN(dead) + OWN(outdated) + OWN(ended) +
                          OWN(resident))

static const struct smrf_mechanism_law laws[] = {
    SMRF_REGISTER_CACHE_LAWS("RFC"),
    SMRF_REGISTER_CACHE_READ_LAWS("RFC"),
    {"RFC results", "results that went to entries",
     "overwritten + evicted + dead + outdated + ended + resident", smrf_register_cache_law_kept,
     fates_},
};

/* --- the mechanism ---------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {.allocate = allocate_, .write = write_};
static const struct smrf_write_seam write = {where_, keep_, smrf_register_cache_evict};
static const struct smrf_warp_seam warp = {.start = smrf_register_cache_start, .exit = exit_};
static const struct smrf_schedule_seam schedule = {demote_, smrf_register_cache_promote,
                                                   move_freely_};
static const struct smrf_rename_seam rename = {
    .ready = ready_,
    .last_read = smrf_register_cache_last_read,
    .issued = issued_,
};

SMRF_REGISTER_CACHE_ENERGY(true, 0)

const struct smrf_mechanism smrf_rfc_mechanism = {
    SMRF_REGISTER_CACHE_MECHANISM,
    .name = "rfc",
    .summary = "register file cache: results of active warps in a few entries, two-level scheduler",
    .family = &smrf_rfc_family,
};

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY(smrf_rfc_family, "rfc", SMRF_RFC_PARAMS, &smrf_rfc_mechanism);
