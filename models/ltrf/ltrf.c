/* SPDX-License-Identifier: Apache-2.0 */
#include "ltrf.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"
#include "models/issue/dependence.h"

#include <string.h>

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_ltrf);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_ltrf *m = state;
    (void)sm;
    const int err = smrf_register_cache_init(m, sizeof *m, setup, (uint64_t *)&m->stats);
    if (!err) {
        m->options = setup->options;
        m->ended = UINT64_MAX;
    }
    return err;
}

static void wish_(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish)
{
    wish->interval_registers = ((const struct smrf_ltrf_params *)setup->options)->entries;
}

static struct smrf_cached_values *held_(struct smrf_ltrf *m, unsigned warp)
{
    return &m->cache.warp[warp].values;
}

/* --- the life of a warp ----------------------------------------------------------------------- */

/* What a warp waits for may have come. Until then it could move freely. */
static inline void go_on_(struct smrf_ltrf *m, unsigned warp)
{
    smrf_register_cache_settle(&m->cache, warp);
    m->stuck &= ~smrf_cached_bit(warp);
}

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_ltrf *m = state;
    go_on_(m, warp);
    memset(&m->warp[warp], 0, sizeof m->warp[warp]);
    smrf_register_cache_start(m, warp, base, registers);
    m->at_barrier &= ~smrf_cached_bit(warp);
    m->begun &= ~smrf_cached_bit(warp);
    m->brings &= ~smrf_cached_bit(warp);
}

static uint64_t dirty_(const struct smrf_cached_values *e)
{
    uint64_t n = e->leaving;
    for (unsigned k = 0; k < e->count; k++) {
        n += smrf_cached_queued(e, k)->dirty != 0;
    }
    return n;
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_ltrf *m = state;
    smrf_register_cache_exit(&m->cache, warp, dirty_(held_(m, warp)));
}

static void barrier_(void *state, unsigned warp, bool waits)
{
    struct smrf_ltrf *m = state;
    m->at_barrier = (m->at_barrier & ~smrf_cached_bit(warp)) | (uint64_t)waits << warp;
    go_on_(m, warp);
    if (!waits) {
        m->cache.services.wake(m->cache.services.ctx, warp);
    }
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
    smrf_register_cache_issued(&m->cache, f, inst->facts);
    go_on_(m, f->warp);
    m->ended |= smrf_cached_bit(f->warp);
    w->readers = (uint16_t)(w->readers + (f->num_src != 0));
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
    go_on_(m, f->warp);
    smrf_register_cache_wake(&m->cache, f->warp);
}

/* --- values that leave ------------------------------------------------------------------------ */

static void leave_(struct smrf_ltrf *m, unsigned warp, unsigned n)
{
    struct smrf_cached_values *e = held_(m, warp);
    const struct smrf_cached_value *v = smrf_cached_queued(e, n);
    const bool dirty = v->dirty != 0;
    const bool dead = dirty && smrf_register_cache_is_dead(&m->cache, warp, v);
    if (dirty && !dead) {
        smrf_register_cache_leave(&m->cache, warp, n, false);
        return;
    }
    m->stats.dead += dead;
    m->stats.resident -= dead;
    smrf_register_cache_drop(&m->cache, warp, n);
}

/* All go that are not of a set (NULL: of the empty one). Returns whether they have left. */
static bool clear_(struct smrf_ltrf *m, unsigned warp, const struct smrf_program_set *but)
{
    struct smrf_cached_values *e = held_(m, warp);
    unsigned kept = 0;
    for (unsigned n = 0; n < e->count;) {
        const bool stays = but && smrf_program_set_has(but, smrf_cached_queued(e, n)->reg);
        if (stays || !smrf_cached_may_leave(e)) {
            kept += !stays;
            n++;
        } else {
            leave_(m, warp, n);
        }
    }
    return kept == 0;
}

/* --- intervals -------------------------------------------------------------------------------- */

/* Can the cache hold the registers of an interval? */
static SMRF_APART bool fits_(const struct smrf_ltrf *m, const struct smrf_program_set *interval)
{
    return smrf_program_set_count(interval) <= m->options->entries;
}

/* The interval of a warp's instruction, NULL: none that the cache can hold. Most instructions are
 * of the interval that the warp is in, whose registers have been counted. */
static inline const struct smrf_program_set *interval_of_(const struct smrf_ltrf *m, unsigned warp,
                                                          const struct smrf_inst_facts *facts)
{
    const struct smrf_program_set *set = facts && !facts->exact ? facts->interval : NULL;
    return !set || set == m->warp[warp].interval || fits_(m, set) ? set : NULL;
}

