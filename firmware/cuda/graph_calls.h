/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on graphs that the runtime and the driver have alike: included by both with CALL(name),
 * the name with its prefix, and DONE(rc), which returns a call's code. EDGE_DATA tells how calls on
 * edges have the edges' data: CUDA 11 without, CUDA 12 in calls of their own besides, CUDA 13 in
 * all. */

/* cudaGraphEdgeData, CUgraphEdgeData. All zeros: the whole node before the whole node behind it. */
struct edge {
    uint8_t from_port, to_port, type, reserved[5];
};

static inline void put_edges_(struct edge *data, size_t num)
{
    if (data != NULL) {
        memset(data, 0, num * sizeof *data);
    }
}

/* Edges between parts of kernels, which programmatic launches have. */
static inline int plain_edges_(const struct edge *data, size_t num)
{
    for (size_t i = 0; data != NULL && i < num; i++) {
        if (data[i].from_port != 0 || data[i].to_port != 0 || data[i].type != 0) {
            return smrf_cuda_missing("edges between parts of kernels", CUDA_NOT_SUPPORTED);
        }
    }
    return CUDA_OK;
}

static int leave_(int rc)
{
    return DONE(smrf_cuda_leave(rc));
}

/* ---- captures -------------------------------------------------------------------------------- */

SMRF_CUDA_API int CALL(StreamEndCapture)(void *stream, struct smrf_cuda_graph **graph)
{
    return DONE(smrf_cuda_capture_end(stream, graph));
}

SMRF_CUDA_API int CALL(StreamIsCapturing)(void *stream, int *status)
{
    return DONE(smrf_cuda_capture_info(stream, status, NULL, NULL, NULL, NULL));
}

SMRF_CUDA_API int CALL(StreamGetCaptureInfo_v2)(void *stream, int *status, uint64_t *id,
                                                struct smrf_cuda_graph **graph,
                                                struct smrf_cuda_node *const **last, size_t *num)
{
    return DONE(smrf_cuda_capture_info(stream, status, id, graph, last, num));
}

static int capture_after_(void *stream, struct smrf_cuda_node *const *last, size_t num,
                          unsigned flags)
{
    return DONE(flags > 1 ? (int)CUDA_INVALID_VALUE
                          : smrf_cuda_capture_after(stream, last, num, flags == 0));
}

SMRF_CUDA_API int CALL(ThreadExchangeStreamCaptureMode)(int *mode)
{
    return DONE(smrf_cuda_capture_exchange(mode));
}

