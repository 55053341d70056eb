/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_internal.h"

#include "models/bank/bank.h"
#include "models/common/smrf_value.h"

#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* Lane 0 of the value that is made for a write; lane l has l more. */
static uint32_t made_seed_(uint32_t version, unsigned reg)
{
    return version * UINT32_C(2654435761) ^ (uint32_t)reg << 24;
}

static void make_(uint32_t *lane, uint32_t version, unsigned reg)
{
    smrf_value_make_series(lane, made_seed_(version, reg));
}

/* Is it the made value, in all lanes? */
static bool is_made_(const uint32_t *lane, uint32_t version, unsigned reg)
{
    return smrf_value_is_series(lane, made_seed_(version, reg));
}

uint32_t smrf_oracle_differing_(const uint32_t *a, const uint32_t *b, uint32_t lanes)
{
    uint32_t wrong = 0;
    if (lanes == UINT32_MAX && memcmp(a, b, SMRF_WARP_REG_BYTES) == 0) {
        return 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        wrong |= (uint32_t)(a[l] != b[l]) << l;
    }
    return wrong;
}

void smrf_oracle_copy_lanes_(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        memcpy(to, from, SMRF_WARP_REG_BYTES);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        to[l] = from[l];
    }
}

void smrf_oracle_store_(struct smrf_oracle_warp *w, unsigned reg)
{
    if (w->reg[reg].stored) {
        return;
    }
    w->reg[reg].stored = true;
    w->lanes[reg] = w->reg[reg].version ? UINT32_MAX : 0;
    if (w->reg[reg].version) {
        make_(w->value[reg], w->reg[reg].version, reg);
    }
}

void smrf_oracle_unstore_(struct smrf_oracle_warp *w, unsigned reg)
{
    if (w->lanes[reg] == UINT32_MAX && is_made_(w->value[reg], w->reg[reg].version, reg)) {
        w->reg[reg].stored = false;
    }
}

void smrf_oracle_forget_(struct smrf_oracle_warp *w, unsigned reg, uint32_t lanes)
{
    smrf_oracle_change_(w, reg, lanes);
    smrf_oracle_drop_(w, reg, lanes);
}

void smrf_oracle_drop_(struct smrf_oracle_warp *w, unsigned reg, uint32_t lanes)
{
    smrf_oracle_store_(w, reg);
    w->lanes[reg] &= ~lanes;
    w->traced[reg] &= ~lanes;
    if (w->lanes[reg] == 0) {
        w->reg[reg].version = 0;
        w->reg[reg].stored = false;
    }
}

/* --- findings --------------------------------------------------------------------------------- */

struct smrf_finding smrf_oracle_about_(const struct smrf_oracle *o, enum smrf_finding_kind kind,
                                       const struct smrf_flight *f, unsigned reg, uint32_t wrong)
{
    const struct smrf_oracle_warp *w = &o->warp[f->warp];
    const uint32_t lanes = wrong ? wrong : f->mask;
    return (struct smrf_finding){
        .block = w->block,
        .launch = o->launch,
        .block_warp = w->index,
        .pc = f->op->pc,
        .lanes = wrong,
        .kind = (uint8_t)kind,
        .warp = f->warp,
        .lane = (uint8_t)(lanes ? __builtin_ctz(lanes) : 0),
        .reg = (uint8_t)reg,
    };
}

struct smrf_finding *smrf_oracle_keep_(struct smrf_oracle *o, enum smrf_finding_kind kind)
{
    struct smrf_oracle_findings *list = kind == SMRF_FINDING_TRACE ? &o->trace : &o->model;
    return list->count < SMRF_ORACLE_FINDINGS ? &list->first[list->count++] : &list->beyond;
}

struct smrf_finding *smrf_oracle_find_(struct smrf_oracle *o, enum smrf_finding_kind kind,
                                       const struct smrf_flight *f, unsigned reg, uint32_t wrong)
{
    struct smrf_finding *new = smrf_oracle_keep_(o, kind);
    *new = smrf_oracle_about_(o, kind, f, reg, wrong);
    return new;
}

/* --- issue ------------------------------------------------------------------------------------ */

/* Sources of the trace must carry the values that its own earlier writes left. */
static struct smrf_finding *compare_trace_(struct smrf_oracle *o, const struct smrf_oracle_warp *w,
                                           const struct smrf_flight *f,
                                           const struct smrf_inst *inst)
{
    struct smrf_finding *first = NULL;
    for (unsigned i = 0; i < inst->values->num_src && i < inst->op->num_src; i++) {
        unsigned reg = inst->op->src[i];
        uint32_t lanes = inst->mask & w->traced[reg];
        uint32_t wrong = smrf_oracle_differing_(w->value[reg], inst->values->src[i], lanes);
        o->stats.oracle_trace_values++;
        o->stats.oracle_trace_mismatches += wrong != 0;
        if (wrong && !first) {
            first = smrf_oracle_find_(o, SMRF_FINDING_TRACE, f, reg, wrong);
            first->expected = smrf_oracle_found_(w->reg[reg].version, w->value[reg][first->lane]);
            first->found = smrf_oracle_found_(0, inst->values->src[i][first->lane]);
        }
    }
    return first;
}

