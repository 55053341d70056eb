/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store unit of an SM: address generation and coalescing into 32-byte sectors, shared-memory
 * bank conflicts, the L1D's access pipeline, MSHRs and miss queue, and the write-back port.
 * One instruction at a time is in its dispatch register. */
#ifndef SMRF_LDST_H
#define SMRF_LDST_H

#include "coalesce.h"
#include "ldst_params.h"

#include "models/common/gpu_params.h"
#include "models/common/sm_params.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/memory/memory.h"
#include "models/register_file/rf_params.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_ldst;

/* Parameters that the unit looks at: its own, and of the machine around it. */
struct smrf_ldst_config {
    struct smrf_gpu_params gpu;
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    struct smrf_ldst_params ldst;
    struct smrf_l1d_params l1d;
};

/* Reports of the unit about instruction `slot` (the SM's in-flight number). Exactly one last
 * event ends every slot: `complete`, or `write_back` with last = true that returned true. */
struct smrf_ldst_events {
    void *ctx;
    /* The slot is done without a (further) bank write: a store whose last sector has left the
     * dispatch register, a load without active lanes, a shared load without destination, a load
     * that hit L1 where rf.l1_hit_writes is 0 (its registers are usable in this cycle); an LDGSTS,
     * a load without destination or a reduction (atomic without destination) that is answered. */
    void (*complete)(void *ctx, uint32_t slot, uint64_t cycle);
    /* A result of slot wants the register banks in this cycle. last: the slot's final one, after
     * which its registers are usable. Returns false if the banks cannot take it now; it is offered
     * again in the next cycle. At most one is taken in a cycle. */
    bool (*write_back)(void *ctx, uint32_t slot, bool last, uint64_t cycle);
    /* The last answer of an atomic with active lanes is at the write-back port, or none will come:
     * its warp, which has waited for it, continues. Once, before the slot's last event. */
    void (*answered)(void *ctx, uint32_t slot);
    /* Write answers that warp `warp` awaits changed by delta: +1 a sector that a store took
     * out of the dispatch register, -1 its answer. */
    void (*stores)(void *ctx, uint32_t warp, int32_t delta);
};

/* An instruction entering the unit. */
struct smrf_ldst_inst {
    uint32_t slot;
    uint32_t warp;                /* warp slot of the SM */
    const struct smrf_inst *inst; /* addresses and mask; only read during smrf_ldst_accept */
    uint64_t shared_window, local_window; /* generic-address windows of the kernel */
};

/* Instructions and memory requests in flight that the unit has room for. Beyond them it takes no
 * instruction, and sends no request, until one ends. */
#define SMRF_LDST_INSTS 4096
#define SMRF_LDST_REQUESTS 4096

/* Counters. X(name, unit, meaning). For each of the kinds below:
 * accesses = hits + pending_hits + misses; a stall counts cycles, whether they were simulated or
 * slept through, and is added up when the stall ends. */
