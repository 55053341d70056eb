/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread blocks of a launch's grid have been read. */
#ifndef SMRF_CENSUS_H
#define SMRF_CENSUS_H

#include <stdint.h>

#define SMRF_CENSUS_MAX ((uint64_t)1 << 27) /* blocks of a grid that are distinguished: 16 MiB */

struct smrf_census {
    uint64_t *seen; /* a bit a block, up to the highest one */
    uint64_t words;
    uint64_t blocks, repeated;
};

/* Returns 1 if the block is there already, else 0, or SMRF_ERR_NOMEM. */
int smrf_census_add(struct smrf_census *c, uint64_t linear);
/* Blocks of a grid of that many that were not read. */
uint64_t smrf_census_missing(const struct smrf_census *c, uint64_t grid);
/* Begin anew; frees the memory. */
void smrf_census_clear(struct smrf_census *c);

#endif