/* ---- graphs ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int CALL(GraphCreate)(struct smrf_cuda_graph **graph, unsigned flags)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && flags != 0 ? (int)CUDA_INVALID_VALUE : rc;
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_create(graph) : rc);
}

SMRF_CUDA_API int CALL(GraphDestroy)(struct smrf_cuda_graph *graph)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_destroy(graph) : rc);
}

SMRF_CUDA_API int CALL(GraphClone)(struct smrf_cuda_graph **copy,
                                   const struct smrf_cuda_graph *graph)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && copy == NULL ? (int)CUDA_INVALID_VALUE : rc;
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_copy(copy, graph) : rc);
}

static int add_edges_(struct smrf_cuda_graph *graph, struct smrf_cuda_node *const *from,
                      struct smrf_cuda_node *const *to, size_t num)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_edges_set(graph, from, to, num, true) : rc);
}

static int remove_edges_(struct smrf_cuda_graph *graph, struct smrf_cuda_node *const *from,
                         struct smrf_cuda_node *const *to, size_t num)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_edges_set(graph, from, to, num, false) : rc);
}

SMRF_CUDA_API int CALL(GraphGetNodes)(struct smrf_cuda_graph *graph, struct smrf_cuda_node **list,
                                      size_t *num)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_nodes(graph, list, num, false) : rc);
}

SMRF_CUDA_API int CALL(GraphGetRootNodes)(struct smrf_cuda_graph *graph,
                                          struct smrf_cuda_node **list, size_t *num)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_nodes(graph, list, num, true) : rc);
}

static int get_edges_(struct smrf_cuda_graph *graph, struct smrf_cuda_node **from,
                      struct smrf_cuda_node **to, size_t *num)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_edges(graph, from, to, num) : rc);
}

static int neighbours_(struct smrf_cuda_node *node, struct smrf_cuda_node **list, size_t *num,
                       bool after)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_node_neighbours(node, list, num, after) : rc);
}

#if EDGE_DATA != 13
SMRF_CUDA_API int CALL(GraphAddDependencies)(struct smrf_cuda_graph *graph,
                                             struct smrf_cuda_node *const *from,
                                             struct smrf_cuda_node *const *to, size_t num)
{
    return add_edges_(graph, from, to, num);
}

SMRF_CUDA_API int CALL(GraphRemoveDependencies)(struct smrf_cuda_graph *graph,
                                                struct smrf_cuda_node *const *from,
                                                struct smrf_cuda_node *const *to, size_t num)
{
    return remove_edges_(graph, from, to, num);
}

SMRF_CUDA_API int CALL(GraphGetEdges)(struct smrf_cuda_graph *graph, struct smrf_cuda_node **from,
                                      struct smrf_cuda_node **to, size_t *num)
{
    return get_edges_(graph, from, to, num);
}

SMRF_CUDA_API int CALL(GraphNodeGetDependencies)(struct smrf_cuda_node *node,
                                                 struct smrf_cuda_node **list, size_t *num)
{
    return neighbours_(node, list, num, false);
}

SMRF_CUDA_API int CALL(GraphNodeGetDependentNodes)(struct smrf_cuda_node *node,
                                                   struct smrf_cuda_node **list, size_t *num)
{
    return neighbours_(node, list, num, true);
}

SMRF_CUDA_API int CALL(StreamUpdateCaptureDependencies)(void *stream,
                                                        struct smrf_cuda_node *const *last,
                                                        size_t num, unsigned flags)
{
    return capture_after_(stream, last, num, flags);
}
#endif

#if EDGE_DATA != 11
#if EDGE_DATA == 13
#define WITH_DATA(name) CALL(name)
#else
#define WITH_DATA(name) CALL(name##_v2)
#endif

SMRF_CUDA_API int WITH_DATA(GraphAddDependencies)(struct smrf_cuda_graph *graph,
                                                  struct smrf_cuda_node *const *from,
                                                  struct smrf_cuda_node *const *to,
                                                  const struct edge *data, size_t num)
{
    const int rc = plain_edges_(data, num);
    return rc == CUDA_OK ? add_edges_(graph, from, to, num) : DONE(rc);
}

SMRF_CUDA_API int WITH_DATA(GraphRemoveDependencies)(struct smrf_cuda_graph *graph,
                                                     struct smrf_cuda_node *const *from,
                                                     struct smrf_cuda_node *const *to,
                                                     const struct edge *data, size_t num)
{
    const int rc = plain_edges_(data, num);
    return rc == CUDA_OK ? remove_edges_(graph, from, to, num) : DONE(rc);
}

SMRF_CUDA_API int WITH_DATA(GraphGetEdges)(struct smrf_cuda_graph *graph,
                                           struct smrf_cuda_node **from, struct smrf_cuda_node **to,
                                           struct edge *data, size_t *num)
{
    const int rc = get_edges_(graph, from, to, num);
    put_edges_(from != NULL && rc == CUDA_OK ? data : NULL, num != NULL ? *num : 0);
    return rc;
}

SMRF_CUDA_API int WITH_DATA(GraphNodeGetDependencies)(struct smrf_cuda_node *node,
                                                      struct smrf_cuda_node **list,
                                                      struct edge *data, size_t *num)
{
    const int rc = neighbours_(node, list, num, false);
    put_edges_(list != NULL && rc == CUDA_OK ? data : NULL, num != NULL ? *num : 0);
    return rc;
}

SMRF_CUDA_API int WITH_DATA(GraphNodeGetDependentNodes)(struct smrf_cuda_node *node,
                                                        struct smrf_cuda_node **list,
                                                        struct edge *data, size_t *num)
{
    const int rc = neighbours_(node, list, num, true);
    put_edges_(list != NULL && rc == CUDA_OK ? data : NULL, num != NULL ? *num : 0);
    return rc;
}

SMRF_CUDA_API int WITH_DATA(StreamUpdateCaptureDependencies)(void *stream,
                                                             struct smrf_cuda_node *const *last,
                                                             const struct edge *data, size_t num,
                                                             unsigned flags)
{
    const int rc = plain_edges_(data, num);
    return rc == CUDA_OK ? capture_after_(stream, last, num, flags) : DONE(rc);
}

static inline int capture_info_(void *stream, int *status, uint64_t *id,
                                struct smrf_cuda_graph **graph, struct smrf_cuda_node *const **last,
                                const struct edge **data, size_t *num)
{
    if (data != NULL) {
        *data = NULL; /* all edges are plain */
    }
    return DONE(smrf_cuda_capture_info(stream, status, id, graph, last, num));
}
#endif

