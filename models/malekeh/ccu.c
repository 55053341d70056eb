/* SPDX-License-Identifier: Apache-2.0 */
#include "ccu.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"
#include "models/common/smrf_value.h"

#include <string.h>

static uint32_t all_(const struct smrf_ccu *c)
{
    return (uint32_t)((UINT64_C(1) << c->cfg->entries) - 1);
}

static uint32_t bit_(unsigned e)
{
    return UINT32_C(1) << e;
}

int smrf_ccu_config_check(const struct smrf_ccu_config *cfg)
{
    bool good = cfg->entries >= 1 && cfg->entries <= SMRF_CCU_MAX_ENTRIES && cfg->slots >= 1 &&
                cfg->slots <= SMRF_MAX_SRC && cfg->replacement <= SMRF_CCU_LRU &&
                cfg->write <= SMRF_CCU_WRITE_PRESENT && cfg->far_write <= SMRF_CCU_FAR_UPDATE;
    return good ? SMRF_OK : SMRF_ERR_INVAL;
}

int smrf_ccu_init(struct smrf_ccu *c, const struct smrf_ccu_config *cfg, uint64_t seed,
                  uint64_t stream)
{
    int err = smrf_ccu_config_check(cfg);
    if (err) {
        return err;
    }
    memset(c, 0, sizeof *c);
    c->cfg = cfg;
    c->warp = SMRF_CCU_NO_WARP;
    c->port_cycle = SMRF_NEVER;
    smrf_rng_seed(&c->rng, seed, stream);
    return SMRF_OK;
}

/* --- replacement ------------------------------------------------------------------------------ */

static unsigned least_recent_(const struct smrf_ccu *c, uint32_t mask)
{
    unsigned best = (unsigned)__builtin_ctz(mask);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        unsigned e = (unsigned)__builtin_ctz(m);
        if (c->used[e] < c->used[best]) {
            best = e;
        }
    }
    return best;
}

static unsigned random_(struct smrf_ccu *c, uint32_t mask)
{
    uint32_t n = smrf_rng_below(&c->rng, smrf_count_bits(mask));
    while (n--) {
        mask &= mask - 1;
    }
    return (unsigned)__builtin_ctz(mask);
}

/* Entry for a new value, -1 if every one is locked. An invalid entry first; then, by policy, one
 * among the far; else the least recently used. */
static int victim_(struct smrf_ccu *c)
{
    uint32_t open = all_(c) & ~c->locked;
    uint32_t empty = open & ~c->valid, far = open & ~c->near;
    if (!open) {
        return -1;
    }
    if (empty) {
        return __builtin_ctz(empty);
    }
    if (far && c->cfg->replacement == SMRF_CCU_FAR_RANDOM) {
        return (int)random_(c, far);
    }
    if (far && c->cfg->replacement == SMRF_CCU_FAR_LRU) {
        return (int)least_recent_(c, far);
    }
    return (int)least_recent_(c, open);
}

/* Entry e holds register reg from now on. */
static void take_(struct smrf_ccu *c, unsigned e, unsigned reg)
{
    c->valid |= bit_(e);
    c->unread &= ~bit_(e);
    c->tag[e] = (uint8_t)reg;
    c->where[reg] = (uint8_t)e;
}

static void touch_(struct smrf_ccu *c, unsigned e, bool near)
{
    c->near = near ? c->near | bit_(e) : c->near & ~bit_(e);
    c->used[e] = ++c->clock;
}

static bool near_at_(const struct smrf_ccu *c, unsigned e)
{
    return (c->valid & c->near) >> e & 1;
}

/* --- operation A ------------------------------------------------------------------------------ */

/* Steps 3 and 5: tag check; every hit is locked before any victim is chosen. Every source that
 * is present hits, however many there are: the slots limit only what misses bring in. */
