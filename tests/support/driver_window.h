// SPDX-License-Identifier: Apache-2.0
// The driver run natively: its accesses go from a core's process through b_transport.
#ifndef SMRF_TESTS_DRIVER_WINDOW_H
#define SMRF_TESTS_DRIVER_WINDOW_H

#include "tests/support/outside_platform.h"

#include "firmware/driver/smrf_gpu.h"

namespace outside
{

// A GPU's registers, at `base` of the core's bus.
struct driver_window {
    cpu &core;
    uint64_t base;
    std::function<void()> handler; // of the core's interrupt, if it is awaited

    smrf_gpu_io io()
    {
        return {this,
                [](void *ctx, uint32_t offset) {
                    auto *w = static_cast<driver_window *>(ctx);
                    return w->core.read(w->base + offset);
                },
                [](void *ctx, uint32_t offset, uint32_t value) {
                    auto *w = static_cast<driver_window *>(ctx);
                    w->core.write(w->base + offset, value);
                },
                [](void *ctx) { static_cast<driver_window *>(ctx)->idle(); }};
    }

  private:
    void idle()
    {
        const sc_core::sc_time most(1, sc_core::SC_US);
        if (handler) {
            core.wait(most, core.irq.posedge_event());
        } else {
            core.wait(most);
        }
        if (handler && core.irq.read()) {
            handler();
        }
    }
};

} // namespace outside

#endif
