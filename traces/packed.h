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
 *     LIST   32 bits: active lanes whose difference to the lane before is that of the lane before; of the
 *            others, a zigzag varint each: the difference
 *     IMM    varint
 *     LINE   varint
 *     VALUES number of destination and of source registers (a byte each), then 4 bytes an active
 *            lane of each register */
#ifndef SMRF_PACKED_H
#define SMRF_PACKED_H

#include "code_table.h"
#include "trace_error.h"

#define SMRF_CHUNK_BYTES ((size_t)16 * 1024)
#define SMRF_PACKED_MAX                                                                            \
    400 /* longest instruction without values: tag + 5 + 4 + 4 + 32 x 10 + 10 + 5                  \
         */
#define SMRF_PACKED_VALUES_MAX (2 + (SMRF_MAX_DST + SMRF_MAX_SRC) * SMRF_LANES * 4)

enum {
    SMRF_TAG_JUMP = 1,
    SMRF_TAG_MASK = 2,
    SMRF_TAG_STRIDE = 4,
    SMRF_TAG_LIST = 8,
    SMRF_TAG_IMM = 16,
    SMRF_TAG_LINE = 32,
    SMRF_TAG_VALUES = 64,
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

/* Where a warp's stream starts, and how far it has been read. */
struct smrf_packed_warp {
    uint64_t insts, left;
    const uint8_t *p, *refill; /* read position; at or past refill more bytes must be fetched */
    uint8_t *window;           /* bytes fetched from the temporary file */
    uint32_t chunk, offset;    /* of the next fetch; until the first read: of the start */
    uint32_t index, mask, run;
    uint64_t base;
    bool seen; /* the trace has this warp */
};

struct smrf_packed_block {
    struct smrf_chunk *chunk;
    uint32_t num_chunks, chunk_room;
    bool has_values; /* instructions may be longer than SMRF_PACKED_MAX */
    struct smrf_packed_warp *warp;
    uint32_t num_warps;
};

/* One execution as the parser found it. */
struct smrf_exec {
    const struct smrf_code *code;
    uint32_t mask, line;
    uint64_t imm;
    uint8_t addr_kind;                           /* enum smrf_addr_kind */
    const struct smrf_code_addresses *as_before; /* a list: these, from base on. NULL: lane */
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
    uint8_t *p, *limit;   /* write position; past limit a new chunk starts */
    uint8_t *run;         /* tag of the run that may still grow, NULL = none */
    uint32_t index, mask; /* of the warp's previous instruction */
    uint64_t base;
    uint8_t buffer[SMRF_CHUNK_BYTES];
};

void smrf_store_init(struct smrf_store *s, size_t budget);
void smrf_store_destroy(struct smrf_store *s);

int smrf_packed_block_init(struct smrf_packed_block *b, uint32_t num_warps);
void smrf_packed_block_free(struct smrf_packed_block *b, struct smrf_store *s);

void smrf_packer_begin_block(struct smrf_packer *k, struct smrf_packed_block *b);
void smrf_packer_begin_warp(struct smrf_packer *k, uint32_t warp);
/* Any instruction. Returns 0 or an error of the temporary file. */
int smrf_packer_put(struct smrf_packer *k, const struct smrf_exec *e,
                    struct smrf_trace_error_text *error);
/* A list of three or more addresses as it is packed from its third lane on: its bytes into out, at most
 * SMRF_PACKED_MAX, its bits into *same. Returns the bytes' end. */
uint8_t *smrf_pack_list_rest(uint8_t *out, const struct smrf_exec *e, uint32_t *same);
int smrf_packer_new_chunk(struct smrf_packer *k, struct smrf_trace_error_text *error);
int smrf_packer_end_block(struct smrf_packer *k, struct smrf_trace_error_text *error);

/* An instruction with nothing unusual but perhaps its place and its mask. */
static inline int smrf_packer_put_plain(struct smrf_packer *k, const struct smrf_code *code,
                                        uint32_t mask, struct smrf_trace_error_text *error)
{
    uint32_t index = code->inst.index;
    int32_t jump = (int32_t)(index - (k->index + 1));
    k->index = index;
    if (jump == 0 && mask == k->mask) {
        if (k->run != NULL && *k->run < 127) {
            ++*k->run;
            return 0;
        }
        if (k->p > k->limit && smrf_packer_new_chunk(k, error) != 0) {
            return error->code;
        }
        k->run = k->p;
        *k->p++ = 0;
        return 0;
    }
    if (k->p > k->limit && smrf_packer_new_chunk(k, error) != 0) {
        return error->code;
    }
    uint8_t *tag = k->p++;
    *tag = SMRF_TAG_SPECIAL;
    k->run = NULL;
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
    return 0;
}

/* Read a warp's next instruction; values: where its values go. Returns 1, 0 at the end, or an
 * error. Touches nothing but the warp and what it is given, so that warps of different blocks may
 * be read from different threads. */
int smrf_packed_next(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                     const struct smrf_store *store, const struct smrf_code_table *code,
                     struct smrf_inst *inst, struct smrf_values *values,
                     struct smrf_trace_error_text *error);

#endif
