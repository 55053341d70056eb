// SPDX-License-Identifier: Apache-2.0
// Where a mechanism's facts of a program come from: the sidecar's program, or a look ahead.
#include "../support/platform_files.h"
#include "platform/platform_internal.h"

#include <cstdlib>

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

} // namespace
