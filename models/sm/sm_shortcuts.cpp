// SPDX-License-Identifier: Apache-2.0
// Wires without payloads: where all connections of a kind end, with nobody in between, in the modules that
// are their targets by the picture, their wire goes to those modules' cores. What is told, when, and in
// which order stays: the function of a target socket takes a payload apart and calls the same.
#include "sm_module.h"

namespace smrf
{

void sm_module::end_of_elaboration()
{
    if (setup_.cfg.sim.payloads) {
        return;
    }
    const uint32_t subs = setup_.cfg.sm.subcores;
    bool issues = true, reads = true, writes = true, hits = wires_.cached;
    for (unsigned sub = 0; sub < subs; sub++) {
        const subcore &s = *subs_[sub];
        issues = issues && s.collectors->instr_in.end_all(s.issue->instr_out) &&
                 simt_.line_in.end_all(s.issue->simt_out) &&
                 units_.dispatch_in.end_all(s.collectors->dispatch_out);
        reads = reads && s.arbiter->request_in.end_all(s.collectors->request_out) &&
                s.collectors->grant_in.end_all(s.arbiter->grant_out) &&
                s.xbar->read_in.end_all(s.collectors->read_out);
        for (size_t b = 0; b < s.banks.size(); b++) {
            reads = reads && s.banks[b]->read_in.ends(s.xbar->bank_out[b]);
            writes = writes && s.banks[b]->write_in.ends(units_.write_out(sub)[b]);
        }
        hits = hits && s.cache->port_h.end_all(s.collectors->hit_out) &&
               s.cache->port_s.end_all(s.collectors->source_out) &&
               s.cache->port_d.ends(units_.result_out[sub]) &&
               s.cache->port_r.end_all(s.issue->status_out);
    }
    if (issues) {
        shorten_issue();
    }
    if (reads) {
        shorten_reading();
    }
    if (writes) {
        shorten_writing();
    }
    if (hits) {
        shorten_cache();
    }
}

void sm_module::shorten_issue()
{
    wires_.allocate = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        smrf_collectors_enter(module_of(ctx).core_[sub].collectors, collector, flight);
    };
    wires_.line = [](void *ctx, unsigned warp, const smrf_simt_line *line, smrf_simt_out *out) {
        smrf_simt_step(&module_of(ctx).simt_.stacks()->stack[warp], line, out);
    };
    wires_.dispatch = [](void *ctx, unsigned sub, uint32_t flight) {
        sm_module &m = module_of(ctx);
        smrf_units_dispatch(m.units_.units(), sub, flight, m.clock_.cycle());
    };
}

void sm_module::shorten_reading()
{
    wires_.request = [](void *ctx, unsigned sub, unsigned, const smrf_read *reads, unsigned count) {
        smrf_arbiter_push(module_of(ctx).core_[sub].arbiter, reads, count);
    };
    wires_.grant = [](void *ctx, unsigned sub, const smrf_read *read) {
        smrf_collectors_granted(module_of(ctx).core_[sub].collectors, read);
    };
    wires_.read = [](void *ctx, unsigned sub, const smrf_read *read, uint32_t *data,
                     uint32_t *version) {
        sm_module &m = module_of(ctx);
        const subcore_cores &core = m.core_[sub];
        bank_module &bank = *core.bank[smrf_read_bank(read)];
        smrf_xbar_transfer(core.xbar);
        *version =
            smrf_bank_read(bank.core(), smrf_read_at(read).row, *m.wires_.values ? data : nullptr);
        return m.clock_.cycles(bank.access());
    };
}

void sm_module::shorten_writing()
{
    wires_.write = [](void *ctx, const smrf_write *w) {
        sm_module &m = module_of(ctx);
        smrf_bank_write(m.core_[w->sub].bank[w->at.bank]->core(), w->at.row,
                        *m.wires_.values ? w->data : nullptr, w->lanes, w->version);
    };
}

void sm_module::shorten_cache()
{
    wires_.enter = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                      uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return smrf_operand_cache_enter(module_of(ctx).core_[sub].cache, collector, flight, data,
                                        version);
    };
    wires_.source = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                       const uint32_t *data, uint32_t version) {
        smrf_operand_cache_source(module_of(ctx).core_[sub].cache, collector, flight, i, data,
                                  version);
    };
    wires_.status = [](void *ctx, unsigned sub) {
        return smrf_operand_cache_status(module_of(ctx).core_[sub].cache);
    };
    // The cache sees the whole register as it is now in its bank.
    wires_.result = [](void *ctx, const smrf_write *w) {
        const subcore_cores &core = module_of(ctx).core_[w->sub];
        const smrf_bank_row *row = smrf_bank_probe(core.bank[w->at.bank]->core(), w->at.row);
        return smrf_operand_cache_result(core.cache, w->flight, w->destination,
                                         row != nullptr ? row->lane : w->data);
    };
    wires_.keep = [](void *ctx, const smrf_write *w) {
        smrf_operand_cache_keep(module_of(ctx).core_[w->sub].cache, w->flight, w->destination,
                                w->data, w->lanes, w->version);
    };
    wires_.evict = [](void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version) {
        return smrf_operand_cache_evict(module_of(ctx).core_[sub].cache, token, data, version);
    };
}

} // namespace smrf
