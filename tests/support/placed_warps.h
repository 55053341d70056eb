// SPDX-License-Identifier: Apache-2.0
// Warps at random whose operands have places: two halves of a warp go through strands of their own,
// together or one between the other's instructions, and a plain search of every lane's readers says
// where each result may live.
#ifndef SMRF_TESTS_PLACED_WARPS_H
#define SMRF_TESTS_PLACED_WARPS_H

#include "known_program.h"

#include "models/common/smrf_rng.h"

#include <algorithm>
#include <set>

namespace placed_warps
{

struct warp {
    sm_test::program program;
    std::vector<uint32_t> path;   // lanes that go the way of each step
    std::vector<uint32_t> strand; // of each step
};

// parted: the halves go different ways at times.
inline warp make(uint32_t seed, bool parted)
{
    using namespace sm_test;
    static const smrf_class classes[] = {SMRF_CLASS_INT, SMRF_CLASS_SFU, SMRF_CLASS_SP};
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 21);
    warp w;
    uint32_t strands = 0, now[2] = {}; // of the halves
    std::set<unsigned> outstanding[2];
    for (unsigned n = 0; n < 200; n++) {
        const bool apart = parted && n / 25 % 2;
        if (n % 25 == 0) {
            now[0] = strands++;
            now[1] = apart ? strands++ : now[0];
        }
        const unsigned half = apart ? smrf_rng_below(&rng, 2) : 0;
        const uint32_t path = !apart ? UINT32_MAX : half ? 0xffff0000 : 0xffff;
        const uint8_t d = uint8_t(smrf_rng_below(&rng, 20));
        std::vector<uint8_t> src;
        for (unsigned k = smrf_rng_below(&rng, 4); k; k--) {
            const bool last = smrf_rng_below(&rng, 2) && n;
            src.push_back(last ? w.program.back().op.dst[0] : uint8_t(smrf_rng_below(&rng, 20)));
        }
        const bool loads = smrf_rng_below(&rng, 12) == 0;
        step s = loads ? memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, src, 0x4000 + 512 * n)
                       : alu(classes[smrf_rng_below(&rng, 3)], {d}, src);
        s.mask = path & (smrf_rng_below(&rng, 5) ? UINT32_MAX : smrf_rng_next(&rng));
        bool waits = outstanding[half].count(d) != 0;
        for (uint8_t r : src) {
            waits |= outstanding[half].count(r) != 0;
        }
        for (unsigned h = 0; h < 2; h++) {
            if ((waits || smrf_rng_below(&rng, 20) == 0) && (h == half || !apart)) {
                now[h] = h && !apart ? now[0] : strands++;
                outstanding[h].clear();
            } else if (h && !apart) {
                now[h] = now[0];
            }
            if (loads && (h == half || !apart)) {
                outstanding[h].insert(d);
            }
        }
        if (!apart) {
            now[1] = now[0];
            outstanding[1] = outstanding[0];
        }
        w.program.push_back(s);
        w.path.push_back(path);
        w.strand.push_back(now[half]);
    }
    w.program.push_back(exit_step());
    w.path.push_back(UINT32_MAX);
    w.strand.push_back(strands);
    return w;
}

struct reader {
    size_t step;
    bool whole; // all its lanes read this result, in the result's strand
};

// Who reads the result of step n, whichever lanes.
inline std::vector<reader> readers(const warp &w, size_t n)
{
    const unsigned reg = w.program[n].op.dst[0];
    std::vector<reader> all;
    uint32_t left = w.program[n].mask;
    for (size_t k = n + 1; k < w.program.size() && left; k++) {
        const sm_test::step &s = w.program[k];
        for (unsigned i = 0; i < s.op.num_src; i++) {
            if (s.op.src[i] == reg && (s.mask & left)) {
                all.push_back({k, !(s.mask & ~left) && w.strand[k] == w.strand[n]});
                break;
            }
        }
        left &= s.op.num_dst && s.op.dst[0] == reg ? ~s.mask : UINT32_MAX;
    }
    return all;
}

