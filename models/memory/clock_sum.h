/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of a clock's n-th cycle as Accel-Sim computes it: its period, 1 / frequency in double
 * precision (IEEE 754), added up n times. Each addition rounds, so that two clocks whose n-th and
 * m-th cycle begin together differ by a little, always in the same way.
 *
 * Between two powers of two every addition adds the same number, once rounded. So the sum is a
 * line of few pieces, and any n is looked up, not added up.
 * Source: Accel-Sim gpgpu_sim::next_clock_domain, init_clock_domains. */
#ifndef SMRF_MEMORY_CLOCK_SUM_H
#define SMRF_MEMORY_CLOCK_SUM_H

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CLOCK_PIECES 96u

/* From the `from`-th sum on, `step` is added each time: value x 2^exponent, of 53 bits. */
struct smrf_clock_piece {
    uint64_t from, value, step;
    int32_t exponent;
};

struct smrf_clock_sum {
    uint32_t pieces;
    struct smrf_clock_piece piece[SMRF_CLOCK_PIECES];
};

/* A clock of `khz`, not 0, at most 2^30. */
void smrf_clock_sum_init(struct smrf_clock_sum *c, uint32_t khz);

/* The n-th sum of a is greater than the m-th of b. n, m: less than 2^40. */
bool smrf_clock_sum_later(const struct smrf_clock_sum *a, uint64_t n,
                          const struct smrf_clock_sum *b, uint64_t m);

#ifdef __cplusplus
}
#endif

#endif
