/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of memory, targets of branches, special registers.
 *
 * Letters behind %m: g global, G generic (bit 72: 64 bits), s shared (scale at 78), l local,
 * c of LDC, u of ULDC, U of a uniform register. */
#include "firmware/cubin/decode_internal.h"

#include <stdio.h>
#include <string.h>

#define RZ 255u

static void put_offset_(struct smrf_decoding *d, unsigned at, unsigned width, bool alone)
{
    const uint64_t value = smrf_bits(d, at, width);
    if (d->reference) {
        smrf_put(d, "%s%s", alone ? "" : "+", d->reference);
        d->reference = NULL;
    } else if (value != 0 || alone) {
        smrf_put(d, "%s", alone ? "" : "+");
        smrf_put_hex(d, value, width, true);
    }
}

/* Whether the form has a uniform register as part of the address. */
static bool has_ureg_(const struct smrf_decoding *d)
{
    return smrf_bits(d, 91, 1) != 0;
}

/* Register, uniform register and offset, those that are there: R2.64+UR4+0x10. */
static void put_sum_(struct smrf_decoding *d, const char *suffix, bool uniform, unsigned ureg_at)
{
    const unsigned reg = (unsigned)smrf_bits(d, 24, 8);
    bool alone = true;
    if (reg != RZ || (!uniform && *suffix == '.' && suffix[1] == 'X')) {
        smrf_put_reg(d, 24, "");
        smrf_put(d, "%s", suffix);
        alone = false;
    }
    if (uniform) {
        smrf_put(d, alone ? "" : "+");
        smrf_put_ureg(d, ureg_at);
        alone = false;
    } else if (reg == RZ && alone) {
        alone = smrf_bits(d, 40, 24) != 0 || d->reference;
        if (!alone) {
            smrf_put(d, "RZ");
        }
    }
    put_offset_(d, 40, 24, alone);
}

/* How much of the address the register holds: with a uniform register bit 90 tells. */
static const char *width_(const struct smrf_decoding *d)
{
    return !has_ureg_(d) ? "" : smrf_bits(d, 90, 1) ? ".64" : ".U32";
}

/* LD and ST have an offset of 32 bits and no uniform register. */
static void put_generic_(struct smrf_decoding *d)
{
    smrf_put(d, "[");
    const bool alone = smrf_bits(d, 24, 8) == RZ;
    if (!alone) {
        smrf_put_reg(d, 24, "");
    }
    put_offset_(d, 32, 32, alone);
    smrf_put(d, "]");
}

static void put_global_(struct smrf_decoding *d, unsigned ureg_at, unsigned descriptor)
{
    if (d->arch >= 80 && has_ureg_(d) &&
        smrf_bits(d, descriptor, 1)) { /* a descriptor of the memory */
        if (smrf_bits(d, 101, 1)) {
            smrf_put(d, "desc[");
            smrf_put_ureg(d, ureg_at);
            smrf_put(d, "]");
        }
        smrf_put(d, "[");
        put_sum_(d, smrf_bits(d, 72, 1) ? ".64" : "", false, 0);
    } else {
        smrf_put(d, "[");
        put_sum_(d, width_(d), has_ureg_(d), ureg_at);
    }
    smrf_put(d, "]");
}

static void put_shared_(struct smrf_decoding *d, unsigned ureg_at)
{
    static const char *const scales[] = {"", ".X4", ".X8", ".X16"};
    smrf_put(d, "[");
    put_sum_(d, scales[smrf_bits(d, 78, 2)], has_ureg_(d), ureg_at);
    smrf_put(d, "]");
}

/* LDGSTS: where it copies to, in shared memory, and from where. The form says whose the uniform
 * register is, if it names no descriptor. */
