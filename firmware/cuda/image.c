/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "firmware/cubin/cubin.h"
#include "firmware/cubin/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "image"
#define MOST_CUBINS 64

static int fail_(char *error, int code, const char *text)
{
    (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "%s", text);
    return code;
}

static int code_of_(int err)
{
    return err >= 0 ? (int)CUDA_OK : err == SMRF_ERR_NOMEM ? CUDA_NO_MEMORY : CUDA_INVALID_IMAGE;
}

static int read_cubin_(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                       const struct smrf_sass_where *where, char *error)
{
    const unsigned arch = smrf_cubin_arch(image, bytes);
    if (arch == 0) {
        return fail_(error, CUDA_INVALID_IMAGE, "an ELF file that is no cubin");
    }
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    if (!smrf_fatbin_runs_on(arch, 10 * p->major + p->minor)) {
        (void)snprintf(error, SMRF_SASS_ERROR_BYTES,
                       "a cubin for sm_%u does not run on a device of sm_%u", arch,
                       10 * p->major + p->minor);
        return CUDA_NO_BINARY;
    }
    return code_of_(smrf_cubin_load(module, NAME, image, bytes, where, error));
}

static int read_fatbin_(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                        const struct smrf_sass_where *where, char *error)
{
    struct smrf_fatbin fatbin;
    uint8_t *cubin = NULL;
    size_t size;
    int rc = code_of_(smrf_fatbin_read(&fatbin, NAME, image, bytes, error));
    if (rc != CUDA_OK) {
        return rc;
    }
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    const struct smrf_fatbin_entry *entry =
        smrf_fatbin_choose(&fatbin, 0, 10 * p->major + p->minor, NAME, error);
    rc = entry ? code_of_(smrf_fatbin_unpack(entry, NAME, &cubin, &size, error)) : CUDA_NO_BINARY;
    if (rc == CUDA_OK) {
        rc = code_of_(smrf_cubin_load(module, NAME, cubin, size, where, error));
    }
    free(cubin);
    smrf_fatbin_free(&fatbin);
    return rc;
}

void smrf_cuda_image_offer(const void *image, uint64_t bytes)
{
    char error[SMRF_SASS_ERROR_BYTES];
    unsigned sm[MOST_CUBINS], num = 0;
    struct smrf_fatbin fatbin = {0};
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == SMRF_FATBIN_MAGIC) {
        bytes = smrf_fatbin_container_bytes(image);
        (void)smrf_fatbin_read(&fatbin, NAME, image, bytes, error); /* else the reader complains */
    } else if (bytes != 0) {
        sm[0] = smrf_cubin_arch(image, bytes);
        num = smrf_sass_arch_known(sm[0]) ? 1 : 0;
    }
    for (uint32_t i = 0; i < fatbin.count && num < MOST_CUBINS; i++) {
        const struct smrf_fatbin_entry *e = &fatbin.entry[i];
        if (e->kind == SMRF_FATBIN_ELF && smrf_sass_arch_known(e->arch)) {
            sm[num++] = e->arch;
        }
    }
    smrf_fatbin_free(&fatbin);
    if (num != 0) {
        smrf_cuda_properties_offer(sm, num);
    }
}

int smrf_cuda_image_read(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                         const struct smrf_sass_where *where, char error[SMRF_SASS_ERROR_BYTES])
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == SMRF_FATBIN_MAGIC) {
        bytes = smrf_fatbin_container_bytes(image);
        return bytes != 0 ? read_fatbin_(module, image, bytes, where, error)
                          : fail_(error, CUDA_INVALID_IMAGE, "a damaged header of a fat binary");
    }
    if (memcmp(image, "\177ELF", 4) == 0) {
        return bytes != 0 ? read_cubin_(module, image, bytes, where, error)
                          : fail_(error, CUDA_INVALID_IMAGE, "a cubin of unknown size");
    }
    bytes = bytes != 0 ? bytes : strlen(image);
    return code_of_(smrf_sass_parse_at(module, NAME, image, bytes, where, error));
}
