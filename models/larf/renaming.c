/* SPDX-License-Identifier: Apache-2.0 */
/* What the register names of an instruction mean, and what becomes of them. */
#include "renaming_internal.h"

#define NONE SMRF_PHYS_NONE

void smrf_vrf_attach(void *m, const struct smrf_services *services)
{
    ((struct smrf_vrf *)m)->services = *services;
}

bool smrf_vrf_in_place_(const struct smrf_vrf *v, unsigned sub, unsigned phys, uint32_t own)
{
    const struct smrf_vrf_register *r = &v->reg[sub * v->physical + phys];
    if (r->names != 1 || r->pins ||
        (r->listed && v->options.overwrite == SMRF_LARF_OVERWRITE_NEW)) {
        return false;
    }
    return (v->ordered && !r->mixed) ||
           v->services.readers(v->services.ctx, sub, smrf_vrf_place(v, phys)) == own;
}

bool smrf_vrf_carries_(const struct smrf_vrf *v, unsigned warp, unsigned i, uint32_t mask)
{
    const struct smrf_vrf_warp *w = &v->warp[warp];
    return !(w->unmerged >> i & 1) && (w->lanes & ~mask) != 0;
}

static struct smrf_register_place nowhere_(const struct smrf_vrf *v, unsigned warp, unsigned reg)
{
    return smrf_place_of(&v->rf, warp, reg, NONE);
}

/* A register that is read before it was written belongs to the warp from its start. */
struct smrf_register_place smrf_vrf_source(void *m, const struct smrf_flight *f, unsigned i)
{
    struct smrf_vrf *v = m;
    const unsigned reg = f->src_reg[i];
    if (reg >= v->demand) {
        return nowhere_(v, f->warp, reg);
    }
    if (!smrf_vrf_has_(&v->warp[f->warp], reg)) {
        smrf_vrf_name_(v, f->warp, reg, smrf_vrf_take_(v, f->sub, f->warp, reg, false));
    }
    return smrf_vrf_place(v, v->warp[f->warp].phys[reg]);
}

static bool same_(struct smrf_register_place a, struct smrf_register_place b)
{
    return a.row == b.row && a.bank == b.bank;
}

/* Reads of the place by the instruction itself. */
static uint32_t own_reads_(const struct smrf_flight *f, struct smrf_register_place at)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < f->num_src; i++) {
        n += same_(f->src[i], at);
    }
    return n;
}

/* A load whose register is used only when the look-up of its addresses has failed. */
static bool late_(const struct smrf_vrf *v, const struct smrf_flight *f)
{
    return v->options.allocate == SMRF_LARF_AT_LOOKUP && f->op->op_class == SMRF_CLASS_LOAD &&
           (f->op->space == SMRF_SPACE_GLOBAL || f->op->space == SMRF_SPACE_GENERIC);
}

struct smrf_register_place smrf_vrf_destination(void *m, const struct smrf_flight *f, unsigned i,
                                                struct smrf_register_place *carry)
{
    struct smrf_vrf *v = m;
    const unsigned reg = f->dst_reg[i], old = v->warp[f->warp].phys[reg];
    const bool others = smrf_vrf_carries_(v, f->warp, i, f->mask);
    if (reg >= v->demand) {
        return nowhere_(v, f->warp, reg);
    }
    for (unsigned k = 0; k < i; k++) {
        if (f->dst_reg[k] == reg) { /* named twice */
            smrf_vrf_pin(v, f->sub, smrf_vrf_number(v, f->dst[k]));
            return f->dst[k];
        }
    }
    if (v->ordered && old != NONE && !f->mask) { /* nothing is written */
        smrf_vrf_pin(v, f->sub, old);
        return smrf_vrf_place(v, old);
    }
    if (old != NONE && smrf_vrf_in_place_(v, f->sub, old, own_reads_(f, smrf_vrf_place(v, old)))) {
        struct smrf_vrf_register *r = smrf_vrf_at(v, f->sub, old);
        v->stats.overwritten++;
        if (r->listed) {
            r->listed = false;
            v->lost(v->ctx, f->sub, old);
        }
        r->fresh = !others;
        r->pins++;
        return smrf_vrf_place(v, old);
    }
    const bool carries = old != NONE && others;
    const unsigned now = smrf_vrf_take_(v, f->sub, f->warp, reg, late_(v, f) && !carries);
    if (old != NONE) {
        smrf_vrf_unname_(v, f->warp, reg, carries);
    }
    if (carries) {
        *carry = smrf_vrf_place(v, old);
        v->stats.carried++;
    }
    smrf_vrf_name_(v, f->warp, reg, now);
    smrf_vrf_at(v, f->sub, now)->fresh = !carries;
    smrf_vrf_at(v, f->sub, now)->pins++;
    return smrf_vrf_place(v, now);
}

