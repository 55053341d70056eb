/* SPDX-License-Identifier: Apache-2.0 */
/* The memory's state, for its own files. */
#ifndef SMRF_MEMORY_INTERNAL_H
#define SMRF_MEMORY_INTERNAL_H

#include "models/memory/l2.h"
#include "models/memory/memory_estimate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An SM's side. */
struct sm_port {
    _Alignas(64) uint64_t last; /* cycle of its last request */
    uint64_t alone;             /* cycle of its last request with no response before it untold */
    uint64_t line;              /* the line whose place is known */
    struct smrf_place place;    /* where this line lies */
    uint64_t requests, refused;
    uint32_t unanswered;   /* requests without a response that has arrived */
    uint32_t entering;     /* requests in the network's input that the SM knows of */
    uint32_t first, count; /* of `arrival`: responses delivered, but perhaps not yet arrived */
    uint64_t *arrival;     /* [noc.credits] ring */
    uint32_t *free;        /* [noc.credits] its packets that are free again, the last one first */
    uint32_t frees;        /* number of these packets */
    uint32_t fresh;        /* number of its packets that have been used at all */
    /* Packets that the memory has not been given, linked; first_push: or SMRF_NOC_NONE. */
    uint32_t first_push, last_push;
};

struct smrf_memory {
    struct smrf_memory_config cfg;
    uint64_t now;   /* as the SMs know it: what happened up to then has been delivered to them */
    uint64_t ahead; /* the memory has moved on to here */
    uint64_t delay; /* from the request network to the slices */
    uint32_t lookahead;
    uint64_t responses;
    struct smrf_packet *packet; /* [gpu.sms][noc.credits] */
    struct sm_port *port;       /* [gpu.sms] */
    uint32_t *answer; /* packets of responses that have not been delivered, as they arrive */
    uint32_t answers; /* number of these packets */
    uint32_t *taken;  /* packets that the request network has just moved */
    uint32_t *moved;  /* [gpu.sms] requests that it has moved since the last delivery */
    uint32_t room;    /* requests of an SM that fit into the network's input */
    struct smrf_map map;
    struct smrf_noc request, reply;
    struct smrf_l2 l2;
    struct smrf_dram dram;
    struct smrf_memory_estimate estimate; /* only with cfg.estimates */
};

#ifdef __cplusplus
}
#endif

#endif
