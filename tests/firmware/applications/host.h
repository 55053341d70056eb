// SPDX-License-Identifier: Apache-2.0
// The host's half of an application for the CUDA runtime, for an ordinary compiler: the calls as
// programs see them, and those that nvcc puts into a program to tell the runtime of its kernels.
#ifndef SMRF_TESTS_APPLICATIONS_HOST_H
#define SMRF_TESTS_APPLICATIONS_HOST_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct cuda_extent {
    size_t width, height, depth;
};
struct cuda_position {
    size_t x, y, z;
};
struct cuda_pitched {
    void *at;
    size_t pitch, width, height;
};
struct cuda_copy3d {
    void *from_array;
    cuda_position from_position;
    cuda_pitched from;
    void *to_array;
    cuda_position to_position;
    cuda_pitched to;
    cuda_extent extent;
    int direction;
};
struct pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
};
struct function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared,
        carveout;
};

enum { host_to_host, to_device, to_host, device_to_device, any_direction };

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
int __cudaGetKernel(void **, const void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMallocFromPoolAsync(void **, size_t, void *, void *);
int cudaFreeAsync(void *, void *);
int cudaDeviceGetDefaultMemPool(void **, int);
int cudaDeviceGetMemPool(void **, int);
int cudaDeviceSetMemPool(int, void *);
int cudaMemPoolCreate(void **, const void *);
int cudaMemPoolDestroy(void *);
int cudaMemPoolSetAttribute(void *, int, void *);
int cudaMemPoolGetAttribute(void *, int, void *);
int cudaMemPoolTrimTo(void *, size_t);
int cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaFreeHost(void *);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostUnregister(void *);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaHostGetFlags(unsigned *, void *);
int cudaPointerGetAttributes(pointer_attributes *, const void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy3D(const cuda_copy3d *);
int cudaMalloc3D(cuda_pitched *, cuda_extent);
int cudaMemset(void *, int, size_t);
int cudaMemset2D(void *, size_t, int, size_t, size_t);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaMemGetInfo(size_t *, size_t *);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorString(int);
const char *cudaGetErrorName(int);
int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaDeviceGetAttribute(int *, int, int);
int cudaGetDeviceProperties(void *, int);
int cudaDeviceSetLimit(int, size_t);
int cudaFuncGetAttributes(function_attributes *, const void *);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaStreamCreate(void **);
int cudaStreamDestroy(void *);
int cudaStreamSynchronize(void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaEventCreate(void **);
int cudaEventDestroy(void *);
int cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaGraphCreate(void **, unsigned);
int cudaImportExternalMemory(void **, const void *);
int cudaGetExportTable(const void **, const unsigned char *);
int cudaGetDriverEntryPoint(const char *, void **, unsigned long long);
}

// Says what is wrong and ends the program.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#define CHECK_CODE(call, code)                                                                     \
    do {                                                                                           \
        const int got_ = (call);                                                                   \
        if (got_ != (code)) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s gives %d (%s), not %d\n", __FILE__, __LINE__, #call,   \
                         got_, cudaGetErrorString(got_), code);                                    \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK_CODE(call, 0)

// An image that the build has put into the program: symbols application_<name>.
struct image {
    struct {
        unsigned magic = 0x466243b1, version = 1;
        const void *data;
        void *unused = nullptr;
    } wrapper;
    void **handle;

    explicit image(const void *data)
    {
        wrapper.data = data;
        handle = __cudaRegisterFatBinary(&wrapper);
    }
    ~image()
    {
        __cudaUnregisterFatBinary(handle);
    }
    // host: any address of the program that stands for the kernel or the variable.
    void kernel(const void *host, const char *name) const
    {
        __cudaRegisterFunction(handle, static_cast<const char *>(host), const_cast<char *>(name),
                               name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    void variable(void *host, const char *name, size_t size, bool constant) const
    {
        __cudaRegisterVar(handle, static_cast<char *>(host), const_cast<char *>(name), name, 0,
                          size, constant, 0);
    }
    void managed(void **host, const char *name, size_t size) const
    {
        __cudaRegisterManagedVar(handle, host, const_cast<char *>(name), name, 0, size, 0, 0);
    }
    void end() const
    {
        __cudaRegisterFatBinaryEnd(handle);
    }
};

#define IMAGE(name) extern "C" const unsigned char application_##name[]

// kernel<<<grid, block, shared, stream>>>(arguments..) as nvcc translates it.
template <typename... Args>
int launch(const void *kernel, dim3 grid, dim3 block, size_t shared, void *stream, Args... args)
{
    dim3 g, b;
    size_t s;
    void *on;
    void *list[sizeof...(args) + 1] = {&args..., nullptr};
    if (__cudaPushCallConfiguration(grid, block, shared, stream) != 0 ||
        __cudaPopCallConfiguration(&g, &b, &s, &on) != 0) {
        return -1;
    }
    return cudaLaunchKernel(kernel, g, b, list, s, on);
}

#endif
