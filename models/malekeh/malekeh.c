/* SPDX-License-Identifier: Apache-2.0 */
/* The caching collector units of an SM: who owns which, what enters and leaves them. */
#include "malekeh.h"

#include "models/bank/bank.h"
#include "models/common/smrf_bits.h"
#include "models/common/smrf_value.h"

#include <string.h>

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

size_t smrf_malekeh_bytes(const struct smrf_mechanism_setup *setup)
{
    return aligned_(sizeof(struct smrf_malekeh)) +
           (size_t)setup->sm.subcores * setup->rf.collectors * sizeof(struct smrf_ccu);
}

const char *smrf_malekeh_check(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_malekeh_params *o = setup->options;
    if (setup->rf.collector_slots > 1) {
        return "a caching collector unit holds one instruction: use rf.collector_slots=1";
    }
    if (o->allocation == SMRF_MALEKEH_PRIVATE &&
        setup->rf.collectors != setup->sm.warps / setup->sm.subcores) {
        return "malekeh.allocation=private gives every warp a collector unit: set rf.collectors to "
               "sm.warps / sm.subcores (16 at most)";
    }
    if (o->sthld_mode == SMRF_MALEKEH_ADAPTIVE && o->sthld > o->sthld_max) {
        return "malekeh.sthld, the adaptive STHLD's first value, must not exceed "
               "malekeh.sthld_max";
    }
    return NULL;
}

#define OPERANDS 6 /* that an operand collector of Volta and later holds */

/* What the configuration takes: Malekeh (long) III-C, (short) 9.4. An entry has a tag, a lock, a
 * reuse bit and its place in the LRU order, an operand slot the index of its entry. */
static void count_storage_(struct smrf_malekeh *m)
{
    const struct smrf_malekeh_params *o = m->options;
    const uint64_t ccus = (uint64_t)m->subs * m->units, entries = o->ct_entries;
    const uint64_t index = smrf_bits_of(o->ct_entries - 1);
    m->stats.storage_file = (uint64_t)m->setup.sm.registers * 4;
    m->stats.storage_values = ccus * entries * SMRF_WARP_REG_BYTES;
    m->stats.storage_added =
        entries > OPERANDS ? ccus * (entries - OPERANDS) * SMRF_WARP_REG_BYTES : 0;
    m->stats.storage_control = (ccus * (entries * (8 + 1 + 1 + index) + o->slots * index) + 7) / 8;
}

int smrf_malekeh_init(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    const struct smrf_malekeh_params *o = setup->options;
    struct smrf_malekeh *m = state;
    if (smrf_malekeh_check(setup)) {
        return SMRF_ERR_INVAL;
    }
    memset(m, 0, sizeof *m);
    m->setup = *setup;
    m->options = o;
    m->ccu_config = (struct smrf_ccu_config){
        .entries = (uint8_t)o->ct_entries,
        .slots = (uint8_t)o->slots,
        .ports = (uint8_t)o->write_ports,
        .replacement = (uint8_t)o->replacement,
        .write = (uint8_t)o->write,
        .far_write = (uint8_t)o->far_write,
        .partial_allocates = o->partial_allocates,
        .read_marks = o->read_marks,
        .cache = o->cache,
        .port_takes_all = o->port_takes == SMRF_MALEKEH_PORT_RESULT,
    };
    m->units = setup->rf.collectors;
    m->subs = setup->sm.subcores;
    m->sub_shift = (uint32_t)__builtin_ctz(setup->sm.subcores);
    m->sthld = o->sthld;
    count_storage_(m);
    struct smrf_ccu *ccu = (struct smrf_ccu *)((char *)state + aligned_(sizeof *m));
    for (unsigned s = 0; s < m->subs; s++) {
        uint64_t stream = ((uint64_t)sm * SMRF_MAX_SUBCORES + s) * (SMRF_MAX_COLLECTORS + 1);
        m->sub[s].ccu = ccu + (size_t)s * m->units;
        m->waited_at[s] = SMRF_NEVER;
        smrf_rng_seed(&m->sub[s].rng, setup->sim.seed, UINT64_C(0x4d0000) + stream);
        for (unsigned u = 0; u < m->units; u++) {
            int err = smrf_ccu_init(&m->sub[s].ccu[u], &m->ccu_config, setup->sim.seed,
                                    UINT64_C(0x4d0000) + stream + 1 + u);
            if (err) {
                return err;
            }
        }
    }
    return SMRF_OK;
}

/* --- ownership -------------------------------------------------------------------------------- */

static unsigned k_of_(const struct smrf_malekeh *m, unsigned warp)
{
    return warp >> m->sub_shift;
}

