// SPDX-License-Identifier: Apache-2.0
// smrf profile: what it books to instructions is what the trace holds and what the run counted.
#include "../support/platform_files.h"
#include "platform/observe/profile.h"
#include "platform/platform.h"
#include "traces/trace.h"

#include <algorithm>
#include <map>
#include <set>

namespace
{

using namespace smrf_test;

using memory = std::unique_ptr<smrf_profile, void (*)(smrf_profile *)>;
using machine = std::unique_ptr<smrf_platform, void (*)(smrf_platform *)>;

// A run under a profile.
struct profiled {
    explicit profiled(const std::string &trace, const std::vector<std::string> &set = {},
                      const std::string &mechanism = "baseline",
                      const std::string &engine = "direct")
        : profile(smrf_profile_create(), smrf_profile_free),
          platform(nullptr, smrf_platform_destroy)
    {
        smrf_platform *p = nullptr;
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        platform.reset(p);
        const smrf_observer observer = smrf_profile_observer(profile.get());
        smrf_platform_engine(p, engine.c_str());
        EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism.c_str()));
        for (const std::string &pair : set) {
            EXPECT_EQ(SMRF_OK, smrf_platform_set(p, pair.c_str())) << smrf_platform_error(p);
        }
        smrf_platform_observe(p, &observer);
        EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
    }
    int run(uint64_t cycles = SMRF_NO_LIMIT)
    {
        const int end = smrf_platform_run(platform.get(), cycles);
        const int n = smrf_profile_get(profile.get(), &kernel);
        EXPECT_GE(n, 0);
        kernels = static_cast<size_t>(n);
        return end;
    }
    uint64_t count(const char *name)
    {
        uint64_t value = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(platform.get(), name, &value)) << name;
        return value;
    }
    template <class F> uint64_t sum(F part) const
    {
        uint64_t all = 0;
        for (size_t k = 0; k < kernels; k++) {
            for (size_t i = 0; i < kernel[k].num_inst; i++) {
                all += part(kernel[k].inst[i]);
            }
        }
        return all;
    }
    const smrf_profile_inst *at(uint32_t pc) const
    {
        for (size_t i = 0; kernels && i < kernel[0].num_inst; i++) {
            if (!kernel[0].inst[i].own && kernel[0].inst[i].pc == pc) {
                return &kernel[0].inst[i];
            }
        }
        ADD_FAILURE() << "no instruction at " << pc;
        static const smrf_profile_inst nothing{};
        return &nothing;
    }
    memory profile;
    machine platform;
    const smrf_profile_kernel *kernel = nullptr;
    size_t kernels = 0;
};

// What a trace holds, by kernel and PC, counted from its lines alone.
struct line_counts {
    uint64_t warps = 0, lanes = 0, sectors = 0;
};
using ledger = std::map<std::pair<std::string, uint32_t>, line_counts>;

uint64_t sectors_of(const smrf_inst &in)
{
    if (in.addr_kind == SMRF_ADDR_NONE || in.op->access_bytes == 0 ||
        in.op->space != SMRF_SPACE_GLOBAL || in.op->op_class == SMRF_CLASS_ATOMIC) {
        return 0;
    }
    std::set<uint64_t> sectors;
    uint64_t k = 0;
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        if (in.mask >> lane & 1) {
            const uint64_t address = in.addr_kind == SMRF_ADDR_LIST
                                         ? smrf_inst_address(&in, lane)
                                         : in.base + static_cast<uint64_t>(in.stride) * k;
            k++;
            for (uint64_t byte = 0; byte < in.op->access_bytes; byte++) {
                sectors.insert((address + byte) / 32);
            }
        }
    }
    return sectors.size();
}

