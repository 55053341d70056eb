/* SPDX-License-Identifier: Apache-2.0 */
/* What the value oracle found wrong, and where. */
#ifndef SMRF_FINDING_H
#define SMRF_FINDING_H

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_finding_kind {
    SMRF_FINDING_OPERAND, /* an operand that differs from program order */
    SMRF_FINDING_FRAME,   /* a register that a callee did not restore */
    SMRF_FINDING_SHARE,   /* a shared register that holds another value than was computed */
    SMRF_FINDING_COPY,    /* a mechanism's copy that differs from its bank after a write */
    SMRF_FINDING_TRACE    /* the trace: a source that differs from its own earlier writes */
};

/* One side of a comparison. */
struct smrf_found_value {
    uint32_t version; /* 0 = not known, or never written */
    uint32_t value;   /* in the lane */
    bool known;       /* the value is */
};

struct smrf_finding {
    struct smrf_found_value expected, found;
    uint64_t cycle;      /* SM */
    uint64_t block;      /* number in the grid, x fastest */
    uint32_t launch;     /* from 1, over all traces */
    uint32_t block_warp; /* warp within its block */
    uint32_t pc;         /* of the instruction that reads; COPY: that wrote */
    uint32_t lanes;      /* that differ; 0 = the version only */
    uint32_t row;        /* SM: of the register; SMRF_PHYS_NONE: it has none */
    uint16_t sm;         /* SM */
    uint8_t kind;        /* enum smrf_finding_kind */
    uint8_t warp;        /* slot of the SM */
    uint8_t lane;        /* first that differs, or first that executes */
    uint8_t reg;         /* architectural */
    uint8_t sub, bank;   /* SM: of the register */
    bool cached;         /* SM: the operand came from the mechanism, not from its bank */
};

#ifdef __cplusplus
}
#endif

#endif
