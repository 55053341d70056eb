/* SPDX-License-Identifier: Apache-2.0 */
/* The cores of a sub-core's blocks, where one owner keeps them all. */
#ifndef SMRF_SUBCORE_CORES_H
#define SMRF_SUBCORE_CORES_H

#include "subcore.h"

#include "models/frontend/constant_l0.h"
#include "models/frontend/l0.h"
#include "models/read_stage/read_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_subcore_cores {
    struct smrf_issue issue;
    struct smrf_collectors collectors;
    struct smrf_reading reading;
    struct smrf_read_stage read_stage; /* with rf.read=window */
    struct smrf_operand_cache cache;
    struct smrf_arbiter arbiter;
    struct smrf_xbar xbar;
    struct smrf_bank bank[SMRF_MAX_BANKS];
    struct smrf_l0 l0;            /* with frontend.l0_bytes */
    struct smrf_icache constants; /* with frontend.constant_bytes */
};

/* What they use seldom, apart from them. */
struct smrf_subcore_store {
    struct smrf_collectors_store collectors;
    struct smrf_arbiter_store arbiter;
    struct smrf_issue_store issue;
    struct smrf_read_stage_store read_stage;
    struct smrf_icache_line l0_line[SMRF_L0_LINES];
    struct smrf_icache_line constant_line[SMRF_CONSTANT_LINES];
};

struct smrf_subcore_setup {
    struct smrf_issue_config issue; /* its sub is the sub-core's number */
    struct smrf_frontend_params frontend;
    struct smrf_arbiter_config arbiter;
    uint32_t rows;                              /* of a bank */
    struct smrf_bank_row *row;                  /* of the sub-core's banks, one behind the other */
    struct smrf_bank_tag *tags;                 /* of them */
    const struct smrf_issue_parts *issue_parts; /* NULL: the issue stage's own */
    const struct smrf_reading *reading;         /* NULL: as rf.read says */
    struct smrf_flights *flights;
    const struct smrf_wires *wires;
    const struct smrf_mechanism *mechanism;
    void *mechanism_state;
};

/* Initialises the cores and names them in *blocks. Returns 0 or SMRF_ERR_INVAL. */
int smrf_subcore_cores_init(struct smrf_subcore_cores *c, struct smrf_subcore_store *store,
                            const struct smrf_subcore_setup *setup,
                            struct smrf_subcore_blocks *blocks);

/* The latch before a unit is free again. */
static inline void smrf_subcore_drained(struct smrf_subcore_cores *c, unsigned unit)
{
    if (c->reading.ops) {
        c->reading.ops->drained(c->reading.state, unit);
    } else {
        smrf_collectors_drained(&c->collectors, unit);
    }
}

/* Can a merge of a load's registers enter, and it does: a collector, or the read stages. */
static inline bool smrf_subcore_vacant(const struct smrf_subcore_cores *c, unsigned collector)
{
    return c->reading.ops ? c->reading.ops->vacant(c->reading.state)
                          : c->collectors.free_mask >> collector & 1;
}
static inline void smrf_subcore_merge(struct smrf_subcore_cores *c, unsigned collector,
                                      uint32_t flight, uint64_t cycle)
{
    if (c->reading.ops) {
        c->reading.ops->merge(c->reading.state, flight, cycle);
    } else {
        smrf_collectors_enter(&c->collectors, collector, flight);
    }
}

/* Take a bank for a write in this step. Returns false if it is taken. */
static inline bool smrf_subcore_take_port(struct smrf_subcore_cores *c, unsigned bank)
{
    return c->reading.ops ? c->reading.ops->port(c->reading.state, bank)
                          : smrf_arbiter_take_write(&c->arbiter, bank);
}

#ifdef __cplusplus
}
#endif

#endif
