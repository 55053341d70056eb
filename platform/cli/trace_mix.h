/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace contains, counted without simulating it. */
#ifndef SMRF_TRACE_MIX_H
#define SMRF_TRACE_MIX_H

#include "traces/trace.h"

#define SMRF_MIX_OPCODE 24 /* bytes of an opcode's name without modifiers */

struct smrf_mix_opcode {
    char name[SMRF_MIX_OPCODE];
    uint64_t warp_insts, thread_insts;
};

struct smrf_mix_space {
    uint64_t loads, stores, atomics; /* warp instructions */
    uint64_t bytes;                  /* that lanes asked for */
};

struct smrf_mix {
    uint64_t blocks, warps, empty_warps;
    uint64_t warp_insts, thread_insts, masked_off; /* masked_off: lines with mask 0 */
    uint64_t longest_warp;
    uint64_t by_class[SMRF_CLASS_COUNT];
    uint64_t thread_by_class[SMRF_CLASS_COUNT];
    uint64_t lanes[SMRF_LANES + 1]; /* warp instructions by number of active lanes */
    uint64_t sources, destinations; /* register operands named */
    unsigned max_register;          /* highest register named + 1 */
    struct smrf_mix_space space[SMRF_SPACE_COUNT];
    struct smrf_mix_opcode *opcode; /* most frequent first, once smrf_mix_finish was called */
    size_t num_opcodes;
};

/* Read the open launch to its end and add it. Returns 0 or an error of the trace. */
int smrf_mix_add_launch(struct smrf_mix *mix, struct smrf_trace *trace);
/* Add one mix to another. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_mix_add(struct smrf_mix *sum, const struct smrf_mix *part);
void smrf_mix_finish(struct smrf_mix *mix);
void smrf_mix_free(struct smrf_mix *mix);

#endif
