// SPDX-License-Identifier: Apache-2.0
// The driver's own calls for arrays, textures and surfaces.
#include "driver_host.h"

IMAGE(textures);

struct plane_desc {
    size_t width, height;
    int format;
    unsigned channels;
};
struct volume_desc {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct memory_desc {
    uint64_t at;
    int format;
    unsigned channels;
    size_t width, height, pitch;
};
struct resource_desc {
    int type; // 0: array, 1: mipmap, 2: linear, 3: pitched
    union {
        void *array;
        memory_desc memory;
        int reserved[32];
    };
    unsigned flags;
};
struct texture_desc {
    int mode[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level[3], border[4];
    int reserved[12];
};
struct view_desc {
    int format;
    size_t width, height, depth;
    unsigned levels[2], layers[2], reserved[16];
};
struct side {
    size_t x, y, z, level;
    int type; // 1: host, 2: device, 3: array
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_params {
    side from, to;
    size_t width, height, depth;
};

enum { UNSIGNED_8 = 0x01, SIGNED_32 = 0x0a, FLOAT_32 = 0x20 };
enum { INTEGERS = 1, NORMALIZED = 2 };

extern "C" {
int cuCtxSynchronize();
int cuModuleGetTexRef(void **, void *, const char *);
int cuModuleGetSurfRef(void **, void *, const char *);
int cuArrayCreate_v2(void **, const plane_desc *);
int cuArray3DCreate_v2(void **, const volume_desc *);
int cuArrayGetDescriptor_v2(plane_desc *, void *);
int cuArray3DGetDescriptor_v2(volume_desc *, void *);
int cuArrayDestroy(void *);
int cuMipmappedArrayCreate(void **, const volume_desc *, unsigned);
int cuMipmappedArrayGetLevel(void **, void *, unsigned);
int cuMipmappedArrayDestroy(void *);
int cuMemcpyHtoA_v2(void *, size_t, const void *, size_t);
int cuMemcpyAtoH_v2(void *, void *, size_t, size_t);
int cuMemcpyDtoA_v2(void *, size_t, uint64_t, size_t);
int cuMemcpyAtoD_v2(uint64_t, void *, size_t, size_t);
int cuMemcpyAtoA_v2(void *, size_t, void *, size_t, size_t);
int cuMemcpy3D_v2(const copy_params *);
int cuMemcpy3DPeer(const copy_params *);
int cuTexRefSetAddress_v2(size_t *, void *, uint64_t, size_t);
int cuTexRefSetArray(void *, void *, unsigned);
int cuTexRefSetFormat(void *, int, int);
int cuTexRefSetFlags(void *, unsigned);
int cuTexRefSetFilterMode(void *, int);
int cuTexRefSetAddressMode(void *, int, int);
int cuTexRefSetMaxAnisotropy(void *, unsigned);
int cuTexRefSetBorderColor(void *, const float *);
int cuTexRefSetMipmapLevelClamp(void *, float, float);
int cuTexRefSetMipmapLevelBias(void *, float);
int cuTexRefSetMipmapFilterMode(void *, int);
int cuTexRefGetAddress_v2(uint64_t *, void *);
int cuTexRefGetArray(void **, void *);
int cuTexRefGetMipmappedArray(void **, void *);
int cuTexRefGetFormat(int *, int *, void *);
int cuTexRefGetAddressMode(int *, void *, int);
int cuTexRefGetFilterMode(int *, void *);
int cuTexRefGetFlags(unsigned *, void *);
int cuTexRefGetMaxAnisotropy(int *, void *);
int cuTexRefGetBorderColor(float *, void *);
int cuTexRefGetMipmapFilterMode(int *, void *);
int cuTexRefGetMipmapLevelBias(float *, void *);
int cuTexRefGetMipmapLevelClamp(float *, float *, void *);
int cuSurfRefGetArray(void **, void *);
int cuSurfRefSetArray(void *, void *, unsigned);
int cuTexObjectCreate(uint64_t *, const resource_desc *, const texture_desc *, const void *);
int cuTexObjectDestroy(uint64_t);
int cuTexObjectGetResourceDesc(resource_desc *, uint64_t);
int cuTexObjectGetTextureDesc(texture_desc *, uint64_t);
int cuTexObjectGetResourceViewDesc(view_desc *, uint64_t);
int cuSurfObjectCreate(uint64_t *, const resource_desc *);
int cuSurfObjectDestroy(uint64_t);
}

static void *module;

template <typename T> static T *managed(size_t number, uint64_t *address)
{
    OK(cuMemAllocManaged(address, number * sizeof(T), 1));
    return reinterpret_cast<T *>(*address);
}

static void launch(const char *name, unsigned threads, void **args)
{
    void *kernel;
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, nullptr, args, nullptr));
    OK(cuCtxSynchronize());
}

// What is set of a reference is what it tells.
static void told(void *line, void *two, uint64_t line_at, uint64_t two_at)
{
    uint64_t at;
    int format, number, value;
    unsigned flags;
    void *array;
    const float border[4] = {1, 2, 3, 4};
    float got[4], least, most;
    OK(cuTexRefGetAddress_v2(&at, line));
    CHECK(at == line_at);
    OK(cuTexRefGetAddress_v2(&at, two));
    CHECK(at == two_at);
    CHECK_CODE(cuTexRefGetArray(&array, line), 1);
    OK(cuTexRefGetFormat(&format, &number, two));
    CHECK(format == SIGNED_32 && number == 2);
    OK(cuTexRefGetFlags(&flags, two));
    CHECK(flags == INTEGERS);
    OK(cuTexRefSetAddressMode(line, 1, 2));
    OK(cuTexRefGetAddressMode(&value, line, 1));
    CHECK(value == 2);
    CHECK_CODE(cuTexRefGetAddressMode(&value, line, 3), 1);
    OK(cuTexRefSetMaxAnisotropy(line, 4));
    OK(cuTexRefGetMaxAnisotropy(&value, line));
    CHECK(value == 4);
    OK(cuTexRefSetBorderColor(line, border));
    OK(cuTexRefGetBorderColor(got, line));
    CHECK(std::memcmp(got, border, sizeof got) == 0);
    OK(cuTexRefSetMipmapFilterMode(line, 1));
    OK(cuTexRefGetMipmapFilterMode(&value, line));
    CHECK(value == 1);
    OK(cuTexRefSetMipmapLevelBias(line, 0.5f));
    OK(cuTexRefGetMipmapLevelBias(got, line));
    CHECK(got[0] == 0.5f);
    OK(cuTexRefSetMipmapLevelClamp(line, 1, 3));
    OK(cuTexRefGetMipmapLevelClamp(&least, &most, line));
    CHECK(least == 1 && most == 3);
}

static void references()
{
    int n = 32;
    uint64_t floats_at, ints_at, out_at, pairs_at, grey_at;
    float *floats = managed<float>(n + 1, &floats_at), *out = managed<float>(n, &out_at),
          *grey = managed<float>(n, &grey_at);
    int *ints = managed<int>(2 * n, &ints_at), *pairs = managed<int>(2 * n, &pairs_at);
    unsigned char bytes[32];
    int numbers[32];
    for (int i = 0; i < n; i++) {
        floats[i] = 0.25f * float(i);
        ints[2 * i] = i;
        ints[2 * i + 1] = -7 * i;
        bytes[i] = static_cast<unsigned char>(8 * i);
        numbers[i] = 100 + i;
    }
    floats[n] = 1000;
    void *line, *two, *plane, *board, *image, *field, *none;
    OK(cuModuleGetTexRef(&line, module, "line_of"));
    OK(cuModuleGetTexRef(&two, module, "pairs_of"));
    OK(cuModuleGetTexRef(&plane, module, "plane_of"));
    OK(cuModuleGetSurfRef(&board, module, "board"));
    CHECK_CODE(cuModuleGetTexRef(&none, module, "nothing"), 500);
    OK(cuTexRefSetFormat(line, FLOAT_32, 1));
    OK(cuTexRefSetAddress_v2(nullptr, line, floats_at, (n + 1) * sizeof(float)));
    OK(cuTexRefSetFormat(two, SIGNED_32, 2));
    OK(cuTexRefSetFlags(two, INTEGERS));
    OK(cuTexRefSetAddress_v2(nullptr, two, ints_at, 2 * n * sizeof(int)));
    told(line, two, floats_at, ints_at);

    const plane_desc grey_of = {8, 4, UNSIGNED_8, 1};
    OK(cuArrayCreate_v2(&image, &grey_of));
    OK(cuMemcpyHtoA_v2(image, 0, bytes, 5)); // over the end of no row, then over three
    OK(cuMemcpyHtoA_v2(image, 5, bytes + 5, 27));
    CHECK_CODE(cuMemcpyHtoA_v2(image, 5, bytes, 28), 1);
    OK(cuTexRefSetArray(plane, image, 1));
    OK(cuTexRefSetFilterMode(plane, 1)); // set behind the array
    int filter;
    void *bound;
    OK(cuTexRefGetFilterMode(&filter, plane));
    OK(cuTexRefGetArray(&bound, plane));
    CHECK(filter == 1 && bound == image);
    CHECK_CODE(cuTexRefGetMipmappedArray(&bound, plane), 1);
    OK(cuTexRefSetFilterMode(plane, 0));

    const volume_desc board_of = {8, 4, 0, SIGNED_32, 1, 2};
    OK(cuArray3DCreate_v2(&field, &board_of));
    copy_params copy = {};
    copy.from = {0, 0, 0, 0, 1, numbers, 0, nullptr, nullptr, 32, 0};
    copy.to = {0, 0, 0, 0, 3, nullptr, 0, field, nullptr, 0, 0};
    copy.width = 32;
    copy.height = 4;
    copy.depth = 1;
    OK(cuMemcpy3DPeer(&copy));                         // the contexts are no others
    CHECK_CODE(cuSurfRefSetArray(board, image, 0), 1); // not made for surfaces
    OK(cuSurfRefSetArray(board, field, 0));
    OK(cuSurfRefGetArray(&bound, board));
    CHECK(bound == field);

    void *args[] = {&out_at, &pairs_at, &grey_at, &n};
    launch("by_reference", 32, args);
    int back[32];
    OK(cuMemcpyAtoH_v2(back, field, 0, sizeof back));
    for (int i = 0; i < n; i++) {
        CHECK(out[i] == floats[i] + floats[i + 1]);
        CHECK(pairs[2 * i] == n - 1 - i && pairs[2 * i + 1] == -7 * (n - 1 - i));
        CHECK(grey[i] == static_cast<float>(bytes[i]) / 255.0f);
        CHECK(back[i] == 3 * i + 100 + i);
    }
    OK(cuArrayDestroy(image));
    OK(cuArrayDestroy(field));
    CHECK_CODE(cuArrayDestroy(field), 400);
}

static void objects()
{
    uint64_t x_at, y_at, out_at, buffer_at, object;
    float *x = managed<float>(32, &x_at), *y = managed<float>(32, &y_at),
          *out = managed<float>(32, &out_at), *buffer = managed<float>(16, &buffer_at);
    for (int i = 0; i < 16; i++) {
        buffer[i] = 4.0f * float(i);
    }
    const volume_desc of = {4, 4, 0, FLOAT_32, 1, 0};
    volume_desc told;
    plane_desc plane;
    resource_desc resource = {};
    texture_desc texture = {};
    OK(cuArray3DCreate_v2(&resource.array, &of));
    OK(cuArray3DGetDescriptor_v2(&told, resource.array));
    CHECK(told.width == 4 && told.height == 4 && told.depth == 0 && told.format == FLOAT_32 &&
          told.channels == 1 && told.flags == 0);
    OK(cuArrayGetDescriptor_v2(&plane, resource.array));
    CHECK(plane.width == 4 && plane.height == 4 && plane.format == FLOAT_32 && plane.channels == 1);
    OK(cuMemcpyDtoA_v2(resource.array, 0, buffer_at, 64));
    uint64_t copied_at;
    float *copied = managed<float>(16, &copied_at);
    OK(cuMemcpyAtoD_v2(copied_at, resource.array, 4, 60));
    CHECK(copied[0] == buffer[1] && copied[14] == buffer[15]);
    texture.mode[0] = texture.mode[1] = texture.mode[2] = 1; // clamp
    texture.filter = 1;
    OK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
    for (int i = 0; i < 32; i++) { // halfway between the texels of a row
        x[i] = static_cast<float>(i % 5);
        y[i] = 0.5f + static_cast<float>(i / 8);
    }
    void *args[] = {&out_at, &object, &x_at, &y_at};
    launch("plane", 32, args);
    for (int i = 0; i < 32; i++) {
        const int right = i % 5 > 3 ? 3 : i % 5, left = i % 5 > 0 ? i % 5 - 1 : 0;
        CHECK(out[i] == 2.0f * float(4 * (i / 8) + left + 4 * (i / 8) + right));
    }
    resource_desc resource_told;
    texture_desc texture_told;
    OK(cuTexObjectGetResourceDesc(&resource_told, object));
    OK(cuTexObjectGetTextureDesc(&texture_told, object));
    CHECK(resource_told.array == resource.array && texture_told.filter == 1);
    OK(cuTexObjectDestroy(object));
    CHECK_CODE(cuTexObjectDestroy(object), 1);
    // Seen as texels of another kind, and as part of a larger array.
    void *larger;
    const volume_desc numbers_of = {6, 6, 0, SIGNED_32, 1, 0};
    OK(cuArray3DCreate_v2(&larger, &numbers_of));
    OK(cuMemcpyAtoA_v2(larger, 28, resource.array, 8, 56));
    OK(cuMemcpyAtoD_v2(copied_at, larger, 28, 56));
    CHECK(copied[0] == buffer[2] && copied[13] == buffer[15]);
    CHECK_CODE(cuMemcpyAtoA_v2(larger, 0, resource.array, 8, 60), 1);
    resource_desc other = {};
    other.array = larger;
    const view_desc as_floats = {22, 6, 6, 0, {0, 0}, {0, 0}, {}};
    view_desc view_told;
    texture.filter = 0;
    OK(cuTexObjectCreate(&object, &other, &texture, &as_floats));
    OK(cuTexObjectGetResourceViewDesc(&view_told, object));
    CHECK(view_told.format == 22 && view_told.width == 6);
    for (int i = 0; i < 14; i++) {
        x[i] = static_cast<float>((i + 7) % 6) + 0.5f;
        y[i] = static_cast<float>((i + 7) / 6) + 0.5f;
    }
    launch("plane", 14, args);
    for (int i = 0; i < 14; i++) {
        CHECK(out[i] == buffer[i + 2]);
    }
    OK(cuTexObjectDestroy(object));
    OK(cuArrayDestroy(larger));
    texture.filter = 1;
    uint64_t surface;
    CHECK_CODE(cuSurfObjectCreate(&surface, &resource), 1);
    OK(cuArrayDestroy(resource.array));
    CHECK_CODE(cuTexObjectCreate(&object, &resource, &texture, nullptr), 400);

    // Pitched memory, coordinates from 0 to 1.
    resource = {};
    resource.type = 3;
    resource.memory = {buffer_at, FLOAT_32, 1, 4, 4, 16};
    texture.filter = 0;
    texture.flags = NORMALIZED;
    OK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
    for (int i = 0; i < 32; i++) {
        x[i] = 0.125f + 0.25f * float(i % 4);
        y[i] = 0.125f + 0.25f * float(i / 8);
    }
    launch("plane", 32, args);
    for (int i = 0; i < 32; i++) {
        CHECK(out[i] == buffer[4 * (i / 8) + i % 4]);
    }
    OK(cuTexObjectDestroy(object));

    void *mipmap, *level;
    OK(cuMipmappedArrayCreate(&mipmap, &of, 2));
    OK(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    OK(cuArray3DGetDescriptor_v2(&told, level));
    CHECK(told.width == 2 && told.height == 2);
    CHECK_CODE(cuMipmappedArrayGetLevel(&level, mipmap, 3), 1);
    OK(cuMipmappedArrayDestroy(mipmap));
}

int main()
{
    void *context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, application_textures));
    references();
    objects();
    OK(cuModuleUnload(module));
    std::puts("passed");
    return 0;
}
