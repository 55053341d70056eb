/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration: one uint32_t a parameter. The blocks' sections are gathered here,
 * one line each; the options of mechanisms lie behind them, where the registry of families puts
 * them. */
#ifndef SMRF_CONFIG_H
#define SMRF_CONFIG_H

#include "firmware/annotate/reuse_params.h"
#include "models/common/gpu_params.h"
#include "models/common/sim_params.h"
#include "models/common/sm_params.h"
#include "models/frontend/frontend_params.h"
#include "models/issue/issue_params.h"
#include "models/ldst/ldst_params.h"
#include "models/memory/memory_config.h"
#include "models/register_file/rf_params.h"
#include "models/sm/sm_config.h"
#include "models/tlm/bus_params.h"
#include "models/units/exec_params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* S(name, NAME): a section, in the order in which sections are listed. */
#define SMRF_SECTIONS(S)                                                                           \
    S(gpu, GPU)                                                                                    \
    S(sm, SM)                                                                                      \
    S(frontend, FRONTEND)                                                                          \
    S(issue, ISSUE)                                                                                \
    S(scoreboard, SCOREBOARD)                                                                      \
    S(reuse, REUSE)                                                                                \
    S(rf, RF)                                                                                      \
    S(exec, EXEC)                                                                                  \
    S(ldst, LDST)                                                                                  \
    S(l1d, L1D)                                                                                    \
    S(noc, NOC)                                                                                    \
    S(l2, L2)                                                                                      \
    S(dram, DRAM)                                                                                  \
    S(bus, BUS)                                                                                    \
    S(sim, SIM)

/* Values of the enumerations of all sections. */
#define SMRF_SECTION_VALUES(E)                                                                     \
    SMRF_ISSUE_VALUES(E)                                                                           \
    SMRF_REUSE_VALUES(E)                                                                           \
    SMRF_RF_VALUES(E)                                                                              \
    SMRF_LDST_VALUES(E)                                                                            \
    SMRF_L2_VALUES(E)                                                                              \
    SMRF_BUS_VALUES(E)                                                                             \
    SMRF_SIM_VALUES(E)

/* Index of every parameter of a block: SMRF_P_rf_banks, ... */
#define SMRF_PARAM_INDEX(section, name, ...) SMRF_P_##section##_##name,
#define SMRF_SECTION_INDEX(name, NAME) SMRF_##NAME##_PARAMS(SMRF_PARAM_INDEX)
enum smrf_param_index { SMRF_SECTIONS(SMRF_SECTION_INDEX) SMRF_SECTION_PARAMS };
#undef SMRF_SECTION_INDEX
#undef SMRF_PARAM_INDEX

#define SMRF_OPTIONS_MAX 512 /* of all families of mechanisms together */

#define SMRF_SECTION_FIELD(name, NAME) struct smrf_##name##_params name;
struct smrf_config {
    SMRF_SECTIONS(SMRF_SECTION_FIELD)
    uint32_t option[SMRF_OPTIONS_MAX];
};
#undef SMRF_SECTION_FIELD

/* Every block's parameter to its default; options are left as they are. */
static inline void smrf_config_default_sections(struct smrf_config *cfg)
{
#define SMRF_PARAM_DEFAULT(section, name, kind, def, ...) cfg->section.name = (def);
#define SMRF_SECTION_DEFAULT(name, NAME) SMRF_##NAME##_PARAMS(SMRF_PARAM_DEFAULT)
    SMRF_SECTIONS(SMRF_SECTION_DEFAULT)
#undef SMRF_SECTION_DEFAULT
#undef SMRF_PARAM_DEFAULT
}

/* What the SMs and the memory see of a configuration. */
static inline struct smrf_sm_config smrf_config_sm(const struct smrf_config *cfg)
{
    const struct smrf_sm_config part = {
        cfg->gpu, cfg->sm,   cfg->frontend, cfg->issue, cfg->scoreboard,
        cfg->rf,  cfg->exec, cfg->ldst,     cfg->l1d,   cfg->sim,
    };
    return part;
}
static inline struct smrf_memory_config smrf_config_memory(const struct smrf_config *cfg)
{
    const struct smrf_memory_config part = {cfg->gpu, cfg->noc, cfg->l2, cfg->dram,
                                            cfg->sim.view == SMRF_VIEW_SCOREBOARD};
    return part;
}

#ifdef __cplusplus
}
#endif

#endif
