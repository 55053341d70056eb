/* SPDX-License-Identifier: Apache-2.0 */
/* Execution units of an SM: a latch before each unit, its pipeline, and the result buses that all
 * share. A unit takes an instruction in cycle T and the next after its interval; its results ask
 * for their banks in T + latency + 2 (the pipeline, then the latch before write-back). Source:
 * Accel-Sim pipelined_simd_unit, simd_function_unit::can_issue.
 *
 * The latches before the load/store unit stand here too; who takes from them is models/ldst. */
#ifndef SMRF_UNITS_H
#define SMRF_UNITS_H

#include "exec_params.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_err.h"
#include "models/flight/flight.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_UNITS_WHEEL 2048 /* longest round of the completion wheel, cycles; a power of two */
#define SMRF_UNITS_WHEEL_LEAST 256 /* shortest */
#define SMRF_UNITS_STARTS 16
#define SMRF_UNITS_OF_SUB 16

struct smrf_units_config {
    struct smrf_exec_params exec;
    uint32_t subcores;
    uint32_t extra_latency; /* cycles that issue and collectors add to every pipeline */
    uint32_t merge_latency; /* of SMRF_UNIT_MERGE, cycles */
    /* Read stages stand before the units: instructions of fixed latency end when they are due,
     * regardless of others, and a unit's timing is that of its kind. */
    bool behind_window;
};

#define SMRF_UNITS_STATS(X)                                                                        \
    X(result_bus_stalls, "instructions", "unit issues delayed by the result buses")                \
    X(busy_sp, "unit cycles", "cycles in which single-precision units can accept no instruction")  \
    X(busy_sfu, "unit cycles", "the same for special functions")                                   \
    X(busy_mem, "unit cycles", "the same for the entry of the load/store unit, one per SM")        \
    X(busy_dp, "unit cycles", "the same for double precision")                                     \
    X(busy_int, "unit cycles",                                                                     \
      "the same for integer, and all instructions without a unit of their own")                    \
    X(busy_branch, "unit cycles", "the same for branches")                                         \
    X(busy_tex, "unit cycles", "the same for texture")                                             \
    X(busy_tensor, "unit cycles", "the same for tensor")                                           \
    X(busy_uniform, "unit cycles", "the same for the uniform datapath")

#define SMRF_UNITS_FIELD(name, unit, meaning) uint64_t name;
struct smrf_units_stats {
    SMRF_UNITS_STATS(SMRF_UNITS_FIELD)
};
#undef SMRF_UNITS_FIELD

/* What a unit is busy with. */
struct smrf_unit_busy {
    uint64_t until; /* cycle from which it takes another */
    uint64_t last;  /* none of its results comes later */
};

/* Kinds of instructions of the tensor class, which have timings of their own, behind the classes:
 * in the order of enum smrf_accumulators. */
enum smrf_timing {
    SMRF_TIMING_IMMA = SMRF_CLASS_COUNT,
    SMRF_TIMING_HMMA_F16,
    SMRF_TIMING_HMMA_F32,
    SMRF_TIMING_HMUL2, /* of SMRF_CLASS_HALF */
    SMRF_TIMING_MERGE, /* of SMRF_UNIT_MERGE */
    SMRF_TIMINGS
};

struct smrf_unit_timing {
    uint32_t delay;    /* cycles from the latch to the results */
    uint32_t interval; /* cycles between two instructions of a unit */
};

/* Of the completion wheel. A round of them is gone through again and again, so they are small. */
struct smrf_units_slot {
    uint16_t last; /* instruction, whose next is the first; SMRF_UNITS_NOBODY: it is empty */
    uint16_t buses_taken;
};

#define SMRF_UNITS_NOBODY UINT16_MAX

struct smrf_units {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    uint32_t subcores, buses, extra_latency;
    bool by_kind; /* order of result buses */
    bool behind_window;
    bool dp_shared; /* one unit of double precision, which takes another from dp_free on */
    uint64_t dp_free;
    uint32_t memory_interval; /* cycles between two that leave for the load/store unit */
    uint64_t memory_next;     /* cycle from which another may */
    /* Bit s: the latch of sub-core s before the load/store unit is full; it may be emptied from
     * memory_from on, the last of these to be filled from memory_ready on. */
    uint32_t memory_full;
    uint64_t memory_ready;
    uint64_t memory_from[SMRF_MAX_SUBCORES];
    /* Latches that hold an instruction, bit SMRF_UNITS_OF_SUB x sub-core + unit. */
    uint64_t full;
    /* Those before other units. start[t % SMRF_UNITS_STARTS]: their units take in cycle t, or try
     * to; starts: a bit for each that is not empty; far: their time is further away. */
    uint64_t far;
    uint64_t far_ready; /* first cycle in which one of `far` takes */
    uint32_t starts;
    /* Bit t % slots: in cycle t results are due. */
    uint64_t map[SMRF_UNITS_WHEEL / 64];
    uint32_t slots;                               /* a power of two */
    struct smrf_unit_timing timing[SMRF_TIMINGS]; /* of a class, of a kind */
    uint64_t start[SMRF_UNITS_STARTS];
    /* Of a latch, numbered as in `full`: the instruction in it; its unit. */
    uint16_t latched[SMRF_MAX_SUBCORES * SMRF_UNITS_OF_SUB];
    struct smrf_unit_busy unit[SMRF_MAX_SUBCORES * SMRF_UNITS_OF_SUB];
    struct smrf_units_stats stats;  /* busy_*: from busy, when asked */
    uint64_t busy[SMRF_UNIT_COUNT]; /* cycles */
    /* The wheel: slot t % slots lists what is due in cycle t, or a whole number of rounds later, in
     * the order in which it was put there. A round is no longer than the pipelines need, since all
     * of it is gone through again and again. */
    struct smrf_units_slot slot[SMRF_UNITS_WHEEL];
};

