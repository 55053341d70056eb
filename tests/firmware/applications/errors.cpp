// SPDX-License-Identifier: Apache-2.0
// What fails and how; printf and assert; attributes, occupancy and shared memory by request. The
// argument says which end: none, "assert", "address", "read", "misaligned".
#include "host.h"

IMAGE(errors);

static char say, demand, write_to, read_from, sum_dynamic, unknown;

__attribute__((constructor)) static void register_all()
{
    static image m(application_errors);
    m.kernel(&say, "say");
    m.kernel(&demand, "demand");
    m.kernel(&write_to, "write_to");
    m.kernel(&read_from, "read_from");
    m.kernel(&sum_dynamic, "sum_dynamic");
    m.kernel(&unknown, "there_is_no_such_kernel");
    m.end();
}

static void configurations(int *buffer)
{
    OK(cudaGetLastError());
    CHECK_CODE(launch(&write_to, 0, 1, 0, nullptr, buffer, 0), 9);
    CHECK(cudaPeekAtLastError() == 9 && cudaGetLastError() == 9 && cudaGetLastError() == 0);
    CHECK_CODE(launch(&write_to, 1, 1025, 0, nullptr, buffer, 0), 9);
    CHECK_CODE(launch(&write_to, dim3(1, 65536), 1, 0, nullptr, buffer, 0), 9);
    CHECK_CODE(launch(&unknown, 1, 1, 0, nullptr, buffer, 0), 98);
    CHECK_CODE(launch(&buffer, 1, 1, 0, nullptr, buffer, 0), 98);
    CHECK(std::strcmp(cudaGetErrorString(98), "invalid device function") == 0);
    CHECK(std::strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    CHECK_CODE(cudaSetDevice(1), 101);
    int *none = nullptr;
    CHECK_CODE(launch(&write_to, 1, 1, 0, &none, buffer, 0), 400); // no such stream
    void *memory;
    CHECK_CODE(cudaImportExternalMemory(&memory, nullptr), 801); // not provided
    CHECK(cudaGetLastError() == 801);
}

// What cuBLAS asks for: the context of the thread, the numbers of a context and of a stream.
static void tables()
{
    const unsigned char other[16] = {1};
    const unsigned char thread[16] = {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47,
                                      0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc};
    const unsigned char context[16] = {0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48,
                                       0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8, 0xf2};
    const void *table = other;
    void *current = nullptr, *entry = nullptr;
    unsigned long long number = 0;
    CHECK_CODE(cudaGetExportTable(&table, other), 801);
    CHECK(table == nullptr && cudaGetLastError() == 801);
    OK(cudaGetExportTable(&table, thread));
    OK(static_cast<int (*const *)(void **)>(table)[2](&current));
    OK(cudaGetExportTable(&table, context));
    OK(static_cast<int (*const *)(void *, unsigned long long *)>(table)[4](current, &number));
    CHECK(current != nullptr && number != 0);
    CHECK_CODE(static_cast<int (*const *)()>(table)[5](), 801);
    CHECK_CODE(static_cast<int (*const *)()>(table)[63](), 801);
    // A stream's: what the handle stands for, and its number.
    void *stream, *same = nullptr;
    unsigned long long numbers[2] = {};
    OK(cudaStreamCreate(&stream));
    OK(static_cast<int (*const *)(void *, void *, void **, int)>(table)[51](current, stream, &same,
                                                                            0));
    OK(static_cast<int (*const *)(void *, void *, unsigned long long *)>(table)[39](current, same,
                                                                                    numbers));
    OK(static_cast<int (*const *)(void *, void *, unsigned long long *)>(table)[39](
        current, nullptr, numbers + 1));
    CHECK(same == stream && numbers[0] != numbers[1]);
    OK(cudaStreamDestroy(stream));
    OK(cudaGetDriverEntryPoint("cuCtxGetCurrent", &entry, 0));
    CHECK(entry != nullptr);
    CHECK_CODE(cudaGetDriverEntryPoint("cuNoSuchCall", &entry, 0), 500);
    CHECK(cudaGetLastError() == 500);
}

static void shared_memory(int *buffer)
{
    int blocks, limit, sum, threads_per_sm, shared_per_sm, reserved;
    OK(cudaDeviceGetAttribute(&threads_per_sm, 39, 0));
    OK(cudaDeviceGetAttribute(&shared_per_sm, 81, 0));
    OK(cudaDeviceGetAttribute(&reserved, 111, 0)); // of each block
    function_attributes a;
    OK(cudaDeviceGetAttribute(&limit, 97, 0)); // with opt-in
    CHECK(limit >= 65536);
    OK(cudaFuncGetAttributes(&a, &sum_dynamic));
    CHECK(a.max_threads == 1024 && a.registers > 0 && a.max_dynamic_shared == 49152);
    CHECK_CODE(launch(&sum_dynamic, 1, 256, 50000, nullptr, buffer), 1);
    OK(cudaFuncSetAttribute(&sum_dynamic, 8, 60000));
    OK(launch(&sum_dynamic, 1, 256, 50000, nullptr, buffer));
    OK(cudaMemcpy(&sum, buffer, 4, to_host));
    CHECK(sum == 255 * 128);
    CHECK_CODE(cudaFuncSetAttribute(&sum_dynamic, 8, limit + 1), 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &sum_dynamic, 256, 0));
    CHECK(blocks == threads_per_sm / 256);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &sum_dynamic, 256, 30000));
    CHECK(blocks == shared_per_sm / (30000 + reserved));
    CHECK(cudaGetLastError() == 1);
}

