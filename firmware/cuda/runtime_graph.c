/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"
#include "launch_attributes.h"
#include "runtime.h"

#include <string.h>

#if SMRF_CUDART_VERSION >= 13000
#define EDGE_DATA 13
#elif SMRF_CUDART_VERSION >= 12000
#define EDGE_DATA 12
#else
#define EDGE_DATA 11
#endif
#define CALL(name) cuda##name
#define DONE(rc) smrf_runtime_done(rc)
#include "graph_calls.h"
#include "graph_node_calls.h"

SMRF_ALSO(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);
SMRF_ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);
SMRF_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz);
SMRF_ALSO(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz);
SMRF_ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
SMRF_ALSO(cudaGraphLaunch, cudaGraphLaunch_ptsz);
SMRF_ALSO(cudaGraphUpload, cudaGraphUpload_ptsz);
SMRF_ALSO(cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz);
SMRF_ALSO(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz);
SMRF_ALSO(cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz);

SMRF_CUDA_API int cudaStreamBeginCapture(void *stream, int mode)
{
    return smrf_runtime_done(smrf_cuda_capture_begin(stream, mode));
}
SMRF_ALSO(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

#if SMRF_CUDART_VERSION >= 13000
SMRF_CUDA_API int cudaStreamGetCaptureInfo(void *stream, int *status, uint64_t *id,
                                           struct smrf_cuda_graph **graph,
                                           struct smrf_cuda_node *const **last,
                                           const struct edge **data, size_t *num)
{
    return capture_info_(stream, status, id, graph, last, data, num);
}
#else
SMRF_CUDA_API int cudaStreamGetCaptureInfo(void *stream, int *status, uint64_t *id)
{
    return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
#endif
SMRF_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);
#if SMRF_CUDART_VERSION >= 12000 && SMRF_CUDART_VERSION < 13000
SMRF_CUDA_API int cudaStreamGetCaptureInfo_v3(void *stream, int *status, uint64_t *id,
                                              struct smrf_cuda_graph **graph,
                                              struct smrf_cuda_node *const **last,
                                              const struct edge **data, size_t *num)
{
    return capture_info_(stream, status, id, graph, last, data, num);
}
SMRF_ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz);
#endif

/* ---- kernels --------------------------------------------------------------------------------- */

struct kernel_params {
    const void *function;
    struct cuda_dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};

static int kernel_(struct smrf_cuda_work *w, const struct kernel_params *p)
{
    struct smrf_cuda_kernel *kernel;
    if (p == NULL || p->extra != NULL) {
        return CUDA_INVALID_VALUE;
    }
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_runtime_kernel(p->function, &kernel) : rc;
    (void)smrf_cuda_leave(rc);
    if (rc == CUDA_OK) {
        *w = (struct smrf_cuda_work){.kind = SMRF_WORK_KERNEL,
                                     .function = p->function,
                                     .launch = {.kernel = kernel,
                                                .grid = {p->grid.x, p->grid.y, p->grid.z},
                                                .block = {p->block.x, p->block.y, p->block.z},
                                                .shared = p->shared,
                                                .args = p->args}};
    }
    return rc;
}

SMRF_CUDA_API int cudaGraphAddKernelNode(NODE, const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, kernel_(&w, p), &w);
}

SMRF_CUDA_API int cudaGraphKernelNodeSetParams(struct smrf_cuda_node *node,
                                               const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return set_(node, kernel_(&w, p), &w);
}

SMRF_CUDA_API int cudaGraphExecKernelNodeSetParams(struct smrf_cuda_plan *plan,
                                                   struct smrf_cuda_node *node,
                                                   const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, kernel_(&w, p), &w);
}

SMRF_CUDA_API int cudaGraphKernelNodeGetParams(struct smrf_cuda_node *node, struct kernel_params *p)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_KERNEL, p, &rc);
    if (w != NULL) {
        const struct smrf_cuda_launch *l = &w->launch;
        *p = (struct kernel_params){w->function,
                                    {l->grid.x, l->grid.y, l->grid.z},
                                    {l->block.x, l->block.y, l->block.z},
                                    (unsigned)l->shared,
                                    (void **)(uintptr_t)l->args,
                                    NULL};
    }
    return leave_(rc);
}

