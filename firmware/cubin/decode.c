/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cubin/decode_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t smrf_bits(const struct smrf_decoding *d, unsigned first, unsigned width)
{
    const uint64_t low = d->code.low, high = d->code.high;
    const uint64_t from = first >= 64  ? high >> (first - 64)
                          : first == 0 ? low
                                       : low >> first | high << (64 - first);
    return width >= 64 ? from : from & ((UINT64_C(1) << width) - 1);
}

void smrf_put(struct smrf_decoding *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(d->text + d->length, d->size - d->length, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= d->size - d->length) {
        d->bad = true;
        return;
    }
    d->length += (size_t)length;
}

static void put_char_(struct smrf_decoding *d, char c)
{
    if (d->length + 1 >= d->size) {
        d->bad = true;
        return;
    }
    d->text[d->length++] = c;
    d->text[d->length] = 0;
}

unsigned smrf_number(const char **text)
{
    unsigned value = 0;
    while (**text >= '0' && **text <= '9') {
        value = value * 10 + (unsigned)(*(*text)++ - '0');
    }
    return value;
}

/* [P|a|b|..]; *text behind '['. */
static void put_choice_(struct smrf_decoding *d, const char **text)
{
    const unsigned first = smrf_number(text);
    unsigned width = 0, choices = 0;
    if (**text == ':') {
        (*text)++;
        width = smrf_number(text);
    }
    const char *at = *text;
    for (; *at != ']'; at++) {
        choices += *at == '|';
    }
    for (; !width || (width < 6 && 1u << width < choices); width++) {
    }
    const unsigned value = (unsigned)smrf_bits(d, first, width);
    if (value >= choices) {
        smrf_put(d, ".INVALID%u", value);
    } else {
        const char *c = *text;
        for (unsigned n = 0; n <= value; c++) {
            n += *c == '|';
        }
        for (; *c != '|' && *c != ']'; c++) {
            if (*c == '?') { /* no such encoding */
                d->bad = true;
                break;
            }
            put_char_(d, *c);
        }
    }
    *text = at + 1;
}

/* (P=V text), *text behind '('. Goes on with the text, or behind its ')'. */
static void take_condition_(struct smrf_decoding *d, const char **text)
{
    bool holds = true;
    for (;; (*text)++) {
        const unsigned first = smrf_number(text);
        unsigned width = 1;
        if (**text == ':') {
            (*text)++;
            width = smrf_number(text);
        }
        const bool equal = *(*text)++ == '=';
        holds = holds && (smrf_bits(d, first, width) == smrf_number(text)) == equal;
        if (**text != ',') {
            break;
        }
    }
    (*text)++; /* the space, or what stands for it */
    for (unsigned depth = 1; !holds && depth; (*text)++) {
        depth += **text == '(';
        depth -= **text == ')';
    }
}

static const char *flags_of_(const char **text)
{
    const char *flags = *text;
    while (**text == '-' || **text == '|' || **text == '~') {
        (*text)++;
    }
    return flags;
}

static void put_numeral_(struct smrf_decoding *d, char letter, const char **text)
{
    const unsigned at = smrf_number(text);
    (*text)++;
    const unsigned width = smrf_number(text);
    const uint64_t value = smrf_bits(d, at, width);
    if (at == 32 && width == 32 && d->reference) {
        smrf_put(d, "%s", d->reference);
        d->reference = NULL;
    } else if (letter == 'n') {
        smrf_put(d, "%llu", (unsigned long long)value);
    } else {
        smrf_put_hex(d, value, width, letter == 'i');
    }
}

/* Of a three-operand form, where the second and the third one lie. */
static void put_formed_(struct smrf_decoding *d, char letter, const char **text)
{
    const char type = *(*text)++;
    const unsigned form = (unsigned)smrf_bits(d, 9, 3);
    const bool third = form == FORM_C_NUMBER || form == FORM_C_CONST || form == FORM_C_UREG;
    const char *flags = flags_of_(text);
    const bool in_slot = letter == 's' || letter == 'k' || (letter == 'c') == third;
    if (type == 'h') {
        smrf_put_halves(d, in_slot ? 32 : 64, letter == 'b' || letter == 's' ? 123 : 124);
        return;
    }
    const unsigned reuse = letter == 'c' || letter == 'k' ? 124 : 123;
    if (in_slot) {
        smrf_put_slot(d, type, flags, reuse);
    } else {
        smrf_put_reg_kept(d, 64, flags, reuse);
    }
}

/* {4,3,2} */
static void put_set_(struct smrf_decoding *d)
{
    const char *before = "{";
    for (unsigned i = 6; i-- > 0;) {
        if (smrf_bits(d, 32 + i, 1)) {
            smrf_put(d, "%s%u", before, i);
            before = ",";
        }
    }
    smrf_put(d, "}");
}

/* What each of four lanes adds: both terms, one subtracted from the other, or the second alone. */
static void put_swizzle_(struct smrf_decoding *d)
{
    static const char *const names[] = {"PP", "PN", "NP", "ZP"};
    for (unsigned i = 4; i-- > 0;) {
        smrf_put(d, "%s", names[smrf_bits(d, 32 + 2 * i, 2)]);
    }
}

