/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store unit of an SM: address generation and coalescing into 32-byte sectors, shared-memory
 * bank conflicts, the L1D's access pipeline, MSHRs and miss queue, and the write-back port.
 * One instruction at a time is in its dispatch register. */
#ifndef SMRF_LDST_H
#define SMRF_LDST_H

#include "models/common/smrf_config.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/memory/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_ldst;

/* What the unit tells the SM about instruction `slot` (the SM's in-flight number). Exactly one last
 * event ends every slot: `complete`, or `write_back` with last = true that returned true. */
struct smrf_ldst_events {
    void *ctx;
    /* The slot is done without a (further) bank write: a store whose last sector has left the
     * unit, a load without active lanes or destination, a load that hit L1 where rf.l1_hit_writes
     * is 0 (its registers are usable in this cycle). */
    void (*complete)(void *ctx, uint32_t slot, uint64_t cycle);
    /* A result of slot wants the register banks in this cycle. last: the slot's final one, after
     * which its registers are usable. Returns false if the banks cannot take it now; it is offered
     * again in the next cycle. At most one is taken in a cycle. */
    bool (*write_back)(void *ctx, uint32_t slot, bool last, uint64_t cycle);
    /* Write answers that warp `warp` awaits changed by delta (+1 a sector sent, -1 an answer). */
    void (*stores)(void *ctx, uint32_t warp, int32_t delta);
};

/* An instruction entering the unit. */
struct smrf_ldst_inst {
    uint32_t slot;
    uint32_t warp;                /* warp slot of the SM */
    const struct smrf_inst *inst; /* addresses and mask; only read during smrf_ldst_accept */
    uint64_t shared_window, local_window; /* generic-address windows of the kernel */
};

/* Bytes of state for this configuration (caller allocates, 64-byte aligned). */
size_t smrf_ldst_bytes(const struct smrf_config *cfg);
int smrf_ldst_init(struct smrf_ldst *l, const struct smrf_config *cfg, uint16_t sm,
                   const struct smrf_ldst_events *events, const struct smrf_mem_port *port);

/* Start of a kernel: sets the L1D's size from the shared memory that resident blocks use together
 * (bytes, l1d.carveouts) and empties it if l1d.flush. Precondition: unit idle. */
void smrf_ldst_begin_kernel(struct smrf_ldst *l, uint32_t shared_bytes_used);

/* May an instruction enter in this cycle? Asked after smrf_ldst_cycle of the same cycle. */
bool smrf_ldst_free(const struct smrf_ldst *l);
void smrf_ldst_accept(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle);

/* One cycle: write-back, responses that have arrived, L1D pipeline, miss queue, dispatch register.
 * Called once a cycle while smrf_ldst_next() is not later. */
void smrf_ldst_cycle(struct smrf_ldst *l, uint64_t cycle);

/* First cycle after `cycle` in which smrf_ldst_cycle has something to do; SMRF_NEVER = only after an
 * accept or a response. */
uint64_t smrf_ldst_next(const struct smrf_ldst *l, uint64_t cycle);

/* The answer of a request arrives in response->cycle (not before the cycle now simulated). */
void smrf_ldst_response(struct smrf_ldst *l, const struct smrf_mem_response *response);

bool smrf_ldst_idle(const struct smrf_ldst *l);

#ifdef __cplusplus
}
#endif

#endif
