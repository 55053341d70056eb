/* SPDX-License-Identifier: Apache-2.0 */
/* The value oracle of an SM keeps every warp's registers in program order. It compares each operand
 * that a collector receives, from a bank or from a mechanism, with them. It only receives facts,
 * and never changes timing.
 *
 * Identity. The version of a write is the number of its instruction in the SM's order of issue. No
 * two instructions of an SM have the same number. The value of a write is the trace's, if the trace
 * carries values; otherwise it is made from version and register, so that no two writes look alike.
 * The value is fixed when the instruction issues, and its write-back writes this value.
 *
 * What is compared. An operand is right if - its version is that of the last write of the register
 *  before its instruction in the order of its
 *    warp, and
 *  - in every lane that executes and was ever written, its value is what these writes left. (With
 *    scoreboard.war=off a younger instruction may have been issued meanwhile; where the register
 *    was
 *    also written in part or with values of the trace, the version alone decides then. Where a
 *    mechanism saves registers of lanes that run apart, the values of such a register decide
 * alone.) A register that the warp has not written, and one without storage, is not compared. Under
 * scoreboard.war=off an operand that carries a younger write of the same register is counted as
 * overtaken, not as wrong.
 *
 * A register may be shared by warps, and a caller's register may survive a call elsewhere than in
 * memory: what counts is the producer of the value, not who names it. The oracle follows calls and
 * returns by itself, and is told which instructions of the trace were not issued and which
 * registers were shared (below); what they then must hold follows from the trace alone.
 *
 * A load that is given a register which holds something else than the trace's load brought has the
 * right bytes of another moment where warps race. It has not where the register was loaded before a
 * store to them that this load must see: one of its own SM that has reached the load/store unit
 * since, or one of any SM, and a fence of the load's warp after that.
 *
 * Values of the trace are also compared among themselves: a source must have what the trace's own
 * earlier writes left. */
#ifndef SMRF_ORACLE_H
#define SMRF_ORACLE_H

#include "finding.h"
#include "oracle_stats.h"

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_ORACLE_REGISTERS 256 /* architectural registers of a warp */
#define SMRF_ORACLE_CALLS 512     /* open calls of a warp: those beyond are not followed */
#define SMRF_ORACLE_SAVES 2048    /* saved registers of a warp: those beyond are not known later */
#define SMRF_ORACLE_FINDINGS 10   /* kept in full, of operands and copies and of the trace each */

struct smrf_oracle_config {
    bool check;  /* compare operands of every kernel, not only of those with values */
    bool war;    /* no write overtakes a read */
    bool shares; /* a register may serve several loads: their values come from their addresses */
    bool logs;   /* the mechanism itself ensures that no store comes between */
    bool whole;  /* flights name the registers that the trace's values belong to, all of them */
    bool apart;  /* writes of different lanes to a register may end in any order */
    uint32_t warps, flights;
};

struct smrf_oracle_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_ORACLE_STATS(X)
#undef X
};

/* The first findings. Further ones go to `beyond`, so that a caller can complete a finding without
 * a check. */
struct smrf_oracle_findings {
    struct smrf_finding first[SMRF_ORACLE_FINDINGS], beyond;
    uint32_t count; /* of first */
};

#define SMRF_ORACLE_RECENT 8 /* changes of a register of which the lanes are known */

/* A register. Hot and small: each operand and result looks at one; eight are a line of a data
 * cache. */
struct smrf_oracle_register {
    uint32_t version; /* last write issued; 0 = none */
    uint16_t changes; /* how often value or version has changed, modulo 2^16 */
    uint8_t whole;    /* bit n: the last change but n was of all lanes */
    bool stored;      /* the warp's value holds it; else it is made */
};

/* Program order's view of a warp's registers. */
struct smrf_oracle_warp {
    uint64_t block;  /* number of its block in the grid */
    uint64_t fenced; /* cycle of its last fence; 0: none yet */
    uint32_t index;  /* within its block */
    struct smrf_oracle_register reg[SMRF_ORACLE_REGISTERS];
    uint32_t lanes[SMRF_ORACLE_REGISTERS];  /* of a stored value: lanes ever written */
    uint32_t traced[SMRF_ORACLE_REGISTERS]; /* lanes whose value the trace gives */
    /* Lanes of the last changes that were not of all lanes, at their number. */
    uint32_t changed[SMRF_ORACLE_REGISTERS][SMRF_ORACLE_RECENT];
    uint32_t value[SMRF_ORACLE_REGISTERS][SMRF_LANES];
};

