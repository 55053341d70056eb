/* SPDX-License-Identifier: Apache-2.0 */
/* Every check of a configuration beyond the range of a single parameter, in one place. */
#include "internal.h"

#include "models/common/smrf_types.h"
#include "models/frontend/constant_l0.h"

#include <stdbool.h>
#include <string.h>

#define WHERE "configuration"
#define REJECT(...) smrf_config_fail(err, SMRF_ERR_INVAL, WHERE, __VA_ARGS__)

static bool power_of_two_(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int check_ranges_(const struct smrf_config *c, struct smrf_config_error *err)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const struct smrf_param *info = smrf_param_at(i);
        uint32_t value = smrf_config_get(c, i);
        if (value < info->min || value > info->max) {
            return REJECT("%s = %u is out of range, expected %u to %u", info->key, value, info->min,
                          info->max);
        }
    }
    return SMRF_OK;
}

static int check_powers_of_two_(const struct smrf_config *c, struct smrf_config_error *err)
{
    static const enum smrf_param_index keys[] = {
        SMRF_P_sm_subcores,     SMRF_P_ldst_shared_banks, SMRF_P_l1d_sets,   SMRF_P_l1d_banks,
        SMRF_P_l2_sets,         SMRF_P_dram_banks,        SMRF_P_dram_burst, SMRF_P_dram_bus_bytes,
        SMRF_P_dram_open_bytes, SMRF_P_l2_fetch_bytes,
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint32_t value = smrf_config_get(c, keys[i]);
        if (!power_of_two_(value)) {
            return REJECT("%s = %u must be a power of two", smrf_param_at(keys[i])->key, value);
        }
    }
    return SMRF_OK;
}

/* The constant caches of an SM's sub-cores. */
static int check_constants_(const struct smrf_config *c, struct smrf_config_error *err)
{
    const uint32_t bytes = c->frontend.constant_bytes,
                   set_bytes = SMRF_CONSTANT_LINE_BYTES * c->frontend.constant_ways;
    if (bytes == 0) {
        return SMRF_OK;
    }
    if (c->rf.read != SMRF_READ_WINDOW) {
        return REJECT("frontend.constant_bytes = %u needs rf.read = window: behind collectors no "
                      "constant is waited for",
                      bytes);
    }
    if (bytes % set_bytes != 0 || !power_of_two_(bytes / set_bytes)) {
        return REJECT("frontend.constant_bytes = %u must be 0 (all are there) or a power of two of "
                      "sets of frontend.constant_ways x 64 = %u bytes",
                      bytes, set_bytes);
    }
    return SMRF_OK;
}

static int check_sm_(const struct smrf_config *c, struct smrf_config_error *err)
{
    if (c->sm.threads % SMRF_LANES != 0) {
        return REJECT("sm.threads = %u must be a multiple of 32, the threads of a warp",
                      c->sm.threads);
    }
    if (c->sm.warps * SMRF_LANES < c->sm.threads) {
        return REJECT("sm.warps = %u holds %u threads, fewer than sm.threads = %u; use at least %u",
                      c->sm.warps, c->sm.warps * SMRF_LANES, c->sm.threads,
                      c->sm.threads / SMRF_LANES);
    }
    if (c->sm.warps % c->sm.subcores != 0) {
        return REJECT("sm.warps = %u must be a multiple of sm.subcores = %u", c->sm.warps,
                      c->sm.subcores);
    }
    if (c->sm.registers % (SMRF_LANES * c->sm.subcores) != 0) {
        return REJECT("sm.registers = %u must be a multiple of 32 x sm.subcores = %u",
                      c->sm.registers, SMRF_LANES * c->sm.subcores);
    }
    uint32_t line_bytes = SMRF_LINE_BYTES * c->frontend.icache_ways;
    if (c->frontend.icache_bytes % line_bytes != 0 ||
        (c->frontend.icache_bytes != 0 && !power_of_two_(c->frontend.icache_bytes / line_bytes))) {
        return REJECT("frontend.icache_bytes = %u must be 0 (ideal) or a power of two of sets of "
                      "frontend.icache_ways x 128 = %u bytes",
                      c->frontend.icache_bytes, line_bytes);
    }
    line_bytes = SMRF_LINE_BYTES * c->frontend.l0_ways;
    if (c->frontend.l0_bytes % line_bytes != 0 ||
        (c->frontend.l0_bytes != 0 && !power_of_two_(c->frontend.l0_bytes / line_bytes))) {
        return REJECT("frontend.l0_bytes = %u must be 0 (none) or a power of two of sets of "
                      "frontend.l0_ways x 128 = %u bytes",
                      c->frontend.l0_bytes, line_bytes);
    }
    return check_constants_(c, err);
}