SMRF_CUDA_API int CALL(GraphNodeGetType)(struct smrf_cuda_node *node, int *type)
{
    int rc = smrf_cuda_enter();
    const struct smrf_cuda_work *work = rc == CUDA_OK ? smrf_cuda_node_work(node) : NULL;
    if (work != NULL && type != NULL) {
        *type = (int)work->kind;
    } else if (rc == CUDA_OK) {
        rc = CUDA_INVALID_VALUE;
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphDestroyNode)(struct smrf_cuda_node *node)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_node_remove(node) : rc);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* What a call knows to be wrong already comes as rc. */
static int add_(struct smrf_cuda_node **node, struct smrf_cuda_graph *graph,
                struct smrf_cuda_node *const *after, size_t num, int rc,
                const struct smrf_cuda_work *work)
{
    const int entered = smrf_cuda_enter();
    rc = entered != CUDA_OK ? entered : node == NULL ? (int)CUDA_INVALID_VALUE : rc;
    return leave_(rc == CUDA_OK ? smrf_cuda_graph_add(graph, node, after, num, work) : rc);
}

static int set_(struct smrf_cuda_node *node, int rc, const struct smrf_cuda_work *work)
{
    const int entered = smrf_cuda_enter();
    rc = entered != CUDA_OK ? entered : rc;
    return leave_(rc == CUDA_OK ? smrf_cuda_node_set(node, work) : rc);
}

static int plan_set_(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node, int rc,
                     const struct smrf_cuda_work *work)
{
    const int entered = smrf_cuda_enter();
    rc = entered != CUDA_OK ? entered : rc;
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_set(plan, node, work) : rc);
}

static struct smrf_cuda_work *work_of_(struct smrf_cuda_node *node, enum smrf_cuda_work_kind kind)
{
    struct smrf_cuda_work *work = smrf_cuda_node_work(node);
    return work != NULL && work->kind == kind ? work : NULL;
}

/* Begins a call that asks for the node's work of a kind, to put an answer to `to`: leave_(*rc) ends
 * it. NULL: there is none to give, and *rc says why. */
static struct smrf_cuda_work *ask_(struct smrf_cuda_node *node, enum smrf_cuda_work_kind kind,
                                   const void *to, int *rc)
{
    *rc = smrf_cuda_enter();
    struct smrf_cuda_work *work = *rc == CUDA_OK ? work_of_(node, kind) : NULL;
    *rc = *rc == CUDA_OK && (work == NULL || to == NULL) ? (int)CUDA_INVALID_VALUE : *rc;
    return *rc == CUDA_OK ? work : NULL;
}

#define NODE                                                                                       \
    struct smrf_cuda_node **node, struct smrf_cuda_graph *graph,                                   \
        struct smrf_cuda_node *const *after, size_t num

SMRF_CUDA_API int CALL(GraphAddEmptyNode)(NODE)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_EMPTY};
    return add_(node, graph, after, num, CUDA_OK, &w);
}

