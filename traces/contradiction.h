/* SPDX-License-Identifier: Apache-2.0 */
/* Contradictions between what a launch's header says and what its lines do. A trace with one
 * replays, but no GPU ran that kernel: each is counted and reported with the first place at the
 * trace's end, and is an error under `strict`. Every function returns 0 or, under strict, that
 * error. */
#ifndef SMRF_CONTRADICTION_H
#define SMRF_CONTRADICTION_H

#include "line_check.h"

struct smrf_trace;
struct smrf_trace_block;

/* Those of a line (line_check.h), and those that show at the end of a warp or a block. */
enum smrf_block_contradiction {
    SMRF_WARP_NO_EXIT = SMRF_LINE_CONTRADICTIONS, /* lanes of the warp do not end by EXIT */
    SMRF_BLOCK_WARPS,                             /* warps of the block are not in the trace */
    SMRF_BLOCK_BARRIERS, /* its warps wait for one another at different barriers */
    SMRF_CONTRADICTIONS
};

struct smrf_contradictions {
    struct {
        uint64_t count;
        char first[640]; /* place, and what is wrong there */
    } kind[SMRF_CONTRADICTIONS];
};

/* What the parser has found in its last line; the place of that line. */
int smrf_contradict_line(struct smrf_trace *t, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

/* The parser's warp has no further line. Place: of its last one. */
int smrf_contradict_warp(struct smrf_trace *t, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

/* A block has been read. */
int smrf_contradict_block(struct smrf_trace *t, struct smrf_trace_block *b);

/* The trace is at its end: warn of each kind that there was. */
void smrf_contradictions_report(struct smrf_trace *t);

#endif
