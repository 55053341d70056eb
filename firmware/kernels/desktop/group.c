/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

extern const struct smrf_suite_program smrf_suite_array_add, smrf_suite_array_add_columns,
    smrf_suite_image_grey, smrf_suite_product_simple, smrf_suite_product_tiles,
    smrf_suite_product_pairs, smrf_suite_histogram_global, smrf_suite_histogram_shared;

const struct smrf_suite_program *const smrf_suite_desktop[] = {
    &smrf_suite_array_add,        &smrf_suite_array_add_columns, &smrf_suite_image_grey,
    &smrf_suite_product_simple,   &smrf_suite_product_tiles,     &smrf_suite_product_pairs,
    &smrf_suite_histogram_global, &smrf_suite_histogram_shared,  NULL,
};