SMRF_CUDA_API int CALL(GraphAddChildGraphNode)(NODE, struct smrf_cuda_graph *child)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_GRAPH, .graph = child};
    return add_(node, graph, after, num, child == graph ? (int)CUDA_INVALID_VALUE : CUDA_OK, &w);
}

SMRF_CUDA_API int CALL(GraphChildGraphNodeGetGraph)(struct smrf_cuda_node *node,
                                                    struct smrf_cuda_graph **graph)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_GRAPH, graph, &rc);
    if (w != NULL) {
        *graph = w->graph;
    }
    return leave_(rc);
}

SMRF_CUDA_API int CALL(GraphAddEventRecordNode)(NODE, void *event)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_RECORD, .event = event};
    return add_(node, graph, after, num, CUDA_OK, &w);
}

SMRF_CUDA_API int CALL(GraphAddEventWaitNode)(NODE, void *event)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_WAIT, .event = event};
    return add_(node, graph, after, num, CUDA_OK, &w);
}

struct host_params {
    void (*function)(void *);
    void *data;
};

static int host_(struct smrf_cuda_work *w, const struct host_params *p)
{
    if (p == NULL || p->function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *w = (struct smrf_cuda_work){.kind = SMRF_WORK_HOST, .host = {p->function, p->data}};
    return CUDA_OK;
}

SMRF_CUDA_API int CALL(GraphAddHostNode)(NODE, const struct host_params *p)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, host_(&w, p), &w);
}

SMRF_CUDA_API int CALL(GraphHostNodeSetParams)(struct smrf_cuda_node *node,
                                               const struct host_params *p)
{
    struct smrf_cuda_work w;
    return set_(node, host_(&w, p), &w);
}

SMRF_CUDA_API int CALL(GraphExecHostNodeSetParams)(struct smrf_cuda_plan *plan,
                                                   struct smrf_cuda_node *node,
                                                   const struct host_params *p)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, host_(&w, p), &w);
}

struct fill_params {
    void *to;
    size_t pitch;
    unsigned value, size;
    size_t width, height;
};

static int fill_(struct smrf_cuda_work *w, const struct fill_params *p)
{
    if (p == NULL || (p->size != 1 && p->size != 2 && p->size != 4)) {
        return CUDA_INVALID_VALUE;
    }
    *w = (struct smrf_cuda_work){
        .kind = SMRF_WORK_FILL,
        .fill = {{p->to, p->pitch, 0}, p->value, p->size, p->width * p->size, p->height, 1}};
    return CUDA_OK;
}

SMRF_CUDA_API int CALL(GraphMemsetNodeSetParams)(struct smrf_cuda_node *node,
                                                 const struct fill_params *p)
{
    struct smrf_cuda_work w;
    return set_(node, fill_(&w, p), &w);
}

/* The driver's forms have a context after these, which is always the device's. */
SMRF_CUDA_API int CALL(GraphAddMemsetNode)(NODE, const struct fill_params *p)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, fill_(&w, p), &w);
}

SMRF_CUDA_API int CALL(GraphExecMemsetNodeSetParams)(struct smrf_cuda_plan *plan,
                                                     struct smrf_cuda_node *node,
                                                     const struct fill_params *p)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, fill_(&w, p), &w);
}

/* ---- executable graphs ----------------------------------------------------------------------- */

/* What more the forms of this call have (a log, or flags) changes nothing here. */
SMRF_CUDA_API int CALL(GraphInstantiate)(struct smrf_cuda_plan **plan,
                                         struct smrf_cuda_graph *graph)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_make(plan, graph) : rc);
}

SMRF_CUDA_API int CALL(GraphExecDestroy)(struct smrf_cuda_plan *plan)
{
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_destroy(plan) : rc);
}

SMRF_CUDA_API int CALL(GraphLaunch)(struct smrf_cuda_plan *plan, void *stream)
{
    return DONE(smrf_cuda_plan_run(plan, stream));
}

SMRF_CUDA_API int CALL(GraphUpload)(struct smrf_cuda_plan *plan, void *stream)
{
    struct smrf_cuda_stream *s;
    (void)plan;
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK ? smrf_cuda_stream_find(stream, &s) : rc);
}
