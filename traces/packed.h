/* SPDX-License-Identifier: Apache-2.0 */
/* Decoded instructions waiting to be replayed, one to three bytes each where nothing unusual
 * happens: a byte stream a warp, cut into chunks; chunks over the memory budget wait in an unlinked
 * temporary file. An instruction never straddles two chunks.
 *
 * A stream is a sequence of tags:
 *   0..127        tag + 1 plain instructions: each the static successor (index + 1) of the one
 *                 before, same mask, usual immediate and line, no address, no values
 *   128 | bits    one instruction; the bits say which fields follow, in this order:
 *     JUMP   zigzag varint: index - (previous index + 1)
 *     MASK   4 bytes
 *     STRIDE zigzag varint: base - previous base; zigzag varint: stride
 *     LIST   32 bits: active lanes whose difference to the lane before is that of the lane before;
 *     of the
 *            others, a zigzag varint each: the difference
 *     both   32 bits: how far the addresses lie from those of the instruction's first execution
 *     IMM    varint
 *     LINE   varint
 *     VALUES number of destination and of source registers (a byte each), then 4 bytes an active
 *            lane of each register */
#ifndef SMRF_PACKED_H
#define SMRF_PACKED_H

#include "code_table.h"
#include "trace_error.h"

#include "models/common/smrf_aligned.h"

#define SMRF_CHUNK_BYTES ((size_t)16 * 1024)
#define SMRF_RUN_MAX 128 /* instructions of one tag */
#define SMRF_PACKED_MAX                                                                            \
    400 /* longest instruction without values: tag + 5 + 4 + 4 + 32 x 10 + 10 + 5                  \
         */
#define SMRF_PACKED_VALUES_MAX (2 + (SMRF_MAX_DST + SMRF_MAX_SRC) * SMRF_LANES * 4)

enum {
    SMRF_TAG_JUMP = 1,
    SMRF_TAG_MASK = 2,
    SMRF_TAG_STRIDE = 4,
    SMRF_TAG_LIST = 8,
    SMRF_TAG_MOVED = SMRF_TAG_STRIDE | SMRF_TAG_LIST,
    SMRF_TAG_IMM = 16,
    SMRF_TAG_LINE = 32,
    SMRF_TAG_VALUES = 64,
    SMRF_TAG_FIELDS = SMRF_TAG_MOVED | SMRF_TAG_IMM | SMRF_TAG_LINE | SMRF_TAG_VALUES,
    SMRF_TAG_SPECIAL = 128
};

struct smrf_store {
    size_t budget;   /* bytes of chunks kept in memory */
    size_t resident; /* bytes of chunks in memory now */
    int fd;          /* temporary file, -1 = none yet */
    uint32_t slots;  /* chunk-sized places in the file */
    uint32_t *free_slot;
    uint32_t num_free, free_room;
    uint64_t spilled_bytes;
};

struct smrf_chunk {
    uint8_t *memory; /* NULL: in the temporary file */
    uint32_t used;
    uint32_t slot;
};

#define SMRF_BEFORE_FIRST                                                                          \
    UINT32_MAX /* index before a warp's first instruction: its successor is 0 */

/* Where a warp's stream starts, and how far it has been read: a line of a data cache. */
struct SMRF_LINE_ALIGNED smrf_packed_warp {
    uint64_t insts, left;
    const uint8_t *p, *refill; /* read position; at or past refill more bytes must be fetched */
    uint8_t *window;           /* bytes fetched from the temporary file */
    uint64_t base;
    uint32_t chunk;       /* of the next fetch; until the first read: of the start */
    uint16_t offset;      /* bytes into the chunk */
    uint8_t bits;         /* fields of the next instruction from p on */
    uint8_t run;          /* number of plain instructions behind it */
    uint32_t index, mask; /* its index; SMRF_BEFORE_FIRST: nothing has been read yet */
};

/* Does the trace have this warp? Until it is read. */
static inline bool smrf_packed_written(const struct smrf_packed_warp *w)
{
    return w->index == SMRF_BEFORE_FIRST;
}

struct smrf_packed_block {
    struct smrf_chunk *chunk;
    uint32_t num_chunks, chunk_room;
    bool has_values; /* instructions may be longer than SMRF_PACKED_MAX */
    bool any_mask;   /* runs have a mask of their own (smrf_trace_run_any_mask) */
    struct smrf_packed_warp *warp;
    uint32_t num_warps;
    /* what reading needs beside it */
    const struct smrf_store *store;
    const struct smrf_code_table *code;
    struct smrf_values *values; /* of the instruction read last; NULL: none has any */
    struct smrf_trace_error_text *error;
};

/* One execution as the parser found it. */
struct smrf_exec {
    const struct smrf_code *code;
    uint32_t mask, line;
    uint64_t imm;
    uint8_t addr_kind; /* enum smrf_addr_kind */
    bool moved;        /* the first execution's addresses, so far from there; else: */
    int32_t distance;
    uint64_t base;
    int64_t stride;
    uint64_t lane[SMRF_LANES];
    bool has_values;
    struct smrf_values values;
};

