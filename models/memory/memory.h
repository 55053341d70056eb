/* SPDX-License-Identifier: Apache-2.0 */
/* What lies outside the SMs: interconnect, L2 slices and DRAM channels, as one timing core.
 *
 * Requests are 32-byte sectors. The core runs behind the SMs: smrf_memory_run(now) may be called
 * once every request that leaves an SM before cycle `now` has been pushed. It then emits, at the
 * latest, every response that arrives at an SM before now + smrf_memory_lookahead(), so that SMs
 * may run that many cycles without looking at the memory, with results that do not depend on how
 * far they run at a time.
 *
 * The way of a request (noc.h, l2.h, dram.h): request network, noc.latency, l2.latency, L2 slice,
 * and on a miss DRAM; reply network, noc.latency, a cycle at the SM's door. Alone in the memory,
 * with packets of one flit, a hit arrives 2 x noc.latency + l2.latency + 2 cycles after it left.
 * That is why the core can look ahead: what happens at the slices before now + noc.latency +
 * l2.latency is decided by requests that left before now.
 */
#ifndef SMRF_MEMORY_H
#define SMRF_MEMORY_H

#include "memory_config.h"

#include "models/common/smrf_err.h"
#include "models/common/smrf_mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statistics: X(name, unit, meaning). Laws, once the memory is idle: requests = responses = all L2
 * accesses; accesses of a kind = its hits + merges + misses; l2_read_misses + l2_atomic_misses =
 * l2_fills = dram_reads; l2_write_backs = dram_writes; dram_row_hits + dram_row_misses =
 * dram_reads + dram_writes. */
#define SMRF_MEMORY_STATS(X)                                                                       \
    X(requests, "requests", "requests accepted from SMs")                                          \
    X(responses, "responses", "responses returned to SMs")                                         \
    X(refused, "requests", "attempts of SMs without a free credit")                                \
    X(noc_request_flits, "flits", "flits from SMs to slices")                                      \
    X(noc_reply_flits, "flits", "flits from slices to SMs")                                        \
    X(noc_request_wait_cycles, "cycles",                                                           \
      "cycles that requests waited at the head of their SM's queue, summed")                       \
    X(noc_reply_wait_cycles, "cycles",                                                             \
      "cycles that replies waited at the head of their slice's queue, summed")                     \
    X(l2_reads, "sectors", "read accesses")                                                        \
    X(l2_writes, "sectors", "write accesses")                                                      \
    X(l2_atomics, "sectors", "atomic accesses")                                                    \
    X(l2_read_hits, "sectors", "reads of a readable sector")                                       \
    X(l2_write_hits, "sectors", "writes to a sector that is present or on its way")                \
    X(l2_atomic_hits, "sectors", "atomics on a readable sector")                                   \
    X(l2_read_merges, "sectors", "reads of a sector that is already on its way")                   \
    X(l2_atomic_merges, "sectors", "atomics on a sector that is already on its way")               \
    X(l2_read_misses, "sectors", "reads that fetch a sector")                                      \
    X(l2_write_misses, "sectors", "writes to a sector that is neither present nor on its way")     \
    X(l2_atomic_misses, "sectors", "atomics that fetch a sector")                                  \
    X(l2_fills, "sectors", "sectors that arrived from DRAM")                                       \
    X(l2_evictions, "lines", "lines replaced in the L2")                                           \
    X(l2_write_backs, "sectors", "dirty sectors of replaced lines")                                \
    X(l2_warm_lines, "lines", "lines filled by copies from the host")                              \
    X(l2_mshr_full_cycles, "slice cycles",                                                         \
      "cycles in which a slice waited because all MSHRs were in use")                              \
    X(l2_merge_full_cycles, "slice cycles",                                                        \
      "cycles in which a slice waited because the sector's MSHR was full")                         \
    X(l2_set_full_cycles, "slice cycles",                                                          \
      "cycles in which a slice waited because all lines of the set waited for data")               \
    X(l2_write_full_cycles, "slice cycles",                                                        \
      "cycles in which a slice waited because the queue to DRAM was full")                         \
    X(l2_door_cycles, "cycles",                                                                    \
      "cycles that requests waited before a slice, summed over requests")                          \
    X(l2_reply_full_cycles, "slice cycles",                                                        \
      "cycles in which a slice waited because the queue of replies was full")                      \
    X(dram_reads, "sectors", "sectors read from DRAM")                                             \
    X(dram_writes, "sectors", "sectors written to DRAM")                                           \
    X(dram_row_hits, "sectors", "sectors from a row that was open when the bank took the request") \
    X(dram_row_misses, "sectors", "sectors that needed an activation")                             \
    X(dram_activations, "commands", "rows opened")                                                 \
    X(dram_precharges, "commands", "rows closed for another one")                                  \
    X(dram_turnarounds, "times", "changes of direction of a data bus")                             \
    X(dram_queue_full_cycles, "DRAM cycles",                                                       \
      "DRAM cycles in which a request waited because its channel's window was full")

