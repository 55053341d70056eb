/* SPDX-License-Identifier: Apache-2.0 */
/* State of an SM, shared by the files of this folder and by nothing else. */
#ifndef SMRF_SM_STATE_H
#define SMRF_SM_STATE_H

#include "sm.h"

#include "models/common/smrf_assert.h"
#include "models/frontend/icache.h"
#include "models/ldst/ldst.h"
#include "models/oracle/oracle.h"

#define SMRF_SM_SLOTS 2048       /* instructions in flight */
#define SMRF_SM_WHEEL 2048       /* completion wheel: longer than any unit's latency */
#define SMRF_SM_WRITE_QUEUE 1024 /* results of a bank that can wait: beyond what units can end */

/* A warp slot. */
struct smrf_sm_warp {
    void *block;            /* source's handle */
    uint64_t blocked_until; /* mechanism: no issue before this cycle */
    uint64_t check_again;   /* the dependence check asks to be repeated in this cycle */
    uint64_t left;          /* instructions not fetched yet */
    uint32_t index;         /* warp number within its block */
    uint32_t issued;        /* instructions issued so far */
    uint32_t inflight;      /* slots in flight */
    int32_t stores;         /* write answers awaited */
    uint16_t base;          /* first physical register of the sub-core */
    uint16_t registers;     /* physical registers held */
    uint16_t atomics;       /* atomics in flight */
    uint8_t block_slot;
    uint8_t head, count; /* instruction buffer */
    uint8_t head_unit;   /* unit that its head needs */
    bool resident, at_barrier, membar;
};

struct smrf_sm_block {
    void *handle;
    uint64_t warps;   /* bit w: warp slot w belongs to it and has not exited */
    uint64_t members; /* bit w: warp slots taken */
    uint64_t running; /* bit w: of warps, with instructions left to issue */
    uint64_t waiting; /* bit w: at the barrier */
};

struct smrf_sm_write {
    uint32_t slot;
    uint32_t dst;
};

/* Sub-core: masks have bit k for warp slot k x subcores + sub. */
struct smrf_sm_sub {
    struct smrf_subcore_blocks blocks;
    uint64_t resident, has_inst, ended, barrier, membar, blocked;
    uint64_t data, war, rename;          /* hazards of the head instruction */
    uint64_t timed;                      /* its hazards are looked at again in a given cycle */
    uint64_t long_op;                    /* its operand comes from memory */
    uint64_t head_unit[SMRF_UNIT_COUNT]; /* unit that the head instruction needs */
    uint32_t latch_full;                 /* bit u: issue latch of unit u occupied */
    uint32_t unit_full;                  /* bit u: latch before unit u occupied */
    uint32_t latch[SMRF_UNIT_COUNT];     /* slot in the issue latch */
    uint32_t unit_latch[SMRF_UNIT_COUNT];
    uint64_t unit_free[SMRF_UNIT_COUNT];  /* cycle from which the unit takes an instruction */
    uint64_t unit_ready[SMRF_UNIT_COUNT]; /* cycle from which the latch's content may leave */
    uint32_t queue_mask;                  /* bit b: results wait for bank b */
    uint16_t queue_head[SMRF_MAX_BANKS], queue_count[SMRF_MAX_BANKS];
    uint8_t stall; /* enum smrf_stall of the last cycle without issue */
    bool issued;
    struct smrf_sm_write queue[SMRF_MAX_BANKS][SMRF_SM_WRITE_QUEUE];
};

