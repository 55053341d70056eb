// SPDX-License-Identifier: Apache-2.0
// What bounds the register file: the perfect one, waits by cause, utilisations, resident warps.
#include "tests/support/experiment_folder.h"

namespace
{

using namespace smrf_test;

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

document result(const temporary_folder &folder, const std::string &words)
{
    const outcome o = smrf(folder, "run -q --engine direct --json - " + words);
    EXPECT_EQ(0, o.status) << words << ": " << o.err;
    return document(o.out);
}

double at(const document &d, const std::string &path)
{
    const json_t *value = d.at(path.c_str());
    EXPECT_TRUE(json_is_number(value)) << path;
    return json_number_value(value);
}

TEST(roofline, APerfectRegisterFileHasNoWaitsAndIsTheBound)
{
    temporary_folder folder;
    for (const char *trace : {"matmul", "gemm", "hotspot"}) {
        const document real = result(folder, bundled(trace)),
                       bound = result(folder, "-s rf.perfect=on " + bundled(trace));
        EXPECT_GT(at(real, "rf.bank_conflict_cycles"), 0) << trace;
        EXPECT_EQ(0, at(bound, "rf.bank_conflict_cycles"));
        EXPECT_EQ(0, at(bound, "rf.write_conflicts"));
        EXPECT_EQ(at(real, "rf.bank_reads"), at(bound, "rf.bank_reads"));
        EXPECT_EQ(at(real, "rf.bank_writes"), at(bound, "rf.bank_writes"));
        EXPECT_GT(at(bound, "ipc"), at(real, "ipc")) << trace;
    }
}

TEST(roofline, ThePerfectRegisterFileIsTheSameOfBothEnginesAndUnderAProfile)
{
    temporary_folder folder;
    const std::string words = " -m malekeh-long -s rf.perfect=on " + bundled("gemm");
    std::string csv[2];
    for (const char *engine : {"systemc", "direct"}) {
        const outcome o =
            smrf(folder, std::string("run -q --series - --of '*' --engine ") + engine + words);
        ASSERT_EQ(0, o.status) << o.err;
        csv[engine[0] == 's'] = o.out;
    }
    EXPECT_EQ(csv[0], csv[1]);
    EXPECT_EQ(0, smrf(folder, "profile" + words).status);
}

TEST(roofline, WaitsAddUpAndUtilisationsAreParts)
{
    temporary_folder folder;
    for (const std::string words :
         {"-m malekeh-long ", "", "-s rf.collector_ports=2 -s rf.banks=4 ",
          "-p rtx2060-accelsim "}) {
        const document d = result(folder, words + bundled("matmul"));
        EXPECT_EQ(at(d, "rf.bank_conflict_cycles"),
                  at(d, "rf.waits.read") + at(d, "rf.waits.write") + at(d, "rf.waits.port"));
        EXPECT_EQ(at(d, "rf.collector_busy"),
                  at(d, "rf.collector_reading") + at(d, "rf.collector_ready"));
        for (const char *part :
             {"rf.bank_utilisation", "rf.port_utilisation", "rf.collector_utilisation",
              "issue.utilisation", "units.sp", "units.int", "units.mem"}) {
            EXPECT_GT(at(d, part), 0) << words << part;
            EXPECT_LE(at(d, part), 1) << words << part;
        }
        EXPECT_EQ(0, at(d, "units.dp"));
        EXPECT_NEAR(at(d, "counters.bank.reads") + at(d, "counters.bank.writes"),
                    at(d, "rf.bank_utilisation") * at(d, "counters.slots.bank"), 1);
    }
}

// Two warps a block, two blocks on an SM each of its own: as many warps are resident as there are.
TEST(roofline, WarpsAreResidentFromTheirBlocksBeginningToItsEnd)
{
    temporary_folder folder;
    const std::string trace = tiny_trace(folder, "t");
    const document d = result(folder, "-s gpu.sms=1 " + trace);
    const outcome o = smrf(folder, "profile --json - -s gpu.sms=1 " + trace);
    ASSERT_EQ(0, o.status) << o.err;
    const document p(o.out);
    double cycles = 0;
    size_t k, i;
    json_t *kernel, *inst;
    const json_t *run = json_array_get(p.at("runs"), 0);
    json_array_foreach(json_object_get(run, "kernels"), k, kernel)
    {
        json_array_foreach(json_object_get(kernel, "instructions"), i, inst)
        {
            const char *name;
            json_t *value;
            json_object_foreach(json_object_get(inst, "warp_cycles"), name, value)
            {
                cycles += json_number_value(value);
            }
        }
    }
    EXPECT_EQ(cycles, at(d, "counters.sm.warp_cycles"));
    EXPECT_GT(at(d, "issue.resident_warps"), 2);
    EXPECT_LE(at(d, "issue.resident_warps"), 4);
}

TEST(roofline, ComparePutsTheBoundBesideTheMechanisms)
{
    temporary_folder folder;
    const outcome o = smrf(folder, "compare --bound -m malekeh-long --json - " + bundled("gemm"));
    ASSERT_EQ(0, o.status) << o.err;
    const document d(o.out);
    const document bound = result(folder, "-s rf.perfect=on " + bundled("gemm")),
                   real = result(folder, bundled("gemm"));
    EXPECT_NEAR(at(bound, "ipc") / at(real, "ipc"), at(d, "geometric_means.perfect-rf"), 1e-6);
}

} // namespace
