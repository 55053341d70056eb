// SPDX-License-Identifier: Apache-2.0
// Programs of a few lines that each isolate one rule by which Accel-Sim's cycles come about, beside
// what Accel-Sim (dev 73f9fac, its SM75_RTX2060 configuration, one SM unless a row says more, no
// launch latency) answered. SMRF_MICROBENCH_OUT: a folder, in which the traces are left for
// Accel-Sim to replay.
#include "../support/microbench.h"
#include "../support/replay.h"

#include <filesystem>

namespace
{

using microbench::op;
using microbench::program;

const op CLOSE{"LDGDEPBAR", {}, {}};
const op FFMA{"FFMA", {10}, {10, 11, 12}};

op wait(unsigned groups)
{
    op o{"DEPBAR.LE", {}, {}};
    o.immediate = groups;
    return o;
}

op copy(uint64_t address, const char *opcode = "LDGSTS.E.BYPASS.LTC128B.128", unsigned width = 16,
        uint32_t mask = UINT32_MAX)
{
    return {opcode, {}, {3, 4}, address, mask, width};
}

// A place of a warp of its own, in steps of 512 bytes.
uint64_t place(unsigned warp, unsigned i)
{
    return microbench::GLOBAL + 0x10000 * warp + 512 * i;
}

void repeat(program &p, unsigned times, const program &of)
{
    for (unsigned i = 0; i < times; i++) {
        p.insert(p.end(), of.begin(), of.end());
    }
}

// --- asynchronous copies
// -----------------------------------------------------------------------------

// Each copy is waited for at once.
program copy_each(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        repeat(p, 1, {copy(place(warp, i)), CLOSE, wait(0), FFMA});
    }
    return p;
}

// Three groups in flight.
program copy_pipe(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 3; i++) {
        repeat(p, 1, {copy(place(warp, i)), CLOSE});
    }
    for (unsigned i = 3; i < 20; i++) {
        repeat(p, 1, {wait(2), copy(place(warp, i)), CLOSE, FFMA, FFMA, FFMA, FFMA, FFMA, FFMA});
    }
    p.push_back(wait(0));
    return p;
}

// Copies that no group holds yet, when the first group is waited for.
program copy_open(unsigned warp)
{
    return {copy(place(warp, 0)),
            CLOSE,
            copy(place(warp, 1)),
            copy(place(warp, 2)),
            wait(0),
            FFMA,
            CLOSE,
            wait(0),
            FFMA};
}

// A wait before any group.
program copy_no_group(unsigned warp)
{
    return {copy(place(warp, 0)), wait(0), FFMA, CLOSE, wait(0), FFMA};
}

program copy_hits(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        repeat(p, 1, {copy(place(warp, i % 2), "LDGSTS.E.128"), CLOSE, wait(0), FFMA});
    }
    return p;
}

program copy_masked(unsigned warp)
{
    const char *opcode = "LDGSTS.E.BYPASS.LTC128B.128";
    program p;
    for (unsigned i = 0; i < 12; i++) {
        repeat(p, 1,
               {copy(place(warp, i), opcode, 16, 0x0000fff0),
                copy(place(warp, i) + 8192, opcode, 16, 0), CLOSE, wait(0), FFMA});
    }
    return p;
}

program copy_strong(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        repeat(p, 1, {copy(place(warp, i), "LDGSTS.E.128.STRONG.GPU"), CLOSE, wait(0), FFMA});
    }
    return p;
}

program copy_narrow(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        repeat(p, 1,
               {copy(place(warp, i), "LDGSTS.E", 4), copy(place(warp, i) + 128, "LDGSTS.E.64", 8),
                CLOSE, wait(0), FFMA});
    }
    return p;
}