/* A load's predicate: its number's bits are inverted, so that zero is PT. */
static void put_load_pred_(struct smrf_decoding *d, unsigned at)
{
    const unsigned number = 7 - (unsigned)smrf_bits(d, at, 3);
    smrf_put(d, number == 7 ? "%sPT" : "%sP%u", smrf_bits(d, at + 3, 1) ? "!" : "", number);
}

static void put_operand_(struct smrf_decoding *d, const char **text)
{
    const char letter = *(*text)++;
    switch (letter) {
    case 'a':
        smrf_put_reg(d, 24, flags_of_(text));
        break;
    case 'A':
        smrf_put_halves(d, 24, 122);
        break;
    case 'd':
        smrf_put_reg(d, 16, "");
        break;
    case 'e':
        smrf_put_reg(d, 64, flags_of_(text));
        break;
    case 'r': {
        const unsigned at = smrf_number(text);
        smrf_put_reg(d, at, flags_of_(text));
        break;
    }
    case 'R': {
        const unsigned number = (unsigned)smrf_bits(d, smrf_number(text), 8);
        smrf_put(d, number == 255 ? "RZ" : "R%u", number);
        break;
    }
    case 'u':
        smrf_put_ureg(d, smrf_number(text));
        break;
    case 'p':
    case 'q':
        smrf_put_pred(d, smrf_number(text), letter == 'q', false);
        break;
    case 'P':
    case 'Q':
        smrf_put_pred(d, smrf_number(text), letter == 'Q', true);
        break;
    case 'b':
    case 'c':
    case 's':
    case 'k':
        put_formed_(d, letter, text);
        break;
    case 'S':
        smrf_put_special(d, smrf_number(text));
        break;
    case 'z':
        smrf_put_const(d, smrf_number(text));
        break;
    case 'L': /* the table of PLOP3, in two parts */
        smrf_put_hex(d, smrf_bits(d, 64, 3) | smrf_bits(d, 72, 5) << 3, 8, false);
        break;
    case 'm':
        smrf_put_address(d, text);
        break;
    case 't':
    case 'y':
    case 'T':
    case 'D':
        smrf_put_target(d, letter);
        break;
    case 'B':
        put_set_(d);
        break;
    case 'W':
        put_swizzle_(d);
        break;
    case 'K':
        put_load_pred_(d, smrf_number(text));
        break;
    default:
        put_numeral_(d, letter, text);
    }
}

void smrf_put_row(struct smrf_decoding *d, const char *text)
{
    while (*text && !d->bad) {
        const char c = *text++;
        if (c == '[') {
            put_choice_(d, &text);
        } else if (c == '(') {
            take_condition_(d, &text);
        } else if (c == '%') {
            put_operand_(d, &text);
        } else if (c == '{') { /* brackets that are meant */
            put_char_(d, '[');
        } else if (c == '}') {
            put_char_(d, ']');
        } else if (c != ')') {
            put_char_(d, c);
        }
    }
}

static const struct smrf_row *find_in_(const struct smrf_row *row, const struct smrf_decoding *d)
{
    const unsigned op = (unsigned)smrf_bits(d, 0, 9), form = (unsigned)smrf_bits(d, 9, 3);
    for (; row->forms; row++) {
        if (row->op == op && row->forms >> form & 1 && d->arch >= row->least &&
            d->arch <= row->most) {
            return row;
        }
    }
    return NULL;
}

static const struct smrf_row *find_(const struct smrf_decoding *d)
{
    const struct smrf_row *const tables[] = {smrf_rows_arith,   smrf_rows_memory,
                                             smrf_rows_control, smrf_rows_uniform,
                                             smrf_rows_tensor,  smrf_rows_texture};
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct smrf_row *row = find_in_(tables[i], d);
        if (row) {
            return row;
        }
    }
    return NULL;
}

static void put_guard_(struct smrf_decoding *d, bool uniform)
{
    const unsigned guard = (unsigned)smrf_bits(d, 12, 3);
    if (smrf_bits(d, 12, 4) != 7) {
        smrf_put(d, guard == 7 ? "@%s%sPT " : "@%s%sP%u ", smrf_bits(d, 15, 1) ? "!" : "",
                 uniform ? "U" : "", guard);
    }
}

bool smrf_decode(unsigned arch, struct smrf_encoding code, uint64_t address, const char *reference,
                 char *text, size_t size)
{
    struct smrf_decoding d = {.arch = arch == 87  ? 86
                                      : arch < 75 ? 75
                                                  : arch,
                              .code = code,
                              .address = address,
                              .reference = reference,
                              .text = text,
                              .size = size};
    const struct smrf_row *row = find_(&d);
    if (row) {
        const bool uniform = row->text ? row->text[0] == '@' : false;
        put_guard_(&d, uniform);
        if (row->special) {
            row->special(&d);
        } else {
            smrf_put_row(&d, row->text + uniform);
        }
        while (d.length && text[d.length - 1] == ' ') {
            text[--d.length] = 0;
        }
    }
    if (!row || d.bad) {
        (void)snprintf(text, size, "%s", smrf_decode_refused(&d));
        return false;
    }
    return true;
}