#define SMRF_MEMORY_STAT_FIELD(name, unit, meaning) uint64_t name;
struct smrf_memory_stats {
    SMRF_MEMORY_STATS(SMRF_MEMORY_STAT_FIELD)
};
#undef SMRF_MEMORY_STAT_FIELD

struct smrf_memory;

/* Is the configuration one that the memory can be built for? SMRF_ERR_INVAL: a value out of range,
 * l2.slices not a multiple of dram.channels, l2.sets, l2.fetch_bytes, dram.banks or dram.open_bytes
 * not a power of two; SMRF_ERR_LIMIT: an L2 slice larger than a cache may be. */
int smrf_memory_config_check(const struct smrf_memory_config *cfg);

/* Bytes of state, 0 if the check fails. The caller allocates them, 64-byte aligned. */
size_t smrf_memory_bytes(const struct smrf_memory_config *cfg);

/* Check, lay out and reset. Returns what the check says. */
int smrf_memory_init(struct smrf_memory *m, const struct smrf_memory_config *cfg);

/* As after init: time 0, L2 empty, statistics 0. (A kernel's end needs no call: L2 keeps its
 * content from kernel to kernel, as Accel-Sim's does.) */
void smrf_memory_reset(struct smrf_memory *m);

/* Loosely timed: the access is over at once, as far as L2 and the counters are concerned. Returns
 * whether it was a hit. Not while others are under way. */
bool smrf_memory_touch(struct smrf_memory *m, const struct smrf_mem_request *r);

/* Cycles that SMs may run ahead of the last smrf_memory_run: 2 x noc.latency + l2.latency + 1. */
uint32_t smrf_memory_lookahead(const struct smrf_memory_config *cfg);

/* Most requests that an SM sends in a cycle: one L1D miss and one request that bypasses the L1D. */
#define SMRF_MEMORY_REQUESTS_A_CYCLE 2u

/* Cycles that an SM with no outstanding request may run on its own: the lookahead, and no longer
 * than until the network's input may be full (noc.input_queue). May be 0. */
uint32_t smrf_memory_unanswered_cycles(const struct smrf_memory_config *cfg);

/* The memory has been run up to `cycle`. The cycle before which no SM can fill its input of the
 * network (noc.input_queue), at least one further: up to there it is decided which requests are
 * taken. Whether a later one is depends on what the network moves meanwhile; an SM that goes on
 * all the same has it taken when the memory is run next. SMRF_NEVER: inputs take any number. */
uint64_t smrf_memory_decided(const struct smrf_memory *m, uint64_t cycle);

/* Cycle of the last smrf_memory_run: requests may not leave an SM before it. */
uint64_t smrf_memory_now(const struct smrf_memory *m);
/* The first cycle that is too far ahead for a request: the lookahead behind that. */
uint64_t smrf_memory_horizon(const struct smrf_memory *m);
/* May a request of this SM be pushed for that cycle? All its earlier ones have been answered in
 * cycles that are known, or their answers come later. */
