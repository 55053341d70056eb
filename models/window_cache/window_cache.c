/* SPDX-License-Identifier: Apache-2.0 */
#include "window_cache.h"

#include "models/common/smrf_bits.h"
#include "models/common/smrf_value.h"
#include "models/counters/sm_stats.h"
#include "models/seam/mechanism_define.h"

#include <string.h>

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static unsigned tables_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_window_cache_params *o = setup->options;
    return o->tables == SMRF_WINDOW_CACHE_PER_WARP ? setup->sm.warps : setup->sm.subcores;
}

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    return aligned_(sizeof(struct smrf_window_cache)) +
           tables_(setup) * sizeof(struct smrf_value_table);
}

static const char *check_(const struct smrf_mechanism_setup *setup)
{
    if (setup->rf.read != SMRF_READ_WINDOW) {
        return "it stands in the Allocate stage: use rf.read=window, for instance --preset "
               "turing-modern";
    }
    if (setup->rf.reuse_cache) {
        return "it takes the place of the compiler's register file cache: use rf.reuse_cache=off";
    }
    return NULL;
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    const struct smrf_window_cache_params *o = setup->options;
    struct smrf_window_cache *m = state;
    (void)sm;
    memset(state, 0, bytes_(setup));
    m->setup = *setup;
    m->config = (struct smrf_value_table_config){
        .entries = o->entries,
        .reads = o->reads,
        .results = o->results,
        .replacement = o->replacement,
        .window = o->window,
    };
    m->per_warp = o->tables == SMRF_WINDOW_CACHE_PER_WARP;
    m->sub_mask = setup->sm.subcores - 1;
    m->table = (struct smrf_value_table *)((char *)state + aligned_(sizeof *m));
    const uint64_t words = (uint64_t)tables_(setup) * o->entries;
    const uint32_t warps = m->per_warp ? 1 : setup->sm.warps / setup->sm.subcores;
    m->stats.storage_values = words * SMRF_WARP_REG_BYTES;
    m->stats.storage_tags = (words * (1 + 8 + smrf_bits_of(warps - 1)) + 7) / 8;
    return check_(setup) ? SMRF_ERR_INVAL : smrf_value_table_check(&m->config);
}

static struct smrf_value_table *table_(const struct smrf_window_cache *m, unsigned warp)
{
    return &m->table[m->per_warp ? warp : warp & m->sub_mask];
}

/* A warp's registers mean nothing before its start and after its end. */
static void forget_(struct smrf_window_cache *m, unsigned warp)
{
    m->last[warp] = 0;
    smrf_value_table_forget(table_(m, warp), warp);
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

/* --- operands --------------------------------------------------------------------------------- */

/* Sources (bit i) that the compiler marks .reuse. */
static uint32_t marked_(const struct smrf_flight *f)
{
    const struct smrf_static_inst *op = f->op;
    uint32_t marked = 0;
    for (unsigned n = 0; op->src_reuse && n < op->num_src; n++) {
        for (unsigned i = 0; op->src_reuse >> n & 1 && i < f->num_read; i++) {
            marked |= (uint32_t)(f->src_reg[i] == op->src[n]) << i;
        }
    }
    return marked;
}

static uint32_t allocate_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_window_cache *m = state;
    struct smrf_value_table *t = table_(m, f->warp);
    const struct smrf_value_table_reader in = {f->src_reg, f->uid,     f->number, f->near_src,
                                               marked_(f), f->num_src, f->warp};
    const uint32_t all = (uint32_t)((UINT64_C(1) << f->num_src) - 1);
    struct smrf_value_table_found out;
    (void)sub;
    (void)unit;
    smrf_value_table_read(t, &m->config, &in, &out);
    m->last[f->warp] = f->number;
    for (uint32_t hits = out.hits; hits; hits &= hits - 1) {
        const unsigned i = (unsigned)__builtin_ctz(hits);
        smrf_value_hand_on(data, i, t->data[out.entry[i]]);
        version[i] = t->version[out.entry[i]];
    }
    m->stats.entered++;
    m->stats.sources += f->num_src;
    m->stats.hits += smrf_count_bits(out.hits);
    m->stats.misses += smrf_count_bits(all & ~out.hits);
    return all & ~out.hits;
}

static void arrive_(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                    unsigned i, const uint32_t *data, uint32_t version)
{
    struct smrf_window_cache *m = state;
    (void)sub;
    (void)unit;
    m->stats.values +=
        smrf_value_table_arrive(table_(m, f->warp), f->uid, f->warp, f->src_reg[i], data, version);
}

/* --- results ---------------------------------------------------------------------------------- */