/* The masks that follow from a unit's contents. */
static void note_contents_(struct smrf_malekeh_sub *s, unsigned unit)
{
    const struct smrf_ccu *c = &s->ccu[unit];
    uint32_t bit = UINT32_C(1) << unit;
    s->near = smrf_ccu_probe_near(c) ? s->near | bit : s->near & ~bit;
    if (c->warp != SMRF_CCU_NO_WARP && !c->drop) {
        uint64_t warp = UINT64_C(1) << c->warp;
        s->with_data = c->valid ? s->with_data | warp : s->with_data & ~warp;
    }
}

static void disown_(struct smrf_malekeh_sub *s, unsigned k)
{
    s->owners &= ~(UINT64_C(1) << k);
    s->with_data &= ~(UINT64_C(1) << k);
}

/* Warp k takes the unit: its last owner has none now, and k's last unit keeps nothing. */
static void own_(struct smrf_malekeh_sub *s, unsigned k, unsigned unit)
{
    struct smrf_ccu *c = &s->ccu[unit];
    if (c->warp == k && s->owners >> k & 1 && s->unit_of[k] == unit) {
        return;
    }
    if (s->owners >> k & 1) {
        smrf_ccu_abandon(&s->ccu[s->unit_of[k]]);
        note_contents_(s, s->unit_of[k]);
    }
    if (c->warp != SMRF_CCU_NO_WARP) {
        disown_(s, c->warp);
    }
    s->owners |= UINT64_C(1) << k;
    s->unit_of[k] = (uint8_t)unit;
}

/* A warp's registers mean nothing any more. */
static void forget_(struct smrf_malekeh *m, unsigned warp)
{
    struct smrf_malekeh_sub *s = &m->sub[warp & (m->subs - 1)];
    unsigned k = k_of_(m, warp);
    if (!(s->owners >> k & 1)) {
        return;
    }
    unsigned unit = s->unit_of[k];
    m->stats.exit_flushes += s->ccu[unit].valid != 0;
    smrf_ccu_flush(&s->ccu[unit]);
    disown_(s, k);
    note_contents_(s, unit);
}

void smrf_malekeh_start(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    (void)base;
    (void)registers;
    forget_(m, warp); /* its slot's last warp may have left something */
}

void smrf_malekeh_exit(void *m, unsigned warp)
{
    const struct smrf_malekeh *own = m;
    if (own->options->flush_on_exit) {
        forget_(m, warp);
    }
}

/* --- checks, under sim.check ------------------------------------------------------------------ */

static void check_(struct smrf_malekeh *m, unsigned sub, unsigned unit)
{
    const struct smrf_malekeh_sub *s = &m->sub[sub];
    unsigned faults = smrf_ccu_probe_faults(&s->ccu[unit]);
    uint64_t seen = 0;
    m->stats.faults_tags += (faults & SMRF_CCU_FAULT_TAGS) != 0;
    m->stats.faults_locks += (faults & SMRF_CCU_FAULT_LOCKS) != 0;
    for (unsigned u = 0; u < m->units; u++) {
        const struct smrf_ccu *c = &s->ccu[u];
        if (c->warp != SMRF_CCU_NO_WARP && !c->drop) {
            m->stats.faults_owner += seen >> c->warp & 1;
            seen |= UINT64_C(1) << c->warp;
        }
    }
}

/* --- the collector seam ----------------------------------------------------------------------- */

/* Operands as the instruction names them: a register may be named twice. */
static void count_named_(struct smrf_malekeh *m, const struct smrf_flight *f, uint32_t hits)
{
    bool listed = m->setup.rf.base_registers_only;
    const uint8_t *src = listed ? f->op->src_listed : f->op->src;
    unsigned named = listed ? f->op->num_src_listed : f->op->num_src;
    m->stats.named_sources += named;
    if (named == f->num_src) {
        m->stats.named_hits += smrf_count_bits(hits);
        return;
    }
    for (; hits; hits &= hits - 1) {
        unsigned reg = f->src_reg[__builtin_ctz(hits)];
        for (unsigned i = 0; i < named; i++) {
            m->stats.named_hits += src[i] == reg;
        }
    }
}

static void count_allocation_(struct smrf_malekeh *m, const struct smrf_flight *f,
                              const struct smrf_ccu_allocated *a)
{
    m->stats.allocations++;
    m->stats.sources += f->num_src;
    m->stats.hits += smrf_count_bits(a->hits);
    m->stats.misses += smrf_count_bits(a->missing);
    m->stats.values += m->options->cache ? smrf_count_bits(a->missing & ~a->uncached) : 0;
    if (a->uncached && m->options->cache) {
        m->stats.uncached += smrf_count_bits(a->uncached);
        m->stats.wide_instructions++;
    }
    m->stats.flushes += a->flushed;
    m->stats.near_flushed += a->near_flushed;
    m->stats.near_replaced += a->near_replaced;
    m->stats.kept_read += a->first_reads;
    count_named_(m, f, a->hits);
}

