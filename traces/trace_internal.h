/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's inside, shared by trace.c (lists, launches, the public calls), ahead.c (blocks read
 * before they are asked for), text_kernel.c and binary_kernel.c (the two forms of one launch). */
#ifndef SMRF_TRACE_INTERNAL_H
#define SMRF_TRACE_INTERNAL_H

#include "census.h"
#include "contradiction.h"
#include "kernel_header.h"
#include "line_parser.h"
#include "text_file.h"
#include "trace.h"

struct smrf_binary; /* an open .tracez, binary_kernel.c */

struct smrf_trace_block {
    struct smrf_trace *trace;
    struct smrf_trace_block *next, **link; /* of the blocks that are out; link points here */
    struct smrf_dim3 id;
    struct smrf_packed_block packed;
    uint64_t place; /* of its header: line of the text, byte of the .tracez */
};

/* What shows of a trace. */
struct smrf_trace_seen {
    struct smrf_trace_totals totals; /* without the digest's value */
    struct smrf_digest digest;
    size_t warnings;
};

/* A block that waits to be asked for, or that there is none. */
struct smrf_trace_waiting {
    struct smrf_trace_block *block;
    int rc;                      /* what smrf_trace_next_block will return */
    struct smrf_trace_seen seen; /* state that is visible then */
};

/* Blocks read ahead, ahead.c: a ring. */
struct smrf_trace_ahead {
    struct smrf_trace_waiting *ring;
    uint32_t room;  /* 0: nothing is read ahead */
    uint32_t put;   /* by the reading thread, atomic */
    uint32_t taken; /* number taken by the other thread */
    bool stop;      /* atomic */
    /* the reading thread's while it reads */
    bool ended;                    /* the launch has no further block, or it cannot be read */
    uint64_t largest;              /* bytes of the launch's largest packed block so far */
    struct smrf_trace_block *drop; /* to be freed */
    /* the other one's */
    bool under_way;
    bool hides;                    /* more has been read than shows */
    struct smrf_trace_seen seen;   /* the state that is visible */
    struct smrf_trace_block *back; /* given back meanwhile */
};

struct smrf_trace {
    struct smrf_trace_block *out; /* handed out and not given back */
    struct smrf_trace_error_text error;
    struct smrf_trace_error_text lost; /* of instructions of a block that was handed out */
    struct smrf_trace_ahead ahead;
    struct smrf_trace_totals totals;
    struct smrf_warnings warnings;
    struct smrf_digest digest;
    size_t budget;
    bool strict, outside, any_mask;
    void (*on_copy)(void *ctx, uint64_t address, uint64_t bytes);
    void *copy_ctx;
    int (*more)(void *ctx, uint64_t read); /* NULL: the list is complete */
    void *more_ctx;

    /* the list; a single kernel file has none */
    char *path;
    char *folder; /* of the list, with its slash */
    struct smrf_text list;
    bool has_list, single_taken;

    /* the open launch */
    bool open;
    char *file;
    struct smrf_kernel_header header;
    struct smrf_text text;
    struct smrf_binary *binary;
    struct smrf_operand_table operands; /* the sidecar; path NULL = none */
    struct smrf_operand_tables known;   /* of earlier launches */
    struct smrf_source_decoder decoder; /* of all launches */
    struct smrf_code_table code;
    struct smrf_code_table met; /* of the launches before */
    struct smrf_store store;
    struct smrf_packer packer;
    struct smrf_line_parser parser;
    uint64_t blocks_out; /* handed out, not yet released */
    struct smrf_census census;
    bool counted; /* the launch's blocks are at their end, and have been counted */

    /* what is doubtful, reported at the end */
    struct smrf_doubt {
        uint64_t blocks, launches;
        char first[256]; /* file of the first launch */
    } missing, repeated;
    struct smrf_contradictions contradictions;
};

/* Read the header of t->file. Returns 0 or an error. */
int smrf_text_kernel_open(struct smrf_trace *t);
/* Read the next block into *block, whose trace is set. Returns 1, 0 at the end, or an error; the
 * packed part is initialised whenever 1 or an error after it came about, freed by the caller. */
int smrf_text_kernel_block(struct smrf_trace *t, struct smrf_trace_block *block);

int smrf_binary_kernel_open(struct smrf_trace *t);
int smrf_binary_kernel_block(struct smrf_trace *t, struct smrf_trace_block *block);
void smrf_binary_kernel_close(struct smrf_trace *t);

/* Read the launch's next block. Returns 1, 0 at the end of its blocks, or an error. */
int smrf_trace_read_block(struct smrf_trace *t, struct smrf_trace_block **block);
void smrf_trace_free_block(struct smrf_trace_block *block);

/* The first block that waits: there is one. Returns as smrf_trace_next_block. */
int smrf_trace_ahead_take(struct smrf_trace *t, struct smrf_trace_block **block);
/* The launch is over. Blocks that wait are dropped. */
void smrf_trace_ahead_clear(struct smrf_trace *t);

/* Prepare the line parser for the open launch's header. */
void smrf_kernel_start_parser(struct smrf_trace *t);
/* True where the text holds a "Val" field. */
bool smrf_text_has_values(const char *text, size_t bytes);

#endif
