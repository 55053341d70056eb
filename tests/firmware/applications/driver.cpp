// SPDX-License-Identifier: Apache-2.0
// The driver's own calls, without a runtime: a module, launches, graphs recorded and put together.
#include "driver_host.h"

IMAGE(streams);

extern "C" {
int cuDeviceGet(int *, int);
int cuMemFree_v2(uint64_t);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);
int cuStreamBeginCapture_v2(void *, int);
int cuStreamEndCapture(void *, void **);
int cuStreamGetCaptureInfo_v3(void *, int *, unsigned long long *, void **, void **, void **,
                              size_t *);
int cuGraphCreate(void **, unsigned);
int cuGraphDestroy(void *);
int cuGraphAddKernelNode_v2(void **, void *, void *const *, size_t, const void *);
int cuGraphAddMemcpyNode(void **, void *, void *const *, size_t, const void *, void *);
int cuGraphAddMemsetNode(void **, void *, void *const *, size_t, const void *, void *);
int cuGraphAddHostNode(void **, void *, void *const *, size_t, const void *);
int cuGraphGetEdges(void *, void **, void **, size_t *);
int cuGraphGetEdges_v2(void *, void **, void **, void *, size_t *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cuGraphLaunch(void *, void *);
int cuGraphExecKernelNodeSetParams_v2(void *, void *, const void *);
int cuGraphExecUpdate(void *, void *, void **, int *);
int cuGraphExecUpdate_v2(void *, void *, void *);
int cuGraphExecDestroy(void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
int cuOccupancyMaxPotentialBlockSize(int *, int *, void *, size_t (*)(int), size_t, int);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *, void *, int, int);
int cuDeviceGetAttribute(int *, int, int);
int cuDeviceGetByPCIBusId(int *, const char *);
int cuDeviceGetPCIBusId(char *, int, int);
int cuDeviceCanAccessPeer(int *, int, int);
int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxDetach(void *);
int cuCtxEnablePeerAccess(void *, unsigned);
int cuMemcpyPeer(uint64_t, void *, uint64_t, void *, size_t);
int cuPointerSetAttribute(const void *, int, uint64_t);
}

struct kernel_params {
    void *kernel;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
};
struct fill_params {
    uint64_t to;
    size_t pitch;
    unsigned value, size;
    size_t width, height;
};
struct host_params {
    void (*function)(void *);
    void *data;
};
struct side {
    size_t x, y, z, level;
    int type; // 1: host, 2: device
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_params {
    side from, to;
    size_t width, height, depth;
};

static uint64_t list_at, used_at;
static int *list, *used, value, calls;
static void *kernel, *stream;
static void *args[] = {&list_at, &used_at, &value};

static void on_host(void *)
{
    calls++;
}

static int append(int what, void *on)
{
    value = what;
    return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, on, args, nullptr);
}

static void captured()
{
    void *graph, *exec, *last = nullptr, *data = &graph;
    int status = -1;
    unsigned long long id = 0;
    size_t num = 0;
    *used = 0;
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(append(1, stream));
    OK(append(2, stream));
    OK(cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &last, &data, &num));
    CHECK(status == 1 && num == 1 && data == nullptr);
    CHECK_CODE(cuStreamSynchronize(stream), 900);
    CHECK_CODE(cuStreamEndCapture(stream, &graph), 901);
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(append(1, stream));
    OK(append(2, stream));
    OK(cuStreamEndCapture(stream, &graph));
    CHECK(*used == 0);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(*used == 2 && list[0] == 1 && list[1] == 2);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    CHECK_CODE(cuGraphLaunch(exec, stream), 1);
}

