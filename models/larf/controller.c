/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping controller in the load/store unit: what becomes of a load, and what takes entries out of
 * the address mapping table. A destination gets the register that holds its bytes (perfect
 * sharing), or, if the L1 does not have them, is put together from two (partial sharing): without
 * an L1 for global loads it never has them.
 * Source: LARF 2 and 3. */
#include "larf.h"

/* --- entries ---------------------------------------------------------------------------------- */

static void remove_(struct smrf_larf *l, struct smrf_amt_entry *e)
{
    smrf_vrf_at(&l->v, e->sub, e->phys)->listed = false;
    smrf_amt_remove(&l->table, e);
}

static void empty_(struct smrf_larf *l, uint64_t *counter)
{
    for (uint32_t i = 0; l->table.count; i++) {
        if (l->table.entry[i].taken) {
            remove_(l, &l->table.entry[i]);
            ++*counter;
        }
    }
}

/* The registers of a load that are still named get entries. */
static void remember_(struct smrf_larf *l, const struct smrf_memory_request *r,
                      struct smrf_amt_bytes bytes)
{
    const struct smrf_flight *f = r->f;
    for (unsigned i = 0; i < f->num_dst; i++) {
        struct smrf_amt_entry out;
        if (!smrf_vrf_holds(&l->v, f, i)) {
            continue;
        }
        const unsigned phys = smrf_vrf_number(&l->v, f->dst[i]);
        if (!smrf_amt_insert(&l->table, f->sub, phys, smrf_amt_word(bytes, i), r->flight, r->cycle,
                             &out)) {
            l->stats.no_room++;
            continue;
        }
        smrf_vrf_at(&l->v, f->sub, phys)->listed = true;
        l->stats.inserted++;
        if (out.taken) {
            smrf_vrf_at(&l->v, out.sub, out.phys)->listed = false;
            l->stats.replaced++;
        }
    }
}

/* --- look-up ---------------------------------------------------------------------------------- */

/* Does the table have anything to do with the load? */
static bool qualifies_(struct smrf_larf *l, const struct smrf_memory_request *r,
                       struct smrf_amt_bytes *bytes)
{
    const struct smrf_static_inst *op = r->inst->op;
    const unsigned words = op->access_bytes / 4u;
    const bool whole = op->access_bytes >= 4 && op->access_bytes % 4 == 0 && words == r->f->num_dst;
    if (!l->v.options.table || r->space != SMRF_SPACE_GLOBAL) {
        return false;
    }
    if (op->flags & SMRF_INST_BYPASS_L1) {
        l->stats.exempt++;
        return false;
    }
    if (!whole || (words > 1 && !l->v.options.wide) ||
        !smrf_amt_describe(&l->table, r->inst, bytes)) {
        l->stats.shapeless++;
        return false;
    }
    return true;
}

/* Is an older store to the load's bytes on its way? */
static bool overtakes_(struct smrf_larf *l, const struct smrf_memory_request *r,
                       struct smrf_amt_bytes bytes)
{
    const uint64_t a = bytes.base + (unsigned)__builtin_ctz(bytes.lanes) * (uint64_t)bytes.stride;
    const uint64_t b =
        bytes.base + (31u - (unsigned)__builtin_clz(bytes.lanes)) * (uint64_t)bytes.stride;
    const uint64_t first = a < b ? a : b, last = (a < b ? b : a) + r->inst->op->access_bytes - 1;
    return smrf_larf_ahead_meets(l, r->f, first, last);
}

/* Entries of all registers of a load. Returns false: not all have one that may be taken. */
static bool find_all_(struct smrf_larf *l, const struct smrf_memory_request *r,
                      struct smrf_amt_bytes bytes, struct smrf_amt_entry **e)
{
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        e[i] = smrf_amt_find(&l->table, r->f->sub, smrf_amt_word(bytes, i));
        if (!e[i] || (e[i]->flight != SMRF_NO_FLIGHT && !l->v.options.pending)) {
            return false;
        }
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        if (!smrf_vrf_replaceable(&l->v, r->f, i)) {
            l->stats.lanes_live++;
            return false;
        }
    }
    if (overtakes_(l, r, bytes)) {
        l->stats.overtaking++;
        return false;
    }
    return true;
}

/* The load `waiter` ends, or is collected, when `load` has ended. */
static void wait_(struct smrf_larf *l, uint32_t waiter, unsigned part, uint32_t load)
{
    const uint16_t node = (uint16_t)(waiter * SMRF_LARF_PARTS + part);
    l->next[node] = l->waits_for[load];
    l->waits_for[load] = node;
    l->awaited[waiter]++;
}