/* An open call. */
struct smrf_oracle_frame {
    uint32_t lanes;    /* inside */
    uint32_t returned; /* lanes that were inside and have returned */
    uint32_t number;
};

/* A register that a callee saved, by a store to local memory that was removed. */
struct smrf_oracle_save {
    uint32_t frame;   /* number of the call that saved it, 0: none */
    uint32_t version; /* that the register had; 0: none */
    uint32_t lanes;   /* saved */
    uint32_t known;   /* of them, written before */
    uint32_t pending; /* of them, not restored yet */
    bool apart; /* lanes outside have written the register meanwhile: its row has their version */
    uint32_t reg;
    uint32_t address[SMRF_LANES]; /* low part: local memory is small */
    uint32_t value[SMRF_LANES];
};

/* A warp's calls and what they saved, oldest first. */
struct smrf_oracle_calls {
    uint32_t depth, count, next_number;
    bool lost; /* more calls were open than are followed */
    struct smrf_oracle_frame frame[SMRF_ORACLE_CALLS];
    struct smrf_oracle_save save[SMRF_ORACLE_SAVES];
};

/* A source of an instruction in flight, when it was issued. */
struct smrf_oracle_source {
    uint32_t version; /* that program order demands; 0 = any */
    uint32_t known;   /* lanes of the register that are known, if it is not made */
    uint16_t changes; /* of the register so far, modulo 2^16 */
    bool made;        /* its value is made */
};

/* What is kept of an instruction in flight. Of most instructions it is a line of a data cache. */
struct SMRF_LINE_ALIGNED smrf_oracle_flight {
    uint64_t fenced; /* its warp's last fence before it */
    uint32_t traced; /* bit i: the value of destination i is the trace's */
    uint32_t order;  /* of its arrival at the load/store unit, from 1 */
    struct smrf_oracle_source source[SMRF_MAX_SRC];
};

/* A register given to a load of which the trace says that it brought something else. */
struct smrf_oracle_doubt {
    struct smrf_finding finding;
    uint64_t loaded, fenced; /* cycles: what the register holds; the load's warp's last fence */
    uint64_t at[SMRF_LANES]; /* address, of the lanes that differ */
};

#define SMRF_ORACLE_DOUBTS 128             /* of a launch and SM: those beyond are not judged */
#define SMRF_ORACLE_SECTOR_BITS (1u << 20) /* of a hashed set of sectors */

/* What reached the load/store unit: the load of a version, the last store to a word. A later one in
 * its place takes it. */
#define SMRF_ORACLE_LOADS (1u << 12)
#define SMRF_ORACLE_WORDS (1u << 14)

struct smrf_oracle_arrival {
    uint64_t key; /* version; address / 4 */
    uint64_t cycle;
    uint32_t order; /* 0: nothing yet in this launch */
};

struct smrf_oracle_doubts {
    uint64_t stored[SMRF_ORACLE_SECTOR_BITS / 64]; /* sectors that the launch has stored to */
    uint32_t count, order;                         /* order: of the last arrival */
    struct smrf_oracle_arrival load[SMRF_ORACLE_LOADS], word[SMRF_ORACLE_WORDS];
    struct smrf_oracle_doubt doubt[SMRF_ORACLE_DOUBTS];
};

/* Behind the struct: warps, flights, the traced values of flights, calls and doubts. Traced values
 * and doubts are touched only for kernels with values, and large: leave the pages alone
 * (smrf_zeroed). */
struct smrf_oracle {
    struct smrf_oracle_config cfg;
    struct smrf_oracle_stats stats;
    struct smrf_oracle_findings model, trace; /* faults of the model; of the trace */
    uint32_t launch;                          /* number of the present kernel, from 1 */
    bool active;                              /* operands are followed in the present kernel */
    bool values;                              /* the present kernel's trace has values */
    struct smrf_oracle_warp *warp;
    struct smrf_oracle_flight *flight;
    uint32_t (*traced)[SMRF_MAX_DST][SMRF_LANES]; /* [flights] */
    struct smrf_oracle_calls *calls;              /* [warps] */
    struct smrf_oracle_doubts *doubts;            /* untouched without cfg.logs */
};

/* Bytes of an oracle, for its owner to allocate (64-byte aligned). */
size_t smrf_oracle_bytes(const struct smrf_oracle_config *cfg);
/* Returns 0 or SMRF_ERR_INVAL. cfg is copied. */
int smrf_oracle_init(struct smrf_oracle *o, const struct smrf_oracle_config *cfg);
/* As after init. */
void smrf_oracle_reset(struct smrf_oracle *o);

