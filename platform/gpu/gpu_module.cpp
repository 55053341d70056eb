// SPDX-License-Identifier: Apache-2.0
#include "gpu_module.h"

#include <algorithm>
#include <new>
#include <stdexcept>

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
      links_(cfg.sim.monitor != 0)
{
    const smrf_memory_config memory = smrf_config_memory(&cfg_);
    const uint32_t lookahead = !o.foreign_memory   ? smrf_memory_lookahead(&memory)
                               : o.foreign_latency ? o.foreign_latency
                                                   : cfg_.bus.latency;
    const uint32_t longest = cfg_.sim.view == SMRF_VIEW_LT      ? UINT32_MAX
                             : cfg_.sim.view == SMRF_VIEW_CYCLE ? 1
                                                                : lookahead;
    const bool alone = o.foreign_memory || cfg_.sim.monitor || !annotates();
    if (o.hooks.threads > 1 && !alone) {
        crew_.reset(smrf_crew_create(o.hooks.threads));
    }
    if (const int err =
            smrf_window_init(&window_, &cfg_, o.mechanism, &o.hooks, longest, crew_ != nullptr)) {
        if (err == SMRF_ERR_NOMEM) {
            throw std::bad_alloc();
        }
        throw std::runtime_error("the mechanism cannot be built");
    }
    window_.crew = crew_.get();
    if (!o.foreign_memory) {
        memory_ = std::make_unique<memory_module>("memory", memory, period_ps(cfg.gpu.core_khz));
        window_.latency = annotates() ? smrf_memory_unanswered_cycles(&memory) : 0;
        window_.machine.memory = memory_->core();
        window_.memory_ctx = memory_.get();
        window_.memory_next = [](void *ctx) { return static_cast<memory_module *>(ctx)->next(); };
        if (annotates()) {
            window_.memory_known = [](void *ctx, uint64_t cycle) {
                return smrf_memory_decided(static_cast<memory_module *>(ctx)->core(), cycle);
            };
        }
    }
    if (o.foreign_memory && o.foreign_latency == 0 && cfg_.bus.latency != 0 && annotates()) {
        window_.memory_ctx = this;
        window_.memory_known = [](void *ctx, uint64_t cycle) {
            uint64_t known = SMRF_NEVER;
            for (const auto &sm : static_cast<gpu_module *>(ctx)->sms_) {
                known = std::min(known, sm->memory.known(cycle));
            }
            return known;
        };
    }
    for (uint32_t i = 0; i < cfg_.gpu.sms; i++) {
        build_sm(i);
    }
    SC_METHOD(step);
}

gpu_module::~gpu_module()
{
    smrf_gpu_drop_blocks(&window_.gpu); // while the SMs that hold them live
    links_.disable();                   // a run may be given up with requests under way
}

void gpu_module::build_sm(uint32_t i)
{
    const std::string id = std::to_string(i);
    sms_.push_back(std::make_unique<sm_module>(
        ("sm_" + id).c_str(),
        sm_module::setup{
            smrf_mechanism_sm_config(&cfg_, options_.mechanism), static_cast<uint16_t>(i),
            options_.mechanism, smrf_mechanism_setup_of(&cfg_, options_.mechanism),
            smrf_gpu_source(&window_.feed[i]), &cores_, announced() ? nullptr : &activity_,
            cfg_.sim.monitor != 0, memory_ ? default_bus() : cfg_.bus}));
    window_.machine.sm[i] = sms_[i]->core();
    window_.machine.mechanism_state[i] = sms_[i]->mechanism_state();
    window_.machine.simt[i] = sms_[i]->simt_log();
    if (!memory_ && options_.foreign_latency == 0) {
        window_.machine.bus[i] = &sms_[i]->memory.stats();
    }
    protocol_monitor_options watched;
    watched.interconnect = !memory_ && cfg_.bus.interconnect;
    watched.annotated_exclusion = !options_.foreign_overlaps;
    memory_sockets_.push_back(&links_.behind(sms_[i]->memory.socket, watched));
    if (memory_) {
        memory_socket(i).bind(memory_->in[i]);
    }
    if (announced() && !cfg_.sim.monitor) { // traces carry no bytes, and no observer reads them
        sms_[i]->memory.set_at_home();
    }
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
    return smrf_window_load(&window_, trace);
}

