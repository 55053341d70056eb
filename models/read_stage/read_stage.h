/* SPDX-License-Identifier: Apache-2.0 */
/* Read stages of a sub-core, in the place of operand collectors: Control, Allocate and the stages
 * that read. An instruction of fixed latency leaves Allocate when the banks' read ports have room
 * for its operands within a window of cycles, and reads and executes at fixed times from then on;
 * one of variable latency goes from Control into the queue before its unit. An instruction that
 * cannot leave Control stops the issue of all warps of the sub-core; a conflict has no other
 * effect. A merge of a load's registers (seam `memory`) has a queue of its own, for one, and reads
 * in the first free cycles of its banks.
 *
 *   issue t | Control t+1 | Allocate t+2 .. | reads, `window` cycles | unit
 *
 * Two orders of reads are known. Late: a bank serves its reads in the order of issue, each
 * instruction's in the last cycles of its window. Early: each takes the first free cycles of its
 * window. Source: Huerta MICRO 2025 5; late: clock windows of an A100 (docs/modern-core.md). */
#ifndef SMRF_READ_STAGE_H
#define SMRF_READ_STAGE_H

#include "reuse_cache.h"

#include "models/collector/collector.h"
#include "models/collector/reading.h"
#include "models/units/exec_params.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_READ_STAGE_ENTRIES 48 /* instructions in stages and queues */
#define SMRF_READ_STAGE_QUEUE 8    /* most that wait before a unit */

/* An instruction that reads, or waits to. */
struct smrf_read_entry {
    uint32_t flight;
    uint32_t missing; /* bit i: source i is to be read from its bank */
    uint64_t issued;
    uint64_t leaves;    /* cycle in which it goes to its unit */
    uint64_t collected; /* cycle in which its sources have been read */
    bool reported;      /* they have */
    bool looked_up;     /* the operand cache has been asked; */
    uint32_t held;      /* bit i: it holds source i */
    struct smrf_reuse_cache_plan reuse;
    uint64_t at[SMRF_MAX_SRC]; /* cycle of each read */
};

/* Instructions of variable latency that wait before a unit, the oldest first. The first reads, then
 * leaves for the latch before the unit, and keeps its place until the unit takes it from there. */
struct smrf_read_queue {
    uint8_t head, count;
    bool started; /* the first reads, or has left */
    uint8_t entry[SMRF_READ_STAGE_QUEUE];
    uint64_t next; /* cycle from which the next may leave */
};

/* Used if values are checked. */
struct smrf_read_stage_store {
    struct smrf_operand_latches latches[SMRF_READ_STAGE_ENTRIES];
};

struct smrf_read_stage_config {
    struct smrf_rf_params rf;
    struct smrf_exec_params exec;
    uint32_t sub;
};

struct smrf_read_stage {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    struct smrf_operand_latches *latches; /* [SMRF_READ_STAGE_ENTRIES], of its store */
    struct smrf_read_stage_config cfg;
    uint32_t free;   /* bit 0: an instruction may issue in this cycle */
    uint32_t queued; /* bit 0: what Control holds waits for the queue of its unit */
    uint64_t held;   /* cycles in which Allocate held one */
    /* Stages: number of an entry, SMRF_READ_STAGE_ENTRIES: empty. */
    uint8_t coming, control, allocate;
    uint64_t used;       /* bit e: entry e is */
    uint64_t reading;    /* it has left Allocate or its queue, and has not gone to its unit yet */
    uint32_t units_full; /* bit u: the latch before unit u */
    uint32_t written;    /* bit b: the write port of bank b is taken in this cycle */
    uint64_t unit_next[SMRF_UNIT_COUNT]; /* cycle from which a unit takes another */
    uint64_t last_read[SMRF_MAX_BANKS];  /* late: cycle of the last read; */
    uint64_t busy[SMRF_MAX_BANKS];       /* early: bit n: the port is taken n cycles from `base` */
    uint64_t base;
    uint32_t results[SMRF_MAX_BANKS];     /* that wait for the write port */
    uint32_t last_number[SMRF_MAX_WARPS]; /* of a warp's instructions: smaller: another warp */
    struct smrf_read_queue queue[SMRF_UNIT_COUNT];
    struct smrf_reuse_cache reuse;
    struct smrf_collector_stats stats;
    struct smrf_read_entry entry[SMRF_READ_STAGE_ENTRIES];
};

/* store: its own, for as long as it is in use. Returns 0 or SMRF_ERR_INVAL: no such window. */
int smrf_read_stage_init(struct smrf_read_stage *r, struct smrf_read_stage_store *store,
                         const struct smrf_read_stage_config *cfg, struct smrf_flights *flights,
                         const struct smrf_wires *wires);
void smrf_read_stage_reset(struct smrf_read_stage *r);

/* An instruction issues: it is in Control in the next cycle. Precondition: free. */
void smrf_read_stage_enter(struct smrf_read_stage *r, uint32_t flight, uint64_t cycle);
/* A merge enters; there is room for one. */
static inline bool smrf_read_stage_vacant(const struct smrf_read_stage *r)
{
    return r->queue[SMRF_UNIT_MERGE].count == 0;
}
void smrf_read_stage_merge(struct smrf_read_stage *r, uint32_t flight, uint64_t cycle);
/* A result of fixed latency is due: the bypass, and the result queue of its bank. */
void smrf_read_stage_forward(struct smrf_read_stage *r, const struct smrf_write *w);
/* Take a bank's write port for another result. Returns false if it is taken. */
bool smrf_read_stage_port(struct smrf_read_stage *r, unsigned bank);
/* The latch before a unit is free again. */
void smrf_read_stage_drained(struct smrf_read_stage *r, unsigned unit);
/* A cycle: reads, dispatches, Allocate, Control. Returns whether anything moved. */
bool smrf_read_stage_step(struct smrf_read_stage *r, uint64_t cycle);
/* First cycle from `cycle` on in which a step has work; SMRF_NEVER: none. */
uint64_t smrf_read_stage_next(const struct smrf_read_stage *r, uint64_t cycle);

/* Where an instruction in flight is: "Control", ..; NULL: not here. */
const char *smrf_read_stage_place(const struct smrf_read_stage *r, uint32_t flight);

/* As struct smrf_reading has it. */
struct smrf_reading smrf_read_stage_reading(struct smrf_read_stage *r);

#ifdef __cplusplus
}
#endif

#endif
