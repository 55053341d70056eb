// SPDX-License-Identifier: Apache-2.0
// A renaming machine that keeps track of what its registers were loaded from: a load of the same
// bytes gets the register that has them, and one whose bytes lie in two registers is put together
// from them. Stores forget what they overwrite. It can be told to do it wrongly.
#ifndef SMRF_TESTS_SHARING_MACHINE_H
#define SMRF_TESTS_SHARING_MACHINE_H

#include "models/ldst/coalesce.h"
#include "renaming_machine.h"

#include <list>
#include <map>
#include <set>

namespace sharing
{

struct faults {
    bool neighbour = false;   // shares the register of the bytes behind
    bool wrong_shift = false; // .. shifts a lane too far
    bool ignores_stores = false;
    bool forgets_pins = false; // the parts of a merge may be freed before they are read
    bool takes_lanes = false;  // shares although lanes of the old register live on
};

// A share or merge of bytes that were loaded at one time and are used at another.
struct use {
    uint64_t bytes, loaded, used;
};

struct machine : renaming::machine {
    using renaming::machine::machine;

    struct entry {
        uint64_t base;
        unsigned reg;
        bool there;
        std::vector<uint32_t> waiting; // loads that share it before it is there
        uint64_t order;
    };
    static constexpr size_t MOST = 12;
    faults fault;
    std::list<entry> table[SMRF_MAX_SUBCORES];
    std::map<uint32_t, std::vector<unsigned>> pinned; // by merge
    uint64_t shares = 0, waits_for_load = 0, merges = 0, forgotten = 0, cold = 0, warm = 0;
    uint64_t now = 0; // order of requests
    std::vector<use> uses;
    std::vector<std::pair<uint64_t, uint64_t>> stores; // bytes (base of 32), when

    static machine *self(const void *m)
    {
        return static_cast<machine *>(renaming::machine::self(m));
    }
    entry *find(unsigned sub, uint64_t base)
    {
        for (entry &e : table[sub]) {
            if (e.base == base) {
                return &e;
            }
        }
        return nullptr;
    }
    void forget(unsigned sub, std::list<entry>::iterator e)
    {
        const unsigned reg = e->reg;
        EXPECT_TRUE(e->waiting.empty());
        table[sub].erase(e);
        drop(sub, reg);
    }
    bool give_up(unsigned sub) override
    {
        for (auto e = table[sub].begin(); e != table[sub].end(); ++e) {
            if (e->waiting.empty()) {
                forget(sub, e);
                return true;
            }
        }
        return false;
    }
    // The load's destination is another register than the one it was given.
    void remap(const smrf_memory_request *r, unsigned reg, smrf_memory_answer *answer)
    {
        unsigned &own = of[r->f->warp][r->f->dst_reg[0]];
        names[r->f->sub][reg]++;
        drop(r->f->sub, own);
        own = reg;
        answer->at[0] = place(reg);
    }

