/* SPDX-License-Identifier: Apache-2.0 */
/* What passes at the sockets of smrf::register_file, for C and C++. */
#ifndef SMRF_RF_INSTRUCTION_H
#define SMRF_RF_INSTRUCTION_H

#include <stdint.h>

#define SMRF_RF_SOURCES 8

/* An instruction whose operands are to be collected. */
struct smrf_rf_instruction {
    uint32_t tag;      /* the processor's: the address at which the operands are delivered */
    uint32_t warp;     /* whose registers */
    uint32_t lanes;    /* bit l: lane l executes; for kinds that look at it */
    uint32_t near_src; /* bit i: source i is reused soon; for kinds that look at it */
    uint32_t num_src;  /* 0 to SMRF_RF_SOURCES */
    uint8_t src[SMRF_RF_SOURCES]; /* registers of the warp */
};

/* An instruction for an issue stage: it leaves when nothing that it reads or writes is awaited. Its
 * tag is no other's under way. */
struct smrf_issue_instruction {
    struct smrf_rf_instruction operands; /* what the collectors get */
    uint32_t num_dst;                    /* 0 to SMRF_ISSUE_DESTINATIONS */
    uint8_t dst[4];                      /* registers of the warp */
};
#define SMRF_ISSUE_DESTINATIONS 4

/* X(name, meaning): words of the status socket, in order */
#define SMRF_RF_STATUS(X)                                                                          \
    X(FREE, "bit c: collector c is free")                                                          \
    X(COLLECTORS, "collectors there are")                                                          \
    X(BANKS, "banks there are")                                                                    \
    X(WAITING, "bit b: a read waits for bank b")                                                   \
    X(UNDER_WAY, "instructions whose operands have not been delivered")                            \
    X(DELIVERED, "instructions whose operands have been")                                          \
    X(BANK_READS, "reads that the banks did")                                                      \
    X(BANK_WRITES, "writes that the banks did")                                                    \
    X(CACHE_HITS, "operands that came from the collectors' own store")                             \
    X(CONFLICTS, "cycles that reads waited for a bank, summed")

#define SMRF_RF_STATUS_ENUM(name, meaning) SMRF_RF_##name,
enum smrf_rf_status { SMRF_RF_STATUS(SMRF_RF_STATUS_ENUM) SMRF_RF_STATUS_WORDS };
#undef SMRF_RF_STATUS_ENUM

#endif
