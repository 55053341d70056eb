/* SPDX-License-Identifier: Apache-2.0 */
/* More calls on nodes of graphs that the runtime and the driver have alike (graph_calls.h): what a
 * node has, and what can be changed after it was added. */

SMRF_CUDA_API int CALL(GraphNodeFindInClone)(struct smrf_cuda_node **found,
                                             struct smrf_cuda_node *node,
                                             struct smrf_cuda_graph *clone)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_node_in_copy(found, node, clone) : rc);
}

SMRF_CUDA_API int CALL(GraphNodeSetEnabled)(struct smrf_cuda_plan *plan,
                                            struct smrf_cuda_node *node, unsigned enabled)
{
    const int rc = smrf_cuda_enter();
    bool on = enabled != 0;
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_enabled(plan, node, &on, true) : rc);
}

SMRF_CUDA_API int CALL(GraphNodeGetEnabled)(struct smrf_cuda_plan *plan,
                                            struct smrf_cuda_node *node, unsigned *enabled)
{
    int rc = smrf_cuda_enter();
    bool on = false;
    rc = rc == CUDA_OK && enabled == NULL ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK ? smrf_cuda_plan_enabled(plan, node, &on, false) : rc;
    if (rc == CUDA_OK) {
        *enabled = on;
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphExecChildGraphNodeSetParams)(struct smrf_cuda_plan *plan,
                                                         struct smrf_cuda_node *node,
                                                         struct smrf_cuda_graph *child)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_set_graph(plan, node, child) : rc);
}

SMRF_CUDA_API int CALL(GraphHostNodeGetParams)(struct smrf_cuda_node *node, struct host_params *p)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_HOST, p, &rc);
    if (w != NULL) {
        *p = (struct host_params){w->host.function, w->host.data};
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphMemsetNodeGetParams)(struct smrf_cuda_node *node, struct fill_params *p)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_FILL, p, &rc);
    if (w != NULL) {
        *p = (struct fill_params){.to = w->fill.to.at,
                                  .pitch = w->fill.to.pitch,
                                  .value = w->fill.value,
                                  .size = w->fill.size,
                                  .width = w->fill.width / w->fill.size,
                                  .height = w->fill.height};
    }
    return leave_(rc);
}

/* ---- events ---------------------------------------------------------------------------------- */

static int event_get_(struct smrf_cuda_node *node, enum smrf_cuda_work_kind kind, void **event)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, kind, event, &rc);
    if (w != NULL) {
        *event = w->event;
    }
    return leave_(rc);
}

static int event_set_(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                      enum smrf_cuda_work_kind kind, void *event)
{
    const struct smrf_cuda_work w = {.kind = kind, .event = event};
    return plan != NULL ? plan_set_(plan, node, CUDA_OK, &w) : set_(node, CUDA_OK, &w);
}

SMRF_CUDA_API int CALL(GraphEventRecordNodeGetEvent)(struct smrf_cuda_node *node, void **event)
{
    return event_get_(node, SMRF_WORK_RECORD, event);
}

SMRF_CUDA_API int CALL(GraphEventRecordNodeSetEvent)(struct smrf_cuda_node *node, void *event)
{
    return event_set_(NULL, node, SMRF_WORK_RECORD, event);
}

SMRF_CUDA_API int CALL(GraphExecEventRecordNodeSetEvent)(struct smrf_cuda_plan *plan,
                                                         struct smrf_cuda_node *node, void *event)
{
    return event_set_(plan, node, SMRF_WORK_RECORD, event);
}

SMRF_CUDA_API int CALL(GraphEventWaitNodeGetEvent)(struct smrf_cuda_node *node, void **event)
{
    return event_get_(node, SMRF_WORK_WAIT, event);
}

SMRF_CUDA_API int CALL(GraphEventWaitNodeSetEvent)(struct smrf_cuda_node *node, void *event)
{
    return event_set_(NULL, node, SMRF_WORK_WAIT, event);
}

SMRF_CUDA_API int CALL(GraphExecEventWaitNodeSetEvent)(struct smrf_cuda_plan *plan,
                                                       struct smrf_cuda_node *node, void *event)
{
    return event_set_(plan, node, SMRF_WORK_WAIT, event);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS. */
struct alloc_params {
    int pool_type, pool_handles, place_type, place;
    uint8_t pool_rest[72];
    const void *access;
    size_t num_access, bytes;
    void *address; /* the answer */
};

SMRF_CUDA_API int CALL(GraphAddMemAllocNode)(NODE, struct alloc_params *p)
{
    struct smrf_cuda_work w = {.kind = SMRF_WORK_ALLOC};
    int rc = CUDA_INVALID_VALUE;
    if (p != NULL) {
        w.memory.bytes = p->bytes;
        rc = smrf_cuda_graph_alloc(&w.memory.address, p->bytes);
        p->address = w.memory.address;
    }
    return add_(node, graph, after, num, rc, &w);
}

SMRF_CUDA_API int CALL(GraphMemAllocNodeGetParams)(struct smrf_cuda_node *node,
                                                   struct alloc_params *p)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_ALLOC, p, &rc);
    if (w != NULL) { /* pinned memory of device 0 */
        *p = (struct alloc_params){.pool_type = 1,
                                   .place_type = 1,
                                   .bytes = w->memory.bytes,
                                   .address = w->memory.address};
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphAddMemFreeNode)(NODE, void *address)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_FREE, .memory = {.address = address}};
    return add_(node, graph, after, num, address == NULL ? (int)CUDA_INVALID_VALUE : CUDA_OK, &w);
}

