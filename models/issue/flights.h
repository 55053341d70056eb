/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an SM's instructions in flight, shared by the issue stages of its sub-cores. */
#ifndef SMRF_FLIGHTS_H
#define SMRF_FLIGHTS_H

#include "models/seam/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_MAX_FLIGHTS 2048

struct smrf_flights {
    struct smrf_flight *flight; /* [SMRF_MAX_FLIGHTS] records, by number */
    struct smrf_inst *memory;   /* [SMRF_MAX_FLIGHTS] addresses of memory instructions */
    uint64_t issued;            /* instructions so far */
    uint32_t free_count;
    uint32_t free[SMRF_MAX_FLIGHTS];
};

/* Nothing in flight. */
static inline void smrf_flights_init(struct smrf_flights *f, struct smrf_flight *flight,
                                     struct smrf_inst *memory)
{
    f->flight = flight;
    f->memory = memory;
    f->issued = 0;
    f->free_count = SMRF_MAX_FLIGHTS;
    for (uint32_t i = 0; i < SMRF_MAX_FLIGHTS; i++) {
        f->free[i] = SMRF_MAX_FLIGHTS - 1 - i;
    }
}

#ifdef __cplusplus
}
#endif

#endif
