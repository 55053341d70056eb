/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of documented kernels and of micro-benchmark patterns, for demonstration, tests and
 * benchmarks where no recorded trace is at hand. */
#ifndef SMRF_GENERATE_H
#define SMRF_GENERATE_H

#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_gen_target {
    const char *dir;
    enum smrf_trace_format format;
    enum smrf_trace_compression compression;
};

/* C = A x B for square matrices of floats, one thread an element, tiles of 16 x 16 through shared
 * memory (Turing). size: a multiple of 16, 16 to 1024. */
int smrf_generate_matmul(const struct smrf_gen_target *target, uint32_t size, char error[256]);

/* Divergence of every kind (Turing): early exit, a loop whose trip count is data, nested if/else,
 * a call. threads: total, blocks of 128. */
int smrf_generate_divergent(const struct smrf_gen_target *target, uint32_t threads,
                            char error[256]);

#define SMRF_PATTERN_INSTS 16

struct smrf_gen_inst {
    const char *opcode;
    uint8_t num_dst, num_src;
    uint8_t dst, src[SMRF_MAX_BASE];
    uint8_t dst_cycle; /* destinations dst .. dst + dst_cycle * dst_step - 1 in turn; 0 = 1 */
    uint8_t dst_step;  /* 0 = 1 */
    uint8_t mem_width; /* 0 = no memory */
    uint64_t address;  /* of lane 0 of warp 0's first execution */
    int64_t stride;    /* bytes from lane to lane */
    int64_t step;      /* bytes from one execution by a warp to its next */
    int64_t warp_step; /* bytes from warp to warp, blocks counted through */
};

struct smrf_gen_pattern {
    struct smrf_gen_inst inst[SMRF_PATTERN_INSTS]; /* executed in turn */
    uint32_t num_insts;
    uint32_t blocks, warps; /* warps: of a block, 1 to 32 */
    uint64_t length;        /* instructions of a warp before its EXIT */
    uint32_t loop;          /* static instructions of the loop body; 0 = straight-line code */
    uint32_t num_regs, shared_bytes, binary_version;
};

/* An instruction from text: "OPCODE dst|- [src..] [@address,stride,step[,warp_step]]"; a
 * destination "R20+16" cycles over 16 registers, "R20+16*2" over every second of 32. Returns 0 or
 * SMRF_ERR_FORMAT. opcode points into copy[64]. */
int smrf_generate_parse_inst(const char *text, struct smrf_gen_inst *inst, char copy[64]);

int smrf_generate_pattern(const struct smrf_gen_target *target,
                          const struct smrf_gen_pattern *pattern, char error[256]);

#ifdef __cplusplus
}
#endif

#endif
