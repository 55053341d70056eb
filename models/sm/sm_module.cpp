// SPDX-License-Identifier: Apache-2.0
#include "sm_module.h"

#include "models/common/smrf_zeroed.h"

#include <new>

namespace smrf
{

namespace
{

void *allocate_zeroed(size_t bytes)
{
    void *p = smrf_zeroed(bytes);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}

} // namespace

void sm_module::aligned_delete::operator()(void *p) const
{
    smrf_zeroed_free(p);
}

struct sm_module::subcore {
    std::unique_ptr<issue_module> issue;
    std::unique_ptr<collector_module> collectors;
    std::unique_ptr<xbar_module> xbar;
    std::unique_ptr<arbiter_module> arbiter;
    std::vector<std::unique_ptr<bank_module>> banks;
    std::unique_ptr<initiator_ports<sm_module>> write_out; // one a bank
    // Only where the mechanism has collectors of its own.
    std::unique_ptr<mechanism_module> mechanism;
    std::unique_ptr<initiator_ports<sm_module>> source_out, result_out, status_out;
    uint32_t first_register = 0;
};

sm_module::sm_module(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name), memory("memory", {s.id, period_ps(s.cfg.gpu.core_khz), 0},
                                       {this, nullptr, &sm_module::on_response, nullptr}),
      setup_(s), period_(static_cast<double>(period_ps(s.cfg.gpu.core_khz)), sc_core::SC_PS),
      sm_(static_cast<smrf_sm *>(allocate_zeroed(smrf_sm_bytes(&s.cfg)))),
      simt_("simt_stack", s.cfg.sm.subcores)
{
    if (s.mechanism->bytes) {
        mechanism_state_.reset(allocate_zeroed(s.mechanism->bytes(&s.mechanism_setup)));
    }
    wires_ = {this,
              &sm_module::to_collector,
              &sm_module::request,
              &sm_module::grant,
              &sm_module::write_back,
              &sm_module::control_flow};
    smrf_sm_links links{};
    for (unsigned sub = 0; sub < s.cfg.sm.subcores; sub++) {
        build_subcore(sub, links);
    }
    links.wires = &wires_;
    links.simt = simt_.stacks();
    links.source = s.source;
    links.port = memory.c_port();
    links.mechanism = s.mechanism;
    links.mechanism_state = mechanism_state_.get();
    mechanism_wires_ = {this, &sm_module::source, &sm_module::result, &sm_module::status};
    links.mechanism_wires = s.mechanism->collector ? &mechanism_wires_ : nullptr;
    int err = s.mechanism->init
                  ? s.mechanism->init(mechanism_state_.get(), &s.mechanism_setup, s.id)
                  : SMRF_OK;
    err = err ? err : smrf_sm_init(sm_.get(), &s.cfg, s.id, &links);
    if (err) {
        SC_REPORT_ERROR("/smrf/sm/config", "the configuration cannot be built");
    }
    SC_METHOD(run_window);
    sensitive << wake_;
    dont_initialize();
}

sm_module::~sm_module() = default;

void sm_module::build_subcore(unsigned sub, smrf_sm_links &links)
{
    const smrf_sm_config &cfg = setup_.cfg;
    const uint32_t banks = cfg.rf.banks;
    const uint32_t rows = (smrf_sm_rows(&cfg) + banks - 1) / banks;
    const std::string suffix = "_" + std::to_string(sub);
    auto s = std::make_unique<subcore>();
    auto named = [&](const char *block) { return block + suffix; };

    s->first_register = sub * rows * banks;
    s->issue =
        std::make_unique<issue_module>(named("issue").c_str(), smrf_sm_config_issue(&cfg, sub), pool_);
    s->collectors = std::make_unique<collector_module>(
        named("collectors").c_str(), cfg.rf,
        collector_module::place{sm_.get(), sub, s->first_register, &pool_});
    s->xbar = std::make_unique<xbar_module>(named("xbar").c_str(), cfg.rf.collectors, banks,
                                            cfg.rf.collector_ports);
    s->arbiter =
        std::make_unique<arbiter_module>(named("arbiter").c_str(), banks, cfg.rf.collectors);
    connect(s->issue->instr_out[0], s->collectors->instr_in[0]);
    connect(s->issue->simt_out[0], simt_.line_in[sub]);
    for (uint32_t c = 0; c < cfg.rf.collectors; c++) {
        connect(s->collectors->request_out[c], s->arbiter->request_in[c]);
        connect(s->collectors->read_out[c], s->xbar->read_in[c]);
    }
    s->write_out = std::make_unique<initiator_ports<sm_module>>("write_out" + suffix, *this, banks);
    for (uint32_t b = 0; b < banks; b++) {
        // With one pass a cycle an operand is usable in the next; two passes share a cycle.
        sc_core::sc_time access = cfg.rf.steps == 1 ? period_ : sc_core::SC_ZERO_TIME;
        s->banks.push_back(std::make_unique<bank_module>(
            ("bank" + suffix + "_" + std::to_string(b)).c_str(),
            bank_module::shape{s->first_register, rows, banks, access}));
        connect(s->xbar->bank_out[b], s->banks[b]->read_in[0]);
        connect((*s->write_out)[b], s->banks[b]->write_in[0], false);
        links.sub[sub].bank[b] = s->banks[b]->core();
    }
    links.sub[sub].issue = s->issue->core();
    links.sub[sub].collectors = s->collectors->core();
    links.sub[sub].arbiter = s->arbiter->core();
    links.sub[sub].xbar = s->xbar->core();
    if (setup_.mechanism->collector) {
        build_mechanism(sub, *s);
    }
    issue_[sub] = s->issue.get();
    collectors_[sub] = s->collectors.get();
    subs_.push_back(std::move(s));
}

// The ports of the mechanism's collectors. Several results a cycle may come on port D; it is for
// the mechanism to take as many as its hardware has ports.
void sm_module::build_mechanism(unsigned sub, subcore &s)
{
    const std::string suffix = "_" + std::to_string(sub);
    const uint32_t units = setup_.cfg.rf.collectors;
    const auto ports = [&](const char *name, unsigned count) {
        return std::make_unique<initiator_ports<sm_module>>(name + suffix, *this, count);
    };
    s.mechanism = std::make_unique<mechanism_module>(
        ("mechanism" + suffix).c_str(),
        mechanism_module::place{sm_.get(), setup_.mechanism, mechanism_state_.get(), sub, units});
    s.source_out = ports("source_out", units);
    s.result_out = ports("result_out", 1);
    s.status_out = ports("status_out", 1);
    for (uint32_t c = 0; c < units; c++) {
        connect((*s.source_out)[c], s.mechanism->port_s[c], false);
    }
    connect((*s.result_out)[0], s.mechanism->port_d[0], false);
    connect((*s.status_out)[0], s.mechanism->port_r[0], false);
}

// exclusive: the annotated times of the connection's transactions do not overlap either. Those of
// write-back do, where a write takes no port of its bank (the counter portless_writes: loads
// without an active lane, and options of Accel-Sim) and so shares its cycle with another.
void sm_module::connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                        bool exclusive)
{
    if (!setup_.monitors) {
        from.bind(to);
        return;
    }
    protocol_monitor_options options;
    options.annotated_exclusion = exclusive;
    const std::string name = "monitor_" + std::to_string(monitors_.size());
    monitors_.push_back(std::make_unique<protocol_monitor>(name.c_str(), options));
    from.bind(monitors_.back()->in);
    monitors_.back()->out.bind(to);
}

