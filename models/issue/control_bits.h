/* SPDX-License-Identifier: Apache-2.0 */
/* Dependence check by the control bits of an instruction's encoding, as NVIDIA's SMs have it since
 * Volta: the compiler states how many cycles the warp waits after an instruction (stall count,
 * yield), and which of six counters an instruction of variable latency raises, and a later one
 * waits for. Nothing else protects a register.
 *
 * Beside it the registers are tracked with a table of latencies, writer by reader: an instruction
 * without control bits waits as the table says, and one with them that issues before a register is
 * there is an early read, which compiled code never makes.
 *
 * Stall counts tick in the time of the read stages: while an instruction is held in the Allocate
 * stage they stand still, so that a pair's distance there is what the compiler counted.
 * Source: Huerta MICRO 2025 4, 5.1; NVIDIA's scheduling tables in Mesa NAK; clock windows of an
 * A100. */
#ifndef SMRF_CONTROL_BITS_H
#define SMRF_CONTROL_BITS_H

#include "dependence.h"
#include "issue_params.h"
#include "scoreboard.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_COUNTERS 6   /* SB0 to SB5 of a warp */
#define SMRF_NO_COUNTER 7 /* as the encoding says it */

/* Registers that are tracked: vector, uniform, then the predicates P0.. and UP0... */
#define SMRF_TRACKED_PRED SMRF_SB_REGS
#define SMRF_TRACKED (SMRF_SB_REGS + 16)

/* Kinds of instructions, as writers and as readers, that the table tells apart. */
enum smrf_latency_kind {
    SMRF_KIND_ALU,
    SMRF_KIND_FMA,
    SMRF_KIND_HALF,
    SMRF_KIND_DP,
    SMRF_KIND_SLOW, /* special functions, conversions, constants from memory, textures */
    SMRF_KIND_MEMORY,
    SMRF_KIND_TENSOR,
    SMRF_KIND_UNIFORM,
    SMRF_KIND_UNIFORM_MOVE, /* ULDC, UMOV, or no source in a register */
    SMRF_KIND_UNIFORM_VOTE, /* VOTEU */
    SMRF_KIND_GUARD,        /* reader: as a predicate before the instruction */
    SMRF_LATENCY_KINDS
};

/* A register's last writer and its readers. */
struct smrf_tracked {
    uint64_t wrote;  /* time of the writer's issue */
    uint8_t writer;  /* 1 + enum smrf_latency_kind; 0: none */
    uint8_t pending; /* writers of variable latency that are in flight */
    uint8_t readers; /* the same of readers: their sources have not been read */
};

struct smrf_control_warp {
    uint64_t next;                  /* time from which it may issue */
    uint64_t issued;                /* cycle of its last issue */
    uint64_t fell;                  /* cycle in which counters were last counted down */
    uint64_t bars_from, bars_until; /* no issue in these cycles, by the last DEPBAR */
    uint8_t depbar, depbar_list;    /* of the last DEPBAR */
    uint8_t owed;    /* counters (bit i) that removed instructions would have waited for */
    uint32_t flying; /* instructions in flight */
    uint32_t unread; /* instructions of variable latency whose sources have not been read */
    uint8_t count[SMRF_COUNTERS];  /* all that is counted up and not down */
    uint8_t rising[SMRF_COUNTERS]; /* counts of the last issue; a waiter sees them 2 cycles later */
    uint8_t falling[SMRF_COUNTERS]; /* counted down in `fell`: seen in the cycle after */
    struct smrf_tracked reg[SMRF_TRACKED];
};

#define SMRF_CONTROL_STATS(X)                                                                      \
    X(early_reads, "registers",                                                                    \
      "registers read before their result is ready, by the table of latencies")                    \
    X(uncontrolled, "instructions",                                                                \
      "instructions without control bits; they wait by the table of latencies")

#define SMRF_CONTROL_FIELD(name, unit, meaning) uint64_t name;
struct smrf_control_stats {
    SMRF_CONTROL_STATS(SMRF_CONTROL_FIELD)
};
#undef SMRF_CONTROL_FIELD

/* A register that was read early. */
struct smrf_early_read {
    uint64_t cycle; /* of the reader's issue */
    uint64_t pc;    /* of the reader */
    uint16_t reg;   /* or SMRF_DEPEND_UNIFORM + u, SMRF_TRACKED_PRED + p, UP0 being 8 */
    uint8_t k;      /* its warp, within the sub-core */
};

struct smrf_control_bits {
    bool obeys;          /* control bits, where there are some */
    uint8_t latencies;   /* enum smrf_latencies */
    uint32_t zero_stall; /* cycles of a stall count of 0 with yield */
    uint32_t warps;
    const uint64_t *held; /* cycles so far in which Allocate held an instruction */
    struct smrf_control_stats stats;
    struct smrf_early_read first; /* if there is any */
    struct smrf_control_warp warp[SMRF_MAX_SUB_WARPS];
};

/* Its functions take a struct smrf_control_bits. */
extern const struct smrf_dependence_ops smrf_control_bits_ops;

/* c: zeroed. held: a count that grows in every cycle in which time stands still. warps: at most
 * SMRF_MAX_SUB_WARPS. */
void smrf_control_bits_init(struct smrf_control_bits *c, const struct smrf_issue_params *params,
                            uint32_t warps, const uint64_t *held);

/* Cycles from a writer's issue to that of an instruction that reads its result, if both have a
 * fixed latency; SMRF_KIND_DP and those of variable latency: beside their counter. */
unsigned smrf_control_latency(enum smrf_latencies latencies, enum smrf_latency_kind writer,
                              enum smrf_latency_kind reader);

/* What an instruction is to the table. */
enum smrf_latency_kind smrf_control_kind(const struct smrf_static_inst *op);

/* --- fields of the control bits --------------------------------------------------------------- */

static inline unsigned smrf_control_stall(uint32_t control)
{
    return control & 15;
}

static inline bool smrf_control_yields(uint32_t control)
{
    return !(control >> 4 & 1);
}

/* Counter that is counted up at issue and down at write-back, SMRF_NO_COUNTER: none; */
static inline unsigned smrf_control_write_counter(uint32_t control)
{
    return control >> 5 & 7;
}

/* Counts down when the sources have been read. */
static inline unsigned smrf_control_read_counter(uint32_t control)
{
    return control >> 8 & 7;
}

/* Counters (bit i) that must be 0. */
static inline unsigned smrf_control_waits(uint32_t control)
{
    return control >> 11 & 63;
}

#ifdef __cplusplus
}
#endif

#endif
