/* SPDX-License-Identifier: Apache-2.0 */
/* State of an SM, shared by the files of this folder and by nothing else. */
#ifndef SMRF_SM_STATE_H
#define SMRF_SM_STATE_H

#include "sm.h"

#include "models/common/smrf_layout.h"
#include "models/estimate/estimate.h"
#include "models/oracle/checker.h"

struct smrf_sm {
    uint64_t cycle; /* next cycle to simulate */
    uint64_t last_progress;
    uint64_t others; /* first cycle in which any but the load/store unit has work; 0: the next */
    bool progress;   /* something changed in this cycle */
    bool values;     /* values of registers are moved in this kernel */
    struct smrf_estimate *estimate; /* its sub-cores in the view scoreboard; NULL: in others */
    struct smrf_ldst *ldst;
    struct smrf_sm_stats stats; /* of the script; the blocks' are gathered on request */
    struct smrf_sm_links links;
    struct smrf_subcores subcores;
    struct smrf_oracle *oracle;
    struct smrf_checker checker;
    uint16_t id;
    const char *refusal; /* why the mechanism cannot go on, NULL: it can */
    struct smrf_frontend front;
    struct smrf_services services;
    struct smrf_sm_config cfg;
};

/* sm_services.c: the mechanism may call them from now on */
void smrf_sm_offer_services(struct smrf_sm *sm);

/* sm_estimate.c: as smrf_sm_run, without a loop over cycles */
enum smrf_sm_stop smrf_sm_run_estimate(struct smrf_sm *sm, uint64_t until);
/* Lay the state out, and its warps, which are in use all the time; NULL in other views. */
void *smrf_sm_lay_out_estimate(struct smrf_layout *a, const struct smrf_sm_config *cfg);
void *smrf_sm_lay_out_estimate_warps(struct smrf_layout *a, const struct smrf_sm_config *cfg);
int smrf_sm_init_estimate(struct smrf_sm *sm, void *state, void *warps);

#endif
