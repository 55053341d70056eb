/* SPDX-License-Identifier: Apache-2.0 */
/* Files with device code: told apart by their first bytes. */
#include "firmware/cubin/cubin.h"
#include "firmware/cubin/fatbin.h"

#include "firmware/cubin/bytes.h"
#include "traces/files/input_file.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((uint64_t)4 << 30)

/* Sections of a host's file, one behind the other: its containers are numbered through. */
static int append_(struct smrf_fatbin *all, struct smrf_fatbin *more)
{
    struct smrf_fatbin_entry *entry =
        realloc(all->entry, (all->count + (size_t)more->count + 1) * sizeof *entry);
    if (!entry) {
        return SMRF_ERR_NOMEM;
    }
    all->entry = entry;
    for (uint32_t i = 0; i < more->count; i++) {
        entry[all->count] = more->entry[i];
        entry[all->count++].container += all->containers;
    }
    all->containers += more->containers;
    return 0;
}

static int read_section_(struct smrf_code *code, Elf_Scn *scn, const char *path,
                         char error[SMRF_SASS_ERROR_BYTES])
{
    const Elf_Data *data = elf_rawdata(scn, NULL);
    struct smrf_fatbin part;
    if (!data || !data->d_buf || data->d_size == 0) {
        return 0;
    }
    int rc = smrf_fatbin_read(&part, path, data->d_buf, data->d_size, error);
    if (rc == 0 && append_(&code->fatbin, &part) < 0) {
        rc = smrf_code_fail(error, SMRF_ERR_NOMEM, path, "out of memory");
    }
    smrf_fatbin_free(&part);
    return rc;
}

static int read_program_(struct smrf_code *code, const char *path,
                         char error[SMRF_SASS_ERROR_BYTES])
{
    size_t names;
    int rc = 0;
    Elf *elf =
        elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)code->bytes, code->size);
    if (!elf || elf_getshdrstrndx(elf, &names) < 0) {
        elf_end(elf);
        return smrf_code_fail(error, SMRF_ERR_CORRUPT, path, "damaged ELF file");
    }
    for (Elf_Scn *scn = NULL; rc == 0 && (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && (!strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin"))) {
            rc = read_section_(code, scn, path, error);
        }
    }
    elf_end(elf);
    if (rc == 0 && code->fatbin.containers == 0) {
        rc = smrf_code_fail(error, SMRF_ERR_FORMAT, path,
                            "the program holds no device code (no section .nv_fatbin)");
    }
    return rc;
}

/* What its bytes are. */
static int classify_(struct smrf_code *code, const char *path, char error[SMRF_SASS_ERROR_BYTES])
{
    int rc = 0;
    if (code->size >= 4 && smrf_get32(code->bytes) == SMRF_FATBIN_MAGIC) {
        code->file = SMRF_CODE_FATBIN;
        rc = smrf_fatbin_read(&code->fatbin, path, code->bytes, code->size, error);
    } else if (smrf_cubin_arch(code->bytes, code->size) != 0) {
        code->file = SMRF_CODE_CUBIN;
    } else if (code->size >= 4 && memcmp(code->bytes, "\177ELF", 4) == 0) {
        code->file = SMRF_CODE_PROGRAM;
        rc = read_program_(code, path, error);
    }
    if (rc < 0) {
        smrf_code_close(code);
    }
    return rc;
}

int smrf_code_open(struct smrf_code *code, const char *path, char error[SMRF_SASS_ERROR_BYTES])
{
    memset(code, 0, sizeof *code);
    error[0] = 0;
    const int rc = smrf_input_read_bytes(path, FILE_MAX, (char **)&code->bytes, &code->size, error,
                                         SMRF_SASS_ERROR_BYTES);
    return rc < 0 ? rc : classify_(code, path, error);
}

