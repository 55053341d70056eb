/* SPDX-License-Identifier: Apache-2.0 */
/* Values of one warp's registers in a register cache beside the banks: a queue, first in first
 * out, each with the lanes that it has and those of them that its bank has not; and those that have
 * left the queue and wait for the ports of their banks. */
#ifndef SMRF_CACHED_VALUES_H
#define SMRF_CACHED_VALUES_H

#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CACHED_MAX 16                     /* of a warp, and again as many that leave */
#define SMRF_CACHED_ROWS (2 * SMRF_CACHED_MAX) /* of both */

struct smrf_cached_value {
    struct smrf_register_place at; /* in the register file */
    uint32_t token;                /* of one that leaves */
    uint32_t version;
    uint32_t lanes; /* that it has; the others are in the bank */
    uint32_t dirty; /* of these, those that the bank has not */
    uint32_t slot;  /* of the mechanism's; 0 where it has but one */
    uint8_t reg;
};

/* Lists hold rows, so that a value stays where it is while it goes from list to list. */
struct smrf_cached_values {
    uint8_t count, leaving;         /* in `queue`, in `out` */
    uint8_t parted;                 /* of both, those that lack lanes */
    uint32_t rows_used;             /* bit set */
    uint8_t queue[SMRF_CACHED_MAX]; /* rows [count], the oldest first */
    uint8_t out[SMRF_CACHED_MAX];   /* rows [leaving], the oldest first */
    uint8_t entries[256];           /* of a register, in both */
    struct smrf_cached_value value[SMRF_CACHED_ROWS];
    uint32_t data[SMRF_CACHED_ROWS][SMRF_LANES];
};

enum smrf_cached_location {
    SMRF_CACHED_BANK,  /* all lanes */
    SMRF_CACHED_ENTRY, /* all lanes */
    SMRF_CACHED_BOTH   /* some here, some there */
};

/* Has a register an entry? */
static inline bool smrf_cached_has(const struct smrf_cached_values *e, unsigned reg)
{
    return e->entries[reg] != 0;
}

/* The n-th of the queue. */
static inline const struct smrf_cached_value *smrf_cached_queued(const struct smrf_cached_values *e,
                                                                 unsigned n)
{
    return &e->value[e->queue[n]];
}

/* The n-th of those that leave. */
static inline const struct smrf_cached_value *
smrf_cached_leaving(const struct smrf_cached_values *e, unsigned n)
{
    return &e->value[e->out[n]];
}

/* Where the lanes of a register are now; *entry: that which has them all. */
enum smrf_cached_location smrf_cached_locate(const struct smrf_cached_values *e, unsigned reg,
                                             uint32_t lanes,
                                             const struct smrf_cached_value **entry);

/* Number of the register in a slot in the queue, -1: it is not there. */
int smrf_cached_find(const struct smrf_cached_values *e, uint32_t slot, unsigned reg);

/* All are forgotten. */
void smrf_cached_clear(struct smrf_cached_values *e);

/* May another one leave the queue? */
static inline bool smrf_cached_may_leave(const struct smrf_cached_values *e)
{
    return e->leaving < SMRF_CACHED_MAX;
}

/* A register's value in a slot. */
struct smrf_cached_result {
    struct smrf_register_place at; /* in the register file */
    uint32_t version, lanes, slot;
    bool clean; /* the bank has it, too */
    uint8_t reg;
};

/* With an entry in the queue: into it. Else into a new one behind all others. Returns whether it
 * had one. Precondition: there is room. */
bool smrf_cached_put(struct smrf_cached_values *e, const struct smrf_cached_result *put,
                     const uint32_t *data);

/* Lanes of the n-th of the queue are forgotten; it keeps others. */
void smrf_cached_lose(struct smrf_cached_values *e, unsigned n, uint32_t lanes);

/* The n-th of the queue is forgotten. */
void smrf_cached_drop(struct smrf_cached_values *e, unsigned n);

/* The n-th of the queue leaves under a token. Returns it. Precondition: it may. */
const struct smrf_cached_value *smrf_cached_leave(struct smrf_cached_values *e, unsigned n,
                                                  uint32_t token);

/* The same, but it stays as well, and its bank lacks nothing of it any more. */
const struct smrf_cached_value *smrf_cached_write_back(struct smrf_cached_values *e, unsigned n,
                                                       uint32_t token);

/* The value of an entry of either list, into data [32] (NULL: values are not carried), and its
 * version. */
void smrf_cached_copy(const struct smrf_cached_values *e, const struct smrf_cached_value *v,
                      uint32_t *data, uint32_t *version);

/* Its bank takes what left under the token, into data [32] (NULL: no values). Returns the lanes
 * that the bank has not, 0: there is none, or newer values have taken the place of them all. */
uint32_t smrf_cached_gone(struct smrf_cached_values *e, uint32_t token, uint32_t *data,
                          uint32_t *version);

/* A register's newest result has this version, whichever lanes it has; so have all its lanes. */
void smrf_cached_renew(struct smrf_cached_values *e, unsigned reg, uint32_t version);

/* The bank got newer values of these lanes: what leaves must not overwrite them. */
void smrf_cached_outdated(struct smrf_cached_values *e, unsigned reg, uint32_t lanes,
                          uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
