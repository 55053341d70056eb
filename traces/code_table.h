/* SPDX-License-Identifier: Apache-2.0 */
/* The static instructions of one kernel: each distinct (PC, operand text) is decoded once and then
 * recognised by comparing text. Entries never move until the table is cleared. */
#ifndef SMRF_CODE_TABLE_H
#define SMRF_CODE_TABLE_H

#include "opcode.h"

#include "models/common/smrf_aligned.h"

#include <string.h>

/* Distinct static instructions of a kernel; a real one has some tens of thousands at most. Bounds
 * memory against traces whose text never repeats. */
#define SMRF_CODE_LIMIT (1u << 17)

/* Text handed to the table must be readable this many bytes past its end. */
#define SMRF_TEXT_PAD 16

/* The lanes' addresses of the first execution: others may differ in the address that the line
 * names. */
struct smrf_code_addresses {
    const char *digits;  /* of that address, in the first execution's line */
    const char *rest;    /* the text after these digits, */
    uint32_t rest_bytes; /* to the end of the line, newline included */
    uint8_t lead_bytes;  /* between mem_width and the digits: a mode, 0x */
    uint8_t num_digits;
    uint8_t addr_kind;   /* enum smrf_addr_kind, not none */
    uint64_t named;      /* the address */
    uint64_t base;       /* of the first active lane */
    int64_t stride;      /* SMRF_ADDR_STRIDE */
    int32_t least, most; /* by how much they may be moved and need no check (line_check.h) */
    uint64_t lane[];     /* SMRF_ADDR_LIST: of every active lane, from base on */
};

/* Plain entries, one after another by index, of one mask, whose lines lie one after another,
 * too. */
struct smrf_code_run {
    uint32_t last;   /* index */
    const char *end; /* of its line */
};

struct smrf_code {
    struct smrf_static_inst inst; /* first: what smrf_inst.op points to */
    /* All that further lines need lies on two lines of a data cache. The first recognises them. */
    SMRF_LINE_ALIGNED uint64_t lead; /* first eight bytes of the first execution's line */
    uint64_t pc_mask;                /* those of them before the mask */
    const char *whole;               /* the first execution's line */
    const char *text;                /* the same line from dest_num on */
    struct smrf_code *follower;      /* what came after it last, NULL: nothing yet */
    struct smrf_code *other;         /* the instruction that followed before that */
    struct smrf_code_run *run;       /* NULL: not plain */
    /* Of its run, what came in a row when it came last: bytes of text and lines, its own
     * included. */
    uint32_t reach_bytes, reach_lines;
    /* The second packs and reads them. */
    const struct smrf_code_addresses *addresses; /* NULL: each line must be read whole */
    uint64_t imm;                                /* of the first execution: the usual one */
    struct smrf_code *step; /* the next entry, where that is a further step of it; else NULL */
    uint32_t line;          /* source line number, of the first execution, too */
    uint32_t mask, lanes;   /* likewise, and the mask's bits */
    uint32_t head_bytes;    /* of the line: before dest_num */
    /* Of the line: before its mask of eight digits; 0: written otherwise, or to be read by itself.
     */
    uint32_t pc_bytes;
    uint32_t static_bytes;    /* of text: dest_num .. mem_width, no blank after */
    uint32_t full_bytes;      /* of text: to the end of line, newline included */
    bool plain;               /* no memory and a known opcode: equal text says it all */
    bool memory;              /* mem_width > 0: addresses follow */
    bool is_checked;          /* executions are held against the header (line_check.h) */
    bool guarded;             /* by a predicate; true also where that is not known */
    bool straight;            /* all its lanes go on at the next PC (line_check.h) */
    bool bulk_copy;           /* bulk copies: their address modes are not lanes' addresses */
    uint8_t num_dst, num_src; /* operands on the line */
    uint8_t num_src_values;   /* full source registers that a line's values cover */
    /* Only a first line needs these. */
    struct smrf_code *next; /* same bucket */
    uint64_t program;       /* that it is of, where a table has several */
    struct smrf_operand_map map;
};

struct smrf_code_table {
    struct smrf_code **bucket; /* power of two */
    uint32_t bucket_mask;
    uint32_t count;
    struct smrf_code **by_index; /* it and ready never move */
    struct smrf_inst **ready; /* by index, too: an execution like the first, if the next entry comes
                                 after it with the same mask, `after` it; NULL: not plain */
    struct smrf_code_arena *arena; /* entries and what belongs to them */
    struct smrf_code_arena *lines; /* in the order of their first executions */
    size_t bytes;                  /* allocated */
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

/* The last entry, plain, its first execution known: it goes on the run of the one before it, or
 * begins one, unless its lines are to be read one by one (`apart`), as they are where there is no
 * memory. */
void smrf_code_table_join(struct smrf_code_table *t, struct smrf_code *c, bool apart);

/* The callee of smrf_trace_on_instruction has marked the entry's instruction: the execution that
 * stands ready gets the same marks. */
void smrf_code_table_marked(struct smrf_code_table *t, const struct smrf_code *c);

/* Memory that lives as long as the table's entries, for what belongs to one. NULL: there is
 * none. */
void *smrf_code_table_take(struct smrf_code_table *t, size_t bytes);
/* The same, at the beginning of a line of the data cache. */
void *smrf_code_table_line(struct smrf_code_table *t, size_t bytes);

/* Eight bytes of text, the first one lowest. */
static inline uint64_t smrf_text_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Equality of n bytes; both sides are readable eight bytes past the end, or past the first byte
 * that differs. */
static inline bool smrf_text_equal(const char *a, const char *b, size_t n)
{
    if (n < 8) {
        return n == 0 || (smrf_text_word(a) ^ smrf_text_word(b)) << (64 - 8 * n) == 0;
    }
    for (size_t i = 0; i + 8 < n; i += 8) {
        if (smrf_text_word(a + i) != smrf_text_word(b + i)) {
            return false;
        }
    }
    /* the last eight; some of them are compared already */
    return smrf_text_word(a + n - 8) == smrf_text_word(b + n - 8);
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
