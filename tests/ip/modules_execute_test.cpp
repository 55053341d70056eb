// SPDX-License-Identifier: Apache-2.0
// A GPU that computes, from C: the memory is an array, its one memory socket that of all SMs.
#include "platform/ip/modules.h"

#include "firmware/driver/product.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace
{

struct platform_in_c {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(0x10000);
    smrf_module *gpu = nullptr, *memory = nullptr, *core = nullptr;
    bool ended = false;

    product_memory &content()
    {
        return *reinterpret_cast<product_memory *>(bytes.data());
    }
};

int look(void *ctx, unsigned, smrf_access *a)
{
    auto *p = static_cast<platform_in_c *>(ctx);
    if (a->address > p->bytes.size() || a->bytes > p->bytes.size() - a->address) {
        return 0;
    }
    for (uint32_t i = 0; i < a->bytes; i++) {
        uint8_t &byte = p->bytes[a->address + i], &other = static_cast<uint8_t *>(a->data)[i];
        if (!a->write) {
            other = byte;
        } else if (a->enables == nullptr || a->enables[i % a->num_enables] != 0) {
            byte = other;
        }
    }
    return static_cast<int>(a->bytes);
}

int access(void *ctx, unsigned socket, smrf_access *a, uint64_t *delay)
{
    *delay = 100000;
    return look(ctx, socket, a) == static_cast<int>(a->bytes) ? 0 : -1;
}

uint32_t word(smrf_module *self, uint64_t address, bool write = false, uint32_t value = 0)
{
    smrf_access a = {address, &value, 4, write, nullptr, 0};
    EXPECT_EQ(SMRF_OK, smrf_transfer(self, 0, &a)) << address;
    return value;
}

uint32_t launch(smrf_module *self)
{
    word(self, SMRF_GPU_DESCRIPTOR_LO, true, offsetof(product_memory, kernel));
    word(self, SMRF_GPU_DOORBELL, true, SMRF_GPU_DOORBELL_DESCRIPTOR);
    while (word(self, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
        smrf_wait(1000000);
    }
    const uint32_t error = word(self, SMRF_GPU_ERROR);
    word(self, SMRF_GPU_ERROR, true);
    return error;
}

void body(void *ctx, smrf_module *self)
{
    auto *p = static_cast<platform_in_c *>(ctx);
    product_memory &m = p->content();
    EXPECT_EQ(launch(self), uint32_t{SMRF_GPU_ERROR_NONE}) << smrf_module_launch_error(p->gpu);
    for (uint32_t i = 0; i < PRODUCT_SIZE * PRODUCT_SIZE; i++) {
        EXPECT_EQ(m.c[i], 3 * i) << i;
    }
    m.arguments[0].b = UINT64_C(1) << 40;
    EXPECT_EQ(launch(self), uint32_t{SMRF_GPU_ERROR_ADDRESS});
    EXPECT_NE(std::strstr(smrf_module_launch_error(p->gpu), "kernel product"), nullptr)
        << smrf_module_launch_error(p->gpu);
    p->ended = true;
}

} // namespace

TEST(ModulesExecute, AGpuComputesOnAnArrayOfC)
{
    platform_in_c p;
    product_memory &m = p.content();
    const char *const options[] = {"preset=rtx2060-paper", "gpu.sms=2",       "mode=execute",
                                   "own_memory=0",         "memory.merged=1", nullptr};
    std::ifstream file(std::string(std::getenv("SMRF_SOURCE_DIR")) +
                           "/firmware/driver/product.cubin",
                       std::ios::binary);
    const std::vector<char> cubin((std::istreambuf_iterator<char>(file)),
                                  std::istreambuf_iterator<char>());
    ASSERT_LE(cubin.size(), sizeof m.code);
    std::memcpy(m.code, cubin.data(), cubin.size());
    for (uint32_t i = 0; i < PRODUCT_SIZE * PRODUCT_SIZE; i++) {
        m.a[i] = i;
        m.b[i] = i % PRODUCT_SIZE == i / PRODUCT_SIZE ? 3 : 0;
    }
    m.arguments[0] = {offsetof(product_memory, a), offsetof(product_memory, b),
                      offsetof(product_memory, c), PRODUCT_SIZE};
    smrf_dev_describe_kernel(m.kernel, offsetof(product_memory, code),
                             static_cast<uint32_t>(cubin.size()),
                             offsetof(product_memory, arguments), sizeof(product_arguments), 0, 1);
    m.kernel[0].grid[0] = m.kernel[0].grid[1] = PRODUCT_SIZE / 16;
    m.kernel[0].block[0] = m.kernel[0].block[1] = 16;

    ASSERT_EQ(SMRF_OK, smrf_module_create(&p.gpu, "gpu", "gpu", options))
        << smrf_module_error(p.gpu);
    ASSERT_EQ(SMRF_OK, smrf_module_target(&p.memory, "memory", 2, access, &p));
    ASSERT_EQ(SMRF_OK, smrf_module_target_debug(p.memory, look));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_target_debug(p.gpu, look));
    EXPECT_EQ(nullptr, smrf_module_launch_error(p.memory));
    ASSERT_EQ(SMRF_OK, smrf_module_process(&p.core, "core", 1, body, &p));
    EXPECT_EQ(SMRF_OK, smrf_module_bind(p.core, "out_0", p.gpu, "control"));
    EXPECT_EQ(SMRF_OK, smrf_module_bind(p.gpu, "dma", p.memory, "in_0"));
    EXPECT_EQ(SMRF_OK, smrf_module_bind(p.gpu, "memory_0", p.memory, "in_1"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_module_bind(p.gpu, "memory_1", p.memory, "in_1"));
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    EXPECT_TRUE(p.ended);
    smrf_module_destroy(p.core);
    smrf_module_destroy(p.gpu);
    smrf_module_destroy(p.memory);
}

TEST(ModulesExecute, AModeThatThereIsNotIsRefused)
{
    const char *const options[] = {"mode=compute", nullptr};
    smrf_module *m = nullptr;
    EXPECT_LT(smrf_module_create(&m, "gpu", "gpu", options), 0);
    EXPECT_NE(std::string(smrf_module_error(m)).find("mode=compute: replay or execute"),
              std::string::npos);
    smrf_module_destroy(m);
}