/* --- facts ------------------------------------------------------------------------------------ */

/* A kernel begins; has_values: its trace carries the values of registers. */
void smrf_oracle_kernel(struct smrf_oracle *o, bool has_values);
/* A warp starts in a slot of the SM: nothing is known of its registers. block: number in the grid;
 * index: of the warp within it. */
void smrf_oracle_start(struct smrf_oracle *o, unsigned warp, uint64_t block, uint32_t index);

/* The following three return NULL where all is right, else what is wrong, for the caller to fill in
 * the fields that struct smrf_finding gives to the SM. */

/* Flight `number` is issued, with all that issue fills in. Found: that the trace contradicts
 * itself. */
struct smrf_finding *smrf_oracle_issued(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst);
/* The flight reaches the load/store unit. Precondition: cfg.logs, and the kernel has values. */
void smrf_oracle_arrived(struct smrf_oracle *o, uint32_t number, const struct smrf_flight *f,
                         const struct smrf_inst *inst, uint64_t cycle);
/* Source i is in the flight's collector: data [32] and version as they came. */
struct smrf_finding *smrf_oracle_operand(struct smrf_oracle *o, uint32_t number,
                                         const struct smrf_flight *f, unsigned i,
                                         const uint32_t *data, uint32_t version);
/* After a write of destination i, a mechanism's copy [32] beside its bank's row [32]. */
struct smrf_finding *smrf_oracle_copy(struct smrf_oracle *o, const struct smrf_flight *f,
                                      unsigned i, const uint32_t *copy, const uint32_t *row);

/* --- facts about calls, and about what a mechanism takes from or adds to the trace ------------ */

/* The lanes enter a function: their frame is open from here on. */
void smrf_oracle_called(struct smrf_oracle *o, unsigned warp, uint32_t lanes);
/* The lanes of f leave their newest frame. Found: a frame is left by its last lane, and a register
 * whose save was removed has not been restored in the lanes that returned. */
struct smrf_finding *smrf_oracle_returned(struct smrf_oracle *o, const struct smrf_flight *f);
/* The lanes leave all their frames. */
void smrf_oracle_exited(struct smrf_oracle *o, unsigned warp, uint32_t lanes);

/* An instruction of the trace is not issued, and a mechanism answers for what it would have done. A
 * store to local memory saves its registers with the values that they have now; a load from there
 * gives its registers the values saved at its addresses, and their versions. Of any other
 * instruction, and where nothing was saved, the destinations are not known from here on. */
void smrf_oracle_removed(struct smrf_oracle *o, unsigned warp, const struct smrf_inst *inst);
/* A mechanism's own instruction is issued. What it moves keeps its version. */
void smrf_oracle_injected(struct smrf_oracle *o, const struct smrf_flight *f);
/* Destination i of the flight, a load of inst, is not written: from here on the register of the
 * warp is one that a write of `version` filled and that holds row [32]. Found: that the flight
 * computed something else in a lane that it executes. (Whether memory has changed since is not seen
 * here, unless the trace has values.) Versions of operands are compared with that of the shared
 * register. */
struct smrf_finding *smrf_oracle_shared(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst,
                                        unsigned i, uint32_t version, const uint32_t *row);
/* The same of a destination that is written with row [32], put together from other registers.
 * Without cfg.logs or values it is compared when it is read, like other results. */
struct smrf_finding *smrf_oracle_merged(struct smrf_oracle *o, uint32_t number,
                                        const struct smrf_flight *f, const struct smrf_inst *inst,
                                        unsigned i, const uint32_t *row);
/* The launch is over on all of a GPU's SMs. With values and cfg.logs what shared and merged have
 * found waits for this, but for registers that a store of their SM has made stale: one that differs
 * from the trace in bytes that the launch stores to anywhere has the right bytes at another moment
 * than the trace's load, and is counted as raced, unless a fence of the load's warp lies between
 * the store and the load; any other is wrong. */
void smrf_oracle_settle(struct smrf_oracle *const *o, unsigned count);

/* --- questions -------------------------------------------------------------------------------- */

/* What the flight computed for destination i: [32], in scratch [32] or elsewhere. Also for kernels
 * that are not followed. */
const uint32_t *smrf_oracle_result(const struct smrf_oracle *o, uint32_t number,
                                   const struct smrf_flight *f, unsigned i, uint32_t *scratch);

#ifdef __cplusplus
}
#endif

#endif
