/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the load/store unit without its cycles; nothing else includes it. */
#ifndef SMRF_LDST_ESTIMATE_INTERNAL_H
#define SMRF_LDST_ESTIMATE_INTERNAL_H

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/ldst/ldst_estimate.h"
#include "models/ldst/ldst_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cycle in the holding register before the write. */
#define SMRF_LDST_WRITE_BACK 2

/* What a load has found so far. */
struct smrf_ldst_looked_up {
    uint32_t awaited; /* sectors */
    uint64_t hit;     /* the last of those that are there reaches the tags; 0: none */
};

/* Lines of the load in the dispatch register, up to one that waits. */
struct smrf_ldst_looked_up smrf_ldst_estimate_look_up(struct smrf_ldst_estimate *q, uint16_t entry);
/* Sectors of the store there, up to one that waits. Returns whether none is left. */
bool smrf_ldst_estimate_write_through(struct smrf_ldst_estimate *q);
/* All that it does, or a store does. */
struct smrf_ldst_outlook smrf_ldst_estimate_load(struct smrf_ldst_estimate *q,
                                                 const struct smrf_ldst_inst *in, uint64_t now,
                                                 uint64_t cycle);
struct smrf_ldst_outlook smrf_ldst_estimate_store(struct smrf_ldst_estimate *q, uint64_t cycle);

/* Nothing waits at the tags. */
void smrf_ldst_estimate_reset_waiting(struct smrf_ldst_estimate *q);
/* What is left of the load or store in the dispatch register waits. */
void smrf_ldst_estimate_wait(struct smrf_ldst_estimate *q, uint16_t entry);
/* What waits at the tags tries again. filled: there was an answer. */
void smrf_ldst_estimate_retry(struct smrf_ldst_estimate *q, uint64_t cycle, bool filled);

static inline struct smrf_ldst_planned *smrf_ldst_planned_at(struct smrf_ldst_estimate *q,
                                                             uint32_t n)
{
    return &q->planned[(q->head + n) % SMRF_LDST_SENDS];
}

static inline uint32_t smrf_ldst_bank_of(const struct smrf_ldst *l, uint64_t address)
{
    const uint64_t sector = address / SMRF_SECTOR_BYTES;

    return l->bank_mask != UINT32_MAX ? (uint32_t)sector & l->bank_mask
                                      : (uint32_t)(sector % l->cfg.l1d.banks);
}

/* A request leaves in its cycle: in the order of cycles. */
static inline void smrf_ldst_plan(struct smrf_ldst_estimate *q, const struct smrf_ldst_planned *p)
{
    uint32_t n = q->count++;

    SMRF_ASSERT(n < SMRF_LDST_SENDS);
    for (; n > 0 && smrf_ldst_planned_at(q, n - 1)->cycle > p->cycle; n--) {
        *smrf_ldst_planned_at(q, n) = *smrf_ldst_planned_at(q, n - 1);
    }
    /* Field by field: these come from registers, while the whole would be read back from where its
     * parts have just been written. */
    struct smrf_ldst_planned *const to = smrf_ldst_planned_at(q, n);
    to->cycle = p->cycle;
    to->address = p->address;
    to->bytes = p->bytes;
    to->what = p->what;
    to->owner = p->owner;
    to->kind = p->kind;
    to->past = p->past;
}

/* When a sector of the instruction reaches the tags. */
static inline uint64_t smrf_ldst_at_tags(const struct smrf_ldst_estimate *q, uint32_t i)
{
    return q->entered[i] + q->unit->cfg.l1d.latency;
}

/* A result is there in cycle `at`, as is known in cycle `now`: it goes through the holding register
 * to the banks, in turn with those of other kinds. Returns when it has. */
static inline uint64_t smrf_ldst_estimate_hold(struct smrf_ldst_estimate *q, bool shared,
                                               uint64_t at, uint64_t now)
{
    uint64_t *held = &q->held[shared];
    const bool others = q->written > at || q->held[!shared] > at;

    *held = (*held > at ? *held : at) + 1 + others;
    q->written = (q->written > now ? q->written : now) + 1;
    return *held + 1;
}

static inline uint16_t smrf_ldst_estimate_take_entry(struct smrf_ldst *l,
                                                     const struct smrf_ldst_inst *in,
                                                     uint32_t pending)
{
    const uint16_t i = smrf_ldst_entry_take(l);

    l->entry[i] = (struct smrf_ldst_entry){.slot = in->slot,
                                           .pending = (uint16_t)pending,
                                           .flags = smrf_ldst_entry_flags(l, in->inst)};
    return i;
}

/* An entry's result, or a part of it, is written in cycle `end`. */
static inline void smrf_ldst_estimate_write(struct smrf_ldst_estimate *q, uint16_t i, bool last,
                                            uint64_t end)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_entry *e = &l->entry[i];

    end = last && q->hit[i] > end ? q->hit[i] : end;
    if ((e->flags & SMRF_LDST_HAS_DST) && (last || l->cfg.rf.write_per_sector)) {
        (void)l->events.write_back(l->events.ctx, e->slot, last, end);
        l->stats.write_backs++;
    } else if (last) {
        l->events.complete(l->events.ctx, e->slot, end);
    }
    smrf_ldst_entry_release_if(l, i, last);
}

/* A sector for an entry is there when it reaches the tags. */
static inline void smrf_ldst_estimate_found(struct smrf_ldst_estimate *q, uint16_t i, uint64_t tags)
{
    if (--q->unit->entry[i].pending == 0) {
        smrf_ldst_estimate_write(q, i, true, smrf_ldst_estimate_hold(q, false, tags, tags));
    } else {
        q->hit[i] = tags > q->hit[i] ? tags : q->hit[i];
    }
}

#ifdef __cplusplus
}
#endif

#endif
