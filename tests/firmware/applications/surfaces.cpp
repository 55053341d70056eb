// SPDX-License-Identifier: Apache-2.0
// Surfaces of all widths and dimensions, what lies outside of them; with an argument, an access
// outside that is not allowed.
#include "textures.h"

static char k_turn1, k_turn2, k_turn8, k_turn16, k_edges, k_deep, k_beyond;

__attribute__((constructor)) static void register_all()
{
    static image m(application_textures);
    m.kernel(&k_turn1, "turn1");
    m.kernel(&k_turn2, "turn2");
    m.kernel(&k_turn8, "turn8");
    m.kernel(&k_turn16, "turn16");
    m.kernel(&k_edges, "edges");
    m.kernel(&k_deep, "deep");
    m.kernel(&k_beyond, "beyond");
    m.end();
}

static unsigned long long surface_of(void *array)
{
    resource r = {};
    r.array = array;
    unsigned long long s = 0;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <typename T> static void check_turn(const void *kernel, const channels &f)
{
    const int side = 8;
    std::vector<unsigned char> data(side * side * sizeof(T)), back(data.size());
    for (size_t i = 0; i < data.size(); i++) {
        data[i] = static_cast<unsigned char>(i * 13 + i / 7);
    }
    void *from, *to;
    OK(cudaMallocArray(&from, &f, side, side, 2));
    OK(cudaMallocArray(&to, &f, side, side, 2));
    OK(cudaMemcpyToArray(from, 0, 0, data.data(), data.size(), to_device));
    OK(launch(kernel, 1, dim3(side, side), 0, nullptr, surface_of(from), surface_of(to), side));
    OK(cudaMemcpy2DFromArray(back.data(), side * sizeof(T), to, 0, 0, side * sizeof(T), side,
                             to_host));
    for (int i = 0; i < side * side; i++) {
        const int x = i % side, y = i / side;
        CHECK(std::memcmp(&back[(x * side + side - 1 - y) * sizeof(T)], &data[i * sizeof(T)],
                          sizeof(T)) == 0);
    }
}

static void check_surfaces()
{
    struct pair {
        int v[2];
    };
    struct quad {
        int v[4];
    };
    check_turn<char>(&k_turn1, {8, 0, 0, 0, of_unsigned});
    check_turn<short>(&k_turn2, {16, 0, 0, 0, of_int});
    check_turn<pair>(&k_turn8, {32, 32, 0, 0, of_int});
    check_turn<quad>(&k_turn16, {32, 32, 32, 32, of_int});
    void *sheet, *plain;
    const channels word = {32, 0, 0, 0, of_int};
    std::vector<int> v, zero, nearest;
    for (int i = 0; i < width * height; i++) {
        v.push_back(i + 100);
    }
    OK(cudaMallocArray(&sheet, &word, width, height, 2));
    OK(cudaMemcpy2DToArray(sheet, 0, 0, v.data(), width * 4, width * 4, height, to_device));
    int *dz, *dn;
    const int w = width + 4, h = height + 4;
    OK(cudaMalloc(reinterpret_cast<void **>(&dz), w * h * 4));
    OK(cudaMalloc(reinterpret_cast<void **>(&dn), w * h * 4));
    OK(launch(&k_edges, 1, dim3(w, h), 0, nullptr, dz, dn, surface_of(sheet)));
    zero = download(dz, w * h);
    nearest = download(dn, w * h);
    for (int i = 0; i < w * h; i++) {
        const int x = i % w - 2, y = i / w - 2;
        const bool inside = x >= 0 && x < width && y >= 0 && y < height;
        CHECK(zero[i] == (inside ? v[y * width + x] : 0));
        CHECK(nearest[i] == v[stand_in(y, height, clamp) * width + stand_in(x, width, clamp)]);
    }
    std::vector<int> same(v.size());
    OK(cudaMemcpy2DFromArray(same.data(), width * 4, sheet, 0, 0, width * 4, height, to_host));
    CHECK(same == v);

    void *box = filled({width, height, depth}, 2, texels()),
         *stack = filled({width, height, depth}, 3, texels()),
         *row = filled({width, 0, 0}, 2, texels());
    OK(launch(&k_deep, 1, dim3(width, height, depth), 0, nullptr, surface_of(box),
              surface_of(stack), surface_of(row), width));
    std::vector<float> deep(width * height * depth);
    cuda_copy3d c = {};
    for (void *from : {box, stack}) {
        c.from_array = from;
        c.to = {deep.data(), width * 4, width, height};
        c.extent = {width, height, depth};
        c.direction = to_host;
        OK(cudaMemcpy3D(&c));
        for (int i = 0; i < width * height * depth; i++) {
            const int x = i % width, y = i / width % height, z = i / (width * height);
            CHECK(deep[i] == 2 * texel(x, y, z) + (from == stack ? texel(x, 0, 0) : 0));
        }
    }
    OK(cudaMallocArray(&plain, &word, 4, 4, 0));
    resource r = {};
    r.array = plain;
    unsigned long long s;
    CHECK_CODE(cudaCreateSurfaceObject(&s, &r), 1); // not made for it
}

// An access outside that is not allowed ends the launch.
static void check_beyond()
{
    void *sheet;
    const channels word = {32, 0, 0, 0, of_int};
    OK(cudaMallocArray(&sheet, &word, width, height, 2));
    OK(launch(&k_beyond, 1, 1, 0, nullptr, surface_of(sheet)));
    CHECK_CODE(cudaDeviceSynchronize(), 700);
}

int main(int argc, char **)
{
    if (argc > 1) {
        check_beyond();
    } else {
        check_surfaces();
    }
    puts("passed");
    return 0;
}
