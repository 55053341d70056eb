/* SPDX-License-Identifier: Apache-2.0 */
#include "models/blocks/sm_cores.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_layout.h"

/* Where each wire ends: END(result, wire, (parameters), the call of the core that takes it). */
#define END(result, wire, parameters, call)                                                        \
    static result wire##_ parameters                                                               \
    {                                                                                              \
        struct smrf_sm_cores *p = ctx;                                                             \
        call;                                                                                      \
    }

/* What a wire hands on to a mechanism or a bank: NULL where no values are carried. */
#define CARRIED(data) (*p->wires.values ? (data) : NULL)

static struct smrf_subcore_cores *sub_of_(struct smrf_sm_cores *p, uint32_t flight)
{
    return &p->sub[p->flights->record[flight].sub];
}

static struct smrf_issue *issue_of_(struct smrf_sm_cores *p, uint32_t flight)
{
    return &sub_of_(p, flight)->issue;
}

/* --- from the front end ----------------------------------------------------------------------- */

END(uint64_t, fetch, (void *ctx, unsigned sub, uint32_t pc, uint64_t cycle),
    return p->cfg.frontend.l0_bytes ? smrf_l0_fetch(&p->sub[sub].l0, pc, cycle)
                                    : smrf_icache_fetch(&p->icache, pc, cycle))
END(uint64_t, code_line, (void *ctx, unsigned sub, uint32_t pc, uint64_t cycle, bool waits),
    (void)sub;
    return waits ? smrf_icache_give(&p->icache, pc, cycle)
                 : smrf_icache_fetch(&p->icache, pc, cycle))

/* --- from the issue stage --------------------------------------------------------------------- */

END(void, line,
    (void *ctx, unsigned warp, const struct smrf_simt_line *line, struct smrf_simt_out *out),
    (void)smrf_simt_step(&p->simt->stack[warp], line, out))
static void enter_instruction_(struct smrf_subcore_cores *c, unsigned collector, uint32_t flight,
                               uint64_t cycle)
{
    if (c->reading.free) {
        c->reading.ops->commit(c->reading.state, flight, cycle);
    } else {
        smrf_collectors_enter(&c->collectors, collector, flight);
    }
}

END(void, allocate, (void *ctx, unsigned sub, unsigned collector, uint32_t flight),
    enter_instruction_(&p->sub[sub], collector, flight, *p->wires.cycle))

END(void, flush, (void *ctx, unsigned warp), (void)warp; smrf_ldst_fence(p->inlet.ldst))
END(uint64_t, constant, (void *ctx, unsigned sub, uint32_t address),
    return smrf_icache_fetch(&p->sub[sub].constants, address, *p->wires.cycle))

/* --- from the collectors ---------------------------------------------------------------------- */

END(uint32_t, enter,
    (void *ctx, unsigned sub, unsigned collector, uint32_t flight, uint32_t (*data)[SMRF_LANES],
     uint32_t *version),
    return smrf_operand_cache_enter(&p->sub[sub].cache, collector, flight, CARRIED(data), version))
END(void, request,
    (void *ctx, unsigned sub, unsigned collector, uint32_t flight, const uint32_t *words,
     unsigned count),
    (void)collector;
    smrf_arbiter_request(&p->sub[sub].arbiter, flight, words, count))
END(void, source,
    (void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i, const uint32_t *data,
     uint32_t version),
    smrf_operand_cache_source(&p->sub[sub].cache, collector, flight, i, CARRIED(data), version))
END(void, operands,
    (void *ctx, uint32_t flight, uint32_t sources, const struct smrf_operand_latches *latches,
     bool cached),
    smrf_register_values_operands(&p->values, flight, sources, latches, cached))
END(void, collected, (void *ctx, uint32_t flight, uint32_t sources),
    smrf_issue_collected(issue_of_(p, flight), &p->flights->record[flight], sources,
                         *p->wires.cycle))
END(void, leave, (void *ctx, unsigned sub, unsigned collector, uint32_t flight),
    smrf_operand_cache_leave(&p->sub[sub].cache, collector, flight))
END(void, dispatch, (void *ctx, unsigned sub, uint32_t flight),
    smrf_units_dispatch(&p->units, sub, flight, *p->wires.cycle))

