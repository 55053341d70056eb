/* SPDX-License-Identifier: Apache-2.0 */
/* Which launches of a program go into its trace. */
#ifndef SMRF_CAPTURE_CHOICE_H
#define SMRF_CAPTURE_CHOICE_H

#include "capture.h"

#include <regex.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_choice_kernel;

struct smrf_choice {
    const struct smrf_capture_launches *wanted;
    bool has_kernel;
    regex_t kernel;
    uint64_t matching;                 /* launches so far that may be chosen */
    struct smrf_choice_kernel *counts; /* of kernels chosen so far */
};

/* SMRF_ERR_INVAL with error set if wanted->kernel is not a regular expression. */
int smrf_choice_open(struct smrf_choice *c, const struct smrf_capture_launches *wanted, char *error,
                     size_t room);
void smrf_choice_close(struct smrf_choice *c);
/* Is this launch, the number-th of the program from 1, chosen? To be called once a launch.
 * Negative: SMRF_ERR_NOMEM. */
int smrf_choice_has(struct smrf_choice *c, uint64_t number,
                    const struct smrf_sass_function *kernel);

#ifdef __cplusplus
}
#endif

#endif
