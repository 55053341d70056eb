/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cubin/fatbin.h"

#include "firmware/cubin/bytes.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CONTAINER_HEADER 16u
#define ENTRY_HEADER 64u /* at least */
#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)

uint64_t smrf_fatbin_container_bytes(const void *bytes)
{
    const uint8_t *at = bytes;
    if (smrf_get32(at) != SMRF_FATBIN_MAGIC || smrf_get16(at + 6) < CONTAINER_HEADER) {
        return 0;
    }
    const uint64_t rest = smrf_get64(at + 8);
    return rest > UINT64_MAX - 65536 ? 0 : smrf_get16(at + 6) + rest;
}

static int add_entry_(struct smrf_fatbin *fatbin, const struct smrf_fatbin_entry *entry)
{
    if ((fatbin->count & (fatbin->count - 1)) == 0) { /* 0 or a power of two: full */
        const size_t room = fatbin->count ? 2 * (size_t)fatbin->count : 1;
        struct smrf_fatbin_entry *more = realloc(fatbin->entry, room * sizeof *more);
        if (!more) {
            return SMRF_ERR_NOMEM;
        }
        fatbin->entry = more;
    }
    fatbin->entry[fatbin->count++] = *entry;
    return 0;
}

/* One entry at `at`, of which `left` bytes are there. Its length goes to *length. */
static int read_entry_(struct smrf_fatbin *fatbin, const char *name, const uint8_t *at,
                       uint64_t left, uint64_t *length, char error[SMRF_SASS_ERROR_BYTES])
{
    if (left < ENTRY_HEADER) {
        return smrf_code_fail(error, SMRF_ERR_CORRUPT, name, "an entry's header is cut short");
    }
    const uint64_t header = smrf_get32(at + 4), padded = smrf_get64(at + 8);
    const uint64_t packed = smrf_get32(at + 16);
    struct smrf_fatbin_entry entry = {.image = at + header,
                                      .stored_bytes = padded,
                                      .bytes = padded,
                                      .flags = smrf_get64(at + 40),
                                      .kind = smrf_get16(at),
                                      .arch = (uint16_t)smrf_get32(at + 28),
                                      .container = fatbin->containers};
    if (header < ENTRY_HEADER || header > left || padded > left - header || packed > padded) {
        return smrf_code_fail(error, SMRF_ERR_CORRUPT, name,
                              "an entry for sm_%u is larger than its container", entry.arch);
    }
    if (entry.flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        entry.stored_bytes = packed;
        entry.bytes = smrf_get64(at + 56);
    }
    *length = header + padded;
    return add_entry_(fatbin, &entry) < 0
               ? smrf_code_fail(error, SMRF_ERR_NOMEM, name, "out of memory")
               : 0;
}

static int read_container_(struct smrf_fatbin *fatbin, const char *name, const uint8_t *at,
                           uint64_t left, uint64_t *length, char error[SMRF_SASS_ERROR_BYTES])
{
    const uint64_t size = left < CONTAINER_HEADER ? 0 : smrf_fatbin_container_bytes(at);
    if (size == 0) {
        return smrf_code_fail(error, SMRF_ERR_FORMAT, name,
                              "no fat binary's header where one is expected");
    }
    if (size > left) {
        return smrf_code_fail(error, SMRF_ERR_CORRUPT, name,
                              "the fat binary is cut short: %llu bytes of %llu",
                              (unsigned long long)left, (unsigned long long)size);
    }
    for (uint64_t offset = smrf_get16(at + 6); offset < size;) {
        uint64_t entry = 0;
        int rc = read_entry_(fatbin, name, at + offset, size - offset, &entry, error);
        if (rc < 0) {
            return rc;
        }
        offset += entry;
    }
    fatbin->containers++;
    *length = size;
    return 0;
}

int smrf_fatbin_read(struct smrf_fatbin *fatbin, const char *name, const void *bytes, uint64_t size,
                     char error[SMRF_SASS_ERROR_BYTES])
{
    const uint8_t *at = bytes;
    memset(fatbin, 0, sizeof *fatbin);
    for (uint64_t offset = 0; offset < size;) {
        if (size - offset >= 8 && smrf_get64(at + offset) == 0) { /* padding between two */
            offset += 8;
            continue;
        }
        uint64_t length = 0;
        int rc = read_container_(fatbin, name, at + offset, size - offset, &length, error);
        if (rc < 0) {
            smrf_fatbin_free(fatbin);
            return rc;
        }
        offset += (length + 7) & ~UINT64_C(7);
    }
    if (fatbin->containers == 0) {
        return smrf_code_fail(error, SMRF_ERR_FORMAT, name, "there is no fat binary in it");
    }
    return 0;
}

