/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, predicates, numbers and constants as they are printed. */
#include "firmware/cubin/decode_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RZ 255u
#define URZ 63u

/* Bits of a place in the encoding: sign and absolute value. */
struct place {
    unsigned negative, absolute;
};

static struct place place_of_(unsigned at)
{
    return at == 24   ? (struct place){72, 73}
           : at == 32 ? (struct place){63, 62}
                      : (struct place){75, 74};
}

static bool flag_(const struct smrf_decoding *d, const char *flags, char which, unsigned bit)
{
    for (; *flags == '-' || *flags == '|' || *flags == '~'; flags++) {
        if (*flags == which) {
            return smrf_bits(d, bit, 1) != 0;
        }
    }
    return false;
}

static void put_register_name_(struct smrf_decoding *d, unsigned number)
{
    smrf_put(d, number == RZ ? "RZ" : "R%u", number);
}

/* Signs before a register or constant; returns whether a closing '|' is due. */
static bool put_signs_(struct smrf_decoding *d, const char *flags, struct place place)
{
    const bool absolute = flag_(d, flags, '|', place.absolute);
    smrf_put(d, "%s%s%s", flag_(d, flags, '-', place.negative) ? "-" : "",
             flag_(d, flags, '~', place.negative) ? "~" : "", absolute ? "|" : "");
    return absolute;
}

void smrf_put_reg_kept(struct smrf_decoding *d, unsigned at, const char *flags, unsigned reuse)
{
    const bool absolute = put_signs_(d, flags, place_of_(at));
    put_register_name_(d, (unsigned)smrf_bits(d, at, 8));
    smrf_put(d, "%s%s", absolute ? "|" : "", reuse && smrf_bits(d, reuse, 1) ? ".reuse" : "");
}

void smrf_put_reg(struct smrf_decoding *d, unsigned at, const char *flags)
{
    smrf_put_reg_kept(d, at, flags, at == 24 ? 122 : at == 32 ? 123 : at == 64 ? 124 : 0);
}

void smrf_put_ureg(struct smrf_decoding *d, unsigned at)
{
    const unsigned number = (unsigned)smrf_bits(d, at, 6);
    smrf_put(d, number == URZ ? "URZ" : "UR%u", number);
}

void smrf_put_pred(struct smrf_decoding *d, unsigned at, bool can_invert, bool uniform)
{
    const unsigned number = (unsigned)smrf_bits(d, at, 3);
    const char *sign = can_invert && smrf_bits(d, at + 3, 1) ? "!" : "";
    smrf_put(d, number == 7 ? "%s%sPT" : "%s%sP%u", sign, uniform ? "U" : "", number);
}

void smrf_put_hex(struct smrf_decoding *d, uint64_t value, unsigned width, bool has_sign)
{
    if (has_sign && width < 64 && value >> (width - 1)) {
        smrf_put(d, "-0x%llx", (unsigned long long)((UINT64_C(1) << width) - value));
    } else {
        smrf_put(d, "0x%llx", (unsigned long long)value);
    }
}