int smrf_code_open_bytes(struct smrf_code *code, const char *name, const void *bytes, size_t size,
                         char error[SMRF_SASS_ERROR_BYTES])
{
    memset(code, 0, sizeof *code);
    error[0] = 0;
    code->bytes = malloc(size + 1);
    if (!code->bytes) {
        return smrf_code_fail(error, SMRF_ERR_NOMEM, name, "out of memory");
    }
    memcpy(code->bytes, bytes, size);
    code->size = size;
    return classify_(code, name, error);
}

void smrf_code_close(struct smrf_code *code)
{
    smrf_fatbin_free(&code->fatbin);
    free(code->bytes);
    memset(code, 0, sizeof *code);
}

uint32_t smrf_code_modules(const struct smrf_code *code)
{
    const bool several = code->file == SMRF_CODE_PROGRAM || code->file == SMRF_CODE_FATBIN;
    return several ? code->fatbin.containers : 1;
}

static unsigned oldest_(const struct smrf_code *code, uint32_t container)
{
    unsigned arch = UINT_MAX;
    for (uint32_t i = 0; i < code->fatbin.count; i++) {
        const struct smrf_fatbin_entry *e = &code->fatbin.entry[i];
        if (e->container == container && e->kind == SMRF_FATBIN_ELF && e->arch < arch &&
            smrf_sass_arch_known(e->arch)) {
            arch = e->arch;
        }
    }
    return arch != UINT_MAX ? arch : 75;
}

int smrf_code_load(const struct smrf_code *code, uint32_t i, unsigned arch, const char *path,
                   const struct smrf_sass_where *where, struct smrf_sass_module **module,
                   char error[SMRF_SASS_ERROR_BYTES])
{
    *module = NULL;
    error[0] = 0;
    if (code->file == SMRF_CODE_LISTING) {
        return smrf_sass_parse_at(module, path, (const char *)code->bytes, code->size, where,
                                  error);
    }
    if (code->file == SMRF_CODE_CUBIN) {
        return smrf_cubin_load(module, path, code->bytes, code->size, where, error);
    }
    const struct smrf_fatbin_entry *entry =
        smrf_fatbin_choose(&code->fatbin, i, arch ? arch : oldest_(code, i), path, error);
    uint8_t *cubin;
    size_t size;
    int rc = entry ? smrf_fatbin_unpack(entry, path, &cubin, &size, error) : SMRF_ERR_UNKNOWN;
    if (rc == 0) {
        rc = smrf_cubin_load(module, path, cubin, size, where, error);
        free(cubin);
    }
    return rc;
}

static int only_module_(const struct smrf_code *code, unsigned arch, const char *path,
                        const struct smrf_sass_where *where, struct smrf_sass_module **module,
                        char error[SMRF_SASS_ERROR_BYTES])
{
    const uint32_t modules = smrf_code_modules(code);
    return modules == 1
               ? smrf_code_load(code, 0, arch, path, where, module, error)
               : smrf_code_fail(error, SMRF_ERR_INVAL, path,
                                "holds %u modules: give the cubin or fat binary of one", modules);
}

int smrf_code_load_file(const char *path, unsigned arch, const struct smrf_sass_where *where,
                        struct smrf_sass_module **module, char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_code code;
    *module = NULL;
    int rc = smrf_code_open(&code, path, error);
    if (rc < 0) {
        return rc;
    }
    rc = code.file == SMRF_CODE_LISTING /* compressed, perhaps */
             ? smrf_sass_load_at(module, path, where, error)
             : only_module_(&code, arch, path, where, module, error);
    smrf_code_close(&code);
    return rc;
}

int smrf_code_load_bytes(const char *name, const void *bytes, size_t size, unsigned arch,
                         const struct smrf_sass_where *where, struct smrf_sass_module **module,
                         char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_code code;
    *module = NULL;
    int rc = smrf_code_open_bytes(&code, name, bytes, size, error);
    if (rc == 0) {
        rc = only_module_(&code, arch, name, where, module, error);
        smrf_code_close(&code);
    }
    return rc;
}