static void share_(struct smrf_larf *l, const struct smrf_memory_request *r,
                   struct smrf_amt_bytes bytes, struct smrf_amt_entry **e,
                   struct smrf_memory_answer *answer)
{
    const struct smrf_flight *f = r->f;
    l->awaited[r->flight] = 0;
    for (unsigned i = 0; i < f->num_dst; i++) {
        smrf_amt_use(&l->table, e[i]);
        smrf_larf_log_use(l->log, e[i], smrf_amt_word(bytes, i), f->version, r->cycle);
        if (e[i]->flight != SMRF_NO_FLIGHT) {
            wait_(l, r->flight, 2 * i, e[i]->flight);
        }
        answer->at[i] = smrf_vrf_share(&l->v, f, i, e[i]->phys);
    }
    answer->delay = l->awaited[r->flight] ? SMRF_MEMORY_WAIT : l->v.options.lookup_cycles;
    l->stats.perfect_shares++;
    l->stats.perfect_registers += f->num_dst;
    l->stats.pending_shares += l->awaited[r->flight] != 0;
}

static enum smrf_memory_verdict address_(void *m, const struct smrf_memory_request *r,
                                         struct smrf_memory_answer *answer)
{
    struct smrf_larf *l = m;
    struct smrf_amt_entry *e[SMRF_MERGE_DST];
    struct smrf_amt_bytes bytes;
    l->stats.loads++;
    if (!qualifies_(l, r, &bytes)) {
        l->stats.issued++;
        return SMRF_MEMORY_ISSUE;
    }
    l->stats.lookups++;
    if (find_all_(l, r, bytes, e)) {
        share_(l, r, bytes, e, answer);
        return SMRF_MEMORY_SHARE;
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        smrf_vrf_use(&l->v, r->f, i);
    }
    remember_(l, r, bytes);
    l->stats.issued++;
    return SMRF_MEMORY_ISSUE;
}

/* --- partial sharing -------------------------------------------------------------------------- */

static void take_part_(struct smrf_larf *l, const struct smrf_memory_request *r,
                       struct smrf_amt_bytes bytes, unsigned i, const struct smrf_amt_pair *pair,
                       struct smrf_merge_part *part)
{
    for (unsigned p = 0; p < 2; p++) {
        struct smrf_amt_entry *e = pair->entry[p];
        part[p] = (struct smrf_merge_part){smrf_vrf_place(&l->v, e->phys), pair->lanes[p],
                                           pair->shift[p]};
        smrf_vrf_pin(&l->v, e->sub, e->phys); /* until it has been merged */
        smrf_amt_use(&l->table, e);
        if (e->flight != SMRF_NO_FLIGHT) {
            wait_(l, r->flight, 2 * i + p, e->flight);
        }
        bytes.lanes = pair->lanes[p];
        if (bytes.lanes) {
            smrf_larf_log_use(l->log, e, bytes, r->f->version, r->cycle);
        }
    }
}

/* A merged register is as old as its older part. */
static void age_(struct smrf_larf *l, const struct smrf_flight *f, unsigned i,
                 const struct smrf_amt_pair *pair)
{
    struct smrf_amt_entry *own = smrf_amt_of(&l->table, f->sub, smrf_vrf_number(&l->v, f->dst[i]));
    for (unsigned p = 0; own && p < 2; p++) {
        own->loaded = pair->entry[p]->loaded < own->loaded ? pair->entry[p]->loaded : own->loaded;
        own->stale_local |= pair->entry[p]->stale_local;
        own->stale_remote |= pair->entry[p]->stale_remote;
    }
}