uint64_t sm_module::monitored() const
{
    uint64_t sum = 0;
    for (const auto &monitor : monitors_) {
        sum += monitor->transactions();
    }
    return sum;
}

uint64_t sm_module::violations() const
{
    uint64_t sum = 0;
    for (const auto &monitor : monitors_) {
        sum += monitor->violations();
    }
    return sum;
}

// --- the process -----------------------------------------------------------------------------

void sm_module::start(uint64_t until)
{
    until_ = until;
    wake_.notify();
}

void sm_module::run_window()
{
    delay_cycle_ = SMRF_NEVER;
    smrf_sm_run(sm_.get(), until_);
    memory.set_open_cycle(smrf_sm_cycle(sm_.get()));
}

// From now to the cycle that the script is in. Worked out once a cycle: simulated time stands still
// while the script runs.
const sc_core::sc_time &sm_module::delay()
{
    const uint64_t cycle = smrf_sm_cycle(sm_.get());
    if (cycle != delay_cycle_) {
        const sc_core::sc_time at = sc_core::sc_time::from_value(cycle * period_.value());
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        delay_ = at > now ? at - now : sc_core::SC_ZERO_TIME;
        delay_cycle_ = cycle;
    }
    return delay_;
}

// --- wires -----------------------------------------------------------------------------------