static unsigned check_tags_(struct smrf_ccu *c, const struct smrf_ccu_inst *in,
                            struct smrf_ccu_allocated *out)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < in->num_src; i++) {
        int e = smrf_ccu_probe_find(c, in->src[i]);
        if (e < 0) {
            continue;
        }
        taken++;
        out->hits |= bit_(i);
        c->locked |= bit_((unsigned)e);
        out->first_reads += c->unread >> e & 1;
        c->unread &= ~bit_((unsigned)e);
        c->slot_index[i] = (uint8_t)e;
        touch_(c, (unsigned)e, in->near_src >> i & 1);
    }
    return taken;
}

/* Step 4: an entry for every miss, while slots and unlocked entries last. */
static void place_misses_(struct smrf_ccu *c, const struct smrf_ccu_inst *in, unsigned taken,
                          struct smrf_ccu_allocated *out)
{
    for (uint32_t m = out->missing; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int e = taken >= c->cfg->slots ? -1 : victim_(c);
        if (e < 0) {
            out->uncached |= bit_(i);
            c->slot_index[i] = SMRF_CCU_NO_ENTRY;
            continue;
        }
        taken++;
        out->near_replaced += near_at_(c, (unsigned)e);
        take_(c, (unsigned)e, in->src[i]);
        touch_(c, (unsigned)e, c->cfg->read_marks && in->near_src >> i & 1);
        c->locked |= bit_((unsigned)e);
        c->pending |= bit_((unsigned)e);
        c->slot_index[i] = (uint8_t)e;
    }
}

void smrf_ccu_allocate(struct smrf_ccu *c, const struct smrf_ccu_inst *in,
                       struct smrf_ccu_allocated *out)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << in->num_src) - 1);
    *out = (struct smrf_ccu_allocated){0};
    SMRF_ASSERT(!c->slot_valid && !c->locked);
    if (c->warp != in->warp) {
        out->flushed = c->valid != 0;
        out->near_flushed = smrf_ccu_flush(c);
    }
    c->warp = in->warp;
    c->drop = false;
    if (c->cfg->cache) {
        unsigned taken = check_tags_(c, in, out);
        out->missing = all & ~out->hits;
        place_misses_(c, in, taken, out);
    } else {
        out->missing = out->uncached = all;
        memset(c->slot_index, SMRF_CCU_NO_ENTRY, in->num_src);
    }
    c->slot_valid = all;
    c->slot_ready = out->hits;
}

/* --- operations B, C, D ----------------------------------------------------------------------- */

void smrf_ccu_arrive(struct smrf_ccu *c, unsigned i, const uint32_t *data, uint32_t version)
{
    unsigned e = c->slot_index[i];
    SMRF_ASSERT((c->slot_valid & ~c->slot_ready) >> i & 1);
    c->slot_ready |= bit_(i);
    if (e == SMRF_CCU_NO_ENTRY) {
        return;
    }
    smrf_value_keep(c->data[e], data);
    c->version[e] = version;
    c->pending &= ~bit_(e);
}

static bool wanted_(const struct smrf_ccu *c, const struct smrf_ccu_result *in, bool present)
{
    if (!present && in->partial && !c->cfg->partial_allocates) {
        return false;
    }
    switch (c->cfg->write) {
    case SMRF_CCU_WRITE_ALL:
        return true;
    case SMRF_CCU_WRITE_PRESENT:
        return in->near && present;
    default:
        return in->near || (present && c->cfg->far_write == SMRF_CCU_FAR_UPDATE);
    }
}

/* One of the results that port D takes in a cycle. */
static bool take_port_(struct smrf_ccu *c, const struct smrf_ccu_result *in)
{
    if (c->port_cycle != in->cycle) {
        c->port_cycle = in->cycle;
        c->port_used = 0;
    } else if (c->cfg->port_takes_all && c->port_used && c->port_version == in->version) {
        return true; /* another register of the result that has it */
    }
    if (c->cfg->ports && c->port_used >= c->cfg->ports) {
        return false;
    }
    c->port_used++;
    c->port_version = in->version;
    return true;
}