/* Writes the streams of one block at a time. */
struct smrf_packer {
    struct smrf_store *store;
    struct smrf_packed_block *block;
    struct smrf_packed_warp *warp; /* of it, whose stream is written */
    uint8_t *p, *limit;            /* write position; past limit a new chunk starts */
    uint8_t *run;                  /* tag of the run that may still grow, NULL = none */
    uint32_t index, mask;          /* of the warp's previous instruction */
    uint64_t base;
    uint8_t buffer[SMRF_CHUNK_BYTES];
};

void smrf_store_init(struct smrf_store *s, size_t budget);
void smrf_store_destroy(struct smrf_store *s);

/* Nothing is packed in it; what reading needs beside it is set by the caller. */
int smrf_packed_block_init(struct smrf_packed_block *b, uint32_t num_warps);
void smrf_packed_block_free(struct smrf_packed_block *b, struct smrf_store *s);

void smrf_packer_begin_block(struct smrf_packer *k, struct smrf_packed_block *b);
void smrf_packer_begin_warp(struct smrf_packer *k, uint32_t warp);
/* Any instruction. Returns 0 or an error of the temporary file. */
int smrf_packer_put(struct smrf_packer *k, const struct smrf_exec *e,
                    struct smrf_trace_error_text *error);
int smrf_packer_new_chunk(struct smrf_packer *k, struct smrf_trace_error_text *error);
int smrf_packer_end_block(struct smrf_packer *k, struct smrf_trace_error_text *error);

/* Instructions of one run from this one on, as their first executions were: at least one. */
int smrf_packer_put_run(struct smrf_packer *k, const struct smrf_code *code, uint64_t insts,
                        struct smrf_trace_error_text *error);

/* Begin an instruction that needs a tag of its own: what its place and its mask need. Returns the
 * tag, to which bits may be added; further fields go to k->p. Precondition: there is room. */
static inline uint8_t *smrf_packer_tag(struct smrf_packer *k, uint32_t index, uint32_t mask)
{
    const int32_t jump = (int32_t)(index - (k->index + 1));
    uint8_t *tag = k->p++;
    *tag = SMRF_TAG_SPECIAL;
    k->run = NULL;
    k->index = index;
    if (jump != 0) {
        uint32_t z = (uint32_t)jump << 1 ^ (uint32_t)(jump >> 31);
        *tag |= SMRF_TAG_JUMP;
        for (; z >= 0x80; z >>= 7) {
            *k->p++ = (uint8_t)(z | 0x80);
        }
        *k->p++ = (uint8_t)z;
    }
    if (mask != k->mask) {
        *tag |= SMRF_TAG_MASK;
        memcpy(k->p, &mask, 4);
        k->p += 4;
        k->mask = mask;
    }
    return tag;
}

static inline int smrf_packer_room(struct smrf_packer *k, struct smrf_trace_error_text *error)
{
    return k->p > k->limit ? smrf_packer_new_chunk(k, error) : 0;
}

/* An instruction with nothing unusual but perhaps its place and its mask. */
static inline int smrf_packer_put_plain(struct smrf_packer *k, const struct smrf_code *code,
                                        uint32_t mask, struct smrf_trace_error_text *error)
{
    const uint32_t index = code->inst.index;
    const bool next = index == k->index + 1 && mask == k->mask;
    if (next && k->run != NULL && *k->run < SMRF_RUN_MAX - 1) {
        k->index = index;
        ++*k->run;
        return 0;
    }
    if (smrf_packer_room(k, error) != 0) {
        return error->code;
    }
    if (next) {
        k->index = index;
        k->run = k->p;
        *k->p++ = 0;
    } else {
        (void)smrf_packer_tag(k, index, mask);
    }
    return 0;
}

/* The further steps of an instruction, behind it. */
static inline int smrf_packer_put_steps(struct smrf_packer *k, const struct smrf_code *code,
                                        uint32_t mask, struct smrf_trace_error_text *error)
{
    int rc = 0;
    for (const struct smrf_code *c = code->step; c != NULL && rc == 0; c = c->step) {
        rc = smrf_packer_put_plain(k, c, mask, error);
        k->warp->insts++;
    }
    return rc;
}

/* An instruction whose addresses are those of the first execution, moved, and that is usual
 * otherwise. */
static inline int smrf_packer_put_moved(struct smrf_packer *k, const struct smrf_code *code,
                                        uint32_t mask, int32_t distance,
                                        struct smrf_trace_error_text *error)
{
    if (smrf_packer_room(k, error) != 0) {
        return error->code;
    }
    *smrf_packer_tag(k, code->inst.index, mask) |= SMRF_TAG_MOVED;
    memcpy(k->p, &distance, sizeof distance);
    k->p += sizeof distance;
    return 0;
}

/* Read a warp's next instructions, at least one and at most `most`, one with values as the last:
 * inst[i] points to one, in room[i] or where it stands for good. Returns how many, 0 at the end, or
 * an error. run, unless it is NULL: after `most` have been read, those that stand for good behind
 * them are read, too. Touches nothing but the warp, room and the block's values, so that warps of
 * different blocks may be read from different threads. */
int smrf_packed_next(const struct smrf_packed_block *b, struct smrf_packed_warp *w, unsigned most,
                     struct smrf_inst *room, const struct smrf_inst **inst,
                     struct smrf_inst_run *run);

#endif
