/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanisms of CARS, what they publish, and what must hold in every run. */
#include "cars.h"

#include "models/counters/sm_stats.h"
#include "models/seam/mechanism_define.h"

/* --- statistics ----------------------------------------------------------------------------- */

enum index { SMRF_CARS_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"trap_ratio", "", "traps / calls", INDEX_traps, INDEX_calls},
    {"bytes_per_call", "bytes", "spilled / calls", INDEX_bytes_spilled, INDEX_calls},
    SMRF_CARS_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_cars *)m)->stats;
}

/* --- laws ----------------------------------------------------------------------------------- */

SMRF_LAW_SIDE(pushes_, OWN(pushes))
SMRF_LAW_SIDE(pops_, OWN(pops) + OWN(dropped))
SMRF_LAW_SIDE(spilled_, OWN(bytes_spilled))
SMRF_LAW_SIDE(filled_, OWN(bytes_filled) + OWN(bytes_dropped))
SMRF_LAW_SIDE(frames_, OWN(frames))
SMRF_LAW_SIDE(released_, OWN(released))
SMRF_LAW_SIDE(calls_, OWN(calls))
SMRF_LAW_SIDE(frames_and_memory_, OWN(frames) + OWN(memory_frames))
SMRF_LAW_SIDE(traced_, OWN(spills_traced))
SMRF_LAW_SIDE(removed_and_left_, OWN(spills_removed) + OWN(spills_left))
SMRF_LAW_SIDE(removed_, OWN(spills_removed))
SMRF_LAW_SIDE(not_issued_, sm->removed_insts)
SMRF_LAW_SIDE(taken_, OWN(rows_taken))
SMRF_LAW_SIDE(given_, OWN(rows_given))
SMRF_LAW_SIDE(out_, OWN(switches))
SMRF_LAW_SIDE(in_, OWN(switched_in))
SMRF_LAW_SIDE(bounds_, OWN(faults_bounds))
SMRF_LAW_SIDE(rows_, OWN(faults_rows))
SMRF_LAW_SIDE(stalled_, OWN(faults_stalled))
SMRF_LAW_SIDE(simt_, OWN(faults_frames))
SMRF_LAW_SIDE(free_, OWN(faults_free))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"pushes", "registers pushed", "popped + of frames dropped at exit", pushes_, pops_},
    {"spilled bytes", "bytes spilled", "filled + dropped", spilled_, filled_},
    {"frames", "frames entered in registers", "released, once each", frames_, released_},
    {"calls", "frames entered", "in registers + in memory", calls_, frames_and_memory_},
    {"spills", "saves and restores traced", "removed + left", traced_, removed_and_left_},
    {"removed", "saves and restores removed", "instructions not issued", removed_, not_issued_},
    {"rows", "registers given to warps", "given back: all are free at the end", taken_, given_},
    {"switches", "warps switched out", "switched in again", out_, in_},
    {"stack bounds", "stacks outside of 0 <= RSP - RFP <= size", "none", bounds_, zero_},
    {"allotments", "sub-cores with more registers given than they have", "none", rows_, zero_},
    {"stalled warps", "instructions issued by warps without registers", "none", stalled_, zero_},
    {"SIMT stack", "lines after which its open frames are others", "none", simt_, zero_},
    {"free count", "calls let in without room", "none", free_, zero_},
};

/* --- the mechanism -------------------------------------------------------------------------- */

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_cars);
}

/* What the configuration takes: CARS IV-C. For every warp RFP and RSP, as wide as a register's
 * number in the file, the free registers, as wide as a warp's share of it, and its place in the
 * list of stalled warps; with the search by lanes an open frame's first slot, its caller's frame
 * and its function (stack.h). */
static void count_storage_(struct smrf_cars *m)
{
    const struct smrf_sm_params *sm = &m->setup.sm;
    const uint32_t rows = sm->registers / SMRF_LANES;
    const uint32_t bits = smrf_bits_of(sm->warps - 1) + smrf_bits_of(rows / sm->warps - 1) +
                          2 * smrf_bits_of(rows - 1);
    m->stats.storage_pointers = ((uint64_t)sm->warps * bits + 7) / 8;
    m->stats.storage_frames =
        m->options->saved == SMRF_CARS_SAVED_MASK ? (uint64_t)sm->warps * SMRF_CARS_FRAME_BITS : 0;
}

