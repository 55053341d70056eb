/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, functions and launches. */
#include "driver.h"
#include "graph.h"
#include "launch_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC UINT32_C(0x466243b1)
#define ELF_CLASS_64 2

/* Bytes of an ELF file in memory: to the end of its last table. Programs hand cubins over without a
 * size. */
static uint64_t elf_bytes_(const uint8_t *elf)
{
    uint64_t sections, programs, end;
    uint16_t section_bytes, num_sections, program_bytes, num_programs;
    memcpy(&programs, elf + 32, 8);
    memcpy(&sections, elf + 40, 8);
    memcpy(&program_bytes, elf + 54, 2);
    memcpy(&num_programs, elf + 56, 2);
    memcpy(&section_bytes, elf + 58, 2);
    memcpy(&num_sections, elf + 60, 2);
    end = sections + (uint64_t)section_bytes * num_sections;
    const uint64_t other = programs + (uint64_t)program_bytes * num_programs;
    end = other > end ? other : end;
    for (unsigned i = 0; i < num_sections; i++) {
        const uint8_t *s = elf + sections + (uint64_t)i * section_bytes;
        uint32_t type;
        uint64_t offset, size;
        memcpy(&type, s + 4, 4);
        memcpy(&offset, s + 24, 8);
        memcpy(&size, s + 32, 8);
        end = type != 8 && offset + size > end ? offset + size : end; /* 8: no bits in the file */
    }
    return end;
}

SMRF_CUDA_API int cuModuleLoadData(struct smrf_cuda_module **module, const void *image)
{
    int rc = smrf_driver_ready();
    uint32_t magic;
    uint64_t bytes = 0;
    if (rc != CUDA_OK || module == NULL || image == NULL) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC) {
        memcpy(&image, (const char *)image + 8, sizeof image);
    } else if (memcmp(image, "\177ELF", 4) == 0 && ((const uint8_t *)image)[4] == ELF_CLASS_64) {
        bytes = elf_bytes_(image);
    }
    rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_module_add(module, image, bytes) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_module_load(*module) : rc;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuModuleLoadDataEx(struct smrf_cuda_module **module, const void *image,
                                     unsigned number, void *options, void **values)
{
    (void)number;
    (void)options;
    (void)values;
    return cuModuleLoadData(module, image);
}
SMRF_ALSO(cuModuleLoadData, cuModuleLoadFatBinary);

SMRF_CUDA_API int cuModuleLoad(struct smrf_cuda_module **module, const char *path)
{
    FILE *in = fopen(path, "rb");
    long size = -1;
    if (in == NULL) {
        return CUDA_FILE_NOT_FOUND;
    }
    if (fseek(in, 0, SEEK_END) == 0) {
        size = ftell(in);
        rewind(in);
    }
    char *bytes = size > 0 ? malloc((size_t)size + 1) : NULL;
    int rc = CUDA_INVALID_IMAGE;
    if (bytes != NULL && fread(bytes, 1, (size_t)size, in) == (size_t)size) {
        bytes[size] = '\0';
        rc = cuModuleLoadData(module, bytes); /* read whole: nothing points into it afterwards */
    }
    free(bytes);
    (void)fclose(in);
    return rc;
}

