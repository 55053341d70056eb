/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of the current line. The text need not end in a zero: nothing reads past p->end. */
#include "firmware/sass/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void smrf_sass_error_at(char error[SMRF_SASS_ERROR_BYTES], const char *file, uint32_t line,
                        const char *format, va_list args)
{
    char reason[SMRF_SASS_ERROR_BYTES];
    vsnprintf(reason, sizeof reason, format, args);
    if (line) {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%.180s:%u: %.310s", file, line, reason);
    } else {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%.180s: %.320s", file, reason);
    }
}

int smrf_sass_fail(struct smrf_sass_parser *p, int code, uint32_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    smrf_sass_error_at(p->error, p->file, line, format, args);
    va_end(args);
    return code;
}

int smrf_sass_nomem(struct smrf_sass_parser *p)
{
    return smrf_sass_fail(p, SMRF_ERR_NOMEM, p->line, "no memory left for the module");
}

static bool is_space_(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void smrf_sass_skip_space(struct smrf_sass_parser *p)
{
    while (p->at < p->end && is_space_(*p->at)) {
        p->at++;
    }
}

bool smrf_sass_at_end(const struct smrf_sass_parser *p)
{
    return p->at >= p->end;
}

bool smrf_sass_accept(struct smrf_sass_parser *p, char c)
{
    smrf_sass_skip_space(p);
    if (p->at < p->end && *p->at == c) {
        p->at++;
        return true;
    }
    return false;
}

bool smrf_sass_starts(const struct smrf_sass_parser *p, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(p->end - p->at) >= length && memcmp(p->at, word, length) == 0;
}

bool smrf_sass_accept_word(struct smrf_sass_parser *p, const char *word)
{
    if (!smrf_sass_starts(p, word)) {
        return false;
    }
    p->at += strlen(word);
    return true;
}

bool smrf_sass_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

size_t smrf_sass_name_length(const struct smrf_sass_parser *p)
{
    const char *at = p->at;
    while (at < p->end && smrf_sass_is_name(*at)) {
        at++;
    }
    return (size_t)(at - p->at);
}

static int digit_(char c, unsigned base)
{
    int value = c >= '0' && c <= '9'                 ? c - '0'
                : base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10
                : base == 16 && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
    return value;
}

static bool digits_(struct smrf_sass_parser *p, unsigned base, uint64_t *value)
{
    const char *start = p->at;
    uint64_t sum = 0;
    int d;
    while (p->at < p->end && (d = digit_(*p->at, base)) >= 0) {
        if (sum > (UINT64_MAX - (unsigned)d) / base) {
            return false;
        }
        sum = sum * base + (unsigned)d;
        p->at++;
    }
    *value = sum;
    return p->at > start;
}

bool smrf_sass_unsigned(struct smrf_sass_parser *p, uint64_t *value)
{
    if (smrf_sass_starts(p, "0x") || smrf_sass_starts(p, "0X")) {
        p->at += 2;
        return digits_(p, 16, value);
    }
    return digits_(p, 10, value);
}

bool smrf_sass_hex_comment(struct smrf_sass_parser *p, uint64_t *value)
{
    const char *start = p->at;
    if (smrf_sass_accept_word(p, "/*") && digits_(p, 16, value) && smrf_sass_accept_word(p, "*/")) {
        return true;
    }
    p->at = start;
    return false;
}

const char *smrf_sass_here(const struct smrf_sass_parser *p, char buffer[48])
{
    size_t length = (size_t)(p->end - p->at);
    if (length == 0) {
        return "the end of the line";
    }
    if (length > 40) {
        length = 40;
    }
    buffer[0] = '\'';
    for (size_t i = 0; i < length; i++) { /* control characters would spoil the terminal */
        buffer[i + 1] = (unsigned char)p->at[i] < ' ' || p->at[i] == 0x7f ? '?' : p->at[i];
    }
    buffer[length + 1] = '\'';
    buffer[length + 2] = 0;
    return buffer;
}
