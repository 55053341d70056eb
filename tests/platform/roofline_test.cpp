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

// The points are what the runs counted, the roofs what the machine could do: two banks in each of
// the four sub-cores, each of which issues one instruction a cycle. How they are drawn,
// page_test.py checks.
TEST(roofline, AFigureHasTheRunsBelowTheRoofsOfTheirMachine)
{
    temporary_folder folder;
    const std::string out = folder / "out";
    write_file(folder / "e.yaml",
               "title: t\ntraces: [{path: " + bundled("matmul") + "}, {path: " + bundled("gemm") +
                   "}]\nvariants:\n  baseline:\n"
                   "  more: {mechanism: malekeh-long, set: {rf.banks: 4}}\n"
                   "figures:\n  r: {columns: [baseline, more], plot: roofline}\n");
    const outcome o = smrf(folder, "study " + (folder / "e.yaml") + " -o " + out);
    ASSERT_EQ(0, o.status) << o.err;
    const document d(read_file(out + "/study.json"));
    for (const char *trace : {"matmul", "gemm"}) {
        const json_t *row = document::at(d.at("tables"), std::string("r.rows.") + trace);
        ASSERT_EQ(8u, json_array_size(row));
        const auto value = [&](size_t block, size_t variant) {
            return json_number_value(json_array_get(row, 2 * block + variant));
        };
        for (size_t v = 0; v < 2; v++) {
            const document run =
                result(folder, (v ? "-m malekeh-long -s rf.banks=4 " : "") + bundled(trace));
            const double issued = at(run, "instructions.warp"),
                         accesses = at(run, "rf.bank_reads") + at(run, "rf.bank_writes");
            EXPECT_NEAR(issued / at(run, "counters.sm.active_cycles"), value(0, v), 1e-7);
            EXPECT_NEAR(issued / accesses, value(1, v), 1e-7);
            EXPECT_NEAR((v ? 16 : 8) * issued / accesses, value(2, v), 1e-5);
            EXPECT_EQ(4, value(3, v));
            EXPECT_LT(value(0, v), value(2, v));
            EXPECT_LT(value(0, v), value(3, v));
        }
    }
    // The page draws these numbers, and no others.
    const document page(page_data(out));
    json_t *figure = json_array_get(page.at("figures"), 0);
    EXPECT_STREQ("roofline", json_string_value(document::at(figure, "plot")));
    ASSERT_EQ(2u, json_array_size(document::at(figure, "rows")));
    for (size_t r = 0; r < 2; r++) {
        const json_t *row = json_array_get(document::at(figure, "rows"), r);
        const char *name = json_string_value(json_object_get(row, "name"));
        const json_t *values = document::at(d.at("tables"), std::string("r.rows.") + name);
        ASSERT_EQ(8u, json_array_size(json_object_get(row, "v")));
        for (size_t c = 0; c < 8; c++) {
            const double value = json_number_value(json_array_get(values, c));
            EXPECT_NEAR(value, json_number_value(json_array_get(json_object_get(row, "v"), c)),
                        1e-6 * value)
                << name << c;
        }
    }
}

TEST(roofline, AFigureOfAnythingElseIsRefused)
{
    temporary_folder folder;
    const std::string head = "traces: [{path: " + bundled("gemm") +
                             "}]\nvariants: {baseline: }\n"
                             "sweeps: {b: {of: baseline, axes: {rf.banks: [2, 4]}}}\nfigures:\n";
    for (const char *wrong : {"  r: {columns: {IPC: mean(ipc@baseline)}, plot: roofline}\n",
                              "  r: {rows: b, columns: [baseline], plot: roofline}\n",
                              "  r: {rows: {IPC: mean(ipc@baseline)}, plot: roofline}\n",
                              "  r: {columns: traces, plot: roofline}\n",
                              "  r: {series: mechanism.sthld_walk, of: baseline, x: cycle, "
                              "columns: [sthld], plot: roofline}\n"}) {
        write_file(folder / "e.yaml", head + wrong);
        const outcome o = smrf(folder, "study " + (folder / "e.yaml") + " -o " + (folder / "o"));
        EXPECT_EQ(2, o.status) << wrong;
        EXPECT_NE(std::string::npos, o.err.find("a roofline's")) << wrong << o.err;
    }
}

TEST(roofline, ARunTellsWhatBoundsItWhenAskedFor)
{
    temporary_folder folder;
    const std::string trace = bundled("matmul");
    const outcome plain = smrf(folder, "run " + trace), told = smrf(folder, "run -v " + trace);
    EXPECT_EQ(std::string::npos, plain.out.find("roofline"));
    const document d = result(folder, trace);
    const double ipc = at(d, "instructions.warp") / at(d, "counters.sm.active_cycles");
    const auto line = [](const char *format, const char *name, double used, double full) {
        char text[128];
        std::snprintf(text, sizeof text, format, used, name, full);
        return std::string(text);
    };
    for (const auto &[name, key] :
         {std::pair("banks", "rf.bank_utilisation"), std::pair("read ports", "rf.port_utilisation"),
          std::pair("schedulers", "issue.utilisation")}) {
        const double used = at(d, key);
        EXPECT_NE(std::string::npos, told.out.find(line("\n  %5.1f %%  %-10s full at %.3f\n", name,
                                                        100 * used, ipc / used)))
            << name << told.out;
    }
    const double used = at(d, "rf.collector_utilisation");
    EXPECT_NE(std::string::npos, told.out.find(line("\n  %5.1f %%  %-10s full at %.3f, used most\n",
                                                    "collectors", 100 * used, ipc / used)))
        << told.out;
    EXPECT_NE(std::string::npos, told.out.find("\nresident warps      "));
    char units[64]; // four sub-cores with a unit each, one way into the load/store unit
    std::snprintf(units, sizeof units,
                  "\nunits busy          sp %.1f %%, int %.1f %%, mem %.1f %%, branch ",
                  100 * at(d, "counters.sm.busy_sp") / (4 * at(d, "counters.sm.active_cycles")),
                  100 * at(d, "counters.sm.busy_int") / (4 * at(d, "counters.sm.active_cycles")),
                  100 * at(d, "counters.sm.busy_mem") / at(d, "counters.sm.active_cycles"));
    EXPECT_NE(std::string::npos, told.out.find(units)) << units << told.out;
}

TEST(roofline, ComparisonsThatAreKeptHaveAReport)
{
    temporary_folder folder;
    const std::string out = folder / "out";
    const outcome o =
        smrf(folder, "compare --bound -m malekeh-long -o " + out + " " + bundled("gemm"));
    ASSERT_EQ(0, o.status) << o.err;
    const std::string page = read_file(out + "/report.html");
    EXPECT_NE(std::string::npos, page.find("IPC, baseline = 1"));
    EXPECT_NE(std::string::npos, page.find("Roofline of the register file"));
    EXPECT_NE(std::string::npos, page.find("smrf compare --bound -m malekeh-long -o"));
    for (const char *file : {"ipc.csv", "roofline.csv", "results.csv"}) {
        EXPECT_TRUE(fs::exists(out + "/" + file)) << file;
    }
    EXPECT_TRUE(draws(out, "ipc"));
    EXPECT_TRUE(draws(out, "roofline"));
    const std::string csv = read_file(out + "/ipc.csv");
    EXPECT_EQ(0u, csv.find("trace,baseline,malekeh-long,perfect-rf\n")) << csv;
}

} // namespace
