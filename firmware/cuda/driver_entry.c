/* SPDX-License-Identifier: Apache-2.0 */
/* How a runtime that is linked into a program finds the driver's calls. */
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VERSIONS 4

/* The newest form of a call whose signature has changed: from CUDA 3.2 on, addresses have 64 bits.
 */
static void *find_(const char *name)
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
    void *found = dlsym(self, versioned);
    return found != NULL ? found : dlsym(self, name);
}

SMRF_CUDA_API int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    (void)version;
    (void)flags;
    if (name == NULL || function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *function = find_(name);
    if (getenv("SMRF_CUDA_LOG") != NULL) {
        fprintf(stderr, "cuGetProcAddress %s %s\n", name, *function ? "" : "none");
    }
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

SMRF_CUDA_API int cuGetExportTable(const void **table, const unsigned char id[16])
{
    if (getenv("SMRF_CUDA_LOG") != NULL) {
        fprintf(stderr, "cuGetExportTable ");
        for (int i = 0; i < 16; i++) {
            fprintf(stderr, "%02x", id[i]);
        }
        fprintf(stderr, "\n");
    }
    *table = NULL;
    return CUDA_NOT_FOUND;
}
