/* SPDX-License-Identifier: Apache-2.0 */
/* What the device says of itself: the board that stands for its architecture, with the command's
 * number of SMs and clock. */
#include "core.h"

#include "firmware/cubin/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct limits {
    unsigned sm;
    const char *name;
    uint64_t memory_mib;
    uint32_t sms, sm_threads, sm_blocks, sm_shared_kib, reserved_shared;
    uint32_t core_khz, memory_khz, memory_bits, l2_kib;
} limits_[] = {
#define SMRF_ARCHITECTURE(...) {__VA_ARGS__},
#define SMRF_ARCHITECTURE_CODE(sm)
#include "firmware/sass/architectures.def"
#undef SMRF_ARCHITECTURE
#undef SMRF_ARCHITECTURE_CODE
};

#define DEVICES (sizeof limits_ / sizeof *limits_)

static struct smrf_cuda_properties properties_;
static bool chosen_;
/* Devices, a bit each, that every image so far has code for; that the first one has code for. */
static uint32_t all_ = (1U << DEVICES) - 1, first_;

static void set_(unsigned sm)
{
    const struct limits *l = &limits_[0];
    for (size_t i = 0; i < DEVICES; i++) {
        if (limits_[i].sm <= sm) {
            l = &limits_[i];
        }
    }
    properties_ = (struct smrf_cuda_properties){
        .major = sm / 10,
        .minor = sm % 10,
        .sms = l->sms,
        .core_khz = l->core_khz,
        .memory_khz = l->memory_khz,
        .memory_bits = l->memory_bits,
        .memory_bytes = l->memory_mib << 20,
        .l2_bytes = l->l2_kib << 10,
        .sm_threads = l->sm_threads,
        .sm_blocks = l->sm_blocks,
        .sm_shared_bytes = l->sm_shared_kib << 10,
        .block_shared_optin = smrf_exec_max_shared(sm),
        .reserved_shared = l->reserved_shared,
    };
    (void)snprintf(properties_.name, sizeof properties_.name, "%s (smrf)", l->name);
    const uint64_t sms = smrf_cuda_option_number("sms", 0);
    const uint64_t core_khz = smrf_cuda_option_number("core-khz", 0);
    properties_.sms = sms != 0 ? (uint32_t)sms : properties_.sms;
    properties_.core_khz = core_khz != 0 ? (uint32_t)core_khz : properties_.core_khz;
    chosen_ = true;
}

void smrf_cuda_properties_offer(const unsigned *sm, unsigned num)
{
    uint32_t fit = 0;
    for (size_t d = 0; d < DEVICES; d++) {
        for (unsigned i = 0; i < num; i++) {
            fit |= smrf_fatbin_runs_on(sm[i], limits_[d].sm) ? 1U << d : 0;
        }
    }
    first_ = first_ != 0 ? first_ : fit;
    all_ &= fit;
}

/* The device that the machine of the preset has: sm_70's code runs on the first. */
static size_t machines_(void)
{
    const uint64_t machine = smrf_cuda_option_number("machine", 0);
    size_t d = DEVICES - 1;
    while (d > 0 && limits_[d].sm > machine) {
        d--;
    }
    return d;
}

/* A device that has code for the whole program: the machine's, else the oldest. Vendor libraries
 * have images for single architectures besides, which they use on these only. Then the first image
 * decides, which is the program's own: it is linked before libraries. */
static unsigned fitting_(void)
{
    const uint32_t fit = all_ != 0 ? all_ : first_;
    size_t d = machines_();
    if ((fit >> d & 1) == 0) {
        d = (size_t)__builtin_ctz(fit);
    }
    return limits_[d].sm;
}

const struct smrf_cuda_properties *smrf_cuda_properties(void)
{
    if (!chosen_) {
        const uint64_t wanted = smrf_cuda_option_number("arch", 0);
        set_(wanted != 0 ? (unsigned)wanted : fitting_());
    }
    return &properties_;
}

/* Attributes that are the same for every architecture here (cudaDevAttr*, CU_DEVICE_ATTRIBUTE_*
 * share their numbers). Those that are absent are 0. */
static const struct {
    int attribute, value;
} fixed_[] = {
    {1, 1024},                                      /* threads a block */
    {2, 1024},                                      /* .. x, y, z */
    {3, 1024},        {4, 64},     {5, 0x7fffffff}, /* grid x, y, z */
    {6, 65535},       {7, 65535},  {8, 49152},      /* shared memory a block without opt-in */
    {9, 65536},                                     /* constant memory */
    {10, 32},                                       /* warp size */
    {11, 0x7fffffff},                               /* pitch */
    {12, 65536},                                    /* registers a block */
    {14, 512},                                      /* texture alignment */
    {15, 1},                                        /* copies overlap */
    {19, 1},                                        /* host memory can be mapped */
    {21, 131072},                                   /* textures */
    {22, 131072},     {23, 65536}, {24, 16384},
    {25, 16384},      {26, 16384}, {30, 512}, /* surface alignment */
    {31, 1},                                  /* concurrent kernels */
    {33, 1},                                  /* PCI bus */
    {40, 3},                                  /* copy engines */
    {41, 1},                                  /* unified addressing */
    {51, 32},                                 /* texture pitch alignment */
    {78, 1},                                  /* stream priorities */
    {79, 1},                                  /* L1 caches global and local memory */
    {80, 1},          {82, 65536},            /* registers an SM */
    {83, 1},                                  /* managed memory */
    {87, 32},                                 /* ratio of single to double precision */
    {89, 1},                                  /* concurrent managed access */
    {90, 1},                                  /* compute preemption */
    {91, 1},                                  /* registered memory at the host's pointer */
    {95, 1},                                  /* cooperative launch */
    {99, 1},                                  /* host memory can be registered */
    {115, 1},                                 /* memory pools */
};

int smrf_cuda_attribute(int *value, int attribute)
{
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    const struct {
        int attribute;
        uint64_t value;
    } own[] = {
        {13, p->core_khz},        {16, p->sms},
        {36, p->memory_khz},      {37, p->memory_bits},
        {38, p->l2_bytes},        {39, p->sm_threads},
        {75, p->major},           {76, p->minor},
        {81, p->sm_shared_bytes}, {97, p->block_shared_optin},
        {106, p->sm_blocks},      {111, p->reserved_shared},
    };
    if (value == NULL || attribute <= 0 || attribute > 200) {
        return CUDA_INVALID_VALUE;
    }
    *value = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (own[i].attribute == attribute) {
            *value = (int)own[i].value;
        }
    }
    for (size_t i = 0; i < sizeof fixed_ / sizeof *fixed_; i++) {
        if (fixed_[i].attribute == attribute) {
            *value = fixed_[i].value;
        }
    }
    return CUDA_OK;
}
