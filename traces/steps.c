/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <string.h>

_Static_assert(SMRF_STEP_DST <= SMRF_MAX_DST && SMRF_STEP_DST + SMRF_STEP_SRC <= SMRF_MAX_SRC,
               "a step is an instruction");

static unsigned least_(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned parts_(unsigned count, unsigned each)
{
    return (count + each - 1) / each;
}

bool smrf_wide_fits(const struct smrf_wide *w)
{
    return w->num_dst <= SMRF_MAX_DST && w->num_src <= SMRF_MAX_SRC;
}

/* Steps that only read, in front of those that write: what the first of these adds to has been read
 * with it. */
static unsigned reading_(const struct smrf_wide *w)
{
    const unsigned writes = parts_(w->num_dst, SMRF_STEP_DST);
    const unsigned reads = parts_(w->num_src, SMRF_STEP_SRC);
    if (writes == 0 || w->num_src < w->num_dst) {
        return reads > writes ? reads - writes : 0;
    }
    const unsigned others = w->num_src - w->num_dst;
    return parts_(others + least_(SMRF_STEP_DST, w->num_dst), SMRF_STEP_SRC) - 1;
}

unsigned smrf_wide_steps(const struct smrf_wide *w)
{
    return smrf_wide_fits(w) ? 1 : reading_(w) + parts_(w->num_dst, SMRF_STEP_DST);
}

/* Destinations that are written before step n. */
static unsigned written_(const struct smrf_wide *w, unsigned n)
{
    const unsigned reading = reading_(w);
    return n > reading ? least_((n - reading) * SMRF_STEP_DST, w->num_dst) : 0;
}

/* Sources that are read before step n: those of the steps behind it are left. */
static unsigned read_(const struct smrf_wide *w, unsigned n)
{
    const unsigned most = least_(n * SMRF_STEP_SRC, w->num_src);
    const unsigned left = w->num_dst - written_(w, n);
    return w->num_src < w->num_dst ? most : least_(most, w->num_src - left);
}

void smrf_wide_step(const struct smrf_wide *w, unsigned n, struct smrf_static_inst *out,
                    unsigned *src, unsigned *dst)
{
    const bool whole = smrf_wide_fits(w);
    *src = n == 0 ? 0 : read_(w, n);
    *dst = n == 0 ? 0 : written_(w, n);
    out->num_src = (uint8_t)((whole ? w->num_src : read_(w, n + 1)) - *src);
    out->num_dst = (uint8_t)((whole ? w->num_dst : written_(w, n + 1)) - *dst);
    memcpy(out->src, w->src + *src, out->num_src);
    memcpy(out->src_slot, w->src_slot + *src, out->num_src);
    memcpy(out->dst, w->dst + *dst, out->num_dst);
    out->step = (uint8_t)n;
}
