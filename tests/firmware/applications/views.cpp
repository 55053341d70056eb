// SPDX-License-Identifier: Apache-2.0
// Views of arrays and mipmaps as textures, and copies from array to array.
#include "textures.h"

struct view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
};
enum { as_it_is = 0, signed_32 = 16, float_32 = 22, two_floats = 23, blocks = 25 };

extern "C" {
int cudaGetTextureObjectResourceViewDesc(view *, unsigned long long);
int cudaMallocMipmappedArray(void **, const channels *, cuda_extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(void **, void *, unsigned);
int cudaFreeMipmappedArray(void *);
int cudaMemcpyArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
}

static char k_plane, k_layers, k_whole;
static float *out, *x, *y;
static std::vector<float> at_x, at_y;

static int create(unsigned long long *t, int type, void *array, const view *v,
                  bool normalized = false)
{
    resource r = {};
    r.type = type;
    r.array = array;
    r.memory.format = floats; // of linear memory
    r.memory.width = 64;
    sampler s = {};
    s.mode[0] = s.mode[1] = s.mode[2] = clamp;
    s.normalized = normalized;
    return cudaCreateTextureObject(t, &r, &s, v);
}

// Texels as bits: floats in an array of integers, and integers in one of bytes.
static void check_formats()
{
    const channels whole = {32, 0, 0, 0, of_unsigned}, bytes = {8, 8, 8, 8, of_unsigned};
    std::vector<float> v;
    for (int i = 0; i < 64; i++) {
        v.push_back(1.5f * static_cast<float>(i) - 3);
    }
    void *array, *colours;
    unsigned long long t;
    OK(cudaMallocArray(&array, &whole, 8, 8, 0));
    OK(cudaMemcpyToArray(array, 0, 0, v.data(), 256, to_device));
    const view floats_of = {float_32, 8, 8, 0, 0, 0, 0, 0};
    OK(create(&t, from_array, array, &floats_of));
    OK(launch(&k_plane, 1, n, 0, nullptr, out, t, x, y));
    std::vector<float> got = download(out, n);
    for (int i = 0; i < n; i++) {
        CHECK(got[i] == v[i]);
    }
    view told;
    OK(cudaGetTextureObjectResourceViewDesc(&told, t));
    CHECK(std::memcmp(&told, &floats_of, sizeof told) == 0);
    OK(cudaDestroyTextureObject(t));

    OK(cudaMallocArray(&colours, &bytes, 8, 8, 0));
    OK(cudaMemcpyToArray(colours, 0, 0, v.data(), 256, to_device));
    const view numbers_of = {signed_32, 8, 8, 0, 0, 0, 0, 0};
    OK(create(&t, from_array, colours, &numbers_of));
    OK(launch(&k_whole, 1, n, 0, nullptr, out, t, x, y));
    got = download(out, 4 * n);
    for (int i = 0; i < n; i++) {
        CHECK(got[4 * i] == v[i]); // the bits
    }
    OK(cudaDestroyTextureObject(t));

    for (const view &wrong :
         {view{float_32, 7, 8, 0, 0, 0, 0, 0}, view{float_32, 8, 9, 0, 0, 0, 0, 0},
          view{two_floats, 8, 8, 0, 0, 0, 0, 0}, view{-1, 8, 8, 0, 0, 0, 0, 0},
          view{as_it_is, 8, 8, 0, 0, 1, 0, 0}, view{as_it_is, 8, 8, 0, 0, 0, 0, 1},
          view{as_it_is, 8, 8, 0, 0, 0, 1, 0}}) {
        CHECK_CODE(create(&t, from_array, array, &wrong), 1);
    }
    const view compressed = {blocks, 32, 32, 0, 0, 0, 0, 0};
    CHECK_CODE(create(&t, from_array, array, &compressed), 801);
    CHECK_CODE(create(&t, from_linear, out, &floats_of), 1); // memory has no view
    OK(create(&t, from_array, array, nullptr));
    CHECK_CODE(cudaGetTextureObjectResourceViewDesc(&told, t), 1);

    // A run of bytes over the ends of rows of 8 and of 5 texels.
    void *narrow;
    std::vector<float> back(60, -1);
    OK(cudaMallocArray(&narrow, &whole, 5, 12, 0));
    OK(cudaMemcpyToArray(narrow, 0, 0, back.data(), 240, to_device));
    OK(cudaMemcpyArrayToArray(narrow, 8, 1, array, 12, 2, 120, device_to_device));
    OK(cudaMemcpy2DFromArray(back.data(), 20, narrow, 0, 0, 20, 12, to_host));
    for (int i = 0; i < 60; i++) {
        const int k = i - 7;
        CHECK(back[i] == (k >= 0 && k < 30 ? v[static_cast<size_t>(19 + k)] : -1));
    }
    CHECK_CODE(cudaMemcpyArrayToArray(narrow, 8, 11, array, 0, 0, 13, device_to_device), 1);
    CHECK_CODE(cudaMemcpyArrayToArray(narrow, 0, 0, array, 0, 7, 33, device_to_device), 1);
    CHECK_CODE(cudaMemcpyArrayToArray(out, 0, 0, array, 0, 0, 4, device_to_device), 400);
    OK(cudaFreeArray(narrow));
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(colours));
}

