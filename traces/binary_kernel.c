/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_internal.h"

int smrf_binary_kernel_open(struct smrf_trace *t)
{
    return smrf_trace_fail(&t->error, SMRF_ERR_FORMAT, "%s: .tracez is not read yet", t->file);
}

int smrf_binary_kernel_block(struct smrf_trace *t, struct smrf_trace_block *block)
{
    (void)block;
    return t->error.code;
}

void smrf_binary_kernel_close(struct smrf_trace *t)
{
    t->binary = NULL;
}
