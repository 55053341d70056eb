/* SPDX-License-Identifier: Apache-2.0 */
/* State of an SM, shared by the files of this folder and by nothing else. */
#ifndef SMRF_SM_STATE_H
#define SMRF_SM_STATE_H

#include "sm.h"
#include "watch.h"

#include "models/common/smrf_assert.h"
#include "models/ldst/inlet.h"
#include "models/oracle/oracle.h"

struct smrf_sm {
    uint64_t cycle; /* next cycle to simulate */
    uint64_t last_progress;
    uint64_t others; /* first cycle in which any but the load/store unit has work; 0: the next */
    bool progress;   /* something changed in this cycle */
    bool has_issue_listener;        /* of every instruction that issues .. */
    bool has_end_listener;          /* .. or that ends */
    bool values;                    /* of registers are looked at */
    const struct smrf_watch *watch; /* NULL: nobody looks */
    struct smrf_ldst *ldst;
    struct smrf_sm_stats stats; /* what the script counts, and the blocks' when asked */
    struct smrf_sm_links links;
    struct smrf_subcores subcores;
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

/* Something has changed: the next cycle must be simulated. */
static inline void smrf_sm_awaken(struct smrf_sm *sm)
{
    sm->others = 0;
    sm->progress = true;
}

/* Sleeping issue stages have counted all cycles so far. */
static inline void smrf_sm_settle_issue(struct smrf_sm *sm)
{
    smrf_subcores_settle(&sm->subcores, sm->stats.active_cycles);
}

/* sm_wires.c: what passes between the front end, the issue stages and the rest */
int smrf_sm_connect(struct smrf_sm *sm);
/* The listeners to instructions have changed. */
void smrf_sm_find_listeners(struct smrf_sm *sm);

/* sm_probe.c: complete a finding of the oracle about a register at a place of a sub-core; NULL:
 * none in particular */
void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub,
                    const struct smrf_register_place *place);

#endif
