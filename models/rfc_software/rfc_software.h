/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache without tags: the compiler says of every operand whether it lives in the
 * banks, in an operand file of a few entries a thread, or in a last-result file of one, which only
 * the warps on the scheduler's active list have. Values live there no longer than their strand, at
 * the end of which a warp may leave the list; what is needed later is written to its bank as well.
 *
 * Source: Gebhart et al., A Compile-Time Managed Multi-Level Register File Hierarchy, MICRO 2011:
 * levels, strands, last results for the private units alone, operands that are read several times,
 * no delay of either level. The places come with the program (facts of instructions); without a
 * program every operand lives in its bank.
 * Assumptions: an entry has a part for each lane. An instruction waits while another one has still
 * to write, or to read, the entry that it writes or brings an operand to; its reader waits for
 * that. A warp leaves the list only where its next instruction begins another strand. Hardware
 * would then lose what other lanes, waiting elsewhere in an unfinished strand, have in their
 * entries: here that is written back (`rescued`), and reads that do not find their lanes at the
 * place that the compiler told go to the bank (`violations`). The registers of the entries are
 * known to the model alone. A register of which some lanes lie in an entry alone is written back
 * (`copied`, `joined`) before others are read from its bank: the value oracle knows registers as
 * wholes. Results that come back to a warp that is not on the list, or is about to leave it, go to
 * the banks. */
#ifndef SMRF_RFC_SOFTWARE_H
#define SMRF_RFC_SOFTWARE_H

#include "rfc_software_params.h"

#include "models/register_cache/register_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_RFC_SOFTWARE_STATS(X)                                                                 \
    SMRF_REGISTER_CACHE_STATS(X)                                                                   \
    X(last_results, "operands", "hits in the last-result file")                                    \
    X(violations, "operands",                                                                      \
      "operands that were not in the place that the compiler chose, because another path of the "  \
      "warp ran in between")                                                                       \
    X(brought, "operands", "operands that entered a file and were read from the banks for it")     \
    X(spared, "results", "results written to a file only, not to a bank")                          \
    X(dropped, "results", "results dropped at the end of their use in a strand")                   \
    X(copied, "results",                                                                           \
      "results also sent to their banks, because other lanes of the register are read there")      \
    X(joined, "results",                                                                           \
      "results sent to their banks after their last use, because the banks hold other lanes of "   \
      "the register")                                                                              \
    X(rescued, "results",                                                                          \
      "results of unfinished strands that were written back because their warp left")              \
    X(collisions, "times", "times that an entry was still in use by an older instruction")

struct smrf_rfc_software_stats {
    SMRF_RFC_SOFTWARE_STATS(SMRF_REGISTER_CACHE_FIELD)
};

#define SMRF_RFC_SOFTWARE_PLACES (SMRF_PLACE_LAST_RESULT + 1)

struct smrf_rfc_software_warp {
    const struct smrf_inst_facts *facts; /* of its last instruction, NULL: nothing is known */
    const struct smrf_inst_facts
        *next;     /* the same of the one to come, as far as it was asked for */
    uint32_t done; /* lanes that have left their strand and begun no other */
    uint32_t next_mask;
    bool exits;                                  /* its last instruction was an EXIT */
    uint16_t readers[SMRF_RFC_SOFTWARE_PLACES];  /* instructions that have still to read a place */
    uint16_t writers[SMRF_RFC_SOFTWARE_PLACES];  /* instructions that have yet to write it */
    uint16_t bringers[SMRF_RFC_SOFTWARE_PLACES]; /* instructions that have yet to bring an operand
                                                    there */
    uint8_t pending[SMRF_REG_ZERO];              /* results under way, by register */
};

struct smrf_rfc_software {
    struct smrf_register_cache cache; /* slots: of a strand and a place */
    struct smrf_rfc_software_stats stats;
    struct smrf_rfc_software_warp warp[SMRF_MAX_WARPS];
};

extern const struct smrf_mechanism smrf_rfc_software_mechanism;
extern const struct smrf_family smrf_rfc_software_family;

#ifdef __cplusplus
}
#endif

#endif
