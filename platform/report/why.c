/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "why.h"

#include "models/issue/issue_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what the schedulers did ------------------------------------------------------------------ */

static const struct {
    const char *name, *statistic, *meaning;
} causes[] = {
    {"issued", "issue.cycles_issued", "an instruction issued"},
#define CAUSE(name, unit, meaning) {#name, "issue.stalls." #name, meaning},
    SMRF_STALLS(CAUSE)
#undef CAUSE
        {"empty", NULL, "the SM had no thread block"},
};

#define CAUSES (sizeof causes / sizeof *causes)
_Static_assert(CAUSES <= SMRF_WHY_CAUSES, "raise SMRF_WHY_CAUSES");

/* The value of a whole-numbered option. */
static double option_(const struct smrf_platform *p, const char *name)
{
    const char *key;
    char value[32];
    for (size_t i = 0; smrf_platform_config_at(p, i, &key, value, sizeof value) == 0; i++) {
        if (strcmp(key, name) == 0) {
            return strtod(value, NULL);
        }
    }
    return NAN;
}

static double stat_(struct smrf_platform *p, size_t launch, const char *name)
{
    double value = NAN;
    (void)smrf_platform_launch_stat(p, launch, name, &value);
    return value;
}

/* Adds a launch of a run to its kernel. */
static void add_(struct smrf_why_kernel *k, struct smrf_platform *p, size_t launch, unsigned run)
{
    const double schedulers = option_(p, "gpu.sms") * option_(p, "sm.subcores");
    const double cycles = stat_(p, launch, "cycles");
    const double active = stat_(p, launch, "issue.scheduler_cycles") / schedulers;
    *(run ? &k->after : &k->before) += cycles;
    for (unsigned c = 0; c < CAUSES; c++) {
        const char *name = causes[c].statistic;
        *(run ? &k->cause[c].after : &k->cause[c].before) +=
            name ? stat_(p, launch, name) / schedulers : cycles - active;
    }
}

/* --- what explains what ----------------------------------------------------------------------- */

/* Schedulers without a warp: a launch ends with its slowest SM, and what slows that one leaves the
 * others without work. */
static bool follows_(const char *cause)
{
    return strcmp(cause, "idle") == 0 || strcmp(cause, "empty") == 0;
}

/* By how much a cause has changed in the direction of the difference, at least 0. */
static double grown_(const struct smrf_why_cause *cause, double difference)
{
    const double change = cause->after - cause->before;
    return change * difference > 0 ? fabs(change) : 0;
}

/* Causes that changed in the direction of the difference share it in proportion to their change.
 * What moved from one cause to another cancels. Schedulers without a warp are a cause only if there
 * is no other. */
static void explain_(struct smrf_why_kernel *k)
{
    const double difference = k->after - k->before;
    double sum[2] = {0};
    for (unsigned c = 0; c < CAUSES; c++) {
        k->cause[c].name = causes[c].name;
        k->cause[c].meaning = causes[c].meaning;
        sum[follows_(causes[c].name)] += grown_(&k->cause[c], difference);
    }
    const bool last = sum[0] == 0;
    for (unsigned c = 0; c < CAUSES; c++) {
        const double grown = grown_(&k->cause[c], difference);
        k->cause[c].explains =
            grown > 0 && follows_(causes[c].name) == last ? difference * grown / sum[last] : 0;
    }
}

/* Kernels that pull with the difference first, most first. */
static int most_first_(const void *a, const void *b, void *sign)
{
    const struct smrf_why_kernel *x = a, *y = b;
    const double p = (x->after - x->before) * *(const double *)sign,
                 q = (y->after - y->before) * *(const double *)sign;
    return (p < q) - (p > q);
}

static struct smrf_why_kernel *kernel_(struct smrf_why *w, const char *name)
{
    for (size_t k = 0; k < w->num_kernels; k++) {
        if (strcmp(w->kernel[k].name, name) == 0) {
            return &w->kernel[k];
        }
    }
    w->kernel[w->num_kernels] = (struct smrf_why_kernel){.name = name};
    return &w->kernel[w->num_kernels++];
}

int smrf_why_create(struct smrf_why *w, struct smrf_platform *const run[2],
                    const char *const mechanism[2])
{
    const size_t launches = smrf_platform_launches(run[0]);
    *w = (struct smrf_why){.mechanism = {mechanism[0], mechanism[1]},
                           .num_causes = (unsigned)CAUSES,
                           .all = {.name = "all launches"}};
    if (launches != smrf_platform_launches(run[1])) {
        return SMRF_ERR_INVAL;
    }
    w->kernel = calloc(launches + 1, sizeof *w->kernel);
    if (!w->kernel) {
        return SMRF_ERR_NOMEM;
    }
    for (size_t i = 0; i < launches; i++) {
        struct smrf_why_kernel *k = kernel_(w, smrf_platform_launch_name(run[0], i));
        k->launches++;
        w->all.launches++;
        for (unsigned r = 0; r < 2; r++) {
            add_(k, run[r], i, r);
            add_(&w->all, run[r], i, r);
        }
    }
    for (size_t i = 0; i < w->num_kernels; i++) {
        explain_(&w->kernel[i]);
    }
    explain_(&w->all);
    double sign = w->all.after < w->all.before ? -1 : 1;
    qsort_r(w->kernel, w->num_kernels, sizeof *w->kernel, most_first_, &sign);
    return SMRF_OK;
}

void smrf_why_free(struct smrf_why *w)
{
    free(w->kernel);
    *w = (struct smrf_why){0};
}

bool smrf_why_alike(const struct smrf_why *w)
{
    return fabs(w->all.after - w->all.before) < w->all.before / 1000;
}

unsigned smrf_why_causes(const struct smrf_why *w, const struct smrf_why_kernel *k,
                         const struct smrf_why_cause **cause)
{
    const double least = fabs(k->after - k->before) / 20;
    unsigned count = 0;
    for (unsigned c = 0; c < w->num_causes; c++) {
        const struct smrf_why_cause *next = &k->cause[c];
        if (next->explains == 0 || fabs(next->explains) < least) {
            continue;
        }
        unsigned at = count++;
        for (; at > 0 && fabs(cause[at - 1]->explains) < fabs(next->explains); at--) {
            cause[at] = cause[at - 1];
        }
        cause[at] = next;
    }
    return count;
}