    static bool whole(const smrf_memory_request *r)
    {
        return r->space == SMRF_SPACE_GLOBAL && r->f->num_dst == 1 &&
               r->inst->op->access_bytes == 4 && r->inst->addr_kind == SMRF_ADDR_STRIDE &&
               r->inst->stride == 4;
    }
    static smrf_memory_verdict address(void *m, const smrf_memory_request *r,
                                       smrf_memory_answer *answer)
    {
        machine *s = self(m);
        s->now++;
        EXPECT_EQ(r->f->dst[0].row, answer->at[0].row);
        if (!whole(r) || (r->f->mask != UINT32_MAX && !s->fault.takes_lanes)) {
            return SMRF_MEMORY_ISSUE;
        }
        entry *e = s->find(r->f->sub, r->inst->base + (s->fault.neighbour ? 128 : 0));
        if (e == nullptr) {
            return SMRF_MEMORY_ISSUE;
        }
        s->shares++;
        s->uses.push_back({e->base, e->order, s->now});
        s->remap(r, e->reg, answer);
        answer->delay = 1;
        if (!e->there) {
            s->waits_for_load++;
            answer->delay = SMRF_MEMORY_WAIT;
            e->waiting.push_back(r->flight);
        }
        return SMRF_MEMORY_SHARE;
    }
    static smrf_memory_verdict l1(void *m, const smrf_memory_request *r, bool readable,
                                  smrf_memory_answer *answer)
    {
        machine *s = self(m);
        const unsigned sub = r->f->sub;
        ++*(readable ? &s->warm : &s->cold);
        if (!whole(r) || r->f->mask != UINT32_MAX) {
            return SMRF_MEMORY_ISSUE;
        }
        for (unsigned lanes = 1; lanes < 32 && r->inst->base % 4 == 0; lanes++) {
            entry *low = s->find(sub, r->inst->base - 4 * lanes);
            entry *high = s->find(sub, r->inst->base - 4 * lanes + 128);
            if (low == nullptr || high == nullptr || !low->there || !high->there) {
                continue;
            }
            const auto from_low = UINT32_MAX >> lanes;
            answer->part[0][0] = {s->place(low->reg), from_low, int8_t(lanes)};
            answer->part[0][1] = {s->place(high->reg), ~from_low, int8_t(int(lanes) - 32)};
            if (s->fault.wrong_shift) {
                answer->part[0][0] = {s->place(low->reg), from_low, int8_t(lanes - 1)};
            }
            for (entry *e : {low, high}) {
                s->uses.push_back({e->base, e->order, s->now});
                if (!s->fault.forgets_pins) {
                    s->names[sub][e->reg]++;
                    s->pinned[r->flight].push_back(e->reg);
                }
            }
            if (s->fault.forgets_pins) { // and the registers go to whoever comes next
                while (s->give_up(sub)) {
                }
            }
            s->merges++;
            return SMRF_MEMORY_MERGE;
        }
        if (s->find(sub, r->inst->base) == nullptr) {
            s->remember(r);
        }
        return SMRF_MEMORY_ISSUE;
    }
    void remember(const smrf_memory_request *r)
    {
        const unsigned sub = r->f->sub;
        if (table[sub].size() == MOST) {
            for (auto e = table[sub].begin(); e != table[sub].end(); ++e) {
                if (e->waiting.empty()) {
                    forget(sub, e);
                    break;
                }
            }
        }
        if (table[sub].size() == MOST) {
            return;
        }
        const unsigned reg = of[r->f->warp][r->f->dst_reg[0]];
        names[sub][reg]++;
        table[sub].push_back({r->inst->base, reg, false, {}, now});
    }
    // Where the 32 bytes lie that a store touches.
    static std::set<uint64_t> sectors(const smrf_memory_request *r)
    {
        std::set<uint64_t> all;
        for (uint32_t lanes = r->inst->mask; lanes != 0; lanes &= lanes - 1) {
            const uint64_t at =
                smrf_inst_address(r->inst, static_cast<unsigned>(__builtin_ctz(lanes)));
            for (uint64_t b = at / 32; b <= (at + r->inst->op->access_bytes - 1) / 32; b++) {
                all.insert(32 * b);
            }
        }
        return all;
    }
    static void store(void *m, const smrf_memory_request *r)
    {
        machine *s = self(m);
        s->now++;
        const std::set<uint64_t> bytes = sectors(r);
        for (const uint64_t at : bytes) {
            s->stores.emplace_back(at, s->now);
        }
        for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES && !s->fault.ignores_stores; sub++) {
            for (auto e = s->table[sub].begin(); e != s->table[sub].end();) {
                const auto now = e++;
                bool hit = false;
                for (const uint64_t at : bytes) {
                    hit |= at + 32 > now->base && at < now->base + 128;
                }
                if (!hit) {
                    continue;
                }
                s->forgotten++;
                if (now->waiting.empty()) {
                    s->forget(sub, now);
                } else {
                    now->base = 1; // for those who wait, and nobody else
                }
            }
        }
    }
    static void loaded(void *m, const smrf_flight *f, uint32_t flight)
    {
        machine *s = self(m);
        for (unsigned reg : s->pinned[flight]) {
            s->drop(f->sub, reg);
        }
        s->pinned.erase(flight);
        for (entry &e : s->table[f->sub]) {
            if (!e.there && !f->shared && e.reg == s->number(f->dst[0])) {
                e.there = true;
                for (uint32_t waiting : e.waiting) {
                    s->services->finish(s->services->ctx, waiting);
                }
                e.waiting.clear();
            }
        }
    }
    // Uses of bytes that a store has changed since they were loaded.
    unsigned stale() const
    {
        unsigned n = 0;
        for (const use &u : uses) {
            bool bad = false;
            for (const auto &[bytes, when] : stores) {
                bad |= bytes + 32 > u.bytes && bytes < u.bytes + 128 && when > u.loaded &&
                       when < u.used;
            }
            n += bad;
        }
        return n;
    }
};

inline const smrf_memory_seam memory = {
    machine::address, machine::l1, machine::store, machine::loaded, 4, false, nullptr};

inline smrf_mechanism mechanism()
{
    smrf_mechanism m = renaming::mechanism<machine>();
    m.memory = &memory;
    return m;
}

} // namespace sharing

#endif