static uint32_t keep_(struct smrf_ccu *c, const struct smrf_ccu_result *in, int e)
{
    uint32_t outcome = SMRF_CCU_KEPT | (e >= 0 ? SMRF_CCU_PRESENT : 0u);
    if (e < 0) {
        e = victim_(c);
        if (e < 0) {
            return SMRF_CCU_NO_ROOM;
        }
        outcome |= near_at_(c, (unsigned)e) ? SMRF_CCU_NEAR_REPLACED : 0u;
        take_(c, (unsigned)e, in->reg);
    }
    c->unread |= bit_((unsigned)e);
    touch_(c, (unsigned)e, in->near);
    smrf_value_keep(c->data[e], in->row);
    c->version[e] = in->version;
    return outcome;
}

uint32_t smrf_ccu_write(struct smrf_ccu *c, const struct smrf_ccu_result *in)
{
    int e = smrf_ccu_probe_find(c, in->reg);
    uint32_t outcome = e >= 0 ? SMRF_CCU_PRESENT : 0u;
    if (!c->cfg->cache || c->drop) {
        return SMRF_CCU_FILTERED;
    }
    if (e >= 0 && c->locked >> e & 1) {
        /* Only where younger writes may overtake older reads. What has been gathered stays for the
         * instruction inside; what has not will be read after this write. */
        c->stale |= bit_((unsigned)e) & ~c->pending;
        return outcome | SMRF_CCU_LOCKED;
    }
    bool wanted = wanted_(c, in, e >= 0);
    if (wanted && take_port_(c, in)) {
        return keep_(c, in, e);
    }
    outcome |= wanted ? SMRF_CCU_NO_PORT : SMRF_CCU_FILTERED;
    if (e >= 0) {
        c->valid &= ~bit_((unsigned)e); /* else the CT would return an old value */
        outcome |= SMRF_CCU_INVALIDATED;
    }
    return outcome;
}

void smrf_ccu_dispatch(struct smrf_ccu *c)
{
    SMRF_ASSERT(smrf_ccu_probe_ready(c));
    c->valid &= c->drop ? 0u : ~c->stale;
    c->warp = c->drop ? SMRF_CCU_NO_WARP : c->warp;
    c->drop = false;
    c->locked = 0;
    c->stale = 0;
    c->slot_valid = 0;
    c->slot_ready = 0;
}

unsigned smrf_ccu_flush(struct smrf_ccu *c)
{
    unsigned near = smrf_count_bits(c->valid & c->near);
    SMRF_ASSERT(!c->locked);
    c->valid = 0;
    c->near = 0;
    c->warp = SMRF_CCU_NO_WARP;
    return near;
}

void smrf_ccu_abandon(struct smrf_ccu *c)
{
    if (!c->slot_valid && !c->locked) {
        smrf_ccu_flush(c);
        return;
    }
    c->valid &= c->locked;
    c->drop = true;
}

/* --- probes ----------------------------------------------------------------------------------- */

const uint32_t *smrf_ccu_probe_operand(const struct smrf_ccu *c, unsigned i)
{
    return c->slot_index[i] == SMRF_CCU_NO_ENTRY ? NULL : c->data[c->slot_index[i]];
}

const uint32_t *smrf_ccu_probe_copy(const struct smrf_ccu *c, unsigned reg)
{
    int e = smrf_ccu_probe_find(c, reg);
    return e < 0 || c->drop || (c->locked | c->pending | c->stale) >> e & 1 ? NULL : c->data[e];
}

unsigned smrf_ccu_probe_faults(const struct smrf_ccu *c)
{
    unsigned faults = 0;
    for (uint32_t m = c->valid; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctz(m);
        if (c->where[c->tag[e]] != e) { /* of two entries with a tag, a look-up finds but one */
            faults |= SMRF_CCU_FAULT_TAGS;
        }
    }
    if (c->locked & ~c->valid || smrf_count_bits(c->locked) > smrf_count_bits(c->slot_valid)) {
        faults |= SMRF_CCU_FAULT_LOCKS;
    }
    return faults;
}
