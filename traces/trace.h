/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming reader of Accel-Sim traces: kernelslist.g, .traceg (tracer versions 1.2 to 6, plain,
 * xz, gz, zst) and .tracez. A reader has one open launch at a time. Thread blocks are read in the
 * file's order, on request; the warps of a block are then read independently, instruction by
 * instruction. Memory is bounded: decoded instructions wait in compact form, and beyond the budget
 * in an unlinked temporary file. */
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
    /* Makes these errors instead of counted warnings: an unknown opcode, an ignored line of a list,
     * a list without kernels, a grid with missing or repeated blocks, a line or a block that
     * contradicts the header (contradiction.h). */
    bool strict;
    bool outside;         /* a list's lines may name files outside of its folder */
    size_t memory_budget; /* bytes of waiting instructions kept in memory; 0 = 48 MiB */
    /* For a list that grows while it is read; NULL: it is complete. Called at the list's end,
     * `read` bytes from its start. Waits until the list is longer. Returns 1, 0 when it is
     * complete, or an error. */
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
    uint64_t missing_blocks;  /* blocks of the grids that the trace does not have */
    uint64_t repeated_blocks; /* blocks that came before in their launch */
    uint64_t contradictions;  /* contradictions between a header and the lines below it
                                 (contradiction.h) */
    uint64_t digest;          /* digest of everything read, independent of compression */
    uint64_t spilled_bytes;   /* bytes written to the temporary file */
};

/* Opens a trace: a kernelslist.g, one .traceg[.xz|.gz|.zst] or .tracez file, or a folder that holds
 * a kernelslist.g. *trace is set even on failure (unless out of memory), so that smrf_trace_error
 * has the text; close it in every case. opt: NULL = defaults. Returns 0 or
 * SMRF_ERR_{IO,FORMAT,NOMEM}. */
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
/* Reads up to `most` instructions, at least one, without copies if they are ready: inst[i] points
 * to one, or to room[i]. The pointers are valid until the launch is closed or room is written
 * again. An instruction with values is the last of a call. run (may be NULL): set if `most` were
 * returned, to the number of further ones that were ready and have been read. Returns the number of
 * instructions, without those. */
int smrf_trace_take_insts(struct smrf_trace_block *block, uint32_t warp, unsigned most,
                          struct smrf_inst *room, const struct smrf_inst **inst,
                          struct smrf_inst_run *run);

/* The static instruction with that index, among those of the block's launch that have been met so
 * far; NULL: past the last. */
const struct smrf_static_inst *smrf_trace_instruction(const struct smrf_trace_block *block,
                                                      uint32_t index);

/* The sidecar of the open launch; from version 2 on it holds the kernel's whole program. NULL:
 * there is none. Valid until the next smrf_trace_next_kernel. */
const struct smrf_operand_table *smrf_trace_program(const struct smrf_trace *trace);

const struct smrf_trace_totals *smrf_trace_totals_get(const struct smrf_trace *trace);

/* Reports every host-to-device copy of the list, in its place between launches, from within
 * smrf_trace_next_kernel. NULL: no reports. */
void smrf_trace_on_copy(struct smrf_trace *trace,
                        void (*copy)(void *ctx, uint64_t address, uint64_t bytes), void *ctx);

/* Report every static instruction when it is first met, from within smrf_trace_next_block. The
 * callee may add flags that it knows from the program. NULL: no reports. */
void smrf_trace_on_instruction(struct smrf_trace *trace,
                               void (*met)(void *ctx, struct smrf_static_inst *inst), void *ctx);

/* Sums the registers of static instructions for a machine (smrf_reg_set.h). base_only: only the
 * registers that a trace line lists, instead of all. banks: of a sub-core; 0, the initial value:
 * not known. Call it before the first launch. */
void smrf_trace_sum_registers(struct smrf_trace *trace, bool base_only, uint32_t banks);

/* Makes smrf_trace_take_insts report runs of instructions whatever their masks, for callers that
 * use only the static parts. The instructions have run->mask; fields that depend on the mask are
 * those of another instruction. Call it before the first launch. */
void smrf_trace_run_any_mask(struct smrf_trace *trace, bool any);

/* Reading ahead. Another thread may read blocks of the open launch before they are needed. A block
 * that has been read but not handed out is invisible: it counts nowhere and gives no warning. An
 * error in it takes effect when it is handed out, or when the launch is left for the next one.
 *
 * While smrf_trace_ahead_read() runs, one thread may call only these functions:
 * smrf_trace_next_block if smrf_trace_ahead_ready; smrf_trace_error after a failure; the functions
 * for totals and warnings; smrf_trace_release_block; smrf_trace_ahead_stop. Any thread may read
 * blocks that have been handed out, except with smrf_trace_instruction.
 *
 * blocks: most blocks that may wait, as far as half of the memory budget holds them; 0, the initial
 * value: none. Without memory it stays none. No launch may be open. */
