/* SPDX-License-Identifier: Apache-2.0 */
/* The connections between the blocks of an SM. Every core calls other blocks through this one
 * struct, with plain calls or with TLM sockets behind it. Every function delivers before it
 * returns.
 *
 * Numbers: sub = sub-core; collector = unit of that sub-core's collectors; flight = instruction in
 * flight (models/flight/flight.h); i = its source or destination; warp = warp slot of the SM. */
#ifndef SMRF_WIRES_H
#define SMRF_WIRES_H

#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_memory_answer;
struct smrf_operand_latches;
struct smrf_memory_request;
struct smrf_simt_line;
struct smrf_simt_out;

/* Queries to a mapping controller about a load, and reports to it. */
enum smrf_map_question {
    SMRF_MAP_ADDRESS,  /* it has its addresses */
    SMRF_MAP_MISSES,   /* it misses the L1 at least in part, or bypasses it */
    SMRF_MAP_READABLE, /* the L1 has all of it */
    SMRF_MAP_STORE,    /* report: a store */
    SMRF_MAP_LOADED,   /* report: the end of a load */
    SMRF_MAP_FENCE
};

/* A read of one operand from a bank is one word: row (bits 0-15), bank (16-19), number of the
 * source (20-24), slot of a collector (25-29). */
static inline uint32_t smrf_read_word(struct smrf_register_place at, unsigned collector,
                                      unsigned source)
{
    return at.row | (uint32_t)at.bank << 16 | (uint32_t)source << 20 | (uint32_t)collector << 25;
}

static inline unsigned smrf_read_bank(uint32_t word)
{
    return word >> 16 & 15;
}

static inline struct smrf_register_place smrf_read_at(uint32_t word)
{
    const struct smrf_register_place at = {(uint16_t)(word & 0xffff),
                                           (uint8_t)smrf_read_bank(word)};
    return at;
}

static inline unsigned smrf_read_source(uint32_t word)
{
    return word >> 20 & 31;
}

static inline unsigned smrf_read_collector(uint32_t word)
{
    return word >> 25 & 31;
}

/* One register to write into a bank. */
struct smrf_write {
    const uint32_t *data; /* [32] */
    uint32_t lanes;       /* bit l: lane l is written */
    uint32_t version;     /* version of the value */
    uint32_t flight;
    struct smrf_register_place at;
    uint8_t sub;
    uint8_t destination; /* number of the destination */
};

struct smrf_wires {
    void *ctx;
    const uint64_t *cycle;   /* the SM's present cycle */
    const uint32_t *waiting; /* bit s: results of sub-core s wait for their banks */
    const bool *values;      /* values of registers are moved, because they are checked */
    bool cached;             /* there is an operand cache; without one its wires are not used */
    bool mapped;             /* there is a mapping controller; without one its wires are not used */
    bool operations;         /* the mechanism has operations of its own, which take their sources */
    bool forwarded;          /* operand reading has a bypass; without one `forward` is not used */

    /* To all blocks: the SM is in another cycle. NULL: no block has a clock of its own. */
    void (*clock)(void *ctx);

    /* --- front end --- */
    /* Query to the instruction cache of a sub-core, or, where it has none, to that of the SM: the
     * instruction at pc, from a cycle on. Returns the cycle from which it is there. */
    uint64_t (*fetch)(void *ctx, unsigned sub, uint32_t pc, uint64_t cycle);
    /* Query of a sub-core's instruction cache to that of the SM: the line at pc, from a cycle on.
     * waits: an instruction does. Returns the cycle in which it leaves. */
    uint64_t (*code_line)(void *ctx, unsigned sub, uint32_t pc, uint64_t cycle, bool waits);

    /* --- issue stage --- */
    /* To the SIMT stack: an instruction that may change it, and what it did. */
    void (*line)(void *ctx, unsigned warp, const struct smrf_simt_line *line,
                 struct smrf_simt_out *out);
    /* To the collectors: the instruction enters a free collector. */
    void (*allocate)(void *ctx, unsigned sub, unsigned collector, uint32_t flight);
    /* To the load/store unit: a memory barrier of the warp is over. */
    void (*flush)(void *ctx, unsigned warp);

    /* Query to the constant cache of the sub-core. Returns the cycle from which the constant at an
     * address (its bank x 64 KiB + its offset) is there. */
    uint64_t (*constant)(void *ctx, unsigned sub, uint32_t address);

    /* --- collectors --- */
    /* To the operand cache: the instruction enters. Returns the sources (bit i) that the banks must
     * deliver. It has written all other sources to data[i] and version[i]. */
    uint32_t (*enter)(void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                      uint32_t (*data)[SMRF_LANES], uint32_t *version);
    /* To the arbiter: the reads of an instruction, a word each. */
    void (*request)(void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                    const uint32_t *words, unsigned count);
    /* Through the crossbar, to the banks: granted reads of a collector, each from another bank. to:
     * the collector's latches, which are filled; NULL: values are not needed. Returns the cycles
     * from now until the operands arrive. */
    uint32_t (*read)(void *ctx, unsigned sub, unsigned collector, const uint32_t *words,
                     unsigned count, struct smrf_operand_latches *to);
    /* To the operand cache: a source has arrived from its bank. */
    void (*source)(void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                   const uint32_t *data, uint32_t version);
    /* To the values: sources (bit i) are in their collector's latches; cached: from the operand
     * cache. */
    void (*operands)(void *ctx, uint32_t flight, uint32_t sources,
                     const struct smrf_operand_latches *latches, bool cached);
    /* To the issue stage: sources (bit i) have been read; their registers may be overwritten. */
    void (*collected)(void *ctx, uint32_t flight, uint32_t sources);
    /* To the operand cache: the instruction leaves its collector. */
    void (*leave)(void *ctx, unsigned sub, unsigned collector, uint32_t flight);
    /* To the merge unit: source i of a merge has been read. */
    void (*part)(void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data);
    /* To the latch before its execution unit, which is free. */
    void (*dispatch)(void *ctx, unsigned sub, uint32_t flight);