ledger read_ledger(const std::string &path)
{
    ledger all;
    smrf_trace *t = nullptr;
    smrf_kernel_info info;
    smrf_trace_block *block = nullptr;
    static smrf_inst inst;
    EXPECT_EQ(SMRF_OK, smrf_trace_open(&t, path.c_str(), nullptr));
    while (smrf_trace_next_kernel(t, &info) == 1) {
        const std::string name = info.name;
        while (smrf_trace_next_block(t, &block) == 1) {
            for (uint32_t w = 0; w < smrf_trace_block_warps(block); w++) {
                while (smrf_trace_next_inst(block, w, &inst) == 1) {
                    line_counts &c = all[{name, inst.op->pc}];
                    c.warps++;
                    c.lanes += static_cast<uint64_t>(__builtin_popcount(inst.mask));
                    c.sectors += sectors_of(inst);
                }
            }
            smrf_trace_release_block(t, block);
        }
    }
    smrf_trace_close(t);
    return all;
}

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

using view = std::pair<const char *, const char *>; // trace, mechanism

class profile_of : public testing::TestWithParam<view>
{
};

TEST_P(profile_of, BooksEveryLineOfTheTraceAndEverythingThatTheRunCounts)
{
    const std::string trace = bundled(GetParam().first);
    profiled p(trace, {"gpu.sms=3"}, GetParam().second);
    ASSERT_EQ(SMRF_RUN_DONE, p.run()) << smrf_platform_error(p.platform.get());
    ledger lines = read_ledger(trace);
    for (size_t k = 0; k < p.kernels; k++) {
        for (size_t i = 0; i < p.kernel[k].num_inst; i++) {
            const smrf_profile_inst &inst = p.kernel[k].inst[i];
            ASSERT_FALSE(inst.own);
            const auto found = lines.find({p.kernel[k].name, inst.pc});
            ASSERT_NE(lines.end(), found) << inst.pc;
            EXPECT_EQ(found->second.warps, inst.counts.issued) << inst.text;
            EXPECT_EQ(found->second.lanes, inst.counts.lanes) << inst.text;
            if (found->second.sectors) {
                EXPECT_EQ(found->second.sectors, inst.counts.sectors) << inst.text;
            }
            EXPECT_EQ(inst.counts.issued, inst.counts.state[SMRF_WARP_issued]);
            EXPECT_LE(inst.counts.bank_reads, inst.counts.reads);
            lines.erase(found);
        }
        for (size_t i = 0; i + 1 < p.kernel[k].num_inst; i++) {
            EXPECT_LT(p.kernel[k].inst[p.kernel[k].by_pc[i]].pc,
                      p.kernel[k].inst[p.kernel[k].by_pc[i + 1]].pc);
        }
    }
    EXPECT_TRUE(lines.empty()) << lines.size() << " instructions are missing";
    using in = const smrf_profile_inst &;
    EXPECT_EQ(p.count("rf.operand_reads"), p.sum([](in i) { return i.counts.reads; }));
    EXPECT_EQ(p.count("rf.bank_reads"), p.sum([](in i) { return i.counts.bank_reads; }));
    EXPECT_EQ(p.count("rf.bank_conflict_cycles"), p.sum([](in i) { return i.counts.conflicts; }));
    EXPECT_EQ(p.sum([](in i) { return i.counts.conflicts; }), p.sum([](in i) {
        uint64_t behind = i.counts.conflicts_write + i.counts.conflicts_port;
        for (size_t r = 0; r < i.num_rivals; r++) {
            behind += i.rival[r].cycles;
        }
        return behind;
    })) << "every cycle of waiting is behind somebody";
}

