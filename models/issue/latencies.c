/* SPDX-License-Identifier: Apache-2.0 */
#include "control_bits.h"

/* Columns: ALU, FMA, HALF, DP, SLOW, MEMORY, TENSOR, UNIFORM, UNIFORM_MOVE, UNIFORM_VOTE,
 * GUARD. Rows without a fixed latency are 0: their counter alone protects what they write. Where
 * the sources have a range, or no such reader (TENSOR, UNIFORM), the least stands here, so that an
 * early read is none by mistake: TENSOR is the first half of a matrix, the second comes 4 later.
 * Sources: NVIDIA's scheduling tables in Mesa NAK, least distances in compiled code. */
static const uint8_t table_[2][SMRF_LATENCY_KINDS][SMRF_LATENCY_KINDS] =
    {
        [SMRF_LATENCIES_TURING] =
            {
                [SMRF_KIND_ALU] = {4, 5, 6, 6, 6, 8, 6, 6, 6, 6, 12},
                [SMRF_KIND_FMA] = {5, 4, 6, 6, 6, 8, 6, 6, 6, 6, 12},
                [SMRF_KIND_HALF] = {8, 8, 6, 8, 8, 8, 8, 8, 8, 8, 14},
                [SMRF_KIND_TENSOR] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
                [SMRF_KIND_UNIFORM] = {6, 6, 6, 6, 6, 9, 6, 4, 4, 4, 11},
                [SMRF_KIND_UNIFORM_MOVE] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                [SMRF_KIND_UNIFORM_VOTE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
            },
        [SMRF_LATENCIES_AMPERE] =
            {
                [SMRF_KIND_ALU] = {4, 4, 5, 5, 4, 5, 4, 4, 4, 4, 12},
                [SMRF_KIND_FMA] = {4, 4, 5, 5, 4, 5, 4, 4, 4, 4, 12},
                [SMRF_KIND_HALF] = {5, 5, 4, 5, 5, 5, 5, 5, 5, 5, 13},
                [SMRF_KIND_TENSOR] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
                [SMRF_KIND_UNIFORM] = {6, 6, 6, 6, 6, 9, 6, 4, 4, 4, 11},
                [SMRF_KIND_UNIFORM_MOVE] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                [SMRF_KIND_UNIFORM_VOTE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
            },
};

unsigned smrf_control_latency(enum smrf_latencies latencies, enum smrf_latency_kind writer,
                              enum smrf_latency_kind reader)
{
    return table_[latencies][writer][reader];
}

enum smrf_latency_kind smrf_control_kind(const struct smrf_static_inst *op)
{
    static const uint8_t kind[SMRF_CLASS_COUNT] = {
        [SMRF_CLASS_SP] = SMRF_KIND_FMA,          [SMRF_CLASS_HALF] = SMRF_KIND_HALF,
        [SMRF_CLASS_DP] = SMRF_KIND_DP,           [SMRF_CLASS_SFU] = SMRF_KIND_SLOW,
        [SMRF_CLASS_TENSOR] = SMRF_KIND_TENSOR,   [SMRF_CLASS_TEX] = SMRF_KIND_SLOW,
        [SMRF_CLASS_UNIFORM] = SMRF_KIND_UNIFORM, [SMRF_CLASS_LOAD] = SMRF_KIND_MEMORY,
        [SMRF_CLASS_STORE] = SMRF_KIND_MEMORY,    [SMRF_CLASS_ATOMIC] = SMRF_KIND_MEMORY,
        [SMRF_CLASS_MEMBAR] = SMRF_KIND_MEMORY, /* the rest: ALU */
    };
    if (op->pipe == SMRF_PIPE_MOVE ||
        (op->op_class == SMRF_CLASS_UNIFORM && op->pipe == SMRF_PIPE_CLASS &&
         op->num_src + op->num_usrc == 0)) {
        return SMRF_KIND_UNIFORM_MOVE;
    }
    return op->pipe == SMRF_PIPE_VOTE   ? SMRF_KIND_UNIFORM_VOTE
           : op->pipe == SMRF_PIPE_ALU  ? SMRF_KIND_ALU
           : op->pipe == SMRF_PIPE_FMA  ? SMRF_KIND_FMA
           : op->pipe >= SMRF_PIPE_SLOW ? SMRF_KIND_SLOW
           : op->space == SMRF_SPACE_CONST && op->op_class == SMRF_CLASS_LOAD
               ? SMRF_KIND_SLOW
               : (enum smrf_latency_kind)kind[op->op_class];
}