static enum smrf_memory_verdict l1_(void *m, const struct smrf_memory_request *r, bool readable,
                                    struct smrf_memory_answer *answer)
{
    struct smrf_larf *l = m;
    struct smrf_amt_pair pair[SMRF_MERGE_DST];
    struct smrf_amt_bytes bytes;
    if (r->inst->op->flags & SMRF_INST_BYPASS_L1 || (readable && !l->v.options.partial_hits) ||
        !l->v.options.partial || !l->v.options.table || r->space != SMRF_SPACE_GLOBAL ||
        r->f->num_dst > SMRF_MERGE_DST || r->inst->op->access_bytes != 4 * r->f->num_dst ||
        (r->f->num_dst > 1 && !l->v.options.wide) ||
        !smrf_amt_describe(&l->table, r->inst, &bytes) || overtakes_(l, r, bytes)) {
        return SMRF_MEMORY_ISSUE;
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        if (r->f->dst[i].row == SMRF_ROW_NONE ||
            !smrf_amt_cover(&l->table, r->f->sub, smrf_amt_word(bytes, i), r->flight, &pair[i])) {
            return SMRF_MEMORY_ISSUE;
        }
    }
    l->awaited[r->flight] = 0;
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        take_part_(l, r, smrf_amt_word(bytes, i), i, &pair[i], answer->part[i]);
        age_(l, r->f, i, &pair[i]);
        struct smrf_amt_entry *own =
            smrf_amt_of(&l->table, r->f->sub, smrf_vrf_number(&l->v, r->f->dst[i]));
        if (own && !l->v.options.record_merged) {
            remove_(l, own);
            l->stats.unrecorded++;
        }
    }
    answer->collector = (uint8_t)l->merger;
    answer->delay = l->awaited[r->flight] ? SMRF_MEMORY_WAIT : 0;
    l->stats.pending_merges += l->awaited[r->flight] != 0;
    l->stats.issued--;
    l->stats.partial_shares++;
    return SMRF_MEMORY_MERGE;
}

/* --- ends of loads ---------------------------------------------------------------------------- */

static void loaded_(void *m, const struct smrf_flight *f, uint32_t flight)
{
    struct smrf_larf *l = m;
    if (f->unit == SMRF_UNIT_MERGE) {
        for (unsigned i = 0; i < f->num_src; i++) {
            smrf_vrf_unpin(&l->v, f->sub, smrf_vrf_number(&l->v, f->src[i]));
        }
    }
    for (unsigned i = 0; i < f->num_dst && !f->shared; i++) {
        struct smrf_amt_entry *e =
            f->dst[i].row == SMRF_ROW_NONE
                ? NULL
                : smrf_amt_of(&l->table, f->sub, smrf_vrf_number(&l->v, f->dst[i]));
        if (e && e->flight == flight) {
            e->flight = SMRF_NO_FLIGHT;
        }
    }
    while (l->waits_for[flight] != SMRF_AMT_NONE) {
        const uint16_t node = l->waits_for[flight];
        const uint32_t waiter = node / SMRF_LARF_PARTS;
        l->waits_for[flight] = l->next[node];
        if (--l->awaited[waiter] == 0) {
            l->v.services.finish(l->v.services.ctx, waiter);
        }
    }
}

/* --- stores and fences ------------------------------------------------------------------------ */

static void store_(void *m, const struct smrf_memory_request *r)
{
    struct smrf_larf *l = m;
    const bool bytes = l->v.options.match == SMRF_LARF_MATCH_BYTES;
    const struct smrf_amt_store store = smrf_amt_store_of(r->inst);
    smrf_larf_ahead_arrived(l, r->f->version);
    smrf_larf_log_store(l->log, r->inst, r->f->version, r->cycle);
    if (r->f->op->op_class == SMRF_CLASS_ATOMIC && l->v.options.fence_empties) {
        empty_(l, &l->stats.emptied);
        return;
    }
    for (uint32_t i = 0, left = l->table.count; left; i++) {
        struct smrf_amt_entry *e = &l->table.entry[i];
        if (!e->taken) {
            continue;
        }
        left--;
        if (bytes ? smrf_amt_overlaps(&e->bytes, &store) : smrf_amt_in_range(&e->bytes, &store)) {
            remove_(l, e);
            l->stats.invalidated++;
        }
    }
}

static void fence_(void *m, const struct smrf_flight *f)
{
    struct smrf_larf *l = m;
    (void)f;
    if (l->v.options.fence_empties) {
        empty_(l, &l->stats.emptied);
    }
}

void smrf_larf_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_larf *l = m;
    if (f->op->op_class == SMRF_CLASS_BARRIER && l->v.options.barrier_empties) {
        empty_(l, &l->stats.emptied);
    }
    smrf_larf_ahead_issued(l, f, inst);
    smrf_vrf_issued(&l->v, f, inst);
}

const struct smrf_memory_seam smrf_larf_memory_seam = {
    .address = address_,
    .l1 = l1_,
    .store = store_,
    .loaded = loaded_,
    .merge_cycles = SMRF_LARF_MERGE_CYCLES,
    .logs = true,
    .fence = fence_,
};
