/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include "models/common/smrf_layout.h"

/* --- issue stage ---------------------------------------------------------------------------------
 */

static void line_(void *ctx, unsigned warp, const struct smrf_simt_line *line,
                  struct smrf_simt_out *out)
{
    struct smrf_plain_sm *p = ctx;
    (void)smrf_simt_step(&p->simt->stack[warp], line, out);
}

static void allocate_(void *ctx, unsigned sub, unsigned collector, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_collectors_enter(&p->sub[sub].collectors, collector, flight);
}

/* --- collectors ----------------------------------------------------------------------------------
 */

static uint32_t enter_(void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                       uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_operand_cache_enter(&p->sub[sub].cache, collector, flight, data, version);
}

static void request_(void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                     const struct smrf_register_place *at, uint32_t sources)
{
    struct smrf_plain_sm *p = ctx;
    smrf_arbiter_request(&p->sub[sub].arbiter, flight, collector, at, sources);
}

static uint32_t read_(void *ctx, unsigned sub, unsigned collector, const struct smrf_read *reads,
                      unsigned count, struct smrf_operand_latches *to)
{
    struct smrf_plain_sm *p = ctx;
    struct smrf_plain_sub *s = &p->sub[sub];
    (void)collector;
    smrf_xbar_transfer(&s->xbar, count);
    for (unsigned n = 0; n < count; n++) {
        struct smrf_bank *bank = &s->bank[smrf_read_bank(&reads[n])];
        const unsigned i = smrf_read_source(&reads[n]);
        if (to) {
            to->version[i] = smrf_bank_read(bank, smrf_read_at(&reads[n]).row, to->data[i]);
        } else {
            smrf_bank_read(bank, smrf_read_at(&reads[n]).row, NULL);
        }
    }
    return smrf_bank_delay(&p->cfg.rf);
}

static void source_(void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                    const uint32_t *data, uint32_t version)
{
    struct smrf_plain_sm *p = ctx;
    smrf_operand_cache_source(&p->sub[sub].cache, collector, flight, i, data, version);
}

static void check_(void *ctx, uint32_t flight, unsigned i, const uint32_t *data, uint32_t version,
                   bool cached)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_check_operand(p->sm, flight, i, data, version, cached);
}

static void collected_(void *ctx, uint32_t flight, uint32_t sources)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_collected(p->sm, flight, sources);
}

static void leave_(void *ctx, unsigned sub, unsigned collector, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_operand_cache_leave(&p->sub[sub].cache, collector, flight);
}

static void dispatch_(void *ctx, unsigned sub, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_units_dispatch(&p->units, sub, flight, *p->wires.cycle);
}

/* --- arbiter -------------------------------------------------------------------------------------
 */

static void grant_(void *ctx, unsigned sub, const struct smrf_read *reads, unsigned count)
{
    struct smrf_plain_sm *p = ctx;
    smrf_collectors_granted(&p->sub[sub].collectors, reads, count);
}

/* --- execution units -----------------------------------------------------------------------------
 */

static void drained_(void *ctx, unsigned sub, unsigned unit)
{
    struct smrf_plain_sm *p = ctx;
    const struct smrf_reading *r = &p->sub[sub].reading;
    if (r->ops) {
        r->ops->drained(r->state, unit);
        return;
    }
    smrf_collectors_drained(&p->sub[sub].collectors, unit);
}

static bool room_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_writeback_room(&p->writeback, flight);
}

static void done_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_writeback_results(&p->writeback, flight);
}

static void access_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_access(p->sm, flight);
}

static void portless_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_writeback_portless(&p->writeback, flight);
}

static bool offer_(void *ctx, uint32_t flight, bool last)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_writeback_offer(&p->writeback, flight, last);
}

static void later_(void *ctx, uint32_t flight, uint64_t due)
{
    struct smrf_plain_sm *p = ctx;
    smrf_units_schedule(&p->units, flight, due);
}

static void answered_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_answered(p->sm, flight);
}

static void stores_(void *ctx, unsigned warp, int32_t delta)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_stores(p->sm, warp, delta);
}

static bool vacant_(void *ctx, unsigned sub, unsigned collector)
{
    struct smrf_plain_sm *p = ctx;
    return p->sub[sub].collectors.free_mask >> collector & 1;
}

/* --- write-back ----------------------------------------------------------------------------------
 */

static bool port_(void *ctx, unsigned sub, unsigned bank)
{
    struct smrf_plain_sm *p = ctx;
    const struct smrf_reading *r = &p->sub[sub].reading;
    return r->ops ? r->ops->port(r->state, bank)
                  : smrf_arbiter_take_write(&p->sub[sub].arbiter, bank);
}