uint32_t smrf_malekeh_allocate(void *state, unsigned sub, unsigned unit,
                               const struct smrf_flight *f, uint32_t (*data)[SMRF_LANES],
                               uint32_t *version)
{
    struct smrf_malekeh *m = state;
    struct smrf_malekeh_sub *s = &m->sub[sub];
    struct smrf_ccu *c = &s->ccu[unit];
    unsigned k = k_of_(m, f->warp);
    const struct smrf_ccu_inst in = {f->src_reg, f->near_src, f->num_src, (uint8_t)k};
    struct smrf_ccu_allocated out;

    own_(s, k, unit);
    smrf_ccu_allocate(c, &in, &out);
    for (uint32_t hits = out.hits; hits; hits &= hits - 1) {
        unsigned i = (unsigned)__builtin_ctz(hits);
        smrf_value_hand_on(data, i, c->data[c->slot_index[i]]);
        version[i] = c->version[c->slot_index[i]];
    }
    note_contents_(s, unit);
    count_allocation_(m, f, &out);
    if (m->setup.sim.check) {
        check_(m, sub, unit);
    }
    return out.missing;
}

void smrf_malekeh_arrive(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f,
                         unsigned i, const uint32_t *data, uint32_t version)
{
    struct smrf_malekeh *m = state;
    (void)f;
    smrf_ccu_arrive(&m->sub[sub].ccu[unit], i, data, version);
}

void smrf_malekeh_dispatch(void *state, unsigned sub, unsigned unit, const struct smrf_flight *f)
{
    struct smrf_malekeh *m = state;
    (void)f;
    m->stats.dispatches++;
    smrf_ccu_dispatch(&m->sub[sub].ccu[unit]);
    note_contents_(&m->sub[sub], unit);
}

static void count_result_(struct smrf_malekeh *m, uint32_t outcome, bool near)
{
    if (outcome & SMRF_CCU_KEPT) {
        m->stats.kept++;
        m->stats.values++;
        m->stats.near_kept += near;
        m->stats.kept_in_place += (outcome & SMRF_CCU_PRESENT) != 0;
        m->stats.near_replaced += (outcome & SMRF_CCU_NEAR_REPLACED) != 0;
        return;
    }
    m->stats.filtered += (outcome & SMRF_CCU_FILTERED) != 0;
    m->stats.port_drops += (outcome & SMRF_CCU_NO_PORT) != 0;
    m->stats.no_room += (outcome & SMRF_CCU_NO_ROOM) != 0;
    m->stats.locked_results += (outcome & SMRF_CCU_LOCKED) != 0;
    m->stats.invalidations += (outcome & SMRF_CCU_INVALIDATED) != 0;
}

bool smrf_malekeh_write(void *state, unsigned sub, const struct smrf_flight *f, unsigned i,
                        const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct smrf_malekeh *m = state;
    struct smrf_malekeh_sub *s = &m->sub[sub];
    unsigned k = k_of_(m, f->warp);
    bool near = f->near_dst >> i & 1;
    m->stats.results++;
    m->stats.near_results += near;
    if (f->dst[i].row == SMRF_ROW_NONE) { /* no bank holds it: nothing to have a copy of */
        m->stats.filtered++;
        return false;
    }
    if (!(s->owners >> k & 1)) {
        m->stats.homeless++;
        return false;
    }
    unsigned unit = s->unit_of[k];
    const struct smrf_ccu_result in = {row,           cycle, f->version,
                                       f->dst_reg[i], near,  lanes != UINT32_MAX};
    uint32_t outcome = smrf_ccu_write(&s->ccu[unit], &in);
    count_result_(m, outcome, near);
    note_contents_(s, unit);
    if (m->setup.sim.check) {
        check_(m, sub, unit);
    }
    return (outcome & SMRF_CCU_KEPT) != 0;
}

const uint32_t *smrf_malekeh_copy(const void *state, unsigned sub, unsigned warp, unsigned reg)
{
    const struct smrf_malekeh *m = state;
    const struct smrf_malekeh_sub *s = &m->sub[sub];
    unsigned k = k_of_(m, warp);
    return s->owners >> k & 1 ? smrf_ccu_probe_copy(&s->ccu[s->unit_of[k]], reg) : NULL;
}
