/* SPDX-License-Identifier: Apache-2.0 */
/* State of an SM, shared by the files of this folder and by nothing else. */
#ifndef SMRF_SM_STATE_H
#define SMRF_SM_STATE_H

#include "sm.h"
#include "watch.h"

#include "models/collector/entry.h"
#include "models/common/smrf_assert.h"
#include "models/ldst/inlet.h"
#include "models/oracle/oracle.h"

struct smrf_sm_sub {
    struct smrf_subcore_blocks blocks;
};

struct smrf_sm {
    uint64_t cycle; /* next cycle to simulate */
    uint64_t last_progress;
    uint64_t others;   /* first cycle in which any but the load/store unit has work; 0: the next */
    uint64_t alarm;    /* first cycle in which time alone wakes an issue stage that sleeps */
    uint32_t stirred;  /* bit s: the issue stage of sub-core s does not sleep */
    uint32_t rotating; /* bit s: its scheduler's lists go round while it does */
    uint32_t subs;
    uint32_t sub_shift; /* log2(subs) */
    uint32_t twice;     /* a mask of sub-cores times this: once more behind itself */
    uint32_t steps;     /* of operand collection in a cycle */
    struct smrf_collectors_status collecting; /* of its collectors */
    uint32_t requested;                       /* bit s: reads wait at its arbiter */
    uint32_t reading; /* bit s: something else than collectors reads operands there */
    bool fed;         /* a free collector wakes an issue stage, too */
    bool progress;    /* something changed in this cycle */
    bool heard_issue; /* somebody hears of every instruction that issues .. */
    bool heard_end;   /* .. or that ends */
    bool values;      /* of registers are looked at */
    uint64_t counted[SMRF_MAX_SUBCORES]; /* active cycles that an issue stage has counted */
    const struct smrf_watch *watch;      /* NULL: nobody looks */
    struct smrf_ldst *ldst;
    struct smrf_sm_stats stats; /* what the script counts, and the blocks' when asked */
    struct smrf_entry entry;
    struct smrf_sm_links links;
    struct smrf_sm_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_ldst_inlet inlet;
    struct smrf_oracle *oracle;
    uint16_t id;
    const char *refusal; /* why the mechanism cannot go on, NULL: it can */
    struct smrf_frontend front;
    struct smrf_simt_out line; /* of the instruction that issues */
    struct smrf_services services;
    uint16_t *readers; /* [subs][smrf_readers_size] */
    struct smrf_frontend_store *fetched;
    struct smrf_sm_config cfg;
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

/* Something has changed: the next cycle must be simulated. */
static inline void smrf_sm_awaken(struct smrf_sm *sm)
{
    sm->others = 0;
    sm->progress = true;
}

/* An issue stage counts the cycles that have passed without it: before it is stepped, .. */
static inline void smrf_sm_count_nap(struct smrf_sm *sm, unsigned sub)
{
    const uint64_t passed = sm->stats.active_cycles;
    if (sm->counted[sub] < passed) {
        smrf_issue_skip(sm->sub[sub].blocks.issue, passed - sm->counted[sub]);
        sm->counted[sub] = passed;
    }
}

/* .. and all do before who is resident changes, and before somebody outside looks. */
static inline void smrf_sm_count_naps(struct smrf_sm *sm)
{
    for (unsigned s = 0; s < sm->subs; s++) {
        smrf_sm_count_nap(sm, s);
    }
}

/* sm_collect.c: a cycle's steps of operand collection */
void smrf_sm_collect(struct smrf_sm *sm);
/* .. first cycle in which time alone brings work to the operands of a sub-core */
uint64_t smrf_sm_operands_next(const struct smrf_sm *sm);

/* sm_wires.c: what passes between the front end, the issue stages and the rest */
int smrf_sm_connect(struct smrf_sm *sm);
/* Who hears of instructions is otherwise. */
void smrf_sm_look_for_hearers(struct smrf_sm *sm);

/* sm_probe.c: complete a finding of the oracle about a register at a place of a sub-core; NULL:
 * none in particular */
void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub,
                    const struct smrf_register_place *place);

#endif
