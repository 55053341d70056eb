/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of work: done at once, or kept in a graph. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

int smrf_cuda_submit(void *stream, const struct smrf_cuda_work *work)
{
    struct smrf_cuda_stream *s;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, &s) : rc;
    if (rc == CUDA_OK && smrf_cuda_capturing(s)) {
        return smrf_cuda_leave(smrf_cuda_capture_work(s, work));
    }
    (void)smrf_cuda_leave(rc); /* a function of the host may call the API from other threads */
    return rc == CUDA_OK ? smrf_cuda_work_run(work) : rc;
}

int smrf_cuda_submit_copy(void *stream, struct smrf_cuda_place to, struct smrf_cuda_place from,
                          uint64_t width, uint64_t height, uint64_t depth, int direction)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_COPY,
                                     .copy = {to, from, width, height, depth, direction}};
    return smrf_cuda_submit(stream, &w);
}

int smrf_cuda_submit_fill(void *stream, struct smrf_cuda_place to, uint32_t value, unsigned size,
                          uint64_t width, uint64_t height, uint64_t depth)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_FILL,
                                     .fill = {to, value, size, width, height, depth}};
    return smrf_cuda_submit(stream, &w);
}

int smrf_cuda_capture_alloc(void **address, uint64_t bytes, void *stream)
{
    struct smrf_cuda_work w = {.kind = SMRF_WORK_ALLOC, .memory = {.bytes = bytes}};
    int rc = smrf_cuda_graph_alloc(address != NULL ? &w.memory.address : NULL, bytes);
    rc = rc == CUDA_OK ? smrf_cuda_submit(stream, &w) : rc;
    if (rc == CUDA_OK) {
        *address = w.memory.address;
    }
    return rc;
}

int smrf_cuda_work_run(const struct smrf_cuda_work *w)
{
    switch (w->kind) {
    case SMRF_WORK_KERNEL:
        return smrf_cuda_launch(&w->launch);
    case SMRF_WORK_COPY:
        return smrf_cuda_copy_box(w->copy.to, w->copy.from, w->copy.width, w->copy.height,
                                  w->copy.depth, w->copy.direction);
    case SMRF_WORK_FILL:
        return smrf_cuda_fill(w->fill.to, w->fill.value, w->fill.size, w->fill.width,
                              w->fill.height, w->fill.depth);
    case SMRF_WORK_HOST:
        (void)smrf_cuda_synchronize();
        w->host.function(w->host.data);
        return CUDA_OK;
    case SMRF_WORK_ALLOC:
    case SMRF_WORK_FREE:
        smrf_cuda_lock();
        smrf_cuda_graph_use(w->memory.address, w->kind == SMRF_WORK_ALLOC);
        smrf_cuda_unlock();
        return CUDA_OK;
    case SMRF_WORK_RECORD:
        return smrf_cuda_event_record(w->event, NULL);
    default: /* all that comes before is done */
        return CUDA_OK;
    }
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* One allocation: the parameters' addresses, then their bytes. */
static int keep_params_(struct smrf_cuda_launch *l, const struct smrf_cuda_launch *from)
{
    const struct smrf_sass_function *e = l->kernel->entry;
    const uint32_t num = e->num_params;
    const uint64_t bytes = from->params != NULL ? from->param_bytes : e->param_bytes;
    if (from->params == NULL && ((from->args == NULL && num != 0) ||
                                 (num == 0 && bytes != 0))) { /* their sizes are not known */
        return CUDA_INVALID_VALUE;
    }
    void **args = calloc(1, (num + 1) * sizeof(void *) + bytes);
    if (args == NULL) {
        return CUDA_NO_MEMORY;
    }
    uint8_t *params = (uint8_t *)(args + num + 1);
    if (from->params != NULL) {
        memcpy(params, from->params, bytes);
    }
    for (uint32_t i = 0; i < num; i++) {
        const uint64_t offset = e->param[i].offset, size = e->param[i].bytes;
        if (offset + size > bytes) {
            free(args);
            return CUDA_INVALID_VALUE;
        }
        args[i] = params + offset;
        if (from->params == NULL) {
            memcpy(params + offset, from->args[i], size);
        }
    }
    l->args = args;
    l->params = params;
    l->param_bytes = bytes;
    return CUDA_OK;
}

int smrf_cuda_work_copy(struct smrf_cuda_work *to, const struct smrf_cuda_work *from)
{
    struct smrf_cuda_work w = *from;
    int rc = CUDA_OK;
    if (w.kind == SMRF_WORK_KERNEL) {
        w.launch.args = NULL;
        rc = keep_params_(&w.launch, &from->launch);
    } else if (w.kind == SMRF_WORK_GRAPH) {
        rc = smrf_cuda_graph_copy(&w.graph, from->graph);
    }
    if (rc == CUDA_OK) {
        *to = w;
    }
    return rc;
}

void smrf_cuda_work_free(struct smrf_cuda_work *work)
{
    if (work->kind == SMRF_WORK_KERNEL) {
        free((void *)(uintptr_t)work->launch.args);
    } else if (work->kind == SMRF_WORK_GRAPH && work->graph != NULL) {
        (void)smrf_cuda_graph_destroy(work->graph);
    }
}
