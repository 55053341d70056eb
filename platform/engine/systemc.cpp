// SPDX-License-Identifier: Apache-2.0
// The SystemC engine: one GPU module a process, driven with sc_start.
#include "engine.h"
#include "platform/gpu/gpu_module.h"
#include "platform/platform_tlm.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

struct smrf_engine {
    std::unique_ptr<smrf::gpu_module> gpu;
    std::string error;
};

namespace
{

// SystemC prints its banner before sc_main unless told otherwise.
[[maybe_unused]] const int banner_off = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);

void copy_text(char *text, size_t size, const char *from)
{
    if (size) {
        std::snprintf(text, size, "%s", from);
    }
}

int create(smrf_engine **engine, const smrf_config *cfg, const smrf_mechanism *mechanism,
           const smrf_engine_hooks *hooks, char *text, size_t size)
{
    *engine = nullptr;
    if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
        copy_text(text, size,
                  "SystemC allows one simulation a process, and it has begun: create every platform "
                  "before the first run, or use the plain engine");
        return SMRF_ERR_STATE;
    }
    try {
        auto e = std::make_unique<smrf_engine>();
        smrf::gpu_module::options o{mechanism, hooks ? *hooks : smrf_engine_hooks{}, false};
        const auto *binder = static_cast<const smrf::memory_binder *>(o.hooks.binder);
        o.foreign_memory = binder != nullptr;
        e->gpu = std::make_unique<smrf::gpu_module>(sc_core::sc_gen_unique_name("gpu"), *cfg, o);
        for (uint32_t i = 0; binder != nullptr && i < e->gpu->sms(); i++) {
            (*binder)(i, e->gpu->memory_socket(i));
        }
        *engine = e.release();
        return SMRF_OK;
    } catch (const std::bad_alloc &) {
        copy_text(text, size, "out of memory");
        return SMRF_ERR_NOMEM;
    } catch (const std::exception &x) {
        copy_text(text, size, x.what());
        return SMRF_ERR_INVAL;
    }
}

int load(smrf_engine *e, smrf_trace *trace)
{
    return e->gpu->load(trace);
}

int run(smrf_engine *e, uint64_t until)
{
    try {
        e->gpu->set_limit(until);
        sc_core::sc_start();
        if (e->gpu->ended() == smrf::gpu_module::running) {
            e->error = "the simulation has come to a standstill or was stopped: the memory bound "
                       "from outside owes an answer, and nothing is left to happen";
            return SMRF_ERR_PROTOCOL;
        }
        return e->gpu->ended();
    } catch (const std::exception &x) {
        e->error = x.what();
        return SMRF_ERR_PROTOCOL;
    }
}

const smrf_machine *machine(smrf_engine *e)
{
    return e->gpu->machine();
}

const char *error(const smrf_engine *e)
{
    return e->error.empty() ? e->gpu->error() : e->error.c_str();
}

void destroy(smrf_engine *e)
{
    delete e;
}

} // namespace

const smrf_engine_ops smrf_engine_systemc = {
    "systemc", create, load, run, machine, error, destroy,
};
