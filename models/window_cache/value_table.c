/* SPDX-License-Identifier: Apache-2.0 */
#include "value_table.h"

#include "models/common/smrf_err.h"
#include "models/common/smrf_value.h"

static uint32_t bit_(unsigned e)
{
    return UINT32_C(1) << e;
}

int smrf_value_table_check(const struct smrf_value_table_config *cfg)
{
    return cfg->entries >= 1 && cfg->entries <= SMRF_VALUE_TABLE_ENTRIES ? SMRF_OK : SMRF_ERR_INVAL;
}

/* Entry of a register, -1: none. */
static int find_(const struct smrf_value_table *t, unsigned warp, unsigned reg)
{
    for (uint32_t m = t->valid; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctz(m);
        if (t->reg[e] == reg && t->warp[e] == warp) {
            return (int)e;
        }
    }
    return -1;
}

static void drop_(struct smrf_value_table *t, uint32_t entries)
{
    t->valid &= ~entries;
    t->pending &= ~entries;
    t->near &= ~entries;
}

/* What a warp's instruction `number` finds no longer. */
static void expire_(struct smrf_value_table *t, const struct smrf_value_table_config *cfg,
                    unsigned warp, uint32_t number)
{
    for (uint32_t m = cfg->window ? t->valid : 0; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctz(m);
        if (t->warp[e] == warp && number >= t->number[e] + cfg->window) {
            drop_(t, bit_(e));
        }
    }
}

/* --- replacement ------------------------------------------------------------------------------ */

static unsigned oldest_(const struct smrf_value_table *t, uint32_t mask)
{
    unsigned best = (unsigned)__builtin_ctz(mask);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctz(m);
        best = t->used[e] < t->used[best] ? e : best;
    }
    return best;
}

/* Entry for a new value, -1: all are locked. An empty one first. */
static int victim_(const struct smrf_value_table *t, const struct smrf_value_table_config *cfg,
                   uint32_t locked)
{
    const uint32_t open = (uint32_t)((UINT64_C(1) << cfg->entries) - 1) & ~locked;
    const uint32_t empty = open & ~t->valid, far = open & ~t->near;
    if (!open || empty) {
        return empty ? __builtin_ctz(empty) : -1;
    }
    return (int)oldest_(t, cfg->replacement == SMRF_WINDOW_CACHE_FAR_LRU && far ? far : open);
}

static void mark_(struct smrf_value_table *t, unsigned e, bool near)
{
    t->near = near ? t->near | bit_(e) : t->near & ~bit_(e);
}

static void take_(struct smrf_value_table *t, unsigned e, unsigned warp, unsigned reg, bool near)
{
    t->valid |= bit_(e);
    t->pending &= ~bit_(e);
    t->warp[e] = (uint8_t)warp;
    t->reg[e] = (uint8_t)reg;
    t->used[e] = ++t->clock;
    mark_(t, e, near);
}

/* --- reads ------------------------------------------------------------------------------------ */

static bool enters_(const struct smrf_value_table_config *cfg,
                    const struct smrf_value_table_reader *in, unsigned i)
{
    switch (cfg->reads) {
    case SMRF_WINDOW_CACHE_READS_ALL:
        return true;
    case SMRF_WINDOW_CACHE_READS_NEAR:
        return in->near >> i & 1;
    case SMRF_WINDOW_CACHE_READS_MARKED:
        return in->marked >> i & 1;
    default:
        return false;
    }
}

/* Hits. Returns their entries: a miss of the same instruction replaces none of them. */
static uint32_t look_up_(struct smrf_value_table *t, const struct smrf_value_table_config *cfg,
                         const struct smrf_value_table_reader *in,
                         struct smrf_value_table_found *out)
{
    uint32_t locked = 0;
    for (unsigned i = 0; i < in->num_src; i++) {
        const int e = find_(t, in->warp, in->src[i]);
        if (e < 0) {
            continue;
        }
        out->hits |= bit_(i);
        out->entry[i] = (uint8_t)e;
        locked |= bit_((unsigned)e);
        t->number[e] = in->number;
        mark_(t, (unsigned)e, in->near >> i & 1);
        if (cfg->replacement != SMRF_WINDOW_CACHE_FIFO) {
            t->used[e] = ++t->clock;
        }
    }
    return locked;
}

