/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual register file as a mechanism of its own: what the sharing of loaded registers is compared
 * with. */
#include "larf.h"

#include "models/seam/mechanism_stats.h"
#include "models/sm/sm_stats.h"

#include <string.h>

struct virtual_rf {
    struct smrf_vrf v;
    struct smrf_vrf_register reg[];
};

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    return sizeof(struct virtual_rf) + smrf_vrf_bytes(setup, setup->options);
}

static int init_(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct virtual_rf *s = m;
    (void)sm;
    s->v.reg = s->reg;
    smrf_vrf_init(&s->v, setup, setup->options);
    return SMRF_OK;
}

const char *smrf_larf_check_file(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_larf_params *o = setup->options;
    if (setup->rf.swizzle) {
        return "a physical register can have readers in several warps: use rf.swizzle=off";
    }
    if (!setup->war) {
        return "a result may be written in place: use scoreboard.war=on";
    }
    if (o->file_bytes > setup->sm.registers * 4) {
        return "larf.file_bytes is more than sm.registers x 4";
    }
    if (o->file_bytes % (SMRF_WARP_REG_BYTES * setup->sm.subcores)) {
        return "larf.file_bytes must be a multiple of 128 x sm.subcores";
    }
    return NULL;
}

/* --- seams ------------------------------------------------------------------------------------------ */

static const struct smrf_warp_seam warp = {.start = smrf_vrf_start, .exit = smrf_vrf_exit};
const struct smrf_allotment_seam smrf_vrf_allotment_seam = {.registers = smrf_vrf_registers};
const struct smrf_block_seam smrf_vrf_block_seam = {smrf_vrf_placed, smrf_vrf_finished};
static const struct smrf_rename_seam rename = {
    .source = smrf_vrf_source,
    .destination = smrf_vrf_destination,
    .ready = smrf_vrf_ready,
    .last_read = smrf_vrf_last_read,
    .probe = smrf_vrf_probe,
    .issued = smrf_vrf_issued,
    .written = smrf_vrf_written,
};

/* --- statistics and laws -------------------------------------------------------------------------- */

enum index { SMRF_VRF_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {SMRF_VRF_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_vrf *)m)->stats;
}

SMRF_LAW_SIDE(allocated_, OWN(allocated))
SMRF_LAW_SIDE(freed_, OWN(freed))
SMRF_LAW_SIDE(named_, OWN(named))
SMRF_LAW_SIDE(unnamed_, OWN(unnamed))
SMRF_LAW_SIDE(told_, OWN(by_program) + OWN(by_lookahead) + OWN(by_nobody))
SMRF_LAW_SIDE(warp_insts_, sm->warp_insts)
SMRF_LAW_SIDE(faults_freed_, OWN(faults_freed))
SMRF_LAW_SIDE(faults_names_, OWN(faults_names))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"physical registers", "taken", "given back", allocated_, freed_},
    {"names", "given to physical registers", "taken from them", named_, unnamed_},
    {"facts", "instructions of known and of unknown program", "issued", told_, warp_insts_},
    {"readers", "registers freed while somebody had to read them", "none", faults_freed_, zero_},
    {"references", "audits that found other than the counted names", "none", faults_names_, zero_},
};

/* --- the mechanism ------------------------------------------------------------------------------------ */

static const char *const defaults[] = {"rf.swizzle=off", "scoreboard.war=on", NULL};

const struct smrf_mechanism smrf_virtual_rf = {
    .name = "virtual-rf",
    .summary = "registers renamed, free at the death of their values, warps throttled when short",
    .family = &smrf_larf_family,
    .wants_program = true,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = smrf_vrf_attach,
    .rename = &rename,
    .warp = &warp,
    .allotment = &smrf_vrf_allotment_seam,
    .block = &smrf_vrf_block_seam,
    .check = smrf_larf_check_file,
    .counters = counters_,
    .num_counters = COUNTERS,
    .marks = SMRF_VRF_MARKS,
    .stats = stats,
    .num_stats = sizeof stats / sizeof *stats,
    .laws = laws,
    .num_laws = sizeof laws / sizeof *laws,
};

/* --- the family ------------------------------------------------------------------------------------------ */

static const struct smrf_param params[] = {SMRF_LARF_PARAMS(SMRF_PARAM_ROW)};
static const struct smrf_param_value values[] = {SMRF_LARF_VALUES(SMRF_PARAM_VALUE_ROW)};
static const struct smrf_mechanism *const mechanisms[] = {&smrf_virtual_rf, &smrf_larf_mechanism,
                                                         NULL};

const struct smrf_family smrf_larf_family = {
    .name = "larf",
    .options = {params, sizeof params / sizeof *params, values, sizeof values / sizeof *values},
    .mechanism = mechanisms,
};