INSTANTIATE_TEST_SUITE_P(Traces, profile_of,
                         testing::Values(view{"matmul", "baseline"}, view{"matmul", "malekeh-long"},
                                         view{"matmul", "bow-long"}, view{"hotspot", "gto-lru"}),
                         [](const auto &of) {
                             std::string name = std::string(of.param.first) + "_" + of.param.second;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

// One warp: in every cycle in which it is resident it does one thing.
TEST(Profile, OfOneWarpItsCyclesAreThoseInWhichItIsThere)
{
    temporary_folder folder;
    launch_shape shape;
    shape.blocks = shape.warps = 1;
    shape.body = small_body();
    shape.repeat = 5;
    profiled p(write_trace(folder, "t", shape), {"gpu.sms=1"});
    ASSERT_EQ(SMRF_RUN_DONE, p.run());
    const uint64_t cycles =
        p.sum([](const smrf_profile_inst &i) { return smrf_profile_cycles(&i.counts); });
    // From the cycle in which it is placed to that in which its last store is answered.
    EXPECT_LE(cycles, p.kernel[0].cycles);
    EXPECT_GE(cycles + 3, p.kernel[0].cycles);
    EXPECT_GT(p.at(0x10)->counts.state[SMRF_WARP_memory], 100u) << "the first waits for DRAM";
    EXPECT_EQ(0u, p.at(0x10)->counts.state[SMRF_WARP_barrier]);
}

// Three operands in one bank, one read a cycle: one waits a cycle, another two, behind their own
// instruction.
TEST(Profile, SaysBehindWhomAnInstructionWaits)
{
    temporary_folder folder;
    launch_shape shape;
    shape.blocks = shape.warps = 1;
    shape.body = {"ffffffff 1 R8 FFMA 3 R8 R2 R4 0 0"}; // each waits for the one before
    shape.repeat = 10;
    profiled p(write_trace(folder, "t", shape), {"gpu.sms=1", "rf.banks=2", "rf.steps=1"});
    ASSERT_EQ(SMRF_RUN_DONE, p.run()) << smrf_platform_error(p.platform.get());
    for (uint32_t pc = 0; pc < 0xa0; pc += 16) {
        const smrf_profile_inst *i = p.at(pc);
        EXPECT_EQ(3u, i->counts.conflicts) << pc;
        ASSERT_EQ(1u, i->num_rivals) << pc;
        EXPECT_EQ(pc, p.kernel[0].inst[i->rival[0].inst].pc);
        EXPECT_EQ(3u, i->rival[0].cycles);
    }
}

TEST(Profile, OfARunThatIsCutOffHoldsWhatHasHappened)
{
    profiled p(bundled("matmul"));
    ASSERT_EQ(SMRF_RUN_MORE, p.run(700));
    const auto issued = [&] {
        return p.sum([](const smrf_profile_inst &i) { return i.counts.issued; });
    };
    EXPECT_GT(issued(), 0u);
    EXPECT_EQ(p.count("instructions.warp"), issued());
    ASSERT_EQ(SMRF_RUN_DONE, p.run());
    EXPECT_EQ(p.count("instructions.warp"), issued());
}

// Nobody's cycles change because somebody looks.
TEST(Profile, ChangesNothing)
{
    profiled p(bundled("matmul"), {}, "malekeh-long");
    ASSERT_EQ(SMRF_RUN_DONE, p.run());
    machine bare(nullptr, smrf_platform_destroy);
    smrf_platform *made = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&made));
    bare.reset(made);
    smrf_platform_engine(made, "direct");
    smrf_platform_mechanism(made, "malekeh-long");
    smrf_platform_add_trace(made, bundled("matmul").c_str());
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(made, SMRF_NO_LIMIT));
    uint64_t cycles = 0;
    smrf_platform_count(made, "cycles", &cycles);
    EXPECT_EQ(p.count("cycles"), cycles);
}

// What a launch waits for before its first block counts here, too.
TEST(Profile, HasTheCyclesOfTheResults)
{
    for (const char *latency : {"gpu.launch_latency=0", "gpu.launch_latency=700"}) {
        profiled p(bundled("hotspot"), {latency});
        ASSERT_EQ(SMRF_RUN_DONE, p.run());
        uint64_t cycles = 0, launches = 0;
        for (size_t k = 0; k < p.kernels; k++) {
            cycles += p.kernel[k].cycles;
            launches += p.kernel[k].launches;
        }
        EXPECT_EQ(2u, launches);
        EXPECT_EQ(p.count("cycles"), cycles) << latency;
    }
}

// --- the command ---------------------------------------------------------------------------------

struct profile_command : testing::Test {
    temporary_folder folder;
    std::string trace = bundled("matmul");
};

