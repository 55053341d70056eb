/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a trace line. Every function starts at p, skips blanks, and returns the position after
 * the word or NULL where there is none of its kind; a newline ends the line and is never passed. */
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

/* A blank and a token of up to nine decimal digits, before another blank. Returns whether there is one:
 * then *p is after it. */
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