// Steps of its strand that read a register in lanes of step n alone, before one of these gets a new
// value.
inline std::vector<size_t> readers_behind(const warp &w, size_t n, unsigned reg)
{
    std::vector<size_t> all;
    uint32_t left = w.program[n].mask;
    for (size_t k = n; k < w.program.size() && left; k++) {
        const sm_test::step &s = w.program[k];
        const bool reads = std::count(s.op.src, s.op.src + s.op.num_src, reg) != 0;
        if (k > n && reads && s.mask && !(s.mask & ~left) && w.strand[k] == w.strand[n]) {
            all.push_back(k);
        }
        left &= s.op.num_dst && s.op.dst[0] == reg ? ~s.mask : UINT32_MAX;
    }
    return all;
}

inline void set_place(const warp &w, std::vector<smrf_inst_facts> &facts, size_t n, unsigned reg,
                      unsigned place)
{
    const sm_test::step &s = w.program[n];
    for (unsigned i = 0; i < s.op.num_src; i++) {
        facts[n].src_place[i] = s.op.src[i] == reg ? uint8_t(place) : facts[n].src_place[i];
    }
}

// Facts of the program, with places of `entries` entries; the steps point to them.
inline void tell(warp &w, unsigned entries, std::list<std::vector<smrf_inst_facts>> &store)
{
    known_program::tell(w.program, store);
    std::vector<smrf_inst_facts> &facts = store.back();
    std::map<std::pair<uint32_t, unsigned>, size_t> busy; // (strand, place): last read
    for (size_t n = 0; n < w.program.size(); n++) {
        smrf_inst_facts &f = facts[n];
        size_t next = n + 1;
        while (next < w.program.size() && !(w.path[next] & w.path[n])) {
            next++;
        }
        f.exact = false;
        f.strand = w.strand[n];
        f.ends_strand = next == w.program.size() || w.strand[next] != w.strand[n];
        const sm_test::step &s = w.program[n];
        for (unsigned i = 0; i < s.op.num_src && s.mask; i++) {
            std::vector<size_t> behind = readers_behind(w, n, s.op.src[i]);
            behind.erase(
                std::remove_if(
                    behind.begin(), behind.end(),
                    [&](size_t k) {
                        const uint8_t *src = w.program[k].op.src;
                        return facts[k].src_place[std::find(src, src + 24, s.op.src[i]) - src] != 0;
                    }),
                behind.end());
            for (unsigned place = 1; place <= entries && !f.src_place[i] && !behind.empty();
                 place++) {
                size_t &until = busy[{w.strand[n], place}];
                if (until <= n) {
                    until = behind.back();
                    set_place(w, facts, n, s.op.src[i], place | SMRF_PLACE_FROM_BANK);
                    for (size_t k : behind) {
                        set_place(w, facts, k, s.op.src[i], place);
                    }
                }
            }
        }
        if (!s.op.num_dst || s.op.op_class == SMRF_CLASS_LOAD || !s.mask) {
            continue;
        }
        size_t last = n;
        bool elsewhere = false;
        const std::vector<reader> all = readers(w, n);
        for (const reader &r : all) {
            last = r.whole ? r.step : last;
            elsewhere |= !r.whole;
        }
        for (unsigned place = 1; place <= entries && last > n; place++) {
            size_t &until = busy[{w.strand[n], place}];
            if (until > n) {
                continue;
            }
            until = last;
            f.dst_place[0] = uint8_t(place | (elsewhere ? SMRF_PLACE_ALSO_BANK : 0));
            for (const reader &r : all) {
                if (r.whole) {
                    set_place(w, facts, r.step, s.op.dst[0], place);
                }
            }
            break;
        }
    }
}

} // namespace placed_warps

#endif
