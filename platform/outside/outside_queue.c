/* SPDX-License-Identifier: Apache-2.0 */
#include "outside_queue.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t smrf_outside_ask(const struct smrf_outside_memory *memory,
                          const struct smrf_outside_request *request, int *error, char *text,
                          size_t size)
{
    int64_t latency = memory->request(memory->ctx, request);
    if (latency >= (int64_t)memory->min_latency) {
        return request->cycle + (uint64_t)latency;
    }
    *error = SMRF_ERR_INVAL;
    if (latency < 0) {
        snprintf(text, size, "the outside memory failed (%lld) at a request for address 0x%llx",
                 (long long)latency, (unsigned long long)request->address);
    } else {
        snprintf(text, size,
                 "the outside memory answered after %lld cycles, before its min_latency of %u",
                 (long long)latency, memory->min_latency);
    }
    return 0;
}

static bool earlier_(const struct smrf_outside_answer *a, const struct smrf_outside_answer *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->number < b->number;
}

static bool room_(struct smrf_outside_queue *q)
{
    if (q->count < q->room) {
        return true;
    }
    size_t room = q->room ? 2 * q->room : 256;
    struct smrf_outside_answer *grown = realloc(q->heap, room * sizeof *grown);
    if (!grown) {
        q->error = SMRF_ERR_NOMEM;
        snprintf(q->text, sizeof q->text, "out of memory");
        return false;
    }
    q->heap = grown;
    q->room = room;
    return true;
}

bool smrf_outside_push(struct smrf_outside_queue *q, const struct smrf_mem_request *request)
{
    struct smrf_outside_answer answer = {
        .number = q->requests,
        .request = {request->address, request->cycle, request->id, request->byte_mask, request->sm,
                    request->kind},
    };
    if (q->error || !room_(q)) {
        return false;
    }
    answer.cycle = smrf_outside_ask(q->memory, &answer.request, &q->error, q->text, sizeof q->text);
    if (q->error) {
        return false;
    }
    q->requests++;
    size_t at = q->count++;
    while (at > 0 && earlier_(&answer, &q->heap[(at - 1) / 2])) {
        q->heap[at] = q->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->heap[at] = answer;
    return true;
}

static struct smrf_outside_answer pop_(struct smrf_outside_queue *q)
{
    struct smrf_outside_answer first = q->heap[0], last = q->heap[--q->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && earlier_(&q->heap[child + 1], &q->heap[child])) {
            child++;
        }
        if (!earlier_(&q->heap[child], &last)) {
            break;
        }
        q->heap[at] = q->heap[child];
    }
    q->heap[at] = last;
    return first;
}

void smrf_outside_run(struct smrf_outside_queue *q, uint64_t until,
                      const struct smrf_mem_sink *sink)
{
    while (q->count && q->heap[0].cycle < until) {
        struct smrf_outside_answer a = pop_(q);
        struct smrf_mem_response response = {
            .cycle = a.cycle,
            .id = a.request.id,
            .sm = (uint16_t)a.request.sm,
            .kind = (uint8_t)a.request.kind,
        };
        if (q->memory->response) {
            q->memory->response(q->memory->ctx, &a.request, a.cycle);
        }
        sink->response(sink->ctx, &response);
    }
}

void smrf_outside_reset(struct smrf_outside_queue *q)
{
    q->count = 0;
    q->requests = 0;
    q->error = SMRF_OK;
    q->text[0] = 0;
}

void smrf_outside_free(struct smrf_outside_queue *q)
{
    free(q->heap);
}
