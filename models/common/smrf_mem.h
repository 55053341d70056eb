/* SPDX-License-Identifier: Apache-2.0 */
/* What passes between an SM and the memory: requests of 32-byte sectors and their answers, in core
 * cycles, and the two functions that carry them. */
#ifndef SMRF_MEM_H
#define SMRF_MEM_H

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_mem_kind {
    SMRF_MEM_READ,
    SMRF_MEM_WRITE,
    SMRF_MEM_ATOMIC /* read-modify-write at L2, answered like a read */
};

/* A request as it leaves an SM. Every request is answered exactly once, writes too. */
struct smrf_mem_request {
    uint64_t address;   /* bytes, multiple of 32 */
    uint64_t cycle;     /* core cycle in which it leaves the SM */
    uint32_t id;        /* returned in the response, unique among an SM's requests in flight */
    uint32_t byte_mask; /* bit b: byte b of the sector is written (reads: all ones) */
    uint16_t sm;        /* which SM */
    uint8_t kind;       /* enum smrf_mem_kind */
};

struct smrf_mem_response {
    uint64_t cycle; /* core cycle in which it arrives at the SM */
    uint32_t id;
    uint16_t sm;
    uint8_t kind;
};

/* Where an SM sends its requests. send returns true if the request was taken, false if the port
 * cannot take one in that cycle (the sender retries when it is notified, or in its next cycle). */
struct smrf_mem_port {
    void *ctx;
    bool (*send)(void *ctx, const struct smrf_mem_request *request);
};

/* Where a memory delivers responses. */
struct smrf_mem_sink {
    void *ctx;
    void (*response)(void *ctx, const struct smrf_mem_response *response);
};

#ifdef __cplusplus
}
#endif

#endif
