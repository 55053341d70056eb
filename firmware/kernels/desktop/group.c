/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

extern const struct smrf_suite_program smrf_suite_array_add, smrf_suite_array_add_columns,
    smrf_suite_image_grey, smrf_suite_product_simple, smrf_suite_product_tiles,
    smrf_suite_product_pairs, smrf_suite_product_rows, smrf_suite_product_rows_sm86,
    smrf_suite_histogram_global, smrf_suite_histogram_shared, smrf_suite_histogram_one,
    smrf_suite_histogram_shared_one, smrf_suite_array_add_sm86, smrf_suite_array_add_columns_sm86,
    smrf_suite_image_grey_sm86, smrf_suite_product_simple_sm86, smrf_suite_product_tiles_sm86,
    smrf_suite_product_pairs_sm86, smrf_suite_histogram_global_sm86,
    smrf_suite_histogram_shared_sm86, smrf_suite_histogram_one_sm86,
    smrf_suite_histogram_shared_one_sm86;

const struct smrf_suite_program *const smrf_suite_desktop[] = {
    &smrf_suite_array_add,
    &smrf_suite_array_add_columns,
    &smrf_suite_image_grey,
    &smrf_suite_product_simple,
    &smrf_suite_product_tiles,
    &smrf_suite_product_pairs,
    &smrf_suite_product_rows,
    &smrf_suite_histogram_global,
    &smrf_suite_histogram_shared,
    &smrf_suite_histogram_one,
    &smrf_suite_histogram_shared_one,
    &smrf_suite_array_add_sm86,
    &smrf_suite_array_add_columns_sm86,
    &smrf_suite_image_grey_sm86,
    &smrf_suite_product_simple_sm86,
    &smrf_suite_product_tiles_sm86,
    &smrf_suite_product_pairs_sm86,
    &smrf_suite_product_rows_sm86,
    &smrf_suite_histogram_global_sm86,
    &smrf_suite_histogram_shared_sm86,
    &smrf_suite_histogram_one_sm86,
    &smrf_suite_histogram_shared_one_sm86,
    NULL,
};