struct smrf_sm {
    struct smrf_sm_config cfg;
    struct smrf_sm_links links;
    struct smrf_sm_stats stats;
    struct smrf_ldst *ldst;
    struct smrf_oracle *oracle;
    struct smrf_rng rng;
    struct smrf_sm_kernel kernel;
    uint64_t cycle;    /* next cycle to simulate */
    uint64_t uid;      /* instructions issued */
    uint64_t launches; /* warps started: their age */
    uint64_t last_progress;
    uint64_t fetch_need; /* bit w: warp slot w wants instructions */
    uint64_t free_warps; /* bit w: warp slot w is free */
    uint64_t refill_at;  /* instruction cache: cycle of the next refill, SMRF_NEVER: none */
    uint32_t subs;
    uint32_t sub_shift; /* log2(subs) */
    uint32_t resident_warps, resident_blocks, resident_threads;
    uint32_t registers_used, shared_used;
    uint32_t free_blocks; /* bit b: block slot b is free */
    uint32_t placed;      /* blocks placed in the present cycle */
    uint32_t rows;        /* physical registers of a sub-core */
    uint32_t unit;        /* physical registers of a bit of rows_used */
    int32_t fetched;      /* warp fetched but not decoded yet, -1: none */
    uint32_t last_fetched;
    uint32_t latched_units;            /* bit u: an issue latch of unit u is occupied */
    uint32_t latched[SMRF_UNIT_COUNT]; /* bit s: .. in sub-core s */
    uint32_t issue_first;              /* sub-core whose scheduler goes first */
    int error;
    uint16_t id;
    uint16_t class_latency[SMRF_CLASS_COUNT], class_interval[SMRF_CLASS_COUNT];
    bool progress; /* something changed in this cycle */
    bool awake;    /* the next cycle must be simulated */
    bool more_blocks, wants_block;
    uint32_t free_count;
    uint32_t free_slots[SMRF_SM_SLOTS];
    uint32_t wheel[SMRF_SM_WHEEL]; /* first slot that ends in the cycle */
    uint32_t wheel_last[SMRF_SM_WHEEL];
    uint8_t wheel_results[SMRF_SM_WHEEL];
    uint64_t wheel_map[SMRF_SM_WHEEL / 64];
    struct smrf_sm_warp warp[SMRF_MAX_WARPS];
    struct smrf_sm_block block[SMRF_MAX_BLOCKS];
    uint64_t rows_used[SMRF_MAX_SUBCORES][64]; /* allocation map, 64 units a word */
    struct smrf_sm_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_icache icache; /* untouched if ideal */
    struct smrf_flight flight[SMRF_SM_SLOTS];
    struct smrf_inst ibuffer[SMRF_MAX_WARPS][2];
    struct smrf_values ibuffer_values[SMRF_MAX_WARPS][2];
    struct smrf_inst memory[SMRF_SM_SLOTS]; /* addresses of memory instructions in flight */
};

static inline unsigned smrf_sm_sub_of(const struct smrf_sm *sm, unsigned warp)
{
    return warp & (sm->subs - 1);
}

static inline unsigned smrf_sm_k_of(const struct smrf_sm *sm, unsigned warp)
{
    return warp >> sm->sub_shift;
}

static inline unsigned smrf_sm_warp_of(const struct smrf_sm *sm, unsigned sub, unsigned k)
{
    return (k << sm->sub_shift) | sub;
}

static inline const struct smrf_inst *smrf_sm_head(const struct smrf_sm *sm, unsigned warp)
{
    return &sm->ibuffer[warp][sm->warp[warp].head];
}

/* sm_front.c: instruction buffers, fetch, blocks, barriers */
void smrf_sm_fetch(struct smrf_sm *sm);
void smrf_sm_head_changed(struct smrf_sm *sm, unsigned warp);
void smrf_sm_check_exit(struct smrf_sm *sm, unsigned warp);
void smrf_sm_warp_ended(struct smrf_sm *sm, unsigned warp);
void smrf_sm_reach_barrier(struct smrf_sm *sm, unsigned warp);
bool smrf_sm_has_room(const struct smrf_sm *sm);
int smrf_sm_front_init(struct smrf_sm *sm);

/* sm_issue.c: issue stage */
void smrf_sm_issue_init(struct smrf_sm *sm);
void smrf_sm_issue(struct smrf_sm *sm);
void smrf_sm_issue_skip(struct smrf_sm *sm, unsigned sub, uint64_t n);
void smrf_sm_rehazard(struct smrf_sm *sm, unsigned warp);
void smrf_sm_collected(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i);
void smrf_sm_released(struct smrf_sm *sm, const struct smrf_flight *f, unsigned reg);

/* sm_collect.c: collectors, arbiter, dispatch */
void smrf_sm_collect_steps(struct smrf_sm *sm);

/* sm_probe.c: complete a finding of the oracle about physical register phys of a sub-core */
void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub, unsigned phys);

/* sm_exec.c: execution units, completion, write-back */
void smrf_sm_write_back(struct smrf_sm *sm);
void smrf_sm_execute(struct smrf_sm *sm);
uint64_t smrf_sm_exec_next(const struct smrf_sm *sm);
int smrf_sm_exec_init(struct smrf_sm *sm);

#endif