/* ---- copies ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int cudaGraphAddMemcpyNode(NODE, const struct cuda_copy3d *c)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, smrf_runtime_copy_3d(c, &w), &w);
}

SMRF_CUDA_API int cudaGraphMemcpyNodeSetParams(struct smrf_cuda_node *node,
                                               const struct cuda_copy3d *c)
{
    struct smrf_cuda_work w;
    return set_(node, smrf_runtime_copy_3d(c, &w), &w);
}

SMRF_CUDA_API int cudaGraphExecMemcpyNodeSetParams(struct smrf_cuda_plan *plan,
                                                   struct smrf_cuda_node *node,
                                                   const struct cuda_copy3d *c)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, smrf_runtime_copy_3d(c, &w), &w);
}

static struct smrf_cuda_work copy_(void *to, const void *from, size_t bytes, int direction)
{
    return (struct smrf_cuda_work){
        .kind = SMRF_WORK_COPY,
        .copy = {{to, 0, 0}, {(uint8_t *)(uintptr_t)from, 0, 0}, bytes, 1, 1, direction}};
}

SMRF_CUDA_API int cudaGraphAddMemcpyNode1D(NODE, void *to, const void *from, size_t bytes,
                                           int direction)
{
    const struct smrf_cuda_work w = copy_(to, from, bytes, direction);
    return add_(node, graph, after, num, CUDA_OK, &w);
}

SMRF_CUDA_API int cudaGraphMemcpyNodeSetParams1D(struct smrf_cuda_node *node, void *to,
                                                 const void *from, size_t bytes, int direction)
{
    const struct smrf_cuda_work w = copy_(to, from, bytes, direction);
    return set_(node, CUDA_OK, &w);
}

SMRF_CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(struct smrf_cuda_plan *plan,
                                                     struct smrf_cuda_node *node, void *to,
                                                     const void *from, size_t bytes, int direction)
{
    const struct smrf_cuda_work w = copy_(to, from, bytes, direction);
    return plan_set_(plan, node, CUDA_OK, &w);
}

/* Arrays are told as the memory that they lie in. */
SMRF_CUDA_API int cudaGraphMemcpyNodeGetParams(struct smrf_cuda_node *node, struct cuda_copy3d *c)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_COPY, c, &rc);
    if (w != NULL) {
        const struct smrf_cuda_place *to = &w->copy.to, *from = &w->copy.from;
        *c = (struct cuda_copy3d){.from = {from->at, from->pitch, w->copy.width, from->slice_rows},
                                  .to = {to->at, to->pitch, w->copy.width, to->slice_rows},
                                  .extent = {w->copy.width, w->copy.height, w->copy.depth},
                                  .direction = w->copy.direction};
    }
    return leave_(rc);
}

static int to_symbol_(struct smrf_cuda_work *w, const void *symbol, const void *from, size_t bytes,
                      size_t offset, int direction)
{
    void *to = NULL;
    const int rc = smrf_runtime_symbol_part(symbol, offset, bytes, &to);
    *w = copy_(to, from, bytes, direction);
    return rc;
}

static int from_symbol_(struct smrf_cuda_work *w, void *to, const void *symbol, size_t bytes,
                        size_t offset, int direction)
{
    void *from = NULL;
    const int rc = smrf_runtime_symbol_part(symbol, offset, bytes, &from);
    *w = copy_(to, from, bytes, direction);
    return rc;
}

SMRF_CUDA_API int cudaGraphMemcpyNodeSetParamsToSymbol(struct smrf_cuda_node *node,
                                                       const void *symbol, const void *from,
                                                       size_t bytes, size_t offset, int direction)
{
    struct smrf_cuda_work w;
    return set_(node, to_symbol_(&w, symbol, from, bytes, offset, direction), &w);
}

SMRF_CUDA_API int cudaGraphMemcpyNodeSetParamsFromSymbol(struct smrf_cuda_node *node, void *to,
                                                         const void *symbol, size_t bytes,
                                                         size_t offset, int direction)
{
    struct smrf_cuda_work w;
    return set_(node, from_symbol_(&w, to, symbol, bytes, offset, direction), &w);
}

SMRF_CUDA_API int cudaGraphExecMemcpyNodeSetParamsToSymbol(struct smrf_cuda_plan *plan,
                                                           struct smrf_cuda_node *node,
                                                           const void *symbol, const void *from,
                                                           size_t bytes, size_t offset,
                                                           int direction)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, to_symbol_(&w, symbol, from, bytes, offset, direction), &w);
}

SMRF_CUDA_API int cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct smrf_cuda_plan *plan,
                                                             struct smrf_cuda_node *node, void *to,
                                                             const void *symbol, size_t bytes,
                                                             size_t offset, int direction)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, from_symbol_(&w, to, symbol, bytes, offset, direction), &w);
}

SMRF_CUDA_API int cudaGraphAddMemcpyNodeToSymbol(NODE, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, int direction)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, to_symbol_(&w, symbol, from, bytes, offset, direction),
                &w);
}

SMRF_CUDA_API int cudaGraphAddMemcpyNodeFromSymbol(NODE, void *to, const void *symbol, size_t bytes,
                                                   size_t offset, int direction)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, from_symbol_(&w, to, symbol, bytes, offset, direction),
                &w);
}

/* ---- update ---------------------------------------------------------------------------------- */

#if SMRF_CUDART_VERSION >= 12000
struct update_info {
    int result;
    struct smrf_cuda_node *node, *from;
};

SMRF_CUDA_API int cudaGraphExecUpdate(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
                                      struct update_info *info)
{
    struct update_info unused, *i = info != NULL ? info : &unused;
    const int rc = smrf_cuda_enter();
    i->from = NULL;
    return leave_(rc == CUDA_OK ? smrf_cuda_plan_update(plan, graph, &i->node, &i->result) : rc);
}
#else
SMRF_CUDA_API int cudaGraphExecUpdate(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
                                      struct smrf_cuda_node **differs, int *result)
{
    struct smrf_cuda_node *no_node;
    int no_result;
    const int rc = smrf_cuda_enter();
    return leave_(rc == CUDA_OK
                      ? smrf_cuda_plan_update(plan, graph, differs != NULL ? differs : &no_node,
                                              result != NULL ? result : &no_result)
                      : rc);
}
#endif
