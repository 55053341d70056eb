/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of one warp in a register file cache: a queue, first in first out, of registers whose
 * newest value is here and not in its bank, each with the lanes that it was written in; and those that
 * have left the queue and wait for the ports of their banks. */
#ifndef SMRF_RFC_ENTRIES_H
#define SMRF_RFC_ENTRIES_H

#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_RFC_MAX_ENTRIES 16 /* of a warp, and again as many that leave */

struct smrf_rfc_entry {
    struct smrf_register_place at; /* in the register file */
    uint32_t token;                /* of one that leaves */
    uint32_t version;
    uint32_t lanes; /* that it has; the others are in the bank */
    uint8_t reg;
    uint32_t data[SMRF_LANES];
};

struct smrf_rfc_entries {
    uint8_t held, leaving;
    struct smrf_rfc_entry queue[SMRF_RFC_MAX_ENTRIES]; /* [held], the oldest first */
    struct smrf_rfc_entry out[SMRF_RFC_MAX_ENTRIES];   /* [leaving], the oldest first */
};

enum smrf_rfc_where {
    SMRF_RFC_BANK,  /* all lanes */
    SMRF_RFC_ENTRY, /* all lanes */
    SMRF_RFC_BOTH   /* some here, some there */
};

/* Where the lanes of a register are now; *entry: that which has them all. */
enum smrf_rfc_where smrf_rfc_look(const struct smrf_rfc_entries *e, unsigned reg, uint32_t lanes,
                                  const struct smrf_rfc_entry **entry);

/* Number of the register in the queue, -1: it is not there. */
int smrf_rfc_find(const struct smrf_rfc_entries *e, unsigned reg);

/* May another one leave the queue? */
static inline bool smrf_rfc_may_leave(const struct smrf_rfc_entries *e)
{
    return e->leaving < SMRF_RFC_MAX_ENTRIES;
}

/* A result of some lanes. With an entry in the queue: into it. Else into a new one behind all others,
 * at its place in the register file. Returns whether it had one. Precondition: there is room. */
bool smrf_rfc_put(struct smrf_rfc_entries *e, unsigned reg, struct smrf_register_place at,
                  const uint32_t *data, uint32_t lanes, uint32_t version);

/* The n-th of the queue is forgotten. */
void smrf_rfc_drop(struct smrf_rfc_entries *e, unsigned n);

/* The n-th of the queue leaves under a token. Returns it. Precondition: it may. */
const struct smrf_rfc_entry *smrf_rfc_leave(struct smrf_rfc_entries *e, unsigned n,
                                            uint32_t token);

/* Its bank takes what left under the token, into data [32]. Returns its lanes, 0: there is none, or
 * newer values have taken the place of them all. */
uint32_t smrf_rfc_gone(struct smrf_rfc_entries *e, uint32_t token, uint32_t *data,
                       uint32_t *version);

/* The bank got newer values of these lanes: what leaves must not overwrite them. */
void smrf_rfc_outdated(struct smrf_rfc_entries *e, unsigned reg, uint32_t lanes, uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