/* Two loads of the same bytes make the same value, so that a register that holds them may serve
 * both; a register of 32 bits is one however wide its load is. */
static void make_loaded_(uint32_t *value, const struct smrf_inst *inst, unsigned i)
{
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t at = smrf_inst_address(inst, l) + 4 * i;
        value[l] =
            (uint32_t)(at * UINT64_C(0x9e3779b97f4a7c15) >> 32) ^ (inst->op->access_bytes & 3u);
    }
}

/* The trace's value of the flight's destination i, NULL: it has none. Values stand in the order of
 * the full list of destinations, of which a flight may name a part, in another order. */
static const uint32_t *traced_value_(const struct smrf_oracle *o, const struct smrf_flight *f,
                                     const struct smrf_inst *inst, unsigned i)
{
    unsigned at = i;
    if (!inst->values) {
        return NULL;
    }
    if (!o->cfg.whole) {
        for (at = 0; at < inst->op->num_dst && inst->op->dst[at] != f->dst_reg[i]; at++) {
        }
    }
    return at < inst->values->num_dst && at < inst->op->num_dst ? inst->values->dst[at] : NULL;
}

/* A register that the instruction writes and the flight does not name is known no longer. */
static void forget_unnamed_(struct smrf_oracle_warp *w, const struct smrf_inst *inst)
{
    for (unsigned i = 0; i < inst->op->num_dst; i++) {
        w->traced[inst->op->dst[i]] &= ~inst->mask;
    }
}

/* Do other lanes hold what was written before a call that is open, where no save of it reaches
 * memory? It need not lie in the register that these lanes write. */
static bool apart_(struct smrf_oracle *o, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_oracle_calls *c = &o->calls[f->warp];
    bool open = false;
    for (uint32_t n = 0; n < c->count; n++) {
        const bool pending = c->save[n].reg == reg && c->save[n].pending;
        open |= pending;
        c->save[n].apart |= pending && f->mask & ~c->save[n].pending;
    }
    return open && o->warp[f->warp].lanes[reg] & ~f->mask;
}

static void write_(struct smrf_oracle *o, const struct smrf_flight *f, unsigned i,
                   const uint32_t *traced)
{
    struct smrf_oracle_warp *w = &o->warp[f->warp];
    unsigned reg = f->dst_reg[i];
    smrf_oracle_change_(w, reg, f->mask);
    if (!traced && f->mask == UINT32_MAX) {
        w->reg[reg].stored = false;
        w->reg[reg].version = f->version;
        return;
    }
    uint32_t scratch[SMRF_LANES];
    if (!traced) {
        make_(scratch, f->version, reg);
    }
    smrf_oracle_store_(w, reg);
    w->reg[reg].version = f->mask == 0 || apart_(o, f, reg) ? SMRF_ORACLE_ANY : f->version;
    w->lanes[reg] |= f->mask;
    smrf_oracle_copy_lanes_(w->value[reg], traced ? traced : scratch, f->mask);
}

