/* SPDX-License-Identifier: Apache-2.0 */
/* The executions of one block waiting to be written, a stream a warp, in the order in which they
 * happened. A stream is cut into chunks; full chunks over the budget go to an unlinked temporary
 * file. A record never straddles two chunks. */
#ifndef SMRF_CAPTURE_STREAM_H
#define SMRF_CAPTURE_STREAM_H

#include "firmware/exec/exec.h"
#include "models/common/smrf_inst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Longest record: head, mask, addresses, and the values of every register of an instruction. */
#define SMRF_STREAM_RECORD_MAX                                                                     \
    (16 + SMRF_LANES * 8 + (SMRF_MAX_DST + SMRF_MAX_SRC) * SMRF_LANES * 4)
#define SMRF_STREAM_CHUNK ((size_t)32 * 1024)
#define SMRF_STREAM_INDEX_MAX ((1u << 24) - 1u)

/* A record: 24 bits of index and 8 of these, then what they announce, in this order. */
enum {
    SMRF_STREAM_MASK = 1,   /* the mask differs from the warp's last one: 4 bytes */
    SMRF_STREAM_STRIDE = 2, /* base and stride, 8 bytes each */
    SMRF_STREAM_LIST = 4,   /* 8 bytes an active lane */
    SMRF_STREAM_VALUES = 8  /* of each register, destinations first, 4 bytes an active lane */
};

struct smrf_stream_chunk {
    uint8_t *memory; /* NULL: in the file at slot */
    uint32_t used, slot;
};

struct smrf_stream_warp {
    uint8_t *open, *p, *limit; /* chunk being filled; write position; past limit it is full */
    uint32_t mask;
    uint64_t insts;
    struct smrf_stream_chunk *chunk; /* full ones */
    uint32_t num, room;
};

struct smrf_stream {
    size_t budget, resident;
    int fd;
    uint32_t slots; /* taken in the file by the present block */
    uint64_t spilled_bytes;
    struct smrf_stream_warp *warp;
    uint32_t num_warps, warps_room;
    uint8_t *spare; /* freed chunks, linked through their first bytes */
};

void smrf_stream_init(struct smrf_stream *s, size_t budget);
void smrf_stream_free(struct smrf_stream *s);
/* Forget the last block, start one. Returns 0 or a negative enum smrf_err. */
int smrf_stream_begin(struct smrf_stream *s, uint32_t warps);
/* Room for one record at warp->p. */
int smrf_stream_reserve(struct smrf_stream *s, struct smrf_stream_warp *w);
/* Read a warp's chunk i (the last one is the open one); window[SMRF_STREAM_CHUNK] may be used.
 * *bytes: its length. NULL on failure. */
const uint8_t *smrf_stream_read(struct smrf_stream *s, const struct smrf_stream_warp *w, uint32_t i,
                                uint8_t *window, uint32_t *bytes);

/* A block that has begun, and with `open` has not ended. */
struct smrf_stream_block {
    struct smrf_stream_block *next;
    uint64_t number; /* of it in the grid */
    struct smrf_exec_dim at;
    bool open, wanted;
    struct smrf_stream stream;
};

/* The open block of a number; with make, one for it, of whose stream the budget is to be set. NULL:
 * there is none, or no memory. */
struct smrf_stream_block *smrf_stream_open(struct smrf_stream_block **all, uint64_t number,
                                           bool make);
void smrf_stream_blocks_free(struct smrf_stream_block *all);

#ifdef __cplusplus
}
#endif

#endif