void smrf_trace_ahead_room(struct smrf_trace *trace, uint32_t blocks);
/* Precondition: no reading ahead is in progress. Returns whether there is something to read; then
 * call smrf_trace_ahead_read. */
bool smrf_trace_ahead_begin(struct smrf_trace *trace);
/* Reads until the limit of waiting blocks is reached, the trace ends, or a stop is requested. */
void smrf_trace_ahead_read(struct smrf_trace *trace);
/* Stops after the block that is being read. */
void smrf_trace_ahead_stop(struct smrf_trace *trace);
/* smrf_trace_ahead_read has returned, or will not be called. */
void smrf_trace_ahead_end(struct smrf_trace *trace);
/* Can smrf_trace_next_block return a block without reading? */
bool smrf_trace_ahead_ready(const struct smrf_trace *trace);

/* A thread with time does a part of the reading: it calls work(arg) between begin and the return of
 * end. Only one part is open at a time. Both calls come from the thread that reads. */
struct smrf_trace_beside {
    void *ctx;
    void (*begin)(void *ctx, void (*work)(void *arg), void *arg);
    void (*end)(void *ctx);
};

/* Reads the next part of the open launch's text on another thread: decompression and digest, if the
 * part is not tiny. Errors are reported as without it. NULL: switch it off; nothing is in progress
 * on return. Switched off by the next launch. */
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

/* The parts of an instruction's line that are the same in every execution, as text. */
struct smrf_listed_text {
    const char *refusal;              /* reason why it cannot be written; NULL: it can */
    uint32_t version;                 /* of the lines */
    uint16_t head, middle, tail, end; /* ends of the parts: program counter; registers, opcode and
                                         width; immediates; "NoVal", if any, and newline */
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
    bool strided;      /* the k-th active lane accesses base + k x stride; otherwise: */
    uint64_t base, stride;
    uint64_t lane[SMRF_LANES]; /* addresses of the active lanes */
    uint64_t imm[2];
    const struct smrf_values *values; /* version 6 only; NULL = NoVal */
    /* Places of the values, by position on the line. NULL: derived from the names above; this is a
     * guess if a constant stands between registers. */
    const struct smrf_operand_map *map;
    /* The result of smrf_trace_line_list for this pc, opcode, registers, width and immediates;
     * NULL: made for this line alone. */
    const struct smrf_listed_text *listed;
};

/* For lines that are written often. version: 5 or 6; lines in a .tracez have 6. */
void smrf_trace_line_list(struct smrf_listed_text *listed, const struct smrf_trace_line *line,
                          uint32_t version);

/* Writes a trace into folder dir (made if absent; NULL: the caller supplies the files):
 * kernelslist.g and one file a launch. Files appear under their names only when complete. Returns 0
 * or an error; *writer is set even on failure. */
int smrf_trace_writer_open(struct smrf_trace_writer **writer, const char *dir,
                           enum smrf_trace_format format, enum smrf_trace_compression compression);
/* For a writer without a folder (dir NULL), before each launch: the launch is written to this open
 * descriptor, which stays open. It is not listed. */
void smrf_trace_writer_into(struct smrf_trace_writer *w, int descriptor);
/* The copies since the last call, as lines of a list; valid until the next call. */
const char *smrf_trace_writer_take_list(struct smrf_trace_writer *w, size_t *bytes);
int smrf_trace_writer_memcpy(struct smrf_trace_writer *w, uint64_t address, uint64_t bytes);
int smrf_trace_writer_begin_kernel(struct smrf_trace_writer *w,
                                   const struct smrf_kernel_info *info);
int smrf_trace_writer_begin_block(struct smrf_trace_writer *w, struct smrf_dim3 id);
int smrf_trace_writer_begin_warp(struct smrf_trace_writer *w, uint32_t warp, uint64_t insts);
int smrf_trace_writer_line(struct smrf_trace_writer *w, const struct smrf_trace_line *line);
int smrf_trace_writer_end_block(struct smrf_trace_writer *w);
int smrf_trace_writer_end_kernel(struct smrf_trace_writer *w);
/* Puts the list so far into the folder, so that a process that is killed leaves launches with a
 * list (smrf_folder_resume). With a folder only, between launches. */
int smrf_trace_writer_save(struct smrf_trace_writer *w);
const char *smrf_trace_writer_error(const struct smrf_trace_writer *w);
/* Closes the trace. After an error no incomplete file keeps its final name. Returns the first
 * error. */
int smrf_trace_writer_close(struct smrf_trace_writer *w);

#ifdef __cplusplus
}
#endif

#endif
