/* SPDX-License-Identifier: Apache-2.0 */
/* A run for people: the numbers that answer first questions. Everything else is in the JSON. */
#include "cli.h"

#include <string.h>

#define LAUNCHES 8 /* rows of the table of launches */

static double value_(struct smrf_platform *p, const char *name)
{
    double value = 0;
    smrf_platform_stat(p, name, &value);
    return value;
}

static uint64_t count_(struct smrf_platform *p, const char *name)
{
    uint64_t value = 0;
    smrf_platform_count(p, name, &value);
    return value;
}

/* Has a run in its view the statistic? */
static bool is_known_(struct smrf_platform *p, const char *name)
{
    double value;
    return smrf_platform_stat(p, name, &value) == 0;
}

static const char *text_(struct smrf_platform *p, const char *name)
{
    return smrf_cli_count(count_(p, name));
}

static double percent_(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ", 5 in flight" of a run that was cut off. */
static void in_flight_(struct smrf_platform *p, FILE *out, const char *name)
{
    const uint64_t count = count_(p, name);
    if (count) {
        fprintf(out, ", %s in flight", smrf_cli_count(count));
    }
    fputc('\n', out);
}

/* A part of a number, where there is one. */
static void also_(struct smrf_platform *p, FILE *out, const char *name, const char *form)
{
    const uint64_t count = count_(p, name);
    if (count) {
        fprintf(out, form, smrf_cli_count(count));
    }
}

static void core_(struct smrf_platform *p, FILE *out)
{
    fprintf(out, "cycles              %s%s\n", text_(p, "cycles"),
            is_known_(p, "issue.cycles_issued") ? "" : ", an estimate (sim.view=scoreboard)");
    fprintf(out, "instructions        %s warp, %s thread (%.1f lanes)",
            text_(p, "instructions.warp"), text_(p, "instructions.thread"),
            value_(p, "instructions.lanes"));
    in_flight_(p, out, "instructions.in_flight");
    fprintf(out, "IPC                 %.3f thread instructions a cycle, %.3f warp instructions\n",
            value_(p, "ipc"), value_(p, "warp_ipc"));
    if (!is_known_(p, "issue.cycles_issued")) {
        fprintf(out, "register operands   %s read, %s written\n", text_(p, "rf.operand_reads"),
                text_(p, "rf.operand_writes"));
        return;
    }
    fprintf(out, "register reads      %s operands", text_(p, "rf.operand_reads"));
    if (count_(p, "counters.sm.merge_reads")) {
        fprintf(out, " and %s for lanes that a write leaves alone",
                text_(p, "counters.sm.merge_reads"));
    }
    fprintf(out, ": %s from banks", text_(p, "rf.bank_reads"));
    also_(p, out, "counters.sm.part_reads", " (%s of them to merge loads)");
    fprintf(out, ", %s from caches (%.1f %%)", text_(p, "rf.cache_hits"),
            100.0 * value_(p, "rf.hit_ratio"));
    in_flight_(p, out, "rf.in_flight");
    fprintf(out, "register writes     %s operands, %s to banks", text_(p, "rf.operand_writes"),
            text_(p, "rf.bank_writes"));
    also_(p, out, "counters.sm.copy_writes", ", %s kept by the mechanism alone");
    also_(p, out, "counters.sm.shared_writes", ", %s shared without a write");
    also_(p, out, "counters.sm.evictions", "; %s of the writes are evictions");
    fputc('\n', out);
    fprintf(out, "bank conflicts      %s operand cycles, %s write conflicts\n",
            text_(p, "rf.bank_conflict_cycles"), text_(p, "rf.write_conflicts"));
}

/* Where scheduler cycles went, largest first. */
static void schedulers_(struct smrf_platform *p, FILE *out)
{
    static const char prefix[] = "issue.stalls.";
    struct smrf_stat_info info;
    uint64_t whole = count_(p, "issue.scheduler_cycles");
    uint64_t shown = UINT64_MAX;
    fprintf(out, "scheduler cycles    %s\n", smrf_cli_count(whole));
    fprintf(out, "  %5.1f %%  issued\n", percent_(count_(p, "issue.cycles_issued"), whole));
    for (;;) {
        uint64_t next = 0;
        for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
            uint64_t n = strncmp(info.name, prefix, sizeof prefix - 1) ? 0 : count_(p, info.name);
            next = n > next && n < shown ? n : next;
        }
        if (next == 0) {
            return;
        }
        for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
            if (strncmp(info.name, prefix, sizeof prefix - 1) == 0 &&
                count_(p, info.name) == next) {
                fprintf(out, "  %5.1f %%  %-10s %s\n", percent_(next, whole),
                        info.name + sizeof prefix - 1, info.meaning);
            }
        }
        shown = next;
    }
}

