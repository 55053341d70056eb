/* SPDX-License-Identifier: Apache-2.0 */
/* Programs after DeepBench. t: training, i: inference; the number is the shape's place in
 * DeepBench's list for half precision, as in the charts that use these names. */
#include "firmware/kernels/suite.h"

/* clang-format off */
#define PROGRAMS(X)                                                                                \
    X(conv_bench_i1) X(conv_bench_i2) X(conv_bench_i3) X(conv_bench_i4) X(conv_bench_i5)           \
    X(conv_bench_t1) X(conv_bench_t2) X(conv_bench_t3) X(conv_bench_t4) X(conv_bench_t5)           \
    X(gemm_bench_i1) X(gemm_bench_i2) X(gemm_bench_i3) X(gemm_bench_i4) X(gemm_bench_i5)           \
    X(gemm_bench_int8) X(gemm_bench_t1) X(gemm_bench_t2) X(gemm_bench_t3) X(gemm_bench_t4)         \
    X(gemm_bench_t5) X(rnn_bench_i1) X(rnn_bench_i2) X(rnn_bench_i3) X(rnn_bench_i4)               \
    X(rnn_bench_i5) X(rnn_bench_i6) X(rnn_bench_i7) X(rnn_bench_i8) X(rnn_bench_i9)                \
    X(rnn_bench_i10) X(rnn_bench_t1) X(rnn_bench_t2) X(rnn_bench_t3) X(rnn_bench_t4)               \
    X(rnn_bench_t5)
/* clang-format on */

#define DECLARE(NAME) extern const struct smrf_suite_program smrf_##NAME;
PROGRAMS(DECLARE)

#define ENTRY(NAME) &smrf_##NAME,
const struct smrf_suite_program *const smrf_suite_deepbench[] = {PROGRAMS(ENTRY) NULL};
