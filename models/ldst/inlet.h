/* SPDX-License-Identifier: Apache-2.0 */
/* The way into the load/store unit and out of it: memory instructions come one a cycle from the
 * latches before it; a mechanism may give a load registers that hold its data already; results go
 * to write-back. */
#ifndef SMRF_LDST_INLET_H
#define SMRF_LDST_INLET_H

#include "ldst.h"
#include "merge.h"

#include "models/flight/flight.h"
#include "models/frontend/allotment.h"
#include "models/seam/memory_seam.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_INLET_STATS(X)                                                                        \
    X(shared_loads, "instructions", "loads that a mechanism served from another register")         \
    X(merged_loads, "instructions", "loads that a mechanism combined from two registers")

#define SMRF_INLET_FIELD(name, unit, meaning) uint64_t name;
struct smrf_inlet_stats {
    SMRF_INLET_STATS(SMRF_INLET_FIELD)
};
#undef SMRF_INLET_FIELD

struct smrf_ldst_inlet {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    struct smrf_ldst *ldst;
    uint32_t l1_latency;                  /* cycles */
    uint64_t shared_window, local_window; /* generic-address windows of the kernel */
    bool moved;                           /* the unit has reported something since it was cleared */
    struct smrf_merges *merges;
    struct smrf_inlet_stats stats;
};

/* The fields above stats are the caller's to set first. */
void smrf_ldst_inlet_init(struct smrf_ldst_inlet *in);

/* Reports of the load/store unit, which an inlet passes on. */
struct smrf_ldst_events smrf_ldst_inlet_events(struct smrf_ldst_inlet *in);

/* A kernel begins. Its resident blocks use shared memory together, and the L1D has the rest of the
 * unified memory. Nothing is in flight. */
void smrf_ldst_inlet_begin_kernel(struct smrf_ldst_inlet *in, const struct smrf_sm_kernel *kernel,
                                  unsigned blocks);

/* May a memory instruction leave its latch? */
bool smrf_ldst_inlet_free(const struct smrf_ldst_inlet *in);

/* It does. A fence is over in the next cycle. */
void smrf_ldst_inlet_take(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle);

/* The mechanism ends a load that waits, or lets a merge that waits be collected. */
void smrf_ldst_inlet_finish(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle);

/* An instruction that had passed here has left the SM. */
void smrf_ldst_inlet_retired(struct smrf_ldst_inlet *in, uint32_t flight);

#ifdef __cplusplus
}
#endif

#endif
