/* SPDX-License-Identifier: Apache-2.0 */
#include "line_format.h"

#include "line_text.h"
#include "opcode.h"

#include <string.h>

#define COPY 64 /* bytes that a short copy always moves */

/* Copy n bytes, readable and writable up to COPY. */
static char *put_text_(char *p, const char *text, size_t n)
{
    memcpy(p, text, COPY);
    if (n > COPY) {
        memcpy(p + COPY, text + COPY, n - COPY);
    }
    return p + n;
}

static char *put_registers_(char *p, unsigned n, const uint16_t *list)
{
    p = smrf_text_unsigned(p, n);
    for (unsigned i = 0; i < n; i++) {
        if (list[i] >= SMRF_LISTED_UREG) {
            *p++ = 'U';
        }
        *p++ = 'R';
        p = smrf_text_unsigned(p, list[i] % SMRF_LISTED_UREG);
    }
    return p;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool small_(uint64_t delta)
{
    return delta + UINT64_C(0x80000000) <= UINT32_MAX;
}

static bool contiguous_(uint32_t mask)
{
    return ((mask + (mask & (0 - mask))) & mask) == 0;
}

static char *put_stride_(char *p, uint64_t base, uint64_t stride)
{
    memcpy(p, "1 ", 2);
    return smrf_text_signed(smrf_text_address(p + 2, base), stride);
}

/* n addresses, not all of one step or not of neighbouring lanes: deltas, or a list where a delta
 * does not fit its 32 bits. */
static char *put_list_(char *p, unsigned n, const uint64_t *address, bool small)
{
    memcpy(p, small ? "2 " : "0 ", 2);
    p = smrf_text_address(p + 2, address[0]);
    for (unsigned i = 1; i < n; i++) {
        p = small ? smrf_text_signed(p, address[i] - address[i - 1])
                  : smrf_text_address(p, address[i]);
    }
    return p;
}

/* As the tracer's compressor chooses: a stride for one contiguous run of at least two lanes with a
 * constant step, otherwise put_list_. */
static char *put_addresses_(char *p, const struct smrf_trace_line *line)
{
    const uint32_t mask = line->mask;
    const unsigned n = smrf_text_lanes(mask);
    uint64_t address[SMRF_LANES];
    bool constant = true, small = true;
    if (n == 0) {
        return put_stride_(p, 0, 0);
    }
    if (line->strided) {
        small = n == 1 || small_(line->stride);
        if (n > 1 && small && contiguous_(mask)) {
            return put_stride_(p, line->base, line->stride);
        }
        for (unsigned i = 0; i < n; i++) {
            address[i] = line->base + i * line->stride;
        }
        return put_list_(p, n, address, small);
    }
    unsigned k = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        address[k++] = line->lane[__builtin_ctz(m)];
    }
    for (unsigned i = 1; i < n; i++) {
        uint64_t delta = address[i] - address[i - 1];
        constant &= delta == address[1] - address[0];
        small &= small_(delta);
    }
    if (n > 1 && constant && small && contiguous_(mask)) {
        return put_stride_(p, address[0], address[1] - address[0]);
    }
    return put_list_(p, n, address, small);
}

/* ---- values ---------------------------------------------------------------------------------- */

static char *put_row_(char *p, uint32_t mask, unsigned n, const uint32_t lane[SMRF_LANES])
{
    uint32_t active[SMRF_LANES] = {0};
    unsigned k = 0;
    if (mask == UINT32_MAX) {
        return smrf_text_row(p, lane, n);
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        active[k++] = lane[__builtin_ctz(m)];
    }
    return smrf_text_row(p, active, n);
}

static char *put_group_(char *p, uint32_t mask, unsigned lanes,
                        const struct smrf_operand_place *place, const struct smrf_values *v)
{
    unsigned regs = place != NULL && place->vector ? place->regs : 0;
    p = smrf_text_unsigned(p, regs * lanes);
    for (unsigned r = 0; r < regs; r++) {
        p = put_row_(p, mask, lanes,
                     place->is_dst ? v->dst[place->first + r] : v->src[place->first + r]);
    }
    return p;
}

/* Where the values belong as the names on the line suggest. */
static void guess_map_(struct smrf_operand_map *map, const struct smrf_trace_line *line,
                       uint32_t binary_version)
{
    struct smrf_listed_inst in = {.pc = line->pc,
                                  .opcode = line->opcode,
                                  .num_dst = line->num_dst,
                                  .num_src = line->num_src,
                                  .mem_width = line->mem_width,
                                  .imm = line->mem_width == 0 ? line->imm[0] : 0,
                                  .binary_version = binary_version};
    struct smrf_static_inst inst;
    memcpy(in.dst, line->dst, sizeof in.dst);
    memcpy(in.src, line->src, sizeof in.src);
    (void)smrf_opcode_decode(&in, &inst, map);
}

