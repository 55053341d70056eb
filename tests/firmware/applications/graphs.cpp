// SPDX-License-Identifier: Apache-2.0
// Graphs: recorded by streams and put together by hand, launched more than once, changed, refused.
// Compiled for each form that the runtime's calls have had: CUDART is 11, 12 or 13.
#include "graph_host.h"

#include <initializer_list>

IMAGE(streams);

struct edge {
    unsigned char bytes[8];
};
#if CUDART >= 13
#define EDGES edge *,
#define NO_EDGES nullptr,
#else
#define EDGES
#define NO_EDGES
#endif

extern "C" {
int cudaStreamIsCapturing(void *, int *);
#if CUDART >= 13
int cudaStreamGetCaptureInfo(void *, int *, unsigned long long *, void **, void **, const edge **,
                             size_t *);
#else
int cudaStreamGetCaptureInfo(void *, int *, unsigned long long *);
#endif
int cudaStreamQuery(void *);
#if CUDART >= 12
int cudaGraphInstantiate(void **, void *, unsigned long long);
#else
int cudaGraphInstantiate(void **, void *, void **, char *, size_t);
#endif
int cudaGraphUpload(void *, void *);
int cudaGraphGetNodes(void *, void **, size_t *);
int cudaGraphGetRootNodes(void *, void **, size_t *);
int cudaGraphGetEdges(void *, void **, void **, EDGES size_t *);
int cudaGraphNodeGetType(void *, int *);
int cudaGraphNodeGetDependencies(void *, void **, EDGES size_t *);
int cudaGraphNodeGetDependentNodes(void *, void **, EDGES size_t *);
int cudaGraphDestroyNode(void *);
int cudaGraphAddDependencies(void *, void *const *, void *const *, EDGES size_t);
int cudaGraphRemoveDependencies(void *, void *const *, void *const *, EDGES size_t);
int cudaGraphAddEmptyNode(void **, void *, void *const *, size_t);
int cudaGraphKernelNodeGetParams(void *, void *);
int cudaGraphKernelNodeSetParams(void *, const void *);
int cudaGraphExecKernelNodeSetParams(void *, void *, const void *);
#if CUDART >= 12
int cudaGraphExecUpdate(void *, void *, void *);
#else
int cudaGraphExecUpdate(void *, void *, void **, int *);
#endif
#if CUDART == 12
int cudaGraphGetEdges_v2(void *, void **, void **, edge *, size_t *);
int cudaGraphAddDependencies_v2(void *, void *const *, void *const *, const edge *, size_t);
int cudaStreamGetCaptureInfo_v3(void *, int *, unsigned long long *, void **, void **,
                                const edge **, size_t *);
#define cudaGraphGetEdgesAndData cudaGraphGetEdges_v2
#define cudaGraphAddEdgesAndData cudaGraphAddDependencies_v2
#define cudaStreamGetCaptureAndData cudaStreamGetCaptureInfo_v3
#else
#define cudaGraphGetEdgesAndData cudaGraphGetEdges
#define cudaGraphAddEdgesAndData cudaGraphAddDependencies
#define cudaStreamGetCaptureAndData cudaStreamGetCaptureInfo
#endif
}

static int instantiate(void **exec, void *graph)
{
#if CUDART >= 12
    return cudaGraphInstantiate(exec, graph, 0);
#else
    return cudaGraphInstantiate(exec, graph, nullptr, nullptr, 0);
#endif
}

static int update(void *exec, void *graph, int *result)
{
#if CUDART >= 12
    struct {
        int result;
        void *node, *from;
    } info = {-1, &info, &info};
    const int rc = cudaGraphExecUpdate(exec, graph, &info);
    *result = info.result;
    return info.from == nullptr ? rc : -1;
#else
    return cudaGraphExecUpdate(exec, graph, nullptr, result);
#endif
}

static int capture_info(void *stream, int *status, unsigned long long *id)
{
#if CUDART >= 13
    return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
#else
    return cudaStreamGetCaptureInfo(stream, status, id);
#endif
}

enum { kernel_node, copy_node, fill_node, host_node, graph_node, empty_node };

static char append;
static int calls, *list, *used;
static void *a, *b;

__attribute__((constructor)) static void register_all()
{
    static image m(application_streams);
    m.kernel(&append, "append");
    m.end();
}

static void on_host(void *at)
{
    calls++;
    *static_cast<int *>(at) += 100; // what the kernels before have written
}

static bool holds(std::initializer_list<int> values)
{
    int i = 0;
    for (int v : values) {
        if (list[i++] != v) {
            return false;
        }
    }
    return *used == i;
}

static int append_on(void *stream, int value)
{
    return launch(&append, 1, 1, 0, stream, list, used, value);
}

static int node_type(void *node)
{
    int type = -1;
    OK(cudaGraphNodeGetType(node, &type));
    return type;
}

