/* SPDX-License-Identifier: Apache-2.0 */
/* Write-back: results on their way into the banks. A result takes its bank's port in the cycle in
 * which it is due; one that finds it taken waits in the bank's queue, and what waits goes first.
 * Source: Accel-Sim shader_core_ctx::writeback; queues: Huerta MICRO 2025 (rf.write_queue). */
#ifndef SMRF_WRITEBACK_H
#define SMRF_WRITEBACK_H

#include "models/common/smrf_err.h"
#include "models/flight/flight.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_WRITEBACK_QUEUE                                                                       \
    1024 /* results that can wait for a bank: beyond what units can end                            \
          */

#define SMRF_WRITEBACK_STATS(X)                                                                    \
    X(bank_writes, "accesses", "writes of the banks")                                              \
    X(cache_writes, "operands", "results that a collector kept")                                   \
    X(portless_writes, "accesses", "writes that took no bank port (options of Accel-Sim)")         \
    X(write_conflicts, "accesses", "writes that had to wait for their bank")                       \
    X(round_writes, "accesses", "writes of a load before its last one (rf.write_per_sector)")      \
    X(copy_writes, "operands", "results that only the mechanism stored, not the banks")            \
    X(shared_writes, "operands",                                                                   \
      "results that were already in their registers, so that no write was needed")                 \
    X(evictions, "accesses",                                                                       \
      "writes of results to the banks that only the mechanism had stored before")

#define SMRF_WRITEBACK_FIELD(name, unit, meaning) uint64_t name;
struct smrf_writeback_stats {
    SMRF_WRITEBACK_STATS(SMRF_WRITEBACK_FIELD)
};
#undef SMRF_WRITEBACK_FIELD

struct smrf_waiting_result {
    uint32_t flight;      /* SMRF_NO_FLIGHT: an eviction */
    uint32_t destination; /* eviction: the mechanism's token */
    uint16_t row;         /* of an eviction */
};

struct smrf_writeback_sub {
    uint32_t waiting; /* bit b: results wait for bank b */
    uint16_t head[SMRF_MAX_BANKS], count[SMRF_MAX_BANKS];
    struct smrf_waiting_result (*queue)[SMRF_WRITEBACK_QUEUE]; /* [SMRF_MAX_BANKS], of the store */
};

struct smrf_writeback_store {
    struct smrf_waiting_result queue[SMRF_MAX_SUBCORES][SMRF_MAX_BANKS][SMRF_WRITEBACK_QUEUE];
};

struct smrf_writeback {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    uint32_t depth;   /* results of a bank that wait before units stall */
    uint32_t waiting; /* bit s: results of sub-core s wait */
    uint32_t written; /* bit s: a bank of sub-core s was taken; the caller of its arbiter's step
                         clears it */
    bool drop;        /* a second result for a bank in one cycle takes no port and no time */
    struct smrf_writeback_stats stats;
    struct smrf_writeback_sub sub[SMRF_MAX_SUBCORES];
};

/* store: its own, for as long as it is in use. */
void smrf_writeback_init(struct smrf_writeback *w, struct smrf_writeback_store *store,
                         const struct smrf_rf_params *rf, struct smrf_flights *flights,
                         const struct smrf_wires *wires);

/* Nothing waits; counters zero. */
void smrf_writeback_reset(struct smrf_writeback *w);

/* Results of a sub-core that waited take the ports of their banks, before the new ones. Returns
 * whether any did. */
bool smrf_writeback_drain(struct smrf_writeback *w, unsigned sub);

/* The same for all sub-cores. */
static inline bool smrf_writeback_drain_all(struct smrf_writeback *w)
{
    bool moved = false;
    for (unsigned sub = 0; w->waiting >> sub; sub++) {
        moved |= w->waiting >> sub & 1 && smrf_writeback_drain(w, sub);
    }
    return moved;
}

/* Can the results of an instruction wait for their banks, if they must? */
bool smrf_writeback_room(const struct smrf_writeback *w, uint32_t flight);

/* The results of a pipeline are due: each is written or queued. */
void smrf_writeback_results(struct smrf_writeback *w, uint32_t flight);

/* The results of a load that takes no port are due. Source: Accel-Sim L1_latency_queue_cycle. */
void smrf_writeback_portless(struct smrf_writeback *w, uint32_t flight);

/* A load offers its results; those whose bank is free are written. last: the final round. Returns
 * true if the round is over; otherwise it is offered again. Source: Accel-Sim ldst_unit::writeback.
 */
bool smrf_writeback_offer(struct smrf_writeback *w, uint32_t flight, bool last);

/* A mechanism wants to write what it alone holds: it waits for its bank. Returns false if too much
 * does. */
bool smrf_writeback_evict(struct smrf_writeback *w, unsigned sub, struct smrf_register_place at,
                          uint32_t token);

/* Bank whose queue holds a result of the instruction; -1: none. */
int smrf_writeback_probe(const struct smrf_writeback *w, uint32_t flight);

#ifdef __cplusplus
}
#endif

#endif
