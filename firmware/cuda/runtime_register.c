/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled program tells the runtime before main: its images, and which of its own functions
 * and variables stand for which of a device's. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC UINT32_C(0x466243b1)

struct wrapper { /* what nvcc puts into a program for each image */
    uint32_t magic, version;
    const void *image, *unused;
};

enum kind { KERNEL, VARIABLE, MANAGED };

struct entry {
    const void *host; /* NULL: a free slot */
    struct smrf_cuda_module *module;
    const char *name;
    struct smrf_cuda_kernel *kernel;
    uint8_t kind;
};

struct image {
    struct image *next;
    struct smrf_cuda_module *module;
};

static struct entry *table_;
static size_t num_, room_; /* room: a power of two */
static struct image *images_;

static size_t slot_(const struct entry *table, size_t room, const void *host)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)host >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
                (room - 1);
    while (table[at].host != NULL && table[at].host != host) {
        at = (at + 1) & (room - 1);
    }
    return at;
}

static bool grow_(void)
{
    const size_t room = room_ != 0 ? 2 * room_ : 256;
    struct entry *table = calloc(room, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (size_t i = 0; i < room_; i++) {
        if (table_[i].host != NULL) {
            table[slot_(table, room, table_[i].host)] = table_[i];
        }
    }
    free(table_);
    table_ = table;
    room_ = room;
    return true;
}

static struct entry *find_(const void *host)
{
    struct entry *e = room_ != 0 ? &table_[slot_(table_, room_, host)] : NULL;
    return e != NULL && e->host != NULL ? e : NULL;
}

static void add_(void **handle, const void *host, const char *name, enum kind kind)
{
    const struct image *image = (const struct image *)(void *)handle;
    smrf_cuda_lock();
    if (image != NULL && host != NULL && (2 * num_ < room_ || grow_())) {
        struct entry *e = &table_[slot_(table_, room_, host)];
        num_ += e->host == NULL;
        *e = (struct entry){
            .host = host, .module = image->module, .name = name, .kind = (uint8_t)kind};
    }
    smrf_cuda_unlock();
}

SMRF_CUDA_API void **__cudaRegisterFatBinary(const struct wrapper *wrapper)
{
    struct image *image = calloc(1, sizeof *image);
    if (image == NULL || wrapper->magic != WRAPPER_MAGIC) {
        free(image);
        return NULL;
    }
    smrf_cuda_lock();
    if (smrf_cuda_module_add(&image->module, wrapper->image, 0) != CUDA_OK) {
        free(image);
        image = NULL;
    } else {
        image->next = images_;
        images_ = image;
    }
    smrf_cuda_unlock();
    return (void **)(void *)image;
}

SMRF_CUDA_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Not freed: destructors of the program's own may still use what is in it. */
SMRF_CUDA_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

SMRF_CUDA_API void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
                                          const char *device_name, int thread_limit, void *tid,
                                          void *bid, void *block, void *grid, int *warp_size)
{
    (void)device_function;
    (void)thread_limit;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)warp_size;
    add_(handle, host, device_name, KERNEL);
}

SMRF_CUDA_API void __cudaRegisterVar(void **handle, char *host, char *device_address,
                                     const char *device_name, int ext, size_t size, int constant,
                                     int global)
{
    (void)device_address;
    (void)ext;
    (void)size;
    (void)constant;
    (void)global;
    add_(handle, host, device_name, VARIABLE);
}

SMRF_CUDA_API void __cudaRegisterManagedVar(void **handle, void **host, char *device_address,
                                            const char *device_name, int ext, size_t size,
                                            int constant, int global)
{
    (void)device_address;
    (void)ext;
    (void)size;
    (void)constant;
    (void)global;
    add_(handle, (const void *)host, device_name, MANAGED);
}

SMRF_CUDA_API void __cudaRegisterHostVar(void **handle, const char *device_name, char *host,
                                         size_t size)
{
    (void)size;
    add_(handle, host, device_name, VARIABLE);
}

/* The program reaches a managed variable through a pointer, which this sets. */
SMRF_CUDA_API char __cudaInitModule(void **handle)
{
    const struct image *image = (const struct image *)(void *)handle;
    int rc = smrf_cuda_enter();
    for (size_t i = 0; rc == CUDA_OK && i < room_; i++) {
        struct entry *e = &table_[i];
        uint64_t bytes;
        void *address;
        if (e->host == NULL || e->kind != MANAGED || e->module != image->module) {
            continue;
        }
        rc = smrf_cuda_module_symbol(e->module, e->name, &address, &bytes);
        if (rc == CUDA_OK) {
            memcpy((void *)(uintptr_t)e->host, &address, sizeof address);
        }
    }
    smrf_cuda_unlock();
    return rc == CUDA_OK;
}

struct smrf_cuda_module *smrf_runtime_module(void **handle)
{
    return ((const struct image *)(const void *)handle)->module;
}

/* Since CUDA 12 a kernel's handle may stand for its function. */
static struct smrf_cuda_kernel *handle_(const void *handle)
{
    for (size_t i = 0; handle != NULL && i < room_; i++) {
        if (table_[i].host != NULL && table_[i].kernel == handle) {
            return table_[i].kernel;
        }
    }
    return NULL;
}

int smrf_runtime_kernel(const void *host, struct smrf_cuda_kernel **kernel)
{
    struct entry *e = find_(host);
    *kernel = e == NULL ? handle_(host) : NULL;
    if (*kernel != NULL) {
        return CUDA_OK;
    }
    if (e == NULL || e->kind != KERNEL) {
        return CUDA_INVALID_FUNCTION;
    }
    if (e->kernel == NULL) {
        int rc = smrf_cuda_module_kernel(e->module, &e->kernel, e->name);
        if (rc != CUDA_OK) {
            return rc == CUDA_NOT_FOUND ? (int)CUDA_INVALID_FUNCTION : rc;
        }
    }
    *kernel = e->kernel;
    return CUDA_OK;
}

int smrf_runtime_symbol(const void *host, void **address, uint64_t *bytes)
{
    struct entry *e = find_(host);
    if (e == NULL || e->kind == KERNEL) {
        return CUDA_INVALID_SYMBOL;
    }
    int rc = smrf_cuda_module_symbol(e->module, e->name, address, bytes);
    return rc == CUDA_NOT_FOUND ? (int)CUDA_INVALID_SYMBOL : rc;
}