void smrf_vrf_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_vrf *v = m;
    struct smrf_vrf_warp *w = &v->warp[f->warp];
    const struct smrf_inst_facts *facts = inst->facts;
    w->lanes |= f->mask;
    if (f->op->op_class == SMRF_CLASS_EXIT) {
        w->lanes &= ~f->mask;
    }
    if (!facts || v->options.release == SMRF_LARF_RELEASE_OVERWRITE) {
        v->stats.by_nobody++;
        return;
    }
    v->stats.by_lookahead += facts->exact;
    v->stats.by_program += !facts->exact;
    for (unsigned i = 0; i < SMRF_VRF_WORDS; i++) {
        for (uint64_t dead = w->mapped[i] & ~facts->live.w[i]; dead; dead &= dead - 1) {
            smrf_vrf_unname_(v, f->warp, i * 64 + (unsigned)__builtin_ctzll(dead), false);
            v->stats.released++;
        }
    }
}

void smrf_vrf_written(void *m, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_vrf *v = m;
    for (unsigned i = 0; i < f->num_dst; i++) {
        if (f->dst_reg[i] == reg && f->dst[i].row != SMRF_ROW_NONE) {
            smrf_vrf_use(v, f, i);
            smrf_vrf_unpin(v, f->sub, smrf_vrf_number(v, f->dst[i]));
            return;
        }
    }
}

void smrf_vrf_last_read(void *m, unsigned sub, struct smrf_register_place at)
{
    struct smrf_vrf *v = m;
    const unsigned phys = smrf_vrf_number(v, at);
    const struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    v->stats.faults_freed += r->free;
    if (r->names) {
        smrf_vrf_wake_(v, sub);
    } else {
        smrf_vrf_free_(v, sub, phys);
    }
}

struct smrf_register_place smrf_vrf_probe(const void *m, unsigned warp, unsigned reg)
{
    const struct smrf_vrf *v = m;
    const unsigned phys = reg < 256 ? v->warp[warp].phys[reg] : NONE;
    return phys == NONE ? nowhere_(v, warp, reg) : smrf_vrf_place(v, phys);
}

/* --- sharing ---------------------------------------------------------------------------------- */

bool smrf_vrf_holds(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    const unsigned phys = v->warp[f->warp].phys[f->dst_reg[i]];
    return phys != NONE && same_(smrf_vrf_place(v, phys), f->dst[i]);
}

bool smrf_vrf_replaceable(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    if (!smrf_vrf_holds(v, f, i)) {
        return false;
    }
    const unsigned phys = v->warp[f->warp].phys[f->dst_reg[i]];
    const struct smrf_vrf_register *r = &v->reg[f->sub * v->physical + phys];
    return r->names == 1 && r->pins == 1 && r->fresh;
}

struct smrf_register_place smrf_vrf_share(struct smrf_vrf *v, const struct smrf_flight *f,
                                          unsigned i, unsigned phys)
{
    const unsigned reg = f->dst_reg[i], own = v->warp[f->warp].phys[reg];
    smrf_vrf_pin(v, f->sub, phys); /* until the load has ended */
    smrf_vrf_unname_(v, f->warp, reg, true);
    smrf_vrf_name_(v, f->warp, reg, phys);
    smrf_vrf_unpin(v, f->sub, own);
    return smrf_vrf_place(v, phys);
}
