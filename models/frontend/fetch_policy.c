/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch_policy.h"

/* As Accel-Sim m_last_warp_fetched: warp 1 is the first of all. */
static void reset_(void *p)
{
    ((struct smrf_fetch_round *)p)->last = 0;
}

static unsigned next_(void *p, uint64_t need)
{
    return smrf_fetch_round_next(p, need);
}

static bool wants_(const void *p, unsigned warp, unsigned filled)
{
    (void)p;
    (void)warp;
    (void)filled;
    return true;
}

const struct smrf_fetch_ops smrf_fetch_round_ops = {reset_, NULL, next_};
const struct smrf_fetch_ops smrf_fetch_early_ops = {reset_, wants_, next_};
