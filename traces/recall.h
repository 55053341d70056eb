/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that have come before. Loops, and warps among themselves, repeat the same instructions,
 * most of them in the same order: what came after a line when it came last is held against the text
 * by its bytes, a straight piece of the program at a time, and only what differs is read - a mask,
 * the one address that the others lie beside. */
#ifndef SMRF_RECALL_H
#define SMRF_RECALL_H

#include "packed.h"

struct smrf_line_parser;

struct smrf_recall {
    struct smrf_code *last; /* of the line before, NULL: none yet */
    uint64_t mask_text;     /* digits of the mask read last */
    uint32_t mask, lanes;   /* the mask itself, and the number of its bits */
};

void smrf_recall_reset(struct smrf_recall *r);

/* Take the lines at text, up to `most` of them, that are recognised; those that end behind `end`
 * are not. *lines: how many. Returns their bytes, newlines included, or the packer's error. */
int64_t smrf_recall_lines(struct smrf_line_parser *k, const char *text, const char *end,
                          uint64_t most, uint64_t *lines, struct smrf_trace_error_text *error);

/* This line has come after the one before it. */
void smrf_recall_follow(struct smrf_recall *r, struct smrf_code *c);

/* Note how the first execution's addresses lie. */
void smrf_recall_note(struct smrf_line_parser *k, struct smrf_code *c, struct smrf_exec *e);

/* Has the line, from mem_width's end at p, the first execution's bytes but for the address that it
 * names? Then its addresses are those, moved. Returns the line's end; NULL: it must be read. */
const char *smrf_recall_addresses(struct smrf_exec *e, const struct smrf_code *c, const char *p);

#endif
