// SPDX-License-Identifier: Apache-2.0
// Cube maps and mipmaps against the formulas of CUDA's programming guide; reductions on surfaces.
#define TEXTURES_IMAGE cubes
#include "textures.h"

#include <initializer_list>

static char k_cube, k_cubes, k_faces, k_level, k_steps, k_layered, k_reduce;

extern "C" {
int cudaMallocMipmappedArray(void **, const channels *, cuda_extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(void **, const void *, unsigned);
int cudaFreeMipmappedArray(void *);
}

__attribute__((constructor)) static void register_all()
{
    static image m(application_cubes);
    m.kernel(&k_cube, "cube");
    m.kernel(&k_cubes, "cubes");
    m.kernel(&k_faces, "faces");
    m.kernel(&k_level, "at_level");
    m.kernel(&k_steps, "at_steps");
    m.kernel(&k_layered, "layered_steps");
    m.kernel(&k_reduce, "reduce");
    m.end();
}

struct float3 {
    float x, y, z;
};
enum { layered = 1, for_surfaces = 2, cubemap = 4 };
static const int side = 4, cube_texels = 6 * side * side;

static unsigned long long texture_of(int type, void *array, const sampler &s)
{
    resource r = {};
    r.type = type;
    r.array = array;
    unsigned long long t;
    OK(cudaCreateTextureObject(&t, &r, &s, nullptr));
    return t;
}

static unsigned long long surface_of(void *array)
{
    resource r = {};
    r.type = from_array;
    r.array = array;
    unsigned long long s;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

// The direction in which texel (x, y) of a face lies, as the guide's table of faces has it read
// backwards: s and t from -1 to 1 on the face, the third coordinate 1.
static float3 direction(int face, int x, int y)
{
    const float s = (2 * static_cast<float>(x) + 1) / side - 1;
    const float t = (2 * static_cast<float>(y) + 1) / side - 1;
    switch (face) {
    case 0:
        return {1, -t, -s};
    case 1:
        return {-1, -t, s};
    case 2:
        return {s, 1, t};
    case 3:
        return {s, -1, -t};
    case 4:
        return {s, -t, 1};
    default:
        return {-s, -t, -1};
    }
}

static std::vector<float3> directions()
{
    std::vector<float3> d;
    for (int i = 0; i < cube_texels; i++) {
        float3 v = direction(i / (side * side), i % side, i / side % side);
        const float length = 1 + static_cast<float>(i % 3); // which does not matter
        d.push_back({v.x * length, v.y * length, v.z * length});
    }
    return d;
}

static std::vector<float> numbers(int count)
{
    std::vector<float> v;
    for (int i = 0; i < count; i++) {
        v.push_back(static_cast<float>(i));
    }
    return v;
}

static void cube_maps()
{
    const std::vector<float> values = numbers(2 * cube_texels);
    void *one = filled({side, side, 6}, cubemap | for_surfaces, values);
    void *two = filled({side, side, 12}, cubemap | layered, values);
    void *none;
    CHECK_CODE(cudaMalloc3DArray(&none, &floats, {side, side + 1, 6}, cubemap), 1);
    CHECK_CODE(cudaMalloc3DArray(&none, &floats, {side, side, 12}, cubemap), 1);
    CHECK(cudaGetLastError() == 1);
    float3 *d = upload(directions());
    float *out = upload(std::vector<float>(cube_texels, -1));
    for (int linear = 0; linear < 2; linear++) {
        sampler s = {};
        s.filter = linear;
        s.normalized = 1;
        s.mode[0] = s.mode[1] = clamp;
        OK(launch(&k_cube, 1, cube_texels, 0, nullptr, out, texture_of(from_array, one, s), d));
        std::vector<float> got = download(out, cube_texels);
        for (int i = 0; i < cube_texels; i++) {
            CHECK(got[i] == static_cast<float>(i));
        }
        OK(launch(&k_cubes, 1, cube_texels, 0, nullptr, out, texture_of(from_array, two, s), d));
        got = download(out, cube_texels);
        for (int i = 0; i < cube_texels; i++) {
            CHECK(got[i] == static_cast<float>(i + i % 2 * cube_texels));
        }
    }
    OK(launch(&k_faces, 1, side * side, 0, nullptr, surface_of(one), side));
    OK(launch(&k_cube, 1, cube_texels, 0, nullptr, out, texture_of(from_array, one, sampler{}), d));
    CHECK(download(out, cube_texels)[cube_texels - 1] == cube_texels - 0.5F);
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
}

// ---- mipmaps ------------------------------------------------------------------------------------

// Every texel of a level has the level's number of hundreds, and a part that says where it is.
static void *pyramid(int size, int levels, int deep)
{
    void *mipmap, *array;
    channels format;
    cuda_extent e;
    unsigned flags;
    OK(cudaMallocMipmappedArray(
        &mipmap, &floats,
        {static_cast<size_t>(size), static_cast<size_t>(size), static_cast<size_t>(deep)}, levels,
        deep == 2 ? layered : 0));
    for (int k = 0; k < levels; k++) {
        OK(cudaGetMipmappedArrayLevel(&array, mipmap, k));
        OK(cudaArrayGetInfo(&format, &e, &flags, array));
        CHECK(e.width == static_cast<size_t>(size >> k) && e.height == e.width);
        std::vector<float> v;
        const int slices = e.depth != 0 ? static_cast<int>(e.depth) : 1;
        for (int i = 0; i < slices * (size >> k) * (size >> k); i++) {
            v.push_back(static_cast<float>(100 * k + i));
        }
        cuda_copy3d c = {};
        c.from = {v.data(), e.width * 4, e.width, e.height};
        c.to_array = array;
        c.extent = {e.width, e.height, static_cast<size_t>(slices)};
        c.direction = to_device;
        OK(cudaMemcpy3D(&c));
    }
    CHECK_CODE(cudaGetMipmappedArrayLevel(&array, mipmap, levels), 1);
    cudaGetLastError();
    return mipmap;
}

static std::vector<float> sampled(const void *kernel, unsigned long long t,
                                  const std::vector<float3> &at)
{
    float *out = upload(std::vector<float>(at.size(), -1));
    OK(launch(kernel, 1, static_cast<unsigned>(at.size()), 0, nullptr, out, t, upload(at)));
    return download(out, at.size());
}

static sampler of_levels(bool between, float bias, float least, float most)
{
    sampler s = {};
    s.normalized = 1;
    s.mode[0] = s.mode[1] = s.mode[2] = clamp;
    s.level_filter = between;
    s.level[0] = bias;
    s.level[1] = least;
    s.level[2] = most;
    return s;
}

static void mipmaps()
{
    void *mipmap = pyramid(8, 4, 0);
    // The first texel of each level, and the last: 63, 115, 203, 300.
    const std::vector<float3> at = {{0, 0, 0},       {0, 0, 1},         {0.99F, 0.99F, 1},
                                    {0.99F, 0, 2},   {0.5F, 0.5F, 3},   {0, 0, 7},
                                    {0, 0, -32},     {0, 0, 0.5F},      {0, 0, 1.25F},
                                    {0, 0, 0.4375F}, {0.99F, 0.99F, 0}, {0, 0, 2.75F}};
    std::vector<float> got =
        sampled(&k_level, texture_of(from_mipmaps, mipmap, of_levels(false, 0, 0, 10)), at);
    const std::vector<float> nearest = {0, 100, 115, 201, 300, 300, 0, 0, 100, 0, 63, 300};
    CHECK(got == nearest);
    got = sampled(&k_level, texture_of(from_mipmaps, mipmap, of_levels(true, 0, 0, 10)), at);
    const std::vector<float> between = {0, 100, 115, 201, 300, 300, 0, 50, 125, 43.75F, 63, 275};
    CHECK(got == between);
    got = sampled(&k_level, texture_of(from_mipmaps, mipmap, of_levels(true, 1, 0, 2.5F)), at);
    CHECK(got[0] == 100 && got[1] == 200 && got[4] == 251.5F && got[6] == 0 && got[7] == 150);
    got = sampled(&k_level, texture_of(from_mipmaps, mipmap, of_levels(true, 0, 1.5F, 3)), at);
    CHECK(got[0] == 150 && got[6] == 150 && got[5] == 300);

    // Two texels of eight a step: level 1; the longer of both derivatives counts.
    const std::vector<float3> steps = {{0, 0, 0.25F}, {0, 0, 0.5F},     {0, 0, 1},
                                       {0, 0, 0},     {0.99F, 0, 0.5F}, {0, 0, 0.125F}};
    const auto t = texture_of(from_mipmaps, mipmap, of_levels(false, 0, 0, 10));
    const std::vector<float> by_steps = {100, 200, 300, 0, 201, 0};
    CHECK(sampled(&k_steps, t, steps) == by_steps);
    OK(cudaFreeMipmappedArray(mipmap));
    CHECK_CODE(cudaFreeMipmappedArray(mipmap), 400);
    cudaGetLastError();

    void *stack = pyramid(8, 3, 2);
    const auto u = texture_of(from_mipmaps, stack, of_levels(false, 0, 0, 10));
    const std::vector<float> by_layers = {100, 204, 200, 64, 201, 64};
    CHECK(sampled(&k_layered, u, steps) == by_layers);
    OK(cudaFreeMipmappedArray(stack));
}

// ---- reductions ---------------------------------------------------------------------------------

static void reductions()
{
    const channels format = {32, 0, 0, 0, of_int};
    const int start[2][3] = {{0, 3, 4}, {0, -1, 0}};
    int end[2][3];
    void *array;
    OK(cudaMalloc3DArray(&array, &format, {3, 2, 0}, for_surfaces));
    OK(cudaMemcpy2DToArray(array, 0, 0, start, 12, 12, 2, to_device));
    OK(launch(&k_reduce, 1, 20, 0, nullptr, surface_of(array)));
    OK(cudaMemcpy2DFromArray(end, 12, array, 0, 0, 12, 2, to_host));
    CHECK(end[0][0] == 90 && end[1][0] == 100); // even and odd numbers up to 19
    CHECK(end[0][1] == -5 && end[0][2] == 19);
    CHECK(end[1][1] == ~0xfffff && end[1][2] == 0xfffff);
    OK(cudaFreeArray(array));
}

int main()
{
    cube_maps();
    mipmaps();
    reductions();
    CHECK(cudaGetLastError() == 0);
    std::puts("passed");
    return 0;
}
