/* SPDX-License-Identifier: Apache-2.0 */
#include "line_format.h"

#include "opcode.h"

#include <string.h>

static char *put_hex_(char *p, uint64_t v, unsigned least)
{
    unsigned digits = 1;
    while (digits < 16 && v >> (4 * digits) != 0)
        digits++;
    for (unsigned i = digits < least ? least : digits; i-- > 0;)
        *p++ = "0123456789abcdef"[i < 16 ? v >> (4 * i) & 15 : 0];
    return p;
}

static char *put_signed_(char *p, uint64_t v)
{
    char digit[20];
    unsigned n = 0;
    if (v >> 63 != 0) {
        *p++ = '-';
        v = 0 - v;
    }
    do
        digit[n++] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    while (n > 0)
        *p++ = digit[--n];
    return p;
}

static char *put_address_(char *p, uint64_t address)
{
    *p++ = '0';
    *p++ = 'x';
    p = put_hex_(p, address, 1);
    *p++ = ' ';
    return p;
}

static char *put_registers_(char *p, unsigned n, const uint16_t *list)
{
    p = put_signed_(p, n);
    *p++ = ' ';
    for (unsigned i = 0; i < n; i++) {
        if (list[i] >= SMRF_LISTED_UREG)
            *p++ = 'U';
        *p++ = 'R';
        p = put_signed_(p, list[i] % SMRF_LISTED_UREG);
        *p++ = ' ';
    }
    return p;
}

/* As the tracer's compressor chooses: stride for one contiguous run of at least two lanes with a
 * constant step, deltas otherwise; a list where a delta does not fit its 32 bits. */
static char *put_addresses_(char *p, uint32_t mask, const uint64_t *lane)
{
    uint64_t address[SMRF_LANES] = {0};
    unsigned n = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1)
        address[n++] = lane[__builtin_ctz(m)];
    uint32_t low = mask & (0 - mask);
    bool contiguous = ((mask + low) & mask) == 0;
    bool constant = true, small = true;
    for (unsigned i = 1; i < n; i++) {
        int64_t delta = (int64_t)(address[i] - address[i - 1]);
        constant &= delta == (int64_t)(address[1] - address[0]);
        small &= delta >= INT32_MIN && delta <= INT32_MAX;
    }
    bool stride = n == 0 || (n > 1 && contiguous && constant && small);
    *p++ = stride ? '1' : small ? '2' : '0';
    *p++ = ' ';
    p = put_address_(p, address[0]);
    if (stride) {
        p = put_signed_(p, n > 1 ? address[1] - address[0] : 0);
        *p++ = ' ';
        return p;
    }
    for (unsigned i = 1; i < n; i++) {
        if (small) {
            p = put_signed_(p, address[i] - address[i - 1]);
            *p++ = ' ';
        } else {
            p = put_address_(p, address[i]);
        }
    }
    return p;
}

static char *put_group_(char *p, uint32_t mask, const struct smrf_operand_place *place,
                        const struct smrf_values *v)
{
    unsigned regs = place != NULL && place->vector ? place->regs : 0;
    p = put_signed_(p, regs * (unsigned)__builtin_popcount(mask));
    *p++ = ' ';
    for (unsigned r = 0; r < regs; r++) {
        const uint32_t *lanes = place->is_dst ? v->dst[place->first + r] : v->src[place->first + r];
        for (uint32_t m = mask; m != 0; m &= m - 1)
            p = put_address_(p, lanes[__builtin_ctz(m)]);
    }
    return p;
}

static char *put_values_(char *p, const struct smrf_trace_line *line, uint32_t binary_version)
{
    struct smrf_listed_inst in = {.pc = line->pc,
                                  .opcode = line->opcode,
                                  .num_dst = line->num_dst,
                                  .num_src = line->num_src,
                                  .mem_width = line->mem_width,
                                  .imm = line->mem_width == 0 ? line->imm[0] : 0,
                                  .binary_version = binary_version};
    struct smrf_static_inst inst;
    struct smrf_operand_map own;
    const struct smrf_operand_map *map = line->map;
    if (map == NULL) {
        memcpy(in.dst, line->dst, sizeof in.dst);
        memcpy(in.src, line->src, sizeof in.src);
        (void)smrf_opcode_decode(&in, &inst, &own);
        map = &own;
    }
    memcpy(p, "Val ", 4);
    p = put_group_(p + 4, line->mask, line->num_dst > 0 ? &map->dst[0] : NULL, line->values);
    for (unsigned k = 0; k < line->num_src; k++)
        p = put_group_(p, line->mask, &map->src[k], line->values);
    return p;
}

static bool opcode_ok_(const char *opcode)
{
    size_t n = strlen(opcode);
    if (n == 0 || n > 100 || opcode[0] < 'A' || opcode[0] > 'Z')
        return false;
    for (size_t i = 0; i < n; i++) {
        if (opcode[i] <= ' ' || opcode[i] > '~')
            return false;
    }
    return true;
}

const char *smrf_line_refusal(const struct smrf_trace_line *line, uint32_t version)
{
    if (line->opcode == NULL || !opcode_ok_(line->opcode))
        return "the opcode must start with a capital letter and hold no blanks";
    if (line->num_dst > SMRF_MAX_BASE || line->num_src > SMRF_MAX_BASE)
        return "more than 8 registers on a side";
    uint16_t highest = 0;
    for (unsigned i = 0; i < line->num_dst; i++)
        highest = line->dst[i] > highest ? line->dst[i] : highest;
    for (unsigned i = 0; i < line->num_src; i++)
        highest = line->src[i] > highest ? line->src[i] : highest;
    if (highest > SMRF_LISTED_UREG + SMRF_UREG_ZERO)
        return "a register is beyond UR63";
    if (version < 6 && highest >= SMRF_LISTED_UREG)
        return "version 5 lists no uniform registers; write version 6";
    if (version < 6 && line->imm[1] != 0)
        return "version 5 has one immediate; write version 6";
    if (version < 6 && line->values != NULL)
        return "version 5 has no values; write version 6";
    if (line->values != NULL && line->num_dst > 1)
        return "values are written for at most one destination operand";
    return NULL;
}

size_t smrf_line_format(char *text, const struct smrf_trace_line *line, uint32_t version,
                        uint32_t binary_version)
{
    char *p = put_hex_(text, line->pc, 4);
    *p++ = ' ';
    p = put_hex_(p, line->mask, 8);
    *p++ = ' ';
    p = put_registers_(p, line->num_dst, line->dst);
    size_t n = strlen(line->opcode);
    memcpy(p, line->opcode, n);
    p += n;
    *p++ = ' ';
    p = put_registers_(p, line->num_src, line->src);
    p = put_signed_(p, line->mem_width);
    *p++ = ' ';
    if (line->mem_width != 0)
        p = put_addresses_(p, line->mask, line->lane);
    p = put_signed_(p, line->imm[0]);
    *p++ = ' ';
    if (version >= 6) {
        p = put_signed_(p, line->imm[1]);
        *p++ = ' ';
        if (line->values != NULL) {
            p = put_values_(p, line, binary_version);
        } else {
            memcpy(p, "NoVal ", 6);
            p += 6;
        }
    }
    *p++ = '\n';
    return (size_t)(p - text);
}