static int check_issue_(const struct smrf_config *c, struct smrf_config_error *err)
{
    uint32_t sub_warps = c->sm.warps / c->sm.subcores;
    if (c->issue.scheduler == SMRF_SCHED_TWO_LEVEL && c->issue.active_warps > sub_warps) {
        return REJECT("issue.active_warps = %u exceeds the %u warps of a scheduler (sm.warps / "
                      "sm.subcores)",
                      c->issue.active_warps, sub_warps);
    }
    if (c->issue.width > sub_warps) {
        return REJECT("issue.width = %u exceeds the %u warps of a scheduler (sm.warps / "
                      "sm.subcores)",
                      c->issue.width, sub_warps);
    }
    if (smrf_collector_slots(&c->rf) > SMRF_MAX_COLLECTING) {
        return REJECT("rf.collectors x rf.collector_slots = %u is more than %u instructions in the "
                      "collectors of a sub-core: set one of them lower",
                      smrf_collector_slots(&c->rf), SMRF_MAX_COLLECTING);
    }
    if (c->rf.rz_is_register && !c->rf.base_registers_only) {
        return REJECT("rf.rz_is_register needs rf.base_registers_only: expanded operands have no "
                      "RZ");
    }
    return SMRF_OK;
}

/* Read stages take an instruction as it issues, and know nothing of Accel-Sim's options. */
static int check_window_(const struct smrf_config *c, struct smrf_config_error *err)
{
    static const struct {
        enum smrf_param_index key;
        uint32_t value;
    } needs[] = {
        {SMRF_P_issue_latches, 0},
        {SMRF_P_issue_width, 1},
        {SMRF_P_issue_extra_latency, 0},
        {SMRF_P_rf_steps, 1},
        {SMRF_P_rf_perfect, 0},
        {SMRF_P_rf_extra_latency, 0},
        {SMRF_P_rf_base_registers_only, 0},
        {SMRF_P_rf_drop_conflicting_writes, 0},
        {SMRF_P_rf_write_per_sector, 0},
    };
    if (c->rf.read != SMRF_READ_WINDOW) {
        return c->issue.dependence == SMRF_DEPENDENCE_SCOREBOARD
                   ? SMRF_OK
                   : REJECT("issue.dependence = control and latency need rf.read = window: behind "
                            "collectors no latency is fixed");
    }
    if (c->rf.read_ports > 1 && c->rf.window_order != SMRF_WINDOW_LATE) {
        return REJECT("rf.read_ports = %u needs rf.window_order = late", c->rf.read_ports);
    }
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (smrf_config_get(c, needs[i].key) != needs[i].value) {
            return REJECT("rf.read = window needs %s = %u", smrf_param_at(needs[i].key)->key,
                          needs[i].value);
        }
    }
    return SMRF_OK;
}

/* Compiled code and the tables of latencies rely on fixed result latencies. A dependent pair is at
 * least 3 cycles apart; a unit may add at most `most` cycles to that. */
static int check_fixed_(const struct smrf_config *c, struct smrf_config_error *err)
{
    const unsigned half = c->issue.latencies == SMRF_LATENCIES_AMPERE ? 2 : 3;
    const struct {
        enum smrf_param_index key;
        uint32_t most;
    } fixed[] = {
        {SMRF_P_exec_int_latency, 1},      {SMRF_P_exec_sp_latency, 1},
        {SMRF_P_exec_half_latency, half},  {SMRF_P_exec_uniform_latency, 2},
        {SMRF_P_exec_hmma_f16_latency, 4}, {SMRF_P_exec_hmma_f32_latency, 4},
        {SMRF_P_exec_imma_latency, 4},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const uint32_t own = smrf_config_get(c, fixed[i].key);
        const uint32_t latency = own ? own : c->exec.tensor_latency; /* 0 stands for it */
        if (latency > fixed[i].most) {
            return REJECT("rf.read = window: %s = %u is more than control bits and tables of "
                          "latencies rely on: at most %u",
                          smrf_param_at(fixed[i].key)->key, latency, fixed[i].most);
        }
    }
    return SMRF_OK; /* results end when they are due, several of a unit at once */
}

