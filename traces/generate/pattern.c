/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-benchmark patterns: every warp of every block executes the same short list of instructions
 * in turn, with chosen registers and addresses, then EXIT. */
#include "generate.h"
#include "models/common/smrf_err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PC_STEP 16 /* bytes of an instruction, Volta and later */
#define OPCODE_BYTES 64

static const char *register_(const char *p, uint8_t *out)
{
    char *end;
    if (*p != 'R') {
        return NULL;
    }
    if (p[1] == 'Z') {
        *out = SMRF_REG_ZERO;
        return p + 2;
    }
    unsigned long n = strtoul(p + 1, &end, 10);
    if (end == p + 1 || n > SMRF_REG_ZERO) {
        return NULL;
    }
    *out = (uint8_t)n;
    return end;
}

static const char *destination_(const char *p, struct smrf_gen_inst *inst)
{
    char *end;
    if (*p == '-') {
        return p + 1;
    }
    p = register_(p, &inst->dst);
    if (p == NULL) {
        return NULL;
    }
    inst->num_dst = 1;
    if (*p == '+') {
        unsigned long n = strtoul(p + 1, &end, 10);
        unsigned long step = 1;
        if (end == p + 1) {
            return NULL;
        }
        p = end;
        if (*p == '*') {
            step = strtoul(p + 1, &end, 10);
            p = end;
        }
        if (n == 0 || step == 0 || n > 255 || step > 255 || inst->dst + (n - 1) * step > 254) {
            return NULL;
        }
        inst->dst_cycle = (uint8_t)n;
        inst->dst_step = (uint8_t)step;
    }
    return p;
}

static const char *address_(const char *p, struct smrf_gen_inst *inst)
{
    char *end;
    inst->address = strtoull(p, &end, 0);
    if (end == p || *end != ',') {
        return NULL;
    }
    p = end + 1;
    inst->stride = strtoll(p, &end, 0);
    if (end == p || *end != ',') {
        return NULL;
    }
    p = end + 1;
    inst->step = strtoll(p, &end, 0);
    if (end == p) {
        return NULL;
    }
    if (*end == ',') {
        p = end + 1;
        inst->warp_step = strtoll(p, &end, 0);
        if (end == p) {
            return NULL;
        }
    }
    inst->mem_width = 4;
    return end;
}

