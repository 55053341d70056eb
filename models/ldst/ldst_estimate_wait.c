/* SPDX-License-Identifier: Apache-2.0 */
/* What waits at the tags of the L1D without its cycles. Sectors wait in the pipes of their banks,
 * the later ones in the dispatch register and in sub-cores until there is room in the pipe of the
 * first of them. */
#include "models/ldst/ldst_estimate_internal.h"

#include <string.h>

void smrf_ldst_estimate_reset_waiting(struct smrf_ldst_estimate *q)
{
    q->waiting = 0;
    q->retry = SMRF_NEVER;
    q->outside = (struct smrf_ldst_row){0, 0, 0, SMRF_NEVER};
    for (uint32_t k = 0; k < SMRF_LDST_MAX_BANKS; k++) {
        q->at_tags[k] = q->outside;
    }
    memset(q->behind, 0, sizeof q->behind);
    q->waiting_free = 0;
    q->waits_known = 1;
}

/* A place that is free: one that has been used before, so that those at the end stay untouched. */
static uint16_t take_place_(struct smrf_ldst_estimate *q)
{
    const uint16_t at = q->waiting_free;

    if (at) {
        q->waiting_free = q->waits[at].next;
        return at;
    }
    SMRF_ASSERT(q->waits_known <= SMRF_LDST_WAITING);
    return q->waits_known++;
}

static void append_(struct smrf_ldst_estimate *q, struct smrf_ldst_row *row, uint16_t at)
{
    q->waits[at].next = 0;
    q->waits[row->last].next = at; /* of none: [0] */
    row->first = row->count++ ? row->first : at;
    row->last = at;
}

static uint16_t take_first_(struct smrf_ldst_estimate *q, struct smrf_ldst_row *row)
{
    const uint16_t at = row->first;

    row->first = q->waits[at].next;
    row->last = --row->count ? row->last : 0;
    return at;
}

static inline uint8_t *behind_(struct smrf_ldst_estimate *q, unsigned warp)
{
    return &q->behind[warp % q->unit->cfg.sm.subcores];
}

/* The first one of a row is tried when it reaches the tags, not before `again`. */
static inline void set_due_(struct smrf_ldst_estimate *q, struct smrf_ldst_row *row, uint64_t again)
{
    const uint64_t tags = q->waits[row->first].entered + q->unit->cfg.l1d.latency;

    row->due = row->count == 0 ? SMRF_NEVER : again > tags ? again : tags;
    q->retry = row->due < q->retry ? row->due : q->retry;
}

/* Sectors enter the pipes of their banks, in order, as far as there is room. */
static void enter_pipes_(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    const struct smrf_ldst *l = q->unit;
    const uint32_t room = l->cfg.l1d.latency * l->cfg.l1d.ports;

    while (q->outside.count) {
        struct smrf_ldst_waiting *w = &q->waits[q->outside.first];
        struct smrf_ldst_row *row = &q->at_tags[smrf_ldst_bank_of(l, w->address)];

        *behind_(q, w->warp) = (uint8_t)(*behind_(q, w->warp) - w->behind);
        w->behind = false;
        if (row->count >= room) {
            return;
        }
        w->entered = w->entered > cycle ? w->entered : cycle;
        append_(q, row, take_first_(q, &q->outside));
        if (row->count == 1) {
            set_due_(q, row, 0);
        }
    }
}

/* What is left of an instruction waits. */
void smrf_ldst_estimate_wait(struct smrf_ldst_estimate *q, uint16_t entry)
{
    const struct smrf_ldst_dispatch *d = &q->unit->dispatch;

    for (uint32_t i = d->left; i > 0; i--) {
        const uint16_t at = take_place_(q);

        q->waits[at] = (struct smrf_ldst_waiting){d->sector[i - 1].address,
                                                  q->entered[i - 1],
                                                  d->sector[i - 1].bytes,
                                                  entry,
                                                  0,
                                                  d->access,
                                                  d->warp,
                                                  i == d->left};
        append_(q, &q->outside, at);
    }
    q->waiting += d->left;
    *behind_(q, d->warp) = (uint8_t)(*behind_(q, d->warp) + 1);
    enter_pipes_(q, 0);
}

/* The first sector that waits at the tags of a bank tries again. Returns whether it waits no
 * more. */
static bool retry_(struct smrf_ldst_estimate *q, struct smrf_ldst_row *row, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const uint16_t at = row->first;
    struct smrf_ldst_waiting *w = &q->waits[at];
    const uint64_t tags = w->entered + l->cfg.l1d.latency;

    l->dispatch.sector[0] = (struct smrf_sector){w->address, w->bytes};
    l->dispatch.access = w->access;
    l->dispatch.left = 1;
    q->entered[0] = tags > cycle ? w->entered : cycle - l->cfg.l1d.latency;
    if (w->access & SMRF_LDST_STORE) {
        l->dispatch.warp = w->warp;
        if (!smrf_ldst_estimate_write_through(q)) {
            return false;
        }
    } else {
        const struct smrf_ldst_looked_up found = smrf_ldst_estimate_look_up(q, w->entry);
        if (l->dispatch.left) {
            return false;
        }
        if (found.awaited == 0) {
            smrf_ldst_estimate_found(q, w->entry, found.hit);
        }
    }
    (void)take_first_(q, row);
    w->next = q->waiting_free;
    q->waiting_free = at;
    q->waiting--;
    return true;
}

/* What waits at the tags tries again, that of the first bank first. filled: there was an answer. */
void smrf_ldst_estimate_retry(struct smrf_ldst_estimate *q, uint64_t cycle, bool filled)
{
    const uint32_t banks = q->unit->cfg.l1d.banks, ports = q->unit->cfg.l1d.ports;

    q->missed = q->missed > cycle + 1 ? q->missed : cycle + 1;
    for (uint32_t k = 0; k < banks; k++) {
        struct smrf_ldst_row *row = &q->at_tags[k];

        if (filled && row->count) {
            set_due_(q, row, 0);
        }
        for (uint32_t n = 0; row->due <= cycle; n++) {
            if (n == ports) {
                set_due_(q, row, cycle + 1);
            } else if (!retry_(q, row, cycle)) {
                set_due_(q, row, q->again);
            } else {
                set_due_(q, row, 0);
                enter_pipes_(q, cycle);
            }
        }
    }
    q->retry = SMRF_NEVER;
    for (uint32_t k = 0; k < banks; k++) {
        q->retry = q->at_tags[k].due < q->retry ? q->at_tags[k].due : q->retry;
    }
}