static uint32_t read_(void *ctx, unsigned sub, unsigned collector, const uint32_t *words,
                      unsigned count, struct smrf_operand_latches *to)
{
    struct smrf_sm_cores *p = ctx;
    struct smrf_subcore_cores *s = &p->sub[sub];
    (void)collector;
    smrf_xbar_transfer(&s->xbar, count);
    for (unsigned n = 0; n < count; n++) {
        struct smrf_bank *bank = &s->bank[smrf_read_bank(words[n])];
        const unsigned i = smrf_read_source(words[n]);
        if (to) {
            to->version[i] = smrf_bank_read(bank, smrf_read_at(words[n]).row, to->data[i]);
        } else {
            smrf_bank_read(bank, smrf_read_at(words[n]).row, NULL);
        }
    }
    return smrf_bank_delay(&p->cfg.rf);
}

END(void, part, (void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data),
    (void)sub;
    smrf_merges_take(&p->merges, flight, i, data))

/* --- from the arbiter ------------------------------------------------------------------------- */

END(void, grant, (void *ctx, unsigned sub, uint32_t flight, const uint32_t *words, unsigned count),
    const bool taken = smrf_collectors_granted(&p->sub[sub].collectors, flight, words, count);
    SMRF_ASSERT(taken))

/* --- from the execution units and the load/store unit ----------------------------------------- */

END(void, drained, (void *ctx, unsigned sub, unsigned unit),
    smrf_subcore_drained(&p->sub[sub], unit))
END(bool, room, (void *ctx, uint32_t flight), return smrf_writeback_room(&p->writeback, flight))
END(void, done, (void *ctx, uint32_t flight), smrf_writeback_results(&p->writeback, flight))
END(void, access, (void *ctx, uint32_t flight), SMRF_CALL_LISTENERS(&p->hooks, arrived, flight);
    smrf_ldst_inlet_take(&p->inlet, flight, *p->wires.cycle))
END(void, portless, (void *ctx, uint32_t flight), smrf_writeback_portless(&p->writeback, flight))
END(bool, offer, (void *ctx, uint32_t flight, bool last),
    return smrf_writeback_offer(&p->writeback, flight, last))
END(void, later, (void *ctx, uint32_t flight, uint64_t due),
    smrf_units_schedule(&p->units, flight, due))
END(void, answered, (void *ctx, uint32_t flight),
    smrf_issue_answered(issue_of_(p, flight), &p->flights->record[flight], *p->wires.cycle))
END(void, stores, (void *ctx, unsigned warp, int32_t delta),
    smrf_issue_stores(&p->sub[warp & (p->cfg.sm.subcores - 1)].issue, warp >> p->shift, delta,
                      *p->wires.cycle))
END(bool, vacant, (void *ctx, unsigned sub, unsigned collector),
    return smrf_subcore_vacant(&p->sub[sub], collector))
END(unsigned, map,
    (void *ctx, enum smrf_map_question question, const struct smrf_memory_request *r,
     struct smrf_memory_answer *answer),
    return smrf_mapping_map(&p->mapping, question, r, answer))
END(void, stored, (void *ctx, const struct smrf_memory_request *r),
    smrf_mapping_stored(&p->mapping, r))
END(void, loaded, (void *ctx, uint32_t flight), smrf_mapping_loaded(&p->mapping, flight))
END(void, fenced, (void *ctx, uint32_t flight), smrf_mapping_fenced(&p->mapping, flight))
END(void, merge, (void *ctx, unsigned sub, unsigned collector, uint32_t flight),
    smrf_subcore_merge(&p->sub[sub], collector, flight, *p->wires.cycle))
END(void, merged, (void *ctx, uint32_t flight, unsigned i, uint32_t *data),
    smrf_merges_value(&p->merges, flight, i, data))

/* --- from write-back -------------------------------------------------------------------------- */

END(bool, port, (void *ctx, unsigned sub, unsigned bank),
    return smrf_subcore_take_port(&p->sub[sub], bank))
END(const uint32_t *, value,
    (void *ctx, uint32_t flight, unsigned i, uint32_t *scratch, uint32_t *version),
    return smrf_register_values_result(&p->values, flight, i, scratch, version))
END(void, shared, (void *ctx, uint32_t flight, unsigned i),
    smrf_register_values_shared(&p->values, flight, i,
                                &sub_of_(p, flight)->bank[p->flights->record[flight].dst[i].bank]))
END(void, forward, (void *ctx, const struct smrf_write *w),
    p->sub[w->sub].reading.ops->forward(p->sub[w->sub].reading.state, w))
END(bool, alone, (void *ctx, uint32_t flight, unsigned i),
    return smrf_operand_cache_alone(&sub_of_(p, flight)->cache, flight, i))