static bool write_(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                   const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_window_cache *m = state;
    const uint32_t window = m->config.window;
    const struct smrf_value_table_result in = {
        .row = row,
        .version = f->version,
        .number = f->number,
        .warp = f->warp,
        .reg = f->dst_reg[i],
        .near = f->near_dst >> i & 1,
        .late =
            f->dst[i].row == SMRF_ROW_NONE || (window && m->last[f->warp] >= f->number + window),
    };
    (void)sub;
    (void)lanes;
    (void)cycle;
    const enum smrf_value_table_outcome outcome =
        smrf_value_table_write(table_(m, f->warp), &m->config, &in);
    m->stats.results++;
    m->stats.kept += outcome == SMRF_VALUE_TABLE_KEPT;
    m->stats.values += outcome == SMRF_VALUE_TABLE_KEPT;
    m->stats.dropped += outcome == SMRF_VALUE_TABLE_DROPPED;
    return outcome == SMRF_VALUE_TABLE_KEPT;
}

static const uint32_t *copy_(const void *state, unsigned sub, unsigned warp, unsigned reg)
{
    const struct smrf_window_cache *m = state;
    (void)sub;
    return smrf_value_table_probe(table_(m, warp), warp, reg);
}

/* --- what it publishes, and what must hold ---------------------------------------------------- */

enum index { SMRF_WINDOW_CACHE_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources, of instructions of fixed latency", INDEX_hits,
     INDEX_sources},
    {"reads_per_value", "reads", "hits / values: reads of a cached value, mean", INDEX_hits,
     INDEX_values},
    {"write_ratio", "", "kept / results: writes of the table of all register writes", INDEX_kept,
     INDEX_results},
    SMRF_WINDOW_CACHE_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_window_cache *)m)->stats;
}

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(hits_and_misses_, OWN(hits) + OWN(misses))
SMRF_LAW_SIDE(hits_, OWN(hits))
SMRF_LAW_SIDE(cache_hits_, sm->cache_hits)
SMRF_LAW_SIDE(reads_, sm->operand_reads - OWN(hits))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(results_, OWN(results))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(kept_, OWN(kept))
SMRF_LAW_SIDE(cache_writes_, sm->cache_writes)

static const struct smrf_mechanism_law laws[] = {
    {"table sources", "sources that were looked up", "hits + misses", sources_, hits_and_misses_},
    {"table hits", "hits of the tables", "operands of the SMs that no bank delivered", hits_,
     cache_hits_},
    {"table reads", "operands read, but for hits", "bank reads", reads_, bank_reads_},
    {"write-through", "register writes that the tables saw", "bank writes", results_, bank_writes_},
    {"table writes", "results that the tables kept", "cache writes of the SMs", kept_,
     cache_writes_},
};

/* --- the mechanisms --------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {
    .allocate = allocate_, .arrive = arrive_, .write = write_, .copy = copy_};
static const struct smrf_warp_seam warp = {.start = start_, .exit = exit_};

/* A table is looked up by its tags; results that it keeps reach it by wires of their own. */
static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    const struct smrf_window_cache_params *o = setup->options;
    shape->store_words = (uint16_t)o->entries;
    shape->result_path = o->results != SMRF_WINDOW_CACHE_RESULTS_NONE;
    shape->tags = true;
}

/* Fields and defaults that all of them have. */
#define MARKS (UINT64_C(3) << INDEX_storage_values)
#define COMMON(reuse)                                                                              \
    .at_allocate = true, .wants_reuse = reuse, .family = &smrf_window_cache_family,                \
    .bytes = bytes_, .init = init_, .collector = &collector, .warp = &warp, .check = check_,       \
    .energy_shape = energy_shape_, .counters = counters_, .marks = MARKS, SMRF_MECHANISM_TABLES
#define NO_OTHER "rf.reuse_cache=off"

static const struct smrf_mechanism lru = SMRF_MECHANISM_VARIANT(
    "window-lru", "a larger register file cache before the read stages: 16 registers, LRU",
    COMMON(false), NO_OTHER);
static const struct smrf_mechanism reuse = SMRF_MECHANISM_VARIANT(
    "window-reuse", "the same for operands that the compiler marks .reuse, kept until replaced",
    COMMON(false), NO_OTHER, "window_cache.entries=6", "window_cache.reads=marked");
static const struct smrf_mechanism near = SMRF_MECHANISM_VARIANT(
    "window-near", "the same under Malekeh's policies: near results enter, far values make room",
    COMMON(true), NO_OTHER, "window_cache.results=near", "window_cache.replacement=far_lru");
static const struct smrf_mechanism bow = SMRF_MECHANISM_VARIANT(
    "window-bow", "a table for each warp with what its last 3 instructions read and wrote, as BOW",
    COMMON(false), NO_OTHER, "window_cache.tables=warp", "window_cache.entries=12",
    "window_cache.results=all", "window_cache.replacement=fifo", "window_cache.window=3");
static const struct smrf_mechanism rfc = SMRF_MECHANISM_VARIANT(
    "window-rfc", "a table for each warp with its last 6 results, as RFC, written through",
    COMMON(false), NO_OTHER, "window_cache.tables=warp", "window_cache.entries=6",
    "window_cache.reads=none", "window_cache.results=all", "window_cache.replacement=fifo");

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY_OF_VALUES(smrf_window_cache_family, "window_cache", SMRF_WINDOW_CACHE_PARAMS,
                                SMRF_WINDOW_CACHE_VALUES, &lru, &reuse, &near, &bow, &rfc);