// A GPU's pages are large: a little past the end of an allocation there is something to read.
static void past_the_end(int *buffer)
{
    int *six, got[4], values[6] = {1, 2, 3, 4, 5, 6};
    OK(cudaMalloc(reinterpret_cast<void **>(&six), sizeof values));
    OK(cudaMemcpy(six, values, sizeof values, to_device));
    OK(launch(&read_from, 1, 1, 0, nullptr, buffer, six, 1));
    OK(cudaMemcpy(got, buffer, sizeof got, to_host));
    CHECK(got[0] == 5 && got[1] == 6 && got[2] == 0 && got[3] == 0);
    OK(launch(&read_from, 1, 1, 0, nullptr, buffer, six, 3));
    OK(cudaMemcpy(got, buffer, sizeof got, to_host));
    CHECK(got[0] == 0 && got[3] == 0);
    OK(launch(&write_to, 1, 1, 0, nullptr, six, 6)); // does nothing
    OK(cudaMemcpy(values, six, sizeof values, to_host));
    CHECK(values[0] == 1 && values[5] == 6);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    int *buffer;
    OK(cudaMalloc(reinterpret_cast<void **>(&buffer), 256));
    configurations(buffer);
    tables();
    shared_memory(buffer);
    past_the_end(buffer);
    OK(launch(&say, 1, 32, 0, nullptr, 3));
    std::puts("launched"); // before what the kernel prints: that waits for a synchronisation
    std::fflush(stdout);
    OK(cudaDeviceSynchronize());
    if (std::strcmp(end, "assert") == 0) {
        OK(launch(&demand, 1, 32, 0, nullptr, 1));
        CHECK_CODE(cudaDeviceSynchronize(), 710);
        CHECK_CODE(cudaMemcpy(&argc, buffer, 4, to_host), 710); // for good
    } else if (std::strcmp(end, "address") == 0) {
        OK(launch(&write_to, 1, 1, 0, nullptr, buffer, 1 << 20));
        CHECK_CODE(cudaDeviceSynchronize(), 700);
        CHECK_CODE(cudaFree(buffer), 700);
    } else if (std::strcmp(end, "read") == 0) {
        OK(launch(&read_from, 1, 1, 0, nullptr, buffer, buffer, 1 << 18)); // past the page, too
        CHECK_CODE(cudaDeviceSynchronize(), 700);
    } else if (std::strcmp(end, "misaligned") == 0) {
        OK(launch(&write_to, 1, 1, 0, nullptr, reinterpret_cast<char *>(buffer) + 2, 0));
        CHECK_CODE(cudaDeviceSynchronize(), 716);
    } else {
        CHECK(cudaGetLastError() == 0);
    }
    std::puts("passed");
    return 0;
}
