// SPDX-License-Identifier: Apache-2.0
#include "models/values/stored_values.h"

#include "models/ldst/coalesce.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

namespace smrf
{

stored_values::stored_values()
{
    listener_.ctx = this;
    listener_.issued = [](void *ctx, uint32_t, const smrf_inst *inst) {
        static_cast<stored_values *>(ctx)->issued(*inst);
    };
}

// Of a generic address the first active lane decides, as in the load/store unit.
bool stored_values::to_global(const smrf_inst &inst) const
{
    constexpr uint64_t window_bytes = uint64_t{16} << 20;
    if (inst.op->space != SMRF_SPACE_GENERIC || inst.mask == 0) {
        return inst.op->space == SMRF_SPACE_GLOBAL;
    }
    const uint64_t address = smrf_first_address(&inst);
    return std::none_of(std::begin(window_), std::end(window_), [address](uint64_t window) {
        return window != 0 && address - window < window_bytes;
    });
}

void stored_values::issued(const smrf_inst &inst)
{
    if (inst.values == nullptr || inst.op->op_class != SMRF_CLASS_STORE || !to_global(inst)) {
        return;
    }
    const unsigned bytes = inst.op->access_bytes, words = (bytes + 3) / 4;
    if (words == 0 || inst.values->num_src < words) {
        return;
    }
    const unsigned first = inst.values->num_src - words;
    std::vector<uint64_t> touched;
    for (uint32_t left = inst.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        for (unsigned b = 0; b < bytes; b++) {
            const uint64_t at = smrf_inst_address(&inst, lane) + b, number = at / SMRF_SECTOR_BYTES;
            const auto place = static_cast<unsigned>(at % SMRF_SECTOR_BYTES);
            sector &s = sectors_[number];
            s.byte[place] =
                static_cast<uint8_t>(inst.values->src[first + b / 4][lane] >> 8 * (b % 4));
            s.known |= UINT32_C(1) << place;
            if (touched.empty() || touched.back() != number) {
                touched.push_back(number);
            }
        }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const uint64_t number : touched) {
        sectors_[number].under_way++;
    }
}

uint32_t stored_values::take(const smrf_mem_request &request, uint8_t *data)
{
    const auto found = sectors_.find(request.address / SMRF_SECTOR_BYTES);
    if (found == sectors_.end()) {
        return 0;
    }
    const uint32_t known = found->second.known;
    std::memcpy(data, found->second.byte, SMRF_SECTOR_BYTES);
    if (--found->second.under_way == 0) {
        sectors_.erase(found);
    }
    return known;
}

} // namespace smrf
