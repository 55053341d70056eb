/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming reader of Accel-Sim traces: kernelslist.g, .traceg (tracer versions 1.2 to 6, plain,
 * xz, gz, zst) and .tracez. One launch is open at a time per reader; blocks are read in the file's
 * order when asked for; a block's warps are then read independently, instruction by instruction.
 * Resident memory is bounded: decoded instructions wait in compact form, and what does not fit the
 * budget waits in an unlinked temporary file. */
#ifndef SMRF_TRACE_H
#define SMRF_TRACE_H

#include "models/common/smrf_inst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_operand_map;   /* opcode.h */
struct smrf_operand_table; /* operands.h */
struct smrf_trace;         /* an open list of commands */
struct smrf_trace_block;   /* a thread block handed out by smrf_trace_next_block */

struct smrf_trace_options {
    /* An error instead of a counted warning: an unknown opcode, a list's line that is ignored, a
     * list without kernels, a grid with missing blocks, a block that is there twice, a line
     * or a block that contradicts the header (contradiction.h). */
    bool strict;
    bool outside;         /* a list's lines may name files outside of its folder */
    size_t memory_budget; /* bytes of waiting instructions kept in memory; 0 = 48 MiB */
    /* A list that grows while it is read; NULL: it is complete. Called at its end, `read` bytes
     * from its start: waits until it is longer. Returns 1, 0 when it is complete, or an error. */
    int (*more)(void *ctx, uint64_t read);
    void *more_ctx;
};

struct smrf_dim3 {
    uint32_t x, y, z;
};

/* Header of one kernel launch. Strings live until the next smrf_trace_next_kernel. */
struct smrf_kernel_info {
    const char *name; /* mangled */
    const char *file; /* path of the file that holds it */
    uint32_t id;      /* launch number of the trace, 1-based */
    struct smrf_dim3 grid, block;
    uint64_t shared_bytes;
    uint32_t num_regs;       /* registers per thread as allocated */
    uint32_t binary_version; /* 61, 70, 75, 80, 86, 90, ... */
    uint64_t stream;
    uint64_t shared_window, local_window; /* generic-address windows */
    uint32_t tracer_version;              /* 1 for "1.2"; 0: none, the oldest form */
    bool has_values; /* version 6: the launch's first lines carry register values */
};

/* Sums over everything read so far. */
struct smrf_trace_totals {
    uint64_t kernels, blocks, warps;
    uint64_t warp_insts, thread_insts;
    uint64_t memcpy_commands, memcpy_bytes;
    uint64_t unknown_opcodes; /* instructions whose opcode is not in the table */
    uint64_t unknown_lines;   /* ignored lines in a list file */
    uint64_t missing_blocks;  /* of the grids, not in the trace */
    uint64_t repeated_blocks; /* that came before in their launch */
    uint64_t contradictions;  /* between a header and the lines below it (contradiction.h) */
    uint64_t digest;          /* of everything read, independent of compression */
    uint64_t spilled_bytes;   /* written to the temporary file */
};

/* Open a trace: a kernelslist.g, one .traceg[.xz|.gz|.zst] or .tracez file, or a folder that holds
 * a kernelslist.g. *trace is set even on failure (unless out of memory), so that
 * smrf_trace_error can be asked; close it in every case. opt: NULL = defaults.
 * Returns 0 or SMRF_ERR_{IO,FORMAT,NOMEM}. */
int smrf_trace_open(struct smrf_trace **trace, const char *path,
                    const struct smrf_trace_options *opt);

/* Advance to the next kernel launch, closing the present one (its blocks must have been released).
 * Memory copies in between are counted. Returns 1 with *info filled, 0 at the end, or an error. */
int smrf_trace_next_kernel(struct smrf_trace *trace, struct smrf_kernel_info *info);

/* Read the next thread block of the open launch. Returns 1 with *block set, 0 when the launch has
 * no further block, or an error. */
int smrf_trace_next_block(struct smrf_trace *trace, struct smrf_trace_block **block);

/* Give a block back; its unread instructions are dropped. */
void smrf_trace_release_block(struct smrf_trace *trace, struct smrf_trace_block *block);

struct smrf_dim3 smrf_trace_block_id(const struct smrf_trace_block *block);
/* Warps of the block: ceil(threads / 32); a warp that the trace leaves out has no instructions. */
uint32_t smrf_trace_block_warps(const struct smrf_trace_block *block);
/* Instructions of a warp, read or not. */
uint64_t smrf_trace_warp_length(const struct smrf_trace_block *block, uint32_t warp);

