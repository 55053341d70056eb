// SPDX-License-Identifier: Apache-2.0
#include "sm_module.h"

namespace smrf
{

namespace
{

size_t all_rows(const smrf_sm_config &cfg)
{
    return size_t{smrf_bank_rows(&cfg.sm, &cfg.rf)} * cfg.rf.banks * cfg.sm.subcores;
}

} // namespace

sm_module::sm_module(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name),
      memory("memory",
             {s.id, period_ps(s.cfg.gpu.core_khz), s.bus, s.cfg.sim.view, s.cfg.sim.granularity},
             {this, nullptr, &sm_module::on_response, &sm_module::write_data}),
      setup_(s), sm_(static_cast<smrf_sm *>(allocate_zeroed(smrf_sm_bytes(&s.cfg)))),
      flights_(static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))),
      rows_(make_zeroed_array<smrf_bank_row>(all_rows(s.cfg))),
      versions_(make_zeroed_array<uint32_t>(all_rows(s.cfg))), wires_(make_wires()),
      clock_(smrf_sm_clock(sm_.get()),
             sc_core::sc_time(static_cast<double>(period_ps(s.cfg.gpu.core_khz)), sc_core::SC_PS)),
      units_("units", smrf_sm_config_units(&s.cfg, s.mechanism), s.cfg.rf,
             {smrf_bank_rows(&s.cfg.sm, &s.cfg.rf), flights_.get(), &wires_, &clock_, &pool_}),
      ldst_("ldst", wires_.mapped, {&clock_, &pool_}),
      merge_("merge", {s.cfg.sm.subcores, wires_.mapped, flights_.get(), &wires_, &clock_, &pool_}),
      simt_("simt_stack", s.cfg.sm.subcores), links_(s.monitors)
{
    if (s.mechanism->bytes) {
        mechanism_state_.reset(allocate_zeroed(s.mechanism->bytes(&s.mechanism_setup)));
    }
    smrf_flights_reset(flights_.get());
    smrf_sm_links links{};
    for (unsigned sub = 0; sub < s.cfg.sm.subcores; sub++) {
        build_subcore(sub, links);
    }
    connect(units_.merged_out[0], merge_.merged_in[0], false);
    if (wires_.mapped) {
        mapping_ = std::make_unique<mapping_module>(
            "mapping",
            mapping_module::place{s.mechanism, mechanism_state_.get(), flights_.get(), &clock_});
        connect(ldst_.map_out[0], mapping_->map_in[0], false);
    }
    links.wires = &wires_;
    links.flights = flights_.get();
    links.units = units_.units();
    links.writeback = units_.writeback();
    links.merges = merge_.core();
    links.simt = simt_.stacks();
    links.source = s.source;
    links.port = memory.c_port();
    if (s.activity != nullptr) { // somebody may look at what the memory holds
        links.stores = [](void *ctx, const smrf_inst *inst) {
            module_of(ctx).stored_.issued(*inst);
        };
        links.stores_ctx = this;
    }
    links.mechanism = s.mechanism;
    links.mechanism_state = mechanism_state_.get();
    int err = s.mechanism->init
                  ? s.mechanism->init(mechanism_state_.get(), &s.mechanism_setup, s.id)
                  : SMRF_OK;
    err = err ? err : smrf_sm_init(sm_.get(), &s.cfg, s.id, &links);
    if (err) {
        SC_REPORT_ERROR("/smrf/sm/config", "the configuration cannot be built");
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

bank_module &sm_module::bank(unsigned sub, unsigned index)
{
    return *subs_[sub]->banks[index];
}

void sm_module::build_subcore(unsigned sub, smrf_sm_links &links)
{
    const smrf_sm_config &cfg = setup_.cfg;
    const smrf_arbiter_config arbiter = smrf_sm_config_arbiter(&cfg);
    const uint32_t banks = cfg.rf.banks, rows = smrf_bank_rows(&cfg.sm, &cfg.rf);
    const std::string suffix = "_" + std::to_string(sub);
    auto s = std::make_unique<subcore>();
    auto named = [&](const char *block) { return block + suffix; };

    s->issue = std::make_unique<issue_module>(
        named("issue").c_str(), smrf_sm_config_issue(&cfg, sub), wires_.cached, clock_, pool_);
    s->collectors = std::make_unique<collector_module>(
        named("collectors").c_str(), cfg.rf,
        collector_module::place{sub, rows, flights_.get(), &wires_, &clock_, &pool_});
    s->xbar = std::make_unique<xbar_module>(named("xbar").c_str(), smrf_collector_slots(&cfg.rf),
                                            banks, rows);
    s->arbiter = std::make_unique<arbiter_module>(named("arbiter").c_str(), arbiter, sub, wires_,
                                                  clock_, pool_);
    connect(s->issue->instr_out[0], s->collectors->instr_in[0]);
    connect(merge_.merge_out[sub], s->collectors->instr_in[1]);
    if (wires_.mapped) {
        connect(s->collectors->part_out[0], merge_.part_in[sub], false);
    }
    connect(s->issue->simt_out[0], simt_.line_in[sub]);
    connect(s->arbiter->grant_out[0], s->collectors->grant_in[0], false);
    connect(s->collectors->dispatch_out[0], units_.dispatch_in[sub]);
    for (uint32_t c = 0; c < smrf_collector_slots(&cfg.rf); c++) {
        connect(s->collectors->request_out[c], s->arbiter->request_in[c]);
        connect(s->collectors->read_out[c], s->xbar->read_in[c]);
    }
    for (uint32_t b = 0; b < banks; b++) {
        const size_t first = (size_t{sub} * banks + b) * rows;
        s->banks.push_back(
            std::make_unique<bank_module>(("bank" + suffix + "_" + std::to_string(b)).c_str(), rows,
                                          clock_.period() * smrf_bank_delay(&cfg.rf),
                                          bank_module::storage{&rows_[first], &versions_[first]}));
        connect(s->xbar->bank_out[b], s->banks[b]->read_in[0]);
        connect(units_.write_out(sub)[b], s->banks[b]->write_in[0], false);
        links.sub[sub].bank[b] = s->banks[b]->core();
    }
    if (wires_.cached) {
        build_cache(sub, *s);
    }
    links.sub[sub].issue = s->issue->core();
    links.sub[sub].collectors = s->collectors->core();
    links.sub[sub].cache = s->cache ? s->cache->core() : nullptr;
    links.sub[sub].arbiter = s->arbiter->core();
    links.sub[sub].xbar = s->xbar->core();
    issue_[sub] = s->issue.get();
    collectors_[sub] = s->collectors.get();
    arbiter_[sub] = s->arbiter.get();
    core_[sub] = {
        s->collectors->core(), s->arbiter->core(), s->xbar->core(), links.sub[sub].cache, {}};
    for (uint32_t b = 0; b < banks; b++) {
        core_[sub].bank[b] = s->banks[b].get();
    }
    subs_.push_back(std::move(s));
}

// Several results a cycle may come on port D; it is for the mechanism to take as many as its hardware
// has ports.
void sm_module::build_cache(unsigned sub, subcore &s)
{
    const uint32_t units = smrf_collector_slots(&setup_.cfg.rf);
    s.cache = std::make_unique<operand_cache_module>(
        ("operand_cache_" + std::to_string(sub)).c_str(),
        operand_cache_module::place{setup_.mechanism, mechanism_state_.get(), sub, units,
                                    flights_.get(), &wires_});
    for (uint32_t c = 0; c < units; c++) {
        connect(s.collectors->hit_out[c], s.cache->port_h[c], false);
        connect(s.collectors->source_out[c], s.cache->port_s[c], false);
    }
    connect(units_.result_out[sub], s.cache->port_d[0], false);
    connect(s.issue->status_out[0], s.cache->port_r[0], false);
}

// Annotated times do not overlap inside an SM. Those of write-back do, where a write takes no port of
// its bank (the counter portless_writes: loads without an active lane, and options of Accel-Sim) and so
// shares its cycle with another; and those of a loosely timed SM, which a call has held up, fall together.
void sm_module::connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                        bool exclusive)
{
    links_.connect(from, to, exclusive && setup_.cfg.sim.view != SMRF_VIEW_LT);
}

// --- the process -----------------------------------------------------------------------------

int sm_module::reset(const sc_core::sc_time &origin)
{
    for (const auto &s : subs_) {
        if (s->cache) {
            s->cache->reset();
        }
    }
    if (mapping_) {
        mapping_->reset();
    }
    simt_.reset();
    memory.reset(origin);
    stored_.reset();
    clock_.reset(origin);
    return smrf_sm_reset(sm_.get(), &setup_.mechanism_setup);
}

void sm_module::start(uint64_t until)
{
    until_ = until;
    running_ = setup_.cfg.sim.view == SMRF_VIEW_LT;
    wake_.notify();
}

void sm_module::run_started()
{
    run(until_);
}

// Accesses of a window may wait.
void sm_module::run_loosely()
{
    for (;;) {
        run(until_);
        running_ = false;
        if (setup_.activity != nullptr) {
            setup_.activity->notify(sc_core::SC_ZERO_TIME);
        }
        wait();
    }
}

void sm_module::run(uint64_t until)
{
    clock_.restart();
    smrf_sm_run(sm_.get(), until);
    memory.set_open_cycle(smrf_sm_cycle(sm_.get()));
}

// --- wires -----------------------------------------------------------------------------------

// Data and requests pass the sockets of the modules; the rest goes straight to its core.
smrf_wires sm_module::make_wires()
{
    smrf_wires w{};
    w.ctx = this;
    w.cycle = smrf_sm_clock(sm_.get());
    w.values = smrf_sm_values(sm_.get());
    w.cached = smrf_operand_cache_needed(setup_.mechanism);
    w.mapped = setup_.mechanism->memory != nullptr;
    w.line = [](void *ctx, unsigned warp, const smrf_simt_line *line, smrf_simt_out *out) {
        sm_module &m = module_of(ctx);
        *out = m.issue_[warp & (m.setup_.cfg.sm.subcores - 1)]->line(warp, *line);
    };
    w.allocate = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        module_of(ctx).issue_[sub]->allocate(collector, flight);
    };
    w.enter = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                 uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return module_of(ctx).collectors_[sub]->enter(collector, flight, data, version);
    };
    w.request = [](void *ctx, unsigned sub, unsigned collector, const smrf_read *reads,
                   unsigned count) {
        module_of(ctx).collectors_[sub]->request(collector, reads, count);
    };
    w.read = [](void *ctx, unsigned sub, const smrf_read *read, uint32_t *data, uint32_t *version) {
        return module_of(ctx).collectors_[sub]->read(*read, data, version);
    };
    w.source = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                  const uint32_t *data, uint32_t version) {
        module_of(ctx).collectors_[sub]->source(collector, flight, i, data, version);
    };
    w.check = [](void *ctx, uint32_t flight, unsigned i, const uint32_t *data, uint32_t version,
                 bool cached) {
        smrf_sm_check_operand(module_of(ctx).sm_.get(), flight, i, data, version, cached);
    };
    w.collected = [](void *ctx, uint32_t flight, unsigned i) {
        smrf_sm_collected(module_of(ctx).sm_.get(), flight, i);
    };
    w.leave = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        smrf_operand_cache_leave(module_of(ctx).core_[sub].cache, collector, flight);
    };
    w.dispatch = [](void *ctx, unsigned sub, uint32_t flight) {
        module_of(ctx).collectors_[sub]->dispatch(flight);
    };
    w.grant = [](void *ctx, unsigned sub, const smrf_read *read) {
        module_of(ctx).arbiter_[sub]->grant(*read);
    };
    w.drained = [](void *ctx, unsigned sub, unsigned unit) {
        smrf_collectors_drained(module_of(ctx).core_[sub].collectors, unit);
    };
    w.room = [](void *ctx, uint32_t flight) {
        return smrf_writeback_room(module_of(ctx).units_.writeback(), flight);
    };
    w.done = [](void *ctx, uint32_t flight) {
        smrf_writeback_results(module_of(ctx).units_.writeback(), flight);
    };
    w.portless = [](void *ctx, uint32_t flight) {
        smrf_writeback_portless(module_of(ctx).units_.writeback(), flight);
    };
    w.offer = [](void *ctx, uint32_t flight, bool last) {
        return smrf_writeback_offer(module_of(ctx).units_.writeback(), flight, last);
    };
    w.later = [](void *ctx, uint32_t flight, uint64_t due) {
        smrf_units_schedule(module_of(ctx).units_.units(), flight, due);
    };
    w.answered = [](void *ctx, uint32_t flight) {
        smrf_sm_answered(module_of(ctx).sm_.get(), flight);
    };
    w.stores = [](void *ctx, unsigned warp, int32_t delta) {
        smrf_sm_stores(module_of(ctx).sm_.get(), warp, delta);
    };
    w.port = [](void *ctx, unsigned sub, unsigned bank) {
        return smrf_arbiter_take_write(module_of(ctx).core_[sub].arbiter, bank);
    };
    w.vacant = [](void *ctx, unsigned sub, unsigned collector) {
        return (module_of(ctx).core_[sub].collectors->free_mask >> collector & 1) != 0;
    };
    w.merge = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        module_of(ctx).merge_.merge(sub, collector, flight);
    };
    w.part = [](void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data) {
        module_of(ctx).collectors_[sub]->part(flight, i, data);
    };
    w.merged = [](void *ctx, uint32_t flight, unsigned i, uint32_t *data) {
        module_of(ctx).units_.merged(flight, i, data);
    };
    w.map = [](void *ctx, smrf_map_question question, const smrf_memory_request *r,
               smrf_memory_answer *answer) {
        return module_of(ctx).ldst_.map(question, *r, *answer);
    };
    w.stored = [](void *ctx, const smrf_memory_request *r) { module_of(ctx).ldst_.stored(*r); };
    w.loaded = [](void *ctx, uint32_t flight) {
        module_of(ctx).ldst_.tell(SMRF_MAP_LOADED, flight);
    };
    w.fenced = [](void *ctx, uint32_t flight) {
        module_of(ctx).ldst_.tell(SMRF_MAP_FENCE, flight);
    };
    w.held = [](void *ctx, uint32_t flight, unsigned i) {
        smrf_sm_held(module_of(ctx).sm_.get(), flight, i);
    };
    w.alone = [](void *ctx, uint32_t flight, unsigned i) {
        sm_module &m = module_of(ctx);
        const unsigned sub = m.flights_->record[flight].sub;
        return smrf_operand_cache_alone(m.core_[sub].cache, flight, i);
    };
    w.keep = [](void *ctx, const smrf_write *write) { module_of(ctx).units_.keep(*write); };
    w.evict = [](void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version) {
        return module_of(ctx).units_.evict(sub, token, data, version);
    };
    w.value = [](void *ctx, uint32_t flight, unsigned i, uint32_t *scratch, uint32_t *version) {
        return smrf_sm_value(module_of(ctx).sm_.get(), flight, i, scratch, version);
    };
    w.write = [](void *ctx, const smrf_write *write) { module_of(ctx).units_.write(*write); };
    w.result = [](void *ctx, const smrf_write *write) {
        return module_of(ctx).units_.result(*write);
    };
    w.released = [](void *ctx, uint32_t flight, unsigned reg) {
        smrf_sm_released(module_of(ctx).sm_.get(), flight, reg);
    };
    w.retired = [](void *ctx, uint32_t flight) {
        smrf_sm_retired(module_of(ctx).sm_.get(), flight);
    };
    w.copy = [](void *ctx, uint32_t flight, unsigned i, const uint32_t *copy, const uint32_t *row) {
        smrf_sm_check_copy(module_of(ctx).sm_.get(), flight, i, copy, row);
    };
    w.status = [](void *ctx, unsigned sub) { return module_of(ctx).issue_[sub]->status(); };
    return w;
}

// --- memory ----------------------------------------------------------------------------------

// That the request channel is free again needs no call: the load/store unit asks in every cycle in
// which it has something to send.

uint32_t sm_module::write_data(void *ctx, const smrf_mem_request *request, uint8_t *data)
{
    return module_of(ctx).stored_.take(*request, data);
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