bool gpu_module::ports_idle() const
{
    return std::all_of(sms_.begin(), sms_.end(),
                       [](const auto &sm) { return sm->memory.idle() && !sm->running(); });
}

void gpu_module::abandon()
{
    if (ended_ == running) {
        end(SMRF_RUN_STOPPED);
    }
}

bool gpu_module::drain()
{
    for (const auto &sm : sms_) {
        sm->memory.end();
    }
    while (memory_ && !ports_idle() && memory_->next() != SMRF_NEVER) {
        drained_ = std::max(drained_, memory_->next()) + 1;
        memory_->advance(drained_);
    }
    return ports_idle();
}

int gpu_module::reset()
{
    for (const auto &sm : sms_) {
        sm->memory.end();
    }
    if (!ports_idle()) {
        return SMRF_ERR_STATE;
    }
    // SMs run ahead of time, and so do answers that were drawn forward.
    uint64_t cycles = (since_origin() + period_.value() - 1) / period_.value();
    cycles = std::max({cycles, window_.closes, drained_});
    for (const auto &sm : sms_) {
        const uint64_t free = sm->memory.free_cycle();
        cycles = free == SMRF_NEVER ? cycles : std::max(cycles, free);
    }
    drained_ = 0;
    origin_ += sc_core::sc_time::from_value(cycles * period_.value());
    int err = smrf_window_reset(&window_);
    for (const auto &sm : sms_) {
        err = err ? err : sm->reset(origin_);
    }
    if (memory_) {
        memory_->reset(origin_);
    }
    settling_ = 0;
    ended_ = SMRF_RUN_LIMIT;
    return err;
}

void gpu_module::set_limit(uint64_t cycle)
{
    smrf_window_resume(&window_, cycle);
    ended_ = running;
    activity_.notify(sc_core::SC_ZERO_TIME);
}

const smrf_machine &gpu_module::counted()
{
    smrf_machine &machine = window_.machine;
    machine.payloads_in_use = 0;
    machine.payloads_peak = 0;
    std::fill(machine.transactions, machine.transactions + SMRF_PORT_KINDS, 0);
    machine.protocol_violations = machine.foreign_faults = machine.foreign_held = 0;
    uint64_t outside = links_.violations();
    for (const auto &sm : sms_) {
        machine.payloads_in_use += sm->memory.under_way() - sm->memory.ending();
        (memory_ ? machine.payloads_in_use : machine.foreign_held) += sm->memory.held();
        machine.payloads_peak += sm->memory.pool().peak();
        if (sm_blocks *const blocks = sm->blocks()) {
            machine.payloads_in_use += blocks->pool().in_use();
            machine.payloads_peak += blocks->pool().peak();
            machine.protocol_violations += blocks->violations();
            for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
                machine.transactions[k] += blocks->transactions(static_cast<smrf_port_kind>(k));
            }
        }
        machine.transactions[SMRF_PORT_KIND_memory] += sm->memory.stats().accesses;
        outside += sm->memory.protocol_errors();
    }
    (memory_ ? machine.protocol_violations : machine.foreign_faults) += outside;
    return machine;
}

// --- the process -------------------------------------------------------------------------------

void gpu_module::step()
{
    if (window_.gpu.trace == nullptr || ended_ != running) {
        next_trigger(activity_); // an answer or another's wake-up does not end a pause
        return;
    }
    if (std::any_of(sms_.begin(), sms_.end(), [](const auto &sm) { return sm->running(); })) {
        next_trigger(activity_);
        return;
    }
    hold_clock();
    while (carry_out(smrf_window_next(&window_, come()))) {
    }
    if (ended_ != running) {
        next_trigger(activity_);
    }
}

