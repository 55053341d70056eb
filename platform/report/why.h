/* SPDX-License-Identifier: Apache-2.0 */
/* Why one run of a trace takes longer than another: the difference of their cycles, split by what
 * the schedulers did.
 *
 * In every cycle of a launch every scheduler issues, or does not for one cause (issue.stalls.*), or
 * its SM has no thread block. So a launch's cycles are the sum of these, each divided by the number
 * of schedulers, and the differences of two runs add up to the difference of their cycles exactly.
 * A cause that grew while another shrank by as much has only moved. Schedulers without a warp
 * follow from what slows the last SM of a launch, and are a cause only where there is no other. */
#ifndef SMRF_REPORT_WHY_H
#define SMRF_REPORT_WHY_H

#include "platform/observe/profile_report.h"
#include "platform/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_why_cause {
    const char *name;     /* of the stall; "issued", "empty" */
    const char *meaning;  /* continues "schedulers that ..." */
    double before, after; /* cycles: of all schedulers, divided by their number */
    double explains;      /* cycles of the difference; 0: it has not the difference's sign */
};

enum { SMRF_WHY_CAUSES = 32 }; /* at least the stalls and two */

/* All launches of a name. */
struct smrf_why_kernel {
    const char *name;
    size_t launches;
    double before, after; /* cycles */
    struct smrf_why_cause cause[SMRF_WHY_CAUSES];
};

struct smrf_why {
    const char *mechanism[2];
    struct smrf_why_kernel *kernel; /* what explains most of the difference first */
    size_t num_kernels;
    unsigned num_causes;
    struct smrf_why_kernel all;
};

/* Of two runs of the same traces that have ended. Returns 0, SMRF_ERR_NOMEM, or SMRF_ERR_INVAL if
 * they have not the same launches. */
int smrf_why_create(struct smrf_why *w, struct smrf_platform *const run[2],
                    const char *const mechanism[2]);
void smrf_why_free(struct smrf_why *w);

/* Do the runs differ by less than a thousandth? Then a cause cannot be separated from chance. */
bool smrf_why_alike(const struct smrf_why *w);

/* The causes of a kernel that explain at least a twentieth of its difference, most first. Returns
 * their number, at most SMRF_WHY_CAUSES. */
unsigned smrf_why_causes(const struct smrf_why *w, const struct smrf_why_kernel *k,
                         const struct smrf_why_cause **cause);

/* A replay of both with one limit lifted: does the difference go with it? */
struct smrf_why_test {
    char setting[64];  /* "issue.active_warps=8" */
    double cycles[2];  /* of both under it */
    char refused[256]; /* why it could not be run, "" = it was */
};

/* Sentences. profile: of the two runs, for the places in the code; top: kernels. */
void smrf_why_print(const struct smrf_why *w, const struct smrf_profile_run profile[2], size_t top,
                    const char *(*name)(const char *mangled, int width), FILE *out);
void smrf_why_print_test(const struct smrf_why *w, const struct smrf_why_test *t, FILE *out);
/* NULL: out of memory. */
json_t *smrf_why_json(const struct smrf_why *w, const struct smrf_profile_run profile[2],
                      const struct smrf_why_test *test, size_t num_tests);

#ifdef __cplusplus
}
#endif

#endif
