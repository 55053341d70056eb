/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the events of a device's listener into a trace: a line for every warp instruction as
 * Accel-Sim's tracer lists it, and the sidecar of operands (docs/operands.md). The instructions of
 * a block that has not ended wait in compact form, a stream a warp; what exceeds the budget waits
 * in an unlinked temporary file. A trace is written into "<dir>.partial" and gets its name when it
 * is complete. */
#ifndef SMRF_CAPTURE_H
#define SMRF_CAPTURE_H

#include "firmware/launch/device.h"
#include "models/common/smrf_inst.h"
#include "traces/trace.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0,3,8-15": what is wanted; none = everything. */
struct smrf_capture_ranges {
    struct smrf_capture_range {
        uint64_t first, last;
    } * range;
    size_t num;
};

/* Returns 0, SMRF_ERR_INVAL (error says what is wrong), or SMRF_ERR_NOMEM. */
int smrf_capture_ranges_parse(struct smrf_capture_ranges *ranges, const char *text,
                              char error[SMRF_SASS_ERROR_BYTES]);
bool smrf_capture_ranges_has(const struct smrf_capture_ranges *ranges, uint64_t value);
void smrf_capture_ranges_free(struct smrf_capture_ranges *ranges);

/* Progress of a launch, reported at the end of a block. */
struct smrf_capture_progress {
    const char *kernel;
    uint64_t launch, blocks, blocks_total; /* launch: from 1; blocks: done of it */
    uint64_t warp_insts;                   /* executed so far, over all launches */
};

/* Which launches are written; all are executed. Everything zero: every launch. */
struct smrf_capture_launches {
    const char *kernel; /* extended regular expression on the mangled name; NULL = any */
    struct smrf_capture_ranges numbers; /* in the program's order, from 1 */
    uint64_t skip;  /* number of launches to skip among those that the filters above select */
    uint64_t first; /* limit of launches of each kernel, 0 = no limit */
};

/* Receives each launch as it ends, instead of a folder. */
struct smrf_capture_feed {
    void *ctx;
    /* lines, sidecar: files in memory that hold the launch, taken over; -1: the program has ended.
     * copies: those before it, as lines of a list. Returns 0, 1 if no launch is wanted any more, or
     * an error. */
    int (*deliver)(void *ctx, const char *copies, size_t bytes, int lines, int sidecar);
};

struct smrf_capture_options {
    const char *dir;                      /* NULL: nothing is written, only counted */
    const struct smrf_capture_feed *feed; /* receives the launches instead of dir */
    bool replace; /* a trace that is in dir already goes away; else that is an error */
    enum smrf_trace_format format;
    enum smrf_trace_compression compression;
    bool values; /* register values (not in version 5) */
    /* Lines exactly as NVIDIA's tracer writes them, even where Accel-Sim stops at them; else the
     * few that it does not take are written so that it finishes (docs/accel-sim.md). */
    bool exact;
    /* What is written; everything is executed. blocks: linear, x fastest; warps: in the block. */
    struct smrf_capture_ranges blocks, warps;
    struct smrf_capture_launches launches;
    /* A launch that fails or is stopped stays in the trace with the blocks that it has completed,
     * and the trace is completed; else that is an error. If the process is killed, the launches
     * that were whole can be taken over (smrf_folder_resume). */
    bool salvage;
    uint64_t max_insts;   /* a launch, 0 = no limit; checked at a block's end: blocks are whole */
    size_t memory_budget; /* bytes of waiting instructions in memory; 0 = 64 MiB */
    const volatile sig_atomic_t *stop; /* nonzero ends the run with SMRF_ERR_STATE; may be NULL */
    void (*progress)(void *ctx, const struct smrf_capture_progress *progress); /* may be NULL */
    void *progress_ctx;
};

/* Sums over the launches. */
struct smrf_capture_totals {
    uint64_t launches, copies, copied_bytes;
    uint64_t warp_insts, thread_insts;      /* executed in the launches that are written */
    uint64_t by_class[SMRF_CLASS_COUNT];    /* warp instructions executed */
    uint64_t written_insts, written_blocks; /* warp instructions and blocks in the trace */
    uint64_t written_launches;
    uint64_t spilled_bytes;
};

struct smrf_capture;

/* The options are copied but for what they point to. *capture is set even on failure (unless out of
 * memory) so that the error can be asked; close it in every case. */
int smrf_capture_open(struct smrf_capture **capture, const struct smrf_capture_options *options);
const struct smrf_device_listener *smrf_capture_listener(const struct smrf_capture *capture);
void smrf_capture_sums(const struct smrf_capture *capture, struct smrf_capture_totals *totals);
/* Text of the first error, "" = none. */
const char *smrf_capture_error(const struct smrf_capture *capture);
/* Complete the trace and give it its name. Returns 0 or the first error. Call once, before close.
 */
int smrf_capture_finish(struct smrf_capture *capture);
/* Without a finish before, nothing of the trace remains. NULL is allowed. */
void smrf_capture_close(struct smrf_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
