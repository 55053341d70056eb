/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a trace line. Every function starts at p, skips blanks, and returns the position after
 * the word, or NULL if the next word is of another kind. It never goes past a newline. */
#ifndef SMRF_TEXT_SCAN_H
#define SMRF_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Value of a hexadecimal digit, 16 for anything else. */
static const uint8_t smrf_hex_digit[256] = {
#define N8 16, 16, 16, 16, 16, 16, 16, 16
#define N16 N8, N8
    N16, N16, N16, 0,   1,   2,   3,   4,  5,  6,  7,   8, 9, 16, 16, 16, 16, 16, 16, /* '0'..'?' */
    16,  10,  11,  12,  13,  14,  15,  16, N8,                                        /* '@'..'O' */
    N16, 16,  10,  11,  12,  13,  14,  15, 16, N8, N16,                               /* 'P'.. */
    N16, N16, N16, N16, N16, N16, N16, N16
#undef N16
#undef N8
};

static inline bool smrf_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *smrf_skip_blanks(const char *p)
{
    while (smrf_is_blank(*p)) {
        p++;
    }
    return p;
}

static inline bool smrf_word_ends(char c)
{
    return smrf_is_blank(c) || c == '\n';
}

/* Bytes of the token at p, at most 40, for messages. */
static inline int smrf_word_bytes(const char *p)
{
    int n = 0;
    while (n < 40 && !smrf_word_ends(p[n])) {
        n++;
    }
    return n;
}

/* An unsigned decimal token below 2^32. Returns the position after it, NULL if it is none. */
static inline const char *smrf_scan_number(const char *p, uint32_t *out)
{
    uint64_t v = 0;
    p = smrf_skip_blanks(p);
    const char *start = p;
    while (*p >= '0' && *p <= '9' && p - start < 11) {
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == start || !smrf_word_ends(*p) || v > UINT32_MAX) {
        return NULL;
    }
    *out = (uint32_t)v;
    return p;
}

/* A hexadecimal token, 0x optional, up to 16 digits. */
static inline const char *smrf_scan_hex(const char *p, uint64_t *out)
{
    uint64_t v = 0;
    p = smrf_skip_blanks(p);
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2;
    }
    const char *start = p;
    for (unsigned digit; (digit = smrf_hex_digit[(uint8_t)*p]) < 16; p++) {
        v = v << 4 | digit;
    }
    if (p == start || p - start > 16 || !smrf_word_ends(*p)) {
        return NULL;
    }
    *out = v;
    return p;
}

#define SMRF_EACH_BYTE(b) ((b)*UINT64_C(0x0101010101010101))
#define SMRF_HEX_ZEROS SMRF_EACH_BYTE('0')

/* Eight hexadecimal digits at once, 0-9 and a-f, the first one in the lowest byte. Returns whether
 * they are that. */
static inline bool smrf_hex_word(uint64_t text, uint32_t *out)
{
    const uint64_t digit =
        (text + SMRF_EACH_BYTE(0x80 - '0')) & ~(text + SMRF_EACH_BYTE(0x7f - '9'));
    const uint64_t letter =
        (text + SMRF_EACH_BYTE(0x80 - 'a')) & ~(text + SMRF_EACH_BYTE(0x7f - 'f'));
    const uint64_t high = SMRF_EACH_BYTE(0x80);
    if (((digit | letter) & ~text & high) != high) {
        return false;
    }
    uint64_t v = (text & SMRF_EACH_BYTE(15)) + 9 * (text >> 6 & SMRF_EACH_BYTE(1));
    v = __builtin_bswap64(v); /* the last one lowest: pairs, fours, all */
    v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
    *out = (uint32_t)(v | v >> 16);
    return true;
}

/* Do values follow on the line, "Val"? Up to `end`, where the line ends. */
static inline bool smrf_line_has_values(const char *p, const char *end)
{
    for (; end - p > 4; p++) {
        if (p[1] == 'V' && p[2] == 'a' && p[3] == 'l' && smrf_is_blank(p[0]) &&
            smrf_word_ends(p[4])) {
            return true;
        }
    }
    return false;
}

/* A blank and a token of up to nine decimal digits, before another blank. Returns whether there is
 * one: then *p is after it. */
static inline bool smrf_scan_short(const char **p, uint64_t *out)
{
    const char *s = *p;
    if (*s != ' ') { /* a line's end: nothing may stand behind it */
        return false;
    }
    unsigned v = (unsigned)(s[1] - '0');
    if (v > 9) {
        return false;
    }
    s += 2;
    for (unsigned digit; (digit = (unsigned)(*s - '0')) < 10; s++) {
        v = v * 10 + digit;
    }
    if (*s != ' ' || s - *p > 10) {
        return false;
    }
    *out = v;
    *p = s;
    return true;
}

/* A decimal token with an optional sign, or a hexadecimal one with 0x, taken modulo 2^64. */
static inline const char *smrf_scan_signed(const char *p, uint64_t *out)
{
    uint64_t v = 0;
    p = smrf_skip_blanks(p);
    bool negative = *p == '-';
    if (negative || *p == '+') {
        p++;
    }
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p = smrf_scan_hex(p, &v);
        *out = negative ? 0 - v : v;
        return p;
    }
    const char *start = p;
    while (*p >= '0' && *p <= '9') {
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == start || p - start > 20 || !smrf_word_ends(*p)) {
        return NULL;
    }
    *out = negative ? 0 - v : v;
    return p;
}

#endif