SMRF_CUDA_API int cuModuleUnload(struct smrf_cuda_module *module)
{
    smrf_driver_forget_references(module);
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK) {
        smrf_cuda_module_remove(module);
    }
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuModuleGetFunction(struct smrf_cuda_kernel **kernel,
                                      struct smrf_cuda_module *module, const char *name)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_module_kernel(module, kernel, name) : rc;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes,
                                       struct smrf_cuda_module *module, const char *name)
{
    void *at;
    uint64_t size;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_module_symbol(module, name, &at, &size) : rc;
    if (rc == CUDA_OK && address != NULL) {
        *address = (uint64_t)(uintptr_t)at;
    }
    if (rc == CUDA_OK && bytes != NULL) {
        *bytes = size;
    }
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuModuleGetLoadingMode(int *mode)
{
    *mode = 1; /* eager */
    return CUDA_OK;
}

/* ---- functions ------------------------------------------------------------------------------- */

SMRF_CUDA_API int cuFuncGetAttribute(int *value, int attribute, const struct smrf_cuda_kernel *k)
{
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    const uint32_t version = 10 * p->major + p->minor;
    const uint32_t values[] = {smrf_cuda_kernel_max_threads(k),
                               smrf_cuda_kernel_shared(k),
                               smrf_cuda_kernel_const_bytes(k),
                               k->entry->frame_bytes,
                               k->entry->registers,
                               version,
                               version,
                               0,
                               k->max_dynamic_shared,
                               (uint32_t)k->carveout};
    const int known = (int)(sizeof values / sizeof *values);
    *value = attribute >= 0 && attribute < known ? (int)values[attribute] : 0;
    return attribute >= 0 && attribute < 16 ? CUDA_OK : CUDA_INVALID_VALUE;
}

SMRF_CUDA_API int cuFuncSetAttribute(struct smrf_cuda_kernel *k, int attribute, int value)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_kernel_set(k, attribute, value) : rc;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuFuncSetCacheConfig(struct smrf_cuda_kernel *k, int config)
{
    (void)k;
    (void)config;
    return CUDA_OK;
}
SMRF_ALSO(cuFuncSetCacheConfig, cuFuncSetSharedMemConfig);

SMRF_CUDA_API int cuFuncGetModule(struct smrf_cuda_module **module, struct smrf_cuda_kernel *k)
{
    *module = k->module;
    return CUDA_OK;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* CU_LAUNCH_PARAM_...: a list of pairs, which gives the parameters as one block. */
static bool read_extra_(void *const *extra, const void **params, uint64_t *bytes)
{
    for (; extra != NULL && extra[0] != NULL; extra += 2) {
        const uintptr_t key = (uintptr_t)extra[0];
        if (key == 1) {
            *params = extra[1];
        } else if (key == 2) {
            size_t size;
            memcpy(&size, extra[1], sizeof size);
            *bytes = size;
        }
    }
    return *params != NULL;
}

int smrf_driver_params(struct smrf_cuda_launch *l, void *const *extra)
{
    return l->args == NULL && l->kernel->entry->num_params != 0 &&
                   !read_extra_(extra, &l->params, &l->param_bytes)
               ? CUDA_INVALID_VALUE
               : CUDA_OK;
}

static int launch_(struct smrf_cuda_launch *l, void *stream, void *const *extra)
{
    int rc = smrf_driver_ready();
    rc = rc == CUDA_OK && l->kernel == NULL ? (int)CUDA_INVALID_HANDLE : rc;
    rc = rc == CUDA_OK ? smrf_driver_params(l, extra) : rc;
    if (rc != CUDA_OK) {
        return rc;
    }
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_KERNEL, .function = l->kernel, .launch = *l};
    rc = smrf_cuda_submit(stream, &w);
    return rc == CUDA_INVALID_CONFIGURATION ? (int)CUDA_INVALID_VALUE : rc;
}

SMRF_CUDA_API int cuLaunchKernel(struct smrf_cuda_kernel *k, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned x, unsigned y, unsigned z,
                                 unsigned shared, void *stream, void **args, void **extra)
{
    struct smrf_cuda_launch l = {.kernel = k,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {x, y, z},
                                 .shared = shared,
                                 .args = args};
    return launch_(&l, stream, extra);
}
SMRF_ALSO(cuLaunchKernel, cuLaunchKernel_ptsz);

SMRF_CUDA_API int cuLaunchCooperativeKernel(struct smrf_cuda_kernel *k, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned x,
                                            unsigned y, unsigned z, unsigned shared, void *stream,
                                            void **args)
{
    struct smrf_cuda_launch l = {.kernel = k,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {x, y, z},
                                 .shared = shared,
                                 .args = args,
                                 .cooperative = true};
    return launch_(&l, stream, NULL);
}
SMRF_ALSO(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz);

struct launch_config {
    unsigned grid_x, grid_y, grid_z, x, y, z, shared;
    void *stream;
    struct launch_attribute *attribute;
    unsigned num_attributes;
};

SMRF_CUDA_API int cuLaunchKernelEx(const struct launch_config *c, struct smrf_cuda_kernel *k,
                                   void **args, void **extra)
{
    struct smrf_cuda_launch l = {.kernel = k,
                                 .grid = {c->grid_x, c->grid_y, c->grid_z},
                                 .block = {c->x, c->y, c->z},
                                 .shared = c->shared,
                                 .args = args,
                                 .cooperative =
                                     smrf_cuda_cooperative(c->attribute, c->num_attributes)};
    return launch_(&l, c->stream, extra);
}
SMRF_ALSO(cuLaunchKernelEx, cuLaunchKernelEx_ptsz);
