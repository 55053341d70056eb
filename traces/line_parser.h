/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction line of a trace, all tracer versions, from text to the packed form.
 *
 *   [tb_x tb_y tb_z warp] [line] PC mask dest_num [Rdst] opcode src_num [Rsrc..] mem_width
 *   [mode addresses..] [immediate [immediate2 NoVal | Val ..]]
 *
 * Version 6 values. The header comment of such traces names the fields
 * "Val [dest_val_num] [dest_val].. [src_val1_num] [src_val1].. .. [src_valX_num] [src_valX].."; no
 * trace with values was at hand, so this reading is an assumption (A-trace-2), and the writer
 * writes the same: one group for the destination (present even with none: count 0), then one a
 * listed source; a group's count is the number of hexadecimal 32-bit values in it: for each
 * register of the operand in ascending order, one a lane of the mask in ascending order. RZ and
 * uniform registers have count 0. Groups of another size make the line's values ignored (counted
 * warning), never an error. */
#ifndef SMRF_LINE_PARSER_H
#define SMRF_LINE_PARSER_H

#include "line_check.h"
#include "operands.h"
#include "packed.h"
#include "recall.h"
#include "trace.h"
#include "warnings.h"

#define SMRF_MET_LIMIT 4096 /* instructions remembered of earlier launches */

struct smrf_line_parser {
    /* set up once a kernel */
    struct smrf_code_table *code;
    struct smrf_code_table *met; /* what earlier launches had, decoded; NULL: nothing is kept */
    uint64_t program; /* whose instructions these are: what decoding depends on beside text */
    struct smrf_packer *packer;
    struct smrf_warnings *warnings;
    struct smrf_trace_totals *totals;
    uint32_t version, binary_version;
    bool block_ids; /* tracer versions below 3: four numbers in front */
    bool line_numbers;
    bool strict;
    const struct smrf_operand_table *operands; /* the kernel's sidecar, NULL = none */
    /* Called for every static instruction when it is first met; may add facts. NULL: none. */
    void (*on_instruction)(void *ctx, struct smrf_static_inst *inst);
    void *instruction_ctx;
    bool base_only; /* for whom register lists are summed up (smrf_reg_set.h) */
    uint32_t banks;
    struct smrf_recall recall;
    struct smrf_line_check check;
    /* outcome */
    char reason[768]; /* why a line was refused */
    struct smrf_exec exec;
};

/* Parse lines from text on, at least one and at most `most`, and append them to the packer. The
 * first ends in a newline and is readable SMRF_TEXT_PAD bytes further, as the last before `end` is.
 * *lines: how many. Returns the bytes taken, newlines included, or an error: FORMAT, UNKNOWN
 * (strict), LIMIT with reason set, of the first, or the packer's with error set. A line that
 * contradicts the header comes by itself: then check.found says how. */
int64_t smrf_parse_lines(struct smrf_line_parser *k, const char *text, const char *end,
                         uint64_t most, uint64_t *lines, struct smrf_trace_error_text *error);

/* The line of a known instruction from mem_width's end on, at p, into exec, of which the mask and
 * the source line are set. Returns the line's end; NULL: refused, with reason set. */
const char *smrf_parse_special(struct smrf_line_parser *k, const struct smrf_code *c,
                               const char *p);

#endif
