/* SPDX-License-Identifier: Apache-2.0 */
#include "copies.h"

#include "models/common/smrf_assert.h"

static uint16_t *left_(struct smrf_copies *c, uint32_t group)
{
    return &c->left[group % SMRF_COPY_GROUPS];
}

/* Wait for the groups below a number. Groups that are not remembered are done. */
static void await_below_(struct smrf_copies *c, uint32_t below)
{
    uint32_t first = c->open < SMRF_COPY_GROUPS ? 0 : c->open - SMRF_COPY_GROUPS + 1;

    c->awaited = 0;
    c->awaited_below = below;
    for (uint32_t g = first; g < below; g++) {
        c->awaited += *left_(c, g);
    }
}

uint32_t smrf_copies_begin(struct smrf_copies *c)
{
    ++*left_(c, c->open);
    return c->open;
}

void smrf_copies_close(struct smrf_copies *c)
{
    SMRF_ASSERT(c->awaited == 0);
    c->open++;
    if (*left_(c, c->open)) { /* the oldest's place, which the next copy needs */
        c->awaited = *left_(c, c->open);
        c->awaited_below = c->open - SMRF_COPY_GROUPS + 1;
    }
}

void smrf_copies_wait(struct smrf_copies *c, uint64_t but, enum smrf_copy_rule rule)
{
    await_below_(c, but < c->open ? c->open - (uint32_t)but : 0);
    if (rule == SMRF_COPY_RULE_ACCELSIM && c->awaited && c->open == 1) {
        await_below_(c, 2); /* the open group as well: its code takes "the first group" for "all" */
    }
}

bool smrf_copies_done(struct smrf_copies *c, uint32_t group)
{
    SMRF_ASSERT(*left_(c, group) > 0);
    --*left_(c, group);
    if (c->awaited == 0 || group >= c->awaited_below) {
        return false;
    }
    return --c->awaited == 0;
}
