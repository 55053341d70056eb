/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that read the same values again and again. */
#include "firmware/kernels/suite.h"

/* clang-format off */
#define LAYERS(X)                                                                                  \
    X(alexnet) X(alexnet_conv1) X(alexnet_conv2) X(alexnet_conv3) X(alexnet_conv4)                 \
    X(alexnet_conv5) X(alexnet_fc) X(alexnet_norm1) X(alexnet_norm2) X(alexnet_pool1)              \
    X(alexnet_pool2) X(alexnet_pool5) X(cifarnet) X(cifarnet_conv1) X(cifarnet_conv2)              \
    X(cifarnet_conv3) X(cifarnet_fc) X(cifarnet_pool1) X(cifarnet_pool2) X(cifarnet_pool3)
#define OTHERS(X)                                                                                  \
    X(alexnet_conv1_block) X(alexnet_conv2_block) X(alexnet_conv3_block) X(alexnet_conv4_block)    \
    X(alexnet_conv5_block) X(alexnet_fc1_block) X(alexnet_norm1_block) X(alexnet_norm2_block)      \
    X(alexnet_pool1_block) X(alexnet_pool2_block) X(alexnet_pool5_block)                           \
    X(cifarnet_block) X(cifarnet_conv1_block) X(cifarnet_conv2_block) X(cifarnet_conv3_block)      \
    X(cifarnet_fc_block) X(cifarnet_pool1_block) X(cifarnet_pool2_block) X(cifarnet_pool3_block)   \
    X(cifarnet_conv1_loops) X(cifarnet_conv2_loops) X(cifarnet_conv3_loops)                        \
    X(matmul_naive) X(matmul_rows) X(matmul_tiled) X(matmul_wide) X(stencil_columns)               \
    X(meets_ahead) X(meets_atomic) X(meets_lanes) X(meets_own) X(meets_remote) X(meets_synced)     \
    X(stencil_rows) X(stores_own) X(stores_racing) X(stores_synced) X(sweep)
/* clang-format on */

#define DECLARE(NAME) extern const struct smrf_suite_program smrf_##NAME;
#define DECLARE_BOTH(NAME) DECLARE(NAME) DECLARE(NAME##_rows)
LAYERS(DECLARE_BOTH)
OTHERS(DECLARE)

#define ENTRY(NAME) &smrf_##NAME,
#define ENTRIES(NAME) ENTRY(NAME) ENTRY(NAME##_rows)
const struct smrf_suite_program *const smrf_suite_locality[] = {LAYERS(ENTRIES) OTHERS(ENTRY) NULL};
