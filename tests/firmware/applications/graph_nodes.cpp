// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: what they have, what can be changed, memory of their own; hints of streams.
#include "graph_host.h"

#include <initializer_list>

IMAGE(streams);

extern "C" {
int cudaGraphAddEventRecordNode(void **, void *, void *const *, size_t, void *);
int cudaGraphAddEventWaitNode(void **, void *, void *const *, size_t, void *);
int cudaGraphAddMemAllocNode(void **, void *, void *const *, size_t, void *);
int cudaGraphAddMemFreeNode(void **, void *, void *const *, size_t, void *);
int cudaGraphNodeFindInClone(void **, void *, void *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned);
int cudaGraphNodeGetEnabled(void *, void *, unsigned *);
int cudaGraphExecChildGraphNodeSetParams(void *, void *, void *);
int cudaGraphHostNodeGetParams(void *, void *);
int cudaGraphMemsetNodeGetParams(void *, void *);
int cudaGraphMemcpyNodeGetParams(void *, cuda_copy3d *);
int cudaGraphMemcpyNodeSetParams(void *, const cuda_copy3d *);
int cudaGraphEventRecordNodeGetEvent(void *, void **);
int cudaGraphEventRecordNodeSetEvent(void *, void *);
int cudaGraphEventWaitNodeGetEvent(void *, void **);
int cudaGraphExecEventRecordNodeSetEvent(void *, void *, void *);
int cudaGraphMemAllocNodeGetParams(void *, void *);
int cudaGraphMemFreeNodeGetParams(void *, void **);
int cudaDeviceGetGraphMemAttribute(int, int, unsigned long long *);
int cudaDeviceSetGraphMemAttribute(int, int, unsigned long long *);
int cudaDeviceGraphMemTrim(int);
int cudaGraphKernelNodeGetAttribute(void *, int, void *);
int cudaGraphKernelNodeSetAttribute(void *, int, const void *);
int cudaGraphKernelNodeCopyAttributes(void *, void *);
int cudaStreamGetAttribute(void *, int, void *);
int cudaStreamSetAttribute(void *, int, const void *);
int cudaStreamCopyAttributes(void *, void *);
int cudaStreamCreateWithPriority(void **, unsigned, int);
}

struct alloc_params {
    int pool_type, pool_handles, place_type, place;
    unsigned char pool_rest[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};

static char append;
static int calls, *list, *used;

__attribute__((constructor)) static void register_all()
{
    static image m(application_streams);
    m.kernel(&append, "append");
    m.end();
}

static void on_host(void *)
{
    calls++;
}

static void *add_append(void *graph, int value, void *after)
{
    void *node, *args[] = {&list, &used, &value};
    kernel_params k = {&append, 1, 1, 0, args, nullptr};
    OK(cudaGraphAddKernelNode(&node, graph, &after, after != nullptr, &k));
    return node;
}

static void *executable(void *graph)
{
    void *exec;
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

// What was given to a node is what it has.
static void asked()
{
    void *graph, *clone, *fill, *call, *copy, *record, *wait, *first, *second, *found = nullptr;
    void *kernel;
    int got = -1;
    fill_params zero = {used, 4, 0, 4, 1, 1}, has = {};
    host_params h = {on_host, list}, is = {};
    cuda_copy3d c;
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&second));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    kernel = add_append(graph, 5, fill);
    OK(cudaGraphAddHostNode(&call, graph, &kernel, 1, &h));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &call, 1, &got, list, 4, to_host));
    OK(cudaGraphAddEventRecordNode(&record, graph, &copy, 1, first));
    OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, first));

    OK(cudaGraphMemsetNodeGetParams(fill, &has));
    CHECK(has.to == used && has.size == 4 && has.width == 1 && has.height == 1);
    CHECK_CODE(cudaGraphMemsetNodeGetParams(call, &has), 1);
    OK(cudaGraphHostNodeGetParams(call, &is));
    CHECK(is.function == on_host && is.data == list);
    OK(cudaGraphMemcpyNodeGetParams(copy, &c));
    CHECK(c.from.at == list && c.to.at == &got && c.extent.width == 4 && c.direction == to_host);
    OK(cudaGraphEventRecordNodeGetEvent(record, &found));
    CHECK(found == first);
    OK(cudaGraphEventRecordNodeSetEvent(record, second));
    OK(cudaGraphEventWaitNodeGetEvent(wait, &found));
    CHECK(found == first);
    CHECK_CODE(cudaGraphEventWaitNodeGetEvent(record, &found), 1);

    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, copy, clone));
    CHECK(found != copy);
    OK(cudaGraphMemcpyNodeGetParams(found, &c));
    CHECK(c.from.at == list);
    CHECK_CODE(cudaGraphNodeFindInClone(&found, copy, graph), 1);
    c.from.at = list + 1;
    list[1] = 77;
    OK(cudaGraphNodeFindInClone(&found, copy, clone));
    OK(cudaGraphMemcpyNodeSetParams(found, &c));
    void *exec = executable(graph), *other = executable(clone);
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(calls == 1 && got == 5);
    OK(cudaGraphLaunch(other, nullptr));
    CHECK(calls == 2 && got == 77);
    OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, first));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaEventQuery(first));
    CHECK_CODE(cudaGraphExecEventRecordNodeSetEvent(exec, wait, first), 1);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(other));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(graph));
}

