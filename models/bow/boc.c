/* SPDX-License-Identifier: Apache-2.0 */
#include "boc.h"

#include <string.h>

#define INST_BYTES 16 /* sm_70 and later; before, control words leave gaps within this */

int smrf_boc_config_check(const struct smrf_boc_config *cfg)
{
    return cfg->window < 1 || cfg->window > SMRF_BOC_MAX_WINDOW ||
                   cfg->sources + cfg->results > SMRF_BOC_MAX_SLOTS
               ? SMRF_ERR_INVAL
               : SMRF_OK;
}

int smrf_boc_init(struct smrf_boc *b, const struct smrf_boc_config *cfg)
{
    int err = smrf_boc_config_check(cfg);
    if (!err) {
        memset(b, 0, sizeof *b);
        b->cfg = cfg;
        smrf_boc_reset(b);
    }
    return err;
}

void smrf_boc_reset(struct smrf_boc *b)
{
    b->warp = SMRF_BOC_NO_WARP;
    b->newest = 0;
    b->held = 0;
}

/* Places in use: the window's, and the one that slides out while an instruction enters. */
static unsigned places_(const struct smrf_boc *b)
{
    return b->cfg->window + 1u;
}

/* The place `age` instructions behind the newest. */
static unsigned index_(const struct smrf_boc *b, unsigned age)
{
    return b->newest >= age ? b->newest - age : b->newest + places_(b) - age;
}

static struct smrf_boc_place *place_(struct smrf_boc *b, unsigned age)
{
    return &b->place[index_(b, age)];
}

static struct smrf_boc_value *value_(struct smrf_boc *b, const struct smrf_boc_place *p,
                                     unsigned slot)
{
    return &b->value[p - b->place][slot];
}

/* Row NULL: values are not carried. */
static void hold_(struct smrf_boc *b, const struct smrf_boc_place *p, unsigned slot,
                  const uint32_t *row, uint32_t version)
{
    if (row) {
        struct smrf_boc_value *to = value_(b, p, slot);
        to->version = version;
        memcpy(to->data, row, sizeof to->data);
    }
}

/* A slot of a place belongs to a register from now on. */
static void name_(struct smrf_boc_place *p, unsigned slot, unsigned reg)
{
    p->named |= UINT32_C(1) << slot;
    p->among |= UINT64_C(1) << (reg & 63);
    p->reg[slot] = (uint8_t)reg;
}

static bool may_name_(const struct smrf_boc_place *p, unsigned reg)
{
    return p->among >> (reg & 63) & 1;
}

/* Slot of a place that holds the register's value, -1: none. */
static int slot_(const struct smrf_boc_place *p, unsigned reg)
{
    int found = -1;
    for (uint32_t m = may_name_(p, reg) ? p->valid : 0; m; m &= m - 1) {
        int slot = __builtin_ctz(m);
        found = p->reg[slot] == reg ? slot : found; /* a result, behind the sources, is newer */
    }
    return found;
}

/* Newest copy of a register in `count` places behind the newest; *at: its place. */
static int find_(struct smrf_boc *b, unsigned count, unsigned reg, struct smrf_boc_place **at)
{
    for (unsigned age = 1; age <= count; age++) {
        *at = place_(b, age);
        int slot = slot_(*at, reg);
        if (slot >= 0) {
            return slot;
        }
    }
    return -1;
}

static void begin_window_(struct smrf_boc *b, const struct smrf_boc_inst *in,
                          struct smrf_boc_entered *out)
{
    if (b->warp != in->warp) {
        out->flushed = b->warp != SMRF_BOC_NO_WARP && b->held;
        b->held = 0;
        b->warp = in->warp;
    } else if (b->cfg->flush_on_branch && b->held &&
               (in->pc <= b->pc || in->pc > b->pc + INST_BYTES)) {
        out->branched = true;
        b->held = 0;
    }
    b->pc = in->pc;
}

/* Every copy of this register is old. */
static void drop_copies_(struct smrf_boc *b, unsigned reg)
{
    for (unsigned i = 0; i < places_(b); i++) { /* of places that have slid out, too */
        struct smrf_boc_place *p = &b->place[i];
        for (uint32_t m = may_name_(p, reg) ? p->named : 0; m; m &= m - 1) {
            unsigned slot = (unsigned)__builtin_ctz(m);
            if (p->reg[slot] == reg) {
                p->named &= ~(UINT32_C(1) << slot);
                p->valid &= ~(UINT32_C(1) << slot);
            }
        }
    }
}

