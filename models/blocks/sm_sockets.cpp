// SPDX-License-Identifier: Apache-2.0
// The wires of an SM's cores end in the sockets of its modules: each call is a transaction.
#include "models/blocks/sm_blocks.h"

namespace smrf
{

void sm_blocks::connect_wires()
{
    wires_.clock = [](void *ctx) { of(ctx).clock_.tick(); };
    if (front_) {
        connect_code();
    }
    if (cfg_.frontend.constant_bytes) {
        connect_constants();
    }
    connect_issue();
    connect_operands();
    connect_units();
    connect_loads();
    if (wires_.cached) {
        connect_cache();
    }
    if (cfg_.rf.read == SMRF_READ_WINDOW) {
        connect_read_stages();
    }
    if (wires_.mapped) {
        connect_mapping();
    }
}

void sm_blocks::connect_code()
{
    wires_.fetch = [](void *ctx, unsigned sub, uint32_t pc, uint64_t cycle) {
        return of(ctx).front_->fetch(sub, pc, cycle);
    };
    wires_.code_line = [](void *ctx, unsigned sub, uint32_t pc, uint64_t cycle, bool waits) {
        return of(ctx).subs_[sub]->l0->line(pc, cycle, waits);
    };
}

void sm_blocks::connect_constants()
{
    wires_.constant = [](void *ctx, unsigned sub, uint32_t address) {
        return of(ctx).issue_[sub]->constant(address);
    };
}

void sm_blocks::connect_issue()
{
    wires_.allocate = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        of(ctx).issue_[sub]->allocate(collector, flight);
    };
    wires_.flush = [](void *ctx, unsigned warp) {
        sm_blocks &m = of(ctx);
        m.issue_[warp & (m.cfg_.sm.subcores - 1)]->flush(warp);
    };
    wires_.line = [](void *ctx, unsigned warp, const smrf_simt_line *line, smrf_simt_out *out) {
        sm_blocks &m = of(ctx);
        *out = m.issue_[warp & (m.cfg_.sm.subcores - 1)]->line(warp, *line);
    };
}

void sm_blocks::connect_operands()
{
    wires_.request = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                        const uint32_t *words, unsigned count) {
        of(ctx).collectors_[sub]->request(collector, flight, words, count);
    };
    wires_.grant = [](void *ctx, unsigned sub, uint32_t flight, const uint32_t *words,
                      unsigned count) { of(ctx).arbiter_[sub]->grant(flight, words, count); };
    wires_.read = [](void *ctx, unsigned sub, unsigned collector, const uint32_t *words,
                     unsigned count, smrf_operand_latches *to) {
        return of(ctx).collectors_[sub]->read(collector, words, count, to);
    };
    wires_.collected = [](void *ctx, uint32_t flight, uint32_t sources) {
        sm_blocks &m = of(ctx);
        m.collectors_[m.sub_of(flight)]->collected(flight, sources);
    };
    wires_.dispatch = [](void *ctx, unsigned sub, uint32_t flight) {
        of(ctx).collectors_[sub]->dispatch(flight);
    };
}

// In the place of the collectors' wires.
void sm_blocks::connect_read_stages()
{
    wires_.read = [](void *ctx, unsigned sub, unsigned, const uint32_t *words, unsigned count,
                     smrf_operand_latches *to) {
        return of(ctx).read_stage_[sub]->read(words, count, to);
    };
    wires_.collected = [](void *ctx, uint32_t flight, uint32_t sources) {
        sm_blocks &m = of(ctx);
        m.read_stage_[m.sub_of(flight)]->collected(flight, sources);
    };
    wires_.dispatch = [](void *ctx, unsigned sub, uint32_t flight) {
        of(ctx).read_stage_[sub]->dispatch(flight);
    };
    wires_.forward = [](void *ctx, const smrf_write *w) { of(ctx).units_.forward(*w); };
    wires_.enter = [](void *ctx, unsigned sub, unsigned unit, uint32_t flight,
                      uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return of(ctx).read_stage_[sub]->cache.enter(unit, flight, data, version);
    };
    wires_.source = [](void *ctx, unsigned sub, unsigned unit, uint32_t flight, unsigned i,
                       const uint32_t *data, uint32_t version) {
        of(ctx).read_stage_[sub]->cache.source(unit, flight, i, data, version);
    };
    wires_.leave = [](void *ctx, unsigned sub, unsigned unit, uint32_t flight) {
        of(ctx).read_stage_[sub]->cache.leave(unit, flight);
    };
}

