// SPDX-License-Identifier: Apache-2.0
// Wires through sockets. Where all connections of a kind end, with nobody in between, in the
// modules that are their targets by the picture, their wires stay the plain calls of plain.c: the
// function of a target socket takes a payload apart and calls the same core. What is told, when,
// and in which order is the same.
#include "models/sm/sm_blocks.h"

#include <algorithm>

namespace smrf
{

void sm_blocks::connect_wires()
{
    const bool payloads = cfg_.sim.payloads != 0;
    if (payloads || !issues_end()) {
        send_issues();
    }
    if (payloads || !reads_end()) {
        send_reads();
    } else { // a bank's time may be changed
        wires_.read = [](void *ctx, unsigned sub, unsigned, const smrf_read *reads, unsigned count,
                         smrf_operand_latches *to) {
            smrf_plain_sub &s = static_cast<smrf_plain_sm *>(ctx)->sub[sub];
            uint32_t delay = 0;
            smrf_xbar_transfer(&s.xbar, count);
            for (unsigned n = 0; n < count; n++) {
                const unsigned bank = smrf_read_bank(&reads[n]), i = smrf_read_source(&reads[n]);
                const uint32_t version = smrf_bank_read(&s.bank[bank], smrf_read_at(&reads[n]).row,
                                                        to ? to->data[i] : nullptr);
                if (to != nullptr) {
                    to->version[i] = version;
                }
                delay = std::max(delay, of(ctx).clock_.cycles(of(ctx).bank(sub, bank).access()));
            }
            return delay;
        };
    }
    if (payloads || !writes_end()) {
        send_writes();
    }
    if (wires_.cached && (payloads || !cache_ends())) {
        send_cached();
    }
    if (payloads || !loads_end()) {
        send_loads();
    }
}

// --- do they end where they should?
// ----------------------------------------------------------------

bool sm_blocks::issues_end()
{
    return std::all_of(subs_.begin(), subs_.end(), [&](const auto &s) {
        return s->collectors->instr_in.end_all(s->issue->instr_out) &&
               simt_.line_in.end_all(s->issue->simt_out) &&
               units_.dispatch_in.end_all(s->collectors->dispatch_out);
    });
}

bool sm_blocks::reads_end()
{
    return std::all_of(subs_.begin(), subs_.end(), [](const auto &s) {
        bool ends = s->arbiter->request_in.end_all(s->collectors->request_out) &&
                    s->collectors->grant_in.end_all(s->arbiter->grant_out) &&
                    s->xbar->read_in.end_all(s->collectors->read_out);
        for (size_t b = 0; b < s->banks.size(); b++) {
            ends = ends && s->banks[b]->read_in.ends(s->xbar->bank_out[b]);
        }
        return ends;
    });
}

bool sm_blocks::writes_end()
{
    bool ends = true;
    for (unsigned sub = 0; sub < subs_.size(); sub++) {
        for (size_t b = 0; b < subs_[sub]->banks.size(); b++) {
            ends = ends && subs_[sub]->banks[b]->write_in.ends(units_.write_out(sub)[b]);
        }
    }
    return ends;
}

bool sm_blocks::cache_ends()
{
    bool ends = true;
    for (unsigned sub = 0; sub < subs_.size(); sub++) {
        const subcore &s = *subs_[sub];
        ends = ends && s.cache->port_h.end_all(s.collectors->hit_out) &&
               s.cache->port_s.end_all(s.collectors->source_out) &&
               s.cache->port_d.ends(units_.result_out[sub]) &&
               s.cache->port_r.end_all(s.issue->status_out);
    }
    return ends;
}

bool sm_blocks::loads_end()
{
    bool ends = merge_.merged_in.end_all(units_.merged_out) &&
                (!mapping_ || mapping_->map_in.end_all(ldst_.map_out));
    for (unsigned sub = 0; sub < subs_.size(); sub++) {
        ends = ends && subs_[sub]->collectors->instr_in.ends(merge_.merge_out[sub]) &&
               merge_.part_in.end_all(subs_[sub]->collectors->part_out);
    }
    return ends;
}

// --- by payload
// --------------------------------------------------------------------------------------

void sm_blocks::send_issues()
{
    wires_.allocate = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        of(ctx).issue_[sub]->allocate(collector, flight);
    };
    wires_.line = [](void *ctx, unsigned warp, const smrf_simt_line *line, smrf_simt_out *out) {
        sm_blocks &m = of(ctx);
        *out = m.issue_[warp & (m.cfg_.sm.subcores - 1)]->line(warp, *line);
    };
    wires_.dispatch = [](void *ctx, unsigned sub, uint32_t flight) {
        of(ctx).collectors_[sub]->dispatch(flight);
    };
}

void sm_blocks::send_reads()
{
    wires_.request = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                        const smrf_register_place *at, uint32_t sources) {
        of(ctx).collectors_[sub]->request(collector, flight, at, sources);
    };
    wires_.grant = [](void *ctx, unsigned sub, const smrf_read *reads, unsigned count) {
        of(ctx).arbiter_[sub]->grant(reads, count);
    };
    wires_.read = [](void *ctx, unsigned sub, unsigned collector, const smrf_read *reads,
                     unsigned count, smrf_operand_latches *to) {
        return of(ctx).collectors_[sub]->read(collector, reads, count, to);
    };
}

void sm_blocks::send_writes()
{
    wires_.write = [](void *ctx, const smrf_write *w) { of(ctx).units_.write(*w); };
}

void sm_blocks::send_cached()
{
    wires_.enter = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                      uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return of(ctx).collectors_[sub]->enter(collector, flight, data, version);
    };
    wires_.source = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                       const uint32_t *data, uint32_t version) {
        of(ctx).collectors_[sub]->source(collector, flight, i, data, version);
    };
    wires_.status = [](void *ctx, unsigned sub) { return of(ctx).issue_[sub]->status(); };
    wires_.result = [](void *ctx, const smrf_write *w) { return of(ctx).units_.result(*w); };
    wires_.keep = [](void *ctx, const smrf_write *w) { of(ctx).units_.keep(*w); };
    wires_.evict = [](void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version) {
        return of(ctx).units_.evict(sub, token, data, version);
    };
}

void sm_blocks::send_loads()
{
    wires_.merge = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        of(ctx).merge_.merge(sub, collector, flight);
    };
    wires_.merged = [](void *ctx, uint32_t flight, unsigned i, uint32_t *data) {
        of(ctx).units_.merged(flight, i, data);
    };
    if (!wires_.mapped) {
        return;
    }
    wires_.part = [](void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data) {
        of(ctx).collectors_[sub]->part(flight, i, data);
    };
    wires_.map = [](void *ctx, smrf_map_question question, const smrf_memory_request *r,
                    smrf_memory_answer *answer) {
        return of(ctx).ldst_.map(question, *r, *answer);
    };
    wires_.stored = [](void *ctx, const smrf_memory_request *r) { of(ctx).ldst_.stored(*r); };
    wires_.loaded = [](void *ctx, uint32_t flight) { of(ctx).ldst_.tell(SMRF_MAP_LOADED, flight); };
    wires_.fenced = [](void *ctx, uint32_t flight) { of(ctx).ldst_.tell(SMRF_MAP_FENCE, flight); };
}

} // namespace smrf
