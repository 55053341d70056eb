// SPDX-License-Identifier: Apache-2.0
// Conservation laws, sums and differences of counters, files that appear complete or not at all,
// and the weights behind the progress bar.
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/results/laws.h"
#include "platform/results/report.h"
#include "platform/workload.h"
#include "tests/support/platform_files.h"

#include <cstring>
#include <functional>
#include <iterator>
#include <set>

using namespace smrf_test;

namespace
{

// Numbers of a run in which everything adds up.
struct balanced_run {
    smrf_counters c{};
    smrf_machine machine{};
    smrf_config cfg{};
    struct smrf_trace_totals trace = {};
    uint64_t launches = 2;

    balanced_run()
    {
        c.sm.operand_reads = 96;
        c.sm.bank_reads = c.bank_reads = c.sm.crossbar_transfers = 70;
        c.sm.cache_hits = 30;
        c.sm.part_reads = 4;
        c.sm.bank_writes = c.bank_writes = 44;
        c.sm.operand_writes = 44;
        c.sm.round_writes = 6;
        c.sm.evictions = 2;
        c.sm.copy_writes = 5;
        c.sm.shared_writes = 3;
        c.sm.warp_insts = c.sm.completed = trace.warp_insts = c.simt.insts = 60;
        c.simt.exact = 30;
        c.simt.subset = 20;
        c.simt.empty = 10;
        c.simt.mismatches = 5;
        c.simt.mismatch_pc = c.simt.mismatch_dead = c.simt.mismatch_condition = 1;
        c.simt.mismatch_barrier = c.simt.mismatch_converge = 1;
        c.sm.thread_insts = trace.thread_insts = 1900;
        c.sm.warp_insts_by_class[SMRF_CLASS_SP] = 50;
        c.sm.warp_insts_by_class[SMRF_CLASS_EXIT] = 10;
        c.sm.thread_insts_by_class[SMRF_CLASS_SP] = 1600;
        c.sm.thread_insts_by_class[SMRF_CLASS_EXIT] = 300;
        c.sm.cycles_issued = 60;
        c.sm.stall[SMRF_STALL_data] = 25;
        c.sm.stall[SMRF_STALL_idle] = 15;
        c.sm.scheduler_cycles = 100;
        c.sm.blocks = trace.blocks = 8;
        trace.kernels = 2;
        c.ldst.reads_sent = 12;
        c.ldst.writes_sent = 5;
        c.ldst.atomics_sent = 1;
        c.ldst.answers = c.memory.requests = c.memory.responses = 18;
        machine.mechanism = smrf_mechanism_find("baseline");
        smrf_config_default(&cfg);
        machine.cfg = &cfg;
        machine.memory = reinterpret_cast<const smrf_memory *>(&c); // only whether there is one
    }
    int check(std::string &text) const
    {
        smrf_audit audit{&c, &machine, &trace, launches};
        char buffer[2048] = "";
        int result = smrf_laws_check(&audit, buffer, sizeof buffer);
        text = buffer;
        return result;
    }
};

TEST(Laws, HoldInARunThatAddsUp)
{
    std::string text;
    EXPECT_EQ(SMRF_OK, balanced_run().check(text)) << text;
    EXPECT_GT(smrf_laws_count(smrf_mechanism_find("baseline")), 15u);
}

TEST(Laws, CountInstructionsThatAMechanismRemovedOrInjected)
{
    balanced_run run;
    std::string text;
    run.trace.warp_insts += 7; // of the trace, not issued, but shown to the SIMT stack
    run.trace.thread_insts += 7 * 32;
    run.c.simt.insts += 7;
    run.c.simt.exact += 7;
    run.c.sm.removed_insts = 7;
    run.c.sm.removed_threads = 7 * 32;
    EXPECT_EQ(SMRF_OK, run.check(text)) << text;
    run.c.sm.injected_insts = 3; // issued, not of the trace
    run.c.sm.injected_threads = 3;
    EXPECT_EQ(SMRF_ERR_CHECK, run.check(text));
    EXPECT_NE(std::string::npos, text.find("instructions replayed: ")) << text;
    EXPECT_NE(std::string::npos, text.find("threads replayed: ")) << text;
    run.c.sm.warp_insts += 3;
    run.c.sm.completed += 3;
    run.c.sm.thread_insts += 3;
    run.c.sm.warp_insts_by_class[0] += 3;
    run.c.sm.thread_insts_by_class[0] += 3;
    EXPECT_EQ(SMRF_OK, run.check(text)) << text;
}

TEST(Laws, NameWhatIsBrokenWithBothSides)
{
    struct damage {
        const char *law;
        std::function<void(balanced_run &)> apply;
    };
    const damage damages[] = {
        {"operands read", [](balanced_run &r) { r.c.sm.cache_hits++; }},
        {"bank reads", [](balanced_run &r) { r.c.bank_reads++; }},
        {"results", [](balanced_run &r) { r.c.sm.evictions--; }},
        {"bank writes", [](balanced_run &r) { r.c.bank_writes--; }},
        {"crossbar", [](balanced_run &r) { r.c.sm.crossbar_transfers--; }},
        {"instructions replayed", [](balanced_run &r) { r.trace.warp_insts++; }},
        {"threads replayed", [](balanced_run &r) { r.trace.thread_insts--; }},
        {"instructions completed", [](balanced_run &r) { r.c.sm.completed--; }},
        {"classes", [](balanced_run &r) { r.c.sm.warp_insts_by_class[0]++; }},
        {"thread classes", [](balanced_run &r) { r.c.sm.thread_insts_by_class[0]++; }},
        {"scheduler cycles", [](balanced_run &r) { r.c.sm.stall[0]++; }},
        {"blocks", [](balanced_run &r) { r.trace.blocks++; }},
        {"launches", [](balanced_run &r) { r.launches--; }},
        {"SIMT stack", [](balanced_run &r) { r.c.simt.insts--; }},
        {"SIMT masks", [](balanced_run &r) { r.c.simt.subset++; }},
        {"SIMT mismatches", [](balanced_run &r) { r.c.simt.mismatch_condition++; }},
        {"waits", [](balanced_run &r) { r.c.sm.waits_port++; }},
        {"collectors", [](balanced_run &r) { r.c.sm.collector_ready++; }},
        {"answers", [](balanced_run &r) { r.c.ldst.answers--; }},
        {"memory requests", [](balanced_run &r) { r.c.memory.requests++; }},
        {"memory responses", [](balanced_run &r) { r.c.memory.responses--; }},
        {"memory errors", [](balanced_run &r) { r.c.bus.errors = 1; }},
        {"payloads", [](balanced_run &r) { r.machine.payloads_in_use = 3; }},
        {"protocol", [](balanced_run &r) { r.machine.protocol_violations = 1; }},
        {"value oracle", [](balanced_run &r) { r.c.sm.oracle_violations = 1; }},
        {"value oracle", [](balanced_run &r) { r.c.sm.oracle_unrestored = 1; }},
        {"value oracle", [](balanced_run &r) { r.c.sm.oracle_wrong_shares = 1; }},
        {"copies", [](balanced_run &r) { r.c.sm.oracle_stale_copies = 1; }},
        {"early reads", [](balanced_run &r) { r.c.sm.early_reads = 1; }},
    };
    std::set<std::string> tried;
    for (const auto &damage : damages) {
        tried.insert(damage.law);
    }
    EXPECT_EQ(smrf_laws_count(smrf_mechanism_find("baseline")), tried.size())
        << "every law is tried";
    for (const auto &damage : damages) {
        balanced_run run;
        std::string text;
        damage.apply(run);
        EXPECT_EQ(SMRF_ERR_CHECK, run.check(text)) << damage.law;
        EXPECT_NE(std::string::npos, text.find(std::string(damage.law) + ": ")) << text;
        EXPECT_NE(std::string::npos, text.find("differ from")) << text;
    }
}

TEST(Laws, AForeignMemoryIsNotAskedForItsCounters)
{
    balanced_run run;
    std::string text;
    run.machine.memory = nullptr;
    run.c.memory = {};
    EXPECT_EQ(SMRF_OK, run.check(text)) << text;
}

TEST(Laws, ATextThatIsTooShortIsCutNotOverrun)
{
    balanced_run run;
    run.c.sm.cache_hits++;
    run.c.bank_reads++;
    run.trace.blocks++;
    smrf_audit audit{&run.c, &run.machine, &run.trace, run.launches};
    char text[40];
    std::memset(text, 'x', sizeof text);
    EXPECT_EQ(SMRF_ERR_CHECK, smrf_laws_check(&audit, text, 20));
    EXPECT_EQ(19u, std::strlen(text));
    EXPECT_EQ('x', text[20]);
}

TEST(Counters, DifferenceSubtractsSumsAndKeepsMarks)
{
    smrf_counters before{}, after{}, difference{};
    before.cycles = 100;
    after.cycles = 150;
    before.sm.warp_insts = 7;
    after.sm.warp_insts = 19;
    before.simt.max_depth = after.simt.max_depth = 5;
    before.bank_writes = 3;
    after.bank_writes = 4;
    smrf_counters_difference(&difference, &after, &before, 0);
    EXPECT_EQ(50u, difference.cycles);
    EXPECT_EQ(12u, difference.sm.warp_insts);
    EXPECT_EQ(5u, difference.simt.max_depth) << "a high-water mark, not a sum";
    EXPECT_EQ(1u, difference.bank_writes);
}

double stat(const smrf_counters &c, const char *name)
{
    const smrf_stat *s = smrf_stat_find(name);
    EXPECT_NE(nullptr, s) << name;
    return s ? smrf_stat_value(s, &c) : -1;
}

TEST(Statistics, DerivedOnesFollowTheirFormulas)
{
    smrf_counters c{};
    EXPECT_EQ(0.0, stat(c, "ipc")) << "nothing divided by nothing is 0";
    EXPECT_EQ(0.0, stat(c, "l1d.hit_ratio"));
    c.cycles = 50;
    c.sm.warp_insts = 100;
    c.sm.thread_insts = 3000;
    c.sm.operand_reads = 200;
    c.sm.cache_hits = 50;
    c.sm.bank_reads = 143;
    c.sm.completed = 89;
    c.ldst.reads_sent = 20;
    c.ldst.writes_sent = 4;
    c.ldst.atomics_sent = 2;
    c.ldst.answers = 13;
    c.ldst.l1d_global_load_accesses = 30;
    c.ldst.l1d_local_store_accesses = 10;
    c.ldst.l1d_global_load_hits = 8;
    c.memory.l2_reads = 16;
    c.memory.l2_atomics = 4;
    c.memory.l2_read_hits = 4;
    c.memory.l2_atomic_hits = 1;
    c.simt.mismatch_pc = 1;
    c.simt.mismatch_converge = 2;
    c.simt.mismatch_barrier = 4;
    c.simt.mismatch_dead = 8;
    c.simt.mismatch_condition = 16;
    EXPECT_EQ(60.0, stat(c, "ipc"));
    EXPECT_EQ(2.0, stat(c, "warp_ipc"));
    EXPECT_EQ(30.0, stat(c, "instructions.lanes"));
    EXPECT_EQ(0.25, stat(c, "rf.hit_ratio"));
    EXPECT_EQ(7.0, stat(c, "rf.in_flight"));
    EXPECT_EQ(11.0, stat(c, "instructions.in_flight"));
    EXPECT_EQ(13.0, stat(c, "l1d.in_flight"));
    EXPECT_EQ(40.0, stat(c, "l1d.accesses"));
    EXPECT_EQ(0.2, stat(c, "l1d.hit_ratio"));
    EXPECT_EQ(20.0, stat(c, "l2.accesses"));
    EXPECT_EQ(0.25, stat(c, "l2.hit_ratio"));
    EXPECT_EQ(31.0, stat(c, "simt.mask_mismatches"));
    EXPECT_EQ(16.0, stat(c, "simt.unlisted_conditions"));
}

TEST(Workload, WeighsLaunchesByTheSizeOfTheirFiles)
{
    temporary_folder folder;
    write_file(folder / "a.traceg", std::string(100, 'x'));
    write_file(folder / "b.traceg.xz", std::string(300, 'x'));
    fs::rename(folder / "a.traceg", folder / "kernel-a.traceg");
    fs::rename(folder / "b.traceg.xz", folder / "kernel-b.traceg.xz");
    write_file(folder / "kernelslist.g",
               "MemcpyHtoD,0x0,4\r\nkernel-a.traceg\r\nkernel-b.traceg\n");
    smrf_workload w{};
    ASSERT_EQ(SMRF_OK, smrf_workload_add(&w, folder.path().c_str()));
    EXPECT_EQ(2u, w.num_launches);
    EXPECT_DOUBLE_EQ(0.0, smrf_workload_fraction(&w, 0, 0.0));
    EXPECT_DOUBLE_EQ(0.125, smrf_workload_fraction(&w, 0, 0.5));
    EXPECT_DOUBLE_EQ(0.25, smrf_workload_fraction(&w, 1, 0.0));
    EXPECT_DOUBLE_EQ(0.625, smrf_workload_fraction(&w, 1, 0.5));
    EXPECT_DOUBLE_EQ(1.0, smrf_workload_fraction(&w, 2, 0.0));
    EXPECT_GT(0.0, smrf_workload_fraction(&w, 3, 0.0)) << "more launches than known";
    ASSERT_EQ(SMRF_OK, smrf_workload_add(&w, (folder / "kernel-a.traceg").c_str()));
    EXPECT_DOUBLE_EQ(0.2, smrf_workload_fraction(&w, 1, 0.0));
    smrf_workload_free(&w);
}

TEST(Workload, OfUnknownSizeHasNoFraction)
{
    smrf_workload w{};
    EXPECT_GT(0.0, smrf_workload_fraction(&w, 0, 0.0));
    smrf_workload_free(&w);
}

} // namespace
