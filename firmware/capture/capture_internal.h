/* SPDX-License-Identifier: Apache-2.0 */
/* The capture's inside: capture.c listens to the device, capture_block.c to the
 * blocks of a launch, capture_write.c writes what they gathered. */
#ifndef SMRF_CAPTURE_INTERNAL_H
#define SMRF_CAPTURE_INTERNAL_H

#include "capture.h"
#include "choice.h"
#include "code.h"
#include "stream.h"

#include <stdio.h>

#define SMRF_CAPTURE_ERROR_BYTES 1280 /* the writer's texts are the longest */

struct smrf_capture;

/* What a thread gathers of the blocks that it runs. */
struct smrf_capture_thread {
    struct smrf_capture *capture;
    struct smrf_exec_listener listener;
    struct smrf_stream_block *begun, *open; /* all blocks that have begun; the running one */
    struct smrf_capture_tally *tally;       /* an instruction, since the last end of a block */
    uint32_t *counted, num_counted, room;   /* indices of those that are not 0; length of both */
    uint32_t src_values[SMRF_MAX_SRC][SMRF_LANES]; /* of the instruction under way */
    uint64_t executed;                             /* warp instructions */
    uint8_t apart[SMRF_EXEC_APART];                /* no cache line is of two threads */
};

struct smrf_capture {
    struct smrf_capture_options options;
    uint64_t most_blocks, most_warps; /* of a launch; of a block */
    struct smrf_device_listener listener;
    struct smrf_trace_writer *writer;       /* NULL: nothing is written */
    struct smrf_folder *folder;             /* NULL: none, or it has come to its name */
    int lines;                              /* descriptor of the open launch, where it is fed */
    bool over;                              /* the receiver wants no more launches */
    struct smrf_capture_code *codes, *code; /* all so far; of the open launch */
    struct smrf_capture_thread
        thread[1 + SMRF_EXEC_MOST_THREADS]; /* the launch's thread, then others */
    struct smrf_choice choice;
    struct smrf_capture_totals totals;
    uint64_t executed; /* warp instructions of all launches, at the end of a block */
    /* the open launch */
    const struct smrf_exec_launch *launch;
    uint64_t blocks, launch_written;
    struct smrf_values values;
    uint8_t window[SMRF_STREAM_CHUNK];
    char error[SMRF_CAPTURE_ERROR_BYTES];
};

/* Keeps the first error's text; returns code. */
int smrf_capture_fail(struct smrf_capture *c, int code, const char *text);
/* The writer's result rc, with its text. */
int smrf_capture_written(struct smrf_capture *c, int rc);

static inline struct smrf_dim3 smrf_capture_dim3(struct smrf_exec_dim d)
{
    return (struct smrf_dim3){d.x, d.y, d.z};
}

/* Whether a signal has come: 0, or an error. */
int smrf_capture_stopped(struct smrf_capture *c);
/* capture_block.c: opens thread number n and returns its listener; a launch begins, which may find
 * blocks of one that failed; it ends, and its executions are in its code's tally. */
struct smrf_exec_listener smrf_capture_thread_open(struct smrf_capture *c, unsigned n);
int smrf_capture_threads_begin(struct smrf_capture *c);
void smrf_capture_threads_end(struct smrf_capture *c);
void smrf_capture_threads_close(struct smrf_capture *c);

/* A block that has ended. */
int smrf_capture_write_block(struct smrf_capture *c, struct smrf_stream_block *block);
/* A launch begins, of which blocks are to be written; it has ended. */
int smrf_capture_write_begin(struct smrf_capture *c, const struct smrf_kernel_info *info);
int smrf_capture_write_end(struct smrf_capture *c);
/* Called when the program has ended: the receiver gets the copies that followed the last launch. */
int smrf_capture_feed_end(struct smrf_capture *c);

#endif
