// SPDX-License-Identifier: Apache-2.0
// Warps at random for tests of mechanisms: results of all and of some lanes, wide ones, loads,
// reads of what was never written.
#ifndef SMRF_TESTS_RANDOM_WARPS_H
#define SMRF_TESTS_RANDOM_WARPS_H

#include "sm_dut.h"

#include "models/common/smrf_rng.h"

namespace random_warps
{

struct shape {
    unsigned registers, length;
    unsigned stream;  // of the generator
    unsigned loads;   // one instruction of so many
    unsigned guarded; // one of so many has no lanes, three of so many have some
    bool chained;     // half of the sources are the result of the instruction before
};

inline sm_test::program program(const shape &s, uint32_t seed, bool barriers)
{
    using namespace sm_test;
    static const smrf_class classes[] = {SMRF_CLASS_INT, SMRF_CLASS_SFU, SMRF_CLASS_SP};
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, s.stream);
    sm_test::program p;
    for (unsigned n = 0; n < s.length; n++) {
        const uint8_t d = uint8_t(smrf_rng_below(&rng, s.registers));
        std::vector<uint8_t> dst = {d}, src;
        if (smrf_rng_below(&rng, 4) == 0) {
            dst.push_back(uint8_t((d + 1) % s.registers));
        }
        for (unsigned k = smrf_rng_below(&rng, 4); k; k--) {
            const bool last = s.chained && smrf_rng_below(&rng, 2) && n;
            src.push_back(last ? p.back().op.dst[0] : uint8_t(smrf_rng_below(&rng, s.registers)));
        }
        step one = alu(classes[smrf_rng_below(&rng, 3)], dst, src);
        if (smrf_rng_below(&rng, s.loads) == 0) {
            one = memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, dst, src, 0x4000 + 512 * n);
        }
        const unsigned kind = smrf_rng_below(&rng, s.guarded);
        one.mask = kind == 0 ? 0 : kind < 4 ? smrf_rng_next(&rng) : UINT32_MAX;
        p.push_back(one);
        if (barriers && n % 40 == 20) {
            p.push_back({op(SMRF_CLASS_BARRIER)});
        }
    }
    p.push_back(exit_step());
    return p;
}

inline std::vector<sm_test::block> blocks(const shape &s, unsigned count, unsigned warps,
                                          uint32_t seed, bool barriers)
{
    std::vector<sm_test::block> all(count);
    for (unsigned b = 0; b < count; b++) {
        for (unsigned w = 0; w < warps; w++) {
            all[b].push_back(program(s, seed + 100 * b + w, barriers));
        }
    }
    return all;
}

} // namespace random_warps

#endif