static void put_copy_(struct smrf_decoding *d, bool from)
{
    const unsigned at = from ? 24 : 16, offset = from ? 32 : 44, width = from ? 12 : 20;
    const bool zero = smrf_bits(d, at, 8) == RZ;
    const bool described = smrf_bits(d, 76, 1) != 0;
    const bool uniform = from ? smrf_bits(d, 9, 3) == FORM_C_UREG && !described
                              : smrf_bits(d, 9, 3) == FORM_UREG; /* [R33+UR4+0x800] */
    if (from && described && smrf_bits(d, 91, 1) && smrf_bits(d, 101, 1)) {
        smrf_put(d, "desc[");
        smrf_put_ureg(d, 64);
        smrf_put(d, "]");
    }
    smrf_put(d, "[");
    if (!zero || (!uniform && smrf_bits(d, offset, width) == 0)) {
        smrf_put_reg(d, at, "");
        smrf_put(d, "%s", from && smrf_bits(d, 91, 1) ? ".64" : "");
    }
    if (uniform) {
        smrf_put(d, "%s", zero ? "" : "+");
        smrf_put_ureg(d, 64);
    }
    put_offset_(d, offset, width, zero && !uniform && smrf_bits(d, offset, width) != 0);
    smrf_put(d, "]");
}

static void put_indexed_const_(struct smrf_decoding *d)
{
    smrf_put(d, "c[0x%x][", (unsigned)smrf_bits(d, 54, 5));
    const bool alone = smrf_bits(d, 24, 8) == RZ && (smrf_bits(d, 38, 16) != 0 || d->reference);
    if (!alone) {
        smrf_put_reg(d, 24, "");
    }
    put_offset_(d, 38, 16, alone);
    smrf_put(d, "]");
}

/* c[0x3][UR4+0x10] */
static void put_uniform_const_(struct smrf_decoding *d)
{
    smrf_put(d, "c[0x%x][", (unsigned)smrf_bits(d, 54, 5));
    smrf_put_ureg(d, 24);
    put_offset_(d, 38, 16, false);
    smrf_put(d, "]");
}

/* [UR4+0x10] */
static void put_uniform_(struct smrf_decoding *d)
{
    smrf_put(d, "[");
    smrf_put_ureg(d, 24);
    put_offset_(d, 40, 24, false);
    smrf_put(d, "]");
}

void smrf_put_address(struct smrf_decoding *d, const char **letters)
{
    const char letter = *(*letters)++;
    const unsigned at = **letters >= '0' && **letters <= '9' ? smrf_number(letters) : 32;
    switch (letter) {
    case 'g':
        put_global_(d, at, 76);
        break;
    case 'a': /* of an atomic operation: there bit 76 is its size's */
    case 'r':
        put_global_(d, at, 71);
        break;
    case 'G':
        put_generic_(d);
        break;
    case 'p':
    case 'q':
        put_copy_(d, letter == 'q');
        break;
    case 's':
        put_shared_(d, at);
        break;
    case 'l':
        smrf_put(d, "[");
        put_sum_(d, "", has_ureg_(d), at);
        smrf_put(d, "]");
        break;
    case 'u':
        put_uniform_const_(d);
        break;
    case 'U':
        put_uniform_(d);
        break;
    default:
        put_indexed_const_(d);
    }
}

/* Bits 34 to 81, in units of 4 bytes; from the next instruction on. */
void smrf_put_target(struct smrf_decoding *d, char kind)
{
    uint64_t words = smrf_bits(d, 34, 48) << 16;
    if (d->arch >= 90 && kind != 'y') { /* there are 8 bits more below */
        words = (words >> 16 << 24) | smrf_bits(d, 16, 8) << 16;
    }
    const int64_t distance = (int64_t)words >> 14;
    if (d->reference) {
        smrf_put(d, "%s", d->reference);
        d->reference = NULL;
    } else if (kind == 'D') {
        smrf_put_hex(d, (uint64_t)distance & UINT32_MAX, 32, true);
    } else {
        smrf_put(
            d, "0x%llx",
            (unsigned long long)(kind == 'T' ? distance : (int64_t)d->address + 16 + distance));
    }
}