void smrf_fatbin_free(struct smrf_fatbin *fatbin)
{
    free(fatbin->entry);
    memset(fatbin, 0, sizeof *fatbin);
}

bool smrf_fatbin_runs_on(unsigned code, unsigned arch)
{
    return code <= arch && code / 10 == arch / 10;
}

/* "sm_80, PTX of sm_90": what a container has. */
static void list_entries_(const struct smrf_fatbin *fatbin, uint32_t container, char list[200])
{
    size_t used = 0;
    list[0] = 0;
    for (uint32_t i = 0; i < fatbin->count && used < 160; i++) {
        const struct smrf_fatbin_entry *e = &fatbin->entry[i];
        if (e->container == container) {
            used += (size_t)snprintf(list + used, 40, "%s%ssm_%u", used ? ", " : "",
                                     e->kind == SMRF_FATBIN_PTX ? "PTX of " : "", e->arch);
        }
    }
    if (used == 0) {
        (void)snprintf(list, 40, "nothing");
    }
}

/* Has it machine code for any device? */
static bool is_executable_(const struct smrf_fatbin *fatbin, uint32_t container)
{
    bool any = false;
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const struct smrf_fatbin_entry *e = &fatbin->entry[i];
        any = any || (e->container == container && e->kind == SMRF_FATBIN_ELF &&
                      smrf_sass_arch_known(e->arch));
    }
    return any;
}

const struct smrf_fatbin_entry *smrf_fatbin_choose(const struct smrf_fatbin *fatbin,
                                                   uint32_t container, unsigned arch,
                                                   const char *name,
                                                   char error[SMRF_SASS_ERROR_BYTES])
{
    const struct smrf_fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const struct smrf_fatbin_entry *e = &fatbin->entry[i];
        if (e->container == container && e->kind == SMRF_FATBIN_ELF &&
            smrf_fatbin_runs_on(e->arch, arch) && (!best || e->arch > best->arch)) {
            best = e;
        }
    }
    if (!best) {
        char list[200];
        list_entries_(fatbin, container, list);
        (void)smrf_code_fail(error, SMRF_ERR_UNKNOWN, name,
                             "no machine code for sm_%u (there is: %s): compile with nvcc "
                             "-gencode arch=compute_%u,code=sm_%u%s",
                             arch, list, arch, arch,
                             is_executable_(fatbin, container) ? ", or choose a device with --arch"
                                                               : "");
    }
    return best;
}

static bool unpack_into_(const struct smrf_fatbin_entry *entry, uint8_t *to)
{
    if (entry->flags & FLAG_ZSTD) {
        return ZSTD_decompress(to, entry->bytes, entry->image, entry->stored_bytes) == entry->bytes;
    }
    if (entry->flags & FLAG_LZ4) {
        return LZ4_decompress_safe((const char *)entry->image, (char *)to, (int)entry->stored_bytes,
                                   (int)entry->bytes) == (int)entry->bytes;
    }
    memcpy(to, entry->image, entry->bytes);
    return true;
}

int smrf_fatbin_unpack(const struct smrf_fatbin_entry *entry, const char *name, uint8_t **bytes,
                       size_t *size, char error[SMRF_SASS_ERROR_BYTES])
{
    *bytes = NULL;
    *size = 0;
    if (entry->bytes > SMRF_FATBIN_MAX_IMAGE || entry->stored_bytes > SMRF_FATBIN_MAX_IMAGE) {
        return smrf_code_fail(error, SMRF_ERR_LIMIT, name,
                              "the image for sm_%u is larger than %llu bytes", entry->arch,
                              (unsigned long long)SMRF_FATBIN_MAX_IMAGE);
    }
    uint8_t *to = malloc(entry->bytes + 1);
    if (!to) {
        return smrf_code_fail(error, SMRF_ERR_NOMEM, name, "out of memory");
    }
    if (!unpack_into_(entry, to)) {
        free(to);
        return smrf_code_fail(error, SMRF_ERR_CORRUPT, name,
                              "the packed image for sm_%u cannot be unpacked", entry->arch);
    }
    to[entry->bytes] = 0;
    *bytes = to;
    *size = entry->bytes;
    return 0;
}