/* Read the next instruction of a warp into *inst. Returns 1, 0 at the warp's end, or an error.
 * Different blocks may be read from different threads, as long as no other call on the trace (next
 * kernel, next block, release) runs meanwhile. */
int smrf_trace_next_inst(struct smrf_trace_block *block, uint32_t warp, struct smrf_inst *inst);
/* Up to `most` of them, at least one, without copies where they stand ready: inst[i] points to one,
 * or to room[i]; until the launch is closed, or room is written to again. One with values is the
 * last. run, unless it is NULL: those that stand ready behind the `most`, which have been read
 * then; set where there were as many. Returns how many, without those. */
int smrf_trace_take_insts(struct smrf_trace_block *block, uint32_t warp, unsigned most,
                          struct smrf_inst *room, const struct smrf_inst **inst,
                          struct smrf_inst_run *run);

/* The static instruction of that index, of those of the block's launch that have been met by now;
 * NULL: past the last. */
const struct smrf_static_inst *smrf_trace_instruction(const struct smrf_trace_block *block,
                                                      uint32_t index);

/* The sidecar of the open launch, which from version 2 on holds the kernel's whole program; NULL
 * where there is none. Until the next smrf_trace_next_kernel. */
const struct smrf_operand_table *smrf_trace_program(const struct smrf_trace *trace);

const struct smrf_trace_totals *smrf_trace_totals_get(const struct smrf_trace *trace);

/* Have every host-to-device copy of the list reported, in its place between launches, from within
 * smrf_trace_next_kernel. NULL: not wanted. */
void smrf_trace_on_copy(struct smrf_trace *trace,
                        void (*copy)(void *ctx, uint64_t address, uint64_t bytes), void *ctx);

/* Report every static instruction when it is first met, from within smrf_trace_next_block. The
 * callee may add flags that it knows from the program. NULL: no reports. */
void smrf_trace_on_instruction(struct smrf_trace *trace,
                               void (*met)(void *ctx, struct smrf_static_inst *inst), void *ctx);

/* Have the registers of static instructions summed up for a machine (smrf_reg_set.h): of a trace
 * line's own registers only, or of all; of a sub-core with so many banks, 0: not known, as it is at
 * first. Call it before the first launch. */
void smrf_trace_sum_registers(struct smrf_trace *trace, bool base_only, uint32_t banks);

/* Have smrf_trace_take_insts report runs of instructions whatever their mask, for whoever looks at
 * their static parts alone: they have run->mask, and what stands in them of a mask is another's.
 * Call it before the first launch. */
void smrf_trace_run_any_mask(struct smrf_trace *trace, bool any);

/* Reading ahead. Blocks of the open launch may be read on another thread before they are asked for.
 * What has been read and not been handed out does not show: it counts nowhere, warns of nothing,
 * and an error in it is none yet, unless the launch is given up for the next one. While
 * smrf_trace_ahead_read() runs, these may be called, of one thread, and nothing else:
 * smrf_trace_next_block if smrf_trace_ahead_ready, smrf_trace_error if one of these has failed,
 * those that ask for totals and warnings, smrf_trace_release_block and smrf_trace_ahead_stop; and
 * of any thread whatever reads blocks that have been handed out, but for smrf_trace_instruction.
 *
 * So many blocks may wait, as far as half of the memory budget holds them; 0, as at first: none.
 * Where there is no memory it stays at none. No launch is open. */
void smrf_trace_ahead_room(struct smrf_trace *trace, uint32_t blocks);
/* No reading ahead is under way. Is there anything to be read? Then smrf_trace_ahead_read is to
 * follow. */
bool smrf_trace_ahead_begin(struct smrf_trace *trace);
/* Read until as many wait as may, until there is no other, or until told to stop. */
void smrf_trace_ahead_read(struct smrf_trace *trace);
/* No further block than the one that is being read. */
void smrf_trace_ahead_stop(struct smrf_trace *trace);
/* It has returned, or will not be called. */
void smrf_trace_ahead_end(struct smrf_trace *trace);
/* Has smrf_trace_next_block nothing to read? */
bool smrf_trace_ahead_ready(const struct smrf_trace *trace);

/* Whoever has time, for a part of the reading: work(arg) is to be done at some time between begin
 * and the return of end, on any thread. One at a time. Both come from the thread that reads. */
struct smrf_trace_beside {
    void *ctx;
    void (*begin)(void *ctx, void (*work)(void *arg), void *arg);
    void (*end)(void *ctx);
};

/* Have the next part of the open launch's text read, decompressed and put into the digest beside
 * the thread that reads it, where there is more than a little. Nothing is reported earlier
 * than without. NULL: no longer, and on return nothing is under way. Forgotten with the next
 * launch. */
