/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

const struct smrf_suite_program *const smrf_suite_micro[] = {
    NULL,
};
