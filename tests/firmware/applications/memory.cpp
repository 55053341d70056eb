// SPDX-License-Identifier: Apache-2.0
// Every kind of memory and every way to copy it.
#include "host.h"

#include <vector>

IMAGE(memory);

static char scale_rows, add_one, count, counter, table, scale;
static int *shared_sum; // __managed__: the runtime sets the pointer
static image *registered;

__attribute__((constructor)) static void register_all()
{
    static image m(application_memory);
    registered = &m;
    m.kernel(&scale_rows, "scale_rows");
    m.kernel(&add_one, "add_one");
    m.kernel(&count, "count");
    m.variable(&counter, "counter", 4, false);
    m.variable(&table, "table", 64, false);
    m.variable(&scale, "scale", 4, true);
    m.managed(reinterpret_cast<void **>(&shared_sum), "shared_sum", 4);
    m.end();
}

static void pitched()
{
    const int width = 37, height = 11;
    std::vector<float> host(width * height), back(width * height, -1);
    for (int i = 0; i < width * height; i++) {
        host[i] = static_cast<float>(i);
    }
    void *at;
    size_t pitch;
    OK(cudaMallocPitch(&at, &pitch, width * 4, height));
    CHECK(pitch >= width * 4 && pitch % 512 == 0);
    OK(cudaMemset2D(at, pitch, 0xff, pitch, height));
    OK(cudaMemcpy2D(at, pitch, host.data(), width * 4, width * 4, height, to_device));
    CHECK_CODE(cudaMemcpy2D(at, pitch, host.data(), 8, width * 4, height, to_device), 12);
    OK(launch(&scale_rows, dim3(2, height), 32, 0, nullptr, at, pitch, width, height));
    OK(cudaMemcpy2D(back.data(), width * 4, at, pitch, width * 4, height, to_host));
    for (int i = 0; i < width * height; i++) {
        CHECK(back[i] == 2.0f * static_cast<float>(i) + 5);
    }
    uint32_t padding;
    OK(cudaMemcpy(&padding, static_cast<char *>(at) + width * 4, 4, to_host));
    CHECK(padding == UINT32_MAX);
    OK(cudaFree(at));
}

static void boxes()
{
    cuda_pitched box;
    OK(cudaMalloc3D(&box, {20, 5, 4}));
    std::vector<unsigned char> host(20 * 5 * 4), back(20 * 5 * 4);
    for (size_t i = 0; i < host.size(); i++) {
        host[i] = static_cast<unsigned char>(i * 7);
    }
    cuda_copy3d c{};
    c.from = {host.data(), 20, 20, 5};
    c.to = box;
    c.extent = {20, 5, 4};
    c.direction = to_device;
    OK(cudaMemcpy3D(&c));
    cuda_copy3d part{}; // 3 x 2 x 2 bytes from (5, 1, 2) of the device to (0, 0, 0) of the host
    part.from = box;
    part.from_position = {5, 1, 2};
    part.to = {back.data(), 3, 3, 2};
    part.extent = {3, 2, 2};
    part.direction = to_host;
    OK(cudaMemcpy3D(&part));
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 2; y++) {
            for (size_t x = 0; x < 3; x++) {
                CHECK(back[(z * 2 + y) * 3 + x] == host[((z + 2) * 5 + y + 1) * 20 + x + 5]);
            }
        }
    }
    OK(cudaFree(box.at));
}

static void symbols()
{
    int value = 0, values[16];
    float factor = 4;
    size_t size;
    void *address;
    OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, to_host));
    CHECK(value == 5);
    value = 40;
    OK(cudaMemcpyToSymbol(&counter, &value, 4, 0, to_device));
    OK(cudaMemcpyToSymbol(&scale, &factor, 4, 0, to_device));
    CHECK(__cudaInitModule(registered->handle) != 0 && *shared_sum == 100);
    OK(launch(&count, 2, 32, 0, nullptr, 3));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, to_host));
    CHECK(value == 40 + 64 * 3 && *shared_sum == 100 + 64 * 3);
    OK(cudaMemcpyFromSymbol(values, &table, 16, 48, to_host));
    CHECK(values[0] == 3 * 28 && values[3] == 3 * 31);
    OK(cudaGetSymbolSize(&size, &table));
    CHECK(size == 64);
    OK(cudaGetSymbolAddress(&address, &scale));
    factor = 8; // a __constant__ variable through its address
    OK(cudaMemcpy(address, &factor, 4, to_device));
    factor = 0;
    OK(cudaMemcpyFromSymbol(&factor, &scale, 4, 0, to_host));
    CHECK(factor == 8);
    CHECK_CODE(cudaMemcpyToSymbol(&counter, &value, 8, 0, to_device), 1);
    CHECK_CODE(cudaGetSymbolSize(&size, &value), 13);
}