TEST_F(profile_command, IsTheSameOverSystemC)
{
    outcome direct = smrf(folder, "profile --json - " + trace);
    outcome systemc = smrf(folder, "profile --engine systemc --json - " + trace);
    ASSERT_EQ(0, direct.status) << direct.err;
    ASSERT_EQ(0, systemc.status) << systemc.err;
    EXPECT_EQ(direct.out, systemc.out);
    EXPECT_GT(direct.out.size(), 1000u);
}

// Read stages have no arbiter; the command checks that instructions' bank reads are the run's.
TEST_F(profile_command, OfReadStagesHasTheirReadsAndTheirCauses)
{
    const std::string words = " -p turing-modern -s gpu.sms=2 " + bundled("gemm");
    const outcome direct = smrf(folder, "profile --json -" + words);
    ASSERT_EQ(0, direct.status) << direct.err;
    EXPECT_EQ(direct.out, smrf(folder, "profile --engine systemc --json -" + words).out);
    const std::string text = smrf(folder, "profile" + words).out;
    for (const char *cause : {"count ", "counter ", "queue "}) {
        EXPECT_NE(std::string::npos, text.find(cause)) << cause << text;
    }
    EXPECT_EQ(std::string::npos, text.find("collector ")) << text;
    EXPECT_EQ(0, smrf(folder, "run -q --timeline " + (folder / "t.json") + words).status);
}

TEST_F(profile_command, PutsTwoMechanismsBesideOneAnother)
{
    outcome both = smrf(folder, "profile --csv " + (folder / "p.csv") +
                                    " -m baseline -m malekeh-long " + trace);
    ASSERT_EQ(0, both.status) << both.err;
    EXPECT_NE(std::string::npos, both.out.find("malekeh-long"));
    const std::string csv = read_file(folder / "p.csv");
    document one(smrf(folder, "profile --json - -m malekeh-long " + trace).out);
    const json_t *list =
        document::at(json_array_get(document::at(json_array_get(one.at("runs"), 0), "kernels"), 0),
                     "instructions");
    EXPECT_EQ(1 + 2 * static_cast<long>(json_array_size(list)),
              std::count(csv.begin(), csv.end(), '\n'));
    // A row of the second and its entry in the document.
    const json_t *first = json_array_get(list, 0);
    std::stringstream text(csv.substr(csv.find("malekeh-long")));
    std::string row;
    std::getline(text, row);
    EXPECT_NE(
        std::string::npos,
        row.find("," + std::to_string(json_integer_value(json_object_get(first, "issued"))) + ","))
        << row;
}

