/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this folder and by nothing else. */
#ifndef SMRF_ORACLE_INTERNAL_H
#define SMRF_ORACLE_INTERNAL_H

#include "oracle.h"

#define SMRF_ORACLE_ANY UINT32_MAX /* version of a register of several: values alone decide */

/* Have value[reg] hold what the register holds. */
void smrf_oracle_store_(struct smrf_oracle_warp *w, unsigned reg);
/* The same, unless it is the whole value that was made for its version. */
void smrf_oracle_unstore_(struct smrf_oracle_warp *w, unsigned reg);
/* Lanes of a register change. */
static inline void smrf_oracle_change_(struct smrf_oracle_warp *w, unsigned reg, uint32_t lanes)
{
    struct smrf_oracle_register *r = &w->reg[reg];
    if (lanes != UINT32_MAX) {
        w->changed[reg][r->changes % SMRF_ORACLE_RECENT] = lanes;
    }
    r->whole = (uint8_t)(r->whole << 1 | (lanes == UINT32_MAX));
    r->changes++;
}

/* Lanes of the n-th change of a register from the last on, from 1 to SMRF_ORACLE_RECENT. */
static inline uint32_t smrf_oracle_changed_(const struct smrf_oracle_warp *w, unsigned reg,
                                            uint32_t n)
{
    const struct smrf_oracle_register *r = &w->reg[reg];
    return r->whole >> (n - 1) & 1 ? UINT32_MAX
                                   : w->changed[reg][(r->changes - n) % SMRF_ORACLE_RECENT];
}

/* Lanes of a register are known no longer: they have been written, or no instruction that issues
 * from now on reads them. */
void smrf_oracle_forget_(struct smrf_oracle_warp *w, unsigned reg, uint32_t lanes);
void smrf_oracle_drop_(struct smrf_oracle_warp *w, unsigned reg, uint32_t lanes);
/* Copy the lanes. */
void smrf_oracle_copy_lanes_(uint32_t *to, const uint32_t *from, uint32_t lanes);
/* Lanes in which two values differ. */
uint32_t smrf_oracle_differing_(const uint32_t *a, const uint32_t *b, uint32_t lanes);
/* Does a store or an atomic go to the global memory, or may it? */
bool smrf_oracle_stores_(const struct smrf_inst *inst);
/* A store or an atomic of the trace is issued. Precondition: cfg.logs, and the kernel has
 * values. */
void smrf_oracle_stored_(struct smrf_oracle *o, const struct smrf_inst *inst);
/* When a version was loaded, NULL: not known. */
const struct smrf_oracle_arrival *smrf_oracle_loaded_(const struct smrf_oracle *o,
                                                      uint32_t version);
/* The last store of the SM to a word in this launch, NULL: none is known. */
const struct smrf_oracle_arrival *smrf_oracle_word_(const struct smrf_oracle *o, uint64_t at);
/* A finding about a register of a warp, not kept; where the next one of a kind is kept. */
struct smrf_finding smrf_oracle_about_(const struct smrf_oracle *o, enum smrf_finding_kind kind,
                                       const struct smrf_flight *f, unsigned reg, uint32_t wrong);
struct smrf_finding *smrf_oracle_keep_(struct smrf_oracle *o, enum smrf_finding_kind kind);
/* A new finding about a register of a warp, with what the oracle knows of the place. wrong: lanes
 * that differ, 0: the version only. */
struct smrf_finding *smrf_oracle_find_(struct smrf_oracle *o, enum smrf_finding_kind kind,
                                       const struct smrf_flight *f, unsigned reg, uint32_t wrong);

static inline struct smrf_found_value smrf_oracle_found_(uint32_t version, uint32_t value)
{
    return (struct smrf_found_value){version == SMRF_ORACLE_ANY ? 0 : version, value, true};
}

#endif