/* Each kind there is once for a scheduler, but the way into the load/store unit, once an SM. */
static void units_(struct smrf_platform *p, uint64_t active, FILE *out)
{
    static const char *const kind[] = {"sp",  "int", "sfu",    "dp",     "tensor",
                                       "mem", "tex", "branch", "uniform"};
    bool any = false;
    fputs("units busy          ", out);
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        char name[64];
        snprintf(name, sizeof name, "counters.sm.busy_%s", kind[i]);
        const uint64_t busy = count_(p, name);
        const bool once = strcmp(kind[i], "mem") == 0;
        if (busy) {
            fprintf(out, "%s%s %.1f %%", any ? ", " : "", kind[i],
                    percent_(busy, once ? active : count_(p, "issue.scheduler_cycles")));
            any = true;
        }
    }
    fputs(any ? "\n" : "none\n", out);
}

/* For each part of an operand's way: how much of it is used, and the IPC of an SM at which it would
 * be full. The least of these is an upper bound of the IPC. */
static void roofline_(struct smrf_platform *p, FILE *out)
{
    static const struct {
        const char *name, *statistic;
    } part[] = {{"schedulers", "issue.utilisation"},
                {"banks", "rf.bank_utilisation"},
                {"read ports", "rf.port_utilisation"},
                {"collectors", "rf.collector_utilisation"}};
    const uint64_t active = count_(p, "counters.sm.active_cycles");
    const double ipc = active ? (double)count_(p, "instructions.warp") / (double)active : 0;
    size_t most = 0;
    fprintf(out, "roofline            %.3f warp instructions a cycle and SM\n", ipc);
    for (size_t i = 1; i < sizeof part / sizeof *part; i++) {
        most = value_(p, part[i].statistic) > value_(p, part[most].statistic) ? i : most;
    }
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const double used = value_(p, part[i].statistic);
        fprintf(out, "  %5.1f %%  %-10s ", 100 * used, part[i].name);
        if (used > 0) {
            fprintf(out, "full at %.3f%s\n", ipc / used, i == most ? ", used most" : "");
        } else {
            fputs("no bound\n", out);
        }
    }
    fprintf(
        out,
        "waits for banks     %s operand cycles: %s behind reads, %s behind writes, %s for a port\n",
        text_(p, "rf.bank_conflict_cycles"), text_(p, "rf.waits.read"), text_(p, "rf.waits.write"),
        text_(p, "rf.waits.port"));
    units_(p, active, out);
    fprintf(out, "resident warps      %.1f an SM, mean\n", value_(p, "issue.resident_warps"));
}

static void memory_(struct smrf_platform *p, FILE *out)
{
    fprintf(out, "L1D                 %s sectors, %.1f %% hits", text_(p, "l1d.accesses"),
            100.0 * value_(p, "l1d.hit_ratio"));
    in_flight_(p, out, "l1d.in_flight");
    fprintf(out, "L2                  %s sectors, %.1f %% hits\n", text_(p, "l2.accesses"),
            100.0 * value_(p, "l2.hit_ratio"));
    fprintf(out, "DRAM                %s sectors read, %s written\n", text_(p, "dram.reads"),
            text_(p, "dram.writes"));
}

/* Register file, by each set of constants. */
static void energy_(struct smrf_platform *p, FILE *out)
{
    const char *set;
    fputs("register energy     ", out);
    for (size_t i = 0; (set = smrf_platform_energy_set(p, i)) != NULL; i++) {
        double pj = 0;
        smrf_platform_energy(p, set, "total", &pj);
        fprintf(out, "%s%.3f uJ (%s)", i ? ", " : "", pj * 1e-6, set);
    }
    fputc('\n', out);
}

/* A line about something that is 0 where all is well, and what it means that it is not. */
static void remark_(struct smrf_platform *p, FILE *out, const char *name, const char *what,
                    const char *meaning)
{
    uint64_t count = count_(p, name);
    if (count) {
        fprintf(out, "%-20s%s %s\n%20s%s\n", "", smrf_cli_count(count), what, "", meaning);
    }
}

