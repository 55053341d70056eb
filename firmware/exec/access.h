/* SPDX-License-Identifier: Apache-2.0 */
/* The usual access: all active lanes lie in one range of this process, so that one check and one
 * displacement hold for all of them. Inlined into the handlers of loads and stores, which are
 * compiled for both instruction sets. */
#ifndef SMRF_EXEC_ACCESS_H
#define SMRF_EXEC_ACCESS_H

#include "firmware/exec/address.h"
#include "firmware/exec/lanes.h"

/* Lane i's bytes lie at host + address[i] + i * stride. */
struct smrf_exec_place {
    uintptr_t host;
    size_t stride;      /* 0 except in local memory, of which every lane has its own */
    uint64_t low, high; /* the least and the greatest address of the active lanes */
};

/* Shared and local memory: 32-bit offsets. Returns all bits of the active lanes' offsets. */
SMRF_EXEC_INLINE uint32_t smrf_exec_reach32(const struct smrf_exec_warp *w,
                                            const struct smrf_exec_op *op, uint32_t mask,
                                            struct smrf_exec_place *p)
{
    const struct smrf_exec_src *s = &op->src[0];
    const uint32_t *row = w->r[s->reg], scale = s->part;
    const uint32_t offset = (uint32_t)s->imm + w->ur[s->ureg];
    uint32_t at[SMRF_EXEC_LANES], low = UINT32_MAX, high = 0, bits = 0;
    SMRF_EXEC_EACH_LANE(i)
        at[i] = row[i] * scale + offset;
    SMRF_EXEC_EACH_LANE(i)
        w->block->address[i] = at[i];
    const uint32_t first = at[__builtin_ctz(mask)];
    SMRF_EXEC_EACH_LANE(i) {
        const uint32_t a = (mask & smrf_exec_bit[i]) != 0 ? at[i] : first;
        low = a < low ? a : low;
        high = a > high ? a : high;
        bits |= a;
    }
    p->low = low;
    p->high = high;
    return bits;
}

/* 64-bit addresses. Returns all bits of the active lanes' addresses. */
SMRF_EXEC_INLINE uint64_t smrf_exec_reach64(const struct smrf_exec_warp *w,
                                            const struct smrf_exec_op *op, uint32_t mask,
                                            struct smrf_exec_place *p)
{
    uint64_t *at = w->block->address, bits = 0;
    smrf_exec_addresses(w, op, at);
    const uint64_t first = at[__builtin_ctz(mask)];
    int64_t low = INT64_MAX, high = INT64_MIN; /* the caller refuses negative ones */
    SMRF_EXEC_EACH_LANE(i) {
        const uint64_t a = (mask & smrf_exec_bit[i]) != 0 ? at[i] : first;
        low = (int64_t)a < low ? (int64_t)a : low;
        high = (int64_t)a > high ? (int64_t)a : high;
        bits |= a;
    }
    p->low = (uint64_t)low;
    p->high = (uint64_t)high;
    return bits;
}

/* Local memory's offset 0 lies at address `origin`. False: not within a lane's part. */
SMRF_EXEC_INLINE bool smrf_exec_place_local(struct smrf_exec_warp *w, uint64_t origin,
                                            uint32_t bytes, struct smrf_exec_place *p)
{
    struct smrf_exec_block *b = w->block;
    const uint64_t low = p->low - origin, end = p->high - origin + bytes;
    if (end > b->local_bytes) {
        return false;
    }
    p->stride = b->local_stride;
    p->host = (uintptr_t)b->local + w->index * SMRF_EXEC_LANES * p->stride - origin;
    smrf_exec_use_local(b, (uint32_t)low, (uint32_t)end);
    return true;
}

SMRF_EXEC_INLINE bool smrf_exec_place_shared(const struct smrf_exec_warp *w, uint64_t origin,
                                             uint32_t bytes, struct smrf_exec_place *p)
{
    p->host = (uintptr_t)w->block->shared - origin;
    return p->high - origin + bytes <= w->block->shared_bytes;
}

/* Whether a generic address in [low, high] may be one of a window. */
SMRF_EXEC_INLINE bool smrf_exec_meets_window(uint64_t low, uint64_t high)
{
    return high >= SMRF_EXEC_SHARED_WINDOW && low < SMRF_EXEC_LOCAL_WINDOW + SMRF_EXEC_WINDOW_BYTES;
}

/* Computes all lanes' addresses into block->address. False: not the usual access, which
 * smrf_exec_locate makes a lane at a time, or says what is wrong with. */
SMRF_EXEC_INLINE bool smrf_exec_place(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                      uint32_t mask, struct smrf_exec_place *p)
{
    const uint32_t space = op->sub2 & SMRF_EXEC_ADDRESS_SPACE, bytes = op->bytes;
    p->stride = 0;
    if (mask == 0) {
        return false;
    }
    if (space == SMRF_EXEC_SHARED || space == SMRF_EXEC_LOCAL) {
        return (smrf_exec_reach32(w, op, mask, p) & (bytes - 1)) == 0 &&
               (space == SMRF_EXEC_LOCAL ? smrf_exec_place_local(w, 0, bytes, p)
                                         : smrf_exec_place_shared(w, 0, bytes, p));
    }
    if ((op->sub2 & SMRF_EXEC_ADDRESS_64) == 0) {
        return false;
    }
    const uint64_t bits = smrf_exec_reach64(w, op, mask, p);
    if ((bits & (bytes - 1)) != 0 || bits >> 63 != 0) {
        return false;
    }
    if (space == SMRF_EXEC_GENERIC && smrf_exec_meets_window(p->low, p->high)) {
        return p->low >= SMRF_EXEC_LOCAL_WINDOW
                   ? smrf_exec_place_local(w, SMRF_EXEC_LOCAL_WINDOW, bytes, p)
                   : p->low >= SMRF_EXEC_SHARED_WINDOW &&
                         smrf_exec_place_shared(w, SMRF_EXEC_SHARED_WINDOW, bytes, p);
    }
    const void *base = smrf_exec_reach(w->block, op, mask, p->low, p->high);
    p->host = (uintptr_t)base - p->low;
    return base != NULL;
}

/* Whether the lanes' 4 bytes lie one behind the other: all lanes are active. */
SMRF_EXEC_INLINE bool smrf_exec_is_row(const struct smrf_exec_warp *w, uint32_t mask,
                                       const struct smrf_exec_place *p)
{
    const uint64_t *address = w->block->address;
    uint64_t differs = 0;
    if (mask != SMRF_EXEC_ALL || p->stride != 0 || p->high - p->low != 4 * 31) {
        return false;
    }
    SMRF_EXEC_EACH_LANE(i)
        differs |= (address[i] - p->low) ^ (4 * i);
    return differs == 0;
}

#endif
