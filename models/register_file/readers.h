/* SPDX-License-Identifier: Apache-2.0 */
/* How many instructions in flight have still to collect each physical register of a sub-core. */
#ifndef SMRF_READERS_H
#define SMRF_READERS_H

#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_readers {
    uint16_t *count; /* [smrf_readers_size], the caller's; NULL: nothing is counted */
    uint32_t banks;
};

/* Registers of a sub-core that are counted. */
static inline size_t smrf_readers_size(const struct smrf_sm_params *sm,
                                       const struct smrf_rf_params *rf)
{
    return (size_t)smrf_bank_rows(sm, rf) * rf->banks;
}

static inline uint16_t *smrf_readers_at(const struct smrf_readers *r, struct smrf_register_place at)
{
    return &r->count[(size_t)at.row * r->banks + at.bank];
}

static inline void smrf_readers_add(struct smrf_readers *r, struct smrf_register_place at)
{
    if (r->count && at.row != SMRF_ROW_NONE) {
        ++*smrf_readers_at(r, at);
    }
}

/* One of them has. Returns whether it was the last. */
static inline bool smrf_readers_done(struct smrf_readers *r, struct smrf_register_place at)
{
    return r->count && at.row != SMRF_ROW_NONE && --*smrf_readers_at(r, at) == 0;
}

#ifdef __cplusplus
}
#endif

#endif
