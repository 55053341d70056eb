/* SPDX-License-Identifier: Apache-2.0 */
/* A memory space's inside: space.c looks after it, claims.c after who uses which part of it. */
#ifndef SMRF_EXEC_SPACE_INTERNAL_H
#define SMRF_EXEC_SPACE_INTERNAL_H

#include "firmware/exec/space.h"

/* Bytes of global memory that lie together. */
struct smrf_space_range {
    uint64_t address, bytes; /* bytes 0: freed */
    uint8_t *data;
    uint64_t *claim;  /* who uses what (claims.c); NULL: no blocks have run at the same time */
    uint64_t readers; /* of all of it, as long as no block has written */
    bool own;         /* data is from malloc */
    bool host;        /* data is memory of the process, which may look at it at any time */
    bool backed;      /* data holds, behind `bytes` bytes, the same as they were read */
};

struct smrf_memory_space {
    struct smrf_space_range *range; /* by address */
    size_t count, capacity, freed;
    size_t last; /* hit by the last look-up */
    uint64_t next_alloc, next_heap;
    uint64_t heap_used, total;
    uint64_t arena, arena_bytes;       /* addresses that are this process's own as well; 0 = none */
    struct smrf_space_backing backing; /* read NULL: none */
    bool lenient;                      /* towards accesses past an end */
    struct smrf_space_past past_reads, past_writes;
    struct smrf_memory_space *origin; /* of a view: the space */
    struct smrf_exec_claims *claims;  /* of a view: what its thread's block has used */
};

/* The range that an address lies in; NULL: none. */
struct smrf_space_range *smrf_space_range_of(struct smrf_memory_space *space, uint64_t address);

#endif
