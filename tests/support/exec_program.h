// SPDX-License-Identifier: Apache-2.0
// Small programs for the executor: lines of machine code, parameters, a run, what memory holds.
#ifndef SMRF_TEST_EXEC_PROGRAM_H
#define SMRF_TEST_EXEC_PROGRAM_H

#include "firmware/exec/exec.h"
#include "tests/support/sass_text.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace smrf_test
{

class exec_program
{
  public:
    // The kernel is "k"; more functions, or whole sections, may follow it.
    explicit exec_program(const std::vector<std::string> &lines, const std::string &more = "")
        : exec_program(sass_function("k", lines) + more)
    {
    }
    // A whole text; its global data and a kernel of this name.
    explicit exec_program(const std::string &text, const char *kernel = "k") : module_(text)
    {
        EXPECT_EQ(module_.code(), 0) << module_.error();
        EXPECT_EQ(smrf_space_create(&space_), 0);
        if (module_.get()) {
            entry_ = smrf_sass_find(module_.get(), kernel);
        }
        EXPECT_NE(entry_, nullptr);
        if (entry_) {
            decoded = smrf_exec_decode(&code_, module_.get(), entry_, error);
        }
        for (uint32_t i = 0; module_.get() && i < module_->num_data; i++) {
            const smrf_sass_data &d = module_->data[i];
            EXPECT_EQ(smrf_space_place(space_, d.address, d.size), 0);
            if (d.bytes) {
                std::memcpy(smrf_space_at(space_, d.address, d.size), d.bytes, d.size);
            }
        }
        launch.code = &code_;
        launch.entry = entry_;
        launch.space = space_;
        for (unsigned i = 0; module_.get() && i < SMRF_SASS_CONST_BANKS; i++) {
            launch.const_data[i] = module_->const_data[i];
            launch.const_bytes[i] = module_->const_bytes[i];
        }
        launch.grid = {1, 1, 1};
        launch.block = {32, 1, 1};
        launch.max_insts_per_warp = 4000000;
    }
    ~exec_program()
    {
        if (decoded == 0) {
            smrf_exec_code_free(&code_);
        }
        smrf_space_destroy(space_);
    }
    exec_program(const exec_program &) = delete;
    exec_program &operator=(const exec_program &) = delete;

    // A buffer with these values; its address is the next parameter.
    template <typename T> uint64_t buffer(const std::vector<T> &values)
    {
        uint64_t address = smrf_space_alloc(space_, values.size() * sizeof(T));
        EXPECT_NE(address, 0u);
        write(address, values);
        param(address);
        return address;
    }
    template <typename T> void write(uint64_t address, const std::vector<T> &values)
    {
        void *at = smrf_space_at(space_, address, values.size() * sizeof(T));
        ASSERT_NE(at, nullptr);
        std::memcpy(at, values.data(), values.size() * sizeof(T));
    }
    template <typename T> void param(T value)
    {
        while (params_.size() % sizeof(T) != 0) {
            params_.push_back(0);
        }
        const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&value);
        params_.insert(params_.end(), bytes, bytes + sizeof(T));
    }
    template <typename T> std::vector<T> read(uint64_t address, size_t count) const
    {
        std::vector<T> values(count);
        const void *at = smrf_space_at(space_, address, count * sizeof(T));
        EXPECT_NE(at, nullptr);
        if (at) {
            std::memcpy(values.data(), at, count * sizeof(T));
        }
        return values;
    }
    int run(uint32_t threads = 32, uint32_t blocks = 1)
    {
        if (decoded != 0) {
            return decoded;
        }
        launch.block = {threads, 1, 1};
        launch.grid = {blocks, 1, 1};
        return again();
    }
    int again()
    {
        launch.params = params_.data();
        launch.param_bytes = static_cast<uint32_t>(params_.size());
        return smrf_exec_run(&launch, &totals, error);
    }
    smrf_memory_space *space() const
    {
        return space_;
    }
    const smrf_sass_module &module() const
    {
        return *module_.get();
    }

    int decoded = SMRF_ERR_STATE;
    char error[SMRF_SASS_ERROR_BYTES] = {};
    smrf_exec_totals totals{};
    smrf_exec_launch launch{};

  private:
    sass_module module_;
    smrf_memory_space *space_ = nullptr;
    const smrf_sass_function *entry_ = nullptr;
    smrf_exec_code code_{};
    std::vector<uint8_t> params_;
};

// Lines that leave the thread's index in R0, and in R2:R3 the address of its `bytes` bytes in the
// buffer whose pointer is the parameter at `offset`.
inline std::vector<std::string> exec_prologue(unsigned bytes = 4, unsigned offset = 0)
{
    char wide[96], stride[48];
    std::snprintf(stride, sizeof stride, "MOV R2, 0x%x", bytes);
    std::snprintf(wide, sizeof wide, "IMAD.WIDE.U32 R2, R0, R2, c[0x0][0x%x]", 0x160 + offset);
    return {"MOV R1, c[0x0][0x28]", "S2R R0, SR_TID.X", stride, wide};
}

inline std::vector<std::string> operator+(std::vector<std::string> a,
                                          const std::vector<std::string> &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace smrf_test

#endif
