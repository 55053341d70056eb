// SPDX-License-Identifier: Apache-2.0
// A mechanism that gives every result a new physical register of its sub-core, and takes the old one
// back when nobody has still to read it. It can be told to do it wrongly.
#ifndef SMRF_TESTS_RENAMING_MACHINE_H
#define SMRF_TESTS_RENAMING_MACHINE_H

#include "models/seam/mechanism.h"

#include <gtest/gtest.h>

#include <vector>

namespace renaming
{

struct faults {
    bool loses_lanes = false; // lanes that a result leaves alone are not carried
    bool frees_early = false; // .. the old register, while it is still to be read
    bool never_frees = false;
};

struct machine {
    explicit machine(const smrf_sm_params &sm, const smrf_rf_params &rf, faults f = {})
        : wrong(f), banks(rf.banks), subcores(sm.subcores)
    {
        const unsigned total = smrf_physical_registers(&sm);
        for (auto &list : free) {
            for (unsigned n = total; n-- > 0;) {
                list.push_back(n);
            }
        }
        for (auto &list : dying) {
            list.assign(total, false);
        }
        for (auto &registers : of) {
            std::fill(std::begin(registers), std::end(registers), NONE);
        }
    }

    static constexpr unsigned NONE = UINT32_MAX;
    const faults wrong;
    const unsigned banks, subcores;
    const smrf_services *services = nullptr;
    std::vector<unsigned> free[SMRF_MAX_SUBCORES]; // physical registers
    std::vector<bool> dying[SMRF_MAX_SUBCORES];    // to be freed after their last read
    unsigned of[SMRF_MAX_WARPS][256];
    uint64_t resident = 0, carried = 0, freed_late = 0, waits = 0;

    static machine *self(void *m)
    {
        return static_cast<machine *>(m);
    }
    smrf_register_place place(unsigned n) const
    {
        return n == NONE ? smrf_register_place{SMRF_ROW_NONE, 0}
                         : smrf_register_place{uint16_t(n / banks), uint8_t(n % banks)};
    }
    void give_back(unsigned sub, unsigned n)
    {
        free[sub].insert(free[sub].begin(), n);
        for (uint64_t m = resident; m; m &= m - 1) {
            unsigned warp = unsigned(__builtin_ctzll(m));
            if (warp % subcores == sub) {
                services->wake(services->ctx, warp);
            }
        }
    }
    void replace(unsigned sub, unsigned n, bool carries)
    {
        if (wrong.never_frees) {
            return;
        }
        if (!wrong.frees_early && (carries || services->readers(services->ctx, sub, place(n)))) {
            dying[sub][n] = true;
        } else if (wrong.frees_early) {
            free[sub].push_back(n); // the next to be taken
        } else {
            give_back(sub, n);
        }
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
                s->give_back(warp % s->subcores, n);
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
        EXPECT_FALSE(s->free[f->sub].empty()) << "it said that it was ready";
        now = s->free[f->sub].back();
        s->free[f->sub].pop_back();
        if (old != NONE) {
            const bool carries = f->mask != UINT32_MAX && !s->wrong.loses_lanes;
            if (carries) {
                *carry = s->place(old);
                s->carried++;
            }
            s->replace(f->sub, old, carries);
        }
        return s->place(now);
    }
    static bool ready(void *m, unsigned warp, const smrf_inst *inst)
    {
        machine *s = self(m);
        bool enough = s->free[warp % s->subcores].size() >= inst->op->num_dst;
        s->waits += !enough;
        return enough;
    }
    static void last_read(void *m, unsigned sub, smrf_register_place at)
    {
        machine *s = self(m);
        const unsigned n = at.row * s->banks + at.bank;
        if (s->dying[sub][n]) {
            s->dying[sub][n] = false;
            s->freed_late++;
            s->give_back(sub, n);
        }
    }
    static smrf_register_place probe(const void *m, unsigned warp, unsigned reg)
    {
        const machine *s = static_cast<const machine *>(m);
        return s->place(s->of[warp][reg]);
    }
};

inline const smrf_warp_seam life = {machine::start, machine::exit};
inline const smrf_allotment_seam allotment = {machine::registers};
inline const smrf_rename_seam rename = {machine::source, machine::destination, machine::ready,
                                        machine::last_read, machine::probe};

inline smrf_mechanism mechanism()
{
    smrf_mechanism m{};
    m.name = "renaming";
    m.attach = machine::attach;
    m.warp = &life;
    m.allotment = &allotment;
    m.rename = &rename;
    return m;
}

} // namespace renaming

#endif
