/* SPDX-License-Identifier: Apache-2.0 */
/* Coherence of shared registers, checked apart from the mechanism: every SM writes down its stores
 * and its uses of shared registers; at edges of time at which all SMs have arrived, they are
 * compared. A use is stale if a store that overlaps it lies between the look-up of the load that
 * brought the register and the use, or if it overtakes an older store of its own SM: by the same SM
 * an error, by another one the risk that the paper takes.
 * Source: LARF 3 (remote updates). */
#ifndef SMRF_LARF_COHERENCE_H
#define SMRF_LARF_COHERENCE_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LARF_EDGE 500                        /* cycles between comparisons */
#define SMRF_LARF_STORES (SMRF_LARF_EDGE + 8)     /* at most one memory instruction a cycle */
#define SMRF_LARF_USES (8 * (SMRF_LARF_EDGE + 8)) /* a merge of four registers has eight */

struct smrf_larf_store {
    uint64_t cycle;
    uint32_t version;           /* of its flight: the order of issue */
    struct smrf_static_inst op; /* of which the width counts */
    struct smrf_inst inst;
};

struct smrf_larf_use {
    uint64_t since, loaded, used; /* since: for own stores, loaded: for others' */
    uint32_t version;             /* of its flight */
    struct smrf_amt_bytes bytes;
    bool stale_local, stale_remote; /* the entry was at the edge before */
};

struct smrf_larf_log {
    uint32_t num_stores, num_uses;
    struct smrf_larf_store store[SMRF_LARF_STORES];
    struct smrf_larf_use use[SMRF_LARF_USES];
};

void smrf_larf_log_store(struct smrf_larf_log *log, const struct smrf_inst *inst, uint32_t version,
                         uint64_t cycle);
/* bytes: of those that the use takes from the entry. */
void smrf_larf_log_use(struct smrf_larf_log *log, const struct smrf_amt_entry *e,
                       struct smrf_amt_bytes bytes, uint32_t version, uint64_t cycle);

/* An SM at an edge. */
struct smrf_larf_view {
    struct smrf_larf_log *log;
    struct smrf_amt *table;
    uint64_t *stale_local, *stale_remote; /* counters */
};

/* Compare, and forget. */
void smrf_larf_compare(const struct smrf_larf_view *sm, unsigned sms);

#ifdef __cplusplus
}
#endif

#endif
