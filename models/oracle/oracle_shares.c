/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that serve several loads. With values in the trace a register can hold something else
 * than the trace's load brought although it holds the right bytes: where warps race, the model's
 * order of stores and loads is another than the trace's. Whether it is that shows when the launch
 * is over. */
#include "oracle_internal.h"

#include <string.h>

/* --- what the launch has stored --------------------------------------------------------------- */

#define SECTOR_SHIFT 5

/* Two sectors may share a bit: then a clean value counts as raced, with the probability that a bit
 * is set. */
static uint32_t bit_of_(uint64_t sector)
{
    return (uint32_t)(sector * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SMRF_ORACLE_SECTOR_BITS;
}

bool smrf_oracle_stores_(const struct smrf_inst *inst)
{
    const bool elsewhere =
        inst->op->space == SMRF_SPACE_SHARED || inst->op->space == SMRF_SPACE_LOCAL;
    return !elsewhere && inst->addr_kind != SMRF_ADDR_NONE && inst->op->access_bytes != 0;
}

void smrf_oracle_stored_(struct smrf_oracle *o, const struct smrf_inst *inst)
{
    const unsigned bytes = inst->op->access_bytes;
    if (!smrf_oracle_stores_(inst)) {
        return;
    }
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(inst, (unsigned)__builtin_ctz(m));
        for (uint64_t s = at >> SECTOR_SHIFT; s <= (at + bytes - 1) >> SECTOR_SHIFT; s++) {
            o->doubts->stored[bit_of_(s) / 64] |= UINT64_C(1) << bit_of_(s) % 64;
        }
    }
}

static bool has_stored_(const struct smrf_oracle *o, uint64_t at)
{
    const uint32_t bit = bit_of_(at >> SECTOR_SHIFT);
    return o->values && o->doubts->stored[bit / 64] >> bit % 64 & 1;
}

/* --- doubts ----------------------------------------------------------------------------------- */

static struct smrf_finding *wrong_(struct smrf_oracle *o, const struct smrf_finding *finding)
{
    struct smrf_finding *kept = smrf_oracle_keep_(o, SMRF_FINDING_SHARE);
    *kept = *finding;
    o->stats.oracle_wrong_shares++;
    return kept;
}

/* Has the SM stored to a lane's bytes between the load that brought the register and this one? */
static bool stale_(const struct smrf_oracle *o, uint32_t number, const struct smrf_finding *finding,
                   const struct smrf_inst *inst, unsigned i)
{
    const struct smrf_oracle_arrival *loaded = smrf_oracle_loaded_(o, finding->found.version);
    bool between = false;
    for (uint32_t m = loaded ? finding->lanes : 0; m && !between; m &= m - 1) {
        const uint64_t at = smrf_inst_address(inst, (unsigned)__builtin_ctz(m)) + 4 * i;
        const struct smrf_oracle_arrival *store = smrf_oracle_word_(o, at);
        between = store && loaded->order < store->order && store->order < o->flight[number].order;
    }
    return between;
}

/* A register holds something else than the trace says: to be judged at the launch's end. */
static struct smrf_finding *doubt_(struct smrf_oracle *o, uint32_t number,
                                   const struct smrf_finding *finding, const struct smrf_inst *inst,
                                   unsigned i)
{
    struct smrf_oracle_doubts *all = o->doubts;
    const struct smrf_oracle_arrival *loaded = smrf_oracle_loaded_(o, finding->found.version);
    o->stats.oracle_unjudged++;
    if (all->count == SMRF_ORACLE_DOUBTS) {
        return NULL;
    }
    struct smrf_oracle_doubt *d = &all->doubt[all->count++];
    d->finding = *finding;
    d->loaded = loaded ? loaded->cycle : UINT64_MAX;
    d->fenced = o->flight[number].fenced;
    for (uint32_t m = finding->lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        d->at[lane] = smrf_inst_address(inst, lane) + 4 * i;
    }
    return &d->finding;
}

static bool raced_(const struct smrf_oracle_doubt *d, struct smrf_oracle *const *all,
                   unsigned count)
{
    for (uint32_t m = d->finding.lanes; m; m &= m - 1) {
        bool stored = false;
        for (unsigned n = 0; n < count && !stored; n++) {
            stored = has_stored_(all[n], d->at[__builtin_ctz(m)]);
        }
        if (!stored) {
            return false;
        }
    }
    return true;
}

