/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of masks, and choices made with them. */
#ifndef SMRF_BITS_H
#define SMRF_BITS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set bits of a mask. Spelled out: without a population-count instruction in the base instruction
 * set, the compiler's builtin is a call. */
static inline uint32_t smrf_count_bits(uint32_t mask)
{
    if (mask == UINT32_MAX) {
        return 32;
    }
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Bit k of a mask at bit k << shift, as many as have room there. */
static inline uint64_t smrf_spread_bits(uint64_t mask, unsigned shift)
{
    for (; shift; shift--) {
        mask = (mask | mask << 16) & UINT64_C(0x0000ffff0000ffff);
        mask = (mask | mask << 8) & UINT64_C(0x00ff00ff00ff00ff);
        mask = (mask | mask << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        mask = (mask | mask << 2) & UINT64_C(0x3333333333333333);
        mask = (mask | mask << 1) & UINT64_C(0x5555555555555555);
    }
    return mask;
}

/* `yes` if the condition holds, else `no`, without a branch: for conditions of which the host's
 * branch predictor can make nothing. Spelled out: of a conditional expression the compiler would
 * make what was frequent in training. */
static inline uint32_t smrf_select(bool condition, uint32_t yes, uint32_t no)
{
    return no ^ ((yes ^ no) & -(uint32_t)condition);
}
static inline uint64_t smrf_select64(bool condition, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & -(uint64_t)condition);
}

#ifdef __cplusplus
}
#endif

#endif