// Nodes that are switched off; another graph in the place of one within.
static void changed()
{
    void *graph, *inner, *better, *longer, *child;
    unsigned enabled = 7;
    host_params h = {on_host, nullptr};
    void *call;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&inner, 0));
    OK(cudaGraphCreate(&better, 0));
    OK(cudaGraphCreate(&longer, 0));
    add_append(inner, 1, nullptr);
    add_append(better, 2, nullptr);
    add_append(longer, 3, add_append(longer, 3, nullptr));
    void *first = add_append(graph, 10, nullptr);
    OK(cudaGraphAddChildGraphNode(&child, graph, &first, 1, inner));
    OK(cudaGraphAddHostNode(&call, graph, &child, 1, &h));
    void *exec = executable(graph);
    OK(cudaGraphNodeGetEnabled(exec, first, &enabled));
    CHECK(enabled == 1);
    *used = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(*used == 2 && list[0] == 10 && list[1] == 1);
    OK(cudaGraphNodeSetEnabled(exec, first, 0));
    OK(cudaGraphNodeGetEnabled(exec, first, &enabled));
    CHECK(enabled == 0);
    OK(cudaGraphExecChildGraphNodeSetParams(exec, child, better));
    CHECK_CODE(cudaGraphExecChildGraphNodeSetParams(exec, child, longer), 1);
    CHECK_CODE(cudaGraphExecChildGraphNodeSetParams(exec, first, better), 1);
    *used = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(*used == 1 && list[0] == 2);
    OK(cudaGraphNodeSetEnabled(exec, first, 1));
    *used = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(*used == 2 && list[0] == 10 && list[1] == 2);
    CHECK_CODE(cudaGraphNodeSetEnabled(exec, call, 0), 1);
    OK(cudaGraphExecDestroy(exec));
    for (void *g : {graph, inner, better, longer}) {
        OK(cudaGraphDestroy(g));
    }
}

static unsigned long long graph_bytes(int attribute)
{
    unsigned long long bytes = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
}

