/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

struct smrf_host_block {
    struct smrf_host_block *older;
    void *memory;
};

void *smrf_host_get(struct smrf_host *host, size_t count, size_t size)
{
    struct smrf_host_block *block = malloc(sizeof *block);
    void *memory = calloc(count, size);
    if (block == NULL || memory == NULL) {
        free(block);
        free(memory);
        snprintf(host->run->error, sizeof host->run->error,
                 "no memory for %zu elements of %zu bytes of host data", count, size);
        return NULL;
    }
    *block = (struct smrf_host_block){host->blocks, memory};
    host->blocks = block;
    return memory;
}

int smrf_host_operands_init(struct smrf_host_operands *o, struct smrf_host *host, size_t count,
                            uint64_t seed)
{
    struct smrf_suite_rng rng = {seed};
    const size_t bytes = count * sizeof *o->a;
    o->count = count;
    SMRF_HOST_GET(host, o->a, count);
    SMRF_HOST_GET(host, o->b, count);
    SMRF_HOST_GET(host, o->got, count);
    for (size_t i = 0; i < count; i++) {
        o->a[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
        o->b[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    SMRF_TRY(smrf_suite_buffer(host->run, &o->da, o->a, bytes));
    SMRF_TRY(smrf_suite_buffer(host->run, &o->db, o->b, bytes));
    return smrf_suite_buffer(host->run, &o->dc, NULL, bytes);
}

int smrf_host_operands_read(const struct smrf_host_operands *o, struct smrf_host *host)
{
    return smrf_device_read(host->run->device, o->got, o->dc, o->count * sizeof *o->got);
}

void smrf_host_free(struct smrf_host *host)
{
    while (host->blocks != NULL) {
        struct smrf_host_block *block = host->blocks;
        host->blocks = block->older;
        free(block->memory);
        free(block);
    }
}
