/* SPDX-License-Identifier: Apache-2.0 */
/* A memory outside the SMs that the user supplies as plain C functions, in core cycles. It takes
 * the place of the in-tree interconnect, L2 and DRAM. */
#ifndef SMRF_OUTSIDE_H
#define SMRF_OUTSIDE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A request of one 32-byte sector, as it leaves an SM. */
struct smrf_outside_request {
    uint64_t address;   /* bytes, multiple of 32 */
    uint64_t cycle;     /* core cycle in which it leaves the SM */
    uint32_t id;        /* unique among an SM's requests in flight */
    uint32_t byte_mask; /* bit b: byte b is written (reads: all ones) */
    unsigned sm;
    int kind; /* 0 read, 1 write, 2 atomic (answered like a read): enum smrf_mem_kind */
};

/* The user's memory. Requests of one SM come in ascending order of their cycle; requests of
 * different SMs come in any order within min_latency cycles. */
struct smrf_outside_memory {
    void *ctx;
    /* Cycles that every answer takes at least, 1 or more: how far SMs run ahead. */
    uint32_t min_latency;
    /* Take a request. Returns the cycles from request->cycle to its answer, min_latency or more; a
     * negative value ends the run with an error. Called once a request. */
    int64_t (*request)(void *ctx, const struct smrf_outside_request *request);
    /* The answer of a request has been delivered to its SM; NULL = not wanted. */
    void (*response)(void *ctx, const struct smrf_outside_request *request, uint64_t cycle);
};

#ifdef __cplusplus
}
#endif

#endif