static void take_sources_(struct smrf_boc *b, const struct smrf_boc_inst *in, unsigned behind,
                          struct smrf_boc_entered *out)
{
    struct smrf_boc_place *own = place_(b, 0), *from;
    for (unsigned i = 0; i < in->num_src; i++) {
        int slot = find_(b, behind, in->src[i], &from);
        bool buffered = i < b->cfg->sources;
        out->unbuffered += !buffered;
        if (buffered) {
            name_(own, i, in->src[i]);
        }
        if (slot < 0) {
            out->missing |= UINT32_C(1) << i;
            out->brought += buffered;
            continue;
        }
        out->first_reads += from->unread >> slot & 1;
        from->unread &= ~(UINT32_C(1) << slot);
        out->hits |= UINT32_C(1) << i;
        out->value[i] = value_(b, from, (unsigned)slot);
        if (buffered) { /* forwarded into the instruction's own slot */
            own->valid |= UINT32_C(1) << i;
            if (in->values) {
                *value_(b, own, i) = *out->value[i];
                out->value[i] = value_(b, own, i);
            }
        }
    }
}

void smrf_boc_enter(struct smrf_boc *b, const struct smrf_boc_inst *in,
                    struct smrf_boc_entered *out)
{
    out->hits = out->missing = 0;
    out->unbuffered = out->brought = out->first_reads = 0;
    out->flushed = out->branched = false;
    begin_window_(b, in, out);
    unsigned behind = b->cfg->counts_entering && b->held == b->cfg->window ? b->held - 1u : b->held;
    b->newest = (uint8_t)(b->newest + 1u < places_(b) ? b->newest + 1u : 0);
    b->held = b->held < b->cfg->window ? (uint8_t)(b->held + 1) : b->held;
    struct smrf_boc_place *own = place_(b, 0);
    own->inst = in->inst;
    own->named = 0;
    own->valid = 0;
    own->unread = 0;
    own->among = 0;
    take_sources_(b, in, behind, out);
    for (unsigned i = 0; i < in->num_dst; i++) {
        drop_copies_(b, in->dst[i]); /* the instruction's own, too: it is old once that is done */
        if (i < b->cfg->results) {
            name_(own, b->cfg->sources + i, in->dst[i]);
        }
    }
}

/* Place that still has this slot for an instruction, NULL: none. */
static struct smrf_boc_place *home_(struct smrf_boc *b, uint32_t inst, unsigned slot)
{
    for (unsigned age = 0; age < b->held; age++) {
        struct smrf_boc_place *p = place_(b, age);
        if (p->inst == inst && p->named >> slot & 1) {
            return p;
        }
    }
    return NULL;
}

void smrf_boc_arrive(struct smrf_boc *b, uint32_t inst, unsigned i, const uint32_t *data,
                     uint32_t version)
{
    struct smrf_boc_place *own = i < b->cfg->sources ? home_(b, inst, i) : NULL;
    if (own) {
        own->valid |= UINT32_C(1) << i;
        hold_(b, own, i, data, version);
    }
}

bool smrf_boc_write(struct smrf_boc *b, uint32_t inst, unsigned i, unsigned reg,
                    const uint32_t *row, uint32_t version)
{
    const unsigned slot = b->cfg->sources + i;
    struct smrf_boc_place *p = i < b->cfg->results ? home_(b, inst, slot) : NULL;
    drop_copies_(b, reg);
    if (p) {
        p->named |= UINT32_C(1) << slot;
        p->valid |= UINT32_C(1) << slot;
        p->unread |= UINT32_C(1) << slot;
        hold_(b, p, slot, row, version);
    }
    return p != NULL;
}

const uint32_t *smrf_boc_probe_copy(const struct smrf_boc *b, unsigned reg)
{
    for (unsigned age = 0; age < b->held; age++) {
        const struct smrf_boc_place *p = &b->place[index_(b, age)];
        int slot = slot_(p, reg);
        if (slot >= 0) {
            return b->value[p - b->place][slot].data;
        }
    }
    return NULL;
}
