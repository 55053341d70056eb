/* SPDX-License-Identifier: Apache-2.0 */
/* A single-ported register bank: rows of one warp register (32 lanes of 4 bytes) and the version of
 * the value in each row. One read or one write a step; the arbiter sees to it.
 * A row whose lanes are a series is kept as its first lane: the rows of all warps are more than a
 * data cache holds, and the values that the oracle makes are series.
 * Source: Malekeh (long) sec. II. */
#ifndef SMRF_BANK_H
#define SMRF_BANK_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row, if it is not a series. */
struct smrf_bank_row {
    uint32_t lane[SMRF_LANES];
};

struct smrf_bank_tag {
    uint32_t version; /* number of the write that filled the row (0: never written) */
    uint32_t first;   /* of a series: lane 0 */
    bool series;      /* lane l holds first + l */
};

struct smrf_bank {
    struct smrf_bank_row *rows; /* [num_rows], owned by the caller */
    struct smrf_bank_tag *tags; /* [num_rows], owned by the caller */
    uint32_t num_rows;
    uint32_t used;          /* rows from here on are as after the reset */
    bool open;              /* rows may be changed from outside: no row is a series */
    uint64_t reads, writes; /* accesses so far */
};

/* rows, tags: [num_rows] each, zeroed. Returns 0 or SMRF_ERR_INVAL. */
int smrf_bank_init(struct smrf_bank *b, struct smrf_bank_row *rows, struct smrf_bank_tag *tags,
                   uint32_t num_rows);

/* All rows zero, never written; counters zero. */
void smrf_bank_reset(struct smrf_bank *b);

/* Reads a row into data [32] and returns its version. Takes the port for one step. Row
 * SMRF_ROW_NONE reads zeros of version 0. data NULL: value and version are not needed. */
uint32_t smrf_bank_read(struct smrf_bank *b, uint32_t row, uint32_t *data);

/* Counts reads whose values are not needed. */
static inline void smrf_bank_pass(struct smrf_bank *b, uint32_t reads)
{
    b->reads += reads;
}

/* Write the lanes of lane_mask. Takes the port for one step. row SMRF_ROW_NONE or data NULL:
 * discarded. */
void smrf_bank_write(struct smrf_bank *b, uint32_t row, const uint32_t *data, uint32_t lane_mask,
                     uint32_t version);

/* Writes a row whose value is not needed. Takes the port for one step. */
static inline void smrf_bank_count_write(struct smrf_bank *b)
{
    b->writes++;
}

/* Contents without taking the port and without counting, in scratch or elsewhere. NULL: the bank
 * has no such row. */
const struct smrf_bank_row *smrf_bank_probe(const struct smrf_bank *b, uint32_t row,
                                            struct smrf_bank_row *scratch);

/* The same, to be read and changed from outside from now on (a debugger, DMI). Precondition:
 * row < num_rows. */
struct smrf_bank_row *smrf_bank_poke(struct smrf_bank *b, uint32_t row);

#ifdef __cplusplus
}
#endif

#endif
