/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of an SM and its blocks. */
#ifndef SMRF_SM_CONFIG_H
#define SMRF_SM_CONFIG_H

#include "models/arbiter/arbiter.h"
#include "models/common/gpu_params.h"
#include "models/common/sim_params.h"
#include "models/common/sm_params.h"
#include "models/frontend/frontend.h"
#include "models/issue/issue.h"
#include "models/ldst/ldst.h"
#include "models/oracle/oracle.h"
#include "models/register_file/rf_params.h"
#include "models/seam/mechanism.h"
#include "models/units/units.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_sm_config {
    struct smrf_gpu_params gpu;
    struct smrf_sm_params sm;
    struct smrf_frontend_params frontend;
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    struct smrf_rf_params rf;
    struct smrf_exec_params exec;
    struct smrf_ldst_params ldst;
    struct smrf_l1d_params l1d;
    struct smrf_sim_params sim;
};

/* What each block needs of it. */
static inline struct smrf_arbiter_config smrf_sm_config_arbiter(const struct smrf_sm_config *cfg)
{
    const struct smrf_arbiter_config part = {
        cfg->rf.banks,           cfg->rf.collectors,
        cfg->rf.collector_ports, smrf_collector_slots(&cfg->rf) * SMRF_MAX_SRC,
        cfg->rf.perfect != 0,    cfg->rf.collector_slots};
    return part;
}

static inline struct smrf_units_config smrf_sm_config_units(const struct smrf_sm_config *cfg,
                                                            const struct smrf_mechanism *mechanism)
{
    const struct smrf_units_config part = {
        cfg->exec, cfg->sm.subcores, cfg->issue.extra_latency + cfg->rf.extra_latency,
        mechanism->memory ? mechanism->memory->merge_cycles : 1, cfg->rf.read == SMRF_READ_WINDOW};
    return part;
}

static inline struct smrf_ldst_config smrf_sm_config_ldst(const struct smrf_sm_config *cfg)
{
    const struct smrf_ldst_config part = {cfg->gpu, cfg->sm, cfg->rf, cfg->ldst, cfg->l1d};
    return part;
}

static inline struct smrf_frontend_config smrf_sm_config_frontend(const struct smrf_sm_config *cfg)
{
    const struct smrf_frontend_config part = {cfg->gpu, cfg->sm, cfg->frontend, cfg->rf};
    return part;
}

static inline struct smrf_issue_config smrf_sm_config_issue(const struct smrf_sm_config *cfg,
                                                            uint32_t sub)
{
    const struct smrf_issue_config part = {cfg->issue, cfg->scoreboard, cfg->sm, cfg->rf,
                                           sub,        cfg->exec};
    return part;
}

/* mechanism: NULL where only the oracle's size matters. */
static inline struct smrf_oracle_config
smrf_sm_config_oracle(const struct smrf_sm_config *cfg, const struct smrf_mechanism *mechanism)
{
    const struct smrf_memory_seam *memory = mechanism ? mechanism->memory : NULL;
    const struct smrf_oracle_config part = {cfg->sim.check != 0,
                                            cfg->scoreboard.war != 0,
                                            memory != NULL,
                                            memory != NULL && memory->logs,
                                            !cfg->rf.base_registers_only,
                                            cfg->issue.dependence == SMRF_DEPENDENCE_CONTROL,
                                            cfg->sm.warps,
                                            SMRF_FLIGHTS};
    return part;
}

#ifdef __cplusplus
}
#endif

#endif