void sm_blocks::connect_units()
{
    wires_.drained = [](void *ctx, unsigned sub, unsigned unit) {
        of(ctx).units_.drained(sub, unit);
    };
    wires_.access = [](void *ctx, uint32_t flight) { of(ctx).units_.access(flight); };
    wires_.port = [](void *ctx, unsigned sub, unsigned bank) {
        return of(ctx).units_.port(sub, bank);
    };
    wires_.write = [](void *ctx, const smrf_write *w) { of(ctx).units_.write(*w); };
    wires_.released = [](void *ctx, uint32_t flight, unsigned reg) {
        of(ctx).units_.released(flight, reg);
    };
    wires_.retired = [](void *ctx, uint32_t flight) { of(ctx).units_.retired(flight); };
    wires_.settled = [](void *ctx, uint32_t flight) { of(ctx).units_.settled(flight); };
    wires_.merged = [](void *ctx, uint32_t flight, unsigned i, uint32_t *data) {
        of(ctx).units_.merged(flight, i, data);
    };
}

void sm_blocks::connect_cache()
{
    wires_.enter = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight,
                      uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return of(ctx).collectors_[sub]->cache.enter(collector, flight, data, version);
    };
    wires_.source = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight, unsigned i,
                       const uint32_t *data, uint32_t version) {
        of(ctx).collectors_[sub]->cache.source(collector, flight, i, data, version);
    };
    wires_.leave = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        of(ctx).collectors_[sub]->cache.leave(collector, flight);
    };
    wires_.status = [](void *ctx, unsigned sub) { return of(ctx).issue_[sub]->status(); };
    wires_.alone = [](void *ctx, uint32_t flight, unsigned i) {
        return of(ctx).units_.alone(flight, i);
    };
    wires_.result = [](void *ctx, const smrf_write *w) { return of(ctx).units_.result(*w); };
    wires_.keep = [](void *ctx, const smrf_write *w) { of(ctx).units_.keep(*w); };
    wires_.evict = [](void *ctx, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version) {
        return of(ctx).units_.evict(sub, token, data, version);
    };
}

void sm_blocks::connect_loads()
{
    wires_.offer = [](void *ctx, uint32_t flight, bool last) {
        return of(ctx).ldst_.offer(flight, last);
    };
    wires_.portless = [](void *ctx, uint32_t flight) { of(ctx).ldst_.portless(flight); };
    wires_.later = [](void *ctx, uint32_t flight, uint64_t due) {
        of(ctx).ldst_.later(flight, due);
    };
    wires_.answered = [](void *ctx, uint32_t flight) { of(ctx).ldst_.answered(flight); };
    wires_.stores = [](void *ctx, unsigned warp, int32_t delta) {
        of(ctx).ldst_.stores(warp, delta);
    };
    wires_.vacant = [](void *ctx, unsigned sub, unsigned collector) {
        return of(ctx).merge_.vacant(sub, collector);
    };
    wires_.merge = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
        of(ctx).merge_.merge(sub, collector, flight);
    };
}

void sm_blocks::connect_mapping()
{
    wires_.part = [](void *ctx, unsigned sub, uint32_t flight, unsigned i, const uint32_t *data) {
        sm_blocks &m = of(ctx);
        if (m.read_stage_[sub] != nullptr) {
            m.read_stage_[sub]->part(flight, i, data);
        } else {
            m.collectors_[sub]->part(flight, i, data);
        }
    };
    wires_.map = [](void *ctx, smrf_map_question question, const smrf_memory_request *r,
                    smrf_memory_answer *answer) {
        return of(ctx).ldst_.map(question, *r, *answer);
    };
    wires_.stored = [](void *ctx, const smrf_memory_request *r) { of(ctx).ldst_.stored(*r); };
    wires_.loaded = [](void *ctx, uint32_t flight) {
        of(ctx).ldst_.report(SMRF_MAP_LOADED, flight);
    };
    wires_.fenced = [](void *ctx, uint32_t flight) {
        of(ctx).ldst_.report(SMRF_MAP_FENCE, flight);
    };
}

} // namespace smrf
