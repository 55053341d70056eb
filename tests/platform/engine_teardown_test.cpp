// SPDX-License-Identifier: Apache-2.0
// The SystemC engine is destroyed cleanly at every point of its life (of interest under the address
// and leak sanitizers).
#include "platform/config/registry.h"
#include "tests/support/engine_outcome.h"

using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::run;
using engine_outcome::run_options;
using engine_outcome::source_folder;

namespace
{

std::string matmul()
{
    return source_folder() + "/traces/bundled/matmul";
}

smrf_config machine()
{
    return preset("rtx2060-paper", {"gpu.sms=2", "sim.monitor=on"});
}

} // namespace

TEST(EngineTeardown, AfterTheRun)
{
    engine_outcome::expect_complete(run(smrf_engine_systemc, matmul(), machine()));
}

TEST(EngineTeardown, WithTransactionsUnderWay)
{
    run_options options;
    options.window = [](const smrf_machine *m) {
        return smrf_ldst_statistics(smrf_sm_ldst(m->sm[0]))->reads_sent < 3;
    };
    const outcome got = run(smrf_engine_systemc, matmul(), machine(), options);
    EXPECT_EQ(got.end, SMRF_RUN_STOPPED);
    EXPECT_GT(got.payloads_in_use, 0u);
}

TEST(EngineTeardown, AtALimitBetweenWindows)
{
    smrf_config cfg = machine();
    smrf_trace *trace = nullptr;
    smrf_engine *engine = nullptr;
    char text[128];
    ASSERT_EQ(0, smrf_trace_open(&trace, matmul().c_str(), nullptr));
    ASSERT_EQ(0, smrf_engine_systemc.create(&engine, &cfg, smrf_mechanism_find("baseline"), nullptr,
                                            text, sizeof text));
    ASSERT_EQ(0, smrf_engine_systemc.load(engine, trace));
    EXPECT_EQ(SMRF_RUN_LIMIT, smrf_engine_systemc.run(engine, 0));
    EXPECT_EQ(SMRF_RUN_LIMIT, smrf_engine_systemc.run(engine, 10000));
    EXPECT_EQ(10000u, smrf_engine_systemc.machine(engine)->cycle);
    EXPECT_EQ(SMRF_RUN_LIMIT, smrf_engine_systemc.run(engine, 10000)) << "a limit already reached";
    smrf_engine_systemc.destroy(engine);
    smrf_trace_close(trace);
}

TEST(EngineTeardown, WithoutARun)
{
    smrf_config cfg = machine();
    smrf_engine *engine = nullptr;
    char text[128];
    ASSERT_EQ(0, smrf_engine_systemc.create(&engine, &cfg, smrf_mechanism_find("baseline"), nullptr,
                                            text, sizeof text));
    smrf_engine_systemc.destroy(engine);
}
