/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction line as text, the writer's half of line_parser.h. */
#ifndef SMRF_LINE_FORMAT_H
#define SMRF_LINE_FORMAT_H

#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the longest line: 40 registers of 32 values of 11 characters. */
#define SMRF_LINE_TEXT_MAX 16384

/* Why a line cannot be written, given the text of its instruction; NULL: it can. */
const char *smrf_line_refusal(const struct smrf_trace_line *line,
                              const struct smrf_listed_text *listed);

/* Write the line, newline included, to text[SMRF_LINE_TEXT_MAX]; what lies behind the line there is
 * overwritten. binary_version: of the kernel, needed to place values. Returns its length. The line
 * has passed smrf_line_refusal. */
size_t smrf_line_format(char *text, const struct smrf_trace_line *line,
                        const struct smrf_listed_text *listed, uint32_t binary_version);

#ifdef __cplusplus
}
#endif

#endif
