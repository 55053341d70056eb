/* SPDX-License-Identifier: Apache-2.0 */
#include "reuse_cache.h"

/* Operand n of an instruction: the number of its source, and where the cache would hold it. Returns
 * false: nowhere. */
static bool place_(const struct smrf_flight *f, unsigned n, unsigned *source, unsigned *bank)
{
    const struct smrf_static_inst *op = f->op;
    unsigned i = 0;
    while (i < f->num_read && f->src_reg[i] != op->src[n]) {
        i++;
    }
    *source = i;
    *bank = i < f->num_read ? f->src[i].bank : 0;
    return i < f->num_read && op->src_slot[n] < SMRF_REUSE_SLOTS;
}

void smrf_reuse_cache_look_up(const struct smrf_reuse_cache *c, const struct smrf_flight *f,
                              struct smrf_reuse_cache_plan *plan)
{
    unsigned i, bank;
    plan->hits = plan->kept = 0;
    for (unsigned n = 0; n < f->op->num_src; n++) {
        if (!place_(f, n, &i, &bank)) {
            continue;
        }
        const struct smrf_reuse_cache_entry *e = &c->entry[bank][f->op->src_slot[n]];
        if (e->valid && e->warp == f->warp && e->reg == f->op->src[n]) {
            plan->hits |= UINT32_C(1) << i;
            plan->from[i] = f->op->src_slot[n];
        }
    }
}

void smrf_reuse_cache_take(struct smrf_reuse_cache *c, const struct smrf_flight *f,
                           struct smrf_reuse_cache_plan *plan)
{
    unsigned i, bank;
    for (unsigned n = 0; n < f->op->num_src; n++) {
        if (!place_(f, n, &i, &bank)) {
            continue;
        }
        struct smrf_reuse_cache_entry *e = &c->entry[bank][f->op->src_slot[n]];
        e->valid = f->op->src_reuse >> n & 1;
        if (e->valid) {
            e->warp = f->warp;
            e->reg = f->op->src[n];
            plan->to[i] = plan->kept >> i & 1 ? plan->to[i] : 0;
            plan->to[i] |= (uint8_t)(1u << f->op->src_slot[n]);
            plan->kept |= UINT32_C(1) << i;
        }
    }
}

static void forget_register_(struct smrf_reuse_cache *c, unsigned banks, unsigned warp,
                             unsigned reg)
{
    for (unsigned b = 0; b < banks; b++) {
        for (unsigned s = 0; s < SMRF_REUSE_SLOTS; s++) {
            struct smrf_reuse_cache_entry *e = &c->entry[b][s];
            e->valid = e->valid && !(e->warp == warp && e->reg == reg);
        }
    }
}

void smrf_reuse_cache_forget_results(struct smrf_reuse_cache *c, unsigned banks,
                                     const struct smrf_flight *f)
{
    for (unsigned i = 0; i < f->num_dst && f->mask; i++) {
        forget_register_(c, banks, f->warp, f->dst_reg[i]);
    }
}

void smrf_reuse_cache_forget_warp(struct smrf_reuse_cache *c, unsigned warp)
{
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        for (unsigned s = 0; s < SMRF_REUSE_SLOTS; s++) {
            c->entry[b][s].valid = c->entry[b][s].valid && c->entry[b][s].warp != warp;
        }
    }
}