static bool waits_for_memory_(const struct smrf_ltrf *m, unsigned warp,
                              const struct smrf_static_inst *op)
{
    const struct smrf_operands o = smrf_operands_of(op, m->cache.setup.rf.base_registers_only);
    bool waits = false;
    for (unsigned i = 0; i < o.num_src; i++) {
        waits |= o.src[i] != SMRF_REG_ZERO && m->warp[warp].pending_long[o.src[i]];
    }
    return waits;
}

/* Is a live register of the interval to be brought where it begins? */
static bool wanted_(const struct smrf_ltrf *m, unsigned warp, unsigned reg)
{
    const struct smrf_ltrf_warp *w = &m->warp[warp];
    const struct smrf_cached_warp *h = &m->cache.warp[warp];
    const struct smrf_cached_value *v;
    const bool comes = w->pending[reg] && !smrf_program_set_has(&w->arriving, reg);
    return reg < h->registers && !comes && smrf_cached_find(&h->values, 0, reg) < 0 &&
           smrf_cached_locate(&h->values, reg, UINT32_MAX, &v) != SMRF_CACHED_BOTH;
}

/* Returns false: not yet. */
static bool begin_(struct smrf_ltrf *m, unsigned warp, const struct smrf_program_set *interval)
{
    struct smrf_ltrf_warp *w = &m->warp[warp];
    const struct smrf_cached_warp *h = &m->cache.warp[warp];
    if (!clear_(m, warp, interval)) {
        return false;
    }
    w->interval = interval;
    m->begun |= smrf_cached_bit(warp);
    w->next_op = 0; /* all registers of the interval before have been read */
    m->cache.leaving &= ~smrf_cached_bit(warp);
    m->stats.intervals += interval != NULL;
    if (!interval) {
        return true;
    }
    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t s = interval->w[i] & (h->known ? h->live.w[i] : UINT64_MAX); s; s &= s - 1) {
            w->todo.w[i] |= wanted_(m, warp, 64 * i + (unsigned)__builtin_ctzll(s)) ? s & -s : 0;
        }
    }
    return true;
}

/* Are there registers to be brought? */
static bool todo_(const struct smrf_ltrf_warp *w)
{
    return (w->todo.w[0] | w->todo.w[1] | w->todo.w[2] | w->todo.w[3]) != 0;
}

/* The next operation that brings registers of the interval, NULL: all are here or on their way. */
static struct smrf_static_inst *operation_(struct smrf_ltrf *m, unsigned warp)
{
    struct smrf_ltrf_warp *w = &m->warp[warp];
    if (!todo_(w)) {
        return NULL;
    }
    struct smrf_static_inst *op = &w->op[w->next_op++ % (sizeof w->op / sizeof *w->op)];
    op->op_class = SMRF_CLASS_UNIFORM;
    op->text = "PREFETCH";
    op->num_src = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t *todo = &w->todo.w[i];
        for (; *todo && op->num_src < m->options->prefetch; *todo &= *todo - 1) {
            op->src[op->num_src++] = (uint8_t)(64 * i + (unsigned)__builtin_ctzll(*todo));
        }
    }
    return op;
}

static bool next_(void *state, unsigned warp, const struct smrf_inst *before,
                  struct smrf_micro *micro)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[warp];
    const bool at_barrier = m->at_barrier & smrf_cached_bit(warp);
    smrf_register_cache_settle(&m->cache, warp);
    m->ended &= ~smrf_cached_bit(warp);
    if (!(m->cache.active & smrf_cached_bit(warp)) || !m->cache.warp[warp].registers) {
        return false;
    }
    const struct smrf_program_set *interval = interval_of_(m, warp, before->facts);
    if (!(m->begun & smrf_cached_bit(warp)) || w->interval != interval) {
        if (at_barrier || w->readers || w->left || waits_for_memory_(m, warp, before->op)) {
            m->stuck |= smrf_cached_bit(warp);
            return false;
        }
        if (!begin_(m, warp, interval)) {
            return false;
        }
    }
    const struct smrf_static_inst *op = at_barrier ? NULL : operation_(m, warp);
    if (!op) {
        return false;
    }
    micro->inst.op = op;
    for (unsigned i = 0; i < op->num_src; i++) {
        micro->src_phys[i] = (uint16_t)(m->cache.warp[warp].base + op->src[i]);
    }
    w->left = (uint8_t)(w->left + op->num_src);
    m->brings |= smrf_cached_bit(warp);
    m->stats.operations++;
    return true;
}

