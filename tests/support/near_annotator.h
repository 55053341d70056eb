// SPDX-License-Identifier: Apache-2.0
// Reuse bits without a profile: all near, all far, or a hash of instruction and operand, so that a
// run sees every mixture. Not what a compiler would say; values must be right whatever it says.
#ifndef SMRF_TESTS_NEAR_ANNOTATOR_H
#define SMRF_TESTS_NEAR_ANNOTATOR_H

#include "platform/gpu/gpu.h"

#include <cstdint>

namespace smrf_test
{

class near_annotator
{
  public:
    enum mode { FAR, NEAR, MIXED };
    explicit near_annotator(mode m) : mode_(m) {}
    near_annotator(const near_annotator &) = delete;
    near_annotator &operator=(const near_annotator &) = delete;

    smrf_annotator seam{this, nullptr, nullptr, nullptr, inst, nullptr, nullptr, false};

  private:
    static int inst(void *ctx, smrf_trace_block *, uint32_t warp, smrf_inst *i)
    {
        const mode m = static_cast<near_annotator *>(ctx)->mode_;
        const uint64_t hash = (uint64_t{i->op->index} + 1) * UINT64_C(0x9E3779B97F4A7C15) + warp;
        i->near_src = m == FAR ? 0 : m == NEAR ? UINT32_MAX : static_cast<uint32_t>(hash >> 20);
        i->near_dst = m == FAR    ? uint16_t{0}
                      : m == NEAR ? uint16_t{0xffff}
                                  : static_cast<uint16_t>(hash >> 44);
        return 0;
    }
    mode mode_;
};

} // namespace smrf_test

#endif
