// SPDX-License-Identifier: Apache-2.0
// Hooks: who is called at which position, and in which order.
#include "models/hooks/hooks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

struct observer {
    std::vector<std::string> *log;
    std::string name;
    smrf_listener listener{};

    observer(std::vector<std::string> *to, std::string called) : log(to), name(std::move(called))
    {
        listener.ctx = this;
        listener.retired = [](void *ctx, uint32_t flight) {
            auto *o = static_cast<observer *>(ctx);
            o->log->push_back(o->name + " retired " + std::to_string(flight));
        };
    }
};

void retire(const smrf_hooks &hooks, uint32_t flight)
{
    SMRF_CALL_LISTENERS(&hooks, retired, flight);
}

TEST(Hooks, CallNobodyAtFirst)
{
    smrf_hooks hooks{};
    EXPECT_FALSE(SMRF_HOOKED(&hooks, retired));
    retire(hooks, 1);
}

TEST(Hooks, CallListenersInTheOrderInWhichTheyWereAdded)
{
    std::vector<std::string> log;
    observer a(&log, "a"), b(&log, "b");
    smrf_hooks hooks{};
    smrf_hooks_add(&hooks, &a.listener);
    smrf_hooks_add(&hooks, &b.listener);
    retire(hooks, 7);
    EXPECT_EQ((std::vector<std::string>{"a retired 7", "b retired 7"}), log);
}

TEST(Hooks, CallNoPositionThatIsLeftOut)
{
    std::vector<std::string> log;
    observer a(&log, "a");
    smrf_hooks hooks{};
    smrf_hooks_add(&hooks, &a.listener);
    EXPECT_TRUE(SMRF_HOOKED(&hooks, retired));
    EXPECT_FALSE(SMRF_HOOKED(&hooks, injected));
    SMRF_CALL_LISTENERS(&hooks, injected, 3u);
    EXPECT_TRUE(log.empty());
}

TEST(Hooks, TakeInAListenerThatHasChangedWithoutCallingItTwice)
{
    std::vector<std::string> log;
    observer a(&log, "a"), b(&log, "b");
    smrf_hooks hooks{};
    smrf_hooks_add(&hooks, &a.listener);
    smrf_hooks_add(&hooks, &b.listener);
    a.listener.injected = a.listener.retired;
    smrf_hooks_add(&hooks, &a.listener);
    retire(hooks, 1);
    SMRF_CALL_LISTENERS(&hooks, injected, 2u);
    a.listener.retired = nullptr;
    smrf_hooks_add(&hooks, &a.listener);
    retire(hooks, 3);
    EXPECT_EQ(
        (std::vector<std::string>{"a retired 1", "b retired 1", "a retired 2", "b retired 3"}),
        log);
}

TEST(HooksDeath, NoMoreListenersThanThereIsRoomFor)
{
    std::vector<std::string> log;
    std::vector<observer> many(SMRF_MAX_LISTENERS + 1, observer(&log, "a"));
    smrf_hooks hooks{};
    for (unsigned i = 0; i < SMRF_MAX_LISTENERS; i++) {
        smrf_hooks_add(&hooks, &many[i].listener);
    }
    EXPECT_DEATH(smrf_hooks_add(&hooks, &many.back().listener), "");
}

} // namespace
