/* SPDX-License-Identifier: Apache-2.0 */
/* Where time goes, by static instruction: what every resident warp does in every cycle is booked to
 * the instruction that it stands at, as vendors' profilers do by sampling. Nothing is sampled here,
 * so that sums are exact:
 *
 *     warp-cycles of all instructions and states = cycles in which a warp was resident, over all
 *     warps
 *     issued = warp instructions; bank reads, conflicts = those of the results
 *
 * A warp without a next instruction (fetch, drain) stands at the last that it has issued. */
#ifndef SMRF_PROFILE_H
#define SMRF_PROFILE_H

#include "models/issue/warp_state.h"
#include "platform/observe/observer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, "unit", "meaning") */
#define SMRF_PROFILE_COUNTS(X)                                                                     \
    X(issued, "warp instructions", "times that a warp has issued it")                              \
    X(lanes, "thread instructions", "lanes that were active, summed")                              \
    X(reads, "operands", "source registers read, from banks or caches")                            \
    X(bank_reads, "operands", "of them, from a bank")                                              \
    X(conflicts, "operand cycles", "its reads waited for a bank, behind another or a port")        \
    X(conflicts_write, "operand cycles", "of them, behind a write")                                \
    X(conflicts_port, "operand cycles", "of them, for a port of their own collector")              \
    X(sectors, "sectors", "of 32 bytes that its global and local accesses touch")

struct smrf_profile_counts {
#define SMRF_PROFILE_FIELD(name, unit, meaning) uint64_t name;
    SMRF_PROFILE_COUNTS(SMRF_PROFILE_FIELD)
#undef SMRF_PROFILE_FIELD
    uint64_t state[SMRF_WARP_STATE_COUNT]; /* warp-cycles */
};

/* Behind whose reads it waited for a bank. */
struct smrf_profile_rival {
    uint32_t inst; /* index in the kernel's list */
    uint64_t cycles;
};

struct smrf_profile_inst {
    uint32_t pc;   /* bytes */
    uint32_t line; /* of the source, 0 = unknown */
    bool own;      /* no instruction but all that the mechanism has inserted */
    char *file;    /* the source's name, NULL = unknown */
    char *text;    /* "FFMA R1, R2, R3, R4": opcode, destinations, sources */
    struct smrf_profile_counts counts;
    struct smrf_profile_rival *rival; /* most cycles first */
    size_t num_rivals;
};

/* All launches of one name. */
struct smrf_profile_kernel {
    char *name;
    uint64_t launches, cycles; /* cycles: as the results count them, summed */
    struct smrf_profile_inst *inst;
    size_t num_inst;
    uint32_t *by_pc; /* [num_inst] their indices in the order of PCs, the mechanism's own last */
};

struct smrf_profile;

/* NULL: out of memory. */
struct smrf_profile *smrf_profile_create(void);
/* Before the run: nothing counts but what happens in this launch, from 1; 0: in all. */
void smrf_profile_only(struct smrf_profile *profile, size_t launch);
void smrf_profile_free(struct smrf_profile *profile);
struct smrf_observer smrf_profile_observer(struct smrf_profile *profile);

/* What has been seen up to now; a launch that has not ended counts too, without its cycles. Call it
 * while the trace is open. *kernels stays valid until the next call. Returns their number, or
 * SMRF_ERR_NOMEM: memory was short now or before. */
int smrf_profile_get(struct smrf_profile *profile, const struct smrf_profile_kernel **kernels);

uint64_t
smrf_profile_cycles(const struct smrf_profile_counts *counts); /* warp-cycles, all states */

#ifdef __cplusplus
}
#endif

#endif