void smrf_put_float(struct smrf_decoding *d, double value, bool quiet)
{
    const char *sign = signbit(value) ? "-" : "+";
    if (isnan(value)) {
        smrf_put(d, "%s%cNAN ", sign, quiet ? 'Q' : 'S');
    } else if (isinf(value)) {
        smrf_put(d, "%sINF ", sign);
    } else if (value == 0) {
        smrf_put(d, signbit(value) ? "-0.0" : "0");
    } else {
        smrf_put(d, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
    }
}

static double from_half_(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? copysign(value, -1.0) : value;
}

static double from_float_(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Comparisons of halves tell their type elsewhere. */
static bool is_bf16_(const struct smrf_decoding *d)
{
    const unsigned op = (unsigned)smrf_bits(d, 0, 9);
    return smrf_bits(d, op == 0x33 || op == 0x34 ? 65 : 85, 1) != 0;
}

static void put_number_(struct smrf_decoding *d, char type)
{
    const uint32_t bits = (uint32_t)smrf_bits(d, 32, 32);
    const uint64_t wide = (uint64_t)bits << 32;
    double value;
    if (d->reference) {
        smrf_put(d, "%s", d->reference);
        d->reference = NULL;
        return;
    }
    switch (type) {
    case 'i':
    case 'x':
        smrf_put_hex(d, bits, 32, type == 'i');
        break;
    case 'f':
        smrf_put_float(d, from_float_(bits), true);
        break;
    case 'd':
        memcpy(&value, &wide, sizeof value);
        /* Zero in the upper word is all that tells a zero; a signalling NaN has bit 19 clear. */
        smrf_put_float(d, value, (bits >> 19 & 1) != 0);
        break;
    default:
        value = is_bf16_(d) ? from_float_(bits & 0xffff0000) : from_half_(bits >> 16);
        smrf_put_float(d, value, true);
        smrf_put(d, ", ");
        value = is_bf16_(d) ? from_float_(bits << 16) : from_half_(bits & 0xffff);
        smrf_put_float(d, value, true);
    }
}

void smrf_put_const(struct smrf_decoding *d, unsigned at)
{
    const unsigned offset = (unsigned)smrf_bits(d, at, 54 - at) << (at - 38);
    if (d->reference) {
        smrf_put(d, "c[%s]", d->reference);
        d->reference = NULL;
    } else {
        smrf_put(d, "c[0x%x][0x%x]", (unsigned)smrf_bits(d, 54, 5), offset);
    }
}

/* Which half goes into both places; nothing: the low one below, the high one above. */
void smrf_put_halves(struct smrf_decoding *d, unsigned at, unsigned reuse)
{
    static const char *const choices[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    const unsigned choice = (unsigned)smrf_bits(d, at == 24 ? 74 : at == 32 ? 60 : 81, 2);
    const unsigned form = (unsigned)smrf_bits(d, 9, 3);
    const unsigned negative = at == 24 ? 72 : at == 32 ? 63 : 84;
    const unsigned absolute = at == 24 ? 73 : negative - 1;
    const bool closed = smrf_bits(d, absolute, 1) != 0;
    if (at == 32 && (form == FORM_NUMBER || form == FORM_C_NUMBER)) {
        put_number_(d, 'h');
        return;
    }
    smrf_put(d, "%s%s", smrf_bits(d, negative, 1) ? "-" : "", closed ? "|" : "");
    if (at != 32 || form == FORM_REG) {
        put_register_name_(d, (unsigned)smrf_bits(d, at, 8));
        smrf_put(d, "%s%s", closed ? "|" : "", smrf_bits(d, reuse, 1) ? ".reuse" : "");
    } else if (form == FORM_CONST || form == FORM_C_CONST) {
        if (smrf_bits(d, 91, 1)) {
            smrf_put(d, "cx[");
            smrf_put_ureg(d, 32);
            smrf_put(d, "] [0x%x]", (unsigned)smrf_bits(d, 40, 14) << 2);
        } else {
            smrf_put(d, "c[0x%x] [0x%x]", (unsigned)smrf_bits(d, 54, 5),
                     (unsigned)smrf_bits(d, 40, 14) << 2);
        }
        smrf_put(d, closed ? "|" : "");
    } else {
        smrf_put_ureg(d, 32);
        smrf_put(d, closed ? "|" : "");
    }
    smrf_put(d, "%s", choices[choice]);
}

void smrf_put_slot(struct smrf_decoding *d, char type, const char *flags, unsigned reuse)
{
    const unsigned form = (unsigned)smrf_bits(d, 9, 3);
    const struct place place = place_of_(32);
    bool absolute;
    switch (form) {
    case FORM_REG:
        smrf_put_reg_kept(d, 32, flags, reuse);
        return;
    case FORM_NUMBER:
    case FORM_C_NUMBER:
        put_number_(d, type);
        return;
    case FORM_CONST:
    case FORM_C_CONST:
        absolute = put_signs_(d, flags, place);
        if (smrf_bits(d, 91, 1)) { /* a bank that a uniform register names */
            smrf_put(d, "cx[");
            smrf_put_ureg(d, 32);
            smrf_put(d, "][0x%x]", (unsigned)smrf_bits(d, 40, 14) << 2);
        } else {
            smrf_put_const(d, 40);
        }
        break;
    default:
        absolute = put_signs_(d, flags, place);
        smrf_put_ureg(d, 32);
    }
    smrf_put(d, absolute ? "|" : "");
}