/* Has any SM stored to a lane's bytes after the register was loaded, and the load's warp fenced
 * after that? */
static bool fenced_(const struct smrf_oracle_doubt *d, struct smrf_oracle *const *all,
                    unsigned count)
{
    for (uint32_t m = d->finding.lanes; m; m &= m - 1) {
        for (unsigned n = 0; n < count; n++) {
            const struct smrf_oracle_arrival *store =
                all[n]->values ? smrf_oracle_word_(all[n], d->at[__builtin_ctz(m)]) : NULL;
            if (store && d->loaded < store->cycle && store->cycle < d->fenced) {
                return true;
            }
        }
    }
    return false;
}

void smrf_oracle_settle(struct smrf_oracle *const *all, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        struct smrf_oracle *o = all[n];
        if (!o->cfg.logs || !o->values) {
            continue;
        }
        for (uint32_t i = 0; i < o->doubts->count; i++) {
            const struct smrf_oracle_doubt *d = &o->doubts->doubt[i];
            o->stats.oracle_unjudged--;
            if (raced_(d, all, count) && !fenced_(d, all, count)) {
                o->stats.oracle_raced++;
            } else {
                (void)wrong_(o, &d->finding);
            }
        }
        o->doubts->count = 0;
    }
}

/* --- shares and merges ------------------------------------------------------------------------ */

/* A register holds row [32], where the flight computed something else. */
static struct smrf_finding *differs_(struct smrf_oracle *o, uint32_t number,
                                     const struct smrf_finding *finding,
                                     const struct smrf_flight *f, const struct smrf_inst *inst,
                                     unsigned i, const uint32_t *row)
{
    struct smrf_oracle_warp *w = &o->warp[f->warp];
    const unsigned reg = f->dst_reg[i];
    if (!o->values || !o->cfg.logs) {
        return wrong_(o, finding);
    }
    if (w->reg[reg].version ==
        finding->found.version) { /* one finding is enough: readers get the row */
        smrf_oracle_change_(w, reg, finding->lanes);
        w->traced[reg] &= ~finding->lanes;
        smrf_oracle_copy_lanes_(w->value[reg], row, finding->lanes);
    }
    return stale_(o, number, finding, inst, i) ? wrong_(o, finding)
                                               : doubt_(o, number, finding, inst, i);
}

static struct smrf_finding *compare_(struct smrf_oracle *o, uint32_t number,
                                     const struct smrf_flight *f, const struct smrf_inst *inst,
                                     unsigned i, uint32_t version, const uint32_t *row)
{
    uint32_t scratch[SMRF_LANES];
    const uint32_t *computed = smrf_oracle_result(o, number, f, i, scratch);
    const uint32_t wrong = smrf_oracle_differing_(computed, row, f->mask);
    if (!wrong) {
        return NULL;
    }
    struct smrf_finding new = smrf_oracle_about_(o, SMRF_FINDING_SHARE, f, f->dst_reg[i], wrong);
    new.expected = smrf_oracle_found_(f->version, computed[new.lane]);
    new.found = smrf_oracle_found_(version, row[new.lane]);
    return differs_(o, number, &new, f, inst, i, row);
}

struct smrf_finding *smrf_oracle_shared(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst,
                                        unsigned i, uint32_t version, const uint32_t *row)
{
    struct smrf_oracle_warp *w = &o->warp[f->warp];
    const unsigned reg = f->dst_reg[i];
    if (!o->active) {
        return NULL;
    }
    const bool last = w->reg[reg].version == f->version;
    if (o->values && !(o->flight[number].traced >> i & 1)) { /* the trace has no value for it */
        if (last) {
            smrf_oracle_forget_(w, reg, UINT32_MAX);
        }
        return NULL;
    }
    if (last) {
        smrf_oracle_store_(w, reg);
        smrf_oracle_change_(w, reg, UINT32_MAX);
        w->reg[reg].version = version;
    }
    return compare_(o, number, f, inst, i, version, row);
}

struct smrf_finding *smrf_oracle_merged(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst,
                                        unsigned i, const uint32_t *row)
{
    const uint32_t bit = UINT32_C(1) << i;
    if (!o->active || !o->values || !o->cfg.logs || !(o->flight[number].traced & bit)) {
        return NULL;
    }
    struct smrf_finding *wrong = compare_(o, number, f, inst, i, f->version, row);
    o->flight[number].traced &= ~bit; /* compared once, however often the value is asked for */
    return wrong;
}