#define SMRF_LDST_L1D_STATS(X, kind, text)                                                         \
    X(l1d_##kind##_accesses, "sectors", "L1D accesses by " text)                                   \
    X(l1d_##kind##_hits, "sectors", "L1D hits by " text)                                           \
    X(l1d_##kind##_pending_hits, "sectors", "L1D accesses to a sector on its way, by " text)       \
    X(l1d_##kind##_misses, "sectors", "L1D misses (of the sector or the line) by " text)

#define SMRF_LDST_STATS(X)                                                                         \
    X(global_loads, "instructions", "global loads accepted")                                       \
    X(global_stores, "instructions", "global stores accepted")                                     \
    X(local_loads, "instructions", "local loads accepted")                                         \
    X(local_stores, "instructions", "local stores accepted")                                       \
    X(shared_loads, "instructions", "shared loads and shared atomics accepted")                    \
    X(shared_stores, "instructions", "shared stores accepted")                                     \
    X(atomics, "instructions", "global atomics accepted, including reductions")                    \
    X(others, "instructions",                                                                      \
      "instructions accepted without a memory access: constant loads, no active lane")             \
    X(spills, "instructions", "local accesses that save or restore registers for a caller")        \
    X(global_sectors, "sectors", "sectors of global loads, stores and atomics after coalescing")   \
    X(local_sectors, "sectors", "sectors of local loads and stores after coalescing")              \
    X(spill_sectors, "sectors",                                                                    \
      "sectors of saves and restores around calls; part of local_sectors")                         \
    SMRF_LDST_L1D_STATS(X, global_load, "global loads")                                            \
    SMRF_LDST_L1D_STATS(X, global_store, "global stores")                                          \
    SMRF_LDST_L1D_STATS(X, local_load, "local loads")                                              \
    SMRF_LDST_L1D_STATS(X, local_store, "local stores")                                            \
    X(l1d_spill_accesses, "sectors",                                                               \
      "L1D accesses by saves and restores around calls; part of the local accesses")               \
    X(l1d_fills, "sectors", "sectors that arrived for the L1D")                                    \
    X(l1d_evictions, "lines", "lines replaced in the L1D")                                         \
    X(bypass_sectors, "sectors", "sectors of loads and stores that bypassed the L1D")              \
    X(reads_sent, "sectors", "read requests sent")                                                 \
    X(writes_sent, "sectors", "write requests sent")                                               \
    X(atomics_sent, "sectors", "atomic requests sent")                                             \
    X(answers, "sectors", "answers taken")                                                         \
    X(port_refusals, "attempts", "requests that the memory port refused")                          \
    X(shared_conflict_cycles, "cycles",                                                            \
      "cycles of shared accesses beyond the first, because of bank conflicts")                     \
    X(shared_full_stalls, "cycles", "a shared load waited for the shared-memory pipe")             \
    X(bank_conflict_stalls, "cycles", "the dispatch register waited for an L1D bank")              \
    X(port_stalls, "cycles", "the dispatch register waited for the memory port")                   \
    X(mshr_stalls, "bank cycles", "an L1D bank waited for an MSHR")                                \
    X(merge_stalls, "bank cycles", "an L1D bank waited for room in its sector's MSHR")             \
    X(miss_queue_stalls, "bank cycles", "an L1D bank waited for the miss queue")                   \
    X(way_stalls, "bank cycles", "an L1D bank waited for a line: all of the set awaited data")     \
    X(write_backs, "results", "results of loads that the register banks accepted")                 \
    X(write_back_retries, "cycles", "a result was refused by the register banks")                  \
    X(hits_completed, "instructions", "loads that ended with an L1D hit, without a bank write")

#define SMRF_LDST_STAT_FIELD(name, unit, meaning) uint64_t name;
struct smrf_ldst_stats {
    SMRF_LDST_STATS(SMRF_LDST_STAT_FIELD)
};
#undef SMRF_LDST_STAT_FIELD

/* SMRF_ERR_INVAL: l1d.sets is not a power of two, l1d.carveouts is empty but l1d.unified_bytes is
 * not 0, the smallest carve-out leaves no line for L1D, or a size is 0. SMRF_ERR_LIMIT: more than
 * 64 shared banks, or tables that are out of bounds. */
int smrf_ldst_config_check(const struct smrf_ldst_config *cfg);

/* Bytes of state for this configuration (caller allocates, 64-byte aligned); 0 if it is not
 * legal. */
size_t smrf_ldst_bytes(const struct smrf_ldst_config *cfg);

/* Bytes of its store: tables of what is in flight. Only the parts that a run fills are touched. */
size_t smrf_ldst_store_bytes(const struct smrf_ldst_config *cfg);

/* Check, lay out and reset. The store is kept; cfg, events and port are copied. The L1D has its
 * largest size until smrf_ldst_begin_kernel. */
int smrf_ldst_init(struct smrf_ldst *l, void *store, const struct smrf_ldst_config *cfg,
                   uint16_t sm, const struct smrf_ldst_events *events,
                   const struct smrf_mem_port *port);

/* Empty the unit: nothing in flight, cold L1D, counters kept. */
void smrf_ldst_reset(struct smrf_ldst *l);

const struct smrf_ldst_stats *smrf_ldst_statistics(const struct smrf_ldst *l);
void smrf_ldst_stats_reset(struct smrf_ldst *l);

/* Start of a kernel: sets the L1D's size from the shared memory that resident blocks use together
 * (bytes, l1d.carveouts) and empties it if l1d.flush. Precondition: unit idle. */
void smrf_ldst_begin_kernel(struct smrf_ldst *l, uint32_t shared_bytes_used);

/* A memory barrier of a warp is over: empties the L1D if l1d.flush; sectors that are awaited come
 * yet (Accel-Sim: shader_core_ctx::warp_waiting_at_mem_barrier). */
void smrf_ldst_fence(struct smrf_ldst *l);

/* Sets the order of local memory (ldst.local_order=block): the warps of a block, and the blocks
 * that can be resident on an SM. Without a call: by SM. */
void smrf_ldst_order_local(struct smrf_ldst *l, uint32_t warps_per_block, uint32_t blocks);

/* May an instruction enter in this cycle? Asked after smrf_ldst_cycle of the same cycle. */
bool smrf_ldst_free(const struct smrf_ldst *l);

/* Addresses of an instruction, which may then enter or be forgotten. Precondition: smrf_ldst_free.
 * access_bytes above SMRF_MAX_ACCESS_BYTES (coalesce.h) count as that. */
void smrf_ldst_generate(struct smrf_ldst *l, const struct smrf_ldst_inst *in);

/* Of the instruction last generated: the space that it accesses, and its sectors of global or local
 * memory, none where there is no access. */
enum smrf_space smrf_ldst_probe_sectors(const struct smrf_ldst *l,
                                        const struct smrf_sector **sectors, uint32_t *count);
/* Does it go to the L1D, or past it to the L2? Can each of its sectors be read there now? */
bool smrf_ldst_probe_to_l1(const struct smrf_ldst *l);
bool smrf_ldst_probe_past_l1(const struct smrf_ldst *l);
bool smrf_ldst_probe_readable(const struct smrf_ldst *l);

/* The instruction last generated enters; work begins in the next cycle. */
void smrf_ldst_enter(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle);

/* Generate and enter. */
void smrf_ldst_accept(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle);

/* One cycle: write-back, responses that have arrived, L1D pipeline, miss queue, dispatch register.
 * Called once a cycle while smrf_ldst_next() is not later. False: all that it did was to offer a
 * request that the memory port refused. */
bool smrf_ldst_cycle(struct smrf_ldst *l, uint64_t cycle);

/* First cycle after `cycle` in which smrf_ldst_cycle has something to do; SMRF_NEVER = only after
 * an accept or a response. */
uint64_t smrf_ldst_next(const struct smrf_ldst *l, uint64_t cycle);

/* Has it something to do in a cycle, before which it has done what was due? */
bool smrf_ldst_probe_due(const struct smrf_ldst *l, uint64_t cycle);

/* The answer of a request arrives in response->cycle (not before the cycle now simulated). */
void smrf_ldst_response(struct smrf_ldst *l, const struct smrf_mem_response *response);

/* Has a request been sent whose answer is outstanding? */
bool smrf_ldst_probe_awaits(const struct smrf_ldst *l);

/* Nothing in flight: no instruction, request or answer. */
bool smrf_ldst_idle(const struct smrf_ldst *l);

/* Ways that the L1D has now, and the number of its 128-byte lines. */
uint32_t smrf_ldst_probe_l1d_ways(const struct smrf_ldst *l);

#ifdef __cplusplus
}
#endif

#endif