// From the text of a disassembly to the profile: each state is booked to a line of the source.
TEST_F(profile_command, KnowsTheLinesOfTheSourceWhereTheListingDoes)
{
    const std::string header = folder / "half.h", source = folder / "k.cu";
    write_file(header, "\n\n    return x * 0.5f; // half\n");
    write_file(folder / "k.sass",
               "\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\"\n"
               "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\n"
               "\t.align\t128\n\t.global\tk\n\t.type\tk,@function\n\t.size\tk,(.L_x_1 - k)\n"
               "\t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\nk:\n.text.k:\n"
               "        /*0000*/ MOV R0, 0x3f800000 ;\n"
               "\t//## File \"" +
                   source +
                   "\", line 5\n"
                   "        /*0010*/ FADD R1, R0, R0 ;\n"
                   "\t//## File \"" +
                   header +
                   "\", line 3\n"
                   "        /*0020*/ FMUL R2, R1, 0.5 ;\n"
                   "\t//## File \"" +
                   source +
                   "\", line 5\n"
                   "        /*0030*/ FADD R3, R2, R1 ;\n"
                   "\t//## File \"" +
                   source +
                   "\", line 6\n"
                   "        /*0040*/ EXIT ;\n.L_x_1:\n");
    write_file(folder / "k.yaml", "launches:\n  - {kernel: k, grid: [1, 1, 1], block: [32, 1, 1], "
                                  "args: []}\n");
    const std::string made = folder / "t";
    outcome o = smrf(folder, "trace -q " + (folder / "k.sass") + " --launch " +
                                 (folder / "k.yaml") + " -o " + made);
    ASSERT_EQ(0, o.status) << o.err;
    o = smrf(folder, "profile --listing " + made);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_NE(std::string::npos, o.out.find("\n  0000        -")) << o.out;
    EXPECT_NE(std::string::npos, o.out.find("\nk.cu:5\n  0010   k.cu:5")) << "no such file\n"
                                                                          << o.out;
    EXPECT_NE(std::string::npos,
              o.out.find("\nhalf.h:3  return x * 0.5f; // half\n  0020 half.h:3"))
        << o.out;
    EXPECT_NE(std::string::npos, o.out.find("\nk.cu:6\n  0040   k.cu:6")) << o.out;
    o = smrf(folder, "profile -m baseline -m bow-short --listing " + made);
    EXPECT_NE(std::string::npos,
              o.out.find("\nhalf.h:3  return x * 0.5f; // half\n  0020 half.h:3"))
        << o.out;
    EXPECT_EQ(std::string::npos, smrf(folder, "profile " + made).out.find("return x"));
    const std::string csv = smrf(folder, "profile --csv - " + made).out;
    EXPECT_EQ(0u, csv.find("mechanism,kernel,pc,line,file,own,instruction,")) << csv;
    EXPECT_NE(std::string::npos, csv.find("\nbaseline,k,0,0,,0,")) << csv;
    EXPECT_NE(std::string::npos, csv.find("\nbaseline,k,32,3," + header + ",0,")) << csv;
    document d(smrf(folder, "profile --json - " + made).out);
    const json_t *list =
        document::at(json_array_get(document::at(json_array_get(d.at("runs"), 0), "kernels"), 0),
                     "instructions");
    ASSERT_EQ(5u, json_array_size(list));
    EXPECT_TRUE(json_is_null(json_object_get(json_array_get(list, 0), "file")));
    EXPECT_TRUE(json_is_null(json_object_get(json_array_get(list, 0), "line")));
    EXPECT_EQ(header, json_string_value(json_object_get(json_array_get(list, 2), "file")));
    EXPECT_EQ(3, json_integer_value(json_object_get(json_array_get(list, 2), "line")));
    EXPECT_EQ(5, json_integer_value(json_object_get(json_array_get(list, 3), "line")));
}

TEST_F(profile_command, ShowsAsManyInstructionsAsAskedForInTheOrderAskedFor)
{
    auto rows = [&](const std::string &how) {
        outcome o = smrf(folder, "profile " + how + " " + trace);
        EXPECT_EQ(0, o.status) << o.err;
        std::vector<uint32_t> pcs;
        std::stringstream text(o.out);
        std::string line;
        while (std::getline(text, line)) {
            char *end = nullptr;
            if (line.rfind("  ", 0) == 0 && line.find('%') != std::string::npos) {
                pcs.push_back(static_cast<uint32_t>(std::strtoul(line.c_str() + 2, &end, 16)));
            }
        }
        return pcs;
    };
    EXPECT_EQ(5u, rows("--top 5").size());
    const std::vector<uint32_t> listing = rows("--listing");
    EXPECT_GT(listing.size(), 20u);
    EXPECT_TRUE(std::is_sorted(listing.begin(), listing.end()));
    EXPECT_EQ(listing, rows("--top 0 --by pc"));
}

TEST_F(profile_command, SaysWhatIsWrongWithItsOptions)
{
    const std::pair<const char *, const char *> wrong[] = {
        {"--by time ", "takes one of cycles, slower, conflicts, pc"},
        {"-m baseline -m bow -m rfc ", "at most two"},
        {"--top many ", "whole number"},
        {"-m nosuch ", "no mechanism is called"},
        {"--json - --csv - ", "-"},
    };
    for (const auto &[options, words] : wrong) {
        outcome o = smrf(folder, std::string("profile ") + options + trace);
        EXPECT_EQ(2, o.status) << options;
        EXPECT_NE(std::string::npos, o.err.find(words)) << options << o.err;
    }
    EXPECT_EQ(2, smrf(folder, "profile").status);
    EXPECT_EQ(3, smrf(folder, "profile nosuch").status);
    EXPECT_NE(std::string::npos, smrf(folder, "profile --help").out.find("why is it slower"));
}

} // namespace
