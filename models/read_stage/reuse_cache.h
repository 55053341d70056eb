/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache of a sub-core that the compiler steers: one register for each bank and
 * operand position, kept from an instruction whose operand is marked .reuse to the next that reads
 * that bank in that position.
 * Source: Huerta MICRO 2025 5.3: 2 banks x 3 positions x 128 bytes = 768 bytes a sub-core. */
#ifndef SMRF_REUSE_CACHE_H
#define SMRF_REUSE_CACHE_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_REUSE_SLOTS 3 /* operand positions A, B, C */

struct smrf_reuse_cache_entry {
    bool valid;
    uint8_t warp, reg; /* slot of the SM; architectural register */
    uint32_t version;
    uint32_t data[SMRF_LANES];
};

struct smrf_reuse_cache {
    struct smrf_reuse_cache_entry entry[SMRF_MAX_BANKS][SMRF_REUSE_SLOTS];
};

/* What an instruction takes from the cache and leaves in it, by the sources of its flight. */
struct smrf_reuse_cache_plan {
    uint32_t hits, kept;        /* bit i: source i is held; is kept */
    uint8_t from[SMRF_MAX_SRC]; /* of a hit: its position */
    uint8_t to[SMRF_MAX_SRC];   /* bit p: kept in position p */
};

/* Which sources of an instruction are held? Changes nothing. */
void smrf_reuse_cache_look_up(const struct smrf_reuse_cache *c, const struct smrf_flight *f,
                              struct smrf_reuse_cache_plan *plan);
/* The instruction leaves Allocate: every position that it reads in a bank is empty from now on,
 * unless it keeps its operand there. Values follow when they are read. */
void smrf_reuse_cache_take(struct smrf_reuse_cache *c, const struct smrf_flight *f,
                           struct smrf_reuse_cache_plan *plan);

/* An instruction goes on that writes registers: what is held of them is no longer their value.
 * Source: proposed. Compiled code seldom writes a marked register before it reads it again. */
void smrf_reuse_cache_forget_results(struct smrf_reuse_cache *c, unsigned banks,
                                     const struct smrf_flight *f);

/* Nothing of the warp is held any longer: another has its slot. */
void smrf_reuse_cache_forget_warp(struct smrf_reuse_cache *c, unsigned warp);

#ifdef __cplusplus
}
#endif

#endif
