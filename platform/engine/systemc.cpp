// SPDX-License-Identifier: Apache-2.0
// The SystemC engine: a GPU module, driven with sc_start from sc_main, or run along with the
// simulation by a thread process that waits for the end of the run.
#include "engine.h"
#include "platform/gpu/gpu_module.h"
#include "platform/outside/memory_binder.h"
#include "platform/outside/outside_target.h"
#include "platform/outside/shared_bus.h"
#include "platform/outside/traffic.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct smrf_engine {
    std::unique_ptr<smrf::gpu_module> gpu;
    std::vector<std::unique_ptr<smrf::outside_target>> outside;
    std::unique_ptr<smrf::shared_bus> bus;
    std::unique_ptr<smrf::traffic> traffic;
    std::string error;
    sc_core::sc_event ended;
    bool awaited = false; // by a thread process; else sc_start is to return
};

// libsystemc has main() and calls sc_main. A program with a main() of its own, or one that loads
// the library later, has no sc_main; without this one it would not link. A program's own sc_main
// takes its place.
extern "C" __attribute__((weak)) int sc_main(int, char *[])
{
    std::fputs("this program has neither main() nor sc_main()\n", stderr);
    return 1;
}

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

// bus.shared: the SMs' sockets and another initiator on one bus.
void bind_bus(smrf_engine &e)
{
    const smrf_config &cfg = e.gpu->config();
    const uint32_t sms = e.gpu->sms();
    const uint64_t period = smrf::period_ps(cfg.gpu.core_khz);
    e.bus = std::make_unique<smrf::shared_bus>(sc_core::sc_gen_unique_name("shared_bus"),
                                               smrf::shared_bus_options{sms + 1, cfg.bus.shared,
                                                                        cfg.bus.memory, period,
                                                                        cfg.bus.dmi != 0});
    for (uint32_t i = 0; i < sms; i++) {
        e.gpu->memory_socket(i).bind(e.bus->in(i));
    }
    smrf::traffic_options o;
    o.per_1000 = cfg.bus.traffic;
    o.period_ps = period;
    o.quantum = cfg.sim.quantum < 10000 ? cfg.sim.quantum : 10000; // it never ends
    o.bus.dmi = 0;
    o.view = cfg.sim.view;
    e.traffic = std::make_unique<smrf::traffic>(sc_core::sc_gen_unique_name("traffic"), o);
    e.traffic->port.socket.bind(e.bus->in(sms));
}

// The user's memory behind the SMs' sockets, if there is one.
void bind_outside(smrf_engine &e, const smrf_gpu_hooks &hooks)
{
    const sc_core::sc_time period(
        static_cast<double>(smrf::period_ps(e.gpu->config().gpu.core_khz)), sc_core::SC_PS);
    for (uint32_t i = 0; i < e.gpu->sms(); i++) {
        if (hooks.binder) {
            (*static_cast<smrf::memory_binder *>(hooks.binder))(i, e.gpu->memory_socket(i));
        } else if (hooks.outside) {
            const std::string name = "outside_memory_" + std::to_string(i);
            e.outside.push_back(
                std::make_unique<smrf::outside_target>(name.c_str(), i, period, *hooks.outside));
            e.gpu->memory_socket(i).bind(e.outside.back()->socket);
        }
    }
}

int create(smrf_engine **engine, const smrf_config *cfg, const smrf_mechanism *mechanism,
           const smrf_gpu_hooks *hooks, char *text, size_t size)
{
    *engine = nullptr;
    if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
        copy_text(
            text, size,
            "SystemC allows one simulation a process, and it has begun: create every platform "
            "before the first run, or use the plain engine");
        return SMRF_ERR_STATE;
    }
    try {
        auto e = std::make_unique<smrf_engine>();
        smrf::gpu_module::options o{mechanism, hooks ? *hooks : smrf_gpu_hooks{}, false, false, 0,
                                    {}};
        const bool shared = cfg->bus.shared != 0 && !o.hooks.outside && !o.hooks.binder;
        smrf_config with = *cfg;
        if (shared) {
            with.bus.latency = cfg->bus.shared + cfg->bus.memory;
        }
        o.foreign_memory = o.hooks.outside || o.hooks.binder || shared;
        o.foreign_overlaps = o.hooks.outside != nullptr; // the function sets each request's time
        o.foreign_latency = o.hooks.outside ? o.hooks.outside->min_latency : 0;
        smrf_engine *self = e.get();
        o.on_end = [self] {
            if (self->awaited) {
                self->ended.notify(sc_core::SC_ZERO_TIME);
            } else {
                sc_core::sc_pause();
            }
        };
        e->gpu = std::make_unique<smrf::gpu_module>(sc_core::sc_gen_unique_name("gpu"), with, o);
        if (shared) {
            bind_bus(*e);
        } else {
            bind_outside(*e, o.hooks);
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
    const int err = e->gpu->load(trace);
    e->error =
        err == SMRF_ERR_STATE ? "a launch is running: load the next trace when it has ended" : "";
    return err;
}

// What the caller is: sc_main, or a process of the simulation.
bool in_process(sc_core::sc_curr_proc_kind kind)
{
    const sc_core::sc_process_handle now = sc_core::sc_get_current_process_handle();
    return now.valid() && now.proc_kind() == kind;
}

int reset(smrf_engine *e)
{
    if (in_process(sc_core::SC_THREAD_PROC_)) {
        while (!e->gpu->drain()) {
            sc_core::wait(e->gpu->activity());
        }
    }
    const int err = e->gpu->reset();
    e->error = err == SMRF_ERR_STATE ? "memory accesses are under way: run to the end first" : "";
    return err;
}

// sc_start has returned before the end of the run. Another module's sc_pause is for its caller, who
// may run on.
int interrupted(smrf_engine &e)
{
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) {
        e.error = "another module has stopped the simulation (sc_stop)";
        return SMRF_ERR_PROTOCOL;
    }
    if (sc_core::sc_pending_activity()) {
        return SMRF_RUN_STOPPED;
    }
    e.error =
        "the simulation has come to a standstill: the memory bound from outside owes an answer, "
        "and nothing is left to happen";
    if (e.gpu->config().bus.end_resp == 0 && e.gpu->config().bus.blocking == 0) {
        e.error += "; if it waits for END_RESP as a call of its own: bus.end_resp=on";
    }
    return SMRF_ERR_PROTOCOL;
}

int run(smrf_engine *e, uint64_t until)
{
    e->awaited = in_process(sc_core::SC_THREAD_PROC_);
    if (e->awaited) {
        e->gpu->set_limit(until);
        while (e->gpu->ended() == smrf::gpu_module::running) {
            sc_core::wait(e->ended);
        }
        return e->gpu->ended();
    }
    if (in_process(sc_core::SC_METHOD_PROC_)) {
        e->error = "a method process cannot wait: run from a thread process or from sc_main";
        return SMRF_ERR_STATE;
    }
    try {
        e->gpu->set_limit(until);
        sc_core::sc_start();
        return e->gpu->ended() == smrf::gpu_module::running ? interrupted(*e) : e->gpu->ended();
    } catch (const std::exception &x) {
        e->error = x.what();
        return SMRF_ERR_PROTOCOL;
    }
}

void abandon(smrf_engine *e)
{
    e->gpu->abandon();
}

const smrf_machine *machine(smrf_engine *e)
{
    return &e->gpu->machine();
}

const smrf_machine *counted(smrf_engine *e)
{
    return &e->gpu->counted();
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
    "systemc", create, load, reset, run, abandon, machine, counted, error, destroy,
};
