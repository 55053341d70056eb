/* SPDX-License-Identifier: Apache-2.0 */
/* The static instructions of one kernel: each distinct (PC, operand text) is decoded once and then
 * recognised by comparing text. Entries never move until the table is cleared. */
#ifndef SMRF_CODE_TABLE_H
#define SMRF_CODE_TABLE_H

#include "opcode.h"

#include <string.h>

/* Distinct static instructions of a kernel; a real one has some tens of thousands at most. Bounds
 * memory against traces whose text never repeats. */
#define SMRF_CODE_LIMIT (1u << 17)

/* Text handed to the table must be readable this many bytes past its end. */
#define SMRF_TEXT_PAD 16

/* The lanes' addresses of the first execution, as they lie from the address that its line names. */
struct smrf_code_addresses {
    const char *rest;    /* of the line: behind that address .. */
    uint32_t rest_bytes; /* .. to the end of line, newline included */
    char mode;           /* digit before it */
    uint8_t addr_kind;   /* enum smrf_addr_kind, not none */
    uint64_t first;      /* of the first active lane: from the named address */
    uint64_t step;       /* to the second one: the stride, or a list's first difference */
    uint64_t last;       /* a list's last active lane: from the first */
    uint32_t same;       /* a list from its third lane on, as it is packed .. */
    uint32_t packed_bytes;
    uint8_t packed[];
};

struct smrf_code {
    struct smrf_static_inst inst; /* first: what smrf_inst.op points to */
    struct smrf_code *next;       /* same bucket */
    struct smrf_code *follower;   /* what came after it last, NULL: nothing yet */
    uint64_t imm;                 /* of the first execution: the usual one */
    uint32_t line;                /* source line number, likewise */
    uint32_t mask, lanes;         /* likewise, and the mask's bits */
    uint32_t head_bytes;          /* of text: before dest_num */
    uint32_t static_bytes;        /* of text: dest_num .. mem_width, no blank after */
    uint32_t full_bytes;          /* of text: to the end of line, newline included */
    bool plain;                   /* no memory and a known opcode: equal text says it all */
    bool memory;                  /* mem_width > 0: addresses follow */
    bool bulk_copy;               /* bulk copies: their address modes are not lanes' addresses */
    uint8_t num_dst, num_src;     /* operands on the line */
    uint8_t num_src_values;       /* full source registers that a line's values cover */
    struct smrf_operand_map map;
    const struct smrf_code_addresses *addresses; /* NULL: each line must be read whole */
    const char *whole;                           /* the first execution's line, padded .. */
    const char *text;                            /* .. from dest_num on */
};

struct smrf_code_table {
    struct smrf_code **bucket; /* power of two */
    uint32_t bucket_mask;
    uint32_t count;
    struct smrf_code **by_index;
    uint32_t by_index_room;
    struct smrf_code_arena *arena;
    size_t bytes; /* allocated */
};

int smrf_code_table_init(struct smrf_code_table *t);
/* Forget everything; pointers to entries become invalid. */
void smrf_code_table_clear(struct smrf_code_table *t);
void smrf_code_table_destroy(struct smrf_code_table *t);

/* Add an entry for a line of `bytes` bytes, `head` of them before dest_num. Returns it with next,
 * whole, text, head_bytes and inst.index set, everything else to be filled by the caller; NULL: no
 * memory or limit. */
struct smrf_code *smrf_code_table_add(struct smrf_code_table *t, uint32_t pc, const char *line,
                                      size_t head, size_t bytes, const char *opcode);

/* Memory that lives as long as the table's entries, for what belongs to one. NULL: there is none. */
void *smrf_code_table_take(struct smrf_code_table *t, size_t bytes);

/* Equality of n bytes; both sides are readable eight bytes past the end, or past the first byte that
 * differs. */
static inline bool smrf_text_equal(const char *a, const char *b, size_t n)
{
    uint64_t x, y;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x != y) {
            return false;
        }
    }
    if (n >= 8) { /* the last eight, of which some are compared already */
        memcpy(&x, a + n - 8, 8);
        memcpy(&y, b + n - 8, 8);
        return x == y;
    }
    return memcmp(a, b, n) == 0;
}

static inline uint32_t smrf_code_bucket(const struct smrf_code_table *t, uint32_t pc)
{
    return (pc >> 3 ^ pc >> 15) & t->bucket_mask;
}

static inline struct smrf_code *smrf_code_at(const struct smrf_code_table *t, uint32_t index)
{
    return t->by_index[index];
}

#endif