SMRF_CUDA_API int CALL(GraphMemFreeNodeGetParams)(struct smrf_cuda_node *node, void **address)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_FREE, address, &rc);
    if (w != NULL) {
        *address = w->memory.address;
    }
    return leave_(rc);
}

static int graph_memory_(int device, int attribute, uint64_t *value, bool set)
{
    return DONE(device != 0 ? (int)CUDA_INVALID_DEVICE
                            : smrf_cuda_graph_memory(attribute, value, set));
}

SMRF_CUDA_API int CALL(DeviceGetGraphMemAttribute)(int device, int attribute, uint64_t *value)
{
    return graph_memory_(device, attribute, value, false);
}

SMRF_CUDA_API int CALL(DeviceSetGraphMemAttribute)(int device, int attribute, uint64_t *value)
{
    return graph_memory_(device, attribute, value, true);
}

/* Graphs keep their memory. */
SMRF_CUDA_API int CALL(DeviceGraphMemTrim)(int device)
{
    return DONE(device != 0 ? (int)CUDA_INVALID_DEVICE : CUDA_OK);
}

/* ---- attributes of kernels ------------------------------------------------------------------- */

static int kernel_hint_(struct smrf_cuda_node *node, int id, void *value, bool set)
{
    int rc;
    struct smrf_cuda_work *w = ask_(node, SMRF_WORK_KERNEL, value, &rc);
    if (w != NULL && id == ATTRIBUTE_COOPERATIVE) {
        int *cooperative = value;
        w->launch.cooperative = set ? *cooperative != 0 : w->launch.cooperative;
        *cooperative = w->launch.cooperative;
    } else if (w != NULL) {
        rc = smrf_cuda_hint(&w->hints, id, value, set);
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphKernelNodeGetAttribute)(struct smrf_cuda_node *node, int id,
                                                    void *value)
{
    return kernel_hint_(node, id, value, false);
}

SMRF_CUDA_API int CALL(GraphKernelNodeSetAttribute)(struct smrf_cuda_node *node, int id,
                                                    const void *value)
{
    return kernel_hint_(node, id, (void *)(uintptr_t)value, true);
}

SMRF_CUDA_API int CALL(GraphKernelNodeCopyAttributes)(struct smrf_cuda_node *to,
                                                      struct smrf_cuda_node *from)
{
    int rc = smrf_cuda_enter();
    struct smrf_cuda_work *a = rc == CUDA_OK ? work_of_(to, SMRF_WORK_KERNEL) : NULL;
    const struct smrf_cuda_work *b = rc == CUDA_OK ? work_of_(from, SMRF_WORK_KERNEL) : NULL;
    if (a != NULL && b != NULL) {
        a->hints = b->hints;
        a->launch.cooperative = b->launch.cooperative;
    } else if (rc == CUDA_OK) {
        rc = CUDA_INVALID_VALUE;
    }
    return leave_(rc);
}

/* ---- attributes of streams ------------------------------------------------------------------- */

static int stream_hint_(void *stream, int id, void *value, bool set)
{
    int rc = smrf_cuda_enter();
    struct smrf_cuda_hints *h = rc == CUDA_OK ? smrf_cuda_stream_hints(stream) : NULL;
    if (rc == CUDA_OK) {
        rc = h == NULL       ? (int)CUDA_INVALID_HANDLE
             : value == NULL ? (int)CUDA_INVALID_VALUE
                             : smrf_cuda_hint(h, id, value, set);
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(StreamGetAttribute)(void *stream, int id, void *value)
{
    return stream_hint_(stream, id, value, false);
}

SMRF_CUDA_API int CALL(StreamSetAttribute)(void *stream, int id, const void *value)
{
    return stream_hint_(stream, id, (void *)(uintptr_t)value, true);
}

SMRF_CUDA_API int CALL(StreamCopyAttributes)(void *to, void *from)
{
    int rc = smrf_cuda_enter();
    struct smrf_cuda_hints *a = rc == CUDA_OK ? smrf_cuda_stream_hints(to) : NULL;
    const struct smrf_cuda_hints *b = rc == CUDA_OK ? smrf_cuda_stream_hints(from) : NULL;
    if (a != NULL && b != NULL) {
        const int priority = a->priority; /* which stays as it was created */
        *a = *b;
        a->priority = priority;
    } else if (rc == CUDA_OK) {
        rc = CUDA_INVALID_HANDLE;
    }
    return leave_(rc);
}