// Groups of four, one computed on while the next comes; then what was copied is read.
program copy_tiles(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned j = 0; j < 4; j++) {
            p.push_back(copy(place(warp, 4 * i + j)));
        }
        p.push_back(CLOSE);
        if (i > 0) {
            p.push_back(wait(1));
        }
        repeat(p, 20, {FFMA});
    }
    p.push_back(wait(0));
    p.push_back({"LDS.U.128", {20}, {2}, microbench::SHARED, UINT32_MAX, 16});
    p.push_back({"FFMA", {10}, {20, 11, 12}});
    return p;
}

// --- loads and stores
// ----------------------------------------------------------------------------------

// What goes past the L1D: of these only the last.
program past_l1d(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t at = place(warp, i);
        repeat(p, 1,
               {{"LDG.E.STRONG.SYS", {10}, {10}, at},
                {"STG.E.STRONG.GPU", {}, {10, 11}, at},
                {"LDG.E.CG", {12}, {10}, at},
                {"LDG.E.STRONG.GPU", {13}, {12}, at}});
    }
    return p;
}

// A reduction holds its warp until it is answered.
program reductions(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 8; i++) {
        repeat(p, 1, {{"RED.E.ADD.STRONG.GPU", {}, {4, 5}, place(warp, i)}, FFMA, FFMA});
    }
    return p;
}

// A load of shared memory without an active lane takes the pipe of shared memory all the same.
program no_lane(unsigned)
{
    program p;
    repeat(p, 24, {{"LDS.U", {10}, {10}, microbench::SHARED, 0}, FFMA});
    return p;
}

// 48 KB, twice: they stay in L1D beside 32 KB of shared memory, not beside 64.
program twice_48k(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 48; i++) {
        const uint64_t at = microbench::GLOBAL + 512 * (48 * (warp % 2) + i % 48);
        p.push_back({"LDG.E.128", {20}, {2}, at, UINT32_MAX, 16});
    }
    repeat(p, 1, {{"FFMA", {10}, {20, 11, 12}}});
    program q = p;
    q.insert(q.end(), p.begin(), p.end());
    return q;
}

// Writes that leave the L2 as fast as DRAM takes them: 6 MB.
program writer(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 1024; i++) {
        p.push_back({"STG.E.128",
                     {},
                     {2, 20},
                     microbench::GLOBAL + 512 * (uint64_t(i) * 12 + warp),
                     UINT32_MAX,
                     16});
    }
    return p;
}

// The same, every other access a read of what was never there.
program copier(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 768; i++) {
        const uint64_t at = 512 * (uint64_t(i) * 12 + warp);
        p.push_back({"LDG.E.128", {20}, {2}, microbench::GLOBAL + at, UINT32_MAX, 16});
        p.push_back(
            {"STG.E.128", {}, {2, 20}, microbench::GLOBAL + (8u << 20) + at, UINT32_MAX, 16});
    }
    return p;
}

// Local memory, by its own instructions and by generic ones.
program local(unsigned)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        const uint64_t at = 8 + 4 * (i % 5);
        const op own{"STL", {}, {1, 10}, at, UINT32_MAX, 4, 0, 0};
        op back = own, generic = own;
        back.opcode = "LDL";
        generic.opcode = "LD.E";
        generic.address = microbench::LOCAL + at;
        back.dst = generic.dst = {10};
        back.src = generic.src = {4};
        repeat(p, 1, {own, back, generic, FFMA});
    }
    return p;
}

// --- operands, and the way to memory
// ---------------------------------------------------------------

// Three operands of one bank each, two warps a scheduler: its ports are never idle.
program conflict(unsigned)
{
    program p;
    for (uint16_t i = 0; i < 512; i++) {
        p.push_back({"FFMA", {microbench::rotating(i)}, {2, 4, 6}});
    }
    return p;
}

// Loads of several SMs that hit the L2, and meet in the network's inputs and outputs.
program crowd(unsigned warp)
{
    program p;
    for (unsigned i = 0; i < 32; i++) {
        p.push_back({"LDG.E.128.STRONG.GPU", {20}, {2}, place(warp, i % 4), UINT32_MAX, 16});
    }
    return p;
}

