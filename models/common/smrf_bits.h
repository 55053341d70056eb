/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of masks. */
#ifndef SMRF_BITS_H
#define SMRF_BITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set bits of a mask. Spelled out: without a population-count instruction in the base instruction set,
 * the compiler's builtin is a call. */
static inline uint32_t smrf_count_bits(uint32_t mask)
{
    if (mask == UINT32_MAX) {
        return 32;
    }
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#ifdef __cplusplus
}
#endif

#endif
