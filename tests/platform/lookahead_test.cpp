// SPDX-License-Identifier: Apache-2.0
// Where a mechanism's facts of a program come from: the sidecar's program, or a look ahead.
#include "../support/platform_files.h"
#include "platform/gpu/program.h"
#include "platform/platform_internal.h"

#include <cstdlib>
#include <cstring>

namespace
{

using namespace smrf_test;

struct told {
    uint64_t insts, program, lookahead, nobody, cycles;
};

told replay_of(const std::string &trace, const char *engine)
{
    struct smrf_platform *p = nullptr;
    told t{};
    EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
    EXPECT_EQ(SMRF_OK, smrf_platform_engine(p, engine));
    EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, "virtual-rf"));
    EXPECT_EQ(SMRF_OK, smrf_platform_set(p, "sim.check=on"));
    EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str()));
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    smrf_platform_count(p, "instructions.warp", &t.insts);
    smrf_platform_count(p, "mechanism.by_program", &t.program);
    smrf_platform_count(p, "mechanism.by_lookahead", &t.lookahead);
    smrf_platform_count(p, "mechanism.by_nobody", &t.nobody);
    smrf_platform_count(p, "cycles", &t.cycles);
    smrf_platform_destroy(p);
    return t;
}

TEST(ProgramFacts, ComeFromTheSidecarWhereThereIsOne)
{
    const std::string bundled = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/";
    const told known = replay_of(bundled + "hotspot", "direct");
    EXPECT_GT(known.insts, 0u);
    EXPECT_EQ(known.insts, known.program);
    EXPECT_EQ(0u, known.lookahead + known.nobody);
    const told unknown = replay_of(bundled + "divergent", "direct");
    EXPECT_GT(unknown.insts, 0u);
    EXPECT_EQ(unknown.insts, unknown.lookahead) << "exact, and marked as such";
    EXPECT_EQ(0u, unknown.program + unknown.nobody);
}

TEST(ProgramFacts, AreTheSameOnBothEngines)
{
    const std::string bundled = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/";
    const told plain = replay_of(bundled + "divergent", "direct");
    const told modules = replay_of(bundled + "divergent", "systemc");
    EXPECT_EQ(plain.lookahead, modules.lookahead);
    EXPECT_EQ(plain.cycles, modules.cycles);
}

// Both launches of the trace, and those of another one: what is known of each, and how often it was
// analysed. An analysis that is found again must be the one that a fresh one makes.
TEST(ProgramFacts, AreMadeOncePerProgram)
{
    const std::string bundled = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/";
    const smrf_program_wish wishes[] = {{}, {8, true, false, 6}};
    smrf_gpu_program kept{};
    unsigned launches = 0;
    for (const smrf_program_wish &wish : wishes) {
        for (const char *name : {"hotspot", "divergent", "hotspot", "gemm"}) {
            smrf_trace *trace = nullptr;
            smrf_kernel_info info;
            ASSERT_EQ(0, smrf_trace_open(&trace, (bundled + name).c_str(), nullptr));
            while (smrf_trace_next_kernel(trace, &info) == 1) {
                smrf_gpu_program fresh{};
                ASSERT_EQ(SMRF_OK, smrf_gpu_program_open(&fresh, trace, &info, &wish, false));
                ASSERT_EQ(SMRF_OK, smrf_gpu_program_open(&kept, trace, &info, &wish, false));
                const smrf_program *a = smrf_gpu_program_get(&fresh);
                const smrf_program *b = smrf_gpu_program_get(&kept);
                ASSERT_EQ(a == nullptr, b == nullptr);
                EXPECT_EQ(a == nullptr, std::string(name) == "divergent");
                launches += a != nullptr;
                for (uint32_t i = 0; a && i < a->num_insts; i++) {
                    smrf_inst_facts x = a->facts[i], y = b->facts[i];
                    EXPECT_EQ(0, memcmp(x.interval, y.interval, sizeof *x.interval));
                    x.interval = y.interval = nullptr;
                    ASSERT_EQ(0, memcmp(&x, &y, sizeof x)) << name << " " << i;
                }
                smrf_gpu_program_close(&fresh);
            }
            smrf_trace_close(trace);
        }
    }
    EXPECT_EQ(10u, launches);
    EXPECT_EQ(4u, kept.analysed) << "two programs, under each of two wishes";
    EXPECT_EQ(6u, kept.found);
    smrf_gpu_program_close(&kept);
}

} // namespace
