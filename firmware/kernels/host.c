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

void smrf_host_free(struct smrf_host *host)
{
    while (host->blocks != NULL) {
        struct smrf_host_block *block = host->blocks;
        host->blocks = block->older;
        free(block->memory);
        free(block);
    }
}
