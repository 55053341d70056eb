// SPDX-License-Identifier: Apache-2.0
// The value oracle as a core of its own, for its tests.
#ifndef SMRF_TESTS_ORACLE_DUT_H
#define SMRF_TESTS_ORACLE_DUT_H

#include "models/bank/bank.h"
#include "models/oracle/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

namespace smrf_test
{

using row = std::array<uint32_t, SMRF_LANES>;

// A bank row that writes go to, as simple as can be.
struct written_row {
    row value{};
    uint32_t version = 0;
};

class oracle_dut
{
  public:
    explicit oracle_dut(bool war = true, bool check = true, bool whole = true, bool shares = false,
                        bool logs = false)
    {
        cfg_.shares = shares;
        cfg_.logs = logs;
        cfg_.check = check;
        cfg_.war = war;
        cfg_.whole = whole;
        cfg_.warps = 4;
        cfg_.flights = 16;
        memory_.reset(std::aligned_alloc(64, (smrf_oracle_bytes(&cfg_) + 63) & ~size_t(63)));
        o = static_cast<smrf_oracle *>(memory_.get());
        EXPECT_EQ(0, smrf_oracle_init(o, &cfg_));
        smrf_oracle_kernel(o, false);
        for (unsigned w = 0; w < cfg_.warps; w++) {
            smrf_oracle_start(o, w, 100 + w, w);
        }
    }
    // Issue an instruction of a warp; returns its flight.
    uint32_t issue(unsigned warp, std::vector<uint8_t> dst, std::vector<uint8_t> src,
                   uint32_t mask = UINT32_MAX, const smrf_values *values = nullptr,
                   const smrf_inst *load = nullptr)
    {
        uint32_t number = next_++ % cfg_.flights;
        smrf_static_inst &op = ops_[number];
        smrf_flight &f = flight[number];
        op = smrf_static_inst{};
        op.num_src = f.num_src = f.num_read = uint8_t(src.size());
        op.num_dst = f.num_dst = uint8_t(dst.size());
        std::copy(src.begin(), src.end(), op.src);
        std::copy(src.begin(), src.end(), f.src_reg);
        std::copy(dst.begin(), dst.end(), op.dst);
        std::copy(dst.begin(), dst.end(), f.dst_reg);
        for (size_t i = 0; i < src.size(); i++) {
            f.src[i].row = 1;
        }
        f.op = &op;
        f.warp = uint8_t(warp);
        f.mask = mask;
        f.version = ++version_;
        op.pc = 0x10 * version_;
        smrf_inst inst = load ? *load : smrf_inst{};
        op.op_class = !load ? SMRF_CLASS_INT : dst.empty() ? SMRF_CLASS_STORE : SMRF_CLASS_LOAD;
        op.space = space;
        op.access_bytes = access_bytes;
        inst.op = &op;
        inst.mask = mask;
        inst.values = values;
        smrf_oracle_issued(o, number, &f, &inst);
        return number;
    }
    row result(uint32_t number, unsigned i = 0) const
    {
        row scratch, r;
        std::copy_n(smrf_oracle_result(o, number, &flight[number], i, scratch.data()), SMRF_LANES,
                    r.begin());
        return r;
    }
    // Write destination i back.
    void write(uint32_t number, written_row *to, unsigned i = 0) const
    {
        const row r = result(number, i);
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            to->value[l] = flight[number].mask >> l & 1 ? r[l] : to->value[l];
        }
        to->version = flight[number].version;
    }
    bool read(uint32_t number, const written_row &from, unsigned i = 0)
    {
        wrong = smrf_oracle_operand(o, number, &flight[number], i, from.value.data(), from.version);
        return wrong == nullptr;
    }

    smrf_oracle *o;
    smrf_flight flight[16]{};
    uint8_t access_bytes = 4, space = SMRF_SPACE_GLOBAL;
    const smrf_finding *wrong = nullptr; // what was wrong with the last read

  private:
    struct free_deleter {
        void operator()(void *p) const
        {
            std::free(p);
        }
    };
    smrf_oracle_config cfg_{};
    std::unique_ptr<void, free_deleter> memory_;
    smrf_static_inst ops_[16]{};
    uint32_t next_ = 0, version_ = 0;
};

// One destination and one source, each a value a lane.
inline smrf_values traced(uint32_t dst, uint32_t src = 0)
{
    smrf_values v{};
    v.num_dst = 1;
    v.num_src = 1;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        v.dst[0][l] = dst + l;
        v.src[0][l] = src + l;
    }
    return v;
}

} // namespace smrf_test

#endif