static int check_exec_(const struct smrf_config *c, struct smrf_config_error *err)
{
    static const enum smrf_param_index latencies[] = {
        SMRF_P_exec_int_latency,    SMRF_P_exec_sp_latency,  SMRF_P_exec_half_latency,
        SMRF_P_exec_dp_latency,     SMRF_P_exec_sfu_latency, SMRF_P_exec_tensor_latency,
        SMRF_P_exec_branch_latency, SMRF_P_exec_tex_latency, SMRF_P_exec_uniform_latency,
    };
    if (c->rf.read == SMRF_READ_WINDOW) {
        return c->issue.dependence == SMRF_DEPENDENCE_SCOREBOARD ? SMRF_OK : check_fixed_(c, err);
    }
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        size_t interval = (size_t)latencies[i] + 1; /* the list names them in pairs */
        if (smrf_config_get(c, interval) > smrf_config_get(c, latencies[i])) {
            return REJECT("%s = %u must not exceed %s = %u", smrf_param_at(interval)->key,
                          smrf_config_get(c, interval), smrf_param_at(latencies[i])->key,
                          smrf_config_get(c, latencies[i]));
        }
    }
    if (c->exec.hmul2_interval > c->exec.half_latency) {
        return REJECT("exec.hmul2_interval = %u must not exceed exec.half_latency = %u",
                      c->exec.hmul2_interval, c->exec.half_latency);
    }
    static const enum smrf_param_index tensor[] = {
        SMRF_P_exec_hmma_f16_latency, SMRF_P_exec_hmma_f32_latency, SMRF_P_exec_imma_latency};
    for (size_t i = 0; i < sizeof tensor / sizeof tensor[0]; i++) {
        const uint32_t own = smrf_config_get(c, tensor[i]),
                       latency = own ? own : c->exec.tensor_latency,
                       interval = smrf_config_get(c, (size_t)tensor[i] + 1);
        if (interval > latency) {
            return REJECT("%s = %u must not exceed the latency, %u",
                          smrf_param_at((size_t)tensor[i] + 1)->key, interval, latency);
        }
        if (own && !interval && c->exec.tensor_interval > own) {
            return REJECT("%s = %u is less than exec.tensor_interval = %u: set its interval, too",
                          smrf_param_at(tensor[i])->key, own, c->exec.tensor_interval);
        }
    }
    return SMRF_OK;
}

/* L1D and shared memory out of one array: every carve-out must leave whole ways, at least one. */
static int check_carveouts_(const struct smrf_config *c, struct smrf_config_error *err)
{
    uint32_t way_bytes = c->l1d.sets * SMRF_LINE_BYTES;
    uint32_t largest = 0;
    if (c->l1d.unified_bytes == 0) {
        return SMRF_OK;
    }
    if (smrf_l1d_carveouts(&c->l1d) == 0) {
        return REJECT("l1d.carveouts is empty, but l1d.unified_bytes = %u is to be divided",
                      c->l1d.unified_bytes);
    }
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t bytes = k * 4096;
        if (!(smrf_l1d_carveouts(&c->l1d) >> k & 1)) {
            continue;
        }
        largest = bytes;
        if (bytes + way_bytes > c->l1d.unified_bytes ||
            (c->l1d.unified_bytes - bytes) % way_bytes != 0) {
            return REJECT("l1d.carveouts: %u KiB of shared memory out of l1d.unified_bytes = %u "
                          "leave no whole number of ways of l1d.sets x 128 = %u bytes",
                          k * 4, c->l1d.unified_bytes, way_bytes);
        }
    }
    if (c->sm.shared_bytes > largest) {
        return REJECT("sm.shared_bytes = %u does not fit the largest of l1d.carveouts, %u bytes",
                      c->sm.shared_bytes, largest);
    }
    return SMRF_OK;
}

