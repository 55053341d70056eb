// SPDX-License-Identifier: Apache-2.0
// smrf::sm: two of them alone in a hierarchy of others, each before a memory of its own.
#include "models/tlm/has_process.h"
#include "tests/support/outside_platform.h"

#include "platform/ip/sm.h"

#include <cstdlib>

namespace
{

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

uint64_t count(smrf::sm &sm, const char *name)
{
    uint64_t n = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_count(sm.platform(), name, &n));
    return n;
}

struct chip : sc_core::sc_module {
    outside::monitors lines;
    smrf::sm a, b;
    outside::far_memory near_a{"near_a", 40}, far_b{"far_b", 400};
    sc_core::sc_signal<bool> reset_b{"reset_b"};
    std::function<void(chip &)> program;
    using sc_core::sc_module::wait;

    SMRF_HAS_PROCESS(chip);
    explicit chip(const sc_core::sc_module_name &name, const smrf::machine_options &o)
        : sc_module(name), a("a", o), b("b", o)
    {
        lines.connect(a.memory, near_a.in);
        lines.connect(b.memory, far_b.in);
        b.reset(reset_b);
        SC_THREAD(run);
        set_stack_size(256 * 1024);
    }
    void run()
    {
        program(*this);
        program = nullptr;
    }
    void await(smrf::sm &sm)
    {
        while (sm.busy()) {
            wait(sm.idle());
        }
        EXPECT_EQ(sm.result(), SMRF_RUN_DONE) << smrf_platform_error(sm.platform());
    }
};

void play(std::function<void(chip &)> program)
{
    chip c("chip", {"rtx2060-paper", "malekeh-long", {}});
    c.program = std::move(program);
    sc_core::sc_start();
    EXPECT_FALSE(c.program) << "it stands still";
    EXPECT_GT(c.lines.transactions(), 0u);
    c.lines.expect_clean();
}

} // namespace

TEST(SmIp, TwoOfThemRunAtOnceAndGoByTheirOwnMemories)
{
    play([](chip &c) {
        c.wait(sc_core::sc_time(1234, sc_core::SC_NS));
        c.a.start(bundled("matmul"));
        c.b.start(bundled("matmul"));
        EXPECT_TRUE(c.a.busy() && c.b.busy());
        c.await(c.a);
        EXPECT_TRUE(c.b.busy()) << "its memory is slower";
        c.await(c.b);
        EXPECT_EQ(count(c.a, "instructions.warp"), count(c.b, "instructions.warp"));
        EXPECT_LT(count(c.a, "cycles"), count(c.b, "cycles"));
        EXPECT_EQ(c.near_a.reads, c.far_b.reads);
        EXPECT_EQ(c.near_a.writes, 2 * 256u);
    });
}

TEST(SmIp, AResetThatIsHighFromTheBeginningHoldsIt)
{
    smrf::sm sm("sm", {"rtx2060-paper", "baseline", {}});
    outside::far_memory memory("memory", 40);
    sc_core::sc_signal<bool> power_up("power_up", true);
    sm.memory.bind(memory.in);
    sm.reset(power_up);
    sm.start(bundled("divergent"));
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    EXPECT_TRUE(sm.busy());
    EXPECT_EQ(memory.reads, 0u) << "nothing runs under a reset";
    power_up.write(false);
    sc_core::sc_start();
    EXPECT_FALSE(sm.busy());
    EXPECT_EQ(sm.result(), SMRF_RUN_DONE) << smrf_platform_error(sm.platform());
    EXPECT_GT(memory.reads, 0u);
}

TEST(SmIp, TracesAreReplayedOneAfterTheOtherAndAResetMakesItNew)
{
    play([](chip &c) {
        c.b.start(bundled("divergent"));
        c.await(c.b);
        const uint64_t once = count(c.b, "cycles"), insts = count(c.b, "instructions.warp");
        c.b.start(bundled("divergent"));
        c.b.start(bundled("divergent"));
        c.await(c.b);
        EXPECT_EQ(count(c.b, "instructions.warp"), 3 * insts);
        c.b.start(bundled("matmul"));
        while (c.far_b.under_way == 0) {
            c.wait(sc_core::sc_time(1, sc_core::SC_NS));
        }
        c.reset_b.write(true);
        c.wait(sc_core::sc_time(10, sc_core::SC_NS));
        c.reset_b.write(false);
        c.await(c.b);
        EXPECT_EQ(c.far_b.under_way, 0u) << "accesses have been awaited";
        EXPECT_EQ(count(c.b, "cycles"), 0u);
        c.b.start(bundled("divergent"));
        c.await(c.b);
        EXPECT_EQ(count(c.b, "cycles"), once);
        EXPECT_EQ(count(c.b, "instructions.warp"), insts);
        c.a.start(bundled("divergent"));
        c.await(c.a);
        EXPECT_EQ(count(c.a, "instructions.warp"), insts);
    });
}

TEST(SmIp, ATraceThatCannotBeReadIsAResultAndNoException)
{
    play([](chip &c) {
        c.a.start("/nowhere");
        c.a.start(bundled("divergent"));
        while (c.a.busy()) {
            c.wait(c.a.idle());
        }
        EXPECT_LT(c.a.result(), 0);
        c.a.restart();
        c.a.start(bundled("divergent"));
        c.await(c.a);
        EXPECT_GT(count(c.a, "instructions.warp"), 0u);
    });
}