struct smrf_finding *smrf_oracle_issued(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_finding *wrong = NULL;
    struct smrf_oracle_warp *w = &o->warp[f->warp];
    struct smrf_oracle_flight *own = &o->flight[number];

    own->traced = 0;
    for (unsigned i = 0; i < f->num_src; i++) {
        const struct smrf_oracle_register *r = &w->reg[f->src_reg[i]];
        const uint32_t known = r->stored ? w->lanes[f->src_reg[i]] : 0;
        own->source[i] = (struct smrf_oracle_source){r->version, known, r->changes, !r->stored};
    }
    if (!o->values) {
        bool loaded = o->cfg.shares && f->op->op_class == SMRF_CLASS_LOAD &&
                      inst->addr_kind != SMRF_ADDR_NONE;
        for (unsigned i = 0; i < f->num_dst; i++) {
            uint32_t *value = loaded ? o->traced[number][i] : NULL;
            if (loaded) {
                own->traced |= UINT32_C(1) << i;
                make_loaded_(value, inst, i);
            }
            write_(o, f, i, value);
        }
        return NULL;
    }
    if (inst->values) {
        wrong = compare_trace_(o, w, f, inst);
    }
    if (o->cfg.logs &&
        (f->op->op_class == SMRF_CLASS_STORE || f->op->op_class == SMRF_CLASS_ATOMIC)) {
        smrf_oracle_stored_(o, inst);
    }
    forget_unnamed_(w, inst);
    for (unsigned i = 0; i < f->num_dst; i++) {
        const uint32_t *traced = traced_value_(o, f, inst, i);
        if (traced) {
            own->traced |= UINT32_C(1) << i;
            memcpy(o->traced[number][i], traced, SMRF_WARP_REG_BYTES);
            w->traced[f->dst_reg[i]] |= f->mask;
        }
        write_(o, f, i, traced);
    }
    return wrong;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Did a younger write of the register, already issued, get there first? last: of the register, 0:
 * all lanes that wrote it have exited. */
static bool overtaken_(uint32_t expected, uint32_t version, uint32_t last)
{
    return (int32_t)(version - expected) > 0 && (!last || (int32_t)(last - version) >= 0);
}

/* Have the lanes in which source i is read kept their values since its instruction issued? */
static bool kept_(const struct smrf_oracle_warp *w, const struct smrf_oracle_flight *own,
                  const struct smrf_flight *f, unsigned i)
{
    const unsigned reg = f->src_reg[i];
    const uint32_t lanes = smrf_flight_lanes(f, i);
    const uint32_t since = (uint16_t)(w->reg[reg].changes - own->source[i].changes);
    bool kept = since <= SMRF_ORACLE_RECENT;
    for (uint32_t n = 1; kept && n <= since; n++) {
        kept = !(smrf_oracle_changed_(w, reg, n) & lanes);
    }
    return kept;
}

/* Lanes in which source i differs from what is known of it. */
static uint32_t wrong_lanes_(const struct smrf_oracle_warp *w, const struct smrf_oracle_flight *own,
                             const struct smrf_flight *f, unsigned i, const uint32_t *data)
{
    unsigned reg = f->src_reg[i];
    const uint32_t lanes = smrf_flight_lanes(f, i);
    if (own->source[i].made) {
        uint32_t made[SMRF_LANES];
        make_(made, own->source[i].version, reg);
        return smrf_oracle_differing_(data, made, lanes);
    }
    return kept_(w, own, f, i)
               ? smrf_oracle_differing_(data, w->value[reg], lanes & own->source[i].known)
               : 0;
}

/* Does the value of each lane decide, and not the version of the row? Lanes have written the
 * register apart from each other, and a mechanism moves what lanes save, or nothing keeps their
 * writes in order: which of them came last to the row where it now lies says nothing of the others.
 * No two writes look alike. */
static bool by_lanes_(const struct smrf_oracle *o, const struct smrf_oracle_flight *own, unsigned i)
{
    return (o->cfg.apart || o->stats.removed_insts) && !own->source[i].made;
}

/* What source i should have been, in a lane. */
static struct smrf_found_value expected_(const struct smrf_oracle_warp *w,
                                         const struct smrf_oracle_flight *own,
                                         const struct smrf_flight *f, unsigned i, unsigned lane)
{
    unsigned reg = f->src_reg[i];
    uint32_t version = own->source[i].version;
    if (own->source[i].made) {
        return smrf_oracle_found_(version, made_seed_(version, reg) + lane);
    }
    return kept_(w, own, f, i) ? smrf_oracle_found_(version, w->value[reg][lane])
                               : (struct smrf_found_value){.version = version};
}

/* The lanes that differ count only where the version is right: a wrong one has all wrong. */
static struct smrf_finding *violation_(struct smrf_oracle *o, uint32_t number,
                                       const struct smrf_flight *f, unsigned i,
                                       const uint32_t *data, uint32_t version)
{
    const struct smrf_oracle_warp *w = &o->warp[f->warp];
    const struct smrf_oracle_flight *own = &o->flight[number];
    uint32_t wrong = wrong_lanes_(w, own, f, i, data);
    struct smrf_finding *new = smrf_oracle_find_(o, SMRF_FINDING_OPERAND, f, f->src_reg[i], wrong);
    new->expected = expected_(w, own, f, i, new->lane);
    new->found = smrf_oracle_found_(version, data[new->lane]);
    o->stats.oracle_violations++;
    return new;
}

/* An operand that is not simply the whole made value of its last write. */
static struct smrf_finding *compare_(struct smrf_oracle *o, uint32_t number,
                                     const struct smrf_flight *f, unsigned i, const uint32_t *data,
                                     uint32_t version)
{
    const struct smrf_oracle_warp *w = &o->warp[f->warp];
    const struct smrf_oracle_flight *own = &o->flight[number];
    const uint32_t expected = own->source[i].version, last = w->reg[f->src_reg[i]].version;
    const bool same = version == expected || expected == SMRF_ORACLE_ANY;
    const bool overtaken = !same && overtaken_(expected, version, last);
    if (overtaken && !o->cfg.war) {
        o->stats.oracle_overtaken++; /* what the option allows, and what it costs */
        return NULL;
    }
    /* Dependences order the instructions of each lane. Where lanes have diverged, a younger
     * instruction of some may write a register before an older one of others has read it. */
    const bool elsewhere = overtaken && kept_(w, own, f, i);
    const bool right =
        (same || by_lanes_(o, own, i) || elsewhere) && wrong_lanes_(w, own, f, i, data) == 0;
    return right ? NULL : violation_(o, number, f, i, data, version);
}

struct smrf_finding *smrf_oracle_operand(struct smrf_oracle *o, uint32_t number,
                                         const struct smrf_flight *f, unsigned i,
                                         const uint32_t *data, uint32_t version)
{
    const struct smrf_oracle_flight *own = &o->flight[number];
    uint32_t expected = own->source[i].version;

    if (expected == 0 || f->src[i].row == SMRF_ROW_NONE) {
        return NULL; /* never written by this warp, or without storage: nothing to hold it to */
    }
    o->stats.oracle_checked++;
    if (version == expected && own->source[i].made && is_made_(data, version, f->src_reg[i])) {
        return NULL;
    }
    return compare_(o, number, f, i, data, version);
}

struct smrf_finding *smrf_oracle_copy(struct smrf_oracle *o, const struct smrf_flight *f,
                                      unsigned i, const uint32_t *copy, const uint32_t *row)
{
    uint32_t wrong = smrf_oracle_differing_(copy, row, UINT32_MAX);
    if (!wrong) {
        return NULL;
    }
    struct smrf_finding *new = smrf_oracle_find_(o, SMRF_FINDING_COPY, f, f->dst_reg[i], wrong);
    new->expected = smrf_oracle_found_(f->version, row[new->lane]);
    new->found = smrf_oracle_found_(0, copy[new->lane]);
    new->cached = true;
    o->stats.oracle_stale_copies++;
    return new;
}

const uint32_t *smrf_oracle_result(const struct smrf_oracle *o, uint32_t number,
                                   const struct smrf_flight *f, unsigned i, uint32_t *scratch)
{
    if (o->active && o->flight[number].traced >> i & 1) {
        return o->traced[number][i];
    }
    make_(scratch, f->version, f->dst_reg[i]);
    return scratch;
}

/* --- life ------------------------------------------------------------------------------------- */

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

size_t smrf_oracle_bytes(const struct smrf_oracle_config *cfg)
{
    const struct smrf_oracle *o = NULL;
    return aligned_(sizeof *o) + aligned_(cfg->warps * sizeof *o->warp) +
           aligned_(cfg->flights * sizeof *o->flight) + cfg->flights * sizeof *o->traced +
           aligned_(cfg->warps * sizeof *o->calls) + sizeof *o->doubts;
}

int smrf_oracle_init(struct smrf_oracle *o, const struct smrf_oracle_config *cfg)
{
    if (cfg->warps == 0 || cfg->warps > SMRF_MAX_WARPS || cfg->flights == 0) {
        return SMRF_ERR_INVAL;
    }
    o->cfg = *cfg;
    o->warp = (struct smrf_oracle_warp *)((char *)o + aligned_(sizeof *o));
    o->flight =
        (struct smrf_oracle_flight *)((char *)o->warp + aligned_(cfg->warps * sizeof *o->warp));
    o->traced = (uint32_t(*)[SMRF_MAX_DST][SMRF_LANES])((char *)o->flight +
                                                        aligned_(cfg->flights * sizeof *o->flight));
    o->calls = (struct smrf_oracle_calls *)(o->traced + cfg->flights);
    o->doubts =
        (struct smrf_oracle_doubts *)((char *)o->calls + aligned_(cfg->warps * sizeof *o->calls));
    smrf_oracle_reset(o);
    return SMRF_OK;
}

void smrf_oracle_reset(struct smrf_oracle *o)
{
    memset(&o->stats, 0, sizeof o->stats);
    o->model.count = 0;
    o->trace.count = 0;
    o->launch = 0;
    o->active = o->cfg.check;
    o->values = false;
}

void smrf_oracle_kernel(struct smrf_oracle *o, bool has_values)
{
    o->launch++;
    o->active = o->cfg.check || has_values;
    o->values = has_values;
    if (o->cfg.logs && has_values) {
        memset(o->doubts, 0, sizeof *o->doubts);
    }
}

void smrf_oracle_start(struct smrf_oracle *o, unsigned warp, uint64_t block, uint32_t index)
{
    struct smrf_oracle_warp *w = &o->warp[warp];
    if (!o->active) {
        return;
    }
    w->block = block;
    w->index = index;
    w->fenced = 0;
    o->calls[warp].depth = 0;
    o->calls[warp].count = 0;
    o->calls[warp].next_number = 0;
    o->calls[warp].lost = false;
    memset(w->reg, 0, sizeof w->reg);
    if (o->values) {
        memset(w->traced, 0, sizeof w->traced);
    }
}