void smrf_value_table_read(struct smrf_value_table *t, const struct smrf_value_table_config *cfg,
                           const struct smrf_value_table_reader *in,
                           struct smrf_value_table_found *out)
{
    out->hits = out->enter = 0;
    expire_(t, cfg, in->warp, in->number);
    uint32_t locked = look_up_(t, cfg, in, out);
    for (unsigned i = 0; i < in->num_src; i++) {
        const bool enters = !(out->hits >> i & 1) && enters_(cfg, in, i);
        const int e = enters ? victim_(t, cfg, locked) : -1;
        if (e < 0) {
            continue;
        }
        take_(t, (unsigned)e, in->warp, in->src[i], in->near >> i & 1);
        t->pending |= bit_((unsigned)e);
        t->reader[e] = in->uid;
        t->version[e] = 0; /* older than any */
        t->number[e] = in->number;
        locked |= bit_((unsigned)e);
        out->enter |= bit_(i);
        out->entry[i] = (uint8_t)e;
    }
}

bool smrf_value_table_arrive(struct smrf_value_table *t, uint64_t uid, unsigned warp, unsigned reg,
                             const uint32_t *data, uint32_t version)
{
    const int e = find_(t, warp, reg);
    if (e < 0 || !(t->pending >> e & 1) || t->reader[e] != uid) {
        return false; /* replaced, or overwritten by a newer result */
    }
    t->pending &= ~bit_((unsigned)e);
    smrf_value_keep(t->data[e], data);
    t->version[e] = version;
    return true;
}

/* --- results ---------------------------------------------------------------------------------- */

static bool wanted_(const struct smrf_value_table_config *cfg,
                    const struct smrf_value_table_result *in, bool present)
{
    if (in->late) {
        return false;
    }
    switch (cfg->results) {
    case SMRF_WINDOW_CACHE_RESULTS_ALL:
        return true;
    case SMRF_WINDOW_CACHE_RESULTS_NEAR:
        return in->near;
    case SMRF_WINDOW_CACHE_RESULTS_PRESENT:
        return present;
    default:
        return false;
    }
}

enum smrf_value_table_outcome smrf_value_table_write(struct smrf_value_table *t,
                                                     const struct smrf_value_table_config *cfg,
                                                     const struct smrf_value_table_result *in)
{
    int e = find_(t, in->warp, in->reg);
    if (!wanted_(cfg, in, e >= 0)) {
        if (e >= 0) {
            drop_(t, bit_((unsigned)e));
        }
        return e >= 0 ? SMRF_VALUE_TABLE_DROPPED : SMRF_VALUE_TABLE_NOTHING;
    }
    const bool renews = e >= 0 && cfg->replacement == SMRF_WINDOW_CACHE_FIFO;
    e = e >= 0 ? e : victim_(t, cfg, 0);
    const uint64_t used = t->used[e];
    take_(t, (unsigned)e, in->warp, in->reg, in->near);
    t->used[e] = renews ? used : t->used[e];
    t->number[e] = in->number;
    smrf_value_keep(t->data[e], in->row);
    t->version[e] = in->version;
    return SMRF_VALUE_TABLE_KEPT;
}

void smrf_value_table_forget(struct smrf_value_table *t, unsigned warp)
{
    for (uint32_t m = t->valid; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctz(m);
        drop_(t, t->warp[e] == warp ? bit_(e) : 0);
    }
}

const uint32_t *smrf_value_table_probe(const struct smrf_value_table *t, unsigned warp,
                                       unsigned reg)
{
    const int e = find_(t, warp, reg);
    return e < 0 || t->pending >> e & 1 ? NULL : t->data[e];
}
