/* SPDX-License-Identifier: Apache-2.0 */
/* Device-side printf: the format is device memory, the arguments lie one behind the other in the
 * caller's local memory, each aligned to its size, as vprintf of the CUDA ABI gets them. */
#include "firmware/exec/address.h"
#include "firmware/exec/builtin.h"
#include "firmware/exec/space.h"

#include <stdio.h>
#include <string.h>

#define MOST_TEXT 1024 /* of a format, a %s and a line: what follows is cut */

bool smrf_exec_peek(struct smrf_exec_warp *w, unsigned lane, uint64_t address, void *to,
                    uint32_t bytes)
{
    struct smrf_exec_block *b = w->block;
    const uint8_t *from = NULL;
    const enum smrf_exec_space space = smrf_exec_space_of(address);
    if (space == SMRF_EXEC_SHARED) {
        uint64_t offset = address - SMRF_EXEC_SHARED_WINDOW;
        from = offset + bytes <= b->shared_bytes ? b->shared + offset : NULL;
    } else if (space == SMRF_EXEC_LOCAL) {
        uint64_t offset = address - SMRF_EXEC_LOCAL_WINDOW;
        const size_t thread = (size_t)w->index * SMRF_EXEC_LANES + lane;
        if (offset + bytes <= b->local_bytes) {
            smrf_exec_use_local(b, (uint32_t)offset, (uint32_t)offset + bytes);
            from = b->local + thread * b->local_stride + offset;
        }
    } else {
        from = smrf_space_use(b->space, address, bytes, false);
    }
    if (from != NULL) {
        memcpy(to, from, bytes);
    }
    return from != NULL;
}

void smrf_exec_peek_text(struct smrf_exec_warp *w, unsigned lane, uint64_t address, char *text,
                         size_t room)
{
    size_t n = 0;
    while (n + 1 < room && smrf_exec_peek(w, lane, address + n, &text[n], 1) && text[n] != '\0') {
        n++;
    }
    text[n] = '\0';
}

/* The arguments of a call, in order. */
struct arguments {
    struct smrf_exec_warp *warp;
    unsigned lane;
    uint64_t next;
    uint32_t count;
};

static uint64_t take_(struct arguments *a, uint32_t bytes)
{
    uint64_t value = 0;
    a->next = (a->next + bytes - 1) / bytes * bytes;
    (void)smrf_exec_peek(a->warp, a->lane, a->next, &value, bytes);
    a->next += bytes;
    a->count++;
    return value;
}

/* A conversion of the format, as printf(3) defines it. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: not given */
    unsigned longs;       /* l: 1, ll: 2 */
    unsigned shorts;      /* h: 1, hh: 2 */
    char type;            /* '\0': the format ends within it */
};

static const char *number_(const char *p, struct arguments *a, int *value)
{
    if (*p == '*') {
        *value = (int)take_(a, 4);
        return p + 1;
    }
    for (*value = 0; *p >= '0' && *p <= '9'; p++) {
        *value = *value < MOST_TEXT ? *value * 10 + (*p - '0') : *value;
    }
    return p;
}

static const char *parse_(const char *p, struct arguments *a, struct conversion *c)
{
    unsigned flags = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; *p != '\0' && strchr("-+ #0", *p) != NULL; p++) {
        if (flags < sizeof c->flags - 2 && strchr(c->flags, *p) == NULL) {
            c->flags[flags++] = *p;
        }
    }
    if (*p == '*' || (*p >= '0' && *p <= '9')) {
        p = number_(p, a, &c->width);
        if (c->width < 0) { /* printf(3): a negative * is the flag - */
            c->width = -c->width;
            c->flags[flags] = '-';
        }
    }
    if (*p == '.') {
        p = number_(p + 1, a, &c->precision);
    }
    for (; *p == 'l' || *p == 'h' || *p == 'z' || *p == 'j' || *p == 't'; p++) {
        c->longs += *p != 'h';
        c->shorts += *p == 'h';
    }
    c->type = *p;
    return *p != '\0' ? p + 1 : p;
}

