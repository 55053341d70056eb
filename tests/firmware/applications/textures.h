// SPDX-License-Identifier: Apache-2.0
// What the applications of textures and surfaces share: the runtime's types and calls, as programs
// see them, and data.
#ifndef SMRF_TESTS_APPLICATIONS_TEXTURES_H
#define SMRF_TESTS_APPLICATIONS_TEXTURES_H

#include "host.h"

#include <vector>

#ifndef TEXTURES_IMAGE
#define TEXTURES_IMAGE textures
#endif
#define TEXTURES_IMAGE_OF(name) IMAGE(name)
TEXTURES_IMAGE_OF(TEXTURES_IMAGE);

struct channels {
    int x, y, z, w, kind;
};
enum { of_int, of_unsigned, of_float };
enum { wrap, clamp, mirror, border };
enum { from_array, from_mipmaps, from_linear, from_pitch };

struct resource {
    int type;
    union {
        void *array;
        struct {
            void *at;
            channels format;
            size_t width, height, pitch;
        } memory;
        int reserved[32];
    };
};
struct sampler {
    int mode[3], filter, read, srgb;
    float edge[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float level[3];
    int rest[2];
};
struct reference {
    int normalized, filter, mode[3];
    channels format;
    int rest[32];
};

extern "C" {
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);
channels cudaCreateChannelDesc(int, int, int, int, int);
int cudaMallocArray(void **, const channels *, size_t, size_t, unsigned);
int cudaMalloc3DArray(void **, const channels *, cuda_extent, unsigned);
int cudaFreeArray(void *);
int cudaArrayGetInfo(channels *, cuda_extent *, unsigned *, void *);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaCreateTextureObject(unsigned long long *, const resource *, const sampler *, const void *);
int cudaDestroyTextureObject(unsigned long long);
int cudaGetTextureObjectResourceDesc(resource *, unsigned long long);
int cudaCreateSurfaceObject(unsigned long long *, const resource *);
int cudaDestroySurfaceObject(unsigned long long);
int cudaBindTexture(size_t *, const reference *, const void *, const channels *, size_t);
int cudaBindTextureToArray(const reference *, const void *, const channels *);
int cudaBindSurfaceToArray(const void *, const void *, const channels *);
int cudaUnbindTexture(const reference *);
}

static const int n = 64, width = 7, height = 5, depth = 3;

template <typename T> T *upload(const std::vector<T> &v)
{
    T *at;
    OK(cudaMalloc(reinterpret_cast<void **>(&at), v.size() * sizeof(T)));
    OK(cudaMemcpy(at, v.data(), v.size() * sizeof(T), to_device));
    return at;
}

template <typename T> std::vector<T> download(const T *at, size_t count)
{
    std::vector<T> v(count);
    OK(cudaMemcpy(v.data(), at, count * sizeof(T), to_host));
    return v;
}

inline float texel(int x, int y, int z)
{
    return static_cast<float>(3 * x * x - 5 * y + 11 * z * x + 2);
}

// The texel that stands for number i of n under an address mode; -1: the border.
inline int stand_in(int i, int of, int mode)
{
    switch (mode) {
    case wrap:
        return (i % of + of) % of;
    case mirror:
        i = (i % (2 * of) + 2 * of) % (2 * of);
        return i < of ? i : 2 * of - 1 - i;
    case clamp:
        return i < 0 ? 0 : i < of ? i : of - 1;
    default:
        return i >= 0 && i < of ? i : -1;
    }
}

static const channels floats = {32, 0, 0, 0, of_float};

inline std::vector<float> texels()
{
    std::vector<float> v;
    for (int i = 0; i < width * height * depth; i++) {
        v.push_back(texel(i % width, i / width % height, i / (width * height)));
    }
    return v;
}

inline void *filled(cuda_extent e, unsigned flags, const std::vector<float> &from)
{
    void *array;
    OK(cudaMalloc3DArray(&array, &floats, e, flags));
    cuda_copy3d c = {};
    c.from = {const_cast<float *>(from.data()), e.width * 4, e.width, e.height ? e.height : 1};
    c.to_array = array;
    c.extent = {e.width, e.height ? e.height : 1, e.depth ? e.depth : 1};
    c.direction = to_device;
    OK(cudaMemcpy3D(&c));
    return array;
}

#endif