void smrf_trace_read_beside(struct smrf_trace *trace, const struct smrf_trace_beside *beside);

/* Text of the last error: file, line or byte offset, reason, what to do. Never NULL. */
const char *smrf_trace_error(const struct smrf_trace *trace);

/* The i-th distinct warning (unknown opcode and the like), NULL past the last. */
const char *smrf_trace_warning(const struct smrf_trace *trace, size_t i);

/* Also frees the blocks that were not given back. */
void smrf_trace_close(struct smrf_trace *trace);

/* --- writer ---------------------------------------------------------------------------------- */

struct smrf_trace_writer;

enum smrf_trace_format {
    SMRF_TRACE_V5,    /* .traceg, what Accel-Sim 1.x reads */
    SMRF_TRACE_V6,    /* .traceg, uniform registers, two immediates, optional values */
    SMRF_TRACE_TRACEZ /* Accel-Sim 2.0's binary form */
};

enum smrf_trace_compression {
    SMRF_COMPRESS_NONE,
    SMRF_COMPRESS_XZ,
    SMRF_COMPRESS_GZ,
    SMRF_COMPRESS_ZSTD
};

#define SMRF_LISTED_TEXT_MAX 320

/* What every execution of an instruction has in common on its line, as text. */
struct smrf_listed_text {
    const char *refusal;              /* why it cannot be written; NULL: it can */
    uint32_t version;                 /* of the lines */
    uint16_t head, middle, tail, end; /* where each part ends: program counter; registers, opcode
                                         and width; immediates; "NoVal", if any, and newline */
    char text[SMRF_LISTED_TEXT_MAX];
};

/* One line to write: names as the trace lists them. */
struct smrf_trace_line {
    uint32_t pc, mask;
    const char *opcode;          /* with modifiers */
    uint8_t num_dst, num_src;    /* listed registers */
    uint16_t dst[SMRF_MAX_BASE]; /* 0..255 = R, 256 + n = UR n */
    uint16_t src[SMRF_MAX_BASE];
    uint8_t mem_width; /* 0 = no memory */
    bool strided;      /* the k-th active lane accesses base + k x stride; else: */
    uint64_t base, stride;
    uint64_t lane[SMRF_LANES]; /* addresses of the active lanes */
    uint64_t imm[2];
    const struct smrf_values *values; /* version 6 only; NULL = NoVal */
    /* Where the values belong, by position on the line; NULL: derived from the names above, which
     * is a guess where a constant stands between registers. */
    const struct smrf_operand_map *map;
    /* What smrf_trace_line_list made of pc, opcode, registers, width and immediates; NULL: made for
     * this line alone. */
    const struct smrf_listed_text *listed;
};

/* For lines that are written often. version: 5 or 6; lines in a .tracez have 6. */
void smrf_trace_line_list(struct smrf_listed_text *listed, const struct smrf_trace_line *line,
                          uint32_t version);

/* Write a trace into folder dir (made if absent; NULL: none, the files are the caller's):
 * kernelslist.g and one file a launch. Files appear under their names only when complete. Returns 0
 * or an error; *writer is set even on failure. */
int smrf_trace_writer_open(struct smrf_trace_writer **writer, const char *dir,
                           enum smrf_trace_format format, enum smrf_trace_compression compression);
/* For a writer without a folder (dir NULL), before each launch: it goes into this open descriptor,
 * which stays open, and is not listed. */
void smrf_trace_writer_into(struct smrf_trace_writer *w, int descriptor);
/* The copies since the last call, as lines of a list; valid until the next one. */
const char *smrf_trace_writer_take_list(struct smrf_trace_writer *w, size_t *bytes);
int smrf_trace_writer_memcpy(struct smrf_trace_writer *w, uint64_t address, uint64_t bytes);
int smrf_trace_writer_begin_kernel(struct smrf_trace_writer *w,
                                   const struct smrf_kernel_info *info);
int smrf_trace_writer_begin_block(struct smrf_trace_writer *w, struct smrf_dim3 id);
int smrf_trace_writer_begin_warp(struct smrf_trace_writer *w, uint32_t warp, uint64_t insts);
int smrf_trace_writer_line(struct smrf_trace_writer *w, const struct smrf_trace_line *line);
int smrf_trace_writer_end_block(struct smrf_trace_writer *w);
int smrf_trace_writer_end_kernel(struct smrf_trace_writer *w);
const char *smrf_trace_writer_error(const struct smrf_trace_writer *w);
/* Close; on an earlier error nothing half-written keeps its final name. Returns the first error. */
int smrf_trace_writer_close(struct smrf_trace_writer *w);

#ifdef __cplusplus
}
#endif

#endif
