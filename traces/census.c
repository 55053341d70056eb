/* SPDX-License-Identifier: Apache-2.0 */
#include "census.h"

#include "models/common/smrf_err.h"

#include <stdlib.h>
#include <string.h>

static int grow_(struct smrf_census *c, uint64_t word)
{
    uint64_t words = c->words ? c->words : 64;
    while (words <= word) {
        words *= 2;
    }
    uint64_t *grown = realloc(c->seen, words * sizeof *grown);
    if (grown == NULL) {
        return SMRF_ERR_NOMEM;
    }
    memset(grown + c->words, 0, (words - c->words) * sizeof *grown);
    c->seen = grown;
    c->words = words;
    return 0;
}

int smrf_census_add(struct smrf_census *c, uint64_t linear)
{
    uint64_t word = linear / 64, bit = (uint64_t)1 << linear % 64;
    c->blocks++;
    if (linear >= SMRF_CENSUS_MAX) {
        return 0;
    }
    if (word >= c->words && grow_(c, word) != 0) {
        return SMRF_ERR_NOMEM;
    }
    if ((c->seen[word] & bit) != 0) {
        c->repeated++;
        return 1;
    }
    c->seen[word] |= bit;
    return 0;
}

uint64_t smrf_census_missing(const struct smrf_census *c, uint64_t grid)
{
    uint64_t distinct = c->blocks - c->repeated;
    return distinct < grid ? grid - distinct : 0;
}

void smrf_census_clear(struct smrf_census *c)
{
    free(c->seen);
    *c = (struct smrf_census){0};
}
