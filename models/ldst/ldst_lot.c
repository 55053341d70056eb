/* SPDX-License-Identifier: Apache-2.0 */
/* From the dispatch register into the L1D's bank pipes: what enters them in one cycle is a lot. */
#include "models/ldst/ldst_internal.h"

#include <string.h>

/* Banks interleave by sectors. */
static inline uint32_t bank_(const struct smrf_ldst *l, uint64_t address)
{
    const uint64_t sector = address / SMRF_SECTOR_BYTES;

    return l->bank_mask != UINT32_MAX ? (uint32_t)sector & l->bank_mask
                                      : (uint32_t)(sector % l->cfg.l1d.banks);
}

static inline uint32_t first_pipe_(const struct smrf_ldst *l, uint64_t address)
{
    return bank_(l, address) * l->cfg.l1d.ports;
}

/* A sector becomes one of a lot, in a pipe of its bank. Returns false if all of them are full or
 * have taken one in this cycle. */
static inline bool enter_(struct smrf_ldst *l, struct smrf_ldst_lot *lot,
                          const struct smrf_sector *s)
{
    const uint32_t latency = l->cfg.l1d.latency;
    uint32_t k = first_pipe_(l, s->address);
    const uint32_t end = k + l->cfg.l1d.ports;

    while (lot->pipes[k / 64] >> (k % 64) & 1 || (l->blocked && l->pipe[k].count == latency)) {
        if (++k == end) {
            return false;
        }
    }
    lot->pipes[k / 64] |= UINT64_C(1) << (k % 64);
    l->pipe[k].count += l->blocked > 0;
    l->sector[(uint32_t)(lot - l->lot) * l->pipes + k] = *s;
    return true;
}

/* The lot after the others, one a cycle: where they are l1d.latency, the first of them is late. */
static struct smrf_ldst_lot *next_lot_(struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t latency = l->cfg.l1d.latency;
    struct smrf_ldst_lot *lot;
    uint32_t at;

    if (l->lots == latency) {
        smrf_ldst_l1d_take_late(l);
    }
    at = l->lot_head + l->lots;
    at -= at >= latency ? latency : 0;
    lot = &l->lot[at];
    lot->entered = cycle;
    lot->line = d->sector[d->left - 1].address / SMRF_LINE_BYTES;
    lot->owner = d->access & SMRF_LDST_STORE ? d->warp : d->entry;
    lot->kind = d->access;
    lot->of_line = 0;
    lot->plain = false;
    memset(lot->pipes, 0, sizeof(lot->pipes));
    return lot;
}

bool smrf_ldst_l1d_full(const struct smrf_ldst *l, uint64_t address)
{
    uint32_t first;

    if (!l->blocked) {
        return false; /* a pipe has at most one of a lot, and lots are fewer than l1d.latency */
    }
    first = first_pipe_(l, address);
    for (uint32_t k = first; k < first + l->cfg.l1d.ports; k++) {
        if (l->pipe[k].count < l->cfg.l1d.latency) {
            return false;
        }
    }
    return true;
}

static void expect_access_(const struct smrf_ldst *l, uint64_t address)
{
    if (!(l->dispatch.access & SMRF_LDST_ALWAYS_HITS)) {
        smrf_cache_expect_access(&l->tags, address, smrf_cache_linear_set(&l->tags, address));
    }
}

/* .. they enter at once where they are neighbours in one line, of which every sector is in another
 * bank. Returns whether they are. */
static inline bool enter_line_(struct smrf_ldst *l, struct smrf_ldst_lot *lot, uint32_t sectors)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t first = d->sector[d->left - sectors].address,
                   last = d->sector[d->left - 1].address;
    const unsigned from = (unsigned)(first / SMRF_SECTOR_BYTES);

    if (!l->line_wide || d->access & SMRF_LDST_STORE ||
        first / SMRF_LINE_BYTES != last / SMRF_LINE_BYTES ||
        last - first != (sectors - 1) * SMRF_SECTOR_BYTES) {
        return false;
    }
    lot->plain = true;
    lot->of_line = (uint8_t)(((1u << sectors) - 1) << from % SMRF_CACHE_SECTORS);
    lot->pipes[0] = ((UINT64_C(1) << sectors) - 1) << (from & (l->pipes - 1));
    expect_access_(l, first);
    return true;
}

/* One more sector of the lot: is it of the line of those before it? */
static inline void add_(const struct smrf_ldst *l, struct smrf_ldst_lot *lot, uint64_t address,
                        uint64_t *line)
{
    lot->of_line = (uint8_t)(lot->of_line | smrf_cache_sector(address));
    if (address / SMRF_LINE_BYTES != *line) {
        *line = address / SMRF_LINE_BYTES;
        lot->line = lot->line == *line ? *line : SMRF_NEVER;
        expect_access_(l, address);
    }
}

/* Nothing waits, and banks have a port each: as many sectors enter as are in different banks. */
static uint32_t enter_free_(const struct smrf_ldst *l, struct smrf_ldst_lot *lot, uint32_t most)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    struct smrf_sector *to = &l->sector[(uint32_t)(lot - l->lot) * l->pipes];
    uint64_t line = SMRF_NEVER, pipes = 0;
    uint32_t n = 0;

    for (; n < most; n++) {
        const struct smrf_sector *s = &d->sector[d->left - 1 - n];
        const uint32_t k = bank_(l, s->address);

        if (pipes >> k & 1) {
            break;
        }
        pipes |= UINT64_C(1) << k;
        to[k] = *s;
        add_(l, lot, s->address, &line);
    }
    lot->pipes[0] = pipes;
    return n;
}

/* .. one by one. Returns how many there is room for. */
static uint32_t enter_each_(struct smrf_ldst *l, struct smrf_ldst_lot *lot, uint32_t most)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    uint64_t line = SMRF_NEVER;
    uint32_t n = 0;

    while (n < most && enter_(l, lot, &d->sector[d->left - 1 - n])) {
        add_(l, lot, d->sector[d->left - 1 - n].address, &line);
        n++;
    }
    return n;
}

uint32_t smrf_ldst_l1d_enter(struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t most = d->left < l->pipes ? d->left : l->pipes;
    struct smrf_ldst_lot *lot;
    uint32_t n;

    if (smrf_ldst_l1d_full(l, d->sector[d->left - 1].address)) {
        return 0;
    }
    lot = next_lot_(l, cycle);
    if (l->blocked || l->cfg.l1d.ports > 1) {
        n = enter_each_(l, lot, most);
    } else {
        n = enter_line_(l, lot, most) ? most : enter_free_(l, lot, most);
    }
    lot->sectors = (uint16_t)n;
    l->accesses += n;
    if (l->lots++ == 0) {
        l->lot_due = cycle + l->cfg.l1d.latency;
    }
    return n;
}
