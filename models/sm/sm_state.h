/* SPDX-License-Identifier: Apache-2.0 */
/* State of an SM, shared by the files of this folder and by nothing else. */
#ifndef SMRF_SM_STATE_H
#define SMRF_SM_STATE_H

#include "sm.h"

#include "models/common/smrf_assert.h"
#include "models/ldst/ldst.h"
#include "models/oracle/oracle.h"

#define SMRF_SM_WHEEL 2048       /* completion wheel: longer than any unit's latency */
#define SMRF_SM_WRITE_QUEUE 1024 /* results of a bank that can wait: beyond what units can end */

struct smrf_sm_write {
    uint32_t slot;
    uint32_t dst;
};

struct smrf_sm_sub {
    struct smrf_subcore_blocks blocks;
    uint32_t unit_full; /* bit u: latch before unit u occupied */
    uint32_t unit_latch[SMRF_UNIT_COUNT];
    uint64_t unit_free[SMRF_UNIT_COUNT];  /* cycle from which the unit takes an instruction */
    uint64_t unit_ready[SMRF_UNIT_COUNT]; /* cycle from which the latch's content may leave */
    uint32_t queue_mask;                  /* bit b: results wait for bank b */
    uint16_t queue_head[SMRF_MAX_BANKS], queue_count[SMRF_MAX_BANKS];
    struct smrf_sm_write queue[SMRF_MAX_BANKS][SMRF_SM_WRITE_QUEUE];
};

struct smrf_sm {
    struct smrf_sm_config cfg;
    struct smrf_sm_links links;
    struct smrf_sm_stats stats;
    struct smrf_ldst *ldst;
    struct smrf_oracle *oracle;
    struct smrf_rng rng;
    uint64_t cycle; /* next cycle to simulate */
    uint64_t last_progress;
    uint32_t subs;
    uint32_t sub_shift;   /* log2(subs) */
    uint32_t issue_first; /* sub-core whose scheduler goes first */
    uint16_t id;
    bool progress;                 /* something changed in this cycle */
    bool awake;                    /* the next cycle must be simulated */
    uint32_t wheel[SMRF_SM_WHEEL]; /* first slot that ends in the cycle */
    uint32_t wheel_last[SMRF_SM_WHEEL];
    uint8_t wheel_results[SMRF_SM_WHEEL];
    uint64_t wheel_map[SMRF_SM_WHEEL / 64];
    struct smrf_sm_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_frontend front;
    struct smrf_flights flights;
    struct smrf_flight flight[SMRF_MAX_FLIGHTS];
    struct smrf_inst memory[SMRF_MAX_FLIGHTS]; /* addresses of memory instructions in flight */
};

static inline unsigned smrf_sm_sub_of(const struct smrf_sm *sm, unsigned warp)
{
    return warp & (sm->subs - 1);
}

static inline unsigned smrf_sm_k_of(const struct smrf_sm *sm, unsigned warp)
{
    return warp >> sm->sub_shift;
}

/* The issue stage of a warp. */
static inline struct smrf_issue *smrf_sm_issue_of(const struct smrf_sm *sm, unsigned warp)
{
    return sm->sub[smrf_sm_sub_of(sm, warp)].blocks.issue;
}

/* sm_wires.c: what passes between the front end, the issue stages and the rest */
int smrf_sm_connect(struct smrf_sm *sm);

/* sm_collect.c: collectors, arbiter, dispatch */
void smrf_sm_collect_steps(struct smrf_sm *sm);
int smrf_sm_pick_collector(struct smrf_sm *sm, unsigned sub, unsigned warp);

/* sm_probe.c: complete a finding of the oracle about physical register phys of a sub-core */
void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub, unsigned phys);

/* sm_exec.c: execution units, completion, write-back */
void smrf_sm_write_back(struct smrf_sm *sm);
void smrf_sm_execute(struct smrf_sm *sm);
uint64_t smrf_sm_exec_next(const struct smrf_sm *sm);
int smrf_sm_exec_init(struct smrf_sm *sm);

#endif
