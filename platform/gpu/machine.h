/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a modelled GPU, as results, laws and the watchdog read them between windows. */
#ifndef SMRF_MACHINE_H
#define SMRF_MACHINE_H

#include "models/memory/memory.h"
#include "models/simt_stack/simt_stack.h"
#include "models/tlm/bus_params.h"
#include "models/tlm/port_kinds.h"
#include "platform/gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointers live as long as the engine that built them. */
struct smrf_machine {
    const struct smrf_config *cfg;
    const struct smrf_mechanism *mechanism;
    struct smrf_gpu *gpu;
    struct smrf_sm **sm;               /* [cfg->gpu.sms]; one may stand for those behind it */
    void **mechanism_state;            /* [cfg->gpu.sms] */
    void *mechanism_gpu;               /* the mechanism's state of the GPU, NULL: none */
    struct smrf_simt_log **simt;       /* [cfg->gpu.sms] */
    const struct smrf_memory *memory;  /* NULL: a foreign memory is bound */
    const struct smrf_bus_stats **bus; /* [cfg->gpu.sms]; NULL in it: not of a foreign memory */
    uint64_t cycle;                    /* every SM has been simulated up to here */
    /* Sums, as of the last time that the engine made them (`counted`): */
    uint64_t payloads_in_use; /* TLM payloads not returned; 0 at the end of a run */
    uint64_t payloads_peak;
    uint64_t transactions[SMRF_PORT_KINDS]; /* sent, by kind; 0 over the plain engine */
    uint64_t foreign_held;   /* transactions that are over, but held by the memory that is bound */
    uint64_t foreign_faults; /* of the base protocol, at sockets that lead outside */
    uint64_t protocol_violations; /* the same inside the machine, where monitors are in line */
};

#ifdef __cplusplus
}
#endif

#endif
