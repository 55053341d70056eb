// SPDX-License-Identifier: Apache-2.0
#include "gpu_module.h"

#include <algorithm>

namespace smrf
{

namespace
{

// Delta cycles that a foreign memory has to answer in the time step of an answer: a timer, a queue
// behind it, and one for an interconnect between.
constexpr unsigned settle_deltas = 3;

} // namespace

gpu_module::gpu_module(const sc_core::sc_module_name &name, const smrf_config &cfg,
                       const options &o)
    : sc_core::sc_module(name), cfg_(cfg), options_(o),
      period_(static_cast<double>(period_ps(cfg.gpu.core_khz)), sc_core::SC_PS),
      quantum_(o.foreign_memory && !o.foreign_latency ? 1 : cfg.sim.quantum)
{
    if (!o.foreign_memory) {
        const smrf_memory_config memory = smrf_config_memory(&cfg_);
        quantum_ = std::min(quantum_, smrf_memory_lookahead(&memory));
        memory_ = std::make_unique<memory_module>("memory", memory, period_ps(cfg.gpu.core_khz));
    } else if (o.foreign_latency) {
        quantum_ = std::min(quantum_, o.foreign_latency);
    }
    for (uint32_t i = 0; i < cfg_.gpu.sms; i++) {
        const std::string id = std::to_string(i);
        sms_.push_back(std::make_unique<sm_module>(
            ("sm_" + id).c_str(),
            sm_module::setup{smrf_config_sm(&cfg_), static_cast<uint16_t>(i), o.mechanism,
                             smrf_mechanism_setup_of(&cfg_, o.mechanism), smrf_gpu_source(&gpu_),
                             o.foreign_memory ? &activity_ : nullptr, cfg_.sim.monitor != 0}));
        cores_.push_back(sms_[i]->core());
        mechanism_states_.push_back(sms_[i]->mechanism_state());
        logs_.push_back(sms_[i]->simt().log());
        if (cfg_.sim.monitor) {
            monitors_.push_back(std::make_unique<protocol_monitor>(("monitor_" + id).c_str()));
            sms_[i]->memory.socket.bind(monitors_[i]->in);
        }
        if (memory_) {
            memory_socket(i).bind(memory_->in[i]);
        }
    }
    if (smrf_interval_init(&interval_, &cfg_, o.mechanism, cores_.data(),
                           mechanism_states_.data())) {
        SC_REPORT_ERROR("/smrf/gpu/config", "the mechanism cannot be built");
    }
    interval_.row = o.hooks.interval;
    interval_.row_ctx = o.hooks.ctx;
    machine_.mechanism_gpu = interval_.gpu_state;
    machine_.cfg = &cfg_;
    machine_.mechanism = o.mechanism;
    machine_.gpu = &gpu_;
    machine_.sm = cores_.data();
    machine_.mechanism_state = mechanism_states_.data();
    machine_.simt = logs_.data();
    machine_.memory = memory_ ? memory_->core() : nullptr;
    SC_METHOD(step);
}

gpu_module::~gpu_module()
{
    smrf_gpu_drop_blocks(&gpu_);
    smrf_interval_free(&interval_);
}

tlm::tlm_initiator_socket<> &gpu_module::memory_socket(uint32_t sm)
{
    return cfg_.sim.monitor ? monitors_[sm]->out : sms_[sm]->memory.socket;
}

int gpu_module::load(smrf_trace *trace)
{
    if (memory_) {
        smrf_trace_on_copy(
            trace,
            [](void *memory, uint64_t address, uint64_t bytes) {
                static_cast<memory_module *>(memory)->warm(address, bytes);
            },
            memory_.get());
    }
    const int err = smrf_gpu_init(&gpu_, &cfg_, trace, cores_.data());
    gpu_.annotator = options_.hooks.annotator;
    return err;
}

void gpu_module::set_limit(uint64_t cycle)
{
    limit_ = cycle;
    ended_ = running;
    activity_.notify(sc_core::SC_ZERO_TIME);
}

const smrf_machine *gpu_module::machine()
{
    machine_.payloads_in_use = 0;
    machine_.payloads_peak = 0;
    machine_.protocol_violations = 0;
    for (const auto &sm : sms_) {
        machine_.payloads_in_use += sm->pool().in_use() + sm->memory.pool().in_use();
        machine_.payloads_peak += sm->pool().peak() + sm->memory.pool().peak();
        machine_.protocol_violations += sm->memory.protocol_errors() + sm->violations();
    }
    for (const auto &monitor : monitors_) {
        machine_.protocol_violations += monitor->violations();
    }
    return &machine_;
}

// --- the process -------------------------------------------------------------------------------

void gpu_module::step()
{
    switch (phase_) {
    case phase::OPEN:
        open();
        break;
    case phase::SERVE:
        serve();
        break;
    case phase::CLOSE:
        close();
        break;
    }
}

// The run ends here for its caller; a new limit or a new trace takes it up again.
void gpu_module::pause(int how)
{
    ended_ = how;
    phase_ = phase::OPEN;
    next_trigger(activity_);
    sc_core::sc_pause();
}

// The run ends at `cycle` for now, in the middle of a launch.
void gpu_module::cut_off(uint64_t cycle, int how)
{
    const int err = smrf_gpu_catch_up(&gpu_, cycle);
    machine_.cycle = std::max(machine_.cycle, cycle);
    pause(err ? err : how);
}

void gpu_module::wait_until(uint64_t cycle)
{
    const sc_core::sc_time at = sc_core::sc_time::from_value(cycle * period_.value());
    const sc_core::sc_time &now = sc_core::sc_time_stamp();
    next_trigger(at > now ? at - now : sc_core::SC_ZERO_TIME);
}

// First cycle in which an SM or the memory has something to do.
uint64_t gpu_module::next_event() const
{
    return std::min(memory_ ? memory_->next() : SMRF_NEVER, smrf_gpu_next_event(&gpu_));
}

void gpu_module::open()
{
    if (gpu_.trace == nullptr || ended_ != running) {
        next_trigger(activity_); // an answer or another's wake-up does not end a pause
        return;
    }
    if (!gpu_.running) {
        cycle_ = std::max(cycle_, this_cycle()); // time may have passed without us
        const int got = begin_kernel();
        if (got <= 0) {
            pause(got < 0 ? got : SMRF_RUN_FINISHED);
            return;
        }
    }
    if (cycle_ >= limit_) {
        cut_off(limit_, SMRF_RUN_LIMIT);
        return;
    }
    const uint64_t next = next_window();
    if (sleep(next)) {
        return;
    }
    cycle_ = next;
    if (memory_) {
        memory_->advance(cycle_);
    }
    smrf_interval_pass(&interval_, cycle_);
    until_ = limit_ - cycle_ > quantum_ ? cycle_ + quantum_ : limit_;
    until_ = smrf_interval_bound(&interval_, until_);
    start_ready();
    phase_ = phase::SERVE;
    next_trigger(sc_core::SC_ZERO_TIME);
}

// Cycle in which the next window begins as far as is known now, SMRF_NEVER if only an answer can
// tell. The hook is to see a machine that waits for an answer that does not come: it gets a window,
// in which nothing happens, once the watchdog's time has passed.
uint64_t gpu_module::next_window() const
{
    uint64_t next = std::min(next_event(), limit_);
    if (!memory_ && options_.hooks.window) {
        next = std::min(next, cycle_ + cfg_.sim.watchdog + 1);
    }
    return std::max(next, cycle_);
}

// True: open() is called again, when that cycle has come or a foreign memory's answer. An answer in
// the time step of a window's beginning is to be seen in it, so the window opens a few delta cycles
// after the processes that the time step has woken.
bool gpu_module::sleep(uint64_t cycle)
{
    if (cycle == SMRF_NEVER) {
        settling_ = 0;
        next_trigger(activity_);
        return true;
    }
    const sc_core::sc_time at = sc_core::sc_time::from_value(cycle * period_.value());
    const sc_core::sc_time &now = sc_core::sc_time_stamp();
    if (at > now) {
        settling_ = 0;
        if (memory_) {
            next_trigger(at - now);
        } else {
            next_trigger(at - now, activity_);
        }
        return true;
    }
    if (!memory_ && settling_ < settle_deltas) {
        settling_++;
        next_trigger(sc_core::SC_ZERO_TIME);
        return true;
    }
    settling_ = 0;
    return false;
}

// The cycle that begins now or next.
uint64_t gpu_module::this_cycle() const
{
    return (sc_core::sc_time_stamp().value() + period_.value() - 1) / period_.value();
}

// Start every SM that has something to do before the window's end.
bool gpu_module::start_ready()
{
    bool any = false;
    for (const auto &sm : sms_) {
        if (smrf_sm_next(sm->core()) < until_ && !smrf_sm_wants_block(sm->core())) {
            sm->start(until_);
            any = true;
        }
    }
    return any;
}

int gpu_module::sm_error() const
{
    for (const smrf_sm *sm : cores_) {
        if (smrf_sm_error(sm)) {
            return smrf_sm_error(sm);
        }
    }
    return SMRF_OK;
}

void gpu_module::serve()
{
    if (const int err = sm_error()) {
        pause(err);
        return;
    }
    const int served = smrf_gpu_serve(&gpu_);
    if (served == SMRF_GPU_ERROR) {
        pause(gpu_.error);
        return;
    }
    if (served >= 0) {
        sms_[static_cast<size_t>(served)]->start(until_);
    } else {
        phase_ = phase::CLOSE;
        if (!start_ready()) { // the blocks may just have run out
            close();
            return;
        }
    }
    next_trigger(sc_core::SC_ZERO_TIME);
}

void gpu_module::close()
{
    if (const int err = sm_error()) {
        pause(err);
        return;
    }
    if (smrf_gpu_kernel_done(&gpu_)) {
        until_ = std::min(until_, smrf_gpu_next_start(&gpu_));
    }
    if (memory_) {
        memory_->advance(until_);
    }
    cycle_ = until_;
    machine_.cycle = until_;
    phase_ = phase::OPEN;
    if (!gpu_.running) {
        if (const int err = end_kernel()) {
            pause(err);
            return;
        }
    }
    if (options_.hooks.window && !options_.hooks.window(options_.hooks.ctx, &machine_)) {
        cut_off(cycle_, SMRF_RUN_STOPPED);
        return;
    }
    wait_until(cycle_);
}

int gpu_module::begin_kernel()
{
    const int got = smrf_gpu_next_kernel(&gpu_, cycle_);
    if (got <= 0) {
        return got;
    }
    for (uint32_t i = 0; i < cfg_.gpu.sms; i++) {
        const int err = sms_[i]->simt().begin_kernel(gpu_.simt, i << 8);
        if (err) {
            return err;
        }
    }
    cycle_ = gpu_.kernel.start;
    interval_.launches++;
    if (options_.hooks.kernel_begin) {
        options_.hooks.kernel_begin(options_.hooks.ctx, &gpu_.kernel);
    }
    return 1;
}

// Idle SMs catch up with the kernel's end, so that their counters of time do.
int gpu_module::end_kernel()
{
    const int err = smrf_gpu_catch_up(&gpu_, gpu_.kernel.end + 1);
    if (!err && options_.hooks.kernel_end) {
        options_.hooks.kernel_end(options_.hooks.ctx, &gpu_.kernel);
    }
    return err;
}

} // namespace smrf