static int check_memory_(const struct smrf_config *c, struct smrf_config_error *err)
{
    if (c->l2.slices % c->dram.channels != 0) {
        return REJECT("l2.slices = %u must be a multiple of dram.channels = %u", c->l2.slices,
                      c->dram.channels);
    }
    if (c->l2.hash == SMRF_HASH_ACCELSIM &&
        ((c->l2.slices != 16 && c->l2.slices != 32 && c->l2.slices != 64) ||
         c->l2.slices / c->dram.channels > 2)) {
        return REJECT("l2.hash = accelsim needs 16, 32 or 64 slices, at most two a channel; "
                      "l2.slices = %u, dram.channels = %u",
                      c->l2.slices, c->dram.channels);
    }
    if (c->l2.slice_bytes > c->dram.open_bytes) {
        return REJECT("l2.slice_bytes = %u must not exceed dram.open_bytes = %u", c->l2.slice_bytes,
                      c->dram.open_bytes);
    }
    if (c->dram.banks % c->dram.bank_groups != 0) {
        return REJECT("dram.banks = %u must be a multiple of dram.bank_groups = %u", c->dram.banks,
                      c->dram.bank_groups);
    }
    if (c->dram.burst % c->dram.data_rate != 0) {
        return REJECT("dram.burst = %u must be a multiple of dram.data_rate = %u", c->dram.burst,
                      c->dram.data_rate);
    }
    if (c->dram.ccdl < c->dram.ccd) {
        return REJECT("dram.ccdl = %u must be at least dram.ccd = %u", c->dram.ccdl, c->dram.ccd);
    }
    return SMRF_OK;
}

static bool is_latency_(const char *key)
{
    static const char end[] = "latency";
    const size_t n = strlen(key);
    return n >= sizeof end && strcmp(key + n - (sizeof end - 1), end) == 0;
}

/* Does nothing that the watchdog sees happen in the meantime? A launch is checked by itself.
 * Requests in the DRAM keep the memory busy, but in the view in which an access is one step. */
static bool is_silent_(const struct smrf_config *c, size_t i)
{
    const bool latency =
        i == SMRF_P_bus_memory ? c->bus.shared != 0 : is_latency_(smrf_param_at(i)->key);
    const bool seen =
        i == SMRF_P_gpu_launch_latency || (i == SMRF_P_dram_latency && c->sim.view != SMRF_VIEW_LT);
    return latency && !seen;
}

/* A machine in which nothing happens for the longest latency is sound. The cycles before and behind
 * it, in the pipeline and the queues, are fewer than the latency, or than the watchdog's least
 * value. */
static int check_watchdog_(const struct smrf_config *c, struct smrf_config_error *err)
{
    const uint64_t access = (uint64_t)c->l1d.latency + 2 * c->noc.latency + c->l2.latency +
                            c->dram.latency + c->bus.latency;
    if (c->sim.watchdog <= c->gpu.launch_latency) {
        return REJECT("sim.watchdog = %u must exceed gpu.launch_latency = %u", c->sim.watchdog,
                      c->gpu.launch_latency);
    }
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const uint32_t value = smrf_config_get(c, i);
        if (is_silent_(c, i) && c->sim.watchdog / 2 < value) {
            return REJECT("sim.watchdog = %u must be at least twice %s = %u: it would stop a "
                          "machine that only waits",
                          c->sim.watchdog, smrf_param_at(i)->key, value);
        }
    }
    if (c->sim.view == SMRF_VIEW_LT && c->sim.watchdog / 2 < access) {
        return REJECT(
            "sim.watchdog = %u must be at least twice the %llu cycles that an access takes "
            "with sim.view=lt (latencies of l1d, noc, l2, dram and bus)",
            c->sim.watchdog, (unsigned long long)access);
    }
    return SMRF_OK;
}

static int check_bus_(const struct smrf_config *c, struct smrf_config_error *err)
{
    if (!power_of_two_(c->bus.access)) {
        return REJECT("bus.access = %u must be 32, 64 or 128", c->bus.access);
    }
    if (c->bus.traffic && !c->bus.shared) {
        return REJECT("bus.traffic = %u needs bus.shared", c->bus.traffic);
    }
    if (c->bus.blocking && (c->bus.end_resp || c->bus.response_cycles)) {
        return REJECT(
            "bus.blocking has no END_RESP: bus.end_resp and bus.response_cycles must be 0");
    }
    return SMRF_OK;
}

int smrf_config_check(const struct smrf_config *cfg, struct smrf_config_error *err)
{
    static int (*const checks[])(const struct smrf_config *, struct smrf_config_error *) = {
        check_ranges_, check_powers_of_two_, check_sm_,     check_issue_, check_window_,
        check_exec_,   check_carveouts_,     check_memory_, check_bus_,   check_watchdog_,
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        int rc = checks[i](cfg, err);
        if (rc < 0) {
            return rc;
        }
    }
    return SMRF_OK;
}