static char *put_values_(char *p, const struct smrf_trace_line *line, uint32_t binary_version)
{
    const unsigned lanes = smrf_text_lanes(line->mask);
    const struct smrf_operand_map *map = line->map;
    struct smrf_operand_map own;
    if (map == NULL) {
        guess_map_(&own, line, binary_version);
        map = &own;
    }
    memcpy(p, "Val ", 4);
    p = put_group_(p + 4, line->mask, lanes, line->num_dst > 0 ? &map->dst[0] : NULL, line->values);
    for (unsigned k = 1; k < line->num_dst; k++) { /* of textures alone */
        p = put_group_(p, line->mask, lanes, &map->dst[k], line->values);
    }
    for (unsigned k = 0; k < line->num_src; k++) {
        p = put_group_(p, line->mask, lanes, &map->src[k], line->values);
    }
    *p = '\n';
    return p + 1;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool opcode_ok_(const char *opcode)
{
    size_t n = strlen(opcode);
    if (n == 0 || n > 100 || opcode[0] < 'A' || opcode[0] > 'Z') {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (opcode[i] <= ' ' || opcode[i] > '~') {
            return false;
        }
    }
    return true;
}

static const char *refusal_(const struct smrf_trace_line *line, uint32_t version)
{
    if (line->opcode == NULL || !opcode_ok_(line->opcode)) {
        return "the opcode must start with a capital letter and hold no blanks";
    }
    if (line->num_dst > SMRF_MAX_BASE || line->num_src > SMRF_MAX_BASE) {
        return "more than 8 registers on a side";
    }
    uint16_t highest = 0;
    for (unsigned i = 0; i < line->num_dst; i++) {
        highest = line->dst[i] > highest ? line->dst[i] : highest;
    }
    for (unsigned i = 0; i < line->num_src; i++) {
        highest = line->src[i] > highest ? line->src[i] : highest;
    }
    if (highest > SMRF_LISTED_UREG + SMRF_UREG_ZERO) {
        return "a register is beyond UR63";
    }
    if (version < 6 && highest >= SMRF_LISTED_UREG) {
        return "version 5 lists no uniform registers; write version 6";
    }
    if (version < 6 && line->imm[1] != 0) {
        return "version 5 has one immediate; write version 6";
    }
    return NULL;
}

const char *smrf_line_refusal(const struct smrf_trace_line *line,
                              const struct smrf_listed_text *listed)
{
    if (listed->refusal != NULL || line->values == NULL) {
        return listed->refusal;
    }
    return listed->version < 6 ? "version 5 has no values; write version 6" : NULL;
}

void smrf_trace_line_list(struct smrf_listed_text *listed, const struct smrf_trace_line *line,
                          uint32_t version)
{
    listed->version = version;
    listed->refusal = refusal_(line, listed->version);
    if (listed->refusal != NULL) {
        return;
    }
    char *p = smrf_text_hex(listed->text, line->pc, 4);
    listed->head = (uint16_t)(p - listed->text);
    p = put_registers_(p, line->num_dst, line->dst);
    size_t n = strlen(line->opcode);
    memcpy(p, line->opcode, n);
    p[n] = ' ';
    p = put_registers_(p + n + 1, line->num_src, line->src);
    p = smrf_text_unsigned(p, line->mem_width);
    listed->middle = (uint16_t)(p - listed->text);
    p = smrf_text_signed(p, line->imm[0]);
    if (listed->version >= 6) {
        p = smrf_text_signed(p, line->imm[1]);
    }
    listed->tail = (uint16_t)(p - listed->text);
    if (listed->version >= 6) {
        memcpy(p, "NoVal ", 6);
        p += 6;
    }
    *p++ = '\n';
    listed->end = (uint16_t)(p - listed->text);
}

size_t smrf_line_format(char *text, const struct smrf_trace_line *line,
                        const struct smrf_listed_text *listed, uint32_t binary_version)
{
    const char *t = listed->text;
    const bool values = line->values != NULL;
    char *p = put_text_(text, t, listed->head);
    p = smrf_text_hex(p, line->mask, 8);
    p = put_text_(p, t + listed->head, (size_t)(listed->middle - listed->head));
    if (line->mem_width != 0) {
        p = put_addresses_(p, line);
    }
    p = put_text_(p, t + listed->middle,
                  (size_t)((values ? listed->tail : listed->end) - listed->middle));
    if (values) {
        p = put_values_(p, line, binary_version);
    }
    return (size_t)(p - text);
}