// A stream records, another joins it and comes back; nothing is done before the launches.
static void captured()
{
    void *graph, *exec, *fork, *join, *nodes[8], *from[8], *to[8];
    int status, copy = -1;
    unsigned long long id = 0;
    size_t num = 8;
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    *used = 0;
    OK(cudaStreamBeginCapture(a, 0));
    OK(capture_info(a, &status, &id));
    CHECK(status == 1 && id != 0);
    OK(append_on(a, 1));
    OK(cudaEventRecord(fork, a));
    CHECK_CODE(cudaEventQuery(fork), 907);
    CHECK(cudaGetLastError() == 907);
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(cudaStreamIsCapturing(b, &status));
    CHECK(status == 1);
    OK(append_on(b, 2));
    OK(cudaLaunchHostFunc(b, on_host, list));
    OK(cudaEventRecord(join, b));
    OK(append_on(a, 3));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(cudaMemcpyAsync(&copy, used, 4, to_host, a));
    OK(cudaMemsetAsync(used, 0, 4, a));
    CHECK_CODE(cudaStreamEndCapture(b, &graph), 903); // it began in the other
    OK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGetLastError() == 903);
    OK(cudaStreamIsCapturing(b, &status));
    CHECK(status == 0 && *used == 0 && calls == 0 && copy == -1);

    OK(cudaGraphGetNodes(graph, nodes, &num));
    CHECK(num == 6 && nodes[6] == nullptr);
    CHECK(node_type(nodes[0]) == kernel_node && node_type(nodes[2]) == host_node &&
          node_type(nodes[4]) == copy_node && node_type(nodes[5]) == fill_node);
    num = 8;
    OK(cudaGraphGetEdges(graph, from, to,
                         NO_EDGES & num)); // 1-2, 2-host, 1-3, host-copy, 3-copy, copy-fill
    CHECK(num == 6);
    num = 8;
    OK(cudaGraphNodeGetDependencies(nodes[4], from, NO_EDGES & num));
    CHECK(num == 2 && from[0] == nodes[2] && from[1] == nodes[3]);
    num = 8;
    OK(cudaGraphNodeGetDependentNodes(nodes[0], to, NO_EDGES & num));
    CHECK(num == 2 && to[0] == nodes[1] && to[1] == nodes[3]);
    num = 0;
    OK(cudaGraphGetRootNodes(graph, nullptr, &num));
    CHECK(num == 1);

    OK(instantiate(&exec, graph));
    OK(cudaGraphDestroy(graph)); // the executable graph has what it needs
    OK(cudaGraphUpload(exec, a));
    for (int i = 1; i <= 2; i++) {
        OK(cudaGraphLaunch(exec, a));
        OK(cudaStreamSynchronize(a));
        CHECK(calls == i && copy == 3 && *used == 0);
        CHECK(list[0] == 101 && list[1] == 2 && list[2] == 3);
    }
    OK(cudaGraphExecDestroy(exec));
    CHECK_CODE(cudaGraphLaunch(exec, a), 1);
    CHECK_CODE(cudaGraphDestroy(graph), 1);
    CHECK(cudaGetLastError() == 1);
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
}

// Nodes added in another order than they run in; arguments are copied when a node is added.
static void by_hand()
{
    void *graph, *exec, *first, *second, *copy, *fill, *call, *none, *child, *outer, *clone;
    int value = 7, result = -1, got = -1, *l = list, *u = used;
    void *args[] = {&l, &u, &value};
    kernel_params k = {&append, 1, 1, 0, args, nullptr}, is = {};
    fill_params zero = {used, 4, 0, 4, 1, 1};
    host_params h = {on_host, list};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &k));
    value = 8;
    OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &k));
    value = 9;
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    OK(cudaGraphAddEmptyNode(&none, graph, &second, 1));
    OK(cudaGraphAddHostNode(&call, graph, &none, 1, &h));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &call, 1, &got, list, 4, to_host));
    void *from[] = {fill, first}, *to[] = {first, second};
    OK(cudaGraphAddDependencies(graph, from, to, NO_EDGES 2));
    CHECK_CODE(cudaGraphAddDependencies(graph, from, to, NO_EDGES 1), 1); // there already
    OK(cudaGraphKernelNodeGetParams(first, &is));
    CHECK(is.function == &append && is.grid.x == 1 && *static_cast<int *>(is.args[2]) == 8);
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    calls = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(calls == 1 && got == 108 && *used == 2 && list[0] == 108 && list[1] == 7);

    OK(cudaGraphExecKernelNodeSetParams(exec, second, &k));
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(list[0] == 108 && list[1] == 9);
    CHECK_CODE(cudaGraphExecKernelNodeSetParams(exec, call, &k), 1);
    value = 10;
    OK(cudaGraphKernelNodeSetParams(first, &k));
    OK(update(exec, graph, &result));
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(result == 0 && list[0] == 110 && list[1] == 7);

    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphDestroyNode(copy));
    CHECK_CODE(update(exec, graph, &result), 910);
    CHECK(result == 2); // the form has changed
    OK(update(exec, clone, &result));
    void *back[] = {second}, *circle[] = {first};
    OK(cudaGraphAddDependencies(clone, nullptr, nullptr, NO_EDGES 0));
    OK(cudaGraphAddDependencies(graph, back, circle, NO_EDGES 1));
    CHECK_CODE(cudaGraphInstantiateWithFlags(&none, graph, 0), 1); // a circle
    OK(cudaGraphRemoveDependencies(graph, back, circle, NO_EDGES 1));

    // A graph in a graph, as it was when it was added.
    *used = 0;
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
    CHECK(node_type(child) == graph_node);
    value = 11;
    OK(cudaGraphAddKernelNode(&first, outer, &child, 1, &k));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiateWithFlags(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, a));
    CHECK(holds({110, 7, 11}));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(outer));
    OK(cudaGraphDestroy(clone));
}