bool smrf_memory_sure(const struct smrf_memory *m, uint32_t sm, uint64_t cycle);

/* Take a request. Its cycle is not before that of the last smrf_memory_run, less than the
 * lookahead behind it, and not before the same SM's previous one. An SM that has received all its
 * responses may be further ahead: then less than the lookahead behind the first request that it
 * sends. An SM's requests enter the network in this order, at most one (and at most a flit) a
 * cycle.
 *
 * Returns false if the SM has no credit: noc.credits of its requests are unanswered in that cycle
 * (a credit comes back in the cycle in which the response arrives), or its input of the network is
 * full (noc.input_queue, of which the SM's channel is one place). The answer depends on the
 * cycles of requests and responses alone, so that an SM which tries again each cycle, or when the
 * next response arrives, behaves the same however far it runs at a time. */
bool smrf_memory_push(struct smrf_memory *m, const struct smrf_mem_request *request);

/* First cycle, `cycle` or later, in which a request of this SM finds a credit; SMRF_NEVER while the
 * response that brings it is not known, or the input of the network is full. */
uint64_t smrf_memory_credit(const struct smrf_memory *m, uint32_t sm, uint64_t cycle);

/* Every request that leaves an SM before `now` has been pushed: carry out what follows from them.
 * sink->response is called in ascending order of (cycle, SM), over all calls; an SM gets at most
 * one response a cycle. now: not before the last one. The responses do not depend on the steps in
 * which `now` advances. sink may not call back into the memory. */
void smrf_memory_run(struct smrf_memory *m, uint64_t now, const struct smrf_mem_sink *sink);

/* The same in three steps, for an engine that runs SMs meanwhile: what has been pushed is taken
 * over; the memory moves on; what has happened is reported. During the second step SMs may push,
 * from other threads, too, one an SM: what they push is not taken, and what has happened they do
 * not see. So an SM may then go no further than the lookahead behind the `now` that was reported
 * last. */
void smrf_memory_take(struct smrf_memory *m);
void smrf_memory_advance(struct smrf_memory *m, uint64_t now);
void smrf_memory_deliver(struct smrf_memory *m, const struct smrf_mem_sink *sink);

/* The third step, with the responses written to `to`, which has room for gpu.sms x noc.credits.
 * Returns their number. */
uint32_t smrf_memory_deliver_all(struct smrf_memory *m, struct smrf_mem_response *to);

/* The first cycle with something to do: smrf_memory_run does nothing up to and including this
 * `now`, and something with the next one. SMRF_NEVER if no request is under way. */
uint64_t smrf_memory_next(const struct smrf_memory *m);

/* The latest cycle in which anything moved, in a network, a slice or a DRAM channel; it may lie
 * ahead of the last smrf_memory_run (for the watchdog). */
uint64_t smrf_memory_last_event(const struct smrf_memory *m);

/* A copy from the host has written [address, address + bytes): if l2.copies_warm, its sectors are
 * readable in L2 from now on (Accel-Sim: perf_sim_memcpy). Takes no time; lines that it replaces
 * are dropped. Later sectors of a copy that is larger than L2 replace earlier ones; of one larger
 * than three times L2 only the end, which alone can stay, is written and counted. */
void smrf_memory_warm(struct smrf_memory *m, uint64_t address, uint64_t bytes);

/* No request, fetch or write-back is under way. */
bool smrf_memory_idle(const struct smrf_memory *m);

void smrf_memory_stats_get(const struct smrf_memory *m, struct smrf_memory_stats *stats);
void smrf_memory_stats_reset(struct smrf_memory *m);
/* Sets those counters to 0 that an estimate of the memory does not have (memory_estimate.h). */
void smrf_memory_estimate_kept(struct smrf_memory_stats *kept);

#ifdef __cplusplus
}
#endif

#endif
