/* SPDX-License-Identifier: Apache-2.0 */
/* A memory of plain C functions (platform/outside.h) instead of the in-tree one: calls it once a
 * request and keeps the answers until their cycle. Used like models/memory/memory.h. */
#ifndef SMRF_OUTSIDE_QUEUE_H
#define SMRF_OUTSIDE_QUEUE_H

#include "models/memory/memory.h"
#include "platform/outside/outside.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_outside_answer {
    uint64_t cycle, number; /* when it arrives; number of the request, for equal cycles */
    struct smrf_outside_request request;
};

struct smrf_outside_queue {
    const struct smrf_outside_memory *memory;
    struct smrf_outside_answer *heap; /* earliest first */
    size_t count, room;
    uint64_t requests;
    int error;
    char text[160];
};

/* Ask the memory when a request will be answered. Returns the cycle, or 0 with *error and text set:
 * the memory refused, or promised more than its min_latency. */
uint64_t smrf_outside_ask(const struct smrf_outside_memory *memory,
                          const struct smrf_outside_request *request, int *error, char *text,
                          size_t size);

/* False after an error. */
bool smrf_outside_push(struct smrf_outside_queue *q, const struct smrf_mem_request *request);
/* Deliver every answer that arrives before `until`, in ascending order of its cycle. */
void smrf_outside_run(struct smrf_outside_queue *q, uint64_t until,
                      const struct smrf_mem_sink *sink);
/* No answer is owed. */
void smrf_outside_reset(struct smrf_outside_queue *q);
void smrf_outside_free(struct smrf_outside_queue *q);

static inline uint64_t smrf_outside_next(const struct smrf_outside_queue *q)
{
    return q->count ? q->heap[0].cycle : SMRF_NEVER;
}

#ifdef __cplusplus
}
#endif

#endif