static void host_memory()
{
    const int n = 100;
    int *managed, *mapped, *registered_memory = static_cast<int *>(aligned_alloc(4096, 4096));
    void *device;
    unsigned flags;
    OK(cudaMallocManaged(reinterpret_cast<void **>(&managed), n * 4, 1));
    OK(cudaHostAlloc(reinterpret_cast<void **>(&mapped), n * 4, 2));
    OK(cudaHostRegister(registered_memory, 4096, 2));
    CHECK_CODE(cudaHostRegister(registered_memory, 4096, 2), 712);
    for (int i = 0; i < n; i++) {
        managed[i] = i;
        mapped[i] = 2 * i;
        registered_memory[i] = 3 * i;
    }
    OK(cudaHostGetDevicePointer(&device, mapped, 0));
    CHECK(device == mapped);
    OK(cudaHostGetFlags(&flags, mapped));
    CHECK(flags == 2);
    OK(launch(&add_one, 4, 32, 0, nullptr, managed, n));
    OK(launch(&add_one, 4, 32, 0, nullptr, device, n));
    OK(launch(&add_one, 4, 32, 0, nullptr, registered_memory, n));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        CHECK(managed[i] == i + 1 && mapped[i] == 2 * i + 1 && registered_memory[i] == 3 * i + 1);
    }
    OK(cudaHostUnregister(registered_memory));
    CHECK_CODE(cudaHostUnregister(registered_memory), 713);
    free(registered_memory);

    pointer_attributes a;
    OK(cudaPointerGetAttributes(&a, managed + 3));
    CHECK(a.type == 3 && a.device_pointer == managed + 3 && a.host_pointer == managed + 3);
    OK(cudaPointerGetAttributes(&a, mapped));
    CHECK(a.type == 1 && a.host_pointer == mapped);
    OK(cudaMalloc(&device, 64));
    OK(cudaPointerGetAttributes(&a, device));
    CHECK(a.type == 2 && a.host_pointer == nullptr);
    OK(cudaPointerGetAttributes(&a, &n));
    CHECK(a.type == 0);
    OK(cudaFree(managed));
    OK(cudaFreeHost(mapped));
    CHECK_CODE(cudaFree(mapped), 1);
    OK(cudaFree(device));
    CHECK_CODE(cudaFree(device), 1);
    OK(cudaFree(nullptr));
}

static void copies()
{
    size_t before, after, total;
    char host[64] = "copied", back[64] = "";
    void *a, *b;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&a, 64));
    OK(cudaMalloc(&b, 64));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after < before && before <= total);
    OK(cudaMemset(a, 0, 64));
    OK(cudaMemcpy(a, host, 64, any_direction));
    OK(cudaMemcpy(b, a, 64, device_to_device));
    OK(cudaMemcpy(back, b, 64, any_direction));
    CHECK(std::strcmp(back, "copied") == 0);
    CHECK_CODE(cudaMemcpy(a, host, 65, to_device), 1);
    CHECK_CODE(cudaMemcpy(a, host, 64, 7), 21);
    CHECK_CODE(cudaMemcpy(back, host, 8, to_device), 1);
    CHECK_CODE(cudaMalloc(&b, size_t(1) << 45), 2);
    CHECK(cudaGetLastError() == 2 && cudaGetLastError() == 0);
}

int main()
{
    pitched();
    boxes();
    symbols();
    host_memory();
    copies();
    std::puts("passed");
    return 0;
}
