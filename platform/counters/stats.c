/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of published statistics: JSON, CSV, `smrf list`, the summary and the C API all read
 * it. A dotted name is the path in the JSON document; the order is the order of every output. */
#include "classes.h"
#include "counters.h"

#include "platform/config/internal.h"

#include <string.h>

/* --- what follows from the counters --------------------------------------------------------- */

static double ratio_(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static double ipc_(const struct smrf_counters *c)
{
    return ratio_(c->sm.thread_insts, c->cycles);
}

static double warp_ipc_(const struct smrf_counters *c)
{
    return ratio_(c->sm.warp_insts, c->cycles);
}

static double lanes_(const struct smrf_counters *c)
{
    return ratio_(c->sm.thread_insts, c->sm.warp_insts);
}

static double bank_utilisation_(const struct smrf_counters *c)
{
    return ratio_(c->bank_reads + c->bank_writes, c->bank_slots);
}

static double port_utilisation_(const struct smrf_counters *c)
{
    return ratio_(c->sm.bank_reads, c->port_slots);
}

static double collector_utilisation_(const struct smrf_counters *c)
{
    return ratio_(c->sm.collector_busy, c->collector_slots);
}

static double issue_utilisation_(const struct smrf_counters *c)
{
    return ratio_(c->sm.cycles_issued, c->sm.scheduler_cycles);
}

static double resident_warps_(const struct smrf_counters *c)
{
    return ratio_(c->sm.warp_cycles, c->sm.active_cycles);
}

/* Units of a sub-core, by kind; the load/store unit is the SM's. */
#define UTILISATION(name, whole)                                                                   \
    static double use_##name##_(const struct smrf_counters *c)                                     \
    {                                                                                              \
        return ratio_(c->sm.busy_##name, c->sm.whole);                                             \
    }
UTILISATION(sp, scheduler_cycles)
UTILISATION(sfu, scheduler_cycles)
UTILISATION(mem, active_cycles)
UTILISATION(dp, scheduler_cycles)
UTILISATION(int, scheduler_cycles)
UTILISATION(branch, scheduler_cycles)
UTILISATION(tex, scheduler_cycles)
UTILISATION(tensor, scheduler_cycles)
UTILISATION(uniform, scheduler_cycles)
#undef UTILISATION

static double rf_hit_ratio_(const struct smrf_counters *c)
{
    return ratio_(c->sm.cache_hits, c->sm.operand_reads);
}

/* What has begun and not ended: 0 after a complete run, and what makes the equations between
 * counters hold where a run was cut off. */
static uint64_t collector_stalls_(const struct smrf_counters *c)
{
    return c->sm.stall[SMRF_STALL_collector] + c->sm.stall[SMRF_STALL_withheld] +
           c->sm.stall[SMRF_STALL_port] + c->sm.stall[SMRF_STALL_queue];
}

static uint64_t insts_in_flight_(const struct smrf_counters *c)
{
    return c->sm.warp_insts + c->sm.further_steps - c->sm.completed;
}

static uint64_t operands_in_flight_(const struct smrf_counters *c)
{
    return c->sm.operand_reads - (c->sm.bank_reads - c->sm.part_reads) - c->sm.cache_hits;
}

static uint64_t requests_in_flight_(const struct smrf_counters *c)
{
    return c->ldst.reads_sent + c->ldst.writes_sent + c->ldst.atomics_sent - c->ldst.answers;
}

#define L1D_SUM(what)                                                                              \
    static uint64_t l1d_##what##_(const struct smrf_counters *c)                                   \
    {                                                                                              \
        return c->ldst.l1d_global_load_##what + c->ldst.l1d_global_store_##what +                  \
               c->ldst.l1d_local_load_##what + c->ldst.l1d_local_store_##what;                     \
    }
L1D_SUM(accesses)
L1D_SUM(hits)
L1D_SUM(pending_hits)
L1D_SUM(misses)
#undef L1D_SUM

/* By what a program does with them. */
static uint64_t l1d_global_(const struct smrf_counters *c)
{
    return c->ldst.l1d_global_load_accesses + c->ldst.l1d_global_store_accesses;
}

static uint64_t l1d_local_(const struct smrf_counters *c)
{
    return c->ldst.l1d_local_load_accesses + c->ldst.l1d_local_store_accesses -
           c->ldst.l1d_spill_accesses;
}

static double l1d_hit_ratio_(const struct smrf_counters *c)
{
    return ratio_(l1d_hits_(c), l1d_accesses_(c));
}

#define L2_SUM(what)                                                                               \
    static uint64_t l2_##what##_(const struct smrf_counters *c)                                    \
    {                                                                                              \
        return c->memory.l2_read_##what + c->memory.l2_write_##what + c->memory.l2_atomic_##what;  \
    }
L2_SUM(hits)
L2_SUM(misses)
#undef L2_SUM

static uint64_t l2_accesses_(const struct smrf_counters *c)
{
    return c->memory.l2_reads + c->memory.l2_writes + c->memory.l2_atomics;
}

static uint64_t l2_merges_(const struct smrf_counters *c)
{
    return c->memory.l2_read_merges + c->memory.l2_atomic_merges;
}

static double l2_hit_ratio_(const struct smrf_counters *c)
{
    return ratio_(l2_hits_(c), l2_accesses_(c));
}

static double row_hit_ratio_(const struct smrf_counters *c)
{
    return ratio_(c->memory.dram_row_hits, c->memory.dram_row_hits + c->memory.dram_row_misses);
}

static uint64_t mask_mismatches_(const struct smrf_counters *c)
{
    return c->simt.mismatch_pc + c->simt.mismatch_converge + c->simt.mismatch_barrier +
           c->simt.mismatch_dead + c->simt.mismatch_condition;
}

/* --- the list --------------------------------------------------------------------------------- */

#define COUNT(name, unit, meaning, field)                                                          \
    {name, unit, meaning, offsetof(struct smrf_counters, field), NULL, NULL},
#define SUM(name, unit, meaning, function) {name, unit, meaning, 0, function, NULL},
#define RATIO(name, unit, meaning, function) {name, unit, meaning, 0, NULL, function},

#define WARP_CLASS(name, symbol, meaning)                                                          \
    COUNT("instructions.by_class." name, "warp instructions", meaning,                             \
          sm.warp_insts_by_class[SMRF_CLASS_##symbol])
#define THREAD_CLASS(name, symbol, meaning)                                                        \
    COUNT("instructions.thread_by_class." name, "thread instructions", meaning,                    \
          sm.thread_insts_by_class[SMRF_CLASS_##symbol])
#define STALL(name, unit, meaning)                                                                 \
    COUNT("issue.stalls." #name, "scheduler " unit, meaning, sm.stall[SMRF_STALL_##name])
#define RAW_SM(name, unit, meaning) COUNT("counters.sm." #name, unit, meaning, sm.name)
#define RAW_LDST(name, unit, meaning) COUNT("counters.ldst." #name, unit, meaning, ldst.name)
#define RAW_SIMT(name, unit, meaning) COUNT("counters.simt." #name, unit, meaning, simt.name)
#define RAW_BUS(name, unit, meaning) COUNT("bus." #name, unit, meaning, bus.name)
#define RAW_MEMORY(name, unit, meaning) COUNT("counters.memory." #name, unit, meaning, memory.name)

const struct smrf_stat smrf_stats[] = {
    /* clang-format off */
    COUNT("cycles", "core cycles",
          "cycles from the start to the end of the last launch, including its last cycle; for "
          "a launch: from the end of the launch before it, including the launch latency",
          cycles)
    RATIO("ipc", "thread instructions/cycle", "thread instructions issued / cycles", ipc_)
    RATIO("warp_ipc", "warp instructions/cycle", "warp instructions issued / cycles", warp_ipc_)

    COUNT("instructions.warp", "warp instructions", "warp instructions issued", sm.warp_insts)
    COUNT("instructions.thread", "thread instructions",
          "thread instructions issued: active lanes of each warp instruction", sm.thread_insts)
    COUNT("instructions.removed", "warp instructions",
          "instructions of the trace that the mechanism removed", sm.removed_insts)
    COUNT("instructions.injected", "warp instructions",
          "instructions that the mechanism added", sm.injected_insts)
    SUM("instructions.in_flight", "warp instructions",
          "instructions issued but not completed when a limit ended the run", insts_in_flight_)
    RATIO("instructions.lanes", "lanes", "active lanes of a warp instruction, mean", lanes_)
    SMRF_CLASSES(WARP_CLASS)
    SMRF_CLASSES(THREAD_CLASS)

    COUNT("rf.operand_reads", "operands",
          "distinct source registers of issued instructions", sm.operand_reads)
    COUNT("rf.bank_reads", "accesses", "operands read from the banks", sm.bank_reads)
    COUNT("rf.cache_hits", "operands",
          "operands that a collector held already, read from no bank", sm.cache_hits)
    SUM("rf.in_flight", "operands",
          "operands of issued instructions that were not read yet when a limit ended the run",
          operands_in_flight_)
    RATIO("rf.hit_ratio", "", "cache_hits / operand_reads", rf_hit_ratio_)
    COUNT("rf.operand_writes", "operands",
          "destination registers of issued instructions", sm.operand_writes)
    COUNT("rf.bank_writes", "accesses", "writes of the banks", sm.bank_writes)
    COUNT("rf.cache_writes", "operands", "results that a collector kept", sm.cache_writes)
    COUNT("rf.portless_writes", "accesses",
          "bank writes that took no port (options of Accel-Sim)", sm.portless_writes)
    COUNT("rf.bank_conflict_cycles", "operand cycles",
          "waits of operands for a bank or a port, summed over operands", sm.bank_conflict_cycles)
    COUNT("rf.waits.read", "operand cycles",
          "waits because the bank was read for another operand", sm.waits_read)
    COUNT("rf.waits.write", "operand cycles", "waits because the bank was written", sm.waits_write)
    COUNT("rf.waits.port", "operand cycles",
          "waits for a port of the collector, while the bank was idle", sm.waits_port)
    COUNT("rf.write_conflicts", "accesses",
          "writes that had to wait for their bank", sm.write_conflicts)
    COUNT("rf.crossbar_transfers", "operands",
          "operands that crossed to a collector", sm.crossbar_transfers)
    COUNT("rf.collector_busy", "collector cycles", "collector units in use", sm.collector_busy)
    COUNT("rf.collector_reading", "collector cycles",
          "collector units that waited for operands", sm.collector_reading)
    COUNT("rf.collector_ready", "collector cycles",
          "collector units that had all operands, and waited for the unit's latch or their turn",
          sm.collector_ready)
    COUNT("rf.allocate_held", "sub-core cycles",
          "with rf.read=window: cycles in which the Allocate stage held an instruction",
          sm.allocate_held)
    COUNT("rf.port_held", "sub-core cycles",
          "those in which the banks' read ports had no room for it", sm.port_held)
    RATIO("rf.bank_utilisation", "",
          "reads and writes / possible accesses of the banks, while SMs were active",
          bank_utilisation_)
    RATIO("rf.port_utilisation", "",
          "operands / operands that the collectors' ports could accept", port_utilisation_)
    RATIO("rf.collector_utilisation", "",
          "collector units in use / all, while SMs were active", collector_utilisation_)
    SUM("rf.collector_stalls", "scheduler cycles",
          "a warp was ready, but got no collector unit: none was free, or the mechanism withheld "
          "it", collector_stalls_)

    COUNT("issue.cycles_issued", "scheduler cycles",
          "cycles in which a scheduler issued", sm.cycles_issued)
    COUNT("issue.scheduler_cycles", "scheduler cycles",
          "cycles of schedulers while their SM was active", sm.scheduler_cycles)
    SMRF_STALLS(STALL)

    RATIO("issue.utilisation", "", "cycles_issued / scheduler_cycles", issue_utilisation_)
    RATIO("issue.resident_warps", "warps",
          "mean number of resident warps of an SM while it was active", resident_warps_)

    RATIO("units.sp", "",
          "share of the time in which the single-precision units could accept no instruction, "
          "while SMs were active", use_sp_)
    RATIO("units.sfu", "", "the same for special functions", use_sfu_)
    RATIO("units.mem", "", "the same for the entry of the load/store unit", use_mem_)
    RATIO("units.dp", "", "the same for double precision", use_dp_)
    RATIO("units.int", "",
          "the same for integer, and all instructions without a unit of their own", use_int_)
    RATIO("units.branch", "", "the same for branches", use_branch_)
    RATIO("units.tex", "", "the same for texture", use_tex_)
    RATIO("units.tensor", "", "the same for tensor", use_tensor_)
    RATIO("units.uniform", "", "the same for the uniform datapath", use_uniform_)

    SUM("l1d.accesses", "sectors", "global and local accesses to the L1D", l1d_accesses_)
    SUM("l1d.hits", "sectors", "hits in the L1D", l1d_hits_)
    SUM("l1d.pending_hits", "sectors", "accesses to a sector that is already on its way",
        l1d_pending_hits_)
    SUM("l1d.misses", "sectors", "misses in the L1D", l1d_misses_)
    SUM("l1d.by_use.global", "sectors", "global accesses to the L1D", l1d_global_)
    SUM("l1d.by_use.local", "sectors", "local accesses to the L1D that are no spills", l1d_local_)
    COUNT("l1d.by_use.spill", "sectors",
          "L1D accesses by saves and restores around calls (needs a sidecar)",
          ldst.l1d_spill_accesses)
    RATIO("l1d.hit_ratio", "", "hits / accesses", l1d_hit_ratio_)
    COUNT("l1d.evictions", "lines", "lines replaced in the L1D", ldst.l1d_evictions)
    SUM("l1d.in_flight", "requests",
          "requests of SMs that were not answered when a limit ended the run", requests_in_flight_)
    COUNT("shared.conflict_cycles", "cycles",
          "cycles of shared accesses beyond the first, because of bank conflicts",
          ldst.shared_conflict_cycles)

    SUM("l2.accesses", "sectors", "reads, writes and atomics", l2_accesses_)
    SUM("l2.hits", "sectors", "hits in the L2", l2_hits_)
    SUM("l2.merges", "sectors", "accesses to a sector that is already on its way", l2_merges_)
    SUM("l2.misses", "sectors", "misses in the L2", l2_misses_)
    RATIO("l2.hit_ratio", "", "hits / accesses", l2_hit_ratio_)

    COUNT("dram.reads", "sectors", "sectors read from DRAM", memory.dram_reads)
    COUNT("dram.writes", "sectors", "sectors written to DRAM", memory.dram_writes)
    RATIO("dram.row_hit_ratio", "", "share of accesses to an open row", row_hit_ratio_)

    SMRF_BUS_STATS(RAW_BUS)

    SUM("simt.mask_mismatches", "lines",
          "traced masks that differ from the predicted active masks", mask_mismatches_)
    COUNT("simt.unlisted_conditions", "lines",
          "differing masks at a branch whose condition the trace does not have",
          simt.mismatch_condition)
    COUNT("simt.divergences", "events", "active masks that split", simt.divergences)
    COUNT("simt.reconvergences", "events", "splits that merged again", simt.reconvergences)
    COUNT("simt.calls", "events", "calls that pushed a frame", simt.calls)

    COUNT("oracle.checked", "operands", "operands compared with program order", sm.oracle_checked)
    SUM("oracle.violations", "operands",
          "operands that differed from program order, and registers not restored or wrongly shared",
          smrf_counters_violations)
    COUNT("oracle.overtaken", "operands",
          "operands overtaken by a younger write (no WAR check)", sm.oracle_overtaken)
    COUNT("oracle.raced", "registers",
          "shared registers that differ from the trace's load, because of a store of the launch "
          "that the trace has at another time", sm.oracle_raced)
    COUNT("oracle.unjudged", "registers",
          "shared registers that differ from the trace's load and were not judged: too many, or a "
          "limit ended the launch", sm.oracle_unjudged)
    COUNT("oracle.stale_copies", "writes",
          "writes after which a mechanism's copy differed from its bank (a fault of the mechanism)",
          sm.oracle_stale_copies)
    COUNT("oracle.unbacked", "operands",
          "operands in registers beyond the launch's allocation; they have no storage and are not "
          "compared", sm.unbacked_registers)
    COUNT("oracle.trace_values", "operands",
          "operands compared with values of the trace", sm.oracle_trace_values)
    COUNT("oracle.trace_mismatches", "operands",
          "values of the trace that differ from what the trace itself wrote",
          sm.oracle_trace_mismatches)

    SMRF_SM_STATS(RAW_SM)
    SMRF_LDST_STATS(RAW_LDST)
    SMRF_SIMT_STATS(RAW_SIMT)
    SMRF_MEMORY_STATS(RAW_MEMORY)
    COUNT("counters.slots.bank", "accesses",
          "accesses that the banks could do while SMs were active", bank_slots)
    COUNT("counters.slots.port", "operands",
          "operands that the collectors' ports could accept", port_slots)
    COUNT("counters.slots.collector", "collector cycles",
          "collector units, summed over the cycles in which SMs were active", collector_slots)
    COUNT("counters.bank.reads", "accesses", "accesses that the banks counted", bank_reads)
    COUNT("counters.bank.writes", "accesses", "accesses that the banks counted", bank_writes)
    /* clang-format on */
};
const size_t smrf_stats_count = sizeof smrf_stats / sizeof *smrf_stats;

const struct smrf_stat *smrf_stat_find(const char *name)
{
    for (size_t i = 0; i < smrf_stats_count; i++) {
        if (strcmp(smrf_stats[i].name, name) == 0) {
            return &smrf_stats[i];
        }
    }
    return NULL;
}

const char *smrf_stat_nearest(const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 5; /* at five edits the name is another one */
    for (size_t i = 0; i < smrf_stats_count; i++) {
        const char *last = strrchr(smrf_stats[i].name, '.');
        unsigned whole = smrf_edit_distance(name, smrf_stats[i].name);
        unsigned part = last ? smrf_edit_distance(name, last + 1) : whole;
        unsigned distance = whole < part ? whole : part;
        if (distance < best_distance) {
            best_distance = distance;
            best = smrf_stats[i].name;
        }
    }
    return best;
}

uint64_t smrf_stat_count(const struct smrf_stat *stat, const struct smrf_counters *c)
{
    uint64_t value;
    if (stat->count) {
        return stat->count(c);
    }
    memcpy(&value, (const char *)c + stat->offset, sizeof value);
    return value;
}

double smrf_stat_value(const struct smrf_stat *stat, const struct smrf_counters *c)
{
    return stat->ratio ? stat->ratio(c) : (double)smrf_stat_count(stat, c);
}
