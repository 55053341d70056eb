/* SPDX-License-Identifier: Apache-2.0 */
/* What the host programs of calls and micro share: memory of a fixed shape, and grids. */
#ifndef SMRF_SUITE_WORK_H
#define SMRF_SUITE_WORK_H

#include "firmware/kernels/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Run body with bytes of zeroed host memory, which it need not free. */
static inline int smrf_work(struct smrf_suite_run *run, size_t bytes,
                            int (*body)(struct smrf_suite_run *run, void *work))
{
    void *work = calloc(1, bytes);
    if (!work) {
        snprintf(run->error, sizeof run->error, "no memory for %zu bytes of host data", bytes);
        return SMRF_ERR_NOMEM;
    }
    int status = body(run, work);
    free(work);
    return status;
}

static inline struct smrf_exec_dim smrf_work_dim(int x, int y)
{
    return (struct smrf_exec_dim){(uint32_t)x, (uint32_t)y, 1};
}

/* Blocks of `block` threads that cover `threads`. */
static inline struct smrf_exec_dim smrf_work_grid(int threads, int block)
{
    return smrf_work_dim((threads + block - 1) / block, 1);
}

#endif