/* state: zeroed. */
static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_cars *m = state;
    (void)sm;
    m->setup = *setup;
    m->options = setup->options;
    m->rows = smrf_cars_rows(setup);
    m->subs = setup->sm.subcores;
    m->warps_of_first = UINT64_MAX / ((UINT64_C(1) << m->subs) - 1);
    m->banks_reciprocal = smrf_reciprocal(setup->rf.banks);
    count_storage_(m);
    smrf_cars_ops_init_(m);
    return SMRF_OK;
}

static void attach_(void *state, const struct smrf_services *services)
{
    ((struct smrf_cars *)state)->services = services;
}

/* Read stages begin two cycles after issue, in which registers are renamed: a result that comes
 * later than the control bits say would be read too early. */
static uint32_t latency_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_cars_params *o = setup->options;
    return setup->rf.read == SMRF_READ_WINDOW ? 0 : o->issue_latency + o->collector_latency;
}

static bool unsound_(const struct smrf_mechanism_setup *setup)
{
    return ((const struct smrf_cars_params *)setup->options)->saved == SMRF_CARS_SAVED_PREFIX;
}

static const char *check_(const struct smrf_mechanism_setup *setup)
{
    return smrf_cars_rows(setup) > SMRF_CARS_REGISTERS
               ? "a warp cannot have more than 512 registers: set sm.registers to 16384 x "
                 "sm.subcores at most, or raise sm.subcores"
               : NULL;
}

static const struct smrf_rename_seam rename = {
    .source = smrf_cars_source,
    .destination = smrf_cars_destination,
    .ready = smrf_cars_ready,
    .last_read = smrf_cars_last_read,
    .probe = smrf_cars_probe,
    .issued = smrf_cars_issued,
};
static const struct smrf_warp_seam warp = {
    .start = smrf_cars_start,
    .exit = smrf_cars_exit,
    .barrier = smrf_cars_barrier,
};
static const struct smrf_control_seam control = {.line = smrf_cars_line};
static const struct smrf_allotment_seam allotment = {
    .registers = smrf_cars_registers,
    .as_kernel = true,
};
static const struct smrf_block_seam block = {
    .placed = smrf_cars_placed,
    .finished = smrf_cars_finished,
};
static const struct smrf_micro_seam micro = {
    .remove = smrf_cars_remove,
    .next = smrf_cars_next,
    .read = smrf_cars_read,
    .write = smrf_cars_write,
    .done = smrf_cars_done,
};

#define MARKS (UINT64_C(7) << INDEX_peak_frames)

/* Fields that all of them have. */
#define COMMON                                                                                     \
    .with_read_stages = true, .family = &smrf_cars_family, .bytes = bytes_, .init = init_,         \
    .attach = attach_, .rename = &rename, .warp = &warp, .control = &control,                      \
    .allotment = &allotment, .block = &block, .micro = &micro, .gpu = &smrf_cars_gpu_seam,         \
    .check = check_, .program = smrf_cars_program_check, .latency = latency_, .unsound = unsound_, \
    .counters = counters_, .marks = MARKS, SMRF_MECHANISM_TABLES

static const struct smrf_mechanism adaptive = SMRF_MECHANISM_VARIANT(
    "cars", "register stacks for calls, as large as blocks show to be best (CARS)", COMMON,
    "cars.policy=adaptive");
static const struct smrf_mechanism low = SMRF_MECHANISM_VARIANT(
    "cars-low", "register stacks with room for one frame: most warps", COMMON, "cars.policy=low");
static const struct smrf_mechanism nxlow = SMRF_MECHANISM_VARIANT(
    "cars-nxlow", "register stacks with room for cars.frames of the largest frames", COMMON,
    "cars.policy=nxlow");
static const struct smrf_mechanism high = SMRF_MECHANISM_VARIANT(
    "cars-high", "register stacks with room for the deepest path: fewest warps", COMMON,
    "cars.policy=high");

SMRF_MECHANISM_FAMILY_OF_VALUES(smrf_cars_family, "cars", SMRF_CARS_PARAMS, SMRF_CARS_VALUES,
                                &adaptive, &low, &nxlow, &high);
