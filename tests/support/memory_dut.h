// SPDX-License-Identifier: Apache-2.0
// The memory core with its storage, its SMs' wishes and its answers, for tests.
#ifndef SMRF_TESTS_MEMORY_DUT_H
#define SMRF_TESTS_MEMORY_DUT_H

#include "memory_reference.h"
#include "platform/config/smrf_config.h"
#include "tests/support/config_views.h"

#include "models/common/smrf_rng.h"

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>

// Every parameter at its default, but copies of the host leave their lines in L2.
inline smrf_config default_config()
{
    smrf_config c{};
    smrf_config_default_sections(&c);
    c.l2.copies_warm = 1;
    return c;
}

class memory_dut
{
  public:
    explicit memory_dut(const smrf_config &config)
        : config_(config), storage_(std::aligned_alloc(64, bytes(config)), &std::free)
    {
        if (smrf_memory_init(get(), memory_of(config_)) != SMRF_OK) {
            throw std::runtime_error("smrf_memory_init");
        }
    }

    smrf_memory *get()
    {
        return static_cast<smrf_memory *>(storage_.get());
    }

    const smrf_config &config() const
    {
        return config_;
    }

    // Advance to `now`; what arrives is appended to responses.
    void run(uint64_t now)
    {
        const smrf_mem_sink sink = {this, [](void *ctx, const smrf_mem_response *r) {
                                        static_cast<memory_dut *>(ctx)->responses.push_back(*r);
                                    }};
        smrf_memory_run(get(), now, &sink);
        now_ = now;
    }

    // Send all traffic as early as its cycles, its order and the credits allow, in windows of
    // step() cycles. Stops when nothing is left to happen.
    std::vector<smrf_mem_response> run(reference::traffic wishes,
                                       const std::function<uint64_t()> &step)
    {
        bool left = true;

        while (left || !smrf_memory_idle(get())) {
            uint64_t end = now_ + step();

            left = false;
            for (uint32_t sm = 0; sm < wishes.size(); sm++) {
                for (uint64_t cycle = now_; cycle < end && !wishes[sm].empty(); cycle++) {
                    send(&wishes[sm], cycle);
                }
                left = left || !wishes[sm].empty();
            }
            run(end);
        }
        return responses;
    }

    void reset()
    {
        smrf_memory_reset(get());
        responses.clear();
        now_ = 0;
    }

    smrf_memory_stats stats()
    {
        smrf_memory_stats s;

        smrf_memory_stats_get(get(), &s);
        return s;
    }

    uint64_t now() const
    {
        return now_;
    }

    std::vector<smrf_mem_response> responses;

  private:
    static size_t bytes(const smrf_config &config)
    {
        size_t n = smrf_memory_bytes(memory_of(config));

        if (n == 0) {
            throw std::runtime_error("smrf_memory_bytes");
        }
        return (n + 63) / 64 * 64;
    }

    void send(std::deque<smrf_mem_request> *wishes, uint64_t cycle)
    {
        while (!wishes->empty() && wishes->front().cycle <= cycle) {
            smrf_mem_request r = wishes->front();

            r.cycle = cycle;
            if (!smrf_memory_push(get(), &r)) {
                return;
            }
            wishes->pop_front();
        }
    }

    smrf_config config_;
    std::unique_ptr<void, decltype(&std::free)> storage_;
    uint64_t now_ = 0;
};

#endif
