// SPDX-License-Identifier: Apache-2.0
// Facts of a program for machines that are fed from memory: which registers a warp still needs
// behind each of its instructions, found from the end of its program.
#ifndef SMRF_TESTS_KNOWN_PROGRAM_H
#define SMRF_TESTS_KNOWN_PROGRAM_H

#include "models/common/smrf_program.h"
#include "sm_dut.h"

#include <list>
#include <map>

namespace known_program
{

// The facts of one warp's program; the steps point to them. spare: names that live on for ever.
inline void tell(sm_test::program &p, std::list<std::vector<smrf_inst_facts>> &store,
                 std::vector<uint8_t> spare = {})
{
    std::map<unsigned, uint32_t> needed; // lanes of a register
    for (uint8_t reg : spare) {
        needed[reg] = UINT32_MAX;
    }
    store.emplace_back(p.size());
    for (size_t n = p.size(); n-- > 0;) {
        smrf_inst_facts &f = store.back()[n];
        f.exact = true;
        for (const auto &[reg, lanes] : needed) {
            f.live.w[reg / 64] |= uint64_t(lanes != 0) << reg % 64;
        }
        const sm_test::step &s = p[n];
        for (unsigned i = 0; i < s.op.num_dst; i++) {
            f.unmerged_dst |= uint16_t(!(needed[s.op.dst[i]] & ~s.mask) << i);
        }
        for (unsigned i = 0; i < s.op.num_dst; i++) {
            needed[s.op.dst[i]] &= ~s.mask;
        }
        for (unsigned i = 0; i < s.op.num_src; i++) {
            needed[s.op.src[i]] |= s.mask ? s.mask : UINT32_MAX;
        }
        p[n].facts = &f;
    }
}

inline void tell(std::vector<sm_test::block> &blocks,
                 std::list<std::vector<smrf_inst_facts>> &store)
{
    for (sm_test::block &b : blocks) {
        for (sm_test::program &p : b) {
            tell(p, store);
        }
    }
}

} // namespace known_program

#endif