struct rule {
    const char *name;
    program (*of)(unsigned warp);
    microbench::launch launch;
    unsigned warps;
    uint64_t cycles; // Accel-Sim's
    unsigned sms = 1;
    uint64_t apart =
        0; // .. and how far ours are from them, where loads and stores mix: not explained
};

const rule RULES[] = {
#define COPY(name, w, cycles)                                                                      \
    {                                                                                              \
#name, name, {32 * (w), 1, 64, 0, 80 }, w, cycles                                          \
    }
    COPY(copy_each, 1, 4502),
    COPY(copy_each, 4, 4575),
    COPY(copy_each, 12, 5255),
    COPY(copy_pipe, 1, 2650),
    COPY(copy_pipe, 4, 3012),
    COPY(copy_pipe, 12, 5566),
    COPY(copy_open, 1, 425),
    COPY(copy_open, 4, 570),
    COPY(copy_open, 12, 1075),
    COPY(copy_no_group, 1, 388),
    COPY(copy_no_group, 12, 577),
    COPY(copy_hits, 1, 1167),
    COPY(copy_hits, 12, 1473),
    COPY(copy_masked, 1, 4381),
    COPY(copy_masked, 12, 4659),
    COPY(copy_strong, 1, 4107),
    COPY(copy_strong, 12, 4521),
    COPY(copy_narrow, 1, 4442),
    COPY(copy_narrow, 12, 5058),
    COPY(copy_tiles, 1, 2258),
    COPY(copy_tiles, 4, 2952),
    COPY(copy_tiles, 12, 8153),
    {"past_l1d", past_l1d, {32}, 1, 3430},
    {"past_l1d", past_l1d, {384}, 12, 3634},
    {"reductions", reductions, {32}, 1, 2695},
    {"reductions", reductions, {384}, 12, 2848},
    {"no_lane", no_lane, {32}, 1, 1011},
    {"no_lane", no_lane, {384}, 12, 1032},
    {"twice_48k", twice_48k, {64, 1, 64, 4096}, 2, 19749},
    {"twice_48k", twice_48k, {64, 8, 64, 8192}, 2, 40007},
    {"writer", writer, {384}, 12, 196847},
    {"copier", copier, {384}, 12, 354187, 1, 351},
    {"local", local, {64, 3}, 2, 3092},
    {"local", local, {384, 2}, 12, 3395},
    {"conflict", conflict, {256}, 8, 2181},
    {"crowd", crowd, {256, 8}, 8, 26461, 4},
#undef COPY
};

class AccelSimRule : public testing::TestWithParam<rule>
{
};

std::string title(const rule &r)
{
    std::string name = std::string(r.name) + "_w" + std::to_string(r.warps);
    return r.launch.blocks == 1 ? name : name + "_b" + std::to_string(r.launch.blocks);
}

TEST_P(AccelSimRule, TakesAsManyCycles)
{
    const rule &r = GetParam();
    replay::temporary_folder folder;
    std::string at = folder.path();
    if (const char *out = std::getenv("SMRF_MICROBENCH_OUT")) {
        at = std::string(out) + "/" + title(r);
        std::filesystem::create_directories(at);
    }
    microbench::write(at, r.launch, [&](unsigned, unsigned warp) {
        program p = r.of(warp);
        p.push_back({"EXIT", {}, {}});
        return p;
    });
    const std::string sms = "gpu.sms=" + std::to_string(r.sms);
    const smrf_config cfg =
        replay::preset("rtx2060-accelsim", {sms.c_str(), "gpu.launch_latency=0"});
    const uint64_t cycles = replay::run(at, cfg).cycles;
    EXPECT_GE(cycles, r.cycles - r.apart);
    EXPECT_LE(cycles, r.cycles + r.apart);
}

INSTANTIATE_TEST_SUITE_P(OfOneProgram, AccelSimRule, testing::ValuesIn(RULES),
                         [](const auto &each) { return title(each.param); });

} // namespace
