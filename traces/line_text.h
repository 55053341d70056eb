/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, for the trace writer: no branch and no call per value. Every function writes at
 * p and returns the end; up to SMRF_TEXT_SLACK bytes behind the end may be overwritten. */
#ifndef SMRF_LINE_TEXT_H
#define SMRF_LINE_TEXT_H

#include "models/common/smrf_inst.h"

#include <string.h>

#define SMRF_TEXT_SLACK 8

static inline unsigned smrf_text_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? SMRF_LANES : (unsigned)__builtin_popcount(mask);
}

/* Decimal digits, then a blank. */
static inline char *smrf_text_unsigned(char *p, uint64_t v)
{
    char digit[20];
    unsigned n = 0;
    do {
        digit[n++] = (char)('0' + v % 10);
    } while ((v /= 10) != 0);
    while (n > 0) {
        *p++ = digit[--n];
    }
    *p = ' ';
    return p + 1;
}

static inline char *smrf_text_signed(char *p, uint64_t v)
{
    *p = '-';
    return v >> 63 == 0 ? smrf_text_unsigned(p, v) : smrf_text_unsigned(p + 1, 0 - v);
}

/* --- hexadecimal: eight digits are one 64-bit word, the last digit in the lowest byte ------- */

/* Digits of v without leading zeros: 1 to 8. */
static inline unsigned smrf_text_digits(uint32_t v)
{
    return (35 - (unsigned)__builtin_clz(v | 1)) / 4;
}

static inline uint64_t smrf_text_hex_word(uint32_t v)
{
    uint64_t x = v;
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letter = (x + UINT64_C(0x0606060606060606)) & UINT64_C(0x1010101010101010);
    /* 'a' is '0' + 10 + 39, and 39 = 32 + 8 - 1 */
    return x + UINT64_C(0x3030303030303030) + (letter << 1) + (letter >> 1) - (letter >> 4);
}

/* The last `digits` of the word, and `end` behind them. */
static inline char *smrf_text_put_word(char *p, uint64_t word, unsigned digits, char end)
{
    word <<= 64 - 8 * digits;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(p, &word, sizeof word);
    p[digits] = end;
    return p + digits + 1;
}

/* At least `least` digits, then a blank. */
static inline char *smrf_text_hex(char *p, uint32_t v, unsigned least)
{
    unsigned digits = smrf_text_digits(v);
    return smrf_text_put_word(p, smrf_text_hex_word(v), digits < least ? least : digits, ' ');
}

/* "0x" and the digits of 64 bits, then a blank. */
static inline char *smrf_text_address(char *p, uint64_t v)
{
    uint32_t high = (uint32_t)(v >> 32);
    memcpy(p, "0x", 2);
    p += 2;
    if (high != 0) {
        p = smrf_text_hex(p, high, 1) - 1;
    }
    return smrf_text_hex(p, (uint32_t)v, high != 0 ? 8 : 1);
}

/* Words of 32 values at once, in loops over bytes that compilers make vectors of. */
static inline void smrf_text_hex_words(const uint32_t row[SMRF_LANES], uint64_t word[SMRF_LANES])
{
    uint8_t byte[4 * SMRF_LANES], digit[8 * SMRF_LANES];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(byte, row, sizeof byte);
    for (unsigned i = 0; i < sizeof byte; i++) {
        digit[2 * i] = byte[i] & 15;
        digit[2 * i + 1] = byte[i] >> 4;
    }
    for (unsigned i = 0; i < sizeof digit; i++) {
        digit[i] = (uint8_t)(digit[i] + '0' + (digit[i] > 9 ? 'a' - '0' - 10 : 0));
    }
    memcpy(word, digit, sizeof digit);
#else
    (void)byte;
    (void)digit;
    for (unsigned i = 0; i < SMRF_LANES; i++)
        word[i] = smrf_text_hex_word(row[i]);
#endif
}

/* The first n of 32 values, each "0x", its digits and a blank. */
static inline char *smrf_text_row(char *p, const uint32_t row[SMRF_LANES], unsigned n)
{
    uint64_t word[SMRF_LANES];
    uint32_t differ = 0, shorter = 0;
    for (unsigned i = 0; i < SMRF_LANES; i++) {
        differ |= row[i] ^ row[0];
        shorter |= row[i] < UINT32_C(0x10000000);
    }
    if (differ == 0) { /* the same everywhere: one conversion */
        const uint64_t same = smrf_text_hex_word(row[0]);
        const unsigned digits = smrf_text_digits(row[0]);
        for (unsigned i = 0; i < n; i++) {
            memcpy(p, "0x", 2);
            p = smrf_text_put_word(p + 2, same, digits, ' ');
        }
        return p;
    }
    smrf_text_hex_words(row, word);
    for (unsigned i = 0; shorter == 0 && i < n; i++) {
        memcpy(p, "0x", 2);
        p = smrf_text_put_word(p + 2, word[i], 8, ' ');
    }
    for (unsigned i = 0; shorter != 0 && i < n; i++) {
        memcpy(p, "0x", 2);
        p = smrf_text_put_word(p + 2, word[i], smrf_text_digits(row[i]), ' ');
    }
    return p;
}

#endif