void sm_module::to_collector(void *ctx, unsigned sub, unsigned unit, uint32_t slot)
{
    auto *self = static_cast<sm_module *>(ctx);
    self->issue_[sub]->issue(unit, slot, self->delay());
}

void sm_module::request(void *ctx, unsigned sub, unsigned unit, const smrf_read *reads,
                        unsigned count)
{
    auto *self = static_cast<sm_module *>(ctx);
    self->collectors_[sub]->request(unit, reads, count, self->delay());
}

uint32_t sm_module::grant(void *ctx, unsigned sub, const smrf_read *read)
{
    auto *self = static_cast<sm_module *>(ctx);
    return self->collectors_[sub]->read(*read, self->delay());
}

void sm_module::write_back(void *ctx, const smrf_write *w)
{
    static_cast<sm_module *>(ctx)->write(*w);
}

void sm_module::write(const smrf_write &w)
{
    subcore &s = *subs_[w.sub];
    rf_payload &gp =
        write_.begin((uint64_t{s.first_register} + w.phys) * SMRF_WARP_REG_BYTES, w.data);
    rf_fields &f = gp.extension.fields;
    f.version = w.version;
    f.lanes = w.lane_mask;
    f.phys_reg = w.phys;
    f.arch_reg = w.reg;
    f.warp = w.warp;
    f.bank = w.bank;
    gp.enable_lanes(w.lane_mask);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time d = delay();
    if (s.write_out->forward(w.bank, gp, phase, d) != tlm::TLM_COMPLETED ||
        gp.is_response_error()) {
        protocol_error(*this, "a write is completed at once", gp);
    }
}

void sm_module::send(initiator_ports<sm_module> &ports, unsigned port, rf_payload &gp)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time d = delay();
    if (ports.forward(port, gp, phase, d) != tlm::TLM_COMPLETED || gp.is_response_error()) {
        protocol_error(*this, "a port of the mechanism completes at once", gp);
    }
}

void sm_module::source(void *ctx, unsigned sub, unsigned unit, uint32_t slot, unsigned operand,
                       const uint32_t *data, uint32_t version)
{
    auto *self = static_cast<sm_module *>(ctx);
    rf_payload &gp = self->write_.begin(uint64_t{operand} * SMRF_WARP_REG_BYTES, data);
    gp.extension.fields.flight = slot;
    gp.extension.fields.slot = static_cast<uint8_t>(operand);
    gp.extension.fields.version = version;
    gp.extension.fields.lanes = UINT32_MAX;
    gp.enable_lanes(UINT32_MAX);
    self->send(*self->subs_[sub]->source_out, unit, gp);
}

bool sm_module::result(void *ctx, unsigned sub, uint32_t slot, unsigned i, const uint32_t *row,
                       uint32_t lanes)
{
    auto *self = static_cast<sm_module *>(ctx);
    rf_payload &gp = self->write_.begin(uint64_t{i} * SMRF_WARP_REG_BYTES, row);
    gp.extension.fields.flight = slot;
    gp.extension.fields.slot = static_cast<uint8_t>(i);
    gp.extension.fields.lanes = lanes;
    gp.extension.fields.kept = false;
    gp.enable_lanes(UINT32_MAX);
    self->send(*self->subs_[sub]->result_out, 0, gp);
    return gp.extension.fields.kept;
}

uint64_t sm_module::status(void *ctx, unsigned sub)
{
    auto *self = static_cast<sm_module *>(ctx);
    uint64_t warps = 0;
    self->send(*self->subs_[sub]->status_out, 0, self->status_.begin(0, &warps));
    return warps;
}

void sm_module::control_flow(void *ctx, unsigned warp, const smrf_simt_line *line,
                             smrf_simt_out *out)
{
    auto *self = static_cast<sm_module *>(ctx);
    unsigned sub = warp & (self->setup_.cfg.sm.subcores - 1);
    *out = self->issue_[sub]->control_flow(warp, *line, self->delay());
}

// --- memory ----------------------------------------------------------------------------------

// That the request channel is free again needs no call: the load/store unit asks in every cycle in
// which it has something to send.

void sm_module::on_response(void *ctx, const smrf_mem_response *response, const uint8_t *)
{
    auto *self = static_cast<sm_module *>(ctx);
    smrf_sm_response(self->core(), response);
    if (self->setup_.activity) {
        self->setup_.activity->notify(sc_core::SC_ZERO_TIME);
    }
}

} // namespace smrf
