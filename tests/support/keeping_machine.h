// SPDX-License-Identifier: Apache-2.0
// A mechanism that keeps results to itself: each warp has a few entries, written to the banks only
// when another register wants the place. It can be told to do it wrongly.
#ifndef SMRF_TESTS_KEEPING_MACHINE_H
#define SMRF_TESTS_KEEPING_MACHINE_H

#include "models/seam/mechanism.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace keeping
{

struct faults {
    bool forgets_early = false; // an entry is gone when its eviction is asked for
    bool loses_lanes = false;   // lanes that a result leaves alone
    bool never_evicts = false;  // the place is used again at once
};

struct machine {
    static constexpr unsigned ENTRIES = 3; // a warp
    struct entry {
        bool used, leaving;
        uint8_t reg;
        uint32_t token, version, value[SMRF_LANES];
        smrf_register_place at;
    };
    faults wrong;
    const smrf_services *services = nullptr;
    entry of[SMRF_MAX_WARPS][ENTRIES] = {};
    uint32_t tokens = 0;
    uint64_t hits = 0, kept = 0, evicted = 0, dropped = 0;

    static machine *self(void *m)
    {
        return *static_cast<machine **>(m);
    }
    static void attach(void *m, const smrf_services *s)
    {
        self(m)->services = s;
    }
    entry *find(unsigned warp, unsigned reg)
    {
        for (entry &e : of[warp]) {
            if (e.used && e.reg == reg) {
                return &e;
            }
        }
        return nullptr;
    }
    entry *place(unsigned warp)
    {
        for (entry &e : of[warp]) {
            if (!e.used) {
                return &e;
            }
        }
        return nullptr;
    }
    // The first that is not on its way yet goes.
    void make_room(const smrf_flight *f)
    {
        for (entry &e : of[f->warp]) {
            if (!e.leaving) {
                e.token = ++tokens;
                e.leaving = services->evict(services->ctx, f->sub, e.at, e.token);
                e.used = !wrong.forgets_early;
                return;
            }
        }
    }
    static smrf_write_verdict where(void *m, const smrf_flight *f, unsigned i)
    {
        machine *s = self(m);
        if (f->dst[i].row == SMRF_ROW_NONE) {
            return SMRF_WRITE_BANK;
        }
        if (s->find(f->warp, f->dst_reg[i])) {
            return SMRF_WRITE_COPY;
        }
        if (f->mask != UINT32_MAX && !s->wrong.loses_lanes) {
            return SMRF_WRITE_BANK; // the other lanes are in the bank
        }
        if (s->wrong.never_evicts && s->place(f->warp) == nullptr) {
            s->of[f->warp][0].used = false;
        }
        if (s->place(f->warp)) {
            return SMRF_WRITE_COPY;
        }
        s->make_room(f);
        return SMRF_WRITE_BANK;
    }
    static void keep(void *m, const smrf_flight *f, unsigned i, const uint32_t *data,
                     uint32_t lanes, uint32_t version)
    {
        machine *s = self(m);
        entry *e = s->find(f->warp, f->dst_reg[i]);
        s->kept++;
        if (e == nullptr) {
            e = s->place(f->warp);
            *e = {true, false, f->dst_reg[i], 0, 0, {}, f->dst[i]};
        }
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            if (lanes >> l & 1) {
                e->value[l] = data ? data[l] : 0;
            }
        }
        e->version = version;
    }
    static uint32_t evict(void *m, unsigned, uint32_t token, uint32_t *data, uint32_t *version)
    {
        machine *s = self(m);
        for (auto &warp : s->of) {
            for (entry &e : warp) {
                if (e.token == token && e.leaving) {
                    if (data != nullptr) {
                        std::copy_n(e.value, SMRF_LANES, data);
                    }
                    *version = e.version;
                    e.used = e.leaving = false;
                    s->evicted++;
                    return UINT32_MAX;
                }
            }
        }
        s->dropped++; // its warp has ended
        return 0;
    }
    static uint32_t allocate(void *m, unsigned, unsigned, const smrf_flight *f,
                             uint32_t (*data)[SMRF_LANES], uint32_t *version)
    {
        machine *s = self(m);
        uint32_t missing = 0;
        for (unsigned i = 0; i < f->num_src; i++) {
            if (const entry *e = s->find(f->warp, f->src_reg[i])) {
                smrf_value_hand_on(data, i, e->value);
                version[i] = e->version;
                s->hits++;
            } else {
                missing |= 1u << i;
            }
        }
        return missing;
    }
    static void exit(void *m, unsigned warp)
    {
        for (entry &e : self(m)->of[warp]) {
            e = {};
        }
    }
};

inline const smrf_write_seam write = {machine::where, machine::keep, machine::evict};
inline const smrf_collector_seam collector = {machine::allocate, nullptr, nullptr, nullptr,
                                              nullptr};
inline const smrf_warp_seam life = {nullptr, machine::exit, nullptr};

inline std::vector<std::unique_ptr<machine>> &made()
{
    static std::vector<std::unique_ptr<machine>> all;
    return all;
}

inline smrf_mechanism mechanism()
{
    smrf_mechanism m{};
    m.name = "test";
    m.summary = "of a test";
    m.bytes = [](const smrf_mechanism_setup *) { return sizeof(machine *); };
    m.init = [](void *state, const smrf_mechanism_setup *, unsigned) {
        made().push_back(std::make_unique<machine>());
        *static_cast<machine **>(state) = made().back().get();
        return 0;
    };
    m.attach = machine::attach;
    m.warp = &life;
    m.collector = &collector;
    m.write = &write;
    return m;
}

} // namespace keeping

#endif
