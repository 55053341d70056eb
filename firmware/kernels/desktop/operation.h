/* SPDX-License-Identifier: Apache-2.0 */
/* What the host programs of operations with published times share. Each kernel is launched twice:
 * the second launch finds the L2 as the first left it, as launches back to back do. */
#ifndef SMRF_DESKTOP_OPERATION_H
#define SMRF_DESKTOP_OPERATION_H

#include "firmware/kernels/work.h"

/* A kernel and its operation. */
struct smrf_operation {
    const char *kernel;
    uint8_t least;             /* a smaller scale does not fill a block */
    uint8_t scale[SMRF_SIZES]; /* log2 of an axis, or of the number of values */
    uint8_t most;              /* a larger scale does not fit the device's memory */
};

typedef int (*smrf_operation_body)(struct smrf_host *host, const struct smrf_operation *op, int n);

/* Run body with 2^scale. */
int smrf_operation_run(struct smrf_suite_run *run, const struct smrf_operation *op,
                       smrf_operation_body body);

int smrf_operation_twice(struct smrf_suite_run *run, const char *kernel, struct smrf_exec_dim grid,
                         struct smrf_exec_dim block, uint32_t shared, void *const *args,
                         unsigned num_args);

/* The same with the arguments' addresses listed last. */
#define SMRF_TWICE(run, kernel, grid, block, shared, ...)                                          \
    smrf_operation_twice(run, kernel, grid, block, shared, (void *[]){__VA_ARGS__},                \
                         sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* name, machine code, least scale, kernel, body, log2 of small, medium, large and the most,
 * summary, sizes */
#define SMRF_OPERATION(id, text, least, kernel, body, small, medium, large, most, summary, ...)    \
    static int run_##id##_(struct smrf_suite_run *run)                                             \
    {                                                                                              \
        static const struct smrf_operation op = {kernel, least, {small, medium, large}, most};     \
        return smrf_operation_run(run, &op, body);                                                 \
    }                                                                                              \
    const struct smrf_suite_program smrf_suite_##id = {                                            \
        #id, "desktop", summary, text, {__VA_ARGS__}, .run = run_##id##_, .has_scale = true};

/* The same source is compiled for each architecture: the SASS differs, and so does the time. */
#define SMRF_OPERATIONS(id, text, ...)                                                             \
    SMRF_OPERATION(id, text, __VA_ARGS__)                                                          \
    SMRF_OPERATION(id##_sm86, text "-sm86", __VA_ARGS__)

#endif