static void checks_(struct smrf_platform *p, FILE *out)
{
    char text[512];
    fprintf(out, "value oracle        %s operands compared, %s differ\n",
            text_(p, "oracle.checked"), text_(p, "oracle.violations"));
    remark_(p, out, "oracle.stale_copies", "copies of a mechanism differ from their banks",
            "(a mechanism kept a value that its bank no longer has: a fault of the mechanism)");
    remark_(p, out, "oracle.raced", "shared registers are of another moment than the trace's loads",
            "(warps race: the trace has a store to these bytes at another time than the replay)");
    remark_(p, out, "oracle.unjudged",
            "shared registers differ from the trace, and were not judged",
            "(too many of a launch, or it was cut off)");
    remark_(p, out, "oracle.overtaken", "operands were overtaken by a younger write",
            "(scoreboard.war=off allows it, as Accel-Sim does: they read what a later instruction "
            "wrote)");
    remark_(p, out, "oracle.trace_mismatches", "values of the trace differ from its own writes",
            "(a register was written by what the trace does not show, or the trace is damaged)");
    remark_(p, out, "oracle.unbacked", "operands name registers that their launch does not have",
            "(nregs in the header is below what the code uses: they have no row and no check)");
    for (size_t i = 0; smrf_platform_finding(p, i, text, sizeof text) == 0; i++) {
        fprintf(out, "  %s\n", text);
    }
    fprintf(out, "SIMT stack          %s traced masks differ from the predicted ones\n",
            text_(p, "simt.mask_mismatches"));
    remark_(p, out, "simt.unlisted_conditions", "of them: lanes stayed behind a branch",
            "(it has a condition beside its guard, which only a trace's .operands file lists: "
            "legal)");
    remark_(p, out, "counters.simt.mismatch_dead", "of them: lanes run that had exited",
            "(an EXIT with a condition beside its guard, or the trace is damaged)");
    remark_(p, out, "counters.simt.mismatch_pc", "of them: lanes are elsewhere than predicted",
            "(lines are missing, or an instruction moved lanes in a way that the model does not "
            "know)");
    remark_(p, out, "counters.simt.mismatch_converge", "of them: lanes run together, apart before",
            "(they met where the model knows of no barrier)");
    remark_(p, out, "counters.simt.mismatch_barrier", "of them: lanes run that should wait",
            "(a barrier let them go for a reason that the trace does not show)");
}

static void launches_(struct smrf_platform *p, FILE *out)
{
    size_t n = smrf_platform_launches(p);
    if (n < 2) {
        return;
    }
    fprintf(out, "\n%8s %14s %14s %9s  %s\n", "launch", "cycles", "warp insts", "IPC", "kernel");
    for (size_t i = 0; i < n && i < LAUNCHES; i++) {
        double cycles = 0, insts = 0, ipc = 0;
        smrf_platform_launch_stat(p, i, "cycles", &cycles);
        smrf_platform_launch_stat(p, i, "instructions.warp", &insts);
        smrf_platform_launch_stat(p, i, "ipc", &ipc);
        fprintf(out, "%8zu %14s %14s %9.3f  %s\n", i + 1, smrf_cli_count((uint64_t)cycles),
                smrf_cli_count((uint64_t)insts), ipc,
                smrf_cli_name(smrf_platform_launch_name(p, i), 40));
    }
    if (n > LAUNCHES) {
        fprintf(out, "%8s and %zu more: --csv or --json has them all\n", "", n - LAUNCHES);
    }
    fputc('\n', out);
}

void smrf_cli_summary(struct smrf_platform *p, bool verbose, FILE *out)
{
    double seconds = smrf_platform_seconds(p);
    const bool exact = is_known_(p, "issue.cycles_issued");
    core_(p, out);
    if (exact) {
        schedulers_(p, out);
    }
    if (exact && verbose) {
        roofline_(p, out);
    }
    memory_(p, out);
    if (exact) {
        energy_(p, out);
        checks_(p, out);
    }
    launches_(p, out);
    fprintf(out, "simulated in        %.2f s, %s warp instructions a second\n", seconds,
            smrf_cli_count(
                seconds > 0 ? (uint64_t)((double)count_(p, "instructions.warp") / seconds) : 0));
}
