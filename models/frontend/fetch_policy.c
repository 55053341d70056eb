/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch_policy.h"

/* As Accel-Sim m_last_warp_fetched: warp 1 is the first of all. */
static void reset_(void *p)
{
    ((struct smrf_fetch_round *)p)->last = 0;
}

static unsigned next_(void *p, uint64_t need)
{
    struct smrf_fetch_round *r = p;
    unsigned first = (r->last + 1) & (SMRF_MAX_WARPS - 1);
    uint64_t after = need & (UINT64_MAX << first);
    r->last = (unsigned)__builtin_ctzll(first && after ? after : need);
    return r->last;
}

const struct smrf_fetch_ops smrf_fetch_round_ops = {reset_, NULL, next_};
