// SPDX-License-Identifier: Apache-2.0
// What every lane has at its places, told by what happens at a mechanism's seams: a table of
// registers a warp. Slow, and without values: those are the oracle's business.
#ifndef SMRF_TESTS_PLACES_REFERENCE_H
#define SMRF_TESTS_PLACES_REFERENCE_H

#include "models/common/smrf_program.h"
#include "models/seam/mechanism.h"

#include <array>
#include <list>
#include <map>
#include <string>

namespace places_reference
{

class table
{
  public:
    uint64_t hits = 0, lost = 0, spared = 0;
    std::list<std::string> wrong;

    void issued(const smrf_flight *f)
    {
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            for (cell &c : of_[f->warp][l]) {
                if (f->mask >> l & 1 && f->facts && c.strand != f->facts->strand) {
                    c = {};
                }
            }
        }
    }
    void collected(const smrf_flight *f, uint32_t missing)
    {
        for (unsigned i = 0; i < f->num_src; i++) {
            const unsigned place =
                place_of(f->op->src, f->op->num_src, f->facts->src_place, f->src_reg[i]);
            bool there = place != 0 && !(place & SMRF_PLACE_FROM_BANK);
            for (unsigned l = 0; l < SMRF_LANES; l++) {
                there &= !(f->mask >> l & 1) || of_[f->warp][l][place & 15].reg == f->src_reg[i];
            }
            if (f->mask && there == bool(missing >> i & 1)) {
                wrong.push_back("read of R" + std::to_string(f->src_reg[i]));
            }
            hits += !(missing >> i & 1);
            lost += place && !(place & SMRF_PLACE_FROM_BANK) && missing >> i & 1;
        }
    }
    // A source has come from its bank.
    void arrived(const smrf_flight *f, unsigned i, bool lists)
    {
        const unsigned told =
            place_of(f->op->src, f->op->num_src, f->facts->src_place, f->src_reg[i]);
        for (unsigned l = 0; l < SMRF_LANES && lists && told & SMRF_PLACE_FROM_BANK; l++) {
            if (f->mask >> l & 1) {
                of_[f->warp][l][told & 15] = {f->src_reg[i], f->facts->strand};
            }
        }
    }
    void result(const smrf_flight *f, unsigned i, bool copy, bool lists)
    {
        const unsigned told =
            place_of(f->op->dst, f->op->num_dst, f->facts->dst_place, f->dst_reg[i]);
        const unsigned place = lists && f->mask ? told & 15 : 0;
        if (copy != (place && !(told & SMRF_PLACE_ALSO_BANK))) {
            wrong.push_back("result of R" + std::to_string(f->dst_reg[i]));
        }
        spared += copy;
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            for (cell &c : of_[f->warp][l]) {
                c = f->mask >> l & 1 && c.reg == f->dst_reg[i] ? cell{} : c;
            }
            if (f->mask >> l & 1 && place) {
                of_[f->warp][l][place] = {f->dst_reg[i], f->facts->strand};
            }
        }
    }
    void emptied(unsigned warp)
    {
        of_[warp] = {};
    }

  private:
    struct cell {
        unsigned reg = SMRF_REG_ZERO; // none
        uint32_t strand = 0;
    };
    static unsigned place_of(const uint8_t *regs, unsigned count, const uint8_t *places,
                             unsigned reg)
    {
        for (unsigned k = 0; k < count; k++) {
            if (regs[k] == reg) {
                return places[k];
            }
        }
        return 0;
    }
    std::map<unsigned, std::array<std::array<cell, 16>, SMRF_LANES>> of_;
};

} // namespace places_reference

#endif
