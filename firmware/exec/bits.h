/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one lane that the vector and the uniform instructions share. */
#ifndef SMRF_EXEC_BITS_H
#define SMRF_EXEC_BITS_H

#include "firmware/exec/lanes.h"

/* A table of three inputs as a choice between constants: bit a<<2 | b<<1 | c of the table. */
SMRF_EXEC_INLINE uint32_t smrf_exec_lookup(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
#define ENTRY(k) (0U - (table >> (k)&1))
#define PICK(x, zero, one) ((zero) ^ ((x) & ((zero) ^ (one))))
    uint32_t low = PICK(b, PICK(c, ENTRY(0), ENTRY(1)), PICK(c, ENTRY(2), ENTRY(3)));
    uint32_t high = PICK(b, PICK(c, ENTRY(4), ENTRY(5)), PICK(c, ENTRY(6), ENTRY(7)));
    return PICK(a, low, high);
#undef PICK
#undef ENTRY
}

enum smrf_exec_prmt {
    SMRF_EXEC_PRMT_INDEX,
    SMRF_EXEC_PRMT_F4E,
    SMRF_EXEC_PRMT_B4E,
    SMRF_EXEC_PRMT_RC8,
    SMRF_EXEC_PRMT_ECL,
    SMRF_EXEC_PRMT_ECR,
    SMRF_EXEC_PRMT_RC16
};

/* The modes as selectors of the general form. PTX ISA: prmt. */
SMRF_EXEC_INLINE uint32_t smrf_exec_prmt_selector(uint32_t mode, uint32_t n)
{
    uint32_t selector = 0;
    if (mode == SMRF_EXEC_PRMT_INDEX) {
        return n;
    }
    n &= 3;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t byte = mode == SMRF_EXEC_PRMT_F4E   ? n + k
                        : mode == SMRF_EXEC_PRMT_B4E ? (n - k) & 7
                        : mode == SMRF_EXEC_PRMT_RC8 ? n
                        : mode == SMRF_EXEC_PRMT_ECL ? (n > k ? n : k)
                        : mode == SMRF_EXEC_PRMT_ECR ? (n < k ? n : k)
                                                     : (n & 1) * 2 + (k & 1);
        selector |= byte << (4 * k);
    }
    return selector;
}

/* Bytes of {b, a}, chosen by the nibbles of the selector; bit 3 of a nibble takes the byte's sign.
 */
SMRF_EXEC_INLINE uint32_t smrf_exec_permute(uint32_t a, uint32_t selector, uint32_t b)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t n = selector >> (4 * k);
        uint32_t byte = (uint32_t)(bytes >> ((n & 7) * 8)) & 0xff;
        uint32_t sign = (0U - (byte >> 7)) & 0xff;
        result |= ((n & 8) != 0 ? sign : byte) << (8 * k);
    }
    return result;
}

/* `ones` ones from bit `from` on; both clamped to 32, or modulo 32. */
SMRF_EXEC_INLINE uint32_t smrf_exec_bit_mask(uint32_t from, uint32_t ones, bool wrap)
{
    from = wrap ? from & 31 : from > 32 ? 32 : from;
    ones = wrap ? ones & 31 : ones > 32 ? 32 : ones;
    return (uint32_t)(((UINT64_C(1) << ones) - 1) << from);
}

/* The lowest n bits of x, n clamped to 32 or modulo 32, extended to the word. */
SMRF_EXEC_INLINE uint32_t smrf_exec_extend(uint32_t x, uint32_t n, bool wrap, bool zeros)
{
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    uint64_t kept = (uint64_t)x & ((UINT64_C(1) << n) - 1);
    uint64_t sign = n == 0 ? 0 : UINT64_C(1) << (n - 1);
    return (uint32_t)(zeros ? kept : (kept ^ sign) - sign);
}

SMRF_EXEC_INLINE uint32_t smrf_exec_reverse(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

SMRF_EXEC_INLINE uint32_t smrf_exec_count(uint32_t x)
{
    x = x - (x >> 1 & 0x55555555);
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

enum smrf_exec_flo { SMRF_EXEC_FLO_UNSIGNED = 1, SMRF_EXEC_FLO_SHIFT = 2 };

/* Position of the leading one (signed: of the leading bit that differs from the sign), or how far
 * to shift it to the top; all ones where there is none. */
SMRF_EXEC_INLINE uint32_t smrf_exec_leading(uint32_t x, uint32_t flags)
{
    x ^= (flags & SMRF_EXEC_FLO_UNSIGNED) != 0 ? 0 : 0U - (x >> 31);
    if (x == 0) {
        return UINT32_MAX;
    }
    uint32_t zeros = (uint32_t)__builtin_clz(x);
    return (flags & SMRF_EXEC_FLO_SHIFT) != 0 ? zeros : 31 - zeros;
}

/* Shifts of a double word, SHF's modifiers. */
enum smrf_exec_shift {
    SMRF_EXEC_SHIFT_RIGHT = 1,
    SMRF_EXEC_SHIFT_HIGH = 2, /* .HI: result is the upper word */
    SMRF_EXEC_SHIFT_WRAP = 4, /* .W: count modulo the width, else clamped to it */
    SMRF_EXEC_SHIFT_64 = 8,   /* counts go to 64 instead of 32 */
    SMRF_EXEC_SHIFT_SIGNED = 16
};

/* Consume SHF's modifiers. */
uint32_t smrf_exec_bind_shift(struct smrf_exec_binding *b);
/* Consume LOP3's and PLOP3's literal table. */
uint32_t smrf_exec_bind_lookup(struct smrf_exec_binding *b);
/* Consume PRMT's mode. */
uint32_t smrf_exec_bind_prmt_mode(struct smrf_exec_binding *b);
/* Consume FLO's modifiers. */
uint32_t smrf_exec_bind_flo(struct smrf_exec_binding *b);

#endif
