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
        b->wide = cfg->sources + cfg->results > 8;
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
    p->reg[slot] = (uint8_t)reg;
}

/* Bit i: byte i of eight is `byte`. No branch: which of them are equal cannot be predicted. */
static inline uint32_t equal_bytes_(const uint8_t *bytes, unsigned byte)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t differ;
    memcpy(&differ, bytes, sizeof differ);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    differ = __builtin_bswap64(differ);
#endif
    differ ^= byte * UINT64_C(0x0101010101010101);
    const uint64_t equal = ~(((differ & low) + low) | differ | low) >> 7; /* bit 8 i */
    return (uint32_t)(equal * UINT64_C(0x0102040810204080) >> 56);
}

/* Slots of a place that last belonged to the register. */
static inline uint32_t slots_(const struct smrf_boc *b, const struct smrf_boc_place *p,
                              unsigned reg)
{
    _Static_assert(SMRF_BOC_MAX_SLOTS == 16, "two words");
    const uint32_t slots = equal_bytes_(p->reg, reg);
    return b->wide ? slots | equal_bytes_(p->reg + 8, reg) << 8 : slots;
}

/* Slot of a place that holds the register's value, -1: none. A result, behind the sources, is
 * newer. */
static inline int slot_(const struct smrf_boc *b, const struct smrf_boc_place *p, unsigned reg)
{
    const uint32_t slots = p->valid & slots_(b, p, reg);
    return slots ? 31 - __builtin_clz(slots) : -1;
}

/* Newest copy of a register in `count` places behind the newest; *at: its place. */
static int find_(struct smrf_boc *b, unsigned count, unsigned reg, struct smrf_boc_place **at)
{
    for (unsigned age = 1; age <= count; age++) {
        *at = place_(b, age);
        int slot = slot_(b, *at, reg);
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
        const uint32_t slots = slots_(b, p, reg);
        p->named &= ~slots;
        p->valid &= ~slots;
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
        int slot = slot_(b, p, reg);
        if (slot >= 0) {
            return b->value[p - b->place][slot].data;
        }
    }
    return NULL;
}
