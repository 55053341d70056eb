/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms that rename registers, what they publish, and what must hold in every run: virtual-rf,
 * with which the sharing of loaded registers is compared, and larf, which has all of it and
 * more. */
#include "larf.h"

#include "models/counters/sm_stats.h"
#include "models/seam/mechanism_define.h"

/* --- the virtual register file's state -------------------------------------------------------- */

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

/* --- what they cannot do ---------------------------------------------------------------------- */

static const char *check_file_(const struct smrf_mechanism_setup *setup)
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

static const char *check_larf_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_larf_params *o = setup->options;
    if (o->table && setup->rf.collector_slots > 1) {
        return "a unit that merges holds one instruction: use rf.collector_slots=1";
    }
    if (o->table && o->partial && setup->rf.read != SMRF_READ_WINDOW && setup->rf.collectors < 2) {
        return "partial sharing takes a collector unit of its own: use rf.collectors of 2 or more, "
               "or larf.partial=off";
    }
    return check_file_(setup);
}

/* --- statistics: those of larf, the virtual register file's last ------------------------------ */

enum index {
    SMRF_VRF_STATS(SMRF_MECHANISM_INDEX) VRF_COUNTERS,
    BEFORE_LARF = VRF_COUNTERS - 1,
    SMRF_LARF_STATS(SMRF_MECHANISM_INDEX) LARF_COUNTERS
};
_Static_assert(LARF_COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");
_Static_assert(offsetof(struct smrf_larf, stats) == offsetof(struct smrf_larf, v) +
                                                        offsetof(struct smrf_vrf, stats) +
                                                        sizeof(struct smrf_vrf_stats),
               "the counters are one array");

static const struct smrf_mechanism_stat stats[] = {
    {"perfect_ratio", "", "perfect_shares / loads", INDEX_perfect_shares, INDEX_loads},
    {"partial_ratio", "", "partial_shares / loads", INDEX_partial_shares, INDEX_loads},
    {"register_ratio", "", "peak_registers / peak_names; sharing saves the rest",
     INDEX_peak_registers, INDEX_peak_names},
    SMRF_LARF_STATS(SMRF_MECHANISM_ROW) SMRF_VRF_STATS(SMRF_MECHANISM_ROW)};

#define NUM_STATS (sizeof stats / sizeof *stats)

static const uint64_t *counters_(const void *m) /* of either: its state begins with the file's */
{
    return (const uint64_t *)&((const struct smrf_vrf *)m)->stats;
}

#define MARKS (UINT64_C(15) << INDEX_peak_registers)

/* --- laws: the virtual register file's first -------------------------------------------------- */

SMRF_LAW_SIDE(allocated_, OWN(allocated))
SMRF_LAW_SIDE(freed_, OWN(freed))
SMRF_LAW_SIDE(named_, OWN(named))
SMRF_LAW_SIDE(unnamed_, OWN(unnamed))
SMRF_LAW_SIDE(told_, OWN(by_program) + OWN(by_lookahead) + OWN(by_nobody))
SMRF_LAW_SIDE(issued_, sm->warp_insts + sm->further_steps)
SMRF_LAW_SIDE(loads_, OWN(loads))
SMRF_LAW_SIDE(fates_, OWN(issued) + OWN(perfect_shares) + OWN(partial_shares))
SMRF_LAW_SIDE(perfect_, OWN(perfect_shares))
SMRF_LAW_SIDE(shared_loads_, sm->shared_loads)
SMRF_LAW_SIDE(registers_, OWN(perfect_registers))
SMRF_LAW_SIDE(shared_writes_, sm->shared_writes)
SMRF_LAW_SIDE(partial_, OWN(partial_shares))
SMRF_LAW_SIDE(merged_loads_, sm->merged_loads)
SMRF_LAW_SIDE(inserted_, OWN(inserted))
SMRF_LAW_SIDE(gone_,
              OWN(replaced) + OWN(invalidated) + OWN(emptied) + OWN(deaths) + OWN(unrecorded))
SMRF_LAW_SIDE(faults_freed_, OWN(faults_freed))
SMRF_LAW_SIDE(faults_names_, OWN(faults_names))
SMRF_LAW_SIDE(faults_entries_, OWN(faults_entries))
SMRF_LAW_SIDE(stale_local_, OWN(stale_local))
SMRF_LAW_SIDE(zero_, 0)

#define VRF_LAWS 5
static const struct smrf_mechanism_law laws[] = {
    {"physical registers", "taken", "given back", allocated_, freed_},
    {"names", "given to physical registers", "taken from them", named_, unnamed_},
    {"facts", "instructions of known and of unknown program", "issued", told_, issued_},
    {"readers", "registers freed while somebody had to read them", "none", faults_freed_, zero_},
    {"references", "audits that found other than the counted names", "none", faults_names_, zero_},
    {"loads", "looked at", "issued + shared + merged", loads_, fates_},
    {"shared loads", "perfect shares", "loads that the load/store unit shared", perfect_,
     shared_loads_},
    {"bank writes", "registers shared", "results that no bank was written", registers_,
     shared_writes_},
    {"merged loads", "partial shares", "loads that the load/store unit merged", partial_,
     merged_loads_},
    {"entries", "entries made", "replaced, invalidated, emptied, dead, not recorded", inserted_,
     gone_},
    {"mapped entries", "entries of registers that nobody names", "none", faults_entries_, zero_},
    {"coherence", "uses of bytes that a store of the same SM had changed", "none", stale_local_,
     zero_},
};

/* --- the mechanisms --------------------------------------------------------------------------- */

static const char *const defaults[] = {"rf.swizzle=off", "scoreboard.war=on", NULL};
static const struct smrf_allotment_seam vrf_allotment = {.registers = smrf_vrf_registers};
static const struct smrf_allotment_seam larf_allotment = {.registers = smrf_larf_registers};
static const struct smrf_block_seam block = {
    .placed = smrf_vrf_placed,
    .finished = smrf_vrf_finished,
};
static const struct smrf_warp_seam vrf_warp = {.start = smrf_vrf_start, .exit = smrf_vrf_exit};
static const struct smrf_warp_seam larf_warp = {.start = smrf_vrf_start, .exit = smrf_larf_exit};

#define RENAME(ISSUED)                                                                             \
    {                                                                                              \
        .source = smrf_vrf_source, .destination = smrf_vrf_destination, .ready = smrf_vrf_ready,   \
        .last_read = smrf_vrf_last_read, .probe = smrf_vrf_probe, .issued = ISSUED,                \
        .written = smrf_vrf_written,                                                               \
    }
static const struct smrf_rename_seam vrf_rename = RENAME(smrf_vrf_issued);
static const struct smrf_rename_seam larf_rename = RENAME(smrf_larf_issued);

const struct smrf_mechanism smrf_virtual_rf = {
    .with_read_stages = true,
    .name = "virtual-rf",
    .summary = "registers renamed, free at the death of their values, warps throttled when short",
    .family = &smrf_larf_family,
    .wants_program = true,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = smrf_vrf_attach,
    .rename = &vrf_rename,
    .warp = &vrf_warp,
    .allotment = &vrf_allotment,
    .block = &block,
    .check = check_file_,
    .counters = counters_,
    .num_counters = VRF_COUNTERS,
    .marks = MARKS,
    .stats = stats + NUM_STATS - VRF_COUNTERS,
    .num_stats = VRF_COUNTERS,
    .laws = laws,
    .num_laws = VRF_LAWS,
};

const struct smrf_mechanism smrf_larf_mechanism = {
    .with_read_stages = true,
    .name = "larf",
    .summary = "virtual-rf, and warps share the registers of equal and of overlapping loads",
    .family = &smrf_larf_family,
    .wants_program = true,
    .defaults = defaults,
    .bytes = smrf_larf_bytes,
    .init = smrf_larf_init,
    .attach = smrf_vrf_attach,
    .rename = &larf_rename,
    .memory = &smrf_larf_memory_seam,
    .allocation = &smrf_larf_allocation_seam,
    .warp = &larf_warp,
    .allotment = &larf_allotment,
    .block = &block,
    .gpu = &smrf_larf_gpu_seam,
    .check = check_larf_,
    .counters = counters_,
    .num_counters = LARF_COUNTERS,
    .marks = MARKS | UINT64_C(3) << INDEX_entry_bits,
    .stats = stats,
    .num_stats = NUM_STATS,
    .laws = laws,
    .num_laws = sizeof laws / sizeof *laws,
};

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY_OF_VALUES(smrf_larf_family, "larf", SMRF_LARF_PARAMS, SMRF_LARF_VALUES,
                                &smrf_virtual_rf, &smrf_larf_mechanism);
