/* SPDX-License-Identifier: Apache-2.0 */
/* The way into the load/store unit and out of it: memory instructions come one a cycle from the latches
 * before it; a mechanism may satisfy a load itself; results go to write-back. */
#ifndef SMRF_LDST_INLET_H
#define SMRF_LDST_INLET_H

#include "ldst.h"

#include "models/flight/flight.h"
#include "models/seam/mechanism.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_ldst_inlet {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    struct smrf_ldst *ldst;
    const struct smrf_memory_seam *seam;  /* NULL: none */
    void *state;                          /* the mechanism's */
    uint64_t shared_window, local_window; /* generic-address windows of the kernel */
    bool moved;                           /* the unit has told something since it was cleared */
};

/* What the load/store unit tells, as an inlet passes it on. */
struct smrf_ldst_events smrf_ldst_inlet_events(struct smrf_ldst_inlet *in);

/* A memory instruction leaves its latch. Precondition: smrf_ldst_free. A fence is over in the next
 * cycle. */
void smrf_ldst_inlet_take(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
