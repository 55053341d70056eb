/* SPDX-License-Identifier: Apache-2.0 */
/* A table of register values {warp, register} that is looked up in the Allocate stage, before an
 * instruction reserves the banks' read ports. An operand that the table holds needs no port.
 *
 * The banks are written through, so that any entry may be dropped at any time. A value that an
 * instruction reads enters when it leaves Allocate: the entry is pending until the operand has been
 * read, and a later instruction may hit it in the meantime, because it reads later. A result
 * replaces the value of its register, or drops it. */
#ifndef SMRF_VALUE_TABLE_H
#define SMRF_VALUE_TABLE_H

#include "models/common/smrf_types.h"
#include "window_cache_params.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_VALUE_TABLE_ENTRIES 32

struct smrf_value_table_config {
    uint32_t entries;     /* 1..SMRF_VALUE_TABLE_ENTRIES */
    uint32_t reads;       /* enum smrf_window_cache_reads */
    uint32_t results;     /* enum smrf_window_cache_results */
    uint32_t replacement; /* enum smrf_window_cache_replacement */
    uint32_t window;      /* instructions of its warp for which a value stays, 0: no limit */
};

struct smrf_value_table {
    uint32_t valid;
    uint32_t pending; /* subset: its operand has not been read yet */
    uint32_t near;    /* subset: reused soon */
    uint64_t clock;   /* of the order of replacement */
    uint64_t used[SMRF_VALUE_TABLE_ENTRIES];
    uint64_t reader[SMRF_VALUE_TABLE_ENTRIES]; /* uid of the instruction that it is pending for */
    uint32_t number[SMRF_VALUE_TABLE_ENTRIES]; /* of the warp's instruction that used it last */
    uint8_t warp[SMRF_VALUE_TABLE_ENTRIES], reg[SMRF_VALUE_TABLE_ENTRIES];
    uint32_t version[SMRF_VALUE_TABLE_ENTRIES];
    uint32_t data[SMRF_VALUE_TABLE_ENTRIES][SMRF_LANES];
};

/* An instruction in Allocate. src: [num_src] distinct registers; near, marked: bit i: source i is
 * reused soon; is marked by the compiler. */
struct smrf_value_table_reader {
    const uint8_t *src;
    uint64_t uid;
    uint32_t number; /* in its warp */
    uint32_t near, marked;
    uint8_t num_src, warp;
};
struct smrf_value_table_found {
    uint32_t hits;  /* bit i: source i is held */
    uint32_t enter; /* bit i: source i will be, when it has been read */
    uint8_t entry[SMRF_MAX_SRC];
};

/* A result that its bank has taken. row: [32], the whole register after it. */
struct smrf_value_table_result {
    const uint32_t *row;
    uint32_t version, number;
    uint8_t warp, reg;
    bool near;
    bool late; /* it may not enter */
};

enum smrf_value_table_outcome {
    SMRF_VALUE_TABLE_NOTHING, /* the table neither held the register nor does now */
    SMRF_VALUE_TABLE_KEPT,    /* it holds the result */
    SMRF_VALUE_TABLE_DROPPED  /* it has dropped the older value */
};

int smrf_value_table_check(const struct smrf_value_table_config *cfg);
/* Looks up an instruction's sources and makes room for those that will enter. */
void smrf_value_table_read(struct smrf_value_table *t, const struct smrf_value_table_config *cfg,
                           const struct smrf_value_table_reader *in,
                           struct smrf_value_table_found *out);
/* An operand has been read: its value, if the table still waits for it. Returns whether it did. */
bool smrf_value_table_arrive(struct smrf_value_table *t, uint64_t uid, unsigned warp, unsigned reg,
                             const uint32_t *data, uint32_t version);
enum smrf_value_table_outcome smrf_value_table_write(struct smrf_value_table *t,
                                                     const struct smrf_value_table_config *cfg,
                                                     const struct smrf_value_table_result *in);
/* Nothing of a warp is held any longer. */
void smrf_value_table_forget(struct smrf_value_table *t, unsigned warp);
/* The value of a register that the table holds [32]; NULL: none, or it is pending. */
const uint32_t *smrf_value_table_probe(const struct smrf_value_table *t, unsigned warp,
                                       unsigned reg);

#ifdef __cplusplus
}
#endif

#endif