END(void, keep, (void *ctx, const struct smrf_write *w),
    smrf_operand_cache_keep(&p->sub[w->sub].cache, w->flight, w->destination, CARRIED(w->data),
                            w->lanes, w->version))
END(uint32_t, evict, (void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version),
    return smrf_operand_cache_evict(&p->sub[sub].cache, token, CARRIED(data), version))
END(void, write, (void *ctx, const struct smrf_write *w),
    smrf_bank_write(&p->sub[w->sub].bank[w->at.bank], w->at.row, CARRIED(w->data), w->lanes,
                    w->version))

/* The cache sees the whole register as it is now in its bank. */
static bool result_(void *ctx, const struct smrf_write *w)
{
    struct smrf_sm_cores *p = ctx;
    struct smrf_subcore_cores *s = &p->sub[w->sub];
    struct smrf_bank_row scratch;
    const struct smrf_bank_row *row =
        *p->wires.values ? smrf_bank_probe(&s->bank[w->at.bank], w->at.row, &scratch) : NULL;
    return smrf_operand_cache_result(&s->cache, w->flight, w->destination,
                                     row ? row->lane : CARRIED(w->data));
}

static void released_(void *ctx, uint32_t flight, unsigned reg)
{
    struct smrf_sm_cores *p = ctx;
    SMRF_CALL_LISTENERS(&p->hooks, released, flight, reg);
    smrf_issue_released(issue_of_(p, flight), &p->flights->record[flight], reg, *p->wires.cycle);
}

static void retired_(void *ctx, uint32_t flight)
{
    struct smrf_sm_cores *p = ctx;
    smrf_ldst_inlet_retired(&p->inlet, flight);
    SMRF_CALL_LISTENERS(&p->hooks, retired, flight);
    smrf_issue_retired(issue_of_(p, flight), flight, *p->wires.cycle);
}

/* Register by register, where a listener takes part. */
static SMRF_APART void settle_apart_(struct smrf_sm_cores *p, uint32_t flight)
{
    const struct smrf_flight *f = &p->flights->record[flight];
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        released_(p, flight, f->dst_reg[i]);
    }
    retired_(p, flight);
}

static void settled_(void *ctx, uint32_t flight)
{
    const uint32_t observed = UINT32_C(1) << SMRF_HOOK_released | UINT32_C(1) << SMRF_HOOK_retired;
    struct smrf_sm_cores *p = ctx;
    if (p->hooks.hooked & observed) {
        settle_apart_(p, flight);
        return;
    }
    struct smrf_issue *issue = issue_of_(p, flight);
    if (p->wires.mapped) {
        smrf_issue_usable(issue, flight, *p->wires.cycle);
        smrf_ldst_inlet_retired(&p->inlet, flight);
        smrf_issue_retired(issue, flight, *p->wires.cycle);
    } else {
        smrf_issue_settled(issue, flight, *p->wires.cycle);
    }
}

/* --- from the operand cache ------------------------------------------------------------------- */

static void copied_(void *ctx, uint32_t flight, unsigned i, const uint32_t *copy,
                    const uint32_t *row)
{
    const struct smrf_sm_cores *p = ctx;
    SMRF_CALL_LISTENERS(&p->hooks, copied, flight, i, copy, row);
}

END(uint64_t, status, (void *ctx, unsigned sub),
    return smrf_operand_cache_status(&p->sub[sub].cache))

#define AT(wire) .wire = wire##_
static const struct smrf_wires ends_ = {
    AT(line),     AT(allocate),  AT(enter),     AT(request),  AT(read),     AT(source),
    AT(operands), AT(collected), AT(leave),     AT(part),     AT(dispatch), AT(grant),
    AT(drained),  AT(access),    AT(room),      AT(done),     AT(portless), AT(offer),
    AT(later),    AT(answered),  AT(stores),    AT(map),      AT(stored),   AT(loaded),
    AT(fenced),   AT(vacant),    AT(merge),     AT(port),     AT(value),    AT(merged),
    AT(shared),   AT(alone),     AT(keep),      AT(evict),    AT(write),    AT(result),
    AT(flush),    AT(released),  AT(retired),   AT(settled),  AT(copied),   AT(status),
    AT(forward),  AT(fetch),     AT(code_line), AT(constant),
};

/* --- construction ----------------------------------------------------------------------------- */

/* What lies behind the store. */
struct tail_ {
    struct smrf_bank_row *rows; /* of all banks of all sub-cores */
    struct smrf_bank_tag *tags; /* of them */
    void *sm;
};

