/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that leave most of their instructions to the tensor cores. */
#include "firmware/kernels/suite.h"

extern const struct smrf_suite_program smrf_conv_wide_a, smrf_conv_wide_b;

const struct smrf_suite_program *const smrf_suite_tensor[] = {&smrf_conv_wide_a, &smrf_conv_wide_b,
                                                              NULL};
