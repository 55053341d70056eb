// SPDX-License-Identifier: Apache-2.0
// Somebody who does a part of the reading beside the reader, sooner or later.
#ifndef SMRF_TESTS_BESIDE_H
#define SMRF_TESTS_BESIDE_H

#include "traces/trace.h"

#include <gtest/gtest.h>

#include <thread>

namespace trace_files
{

class helper
{
  public:
    enum kind { prompt, late, thread, kinds };
    explicit helper(kind k) : kind_(k) {}
    helper(const helper &) = delete;
    helper &operator=(const helper &) = delete;
    ~helper()
    {
        EXPECT_FALSE(begun_) << "nobody waited for the end";
        end();
    }
    smrf_trace_beside beside()
    {
        return {this,
                [](void *self, void (*work)(void *), void *arg) {
                    static_cast<helper *>(self)->begin(work, arg);
                },
                [](void *self) { static_cast<helper *>(self)->end(); }};
    }
    unsigned times() const
    {
        return times_;
    }

  private:
    void begin(void (*work)(void *), void *arg)
    {
        EXPECT_FALSE(begun_) << "one at a time";
        begun_ = true;
        times_++;
        work_ = work;
        arg_ = arg;
        if (kind_ == prompt) {
            work(arg);
        } else if (kind_ == thread) {
            thread_ = std::thread(work, arg);
        }
    }
    void end()
    {
        if (begun_ && kind_ == late) {
            work_(arg_);
        }
        if (thread_.joinable()) {
            thread_.join();
        }
        begun_ = false;
    }

    kind kind_;
    bool begun_ = false;
    unsigned times_ = 0;
    void (*work_)(void *) = nullptr;
    void *arg_ = nullptr;
    std::thread thread_;
};

} // namespace trace_files

#endif
