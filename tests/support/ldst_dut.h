// SPDX-License-Identifier: Apache-2.0
// The load/store unit with its surroundings: a program of accepts, a memory, and the log of what
// the unit did.
#ifndef SMRF_TEST_LDST_DUT_H
#define SMRF_TEST_LDST_DUT_H

#include "models/common/smrf_rng.h"
#include "models/ldst/coalesce.h"
#include "models/ldst/ldst.h"
#include "platform/config/smrf_config.h"
#include "tests/support/config_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

namespace ldst_test
{

inline smrf_config defaults()
{
    smrf_config c;
    smrf_config_default_sections(&c);
    return c;
}

// What the outside does, as pure functions of cycle and request number, so that every run of a
// program meets the same memory and the same register banks.
struct world {
    uint64_t seed = 0;
    uint32_t min_latency = 1, max_latency = 1;
    uint32_t refuse_port = 0, refuse_bank = 0; // percent of cycles

    uint32_t draw(uint64_t stream, uint64_t n) const
    {
        smrf_rng r;
        smrf_rng_seed(&r, seed * 1000003 + stream, n);
        return smrf_rng_next(&r);
    }
    bool port_refuses(uint64_t cycle) const
    {
        return draw(1, cycle) % 100 < refuse_port;
    }
    bool bank_refuses(uint64_t cycle) const
    {
        return draw(2, cycle) % 100 < refuse_bank;
    }
    uint32_t latency(uint64_t n) const
    {
        return min_latency + draw(3, n) % (max_latency - min_latency + 1);
    }
};

struct step {
    uint64_t gap = 1; // cycles after the previous accept, at least
    smrf_static_inst op{};
    smrf_inst inst{};
    uint32_t warp = 0;
};
using program = std::vector<step>;

enum what { ACCEPT, COMPLETE, WRITE_BACK, STORES, SEND, ANSWERED };
using event = std::array<uint64_t, 5>; // cycle, what, details
using event_log = std::vector<event>;

constexpr uint64_t shared_window = 0x7f0000000000, local_window = 0x7f1000000000;

struct outcome {
    event_log log;
    smrf_ldst_stats stats{};
    uint64_t last = 0;
    std::vector<uint64_t> calls; // cycles that were stepped; reference: those with work
};

// The unit with its surroundings.
struct dut {
    const smrf_config c;
    world w;
    uint64_t now = 0, sent = 0;
    outcome o;
    std::function<uint32_t(uint64_t)> latency; // of the n-th request
    size_t bytes, store_bytes;
    smrf_ldst *l;
    void *store;

    explicit dut(const smrf_config &cfg, const world &outside = {}, uint16_t sm = 0)
        : c(cfg), w(outside), bytes(smrf_ldst_bytes(ldst_of(c))),
          store_bytes(smrf_ldst_store_bytes(ldst_of(c))),
          l(static_cast<smrf_ldst *>(::operator new(bytes, std::align_val_t(64)))),
          store(::operator new(store_bytes, std::align_val_t(64)))
    {
        std::memset(static_cast<void *>(l), 0xa5, bytes);
        std::memset(store, 0xa5, store_bytes);
        latency = [this](uint64_t n) { return w.latency(n); };
        smrf_ldst_events e = {this, on_complete, on_write_back, on_answered, on_stores};
        smrf_mem_port p = {this, on_send};
        EXPECT_EQ(SMRF_OK, smrf_ldst_init(l, store, ldst_of(c), sm, &e, &p));
    }
    ~dut()
    {
        ::operator delete(static_cast<void *>(l), std::align_val_t(64));
        ::operator delete(store, std::align_val_t(64));
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;

    static dut &self(void *ctx)
    {
        return *static_cast<dut *>(ctx);
    }
    static void on_complete(void *ctx, uint32_t slot, uint64_t cycle)
    {
        EXPECT_EQ(self(ctx).now, cycle);
        self(ctx).o.log.push_back({cycle, COMPLETE, slot, 0, 0});
    }
    static bool on_write_back(void *ctx, uint32_t slot, bool last, uint64_t cycle)
    {
        EXPECT_EQ(self(ctx).now, cycle);
        if (self(ctx).w.bank_refuses(cycle)) {
            return false;
        }
        self(ctx).o.log.push_back({cycle, WRITE_BACK, slot, last, 0});
        return true;
    }
    static void on_answered(void *ctx, uint32_t slot)
    {
        self(ctx).o.log.push_back({self(ctx).now, ANSWERED, slot, 0, 0});
    }
    static void on_stores(void *ctx, uint32_t warp, int32_t delta)
    {
        self(ctx).o.log.push_back({self(ctx).now, STORES, warp, uint64_t(int64_t(delta)), 0});
    }
    static bool on_send(void *ctx, const smrf_mem_request *r)
    {
        dut &d = self(ctx);
        EXPECT_EQ(d.now, r->cycle);
        EXPECT_EQ(0u, r->address % 32);
        if (d.w.port_refuses(r->cycle)) {
            return false;
        }
        d.o.log.push_back({r->cycle, SEND, r->address, r->byte_mask, r->kind});
        smrf_mem_response answer = {r->cycle + d.latency(d.sent++), r->id, r->sm, r->kind};
        smrf_ldst_response(d.l, &answer);
        return true;
    }

    void accept(const step &s, uint32_t slot)
    {
        smrf_ldst_inst in = {slot, s.warp, &s.inst, shared_window, local_window};
        smrf_ldst_accept(l, &in, now);
        o.log.push_back({now, ACCEPT, slot, 0, 0});
    }
    void cycle()
    {
        (void)smrf_ldst_cycle(l, now);
        o.calls.push_back(now);
    }
};

// A program's instructions point to their own static part.
inline void link(program &p)
{
    for (step &s : p) {
        s.inst.op = &s.op;
    }
}

inline outcome run_dut(const program &p, dut &d, bool skip)
{
    uint64_t next_call = 1, earliest = 1;
    size_t i = 0;
    for (d.now = 1; i < p.size() || !smrf_ldst_idle(d.l); d.now++) {
        EXPECT_LT(d.now, 10000000u) << "no end";
        if (d.now >= 10000000) {
            break;
        }
        bool changed = !skip || d.now == next_call;
        if (changed) {
            d.cycle();
        }
        if (i < p.size() && d.now >= earliest && smrf_ldst_free(d.l)) {
            d.accept(p[i], uint32_t(i));
            i++;
            changed = true;
            earliest = d.now + (i < p.size() ? p[i].gap : 0);
        }
        if (changed) {
            next_call = smrf_ldst_next(d.l, d.now);
            EXPECT_EQ(next_call == d.now + 1, smrf_ldst_probe_due(d.l, d.now + 1));
        }
        EXPECT_GT(next_call, d.now);
    }
    EXPECT_EQ(SMRF_NEVER, smrf_ldst_next(d.l, d.now)) << "idle, but still something to do";
    d.o.stats = *smrf_ldst_statistics(d.l);
    d.o.last = d.now;
    return d.o;
}

inline outcome run_dut(const program &p, const smrf_config &c, const world &w, bool skip)
{
    dut d(c, w, 1);
    return run_dut(p, d, skip);
}

} // namespace ldst_test

#endif
