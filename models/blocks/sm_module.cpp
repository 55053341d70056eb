// SPDX-License-Identifier: Apache-2.0
#include "sm_module.h"

namespace smrf
{

sm_module::sm_module(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name),
      memory("memory",
             {s.id, period_ps(s.cfg.gpu.core_khz), s.bus, s.cfg.sim.view, s.cfg.sim.granularity},
             {this, nullptr, &sm_module::on_response, &sm_module::write_data}),
      setup_(s)
{
    if (build() != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/sm/config", "the configuration cannot be built");
    }
    if (s.cfg.sim.view != SMRF_VIEW_SCOREBOARD) {
        const sc_core::sc_time period(static_cast<double>(period_ps(s.cfg.gpu.core_khz)),
                                      sc_core::SC_PS);
        blocks_ = std::make_unique<sm_blocks>(
            sm_blocks::place{cores_, s.mechanism, mechanism_state_.get(), period, s.monitors});
        blocks_->connect_wires();
    }
    if (s.cfg.sim.view == SMRF_VIEW_LT) {
        SC_THREAD(run_loosely);
        set_stack_size(256 * 1024);
    } else {
        SC_METHOD(run_started);
    }
    sensitive << wake_;
    dont_initialize();
}

sm_module::~sm_module() = default;

int sm_module::build()
{
    const smrf_sm_config &cfg = setup_.cfg;
    sm_ = setup_.cores->take<smrf_sm>(smrf_sm_bytes(&cfg));
    cores_ = setup_.cores->take<smrf_sm_cores>(sizeof(smrf_sm_cores));
    store_.reset(static_cast<smrf_sm_cores_store *>(allocate_zeroed(smrf_sm_cores_bytes(&cfg))));
    if (setup_.mechanism->bytes) {
        mechanism_state_.reset(allocate_zeroed(setup_.mechanism->bytes(&setup_.mechanism_setup)));
    }
    smrf_sm_links links{};
    links.source = setup_.source;
    links.port = memory.c_port();
    links.mechanism = setup_.mechanism;
    links.mechanism_state = mechanism_state_.get();
    int err = smrf_sm_cores_build(cores_, store_.get(), &cfg, sm_, &links);
    if (!err && setup_.mechanism->init) {
        err = setup_.mechanism->init(mechanism_state_.get(), &setup_.mechanism_setup, setup_.id);
    }
    err = err ? err : smrf_sm_init(sm_, &cfg, setup_.id, &links);
    if (!err && setup_.activity != nullptr) { // foreign IP may read what the memory holds
        smrf_sm_listen(sm_, stored_.listener());
    }
    return err;
}

// --- the process -----------------------------------------------------------------------------

int sm_module::begin_kernel(const smrf_sm_kernel &kernel, const smrf_simt_config &simt,
                            uint32_t first_warp)
{
    stored_.begin_kernel(kernel.shared_window, kernel.local_window);
    return smrf_simt_begin_kernel(&store_->simt, &simt, first_warp, &simt_log_);
}

int sm_module::reset(const sc_core::sc_time &origin)
{
    if (blocks_) {
        blocks_->reset();
        blocks_->set_origin(origin);
    }
    simt_log_ = smrf_simt_log{};
    memory.reset(origin);
    stored_.reset();
    return smrf_sm_reset(sm_, &setup_.mechanism_setup);
}

void sm_module::start(const smrf_sm_reach &reach)
{
    reach_ = reach;
    running_ = setup_.cfg.sim.view == SMRF_VIEW_LT;
    wake_.notify();
}

void sm_module::run_started()
{
    run(reach_);
}

// Accesses of a window may wait.
void sm_module::run_loosely()
{
    for (;;) {
        run(reach_);
        running_ = false;
        if (setup_.activity != nullptr) {
            setup_.activity->notify(sc_core::SC_ZERO_TIME);
        }
        wait();
    }
}

void sm_module::run(const smrf_sm_reach &reach)
{
    if (blocks_) {
        blocks_->begin_window();
    }
    smrf_sm_run_on(sm_, &reach);
    memory.set_open_cycle(smrf_sm_cycle(sm_));
}

// --- memory ----------------------------------------------------------------------------------

// A free request channel needs no callback: the load/store unit tries again in every cycle in which
// it has something to send.

uint32_t sm_module::write_data(void *ctx, const smrf_mem_request *request, uint8_t *data)
{
    return static_cast<sm_module *>(ctx)->stored_.take(*request, data);
}

void sm_module::on_response(void *ctx, const smrf_mem_response *response, const uint8_t *)
{
    auto *self = static_cast<sm_module *>(ctx);
    smrf_sm_response(self->core(), response);
    if (self->setup_.activity) {
        self->setup_.activity->notify(sc_core::SC_ZERO_TIME);
    }
}

} // namespace smrf