/* Returns 0 or SMRF_ERR_INVAL: a pipeline longer than a round of the wheel, or no sub-core. */
int smrf_units_init(struct smrf_units *u, const struct smrf_units_config *cfg,
                    struct smrf_flights *flights, const struct smrf_wires *wires);

/* Empty; counters zero. */
void smrf_units_reset(struct smrf_units *u);

/* The latch before a unit of a sub-core: its number. */
static inline unsigned smrf_units_latch_of(unsigned sub, unsigned unit)
{
    return sub * SMRF_UNITS_OF_SUB + unit;
}

/* Does it hold an instruction? */
static inline bool smrf_units_probe_full(const struct smrf_units *u, unsigned sub, unsigned unit)
{
    return u->full >> smrf_units_latch_of(sub, unit) & 1;
}

/* An instruction enters the latch before its unit in the present cycle, whose units have taken what
 * they could. Precondition: the latch is free. */
void smrf_units_dispatch(struct smrf_units *u, unsigned sub, uint32_t flight, uint64_t cycle);

/* Results that are due in a cycle go to write-back. */
void smrf_units_end(struct smrf_units *u, uint64_t cycle);

/* Might a result be due in this cycle? */
static inline bool smrf_units_probe_results(const struct smrf_units *u, uint64_t cycle)
{
    return u->slot[cycle & (u->slots - 1)].last != SMRF_UNITS_NOBODY;
}

/* Might a unit but the load/store unit take from its latch? */
static inline bool smrf_units_probe_starts(const struct smrf_units *u, uint64_t cycle)
{
    return u->start[cycle % SMRF_UNITS_STARTS] || u->far_ready <= cycle;
}

/* Units take from their latches, where a result bus is free and write-back has room: called in
 * every cycle for which smrf_units_probe_starts says so. Returns the sub-cores (bit s) in which
 * anything moved or may move in the next cycle. */
uint32_t smrf_units_start(struct smrf_units *u, uint64_t cycle);

/* The oldest instruction of all sub-cores that may leave for the load/store unit, SMRF_NO_FLIGHT:
 * none. */
uint32_t smrf_units_probe_memory(const struct smrf_units *u, uint64_t cycle);
/* It leaves. */
void smrf_units_take_memory(struct smrf_units *u, uint32_t flight);

/* The load/store unit has room: the oldest instruction that may leaves for it. Returns false: there
 * is none. */
static inline bool smrf_units_access(struct smrf_units *u, uint64_t cycle)
{
    const uint32_t flight = smrf_units_probe_memory(u, cycle);
    if (flight == SMRF_NO_FLIGHT || cycle < u->memory_next) {
        return false;
    }
    u->memory_next = cycle + u->memory_interval;
    smrf_units_take_memory(u, flight);
    u->wires->access(u->wires->ctx, flight);
    return true;
}

/* An instruction's results come at a given cycle, however far, without a pipeline. */
void smrf_units_schedule(struct smrf_units *u, uint32_t flight, uint64_t due);

/* Index of an instruction's timing, but for merges. */
static inline unsigned smrf_units_timing_kind(const struct smrf_static_inst *op)
{
    const unsigned tensor = op->op_class == SMRF_CLASS_TENSOR;
    const unsigned kind =
        (unsigned)SMRF_TIMING_IMMA - (unsigned)SMRF_CLASS_TENSOR + op->accumulators;
    const unsigned hmul2 = (op->flags & SMRF_INST_HMUL2) != 0;
    const unsigned product = (unsigned)SMRF_TIMING_HMUL2 - (unsigned)SMRF_CLASS_HALF;
    return op->op_class + tensor * kind + hmul2 * product;
}

static inline struct smrf_unit_timing smrf_units_timing_of(const struct smrf_units *u,
                                                           const struct smrf_static_inst *op)
{
    return u->timing[smrf_units_timing_kind(op)];
}

const struct smrf_units_stats *smrf_units_statistics(struct smrf_units *u);

/* First cycle from `cycle` on in which a unit or a result has work; SMRF_NEVER: none. */
uint64_t smrf_units_next(const struct smrf_units *u, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