// Three layers of five, with the layers and rows that the array has.
static void check_layers()
{
    std::vector<float> v;
    for (int i = 0; i < 8 * 8 * 5; i++) {
        v.push_back(static_cast<float>(i));
    }
    void *array = filled({8, 8, 5}, 1, v);
    unsigned long long t;
    const view middle = {as_it_is, 8, 8, 5, 0, 0, 1, 3};
    OK(create(&t, from_array, array, &middle));
    OK(launch(&k_layers, 1, n, 0, nullptr, out, t, x, y));
    const std::vector<float> got = download(out, n);
    for (int i = 0; i < n; i++) {
        CHECK(got[i] == v[static_cast<size_t>(64 * (1 + i % 3) + i)]);
    }
    const view behind = {as_it_is, 8, 8, 5, 0, 0, 3, 5};
    CHECK_CODE(create(&t, from_array, array, &behind), 1);
    OK(cudaFreeArray(array));
}

// A level of a mipmap, and a layer of it.
static void check_levels(bool layered)
{
    void *mipmap, *level;
    OK(cudaMallocMipmappedArray(&mipmap, &floats, {16, 16, layered ? 4ul : 0ul}, 3,
                                layered ? 1 : 0));
    for (unsigned k = 0; k < 3; k++) {
        std::vector<float> v;
        const size_t side = 16 >> k;
        for (size_t i = 0; i < side * side * (layered ? 4 : 1); i++) {
            v.push_back(static_cast<float>(1000 * k + i));
        }
        OK(cudaGetMipmappedArrayLevel(&level, mipmap, k));
        cuda_copy3d c = {};
        c.from = {v.data(), side * 4, side, side};
        c.to_array = level;
        c.extent = {side, side, layered ? 4ul : 1ul};
        c.direction = to_device;
        OK(cudaMemcpy3D(&c));
    }
    std::vector<float> u, w;
    for (int i = 0; i < n; i++) { // middles of the texels of an 8 by 8 level
        u.push_back((at_x[i]) / 8);
        w.push_back((at_y[i]) / 8);
    }
    unsigned long long t;
    const view second = {as_it_is, 16, 16, layered ? 4ul : 0ul, 1, 2, 0, layered ? 3u : 0u};
    OK(create(&t, from_mipmaps, mipmap, &second, true));
    OK(launch(layered ? &k_layers : &k_plane, 1, n, 0, nullptr, out, t, upload(u), upload(w)));
    std::vector<float> got = download(out, n);
    for (int i = 0; i < n; i++) {
        CHECK(got[i] == static_cast<float>(1000 + (layered ? 64 * (i % 3) : 0) + i));
    }
    const view part = {as_it_is, 16, 16, 4, 1, 2, 1, 3};
    if (layered) {
        OK(create(&t, from_mipmaps, mipmap, &part, true));
        OK(launch(&k_layers, 1, n, 0, nullptr, out, t, upload(u), upload(w)));
        got = download(out, n);
        for (int i = 0; i < n; i++) {
            CHECK(got[i] == static_cast<float>(1000 + 64 * (i % 3 + 1) + i));
        }
    } else {
        CHECK_CODE(create(&t, from_mipmaps, mipmap, &part, true), 1);
    }
    const view fourth = {as_it_is, 16, 16, second.depth, 1, 3, 0, 0};
    CHECK_CODE(create(&t, from_mipmaps, mipmap, &fourth, true), 1);
    OK(cudaFreeMipmappedArray(mipmap));
}

int main()
{
    const image device(application_textures);
    device.kernel(&k_plane, "plane");
    device.kernel(&k_layers, "layers");
    device.kernel(&k_whole, "whole");
    device.end();
    for (int i = 0; i < n; i++) {
        at_x.push_back(static_cast<float>(i % 8) + 0.5f);
        at_y.push_back(static_cast<float>(i / 8) + 0.5f);
    }
    x = upload(at_x);
    y = upload(at_y);
    OK(cudaMalloc(reinterpret_cast<void **>(&out), n * 16));
    check_formats();
    check_layers();
    check_levels(false);
    check_levels(true);
    std::puts("passed");
    return 0;
}
