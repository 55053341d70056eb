// SPDX-License-Identifier: Apache-2.0
#include "models/blocks/sm_blocks.h"

namespace smrf
{

sm_blocks::sm_blocks(const place &p)
    : flights_(*p.cores->flights), place_(p), cfg_(p.cores->cfg), wires_(p.cores->wires),
      clock_(wires_.cycle, p.period),
      units_("units", smrf_sm_config_units(&cfg_, p.mechanism), cfg_.rf,
             {smrf_bank_rows(&cfg_.sm, &cfg_.rf), p.cores->flights, &wires_, &clock_, &pool_,
              &p.cores->units, &p.cores->writeback}),
      ldst_("ldst",
            {cfg_.sm.subcores, wires_.mapped, p.cores->flights, &clock_, &pool_, &p.cores->ends}),
      merge_("merge", {cfg_.sm.subcores, wires_.mapped, p.cores->flights, &wires_, &clock_, &pool_,
                       &p.cores->merges}),
      simt_("simt_stack", cfg_.sm.subcores, p.cores->simt), links_(p.monitors)
{
    p.cores->modules = this;
    for (unsigned sub = 0; sub < cfg_.sm.subcores; sub++) {
        build_subcore(sub);
    }
    if (cfg_.frontend.l0_bytes | cfg_.frontend.icache_bytes) {
        build_code();
    }
    connect(units_.merged_out[0], merge_.merged_in[0], false);
    connect(units_.access_out[0], ldst_.access_in[0], false);
    connect(ldst_.load_out[0], units_.load_in[0], false);
    connect(ldst_.later_out[0], units_.later_in[0], false);
    if (wires_.mapped) {
        mapping_ = std::make_unique<mapping_module>(
            "mapping", mapping_module::place{p.mechanism, p.mechanism_state, p.cores->flights,
                                             &clock_, &p.cores->mapping});
        connect(ldst_.map_out[0], mapping_->map_in[0], false);
    }
}

void sm_blocks::build_subcore(unsigned sub)
{
    smrf_subcore_cores &core = place_.cores->sub[sub];
    const uint32_t banks = cfg_.rf.banks, rows = smrf_bank_rows(&cfg_.sm, &cfg_.rf);
    const std::string suffix = "_" + std::to_string(sub);
    auto s = std::make_unique<subcore>();
    auto named = [&](const char *block) { return block + suffix; };

    s->issue = std::make_unique<issue_module>(
        named("issue").c_str(), smrf_sm_config_issue(&cfg_, sub),
        issue_module::place{wires_.cached, &clock_, &pool_, &place_.cores->ends, &core.issue,
                            cfg_.frontend.constant_bytes != 0});
    connect(s->issue->simt_out[0], simt_.line_in[sub]);
    connect(s->issue->flush_out[0], ldst_.flush_in[sub], false);
    connect(units_.settled_out[sub], s->issue->result_in[0], false);
    connect(ldst_.answer_out[sub], s->issue->answer_in[0], false);
    if (cfg_.rf.read == SMRF_READ_WINDOW) {
        build_read_stage(sub, *s);
    } else {
        build_collectors(sub, *s);
    }
    for (uint32_t b = 0; b < banks; b++) {
        s->banks.push_back(std::make_unique<bank_module>(
            ("bank" + suffix + "_" + std::to_string(b)).c_str(), rows,
            clock_.period() * smrf_bank_delay(&cfg_.rf), &core.bank[b]));
        connect(s->xbar->bank_out[b], s->banks[b]->read_in[0]);
        connect(units_.write_out(sub, b), s->banks[b]->write_in[0], false);
    }
    if (wires_.cached) {
        build_cache(sub, *s);
    }
    if (cfg_.frontend.constant_bytes) {
        build_constants(sub, *s);
    }
    issue_[sub] = s->issue.get();
    collectors_[sub] = s->collectors.get();
    arbiter_[sub] = s->arbiter.get();
    read_stage_[sub] = s->read_stage.get();
    subs_.push_back(std::move(s));
}

void sm_blocks::build_collectors(unsigned sub, subcore &s)
{
    smrf_subcore_cores &core = place_.cores->sub[sub];
    const uint32_t rows = smrf_bank_rows(&cfg_.sm, &cfg_.rf);
    const std::string suffix = "_" + std::to_string(sub);
    s.collectors = std::make_unique<collector_module>(
        ("collectors" + suffix).c_str(), cfg_.rf,
        collector_module::place{sub, rows, place_.cores->flights, &wires_, &clock_, &pool_, true,
                                &core.collectors});
    s.xbar = std::make_unique<xbar_module>(
        ("xbar" + suffix).c_str(), smrf_collector_slots(&cfg_.rf), cfg_.rf.banks, rows, &core.xbar);
    s.arbiter = std::make_unique<arbiter_module>(("arbiter" + suffix).c_str(),
                                                 smrf_sm_config_arbiter(&cfg_), sub, wires_, clock_,
                                                 pool_, 1, &core.arbiter);
    connect(s.issue->instr_out[0], s.collectors->instr_in[0]);
    connect(merge_.merge_out[sub], s.collectors->instr_in[1]);
    if (wires_.mapped) {
        connect(s.collectors->part_out[0], merge_.part_in[sub], false);
    }
    connect(s.arbiter->grant_out[0], s.collectors->grant_in[0], false);
    connect(s.collectors->dispatch_out[0], units_.dispatch_in[sub]);
    connect(s.collectors->collected_out[0], s.issue->collected_in[0], false);
    connect(units_.drained_out[sub], s.collectors->drained_in[0], false);
    connect(units_.port_out[sub], s.arbiter->write_in[0], false);
    for (uint32_t c = 0; c < smrf_collector_slots(&cfg_.rf); c++) {
        connect(s.collectors->request_out[c], s.arbiter->request_in[c]);
        connect(s.collectors->read_out[c], s.xbar->read_in[c]);
    }
}

// Several instructions may leave the stages in a cycle, for several units.
void sm_blocks::build_read_stage(unsigned sub, subcore &s)
{
    smrf_subcore_cores &core = place_.cores->sub[sub];
    const uint32_t banks = cfg_.rf.banks, rows = smrf_bank_rows(&cfg_.sm, &cfg_.rf);
    const std::string suffix = "_" + std::to_string(sub);
    s.read_stage = std::make_unique<read_stage_module>(
        ("read_stage" + suffix).c_str(), smrf_read_stage_config{cfg_.rf, cfg_.exec, sub},
        read_stage_module::place{rows, place_.cores->flights, &wires_, &clock_, &pool_,
                                 &core.read_stage});
    s.xbar =
        std::make_unique<xbar_module>(("xbar" + suffix).c_str(), banks, banks, rows, &core.xbar);
    connect(s.issue->instr_out[0], s.read_stage->instr_in[0]);
    connect(merge_.merge_out[sub], s.read_stage->instr_in[1]);
    if (wires_.mapped) {
        connect(s.read_stage->part_out[0], merge_.part_in[sub], false);
    }
    connect(s.read_stage->dispatch_out[0], units_.dispatch_in[sub], false);
    connect(s.read_stage->collected_out[0], s.issue->collected_in[0], false);
    connect(units_.drained_out[sub], s.read_stage->drained_in[0], false);
    connect(units_.port_out[sub], s.read_stage->write_in[0], false);
    connect(units_.forward_out[sub], s.read_stage->forward_in[0], false);
    for (uint32_t b = 0; b < banks; b++) {
        connect(s.read_stage->read_out[b], s.xbar->read_in[b]);
    }
}

void sm_blocks::build_constants(unsigned sub, subcore &s)
{
    s.constants = std::make_unique<constant_l0_module>(
        ("constant_l0_" + std::to_string(sub)).c_str(), cfg_.frontend, &clock_,
        &place_.cores->sub[sub].constants);
    connect(s.issue->constant_out[0], s.constants->constant_in[0], false);
}

// Lines that are fetched ahead are asked for in later cycles than what comes after them.
void sm_blocks::build_code()
{
    const unsigned subcores = cfg_.sm.subcores;
    front_ = std::make_unique<fetch_module>("front_end", subcores, &clock_, &pool_);
    icache_ = std::make_unique<icache_module>("icache", cfg_.frontend, subcores, &clock_,
                                              &place_.cores->icache);
    for (unsigned sub = 0; sub < subcores; sub++) {
        if (!cfg_.frontend.l0_bytes) {
            connect(front_->fetch_out[sub], icache_->line_in[sub], false);
            continue;
        }
        std::unique_ptr<l0_module> &l0 = subs_[sub]->l0;
        l0 = std::make_unique<l0_module>(
            ("l0_" + std::to_string(sub)).c_str(), cfg_.frontend,
            l0_module::place{sub, subcores, &clock_, &pool_, &place_.cores->sub[sub].l0});
        connect(front_->fetch_out[sub], l0->fetch_in[0], false);
        connect(l0->line_out[0], icache_->line_in[sub], false);
    }
}

// Several results a cycle may come on port D; it is for the mechanism to take as many as its
// hardware has ports.
void sm_blocks::build_cache(unsigned sub, subcore &s)
{
    const uint32_t units = s.read_stage ? 1 : smrf_collector_slots(&cfg_.rf);
    s.cache = std::make_unique<operand_cache_module>(
        ("operand_cache_" + std::to_string(sub)).c_str(),
        operand_cache_module::place{place_.mechanism, place_.mechanism_state, sub, units,
                                    place_.cores->flights, &wires_, &place_.cores->sub[sub].cache});
    auto reach = [&](auto &access) {
        for (uint32_t c = 0; c < units; c++) {
            connect(access.hit_out[c], s.cache->port_h[c], false);
            connect(access.source_out[c], s.cache->port_s[c], false);
        }
    };
    if (s.read_stage) {
        reach(s.read_stage->cache);
    } else {
        reach(s.collectors->cache);
    }
    connect(units_.result_out[sub], s.cache->port_d[0], false);
    connect(s.issue->status_out[0], s.cache->port_r[0], false);
}

// Annotated times do not overlap inside an SM. Those of write-back do, where a write takes no port
// of its bank (the counter portless_writes: loads without an active lane, and options of Accel-Sim)
// and so shares its cycle with another; and those of a loosely timed SM that a call has delayed
// fall together.
void sm_blocks::connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                        bool exclusive)
{
    links_.connect(from, to, exclusive && cfg_.sim.view != SMRF_VIEW_LT);
}

uint64_t sm_blocks::transactions(smrf_port_kind kind) const
{
    uint64_t sum = pool_.transactions(kind);
    for (const auto &s : subs_) {
        sum += kind == SMRF_PORT_KIND_bank_read ? s->xbar->forwarded() : 0;
    }
    return sum;
}

void sm_blocks::reset()
{
    pool_.reset_transactions();
    for (const auto &s : subs_) {
        if (s->cache) {
            s->cache->reset();
        }
    }
    if (mapping_) {
        mapping_->reset();
    }
    simt_.reset();
}

} // namespace smrf
