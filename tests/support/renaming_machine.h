// SPDX-License-Identifier: Apache-2.0
// A mechanism that gives every result a new physical register of its sub-core, and takes the old
// one back when nothing names it and nobody has still to read it. It can be told to do it wrongly.
#ifndef SMRF_TESTS_RENAMING_MACHINE_H
#define SMRF_TESTS_RENAMING_MACHINE_H

#include "models/seam/mechanism.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace renaming
{

struct faults {
    bool loses_lanes = false; // lanes that a result leaves alone are not carried
    bool frees_early = false; // a register is free while it is still to be read
    bool never_frees = false;
};

struct machine {
    machine(const smrf_sm_params &sm, const smrf_rf_params &rf, faults f = {})
        : wrong(f), banks(rf.banks), subcores(sm.subcores)
    {
        const unsigned total = smrf_physical_registers(&sm);
        for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES; sub++) {
            for (unsigned n = total; n-- > 0;) {
                free[sub].push_back(n);
            }
            names[sub].assign(total, 0);
            dying[sub].assign(total, false);
        }
        for (auto &registers : of) {
            std::fill(std::begin(registers), std::end(registers), NONE);
        }
    }
    virtual ~machine() = default;

    static constexpr unsigned NONE = UINT32_MAX;
    const faults wrong;
    const unsigned banks, subcores;
    const smrf_services *services = nullptr;
    std::vector<unsigned> free[SMRF_MAX_SUBCORES];  // physical registers
    std::vector<unsigned> names[SMRF_MAX_SUBCORES]; // that refer to a physical register
    std::vector<bool> dying[SMRF_MAX_SUBCORES];     // to be freed after their last read
    unsigned of[SMRF_MAX_WARPS][256];               // physical register of an architectural one
    uint64_t resident = 0, carried = 0, freed_late = 0, waits = 0;

    // The mechanism's state is a pointer to one of these.
    static machine *self(const void *m)
    {
        return *static_cast<machine *const *>(m);
    }
    smrf_register_place place(unsigned n) const
    {
        return n == NONE ? smrf_register_place{SMRF_ROW_NONE, 0}
                         : smrf_register_place{uint16_t(n / banks), uint8_t(n % banks)};
    }
    unsigned number(smrf_register_place at) const
    {
        return at.row * banks + at.bank;
    }
    unsigned take(unsigned sub)
    {
        EXPECT_FALSE(free[sub].empty()) << "it said that it was ready";
        const unsigned n = free[sub].back();
        free[sub].pop_back();
        names[sub][n] = 1;
        return n;
    }
    void give_back(unsigned sub, unsigned n)
    {
        free[sub].insert(free[sub].begin(), n);
        for (uint64_t m = resident; m; m &= m - 1) {
            const auto warp = unsigned(__builtin_ctzll(m));
            if (warp % subcores == sub) {
                services->wake(services->ctx, warp);
            }
        }
    }
    // A name of the register is gone. read: it will still be collected once.
    void drop(unsigned sub, unsigned n, bool read = false)
    {
        if (--names[sub][n] || wrong.never_frees) {
            return;
        }
        if (wrong.frees_early) {
            free[sub].push_back(n); // the next to be taken
        } else if (read || services->readers(services->ctx, sub, place(n))) {
            dying[sub][n] = true;
        } else {
            give_back(sub, n);
        }
    }
    // Registers are short: is there anything else that could be given up?
    virtual bool give_up(unsigned)
    {
        return false;
    }

    static void attach(void *m, const smrf_services *s)
    {
        self(m)->services = s;
    }
    static uint32_t registers(void *, const smrf_sm_kernel *)
    {
        return 0; // none is set aside
    }
    static void start(void *m, unsigned warp, uint16_t, uint32_t)
    {
        self(m)->resident |= uint64_t(1) << warp;
    }
    static void exit(void *m, unsigned warp)
    {
        machine *s = self(m);
        s->resident &= ~(uint64_t(1) << warp);
        for (unsigned &n : s->of[warp]) {
            if (n != NONE) {
                s->drop(warp % s->subcores, n);
                n = NONE;
            }
        }
    }
    static smrf_register_place source(void *m, const smrf_flight *f, unsigned i)
    {
        return self(m)->place(self(m)->of[f->warp][f->src_reg[i]]);
    }
    static smrf_register_place destination(void *m, const smrf_flight *f, unsigned i,
                                           smrf_register_place *carry)
    {
        machine *s = self(m);
        unsigned &now = s->of[f->warp][f->dst_reg[i]];
        const unsigned old = now;
        now = s->take(f->sub);
        if (old != NONE) {
            const bool carries = f->mask != UINT32_MAX && !s->wrong.loses_lanes;
            if (carries) {
                *carry = s->place(old);
                s->carried++;
            }
            s->drop(f->sub, old, carries);
        }
        return s->place(now);
    }
    static bool ready(void *m, unsigned warp, const smrf_inst *inst)
    {
        machine *s = self(m);
        const unsigned sub = warp % s->subcores;
        while (s->free[sub].size() < inst->op->num_dst && s->give_up(sub)) {
        }
        const bool enough = s->free[sub].size() >= inst->op->num_dst;
        s->waits += !enough;
        return enough;
    }
    static void last_read(void *m, unsigned sub, smrf_register_place at)
    {
        machine *s = self(m);
        const unsigned n = s->number(at);
        if (s->dying[sub][n]) {
            s->dying[sub][n] = false;
            s->freed_late++;
            s->give_back(sub, n);
        }
    }
    static smrf_register_place probe(const void *m, unsigned warp, unsigned reg)
    {
        return self(m)->place(self(m)->of[warp][reg]);
    }
};

inline const smrf_warp_seam life = {machine::start, machine::exit, nullptr};
inline const smrf_allotment_seam allotment = {machine::registers, false};
inline const smrf_rename_seam rename = {machine::source, machine::destination,
                                        machine::ready,  machine::last_read,
                                        machine::probe,  nullptr,
                                        nullptr};

// For engines that make the state themselves: the machines, one an SM.
template <class M> std::vector<std::unique_ptr<machine>> &made()
{
    static std::vector<std::unique_ptr<machine>> all;
    return all;
}

template <class M> smrf_mechanism mechanism()
{
    smrf_mechanism m{};
    m.name = "test";
    m.summary = "of a test";
    m.bytes = [](const smrf_mechanism_setup *) { return sizeof(machine *); };
    m.init = [](void *state, const smrf_mechanism_setup *setup, unsigned) {
        made<M>().push_back(std::make_unique<M>(setup->sm, setup->rf));
        *static_cast<machine **>(state) = made<M>().back().get();
        return 0;
    };
    m.attach = machine::attach;
    m.warp = &life;
    m.allotment = &allotment;
    m.rename = &rename;
    return m;
}

} // namespace renaming

#endif