static const uint32_t *value_(void *ctx, uint32_t flight, unsigned i, uint32_t *scratch,
                              uint32_t *version)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_sm_value(p->sm, flight, i, scratch, version);
}

static void write_(void *ctx, const struct smrf_write *w)
{
    struct smrf_plain_sm *p = ctx;
    smrf_bank_write(&p->sub[w->sub].bank[w->at.bank], w->at.row, *p->wires.values ? w->data : NULL,
                    w->lanes, w->version);
}

/* The cache sees the whole register as it is now in its bank. */
static bool result_(void *ctx, const struct smrf_write *w)
{
    struct smrf_plain_sm *p = ctx;
    struct smrf_plain_sub *s = &p->sub[w->sub];
    const struct smrf_bank_row *row = smrf_bank_probe(&s->bank[w->at.bank], w->at.row);
    return smrf_operand_cache_result(&s->cache, w->flight, w->destination,
                                     row ? row->lane : w->data);
}

static void held_(void *ctx, uint32_t flight, unsigned i)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_held(p->sm, flight, i);
}

static bool alone_(void *ctx, uint32_t flight, unsigned i)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_operand_cache_alone(&p->sub[p->flights->record[flight].sub].cache, flight, i);
}

static void keep_(void *ctx, const struct smrf_write *w)
{
    struct smrf_plain_sm *p = ctx;
    smrf_operand_cache_keep(&p->sub[w->sub].cache, w->flight, w->destination, w->data, w->lanes,
                            w->version);
}

static uint32_t evict_(void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_operand_cache_evict(&p->sub[sub].cache, token, data, version);
}

static void released_(void *ctx, uint32_t flight, unsigned reg)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_released(p->sm, flight, reg);
}

static void retired_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_retired(p->sm, flight);
}

static void settled_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_settled(p->sm, flight);
}

/* --- operand cache -------------------------------------------------------------------------------
 */

static void copy_(void *ctx, uint32_t flight, unsigned i, const uint32_t *copy, const uint32_t *row)
{
    struct smrf_plain_sm *p = ctx;
    smrf_sm_check_copy(p->sm, flight, i, copy, row);
}

static uint64_t status_(void *ctx, unsigned sub)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_operand_cache_status(&p->sub[sub].cache);
}

/* --- mapping controller and merge unit
 * ------------------------------------------------------------ */

static unsigned map_(void *ctx, enum smrf_map_question question,
                     const struct smrf_memory_request *r, struct smrf_memory_answer *answer)
{
    struct smrf_plain_sm *p = ctx;
    return smrf_mapping_map(&p->mapping, question, r, answer);
}

static void stored_(void *ctx, const struct smrf_memory_request *r)
{
    struct smrf_plain_sm *p = ctx;
    smrf_mapping_stored(&p->mapping, r);
}

static void loaded_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_mapping_loaded(&p->mapping, flight);
}

static void fenced_(void *ctx, uint32_t flight)
{
    struct smrf_plain_sm *p = ctx;
    smrf_mapping_fenced(&p->mapping, flight);
}

static void part_(void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data)
{
    struct smrf_plain_sm *p = ctx;
    (void)sub;
    if (*p->wires.values) {
        smrf_merges_take(&p->merges, flight, i, data);
    }
}

static void merged_(void *ctx, uint32_t flight, unsigned i, uint32_t *data)
{
    struct smrf_plain_sm *p = ctx;
    smrf_merges_value(&p->merges, flight, i, data);
}

/* --- construction --------------------------------------------------------------------------------
 */

/* What lies behind the store. */
struct tail_ {
    struct smrf_bank_row *rows; /* of all banks of all sub-cores */
    uint32_t *versions;         /* of them */
    void *sm;
};

/* store NULL: adds up alone. Returns the bytes of all. */
static size_t lay_out_(struct smrf_plain_store *store, const struct smrf_sm_config *cfg,
                       struct tail_ *tail)
{
    const size_t rows =
        (size_t)smrf_bank_rows(&cfg->sm, &cfg->rf) * cfg->rf.banks * cfg->sm.subcores;
    struct smrf_layout a = {.base = (unsigned char *)store};
    (void)smrf_layout_take(&a, sizeof *store);
    tail->rows = smrf_layout_take(&a, rows * sizeof *tail->rows);
    tail->versions = smrf_layout_take(&a, rows * sizeof *tail->versions);
    tail->sm = smrf_layout_take(&a, smrf_sm_store_bytes(cfg));
    return a.used;
}

size_t smrf_plain_store_bytes(const struct smrf_sm_config *cfg)
{
    struct tail_ tail;
    return lay_out_(NULL, cfg, &tail);
}