static void by_hand()
{
    void *graph, *other, *exec, *fill, *add, *copy, *call, *node, *from[4], *to[4];
    int got = -1, result = -1;
    kernel_params k = {kernel, {1, 1, 1}, {1, 1, 1}, 0, args, nullptr};
    const fill_params zero = {used_at, 4, 0, 4, 1, 1};
    const host_params host = {on_host, nullptr};
    copy_params back = {};
    back.from.type = 2;
    back.from.device = list_at;
    back.to.type = 1;
    back.to.host = &got;
    back.width = 4;
    back.height = back.depth = 1;
    value = 7;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero, nullptr));
    OK(cuGraphAddKernelNode_v2(&add, graph, &fill, 1, &k));
    OK(cuGraphAddMemcpyNode(&copy, graph, &add, 1, &back, nullptr));
    OK(cuGraphAddHostNode(&call, graph, &copy, 1, &host));
    CHECK_CODE(cuGraphAddKernelNode_v2(&node, graph, &fill, 1, nullptr), 1);
    size_t num = 4;
    OK(cuGraphGetEdges(graph, from, to, &num));
    CHECK(num == 3 && from[0] == fill && to[2] == call);
    unsigned char data[3][8];
    std::memset(data, 0xff, sizeof data);
    num = 2;
    OK(cuGraphGetEdges_v2(graph, from, to, data, &num));
    CHECK(num == 2 && data[1][7] == 0 && data[2][0] == 0xff);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, nullptr));
    CHECK(got == 7 && calls == 1 && *used == 1);
    value = 8;
    OK(cuGraphExecKernelNodeSetParams_v2(exec, add, &k));
    OK(cuGraphLaunch(exec, nullptr));
    CHECK(got == 8 && calls == 2);
    OK(cuGraphExecUpdate(exec, graph, nullptr, nullptr)); // as the graph still is
    OK(cuGraphLaunch(exec, nullptr));
    CHECK(got == 7 && calls == 3);
    OK(cuGraphCreate(&other, 0));
    CHECK_CODE(cuGraphExecUpdate(exec, other, &node, &result), 910);
    CHECK(result == 2 && node == nullptr); // another form
    CHECK_CODE(cuGraphExecUpdate_v2(exec, other, nullptr), 910);
    OK(cuGraphDestroy(other));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static size_t four_a_thread(int threads)
{
    return 4u * static_cast<size_t>(threads);
}

static void occupancy()
{
    int grid, block, blocks, sms, most;
    size_t shared;
    OK(cuDeviceGetAttribute(&sms, 16, 0));
    OK(cuDeviceGetAttribute(&most, 39, 0));
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, nullptr, 0, 0));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
    CHECK(block * blocks == most && grid == blocks * sms && block == 1024);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, nullptr, 0, 500));
    CHECK(block <= 500 && block % 32 == 0);
    // With 40,000 bytes each an SM holds one block or a few: the largest block is best.
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, nullptr, 40000, 200));
    CHECK(block == 200);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, four_a_thread, 0, 256));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, four_a_thread(block)));
    CHECK(block == 256 && grid == blocks * sms);
    CHECK_CODE(cuOccupancyMaxPotentialBlockSize(&grid, nullptr, kernel, nullptr, 0, 0), 1);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 2, 64));
    CHECK(shared >= 31 * 1024);
}

static void devices(void *context)
{
    char bus[32];
    int device = 7;
    void *other;
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cuDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 0);
    CHECK_CODE(cuDeviceGetByPCIBusId(&device, "0000:7f:00.0"), 101);
    CHECK_CODE(cuDeviceCanAccessPeer(&device, 0, 1), 101);
    OK(cuCtxCreate_v2(&other, 0, 0));
    CHECK_CODE(cuCtxEnablePeerAccess(other, 0), 201);
    CHECK_CODE(cuCtxEnablePeerAccess(context, 0), 217);
    list[3] = 33;
    OK(cuMemcpyPeer(list_at, context, list_at + 12, other, 4));
    CHECK(list[0] == 33);
    OK(cuCtxDetach(other));
    const unsigned yes = 1;
    OK(cuPointerSetAttribute(&yes, 6, list_at));
    CHECK_CODE(cuPointerSetAttribute(&yes, 6, 64), 1);
}

int main()
{
    void *context, *module;
    int device;
    CHECK_CODE(cuDeviceGet(&device, 0), 3);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    CHECK_CODE(cuModuleLoadData(&module, application_streams), 201);
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, application_streams));
    OK(cuModuleGetFunction(&kernel, module, "append"));
    CHECK_CODE(cuModuleGetFunction(&context, module, "prepend"), 500);
    OK(cuMemAllocManaged(&list_at, 64, 1));
    OK(cuMemAllocManaged(&used_at, 4, 1));
    list = reinterpret_cast<int *>(list_at);
    used = reinterpret_cast<int *>(used_at);
    OK(cuStreamCreate(&stream, 0));
    *used = 0;
    OK(append(5, nullptr));
    OK(append(6, stream));
    CHECK(*used == 2 && list[0] == 5 && list[1] == 6);
    captured();
    by_hand();
    occupancy();
    OK(cuDevicePrimaryCtxRetain(&context, device));
    devices(context);
    OK(cuStreamDestroy_v2(stream));
    OK(cuMemFree_v2(list_at));
    OK(cuMemFree_v2(used_at));
    OK(cuModuleUnload(module));
    std::puts("passed");
    return 0;
}