#if CUDART >= 12
// Edges have data, all zeros but for those between parts of kernels, which there are none of.
static void edges()
{
    void *graph, *nodes[3], *from[4] = {}, *to[4] = {}, *last = nullptr;
    edge data[4];
    const edge *waits = data;
    size_t num = 4;
    int status;
    unsigned long long id;
    OK(cudaGraphCreate(&graph, 0));
    for (void *&node : nodes) {
        OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    }
    std::memset(data, 0, sizeof data);
    OK(cudaGraphAddEdgesAndData(graph, nodes, nodes + 1, data, 1));
    data[1].bytes[2] = 1;
    CHECK_CODE(cudaGraphAddEdgesAndData(graph, nodes + 1, nodes + 2, data + 1, 1), 801);
    CHECK(cudaGetLastError() == 801);
    OK(cudaGraphAddEdgesAndData(graph, nodes + 1, nodes + 2, nullptr, 1));
    std::memset(data, 0xff, sizeof data);
    OK(cudaGraphGetEdgesAndData(graph, from, to, data, &num));
    CHECK(num == 2 && from[0] == nodes[0] && to[1] == nodes[2]);
    CHECK(data[0].bytes[2] == 0 && data[1].bytes[7] == 0 && data[2].bytes[0] == 0xff);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamBeginCapture(a, 0));
    OK(append_on(a, 1));
    OK(cudaStreamGetCaptureAndData(a, &status, &id, &graph, &last, &waits, &num));
    CHECK(status == 1 && num == 1 && waits == nullptr);
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphDestroy(graph));
}
#endif

// What a capture does not allow, with the runtime's errors.
static void refused()
{
    void *graph = &graph, *event, *other, *memory = nullptr;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, a));
    CHECK_CODE(cudaStreamBeginCapture(nullptr, 0), 900);
    OK(cudaStreamBeginCapture(a, 2));
    CHECK_CODE(cudaStreamBeginCapture(a, 2), 1);
    CHECK_CODE(cudaStreamWaitEvent(a, event, 0), 905); // recorded before
    CHECK_CODE(cudaStreamQuery(a), 900);
    CHECK_CODE(append_on(a, 1), 901);
    CHECK_CODE(cudaStreamEndCapture(a, &graph), 901);
    CHECK(graph == nullptr);
    CHECK_CODE(cudaStreamEndCapture(a, &graph), 1);

    OK(cudaStreamBeginCapture(a, 1)); // the other stream does not come back
    OK(append_on(a, 1));
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    OK(append_on(b, 1));
    CHECK_CODE(cudaStreamEndCapture(a, &graph), 904);

    OK(cudaStreamBeginCapture(a, 1)); // two captures
    OK(cudaStreamBeginCapture(b, 1));
    OK(cudaEventRecord(event, a));
    CHECK_CODE(cudaStreamWaitEvent(b, event, 0), 902);
    CHECK_CODE(cudaStreamEndCapture(a, &graph), 901);
    CHECK_CODE(cudaStreamEndCapture(b, &graph), 901);

    OK(cudaStreamBeginCapture(a, 1)); // memory of a graph
    OK(cudaMallocAsync(&memory, 64, a));
    OK(cudaMemsetAsync(memory, 3, 64, a));
    OK(cudaFreeAsync(memory, a));
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphInstantiateWithFlags(&other, graph, 0));
    OK(cudaGraphLaunch(other, a));
    OK(cudaGraphLaunch(other, a));
    unsigned char bytes[64];
    OK(cudaMemcpy(bytes, memory, 64, to_host));
    CHECK(bytes[0] == 3 && bytes[63] == 3);
    OK(cudaGraphExecDestroy(other));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    cudaGetLastError();
}

int main()
{
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaMallocManaged(reinterpret_cast<void **>(&list), 64, 1));
    OK(cudaMallocManaged(reinterpret_cast<void **>(&used), 4, 1));
    captured();
    by_hand();
#if CUDART >= 12
    edges();
#endif
    refused();
    CHECK(cudaGetLastError() == 0);
    std::puts("passed");
    return 0;
}