static int build_sub_(struct smrf_plain_sm *p, struct smrf_plain_store *store, unsigned sub,
                      const struct tail_ *tail, struct smrf_sm_links *links)
{
    const struct smrf_sm_config *cfg = &p->cfg;
    const struct smrf_arbiter_config arbiter = smrf_sm_config_arbiter(cfg);
    const struct smrf_issue_config issue = smrf_sm_config_issue(cfg, sub);
    const uint32_t banks = cfg->rf.banks, depth = smrf_bank_rows(&cfg->sm, &cfg->rf);
    struct smrf_plain_sub *s = &p->sub[sub];
    struct smrf_subcore_blocks *to = &links->sub[sub];

    s->reading = p->reading ? p->reading[sub] : (struct smrf_reading){0};
    if (s->reading.ops) {
        s->reading.ops->reset(s->reading.state);
    }
    *to = (struct smrf_subcore_blocks){
        .issue = &s->issue,
        .collectors = &s->collectors,
        .reading = s->reading,
        .cache = &s->cache,
        .arbiter = &s->arbiter,
        .xbar = &s->xbar,
    };
    smrf_operand_cache_init(&s->cache, links->mechanism, links->mechanism_state, sub, p->flights,
                            &p->wires);
    int err = smrf_issue_init(&s->issue, &store->issue[sub], &issue,
                              p->issue_parts ? &p->issue_parts[sub] : NULL);
    err = err ? err
              : smrf_collectors_init(&s->collectors, &store->collectors[sub], &cfg->rf, sub,
                                     p->flights, &p->wires);
    err =
        err ? err : smrf_arbiter_init(&s->arbiter, &store->arbiter[sub], &arbiter, sub, &p->wires);
    err = err ? err : smrf_xbar_init(&s->xbar, banks, depth);
    for (unsigned b = 0; b < banks && !err; b++) {
        const size_t first = ((size_t)sub * banks + b) * depth;
        to->bank[b] = &s->bank[b];
        err = smrf_bank_init(&s->bank[b], tail->rows + first, tail->versions + first, depth);
    }
    return err;
}

int smrf_plain_build(struct smrf_plain_sm *p, struct smrf_plain_store *store,
                     const struct smrf_sm_config *cfg, struct smrf_sm *sm,
                     struct smrf_sm_links *links)
{
    const struct smrf_units_config units = smrf_sm_config_units(cfg, links->mechanism);
    struct tail_ tail;
    int err = SMRF_OK;

    p->sm = sm;
    p->cfg = *cfg;
    p->flights = &store->flights;
    p->simt = &store->simt;
    p->wires = (struct smrf_wires){
        .ctx = p,
        .cycle = smrf_sm_clock(sm),
        .waiting = &p->writeback.waiting,
        .values = smrf_sm_values(sm),
        .cached = smrf_operand_cache_needed(links->mechanism),
        .mapped = links->mechanism->memory != NULL,
        .line = line_,
        .allocate = allocate_,
        .enter = enter_,
        .request = request_,
        .read = read_,
        .source = source_,
        .check = check_,
        .collected = collected_,
        .leave = leave_,
        .part = part_,
        .dispatch = dispatch_,
        .grant = grant_,
        .drained = drained_,
        .access = access_,
        .room = room_,
        .done = done_,
        .portless = portless_,
        .offer = offer_,
        .later = later_,
        .answered = answered_,
        .stores = stores_,
        .map = map_,
        .stored = stored_,
        .loaded = loaded_,
        .fenced = fenced_,
        .vacant = vacant_,
        .merge = allocate_,
        .port = port_,
        .value = value_,
        .merged = merged_,
        .held = held_,
        .alone = alone_,
        .keep = keep_,
        .evict = evict_,
        .write = write_,
        .result = result_,
        .released = released_,
        .retired = retired_,
        .settled = settled_,
        .copy = copy_,
        .status = status_,
    };
    p->ends = p->wires;
    links->wires = &p->wires;
    links->flights = p->flights;
    links->units = &p->units;
    links->writeback = &p->writeback;
    links->merges = &p->merges;
    links->simt = p->simt;
    (void)lay_out_(store, cfg, &tail);
    links->store = tail.sm;
    smrf_flights_reset(p->flights);
    for (unsigned sub = 0; sub < cfg->sm.subcores && !err; sub++) {
        err = build_sub_(p, store, sub, &tail, links);
    }
    smrf_merges_init(&p->merges, p->flights, &p->wires);
    smrf_mapping_init(&p->mapping, links->mechanism, links->mechanism_state, p->flights);
    smrf_writeback_init(&p->writeback, &store->writeback, &cfg->rf, p->flights, &p->wires);
    return err ? err : smrf_units_init(&p->units, &units, p->flights, &p->wires);
}
