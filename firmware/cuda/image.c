/* SPDX-License-Identifier: Apache-2.0 */
/* A listing is read as it is. Fat binaries and cubins go through the disassembler of the CUDA tool
 * chain, in a temporary folder. */
#define _GNU_SOURCE
#include "image.h"

#include "traces/files/input_file.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FATBIN_MAGIC UINT32_C(0xba55ed50)
#define FATBIN_HEADER 16
#define MOST_CUBINS 64

static int fail_(char *error, int code, const char *text)
{
    (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "%s", text);
    return code;
}

/* The tools are not to be run with the libraries of this program. */
__attribute__((format(printf, 2, 3))) static int run_(const char *folder, const char *format, ...)
{
    char tool[1024], command[2048];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(tool, sizeof tool, format, args);
    va_end(args);
    (void)snprintf(command, sizeof command,
                   "cd '%s' && env -u LD_LIBRARY_PATH -u LD_PRELOAD %s 2>/dev/null", folder, tool);
    return system(command);
}

/* The best cubin of the folder: file names end in "sm_75.cubin". */
static int choose_(const char *folder, char *name, size_t room)
{
    unsigned sm[MOST_CUBINS], num = 0;
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir != NULL && (entry = readdir(dir)) != NULL && num < MOST_CUBINS) {
        const char *at = strstr(entry->d_name, "sm_");
        if (at != NULL && strstr(at, ".cubin") != NULL) {
            sm[num++] = (unsigned)strtoul(at + 3, NULL, 10);
        }
    }
    if (num != 0) {
        smrf_cuda_properties_prefer(sm, num);
    }
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    unsigned best = 0;
    for (unsigned i = 0; i < num; i++) { /* of the same major number, not newer */
        const bool runs = sm[i] / 10 == p->major && sm[i] % 10 <= p->minor;
        best = runs && sm[i] > best ? sm[i] : best;
    }
    if (dir != NULL) {
        rewinddir(dir);
    }
    name[0] = '\0';
    while (best != 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
        char end[32];
        (void)snprintf(end, sizeof end, "sm_%u.cubin", best);
        if (strstr(entry->d_name, end) != NULL) {
            (void)snprintf(name, room, "%s", entry->d_name);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return best != 0 ? (int)CUDA_OK : CUDA_NO_BINARY;
}

static int disassemble_(const char *folder, const void *image, uint64_t bytes, char *error)
{
    char path[128], name[512];
    (void)snprintf(path, sizeof path, "%s/image.fatbin", folder);
    FILE *out = fopen(path, "wb");
    const bool written = out != NULL && fwrite(image, 1, bytes, out) == bytes;
    if (out == NULL || fclose(out) != 0 || !written) {
        return fail_(error, CUDA_UNKNOWN, "an image cannot be written to the temporary folder");
    }
    if (run_(folder, "cuobjdump -xelf all image.fatbin >/dev/null") != 0) {
        return fail_(error, CUDA_INVALID_IMAGE,
                     "an image cannot be taken apart: cuobjdump and nvdisasm must be installed");
    }
    if (choose_(folder, name, sizeof name) != CUDA_OK) {
        return fail_(error, CUDA_NO_BINARY,
                     "an image has no machine code for the device: compile with nvcc -arch=sm_75");
    }
    return run_(folder, "nvdisasm -hex '%s' > image.sass", name) == 0
               ? (int)CUDA_OK
               : fail_(error, CUDA_INVALID_IMAGE, "nvdisasm does not take an image");
}

static int read_binary_(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                        const struct smrf_sass_where *where, char *error)
{
    char folder[] = "/tmp/smrf-image-XXXXXX", path[64], *text = NULL;
    size_t size;
    if (mkdtemp(folder) == NULL) {
        return fail_(error, CUDA_UNKNOWN, "there is no temporary folder");
    }
    int rc = disassemble_(folder, image, bytes, error);
    (void)snprintf(path, sizeof path, "%s/image.sass", folder);
    if (rc == CUDA_OK && smrf_input_read(path, SMRF_INPUT_PROGRAM_MAX, &text, &size, error,
                                         SMRF_SASS_ERROR_BYTES) != 0) {
        rc = CUDA_INVALID_IMAGE;
    }
    if (rc == CUDA_OK && smrf_sass_parse_at(module, "image", text, size, where, error) < 0) {
        rc = CUDA_INVALID_IMAGE;
    }
    free(text);
    (void)run_("/tmp", "rm -rf '%s'", folder);
    return rc;
}

int smrf_cuda_image_read(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                         const struct smrf_sass_where *where, char error[SMRF_SASS_ERROR_BYTES])
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == FATBIN_MAGIC) {
        memcpy(&bytes, (const char *)image + 8, sizeof bytes);
        return read_binary_(module, image, bytes + FATBIN_HEADER, where, error);
    }
    if (memcmp(image, "\177ELF", 4) == 0) {
        return bytes != 0 ? read_binary_(module, image, bytes, where, error)
                          : fail_(error, CUDA_INVALID_IMAGE, "a cubin of unknown size");
    }
    bytes = bytes != 0 ? bytes : strlen(image);
    if (smrf_sass_parse_at(module, "image", image, bytes, where, error) < 0) {
        return CUDA_INVALID_IMAGE;
    }
    smrf_cuda_properties_prefer(&(*module)->arch, 1);
    return CUDA_OK;
}