/* A register arrives. Lanes that a result has written meanwhile are newer and stay. */
static void read_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t version)
{
    struct smrf_ltrf *m = state;
    struct smrf_cached_values *e = held_(m, f->warp);
    const int n = smrf_cached_find(e, 0, f->src_reg[i]);
    const struct smrf_cached_value *v = n < 0 ? NULL : smrf_cached_queued(e, (unsigned)n);
    const struct smrf_cached_result put = {
        f->src[i], v ? v->version : version, v ? ~v->lanes : UINT32_MAX, 0, true, f->src_reg[i]};
    (void)smrf_register_cache_put(&m->cache, f->warp, &put, data);
    m->brings &= ~((uint64_t)(--m->warp[f->warp].left == 0) << f->warp);
    go_on_(m, f->warp);
    smrf_register_cache_wake(&m->cache, f->warp);
}

/* --- the scheduler's lists -------------------------------------------------------------------- */

static bool demote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_ltrf *m = state;
    struct smrf_register_cache *c = &m->cache;
    (void)cycle;
    if (m->warp[warp].left) {
        return false; /* what is on its way here comes soon */
    }
    m->stats.flushes += c->warp[warp].values.count && !(c->leaving & smrf_cached_bit(warp));
    c->leaving |= smrf_cached_bit(warp);
    m->begun &= ~smrf_cached_bit(warp); /* also if the warp goes on before all have left */
    (void)clear_(m, warp, NULL);
    return smrf_register_cache_gone(c, warp);
}

static bool move_freely_(void *state, unsigned sub, uint64_t warps)
{
    struct smrf_ltrf *m = state;
    return smrf_register_cache_move_freely(&m->cache, sub, warps,
                                           m->brings | m->begun | ~(m->stuck | m->ended));
}

static void promote_(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_ltrf *m = state;
    smrf_register_cache_promote(m, warp, cycle);
    if (!((m->stuck | m->ended) & smrf_cached_bit(warp))) {
        m->cache.services.wake(m->cache.services.ctx, warp);
    }
}

/* --- reads ------------------------------------------------------------------------------------ */

/* What the cache has of sources of which their banks have other lanes is written back first. */
static SMRF_APART bool joined_(struct smrf_ltrf *m, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_cached_values *e = held_(m, warp);
    uint8_t reg[SMRF_MAX_SRC];
    const unsigned parted = smrf_register_cache_parted(&m->cache, warp, inst, reg);
    for (unsigned i = 0; i < parted; i++) {
        const int n = smrf_cached_find(e, 0, reg[i]);
        if (n >= 0 && smrf_cached_may_leave(e)) {
            m->stats.split++;
            leave_(m, warp, (unsigned)n);
        }
    }
    return !parted;
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_ltrf *m = state;
    const struct smrf_ltrf_warp *w = &m->warp[warp];
    const bool allotted = m->cache.warp[warp].registers != 0;
    smrf_register_cache_settle(&m->cache, warp);
    if (!allotted || !(m->cache.active & smrf_cached_bit(warp))) {
        m->stuck &= ~smrf_cached_bit(warp);
        return allotted; /* of a pending warp the policy is asked, not the cache */
    }
    const bool here = m->begun & smrf_cached_bit(warp) &&
                      w->interval == interval_of_(m, warp, inst->facts) && !w->left && !todo_(w);
    const bool ready = here && (!m->cache.warp[warp].values.parted || joined_(m, warp, inst));
    m->cache.waits = (m->cache.waits & ~smrf_cached_bit(warp)) | (uint64_t)!ready << warp;
    return ready;
}

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_ltrf *m = state;
    struct smrf_ltrf_warp *w = &m->warp[f->warp];
    const uint32_t missing = smrf_register_cache_collect(&m->cache, f, data, version);
    (void)sub;
    (void)unit;
    const struct smrf_program_set *interval = !f->micro && f->facts ? f->facts->interval : NULL;
    for (unsigned i = 0; interval && i < f->num_src; i++) {
        m->stats.uncovered +=
            f->src_reg[i] != SMRF_REG_ZERO && !smrf_program_set_has(interval, f->src_reg[i]);
    }
    const unsigned absent = smrf_count_bits(missing);
    m->stats.sources += f->num_src;
    *(f->micro ? &m->stats.fetched : &m->stats.misses) += absent;
    *(f->micro ? &m->stats.returned : &m->stats.hits) += f->num_src - absent;
    if (!f->micro && f->num_src) {
        w->readers--;
        go_on_(m, f->warp);
        smrf_register_cache_wake(&m->cache, f->warp);
    }
    return missing;
}

/* --- results ---------------------------------------------------------------------------------- */

