/* SPDX-License-Identifier: Apache-2.0 */
/* The physical registers of a virtual register file: which are free, and who names the others. */
#include "renaming_internal.h"

#include "models/common/smrf_assert.h"

#include <string.h>

#define NONE SMRF_PHYS_NONE

uint32_t smrf_vrf_physical(const struct smrf_mechanism_setup *setup,
                           const struct smrf_larf_params *options)
{
    struct smrf_sm_params sm = setup->sm;
    if (options->file_bytes) {
        sm.registers = options->file_bytes / 4;
    }
    return smrf_physical_registers(&sm);
}

size_t smrf_vrf_bytes(const struct smrf_mechanism_setup *setup,
                      const struct smrf_larf_params *options)
{
    return sizeof(struct smrf_vrf_register) * setup->sm.subcores *
           smrf_vrf_physical(setup, options);
}

static void give_(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_sub *s = &v->sub[sub];
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    const unsigned bank = phys % v->rf.banks;
    r->free = true;
    r->next = s->head[bank];
    s->head[bank] = (uint16_t)phys;
    s->count[bank]++;
    s->free++;
}

void smrf_vrf_init(struct smrf_vrf *v, const struct smrf_mechanism_setup *setup,
                   const struct smrf_larf_params *options)
{
    v->options = *options;
    v->rf = setup->rf;
    v->sm = setup->sm;
    v->audited = setup->sim.check;
    v->banks_reciprocal = smrf_reciprocal(setup->rf.banks);
    v->physical = smrf_vrf_physical(setup, options);
    v->ordered = setup->rf.read == SMRF_READ_WINDOW;
    for (unsigned sub = 0; sub < v->sm.subcores; sub++) {
        memset(v->sub[sub].head, 0xff, sizeof v->sub[sub].head);
        for (unsigned n = v->physical; n-- > 0;) {
            *smrf_vrf_at(v, sub, n) = (struct smrf_vrf_register){0};
            give_(v, sub, n);
        }
    }
    for (unsigned w = 0; w < SMRF_MAX_WARPS; w++) {
        memset(v->warp[w].phys, 0xff, sizeof v->warp[w].phys);
    }
}

/* --- free registers --------------------------------------------------------------------------- */

void smrf_vrf_wake_(struct smrf_vrf *v, unsigned sub)
{
    const uint64_t waiting = v->sub[sub].waiting;
    v->sub[sub].waiting = 0;
    for (uint64_t m = waiting; m; m &= m - 1) {
        v->services.wake(v->services.ctx, (unsigned)__builtin_ctzll(m));
    }
}

/* The bank whose free register is taken for an architectural one. */
static unsigned bank_for_(const struct smrf_vrf *v, unsigned sub, unsigned warp, unsigned reg)
{
    const struct smrf_vrf_sub *s = &v->sub[sub];
    const unsigned turn = v->options.bank == SMRF_LARF_BANK_TURN ? warp : 0;
    unsigned best = (reg + turn) % v->rf.banks;
    if (s->count[best] && v->options.bank != SMRF_LARF_BANK_FULLEST) {
        return best;
    }
    for (unsigned b = 0; b < v->rf.banks; b++) {
        best = s->count[b] > s->count[best] ? b : best;
    }
    return best;
}

static void use_(struct smrf_vrf *v)
{
    v->stats.allocated++;
    smrf_vrf_mark_(&v->stats.peak_registers, ++v->in_use);
}

unsigned smrf_vrf_take_(struct smrf_vrf *v, unsigned sub, unsigned warp, unsigned reg,
                        bool reserved)
{
    struct smrf_vrf_sub *s = &v->sub[sub];
    const unsigned bank = bank_for_(v, sub, warp, reg);
    const unsigned phys = s->head[bank];
    SMRF_ASSERT(phys != NONE);
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    s->head[bank] = r->next;
    s->count[bank]--;
    s->free--;
    *r = (struct smrf_vrf_register){.warp = (uint8_t)warp, .reserved = reserved};
    if (!reserved) {
        use_(v);
    }
    return phys;
}

void smrf_vrf_free_(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    const uint32_t readers = v->services.readers(v->services.ctx, sub, smrf_vrf_place(v, phys));
    if (r->names || r->pins || r->free || readers) {
        return;
    }
    v->sub[sub].dying--;
    if (!r->reserved) {
        v->stats.freed++;
        v->in_use--;
    }
    give_(v, sub, phys);
    smrf_vrf_wake_(v, sub);
}

/* --- names ------------------------------------------------------------------------------------ */

/* The register counts, or does not any more, as what the warp has of its demand. */
static void count_alone_(struct smrf_vrf *v, unsigned warp, int by)
{
    uint32_t *need = &v->block[v->warp[warp].block].need[smrf_vrf_sub_of_(v, warp)];
    v->warp[warp].alone = (uint16_t)(v->warp[warp].alone + by);
    *need = (uint32_t)((int64_t)*need - by);
}

void smrf_vrf_name_(struct smrf_vrf *v, unsigned warp, unsigned reg, unsigned phys)
{
    struct smrf_vrf_warp *w = &v->warp[warp];
    struct smrf_vrf_register *r = smrf_vrf_at(v, smrf_vrf_sub_of_(v, warp), phys);
    if (r->names == 0) {
        r->warp = (uint8_t)warp;
        count_alone_(v, warp, 1);
    } else if (!r->mixed && r->warp != warp) {
        r->mixed = true;
        count_alone_(v, r->warp, -1);
    }
    r->names++;
    w->phys[reg] = (uint16_t)phys;
    w->mapped[reg / 64] |= UINT64_C(1) << reg % 64;
    v->stats.named++;
    smrf_vrf_mark_(&v->stats.peak_names, ++v->names);
}

void smrf_vrf_unname_(struct smrf_vrf *v, unsigned warp, unsigned reg, bool keep)
{
    struct smrf_vrf_warp *w = &v->warp[warp];
    const unsigned sub = smrf_vrf_sub_of_(v, warp), phys = w->phys[reg];
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    w->phys[reg] = NONE;
    w->mapped[reg / 64] &= ~(UINT64_C(1) << reg % 64);
    v->names--;
    v->stats.unnamed++;
    if (--r->names) {
        return;
    }
    if (!r->mixed) {
        count_alone_(v, r->warp, -1);
    }
    if (r->listed) {
        r->listed = false;
        v->lost(v->ctx, sub, phys);
    }
    v->sub[sub].dying++;
    if (!keep) {
        smrf_vrf_free_(v, sub, phys);
    }
}

/* --- registers that are kept --- */

void smrf_vrf_pin(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    smrf_vrf_at(v, sub, phys)->pins++;
}

void smrf_vrf_unpin(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    SMRF_ASSERT(r->pins);
    if (--r->pins) {
        return;
    }
    if (r->names) {
        smrf_vrf_wake_(v, sub); /* it may be written in place now */
    } else {
        smrf_vrf_free_(v, sub, phys);
    }
}

void smrf_vrf_use(struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, f->sub, smrf_vrf_number(v, f->dst[i]));
    if (r->reserved) {
        r->reserved = false;
        use_(v);
    }
}
