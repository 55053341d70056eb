/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/desktop/operation.h"

/* The scale of a run; negative: refused. */
static int scale_(struct smrf_suite_run *run, const struct smrf_operation *op)
{
    if (run->scale && (run->scale < op->least || run->scale > op->most)) {
        snprintf(run->error, sizeof run->error, "scale %u: choose %u to %u", run->scale, op->least,
                 op->most);
        return SMRF_ERR_INVAL;
    }
    return run->scale ? (int)run->scale : op->scale[run->size];
}

int smrf_operation_twice(struct smrf_suite_run *run, const char *kernel, struct smrf_exec_dim grid,
                         struct smrf_exec_dim block, uint32_t shared, void *const *args,
                         unsigned num_args)
{
    SMRF_TRY(smrf_suite_launch(run, kernel, grid, block, shared, args, num_args));
    return smrf_suite_launch(run, kernel, grid, block, shared, args, num_args);
}

int smrf_operation_run(struct smrf_suite_run *run, const struct smrf_operation *op,
                       smrf_operation_body body)
{
    struct smrf_host host = {run, NULL};
    const int scale = scale_(run, op);
    SMRF_TRY(scale);
    const int rc = body(&host, op, 1 << scale);
    smrf_host_free(&host);
    return rc;
}