/* The host's conversion for it: "%-8.3llx". */
static void compose_(const struct conversion *c, const char *length, char text[48])
{
    size_t n = (size_t)snprintf(text, 48, "%%%s", c->flags);
    if (c->width >= 0) {
        n += (size_t)snprintf(text + n, 48 - n, "%d", c->width < MOST_TEXT ? c->width : MOST_TEXT);
    }
    if (c->precision >= 0) {
        n += (size_t)snprintf(text + n, 48 - n, ".%d",
                              c->precision < MOST_TEXT ? c->precision : MOST_TEXT);
    }
    (void)snprintf(text + n, 48 - n, "%s%c", length, c->type);
}

/* The formats are composed of checked parts; the compiler cannot see that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static int integer_(const struct conversion *c, struct arguments *a, char *out, size_t room)
{
    char format[48];
    uint64_t bits = take_(a, c->longs != 0 ? 8 : 4);
    bool has_sign = c->type == 'd' || c->type == 'i';
    compose_(c, "ll", format);
    if (c->longs == 0) {
        const int32_t word = (int32_t)(uint32_t)bits;
        const int32_t value = c->shorts == 0   ? word
                              : c->shorts == 1 ? (int32_t)(int16_t)word
                                               : (int32_t)(int8_t)word;
        const uint32_t mask = c->shorts == 0   ? UINT32_MAX
                              : c->shorts == 1 ? UINT32_C(0xffff)
                                               : UINT32_C(0xff);
        bits = has_sign ? (uint64_t)(int64_t)value : (uint32_t)bits & mask;
    }
    return has_sign ? snprintf(out, room, format, (long long)bits)
                    : snprintf(out, room, format, (unsigned long long)bits);
}

static int convert_(const struct conversion *c, struct arguments *a, char *out, size_t room)
{
    char format[48], text[MOST_TEXT];
    uint64_t bits;
    double number;
    switch (c->type) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return integer_(c, a, out, room);
    case 'c':
        compose_(c, "", format);
        return snprintf(out, room, format, (int)take_(a, 4));
    case 'p':
        compose_(c, "", format);
        return snprintf(out, room, format, (void *)(uintptr_t)take_(a, 8));
    case 's':
        compose_(c, "", format);
        smrf_exec_peek_text(a->warp, a->lane, take_(a, 8), text, sizeof text);
        return snprintf(out, room, format, text);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        compose_(c, "", format);
        bits = take_(a, 8);
        memcpy(&number, &bits, sizeof number);
        return snprintf(out, room, format, number);
    case '%':
        return snprintf(out, room, "%%");
    default:
        return 0; /* not a conversion of CUDA's printf: nothing is printed for it */
    }
}

#pragma GCC diagnostic pop

uint32_t smrf_exec_print(struct smrf_exec_warp *w, unsigned lane, uint64_t format_address,
                         uint64_t arguments_address)
{
    const struct smrf_exec_launch *l = w->block->launch;
    char format[MOST_TEXT], line[2 * MOST_TEXT];
    struct arguments a = {.warp = w, .lane = lane, .next = arguments_address};
    size_t n = 0;
    smrf_exec_peek_text(w, lane, format_address, format, sizeof format);
    for (const char *p = format; *p != '\0' && n + 1 < sizeof line;) {
        if (*p != '%') {
            line[n++] = *p++;
            continue;
        }
        struct conversion c;
        p = parse_(p + 1, &a, &c);
        int more = convert_(&c, &a, line + n, sizeof line - n);
        n += more > 0 ? (size_t)more : 0;
    }
    n = n < sizeof line ? n : sizeof line - 1;
    if (l->print != NULL && n != 0) {
        l->print(l->print_ctx, false, line, n);
    }
    return a.count;
}
