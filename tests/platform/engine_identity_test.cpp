// SPDX-License-Identifier: Apache-2.0
// The engine over SystemC and the plain engine give the same cycles and the same counters, launch
// by launch, whatever the trace, the preset, the quantum, the check and the back-pressure.
#include "tests/support/engine_outcome.h"

#include "models/common/smrf_rng.h"
#include "tests/support/pattern_trace.h"

#include <algorithm>
#include <map>

using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::real_traces;
using engine_outcome::run;
using engine_outcome::run_in_child;
using engine_outcome::source_folder;
using smrf_test::pattern;

namespace
{

constexpr uint32_t quanta[] = {1, 7, 64, 195, 1024};

outcome expect_identity(const std::string &trace, smrf_config cfg,
                        const engine_outcome::run_options &options = {})
{
    const outcome plain = run(smrf_engine_direct, trace, cfg, options);
    expect_complete(plain);
    for (const bool monitors : {false, true}) {
        cfg.sim.monitor = monitors;
        const outcome systemc = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(systemc);
        EXPECT_EQ("", difference(plain, systemc))
            << trace << ", sim.quantum " << cfg.sim.quantum << ", monitors " << monitors;
    }
    EXPECT_GT(plain.kernels.size(), 0u);
    return plain;
}

std::vector<std::string> real_names()
{
    std::vector<std::string> names;
    if (!real_traces().empty()) {
        for (const auto &entry : std::filesystem::directory_iterator(real_traces())) {
            if (std::filesystem::exists(entry.path() / "kernelslist.g")) {
                names.push_back(entry.path().string());
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

const std::map<std::string, std::vector<const char *>> &patterns()
{
    static const std::map<std::string, std::vector<const char *>> all = {
        {"compute", {"FFMA R16+16 R1 R2 R3", "IMAD R32+8 R4 R5 R16", "MUFU.RCP R40 R17"}},
        {"loads", {"LDG.E.32.SYS R16+16 R2 @0x100000,4,128,65536", "FFMA R40 R16 R17 R18"}},
        {"scattered", {"LDG.E.32.SYS R16+8 R2 @0x100000,256,8192,1048576"}},
        {"stores", {"STG.E.32.SYS - R2 R4 @0x200000,32,1024,65536", "IADD3 R16+4 R1 R2 R3"}},
        {"shared", {"LDS.U R16+4 R2 @0x0,8,4,16", "STS - R2 R4 @0x0,4,128,64"}},
    };
    return all;
}

class on_preset : public testing::TestWithParam<const char *>
{
};

std::string test_name(const testing::TestParamInfo<const char *> &info)
{
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace

TEST_P(on_preset, BundledTracesAtEveryQuantumWithAndWithoutCheck)
{
    for (const char *name : {"matmul", "divergent"}) {
        outcome first;
        for (uint32_t quantum : quanta) {
            smrf_config cfg = preset(GetParam());
            cfg.sim.quantum = quantum;
            cfg.sim.check = quantum != 7;
            const outcome o = expect_identity(source_folder() + "/traces/bundled/" + name, cfg);
            if (quantum == quanta[0]) {
                first = o;
            } else if (cfg.sim.check) {
                EXPECT_EQ("", difference(first, o)) << "quanta 1 and " << quantum;
            }
        }
    }
}

TEST_P(on_preset, Patterns)
{
    uint32_t turn = 0;
    for (const auto &p : patterns()) {
        SCOPED_TRACE(p.first);
        smrf_test::temporary_folder folder;
        smrf_config cfg = preset(GetParam());
        cfg.sim.quantum = quanta[turn++ % std::size(quanta)];
        expect_identity(pattern(folder, p.second, 8, 8, 200), cfg);
    }
}

TEST_P(on_preset, RealTraces)
{
    const std::vector<std::string> names = real_names();
    if (names.empty()) {
        GTEST_SKIP() << "no real traces: set SMRF_REAL_TRACES to their folder";
    }
    uint32_t turn = 0;
    for (const std::string &name : names) {
        smrf_config cfg = preset(GetParam());
        cfg.sim.quantum = quanta[turn % std::size(quanta)];
        cfg.sim.check = turn / 4 % 2 == 0;
        turn++;
        expect_identity(name, cfg);
    }
}

TEST(EngineIdentity, ReadStagesInThePlaceOfCollectors)
{
    uint32_t turn = 0;
    for (const char *name : {"matmul", "gemm", "fib", "ray"}) {
        for (const char *dependence : {"control", "scoreboard"}) {
            const std::string how = std::string("issue.dependence=") + dependence;
            smrf_config cfg = preset("turing-modern", {"gpu.sms=4", how.c_str()});
            cfg.sim.quantum = quanta[turn % std::size(quanta)];
            cfg.frontend.l0_bytes = turn % 2 ? 16384 : 0;
            cfg.frontend.icache_bytes = turn % 3 ? 0 : 8192;
            cfg.frontend.constant_bytes = turn % 4 ? 512 : 0;
            cfg.issue.barrier_latency = turn % 4 < 2 ? 23 : 0;
            cfg.sim.check = turn++ % 3 != 1;
            expect_identity(source_folder() + "/traces/bundled/" + name, cfg);
        }
    }
}

TEST(EngineIdentity, CachesInTheAllocateStage)
{
    uint32_t turn = 0;
    for (const char *mechanism :
         {"window-lru", "window-reuse", "window-near", "window-bow", "window-rfc"}) {
        engine_outcome::run_options options;
        options.mechanism = smrf_mechanism_find(mechanism);
        for (const char *name : {"matmul", "gemm", "ray"}) {
            smrf_config cfg = preset("turing-modern", {"gpu.sms=4", "rf.reuse_cache=off"});
            cfg.sim.quantum = quanta[turn % std::size(quanta)];
            cfg.sim.check = turn++ % 3 != 1;
            const outcome o =
                expect_identity(source_folder() + "/traces/bundled/" + name, cfg, options);
            EXPECT_EQ(0u, o.sum().sm.oracle_violations) << mechanism;
            EXPECT_GT(o.sum().mechanism[0], 0u) << mechanism;
        }
    }
}

// Control bits know nothing of a mechanism's operations, of removed instructions and of lanes that
// are carried into another register: no operand may be stale all the same.
TEST(EngineIdentity, RenamingOnACoreWithReadStages)
{
    struct {
        const char *mechanism, *trace, *pair;
        size_t at_work; // a counter of the mechanism
    } const runs[] = {
        {"cars", "ray", "gpu.sms=4", 1},
        {"cars-high", "fib", "gpu.sms=4", 1},
        {"cars-low", "fib", "sm.registers=8192", 0}, // traps
        {"virtual-rf", "divergent", "gpu.sms=4", 0},
        {"virtual-rf", "gemm", "gpu.sms=4", 0},
        {"larf", "ray", "larf.partial_hits=on", 0},
        {"larf", "hotspot", "larf.partial=off", 0},
    };
    for (const auto &r : runs) {
        SCOPED_TRACE(std::string(r.mechanism) + " " + r.trace);
        engine_outcome::run_options options;
        options.mechanism = smrf_mechanism_find(r.mechanism);
        for (const char *dependence : {"issue.dependence=control", "issue.dependence=latency"}) {
            std::vector<const char *> pairs = {"gpu.sms=4", r.pair, dependence};
            for (auto p = options.mechanism->defaults; p && *p; p++) {
                pairs.push_back(*p);
            }
            smrf_config cfg = preset("turing-modern", pairs);
            cfg.sim.check = true;
            const outcome o =
                expect_identity(source_folder() + "/traces/bundled/" + r.trace, cfg, options);
            EXPECT_EQ(0u, o.sum().sm.oracle_violations);
            EXPECT_GT(o.sum().sm.oracle_checked, 0u);
            EXPECT_EQ(0u, o.sum().sm.early_reads);
            EXPECT_GT(o.sum().mechanism[r.at_work], 0u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EngineIdentity, on_preset,
                         testing::Values("rtx2060-paper", "rtx2060-accelsim", "qv100-accelsim",
                                         "rtx3070-accelsim", "larf-paper"),
                         test_name);

namespace
{

// A line of a random program: any class of instruction, any registers, any stride.
std::string random_line(smrf_rng *rng)
{
    static const char *const compute[] = {"FFMA", "IADD3",    "IMAD.WIDE", "MUFU.RCP",
                                          "DFMA", "SHFL.IDX", "LOP3.LUT",  "HFMA2",
                                          "I2F",  "BAR.SYNC"};
    static const char *const memory[] = {
        "LDG.E.32.SYS", "LDG.E.64.SYS",  "STG.E.32.SYS",         "LDS.U",        "LDS.U.64",
        "STS",          "LDG.E.128.SYS", "RED.E.ADD.STRONG.GPU", "STG.E.128.SYS"};
    static const unsigned strides[] = {0, 4, 8, 16, 64, 132, 4096};
    auto any = [&](uint32_t n) { return smrf_rng_below(rng, n); };
    auto reg = [&] { return " R" + std::to_string(2 * any(24)); };
    if (any(3) != 0) {
        const std::string op = compute[any(10)];
        return op == "BAR.SYNC" ? op + " -" : op + reg() + reg() + reg() + (any(2) ? reg() : "");
    }
    const std::string op = memory[any(9)];
    const bool store = op[0] == 'S' || op[0] == 'R';
    const bool shared = op[0] == 'S' ? op[2] == 'S' : op[2] == 'S';
    const uint64_t base = shared ? 0 : 0x100000 + 0x10000 * any(64);
    return op + (store ? " -" : reg()) + reg() + (store ? reg() : "") + " @" +
           std::to_string(base) + "," + std::to_string(shared ? strides[any(3)] : strides[any(7)]) +
           "," + std::to_string(shared ? 0 : 128 * any(40)) + "," +
           std::to_string(shared ? 0 : 4096 * any(40));
}

} // namespace

TEST(EngineIdentity, RandomProgramsOnRandomMachines)
{
    static const char *const presets[] = {"rtx2060-paper", "rtx2060-accelsim", "qv100-accelsim",
                                          "rtx3070-accelsim", "larf-paper"};
    smrf_rng rng;
    smrf_rng_seed(&rng, 20260101, 0);
    for (int round = 0; round < 40; round++) {
        std::vector<std::string> text;
        std::vector<const char *> lines;
        for (uint32_t i = 0, n = 1 + smrf_rng_below(&rng, SMRF_PATTERN_INSTS); i < n; i++) {
            text.push_back(random_line(&rng));
        }
        std::string program = "round " + std::to_string(round);
        for (const std::string &line : text) {
            lines.push_back(line.c_str());
            program += "\n  " + line;
        }
        SCOPED_TRACE(program);
        smrf_test::temporary_folder folder;
        smrf_config cfg = preset(presets[smrf_rng_below(&rng, 5)]);
        cfg.gpu.sms = 1 + smrf_rng_below(&rng, 4);
        cfg.sim.quantum = 1 + smrf_rng_below(&rng, smrf_rng_below(&rng, 2) ? 200 : 2000);
        cfg.noc.credits = smrf_rng_below(&rng, 2) ? 1 + smrf_rng_below(&rng, 12) : cfg.noc.credits;
        cfg.noc.input_queue =
            smrf_rng_below(&rng, 2) ? 1 + smrf_rng_below(&rng, 12) : cfg.noc.input_queue;
        cfg.l1d.mshrs = smrf_rng_below(&rng, 2) ? 1 + smrf_rng_below(&rng, 8) : cfg.l1d.mshrs;
        expect_identity(pattern(folder, lines, 1 + smrf_rng_below(&rng, 12),
                                1 + smrf_rng_below(&rng, 8), 1 + smrf_rng_below(&rng, 300)),
                        cfg);
        if (HasFailure()) {
            return;
        }
    }
}

// Loads that are shared whole, loads that two registers make up where the L1 is tiny, stores that
// take entries out, and registers that are overwritten.
TEST(EngineIdentity, LoadsThatAMechanismMaps)
{
    smrf_test::temporary_folder folder;
    const std::string trace =
        pattern(folder,
                {"LDG.E.32.SYS R16 R2 @0x100000,4,0,128", "LDG.E.32.SYS R18 R2 @0x100080,4,0,128",
                 "LDG.E.32.SYS R20 R2 @0x400000,256,8192,65536",
                 "LDG.E.32.SYS R22 R2 @0x100010,4,0,128", "LDG.E.64.SYS R24 R2 @0x200000,8,0,256",
                 "FFMA R40 R16 R18 R22", "STG.E.32.SYS - R2 R40 @0x200000,4,4096,64"},
                4, 4, 40);
    engine_outcome::run_options options;
    options.mechanism = smrf_mechanism_find("larf");
    for (const bool check : {true, false}) {
        smrf_config cfg =
            preset("larf-paper", {"gpu.sms=2", "l1d.sets=1", "l1d.ways=2", "sim.quantum=64"});
        cfg.sim.check = check;
        const outcome o = expect_identity(trace, cfg, options);
        EXPECT_GT(o.sum().sm.shared_loads, 0u);
        EXPECT_GT(o.sum().sm.merged_loads, 0u);
        EXPECT_EQ(0u, o.sum().sm.oracle_violations);
    }
}

TEST(EngineIdentity, FewCreditsHoldBothEnginesBackAlike)
{
    for (const char *name : {"scattered", "stores", "loads"}) {
        for (const char *credits : {"noc.credits=1", "noc.credits=2", "noc.credits=5",
                                    "noc.input_queue=1", "noc.input_queue=3"}) {
            SCOPED_TRACE(std::string(name) + " " + credits);
            smrf_test::temporary_folder folder;
            const std::string trace = pattern(folder, patterns().at(name), 1, 2, 5);
            outcome first;
            for (uint32_t quantum : quanta) {
                smrf_config cfg =
                    preset("rtx2060-paper", {"gpu.sms=2", "noc.flit_bytes=4", credits});
                cfg.sim.quantum = quantum;
                const outcome o = expect_identity(trace, cfg);
                EXPECT_GT(o.sum().memory.refused, 0u);
                if (quantum == quanta[0]) {
                    first = o;
                }
                EXPECT_EQ("", difference(first, o)) << "quanta 1 and " << quantum;
            }
        }
    }
}

namespace
{

// Each request takes its own time: a hash of its address.
int64_t hashed_latency(void *, const smrf_outside_request *request)
{
    return 40 + static_cast<int64_t>((request->address / 32 * 2654435761u >> 7) % 90);
}

} // namespace

TEST(EngineIdentity, AMemoryOfCFunctionsLooksTheSameToBoth)
{
    smrf_outside_memory memory{};
    memory.min_latency = 40;
    memory.request = hashed_latency;
    engine_outcome::run_options options;
    options.outside = &memory;
    for (const char *name : {"loads", "scattered", "stores"}) {
        SCOPED_TRACE(name);
        smrf_test::temporary_folder folder;
        const std::string trace = pattern(folder, patterns().at(name), 6, 4, 60);
        outcome first;
        for (uint32_t quantum : quanta) {
            smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=3", "sim.monitor=on"});
            cfg.sim.quantum = quantum;
            const outcome plain = run(smrf_engine_direct, trace, cfg, options);
            const outcome systemc = run_in_child(smrf_engine_systemc, trace, cfg, options);
            expect_complete(plain);
            expect_complete(systemc);
            EXPECT_EQ("", difference(plain, systemc)) << "quantum " << quantum;
            if (quantum == quanta[0]) {
                first = plain;
            }
            EXPECT_EQ("", difference(first, plain)) << "quanta 1 and " << quantum;
        }
    }
}