bool gpu_module::carry_out(smrf_window_step what)
{
    switch (what) {
    case SMRF_WINDOW_SLEEP:
        sleep(window_.at);
        return false;
    case SMRF_WINDOW_KERNEL:
        if (const int err = begin_kernel()) {
            end(err);
            return false;
        }
        return true;
    case SMRF_WINDOW_MEMORY:
        settling_ = 0;
        if (memory_) {
            advance_memory(window_.at);
        }
        return true;
    case SMRF_WINDOW_RUN:
        if (crew_) {
            run_side_by_side();
            return true;
        }
        for (uint32_t i = 0; i < window_.num_run; i++) {
            sms_[window_.run[i]]->start(smrf_window_reach(&window_));
        }
        next_trigger(sc_core::SC_ZERO_TIME);
        return false;
    case SMRF_WINDOW_PAUSE:
        end(window_.end);
        return false;
    }
    return false;
}

// As the SMs' own processes would in this evaluation phase; the memory's part continues until it is
// needed.
void gpu_module::run_side_by_side()
{
    void (*move)(void *) = nullptr;
    if (window_.beside != 0) {
        beside_ = window_.beside;
        memory_->take();
        move = [](void *ctx) {
            auto *self = static_cast<gpu_module *>(ctx);
            self->memory_->move(self->beside_);
        };
    }
    smrf_crew_window(
        crew_.get(), window_.num_run,
        [](void *ctx, uint32_t i) {
            const auto *self = static_cast<const gpu_module *>(ctx);
            self->sms_[self->window_.run[i]]->run(smrf_window_reach(&self->window_));
        },
        move, this);
}

void gpu_module::advance_memory(uint64_t cycle)
{
    if (crew_) {
        smrf_crew_end(crew_.get(), SMRF_CREW_MEMORY);
        memory_->report();
    }
    if (!crew_ || cycle > smrf_memory_now(memory_->core())) {
        memory_->advance(cycle);
    }
}

// The run ends here for its caller; a new limit or a new trace takes it up again.
void gpu_module::end(int how)
{
    ended_ = how;
    if (options_.on_end) {
        options_.on_end();
    }
}

int gpu_module::begin_kernel()
{
    for (uint32_t i = 0; i < cfg_.gpu.sms; i++) {
        if (const int err = sms_[i]->begin_kernel(window_.gpu.launch, window_.gpu.simt, i << 8)) {
            return err;
        }
    }
    return SMRF_OK;
}

// While no launch runs, the clock stands still: the next cycle is the first that has not come, and
// what has passed meanwhile no cycle.
void gpu_module::hold_clock()
{
    const uint64_t come = (since_origin() + period_.value() - 1) / period_.value();
    if (window_.gpu.running || come <= window_.cycle) {
        return;
    }
    origin_ += sc_core::sc_time::from_value((come - window_.cycle) * period_.value());
    for (const auto &sm : sms_) {
        sm->set_origin(origin_);
    }
    if (memory_) {
        memory_->set_origin(origin_);
    }
}

// Time since cycle 0.
sc_core::sc_time::value_type gpu_module::since_origin() const
{
    const sc_core::sc_time &now = sc_core::sc_time_stamp();
    return now > origin_ ? (now - origin_).value() : 0;
}

// The first cycle that has not come. An answer of a foreign memory in the time step of a window's
// beginning is to be seen in it, so that a cycle counts as come only some delta cycles after the
// processes that its time step has woken.
uint64_t gpu_module::come() const
{
    if (sc_core::sc_time_stamp() < origin_) {
        return 0;
    }
    const uint64_t cycle = since_origin() / period_.value();
    return cycle + (announced() || settling_ >= settle_deltas ? 1 : 0);
}

// Until that cycle or, at the end, until a foreign memory answers.
void gpu_module::sleep(uint64_t cycle)
{
    const sc_core::sc_time at =
        sc_core::sc_time::from_value(origin_.value() + cycle * period_.value());
    const sc_core::sc_time &now = sc_core::sc_time_stamp();
    if (cycle != SMRF_NEVER && at <= now) {
        settling_++;
        next_trigger(sc_core::SC_ZERO_TIME);
        return;
    }
    settling_ = 0;
    if (cycle == SMRF_NEVER) {
        next_trigger(activity_);
    } else if (announced()) {
        next_trigger(at - now);
    } else {
        next_trigger(at - now, activity_);
    }
}

} // namespace smrf