int smrf_generate_parse_inst(const char *text, struct smrf_gen_inst *inst, char copy[OPCODE_BYTES])
{
    *inst = (struct smrf_gen_inst){0};
    size_t n = strcspn(text, " ");
    if (n == 0 || n >= OPCODE_BYTES) {
        return SMRF_ERR_FORMAT;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    inst->opcode = copy;
    const char *p = text + n + strspn(text + n, " ");
    p = *p != '\0' ? destination_(p, inst) : p;
    while (p != NULL && *p != '\0') {
        size_t blanks = strspn(p, " ");
        if (blanks == 0) {
            return SMRF_ERR_FORMAT;
        }
        p += blanks;
        if (*p == '@') {
            p = address_(p + 1, inst);
        } else if (*p != '\0') {
            p = inst->num_src < SMRF_MAX_BASE ? register_(p, &inst->src[inst->num_src++]) : NULL;
        }
    }
    return p != NULL ? 0 : SMRF_ERR_FORMAT;
}

/* The n-th execution of the pattern by a warp (counted over all blocks). */
static void line_(const struct smrf_gen_pattern *p, uint64_t n, uint64_t warp,
                  struct smrf_trace_line *line)
{
    const struct smrf_gen_inst *i = &p->inst[n % p->num_insts];
    uint64_t round = n / p->num_insts;
    uint64_t at = p->loop != 0 ? n % p->loop : n;
    line->pc = (uint32_t)(at * PC_STEP);
    line->mask = UINT32_MAX;
    line->opcode = i->opcode;
    line->num_dst = i->num_dst;
    line->num_src = i->num_src;
    line->mem_width = i->mem_width;
    uint64_t turn =
        i->dst_cycle > 1 ? (p->loop != 0 ? at / p->num_insts : round) % i->dst_cycle : 0;
    line->dst[0] = (uint16_t)(i->dst + turn * (i->dst_step != 0 ? i->dst_step : 1u));
    for (unsigned k = 0; k < i->num_src; k++) {
        line->src[k] = i->src[k];
    }
    for (unsigned lane = 0; i->mem_width != 0 && lane < SMRF_LANES; lane++) {
        line->lane[lane] = i->address + round * (uint64_t)i->step + lane * (uint64_t)i->stride +
                           warp * (uint64_t)i->warp_step;
    }
}

static int write_warp_(struct smrf_trace_writer *w, const struct smrf_gen_pattern *p,
                       uint32_t block, uint32_t warp)
{
    struct smrf_trace_line line;
    memset(&line, 0, sizeof line);
    int rc = smrf_trace_writer_begin_warp(w, warp, p->length + 1);
    for (uint64_t n = 0; rc == 0 && n < p->length; n++) {
        line_(p, n, (uint64_t)block * p->warps + warp, &line);
        rc = smrf_trace_writer_line(w, &line);
    }
    uint64_t last = p->loop != 0 && p->loop < p->length ? p->loop : p->length;
    const struct smrf_trace_line exit = {
        .pc = (uint32_t)(last * PC_STEP), .mask = UINT32_MAX, .opcode = "EXIT"};
    return rc == 0 ? smrf_trace_writer_line(w, &exit) : rc;
}

static const char *refusal_(const struct smrf_gen_pattern *p)
{
    if (p->num_insts == 0 || p->num_insts > SMRF_PATTERN_INSTS) {
        return "a pattern has 1 to 16 instructions";
    }
    if (p->warps == 0 || p->warps > 32 || p->blocks == 0) {
        return "a block has 1 to 32 warps, and there is at least one block";
    }
    if (p->loop % p->num_insts != 0) {
        return "the loop's length must be a multiple of the pattern's";
    }
    if (p->loop == 0 && p->length > 100000) {
        return "more than 100000 instructions need a loop (--loop)";
    }
    return NULL;
}

int smrf_generate_pattern(const struct smrf_gen_target *target,
                          const struct smrf_gen_pattern *pattern, char error[256])
{
    struct smrf_trace_writer *w;
    const char *refusal = refusal_(pattern);
    if (refusal != NULL) {
        (void)snprintf(error, 256, "%s", refusal);
        return SMRF_ERR_INVAL;
    }
    const struct smrf_kernel_info info = {.name = "pattern",
                                          .id = 1,
                                          .grid = {pattern->blocks, 1, 1},
                                          .block = {pattern->warps * SMRF_LANES, 1, 1},
                                          .shared_bytes = pattern->shared_bytes,
                                          .num_regs = pattern->num_regs,
                                          .binary_version = pattern->binary_version,
                                          .shared_window = UINT64_C(0x00007f0a10000000),
                                          .local_window = UINT64_C(0x00007f0a0e000000)};
    int rc = smrf_trace_writer_open(&w, target->dir, target->format, target->compression);
    if (rc == 0) {
        rc = smrf_trace_writer_begin_kernel(w, &info);
    }
    for (uint32_t b = 0; rc == 0 && b < pattern->blocks; b++) {
        rc = smrf_trace_writer_begin_block(w, (struct smrf_dim3){b, 0, 0});
        for (uint32_t i = 0; rc == 0 && i < pattern->warps; i++) {
            rc = write_warp_(w, pattern, b, i);
        }
        if (rc == 0) {
            rc = smrf_trace_writer_end_block(w);
        }
    }
    if (rc == 0) {
        rc = smrf_trace_writer_end_kernel(w);
    }
    (void)snprintf(error, 256, "%.255s", smrf_trace_writer_error(w));
    int closed = smrf_trace_writer_close(w);
    return rc != 0 ? rc : closed;
}