// Memory that a node allocates is the graph's: freed by a node or by the program, and there again
// when the graph runs again.
static void memory()
{
    void *graph, *alloc, *fill, *release, *node, *address = nullptr, *stream, *kept;
    alloc_params p = {}, has = {};
    unsigned char bytes[256];
    unsigned long long zero = 0;
    p.pool_type = p.place_type = 1;
    p.bytes = 256;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &p));
    CHECK(p.address != nullptr && graph_bytes(0) == 0 && graph_bytes(2) == 256);
    fill_params f = {p.address, 256, 9, 1, 256, 1};
    OK(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &f));
    OK(cudaGraphMemAllocNodeGetParams(alloc, &has));
    CHECK(has.address == p.address && has.bytes == 256 && has.place_type == 1);
    p.bytes = 0;
    CHECK_CODE(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p), 1);
    void *exec = executable(graph);
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, nullptr));
        CHECK(graph_bytes(0) == 256);
        OK(cudaMemcpy(bytes, has.address, 256, to_host));
        CHECK(bytes[0] == 9 && bytes[255] == 9);
        OK(cudaFree(has.address));
        CHECK(graph_bytes(0) == 0);
    }
    CHECK_CODE(cudaFree(has.address), 1); // not allocated now
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphAddMemFreeNode(&release, graph, &fill, 1, has.address));
    OK(cudaGraphMemFreeNodeGetParams(release, &address));
    CHECK(address == has.address);
    exec = executable(graph);
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(graph_bytes(0) == 0 && graph_bytes(1) == 256);
    OK(cudaDeviceSetGraphMemAttribute(0, 1, &zero));
    CHECK(graph_bytes(1) == 0);
    CHECK_CODE(cudaDeviceSetGraphMemAttribute(0, 2, &zero), 1);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    OK(cudaStreamCreate(&stream)); // allocated by a capture, freed by the program
    OK(cudaStreamBeginCapture(stream, 0));
    CHECK(cudaMallocAsync(nullptr, 64, stream) == 1);
    OK(cudaMallocAsync(&kept, 64, stream));
    OK(cudaMemsetAsync(kept, 4, 64, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    exec = executable(graph);
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaMemcpy(bytes, kept, 64, to_host));
        CHECK(bytes[63] == 4);
        OK(cudaFreeAsync(kept, stream));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

struct window {
    void *base;
    size_t bytes;
    float ratio;
    int hit, miss;
};

// Hints change no result; what was set is told.
static void hints()
{
    void *a, *b, *graph;
    window w = {list, 64, 0.5F, 2, 1}, got = {};
    int number = 0, two = 2;
    OK(cudaStreamCreateWithPriority(&a, 0, -1));
    OK(cudaStreamCreate(&b));
    OK(cudaStreamSetAttribute(a, 1, &w));
    OK(cudaStreamSetAttribute(a, 3, &two));
    OK(cudaStreamGetAttribute(a, 1, &got));
    CHECK(got.base == list && got.bytes == 64 && got.hit == 2);
    OK(cudaStreamGetAttribute(b, 1, &got));
    CHECK(got.base == nullptr);
    OK(cudaStreamCopyAttributes(b, a));
    OK(cudaStreamGetAttribute(b, 3, &number));
    CHECK(number == 2);
    OK(cudaStreamGetAttribute(b, 8, &number));
    CHECK(number == 0);
    OK(cudaStreamGetAttribute(a, 8, &number));
    CHECK(number == -1);
    OK(cudaStreamSetAttribute(nullptr, 1, &w));
    CHECK_CODE(cudaStreamSetAttribute(&w, 1, &w), 400);
    CHECK_CODE(cudaStreamSetAttribute(a, 99, &w), 1);

    OK(cudaGraphCreate(&graph, 0));
    void *first = add_append(graph, 1, nullptr), *second = add_append(graph, 2, first);
    int one = 1;
    OK(cudaGraphKernelNodeSetAttribute(first, 1, &w));
    OK(cudaGraphKernelNodeSetAttribute(first, 2, &one));
    OK(cudaGraphKernelNodeCopyAttributes(second, first));
    OK(cudaGraphKernelNodeGetAttribute(second, 1, &got));
    OK(cudaGraphKernelNodeGetAttribute(second, 2, &number));
    CHECK(got.bytes == 64 && number == 1);
    void *exec = executable(graph);
    *used = 0;
    OK(cudaGraphLaunch(exec, a));
    CHECK(*used == 2 && list[1] == 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    cudaGetLastError();
}

int main()
{
    OK(cudaMallocManaged(reinterpret_cast<void **>(&list), 64, 1));
    OK(cudaMallocManaged(reinterpret_cast<void **>(&used), 4, 1));
    asked();
    changed();
    memory();
    cudaGetLastError();
    hints();
    CHECK(cudaGetLastError() == 0);
    std::puts("passed");
    return 0;
}