static enum smrf_write_verdict where_(void *state, const struct smrf_flight *f, unsigned i)
{
    struct smrf_ltrf *m = state;
    const struct smrf_ltrf_warp *w = &m->warp[f->warp];
    smrf_register_cache_settle(&m->cache, f->warp);
    if (f->dst[i].row == SMRF_ROW_NONE || !f->mask ||
        !smrf_register_cache_holds(&m->cache, f->warp)) {
        return SMRF_WRITE_BANK; /* of no lanes: nothing to keep */
    }
    if (smrf_cached_find(&m->cache.warp[f->warp].values, 0, f->dst_reg[i]) >= 0) {
        return SMRF_WRITE_COPY;
    }
    const bool named = m->begun & smrf_cached_bit(f->warp) && w->interval &&
                       smrf_program_set_has(w->interval, f->dst_reg[i]);
    return named ? SMRF_WRITE_COPY : SMRF_WRITE_BANK;
}

static void keep_(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                  uint32_t lanes, uint32_t version)
{
    struct smrf_ltrf *m = state;
    struct smrf_cached_values *e = held_(m, f->warp);
    const struct smrf_cached_result put = {f->dst[i], version, lanes, 0, false, f->dst_reg[i]};
    const int n = smrf_cached_find(e, 0, f->dst_reg[i]);
    const bool over = n >= 0 && smrf_cached_queued(e, (unsigned)n)->dirty;
    (void)smrf_register_cache_put(&m->cache, f->warp, &put, data);
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
    struct smrf_cached_values *e = held_(m, f->warp);
    const struct smrf_cached_result put = {f->dst[i], f->version, lanes, 0, true, f->dst_reg[i]};
    const int n = smrf_cached_find(e, 0, f->dst_reg[i]);
    (void)sub;
    (void)cycle;
    smrf_cached_outdated(e, f->dst_reg[i], lanes, f->version);
    m->stats.direct++;
    w->arriving.w[f->dst_reg[i] >> 6] |= UINT64_C(1) << (f->dst_reg[i] & 63);
    if (n >= 0) {
        const struct smrf_cached_value *v = smrf_cached_queued(e, (unsigned)n);
        const bool dirty = v->dirty != 0;
        (void)smrf_register_cache_put(&m->cache, f->warp, &put, row);
        const bool clean = dirty && !v->dirty;
        m->stats.overwritten += clean;
        m->stats.resident -= clean;
    }
    return false;
}

/* --- what it publishes, and what must hold ---------------------------------------------------- */

enum index { SMRF_LTRF_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "",
     "hits / sources; sources are distinct source registers, including those of prefetches",
     INDEX_hits, INDEX_sources},
    SMRF_LTRF_STATS(SMRF_MECHANISM_ROW)};

SMRF_LAW_SIDE(all_reads_, OWN(hits) + OWN(misses) + OWN(fetched) + OWN(returned))
SMRF_LAW_SIDE(from_banks_, OWN(misses) + OWN(fetched))
SMRF_LAW_SIDE(fates_, OWN(overwritten) + OWN(evicted) + OWN(dead) + OWN(outdated) + OWN(ended) +
                          OWN(resident))
SMRF_LAW_SIDE(uncovered_, OWN(uncovered))

static const struct smrf_mechanism_law laws[] = {
    SMRF_REGISTER_CACHE_LAWS("LTRF"),
    {"LTRF reads", "sources of collected instructions and prefetches",
     "hits + misses + fetched + returned", smrf_register_cache_law_sources, all_reads_},
    {"LTRF banks", "misses + fetched", "bank reads", from_banks_,
     smrf_register_cache_law_bank_reads},
    {"LTRF results", "results that went to the cache",
     "overwritten + evicted + dead + outdated + ended + resident", smrf_register_cache_law_kept,
     fates_},
    {"LTRF intervals", "sources that their interval does not name", "none", uncovered_,
     smrf_register_cache_law_none},
};

/* --- the mechanism ---------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {.allocate = allocate_, .write = write_};
static const struct smrf_write_seam write = {where_, keep_, smrf_register_cache_evict};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_, .barrier = barrier_};
static const struct smrf_schedule_seam schedule = {demote_, promote_, move_freely_};
static const struct smrf_micro_seam micro = {.next = next_, .read = read_};
static const struct smrf_rename_seam rename = {
    .ready = ready_,
    .last_read = smrf_register_cache_last_read,
    .issued = issued_,
    .written = written_,
};

SMRF_REGISTER_CACHE_ENERGY(true, INDEX_fetched + 1)

const struct smrf_mechanism smrf_ltrf_mechanism = {
    SMRF_REGISTER_CACHE_MECHANISM,
    .name = "ltrf",
    .summary = "register file cache that is filled at the beginning of intervals, two-level "
               "scheduler",
    .family = &smrf_ltrf_family,
    .wish = wish_,
    .micro = &micro,
};

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY(smrf_ltrf_family, "ltrf", SMRF_LTRF_PARAMS, &smrf_ltrf_mechanism);
