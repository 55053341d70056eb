/* SPDX-License-Identifier: Apache-2.0 */
/* How a runtime that is linked into a program finds the driver's calls. */
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Calls whose second form is younger than CUDA 3.2, where addresses got 64 bits. */
static const struct {
    const char *name;
    int version; /* that has the second form */
} young_[] = {
    {"cuGetProcAddress", 12000},
};

static bool has_second_(const char *name, int version)
{
    for (size_t i = 0; i < sizeof young_ / sizeof *young_; i++) {
        if (strcmp(name, young_[i].name) == 0) {
            return version >= young_[i].version;
        }
    }
    return true;
}

static void *find_(const char *name, int version)
{
    static void *self;
    char versioned[128];
    if (self == NULL) {
        Dl_info info;
        if (dladdr((void *)(uintptr_t)&smrf_driver_ready, &info) == 0 ||
            (self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)) == NULL) {
            return NULL;
        }
    }
    (void)snprintf(versioned, sizeof versioned, "%s_v2", name);
    void *found = has_second_(name, version) ? dlsym(self, versioned) : NULL;
    return found != NULL ? found : dlsym(self, name);
}

SMRF_CUDA_API int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    (void)flags;
    if (name == NULL || function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *function = find_(name, version);
    return *function != NULL ? CUDA_OK : CUDA_NOT_FOUND;
}

SMRF_CUDA_API int cuGetProcAddress_v2(const char *name, void **function, int version,
                                      uint64_t flags, int *status)
{
    int rc = cuGetProcAddress(name, function, version, flags);
    if (status != NULL) {
        *status = rc == CUDA_OK ? 0 : 1; /* found; no such symbol */
    }
    return rc == CUDA_NOT_FOUND ? (int)CUDA_OK : rc;
}

/* NVIDIA's runtime and driver talk to one another through tables that are not documented; the
 * runtime also asks the driver to prove that it is NVIDIA's. Neither is provided. */
SMRF_CUDA_API int cuGetExportTable(const void **table, const unsigned char id[16])
{
    (void)id;
    *table = NULL;
    return smrf_cuda_missing(
        "cuGetExportTable: a part of the program (a stripped program, or a library such as cuBLAS) "
        "has CUDA's runtime in itself, which works with NVIDIA's driver only; link it with "
        "-cudart shared, or do not strip it",
        CUDA_NOT_FOUND);
}
