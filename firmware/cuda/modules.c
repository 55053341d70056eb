/* SPDX-License-Identifier: Apache-2.0 */
/* Images, and what programs name in them. An image is read when something of it is first used:
 * libraries register hundreds of kernels and launch a few. */
#include "core.h"
#include "image.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct smrf_cuda_module {
    const void *image;
    uint64_t bytes;
    struct smrf_device_module *device; /* NULL: not read yet */
    int error;                         /* of reading it */
    struct smrf_cuda_kernel *kernels;
};

int smrf_cuda_module_add(struct smrf_cuda_module **module, const void *image, uint64_t bytes)
{
    struct smrf_cuda_module *m = calloc(1, sizeof *m);
    *module = m;
    if (m == NULL) {
        return CUDA_NO_MEMORY;
    }
    m->image = image;
    m->bytes = bytes;
    smrf_cuda_image_offer(image, bytes);
    return CUDA_OK;
}

int smrf_cuda_module_load(struct smrf_cuda_module *m)
{
    char error[SMRF_SASS_ERROR_BYTES] = "";
    struct smrf_sass_module *sass;
    if (m->device != NULL || m->error != CUDA_OK) {
        return m->error;
    }
    m->error = smrf_cuda_image_read(&sass, m->image, m->bytes, smrf_device_next(smrf_cuda_device()),
                                    error);
    if (m->error == CUDA_OK && smrf_device_adopt(smrf_cuda_device(), &m->device, sass) < 0) {
        (void)snprintf(error, sizeof error, "%s", smrf_device_error(smrf_cuda_device()));
        m->device = NULL;
        m->error = CUDA_NO_MEMORY;
    }
    if (m->error != CUDA_OK) {
        fprintf(stderr, "smrf: %s\n", error);
        smrf_session_note(SMRF_NOTE_REFUSED, error);
    }
    return m->error;
}

void smrf_cuda_module_remove(struct smrf_cuda_module *m)
{
    while (m->kernels != NULL) {
        struct smrf_cuda_kernel *next = m->kernels->next;
        free(m->kernels);
        m->kernels = next;
    }
    if (m->device != NULL) {
        (void)smrf_device_unload(m->device);
    }
    free(m);
}

struct smrf_device_module *smrf_cuda_module_device(struct smrf_cuda_module *module)
{
    return module->device;
}

int smrf_cuda_module_kernel(struct smrf_cuda_module *m, struct smrf_cuda_kernel **kernel,
                            const char *name)
{
    int rc = smrf_cuda_module_load(m);
    *kernel = NULL;
    if (rc != CUDA_OK) {
        return rc;
    }
    const struct smrf_sass_function *f = smrf_sass_find(smrf_device_module_info(m->device), name);
    if (f == NULL || !f->entry || strcmp(f->name, name) != 0) {
        return CUDA_NOT_FOUND;
    }
    for (struct smrf_cuda_kernel *k = m->kernels; k != NULL; k = k->next) {
        if (k->entry == f) {
            *kernel = k;
            return CUDA_OK;
        }
    }
    struct smrf_cuda_kernel *k = calloc(1, sizeof *k);
    if (k == NULL) {
        return CUDA_NO_MEMORY;
    }
    *k = (struct smrf_cuda_kernel){.next = m->kernels,
                                   .module = m,
                                   .entry = f,
                                   .max_dynamic_shared = UINT32_C(48) << 10,
                                   .carveout = -1};
    const uint32_t used = smrf_cuda_kernel_shared(k);
    k->max_dynamic_shared -= used < k->max_dynamic_shared ? used : k->max_dynamic_shared;
    m->kernels = k;
    *kernel = k;
    return CUDA_OK;
}

bool smrf_cuda_module_names(struct smrf_cuda_module *m, const char *name)
{
    return smrf_cuda_module_load(m) == CUDA_OK && smrf_device_names(m->device, name);
}

int smrf_cuda_module_symbol(struct smrf_cuda_module *m, const char *name, void **address,
                            uint64_t *bytes)
{
    int rc = smrf_cuda_module_load(m);
    smrf_dptr at;
    if (rc != CUDA_OK) {
        return rc;
    }
    if (smrf_device_symbol_address(m->device, name, &at, bytes) < 0) {
        return CUDA_NOT_FOUND;
    }
    *address = (void *)(uintptr_t)at;
    return CUDA_OK;
}