/* store NULL: adds up alone. Returns the bytes of all. */
static size_t lay_out_(struct smrf_sm_cores_store *store, const struct smrf_sm_config *cfg,
                       struct tail_ *tail)
{
    const size_t rows =
        (size_t)smrf_bank_rows(&cfg->sm, &cfg->rf) * cfg->rf.banks * cfg->sm.subcores;
    struct smrf_layout a = {.base = (unsigned char *)store};
    (void)smrf_layout_take(&a, sizeof *store);
    tail->rows = smrf_layout_take(&a, rows * sizeof *tail->rows);
    tail->tags = smrf_layout_take(&a, rows * sizeof *tail->tags);
    tail->sm = smrf_layout_take(&a, smrf_sm_store_bytes(cfg));
    return a.used;
}

size_t smrf_sm_cores_bytes(const struct smrf_sm_config *cfg)
{
    struct tail_ tail;
    return lay_out_(NULL, cfg, &tail);
}

static int build_sub_(struct smrf_sm_cores *p, struct smrf_sm_cores_store *store, unsigned sub,
                      const struct tail_ *tail, struct smrf_sm_links *links)
{
    const struct smrf_sm_config *cfg = &p->cfg;
    const uint32_t rows = smrf_bank_rows(&cfg->sm, &cfg->rf);
    const size_t first = (size_t)sub * cfg->rf.banks * rows;
    const struct smrf_subcore_setup setup = {
        .issue = smrf_sm_config_issue(cfg, sub),
        .frontend = cfg->frontend,
        .arbiter = smrf_sm_config_arbiter(cfg),
        .rows = rows,
        .row = tail->rows + first,
        .tags = tail->tags + first,
        .issue_parts = p->issue_parts ? &p->issue_parts[sub] : NULL,
        .reading = p->reading ? &p->reading[sub] : NULL,
        .flights = p->flights,
        .wires = &p->wires,
        .mechanism = links->mechanism,
        .mechanism_state = links->mechanism_state,
    };
    return smrf_subcore_cores_init(&p->sub[sub], &store->sub[sub], &setup, &links->sub[sub]);
}

int smrf_sm_cores_build(struct smrf_sm_cores *p, struct smrf_sm_cores_store *store,
                        const struct smrf_sm_config *cfg, struct smrf_sm *sm,
                        struct smrf_sm_links *links)
{
    const struct smrf_units_config units = smrf_sm_config_units(cfg, links->mechanism);
    struct tail_ tail;
    int err = SMRF_OK;

    p->cfg = *cfg;
    p->shift = (uint32_t)__builtin_ctz(cfg->sm.subcores);
    p->flights = &store->flights;
    p->simt = &store->simt;
    p->wires = ends_;
    p->wires.ctx = p;
    p->wires.cycle = smrf_sm_clock(sm);
    p->wires.waiting = &p->writeback.waiting;
    p->wires.values = smrf_sm_values(sm);
    p->wires.cached = smrf_operand_cache_needed(links->mechanism);
    p->wires.mapped = links->mechanism->memory != NULL;
    p->wires.operations = links->mechanism->micro != NULL;
    p->ends = p->wires;
    links->wires = &p->wires;
    links->flights = p->flights;
    links->icache = &p->icache;
    links->units = &p->units;
    links->writeback = &p->writeback;
    links->inlet = &p->inlet;
    links->hooks = &p->hooks;
    links->values = &p->values;
    links->simt = p->simt;
    (void)lay_out_(store, cfg, &tail);
    links->store = tail.sm;
    smrf_flights_reset(p->flights);
    err = smrf_icache_init(&p->icache, store->icache_line, &cfg->frontend);
    for (unsigned sub = 0; sub < cfg->sm.subcores && !err; sub++) {
        err = build_sub_(p, store, sub, &tail, links);
    }
    p->wires.forwarded = p->sub[0].reading.ops && p->sub[0].reading.ops->forward;
    p->inlet.merges = &p->merges;
    p->hooks = (struct smrf_hooks){0};
    smrf_merges_init(&p->merges, p->flights, &p->wires);
    smrf_mapping_init(&p->mapping, links->mechanism, links->mechanism_state, p->flights);
    smrf_writeback_init(&p->writeback, &store->writeback, &cfg->rf, p->flights, &p->wires);
    return err ? err : smrf_units_init(&p->units, &units, p->flights, &p->wires);
}
