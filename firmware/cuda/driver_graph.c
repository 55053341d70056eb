/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"
#include "graph.h"
#include "launch_attributes.h"

#include <string.h>

#define EDGE_DATA 12
#define CALL(name) cu##name
#define DONE(rc) (rc)
#include "graph_calls.h"
#include "graph_node_calls.h"

SMRF_ALSO(cuStreamEndCapture, cuStreamEndCapture_ptsz);
SMRF_ALSO(cuStreamIsCapturing, cuStreamIsCapturing_ptsz);
SMRF_ALSO(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz);
SMRF_ALSO(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz);
SMRF_ALSO(cuGraphLaunch, cuGraphLaunch_ptsz);
SMRF_ALSO(cuGraphUpload, cuGraphUpload_ptsz);
SMRF_ALSO(cuStreamGetAttribute, cuStreamGetAttribute_ptsz);
SMRF_ALSO(cuStreamSetAttribute, cuStreamSetAttribute_ptsz);
SMRF_ALSO(cuStreamCopyAttributes, cuStreamCopyAttributes_ptsz);
SMRF_ALSO(cuGraphInstantiate, cuGraphInstantiateWithFlags);
SMRF_ALSO(cuGraphInstantiate, cuGraphInstantiate_v2);

SMRF_CUDA_API int cuStreamBeginCapture_v2(void *stream, int mode)
{
    return smrf_cuda_capture_begin(stream, mode);
}
SMRF_ALSO(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz);

SMRF_CUDA_API int cuStreamBeginCapture(void *stream) /* before modes were */
{
    return smrf_cuda_capture_begin(stream, 0);
}
SMRF_ALSO(cuStreamBeginCapture, cuStreamBeginCapture_ptsz);

SMRF_CUDA_API int cuStreamGetCaptureInfo(void *stream, int *status, uint64_t *id)
{
    return smrf_cuda_capture_info(stream, status, id, NULL, NULL, NULL);
}
SMRF_ALSO(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz);

SMRF_CUDA_API int cuStreamGetCaptureInfo_v3(void *stream, int *status, uint64_t *id,
                                            struct smrf_cuda_graph **graph,
                                            struct smrf_cuda_node *const **last,
                                            const struct edge **data, size_t *num)
{
    return capture_info_(stream, status, id, graph, last, data, num);
}
SMRF_ALSO(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz);
SMRF_ALSO(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz);

/* ---- kernels and copies ---------------------------------------------------------------------- */

struct kernel_params {
    struct smrf_cuda_kernel *kernel;
    unsigned grid_x, grid_y, grid_z, x, y, z, shared;
    void **args, **extra;
};

static int kernel_(struct smrf_cuda_work *w, const struct kernel_params *p)
{
    if (p == NULL || p->kernel == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *w = (struct smrf_cuda_work){.kind = SMRF_WORK_KERNEL,
                                 .function = p->kernel,
                                 .launch = {.kernel = p->kernel,
                                            .grid = {p->grid_x, p->grid_y, p->grid_z},
                                            .block = {p->x, p->y, p->z},
                                            .shared = p->shared,
                                            .args = p->args}};
    return smrf_driver_params(&w->launch, p->extra);
}

SMRF_CUDA_API int cuGraphAddKernelNode(NODE, const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, kernel_(&w, p), &w);
}
SMRF_ALSO(cuGraphAddKernelNode, cuGraphAddKernelNode_v2);

SMRF_CUDA_API int cuGraphKernelNodeSetParams(struct smrf_cuda_node *node,
                                             const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return set_(node, kernel_(&w, p), &w);
}
SMRF_ALSO(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2);

SMRF_CUDA_API int cuGraphExecKernelNodeSetParams(struct smrf_cuda_plan *plan,
                                                 struct smrf_cuda_node *node,
                                                 const struct kernel_params *p)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, kernel_(&w, p), &w);
}
SMRF_ALSO(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2);

static int kernel_get_(struct smrf_cuda_node *node, struct kernel_params *p)
{
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_KERNEL, p, &rc);
    if (w != NULL) {
        const struct smrf_cuda_launch *l = &w->launch;
        *p = (struct kernel_params){l->kernel,  l->grid.x,           l->grid.y,
                                    l->grid.z,  l->block.x,          l->block.y,
                                    l->block.z, (unsigned)l->shared, (void **)(uintptr_t)l->args,
                                    NULL};
    }
    return leave_(rc);
}

SMRF_CUDA_API int cuGraphKernelNodeGetParams(struct smrf_cuda_node *node, struct kernel_params *p)
{
    return kernel_get_(node, p);
}

/* A kernel handle without a context, of which there is none here, and the context. */
struct kernel_params_v2 {
    struct kernel_params first;
    void *handle, *context;
};

SMRF_CUDA_API int cuGraphKernelNodeGetParams_v2(struct smrf_cuda_node *node,
                                                struct kernel_params_v2 *p)
{
    const int rc = kernel_get_(node, p != NULL ? &p->first : NULL);
    if (rc == CUDA_OK) {
        p->handle = NULL;
        p->context = smrf_driver_primary();
    }
    return rc;
}

SMRF_CUDA_API int cuGraphAddMemcpyNode(NODE, const struct smrf_driver_copy3d *c)
{
    struct smrf_cuda_work w;
    return add_(node, graph, after, num, smrf_driver_copy_3d(c, &w), &w);
}

SMRF_CUDA_API int cuGraphMemcpyNodeSetParams(struct smrf_cuda_node *node,
                                             const struct smrf_driver_copy3d *c)
{
    struct smrf_cuda_work w;
    return set_(node, smrf_driver_copy_3d(c, &w), &w);
}

SMRF_CUDA_API int cuGraphExecMemcpyNodeSetParams(struct smrf_cuda_plan *plan,
                                                 struct smrf_cuda_node *node,
                                                 const struct smrf_driver_copy3d *c)
{
    struct smrf_cuda_work w;
    return plan_set_(plan, node, smrf_driver_copy_3d(c, &w), &w);
}

/* Addresses are told as unified ones, which is what they are. */
SMRF_CUDA_API int cuGraphMemcpyNodeGetParams(struct smrf_cuda_node *node,
                                             struct smrf_driver_copy3d *c)
{
    enum { UNIFIED = 4 };
    int rc;
    const struct smrf_cuda_work *w = ask_(node, SMRF_WORK_COPY, c, &rc);
    if (w != NULL) {
        const struct smrf_cuda_place *to = &w->copy.to, *from = &w->copy.from;
        *c = (struct smrf_driver_copy3d){.from_type = UNIFIED,
                                         .from_device = (uint64_t)(uintptr_t)from->at,
                                         .from_pitch = from->pitch,
                                         .from_height = from->slice_rows,
                                         .to_type = UNIFIED,
                                         .to_device = (uint64_t)(uintptr_t)to->at,
                                         .to_pitch = to->pitch,
                                         .to_height = to->slice_rows,
                                         .width = w->copy.width,
                                         .height = w->copy.height,
                                         .depth = w->copy.depth};
    }
    return leave_(rc);
}

/* ---- update ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int cuGraphExecUpdate(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
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

struct update_info {
    int result;
    struct smrf_cuda_node *node, *from;
};

SMRF_CUDA_API int cuGraphExecUpdate_v2(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
                                       struct update_info *info)
{
    struct update_info unused, *i = info != NULL ? info : &unused;
    i->from = NULL;
    return cuGraphExecUpdate(plan, graph, &i->node, &i->result);
}
