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
    struct smrf_sm_config cfg;
    struct smrf_sm_links links;
    struct smrf_sm_stats stats; /* what the script counts, and the blocks' when asked */
    struct smrf_ldst *ldst;
    struct smrf_ldst_inlet inlet;
    struct smrf_oracle *oracle;
    struct smrf_entry entry;
    uint64_t cycle; /* next cycle to simulate */
    uint64_t last_progress;
    uint32_t subs;
    uint32_t sub_shift;   /* log2(subs) */
    uint32_t issue_first; /* sub-core whose scheduler goes first */
    uint64_t naps[SMRF_MAX_SUBCORES]; /* cycles in which an issue stage slept, which it has not counted */
    uint32_t reading;     /* bit s: something else than collectors reads operands in sub-core s */
    uint16_t id;
    const char *refusal; /* why the mechanism cannot go on, NULL: it can */
    bool values;   /* of registers are looked at */
    bool progress; /* something changed in this cycle */
    bool awake;    /* the next cycle must be simulated */
    struct smrf_sm_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_frontend front;
    struct smrf_simt_out line; /* of the instruction that issues */
    struct smrf_services services;
    const struct smrf_watch *watch; /* NULL: nobody looks */
    struct smrf_issue_seams seams;  /* of the mechanism */
    uint16_t *readers;              /* [subs][smrf_readers_size] */
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

/* An issue stage counts the cycles in which it slept: before it is stepped, .. */
static inline void smrf_sm_count_nap(struct smrf_sm *sm, unsigned sub)
{
    if (sm->naps[sub]) {
        smrf_issue_skip(sm->sub[sub].blocks.issue, sm->naps[sub]);
        sm->naps[sub] = 0;
    }
}

/* .. and all do before who is resident changes, and before somebody outside looks. */
static inline void smrf_sm_count_naps(struct smrf_sm *sm)
{
    for (unsigned s = 0; s < sm->subs; s++) {
        smrf_sm_count_nap(sm, s);
    }
}

/* The issue stage of sub-core sub sleeps for n cycles. */
static inline void smrf_sm_nap(struct smrf_sm *sm, unsigned sub, uint64_t n)
{
    sm->naps[sub] += n;
    if (smrf_issue_probe_rotates(sm->sub[sub].blocks.issue)) {
        smrf_sm_count_nap(sm, sub);
    }
}

/* sm_wires.c: what passes between the front end, the issue stages and the rest */
int smrf_sm_connect(struct smrf_sm *sm);

/* sm_probe.c: complete a finding of the oracle about a register at a place of a sub-core; NULL: none
 * in particular */
void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub,
                    const struct smrf_register_place *place);

#endif