    /* --- arbiter --- */
    /* To the collectors: reads of an instruction that may be made in this step, a word each. */
    void (*grant)(void *ctx, unsigned sub, uint32_t flight, const uint32_t *words, unsigned count);

    /* --- execution units and load/store unit --- */
    /* To the collectors: the latch before a unit is free again. */
    void (*drained)(void *ctx, unsigned sub, unsigned unit);
    /* To the load/store unit: an instruction leaves the latch before it. */
    void (*access)(void *ctx, uint32_t flight);
    /* Query to write-back, if results wait there: can the instruction's results wait for their
     * banks? */
    bool (*room)(void *ctx, uint32_t flight);
    /* To write-back: the results of an instruction are due. */
    void (*done)(void *ctx, uint32_t flight);

    /* To write-back: the results of a load that takes no ports are due. */
    void (*portless)(void *ctx, uint32_t flight);
    /* To write-back: a load offers its results. last: for the last time. Returns whether the banks
     * have taken them all; otherwise the load offers them again. */
    bool (*offer)(void *ctx, uint32_t flight, bool last);
    /* Query to the collectors: is the unit empty? To read stages, which read one merge at a time:
     * can another enter? */
    bool (*vacant)(void *ctx, unsigned sub, unsigned collector);
    /* To the same: a merge enters. */
    void (*merge)(void *ctx, unsigned sub, unsigned collector, uint32_t flight);
    /* To the execution units' event wheel: the results are due in a given cycle. */
    void (*later)(void *ctx, uint32_t flight, uint64_t due);
    /* To the issue stage: an atomic is answered. */
    void (*answered)(void *ctx, uint32_t flight);
    /* To the issue stage: the number of write answers that a warp waits for, changed by delta. */
    void (*stores)(void *ctx, unsigned warp, int32_t delta);
    /* To the mapping controller: the verdict on a load, when it leaves its latch, or (question
     * above ADDRESS) when the L1 has answered. Returns enum smrf_memory_verdict. */
    unsigned (*map)(void *ctx, enum smrf_map_question question, const struct smrf_memory_request *r,
                    struct smrf_memory_answer *answer);
    /* To the mapping controller: a store leaves for the memory; a load has ended; a fence. */
    void (*stored)(void *ctx, const struct smrf_memory_request *r);
    void (*loaded)(void *ctx, uint32_t flight);
    void (*fenced)(void *ctx, uint32_t flight);

    /* --- write-back --- */
    /* To the arbiter: take a bank for a write in this step. Returns false if it is taken. */
    bool (*port)(void *ctx, unsigned sub, unsigned bank);
    /* To operand reading: a result of fixed latency is due. Instructions that read it take it from
     * here (the bypass). It enters the result queue of its bank, and takes the bank's write port
     * when the port is free. */
    void (*forward)(void *ctx, const struct smrf_write *write);
    /* Query to the values: a destination [32] and its version; scratch: [32], for its use. */
    const uint32_t *(*value)(void *ctx, uint32_t flight, unsigned i, uint32_t *scratch,
                             uint32_t *version);
    /* Query to the merge unit: destination i of a merge, [32]. */
    void (*merged)(void *ctx, uint32_t flight, unsigned i, uint32_t *data);
    /* To the values: destination i of a load already holds the loaded data. */
    void (*shared)(void *ctx, uint32_t flight, unsigned i);
    /* Query to the operand cache: does destination i go to the cache and to no bank? */
    bool (*alone)(void *ctx, uint32_t flight, unsigned i);
    /* To the operand cache: a result that no bank takes. */
    void (*keep)(void *ctx, const struct smrf_write *write);
    /* To the operand cache: the bank takes an eviction that it requested; data [32]. Returns the
     * lanes. */
    uint32_t (*evict)(void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version);
    /* To the bank. */
    void (*write)(void *ctx, const struct smrf_write *write);
    /* To the operand cache: its bank has taken a result. Returns whether a copy was kept. */
    bool (*result)(void *ctx, const struct smrf_write *write);
    /* To the issue stage: register reg (SMRF_DEPEND_UNIFORM + u: uniform) is usable. */
    void (*released)(void *ctx, uint32_t flight, unsigned reg);
    /* To the issue stage: the instruction has left the SM. Its number is free afterwards. */
    void (*retired)(void *ctx, uint32_t flight);
    /* Both of these, for an instruction whose destinations are all usable now. */
    void (*settled)(void *ctx, uint32_t flight);

    /* --- operand cache --- */
    /* To the hooks, after a result: the copy that the cache holds of it, and the bank's row: [32].
     */
    void (*copied)(void *ctx, uint32_t flight, unsigned i, const uint32_t *copy,
                   const uint32_t *row);
    /* Query of the issue stage to the operand cache: warps (bit k) of the sub-core that issue
     * before others. */
    uint64_t (*status)(void *ctx, unsigned sub);
};

#ifdef __cplusplus
}
#endif

#endif
