/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a host program whose sizes are known only when it runs: given back all at once. */
#ifndef SMRF_SUITE_HOST_H
#define SMRF_SUITE_HOST_H

#include "firmware/kernels/suite.h"

struct smrf_host_block;

struct smrf_host {
    struct smrf_suite_run *run;
    struct smrf_host_block *blocks; /* newest first */
};

/* count elements of size bytes, zeroed; NULL with run->error set. */
void *smrf_host_get(struct smrf_host *host, size_t count, size_t size);
void smrf_host_free(struct smrf_host *host);

/* Two lists of numbers from -1 to 1, here and on the device, and room for one that is made of them.
 */
struct smrf_host_operands {
    size_t count;
    float *a, *b, *got;
    smrf_dptr da, db, dc;
};
int smrf_host_operands_init(struct smrf_host_operands *o, struct smrf_host *host, size_t count,
                            uint64_t seed);
/* Fetch what the device has made. */
int smrf_host_operands_read(const struct smrf_host_operands *o, struct smrf_host *host);

/* pointer = room for count elements, or return. */
#define SMRF_HOST_GET(host, pointer, count)                                                        \
    do {                                                                                           \
        (pointer) = smrf_host_get(host, count, sizeof *(pointer));                                 \
        if ((pointer) == NULL)                                                                     \
            return SMRF_ERR_NOMEM;                                                                 \
    } while (0)

/* smrf_suite_launch with the arguments' addresses listed last. */
#define SMRF_HOST_LAUNCH(run, kernel, grid, block, ...)                                            \
    smrf_suite_launch(run, kernel, grid, block, 0, (void *[]){__VA_ARGS__},                        \
                      sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* Blocks of `each` that cover `count`. */
static inline uint32_t smrf_host_cover(int count, int each)
{
    return (uint32_t)((count + each - 1) / each);
}

#endif
