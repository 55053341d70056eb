/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries: what nvcc puts into a host program, one image of a CUDA file for each architecture.
 * A container has a header of 16 bytes (magic 0xba55ed50) and entries, each with a header of 64
 * bytes and the image behind it: text of PTX, or machine code as an ELF file (a cubin), plain, as
 * an LZ4 block or as a zstd frame. Several containers may lie one behind the other. */
#ifndef SMRF_CUBIN_FATBIN_H
#define SMRF_CUBIN_FATBIN_H

#include "firmware/sass/sass.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_FATBIN_MAGIC UINT32_C(0xba55ed50)         /* of a container */
#define SMRF_FATBIN_WRAPPER_MAGIC UINT32_C(0x466243b1) /* of what __cudaRegisterFatBinary gets */
#define SMRF_FATBIN_MAX_IMAGE (UINT64_C(1) << 30)      /* bytes of one image, unpacked */

enum smrf_fatbin_kind { SMRF_FATBIN_PTX = 1, SMRF_FATBIN_ELF = 2 };

struct smrf_fatbin_entry {
    const uint8_t *image;  /* as stored; points into the fat binary */
    uint64_t stored_bytes; /* of it */
    uint64_t bytes;        /* unpacked; stored_bytes of an image that is not packed */
    uint64_t flags;        /* 0x2000: LZ4 block, 0x8000: zstd frame */
    uint16_t kind;      /* enum smrf_fatbin_kind; others exist and are skipped by their readers */
    uint16_t arch;      /* 75 of sm_75 */
    uint32_t container; /* which of several, from 0 on: entries of one are alternatives */
};

struct smrf_fatbin {
    struct smrf_fatbin_entry *entry;
    uint32_t count, containers;
};

/* Reads the containers that lie in `size` bytes (8-byte aligned, padding between them allowed).
 * The entries point into `bytes`, which must outlive them. 0, or SMRF_ERR_{FORMAT,CORRUPT,NOMEM}
 * with error "name: reason"; then *fatbin is empty. */
int smrf_fatbin_read(struct smrf_fatbin *fatbin, const char *name, const void *bytes, uint64_t size,
                     char error[SMRF_SASS_ERROR_BYTES]);
void smrf_fatbin_free(struct smrf_fatbin *fatbin);
/* Bytes of the container that begins at `bytes`, header included, as its header says: what
 * __cudaRegisterFatBinary's wrapper points to comes without a size. 0 = not a container. */
uint64_t smrf_fatbin_container_bytes(const void *bytes);

/* The cubin of a container for a GPU of architecture `arch`: the newest of the same major number
 * that is not newer. NULL, and error tells what is there instead and the option of nvcc. */
const struct smrf_fatbin_entry *smrf_fatbin_choose(const struct smrf_fatbin *fatbin,
                                                   uint32_t container, unsigned arch,
                                                   const char *name,
                                                   char error[SMRF_SASS_ERROR_BYTES]);
/* Whether machine code for sm_<code> runs on a GPU of sm_<arch>. */
bool smrf_fatbin_runs_on(unsigned code, unsigned arch);

/* The entry's image, unpacked, in memory of malloc. 0 or SMRF_ERR_{UNKNOWN,CORRUPT,LIMIT,NOMEM}. */
int smrf_fatbin_unpack(const struct smrf_fatbin_entry *entry, const char *name, uint8_t **bytes,
                       size_t *size, char error[SMRF_SASS_ERROR_BYTES]);

/* What a file is: an object of machine code, something that holds fat binaries, or a text. */
enum smrf_code_file { SMRF_CODE_LISTING, SMRF_CODE_CUBIN, SMRF_CODE_FATBIN, SMRF_CODE_PROGRAM };

/* A file with device code: a program or object of the host (sections .nv_fatbin and
 * __nv_relfatbin), a fat binary, a cubin, or a listing. */
struct smrf_code {
    enum smrf_code_file file;
    uint8_t *bytes; /* the file */
    size_t size;
    struct smrf_fatbin fatbin; /* PROGRAM, FATBIN */
};

/* SMRF_ERR_{IO,FORMAT,CORRUPT,NOMEM}; a program without device code is an error. */
int smrf_code_open(struct smrf_code *code, const char *path, char error[SMRF_SASS_ERROR_BYTES]);
/* The same of a file's bytes, which are copied; name: for messages. */
int smrf_code_open_bytes(struct smrf_code *code, const char *name, const void *bytes, size_t size,
                         char error[SMRF_SASS_ERROR_BYTES]);
void smrf_code_close(struct smrf_code *code);
/* Modules of the file: containers of a program, else 1. */
uint32_t smrf_code_modules(const struct smrf_code *code);
/* Module i for architecture arch (0 = the oldest that is there), placed at `where`. As
 * smrf_cubin_load. */
int smrf_code_load(const struct smrf_code *code, uint32_t i, unsigned arch, const char *path,
                   const struct smrf_sass_where *where, struct smrf_sass_module **module,
                   char error[SMRF_SASS_ERROR_BYTES]);
/* The only module of a file; SMRF_ERR_INVAL: it has several. */
int smrf_code_load_file(const char *path, unsigned arch, const struct smrf_sass_where *where,
                        struct smrf_sass_module **module, char error[SMRF_SASS_ERROR_BYTES]);
/* The same of a file's bytes; a listing among them is not compressed. */
int smrf_code_load_bytes(const char *name, const void *bytes, size_t size, unsigned arch,
                         const struct smrf_sass_where *where, struct smrf_sass_module **module,
                         char error[SMRF_SASS_ERROR_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
