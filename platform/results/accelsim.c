/* SPDX-License-Identifier: Apache-2.0 */
/* The text form that scripts written for Accel-Sim's output read: a section a launch, with totals
 * that grow from launch to launch. Names and layout of the lines are Accel-Sim's. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

/* A running total: the text in front of it, and the statistics that it sums. */
static const struct line {
    const char *text;
    const char *stat[2]; /* the second may be NULL */
} totals[] = {
    {"gpgpu_n_tot_w_icount =", {"instructions.warp", NULL}},
    {"gpgpu_n_shmem_bkconflict =", {"counters.ldst.shared_conflict_cycles", NULL}},
    {"gpgpu_n_l1cache_bkconflict =", {"counters.ldst.bank_conflict_stalls", NULL}},
    {"total dram reads =", {"dram.reads", NULL}},
    {"total dram writes =", {"dram.writes", NULL}},
#define L1D(kind, name)                                                                            \
    {"\tTotal_core_cache_stats_breakdown[" kind "][HIT] =",                                        \
     {"counters.ldst.l1d_" name "_hits", NULL}},                                                   \
        {"\tTotal_core_cache_stats_breakdown[" kind "][MSHR_HIT] =",                               \
         {"counters.ldst.l1d_" name "_pending_hits", NULL}},                                       \
        {"\tTotal_core_cache_stats_breakdown[" kind "][MISS] =",                                   \
         {"counters.ldst.l1d_" name "_misses", NULL}},                                             \
    {                                                                                              \
        "\tTotal_core_cache_stats_breakdown[" kind "][TOTAL_ACCESS] =",                            \
        {                                                                                          \
            "counters.ldst.l1d_" name "_accesses", NULL                                            \
        }                                                                                          \
    }
    L1D("GLOBAL_ACC_R", "global_load"),
    L1D("GLOBAL_ACC_W", "global_store"),
    L1D("LOCAL_ACC_R", "local_load"),
    L1D("LOCAL_ACC_W", "local_store"),
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] =",
     {"counters.memory.l2_read_hits", "counters.memory.l2_atomic_hits"}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][MSHR_HIT] =",
     {"counters.memory.l2_read_merges", "counters.memory.l2_atomic_merges"}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][MISS] =",
     {"counters.memory.l2_read_misses", "counters.memory.l2_atomic_misses"}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] =",
     {"counters.memory.l2_reads", "counters.memory.l2_atomics"}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_W][HIT] =", {"counters.memory.l2_write_hits", NULL}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_W][MISS] =", {"counters.memory.l2_write_misses", NULL}},
    {"\tL2_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] =",
     {"counters.memory.l2_writes", NULL}},
};
#define TOTALS (sizeof totals / sizeof *totals)

static uint64_t count_(const struct smrf_counters *c, const char *name)
{
    const struct smrf_stat *stat = smrf_stat_find(name);
    return stat ? smrf_stat_count(stat, c) : 0;
}

static double value_(const struct smrf_counters *c, const char *name)
{
    const struct smrf_stat *stat = smrf_stat_find(name);
    return stat ? smrf_stat_value(stat, c) : 0;
}

static double ratio_(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Of one launch alone. */
static void own_(FILE *out, const struct smrf_report *r, const struct smrf_launch *l)
{
    const struct smrf_config *cfg = r->config;
    const uint64_t cycles = count_(&l->counters, "cycles");
    const double seconds = ratio_((double)cycles, 1000.0 * (double)cfg->gpu.core_khz);
    const double sectors = (double)count_(&l->counters, "l2.accesses");
    fprintf(out, "kernel_name = %s\n", l->name);
    fprintf(out, "kernel_launch_uid = %" PRIu32 "\n", l->id);
    fprintf(out, "gpu_sim_cycle = %" PRIu64 "\n", cycles);
    fprintf(out, "gpu_sim_insn = %" PRIu64 "\n", count_(&l->counters, "instructions.thread"));
    fprintf(out, "gpu_ipc = %12.4f\n", value_(&l->counters, "ipc"));
    fprintf(out, "gpu_occupancy = %.4f%%\n",
            100 * ratio_(value_(&l->counters, "issue.resident_warps"), cfg->sm.warps));
    fprintf(out, "L2_BW = %12.4f GB/Sec\n", ratio_(32 * sectors, seconds) / 1e9);
}

/* Time of the program, which is known of the whole run. */
static void rates_(FILE *out, const struct smrf_report *r, uint64_t cycles, uint64_t insts)
{
    const uint64_t whole = (uint64_t)r->wall_s;
    const double rate = ratio_((double)cycles, r->wall_s);
    fprintf(out,
            "gpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64
            " sec (%" PRIu64 " sec)\n",
            whole / 86400, whole / 3600 % 24, whole / 60 % 60, whole % 60, whole);
    fprintf(out, "gpgpu_simulation_rate = %.0f (inst/sec)\n", ratio_((double)insts, r->wall_s));
    fprintf(out, "gpgpu_simulation_rate = %.0f (cycle/sec)\n", rate);
    fprintf(out, "gpgpu_silicon_slowdown = %.0fx\n",
            ratio_(1000.0 * (double)r->config->gpu.core_khz, rate));
}

/* Where the scripts look for the builds of both parts of Accel-Sim. */
static void build_(FILE *out, const struct smrf_report *r)
{
    fprintf(out, "Accel-Sim's statistics by smrf [build smrf-%s-commit-%s]\n", r->version,
            r->commit);
    fprintf(out, "GPGPU-Sim's statistics by smrf [build smrf-%s-commit-%s]\n\n", r->version,
            r->commit);
}

int smrf_report_accelsim(const struct smrf_report *r, FILE *out)
{
    uint64_t sum[TOTALS] = {0}, cycles = 0, insts = 0;
    build_(out, r);
    for (size_t i = 0; i < r->num_launches; i++) {
        const struct smrf_launch *l = &r->launches[i];
        own_(out, r, l);
        cycles += count_(&l->counters, "cycles");
        insts += count_(&l->counters, "instructions.thread");
        fprintf(out, "gpu_tot_sim_cycle = %" PRIu64 "\n", cycles);
        fprintf(out, "gpu_tot_sim_insn = %" PRIu64 "\n", insts);
        fprintf(out, "gpu_tot_ipc = %12.4f\n", ratio_((double)insts, (double)cycles));
        for (size_t k = 0; k < TOTALS; k++) {
            for (unsigned n = 0; n < 2 && totals[k].stat[n]; n++) {
                sum[k] += count_(&l->counters, totals[k].stat[n]);
            }
            fprintf(out, "%s %" PRIu64 "\n", totals[k].text, sum[k]);
        }
        if (i + 1 == r->num_launches) {
            rates_(out, r, cycles, insts);
        }
        fputs("\n", out);
    }
    if (!r->partial) {
        fputs("GPGPU-Sim: *** exit detected ***\n", out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}
