// SPDX-License-Identifier: Apache-2.0
// The device's properties as the structure of each major version has them, CUDART being that
// version: what the attributes say, and nothing behind the structure.
#include <cstddef>
#include <cstdio>
#include <cstring>

extern "C" int cudaGetDeviceProperties(void *properties, int device);
extern "C" int cudaGetDeviceProperties_v2(void *properties, int device);
extern "C" int cudaDeviceGetAttribute(int *value, int attribute, int device);
extern "C" int cudaRuntimeGetVersion(int *version);

namespace
{

// Only one version has a field.
#if CUDART < 13
#define OLD(field) int field;
#else
#define OLD(field)
#endif

struct device_properties {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t memory, block_shared;
    int block_registers, warp;
    size_t pitch;
    int block_threads, block_dim[3], grid_dim[3];
    OLD(clock)
    size_t constant;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    OLD(overlap)
    int sms;
    OLD(timeout)
    int integrated, maps_host;
    OLD(mode)
    int texture_1d, texture_1d_mipmap;
    OLD(texture_1d_linear)
    int texture_2d[2], textures_and_surfaces[35];
    size_t surface_alignment;
    int concurrent, ecc, pci[3], tcc, engines, unified;
    OLD(memory_clock)
    int bus_width, l2, persisting_l2, sm_threads, priorities, global_l1, local_l1;
    size_t sm_shared;
    int sm_registers, managed, multi_board, board_group, host_atomics;
    OLD(double_ratio)
    int pageable, concurrent_managed, preemption, registered_pointer, cooperative;
    OLD(cooperative_devices)
    size_t opt_in_shared;
    int host_page_tables, direct_managed, sm_blocks, window;
    size_t reserved_shared;
#if CUDART >= 13
    int later[20], reserved[56];
#elif CUDART == 12
    int later[13], reserved[63];
#endif
};

int failures;

void is(const char *what, long long value, int attribute)
{
    int expected = -1;
    cudaDeviceGetAttribute(&expected, attribute, 0);
    if (value != expected) {
        printf("%s: %lld, not %d\n", what, value, expected);
        failures++;
    }
}

} // namespace

int main()
{
    struct {
        device_properties p;
        unsigned char behind[64];
    } room;
    int version = 0;
    memset(&room, 0x5a, sizeof room);
#if CUDART == 12
    int rc = cudaGetDeviceProperties_v2(&room.p, 0);
#else
    int rc = cudaGetDeviceProperties(&room.p, 0);
#endif
    failures += rc != 0 || cudaRuntimeGetVersion(&version) != 0 || version / 1000 != CUDART;
    const device_properties &p = room.p;
    failures += strstr(p.name, "(smrf)") == nullptr || p.warp != 32 || p.block_shared != 49152;
    failures += p.memory == 0 || p.constant != 65536 || p.surface_alignment != 512;
    is("threads of a block", p.block_threads, 1);
    is("grid", p.grid_dim[2], 7);
    is("major", p.major, 75);
    is("minor", p.minor, 76);
    is("SMs", p.sms, 16);
    is("maps host memory", p.maps_host, 19);
    is("textures", p.texture_1d, 21);
    is("2-D textures", p.texture_2d[0], 22);
    is("concurrent", p.concurrent, 31);
    is("unified", p.unified, 41);
    is("bus width", p.bus_width, 37);
    is("L2", p.l2, 38);
    is("threads of an SM", p.sm_threads, 39);
    is("local L1", p.local_l1, 80);
    is("shared memory of an SM", (long long)p.sm_shared, 81);
    is("registers of an SM", p.sm_registers, 82);
    is("managed", p.managed, 83);
    is("concurrent managed", p.concurrent_managed, 89);
    is("cooperative", p.cooperative, 95);
    is("opt-in shared memory", (long long)p.opt_in_shared, 97);
    is("blocks of an SM", p.sm_blocks, 106);
    is("reserved shared memory", (long long)p.reserved_shared, 111);
    for (const unsigned char &byte : room.behind) {
        failures += byte != 0x5a;
    }
    puts(failures == 0 ? "passed" : "failed");
    return failures != 0;
}
