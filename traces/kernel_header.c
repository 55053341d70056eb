/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "kernel_header.h"

#include "models/common/smrf_err.h"
#include "traces/files/escape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES 96 /* longest value but the kernel's name */

void smrf_header_init(struct smrf_kernel_header *h)
{
    *h = (struct smrf_kernel_header){0};
}

void smrf_header_free(struct smrf_kernel_header *h)
{
    free(h->name);
    smrf_header_init(h);
}

static int refuse_(struct smrf_kernel_header *h, const char *reason)
{
    h->reason = reason;
    return SMRF_ERR_FORMAT;
}

static bool unsigned_(const char *text, int base, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, base);
    if (end == text || *text == '-' || errno != 0 || v > most || (*end != '\0' && *end != ' ')) {
        return false;
    }
    *out = v;
    return true;
}

static bool dim3_(const char *text, struct smrf_dim3 *out)
{
    uint32_t v[3];
    const char *p = text;
    if (*p++ != '(') {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long long n = strtoull(p, &end, 10);
        if (end == p || *p == '-' || errno != 0 || n == 0 || n > INT32_MAX ||
            *end != (i < 2 ? ',' : ')')) {
            return false;
        }
        v[i] = (uint32_t)n;
        p = end + 1;
    }
    *out = (struct smrf_dim3){v[0], v[1], v[2]};
    return true;
}

static int block_dim_(struct smrf_kernel_header *h, const char *text)
{
    if (!dim3_(text, &h->info.block)) {
        return refuse_(h, "'block dim' must read (x,y,z) with numbers from 1 on");
    }
    uint64_t threads = (uint64_t)h->info.block.x * h->info.block.y;
    if (threads <= SMRF_BLOCK_WARPS_MAX * SMRF_LANES) {
        threads *= h->info.block.z;
    }
    h->has_block = true;
    if (threads > SMRF_BLOCK_WARPS_MAX * SMRF_LANES) {
        h->reason = "'block dim' has more than 2048 threads";
        return SMRF_ERR_LIMIT;
    }
    return 0;
}

static int version_(struct smrf_kernel_header *h, const char *text)
{
    char *end;
    long v = strtol(text, &end, 10); /* "1.2" counts as 1, as in Accel-Sim */
    if (end == text || v < 0) {
        return refuse_(h, "'accelsim tracer version' must be a number from 0 to 6");
    }
    if (v > 6) {
        return refuse_(h, "tracer versions above 6 are not known; convert the trace to version 5");
    }
    h->info.tracer_version = (uint32_t)v;
    return 0;
}

/* Names the key, its value and what it may be. */
static int out_of_range_(struct smrf_kernel_header *h, const char *key, const char *text,
                         bool address, uint64_t most)
{
    if (address) {
        snprintf(h->text, sizeof h->text, "'%s' must be a hexadecimal address, not '%.40s'", key,
                 text);
    } else {
        snprintf(h->text, sizeof h->text, "'%s' must be a number from 0 to %llu, not '%.40s'%s",
                 key, (unsigned long long)most, text,
                 strcmp(key, "nregs") == 0
                     ? ": the tracer could not ask for it; put in what the compiler states"
                     : "");
    }
    return refuse_(h, h->text);
}

static int number_(struct smrf_kernel_header *h, const char *key, const char *text)
{
    struct {
        const char *key;
        uint64_t most;
        uint64_t value;
    } f[] = {{"kernel id", UINT32_MAX, h->info.id},
             {"shmem", UINT32_MAX, h->info.shared_bytes},
             {"nregs", 255 + 1, h->info.num_regs},
             {"binary version", 1000, h->info.binary_version},
             {"cuda stream id", UINT64_MAX, h->info.stream},
             {"shmem base_addr", UINT64_MAX, h->info.shared_window},
             {"local mem base_addr", UINT64_MAX, h->info.local_window},
             {"enable lineinfo", 1, h->line_numbers}};
    for (size_t i = 0; i < sizeof f / sizeof f[0]; i++) {
        bool address = strstr(f[i].key, "addr") != NULL;
        if (strcmp(key, f[i].key) != 0) {
            continue;
        }
        if (!unsigned_(text, address ? 16 : 10, f[i].most, &f[i].value)) {
            return out_of_range_(h, key, text, address, f[i].most);
        }
        h->has_shared |= i == 1;
        h->has_regs |= i == 2;
    }
    h->info.id = (uint32_t)f[0].value;
    h->info.shared_bytes = f[1].value;
    h->info.num_regs = (uint32_t)f[2].value;
    h->info.binary_version = (uint32_t)f[3].value;
    h->info.stream = f[4].value;
    h->info.shared_window = f[5].value;
    h->info.local_window = f[6].value;
    h->line_numbers = f[7].value != 0;
    return 0;
}

/* Key and value of a line, blanks around them dropped. */
static bool split_(const char *line, size_t bytes, char key[VALUE_BYTES], const char **value,
                   size_t *value_bytes)
{
    while (bytes > 0 &&
           (line[bytes - 1] == ' ' || line[bytes - 1] == '\t' || line[bytes - 1] == '\r')) {
        bytes--;
    }
    const char *equals = memchr(line, '=', bytes);
    if (bytes == 0 || line[0] != '-' || equals == NULL) {
        return false;
    }
    size_t n = (size_t)(equals - line - 1);
    while (n > 0 && line[n] == ' ') {
        n--;
    }
    if (n >= VALUE_BYTES) {
        return false;
    }
    memcpy(key, line + 1, n);
    key[n] = '\0';
    const char *v = equals + 1;
    while (v < line + bytes && (*v == ' ' || *v == '\t')) {
        v++;
    }
    *value = v;
    *value_bytes = (size_t)(line + bytes - v);
    return true;
}

int smrf_header_line(struct smrf_kernel_header *h, const char *line, size_t bytes)
{
    char key[VALUE_BYTES];
    char text[VALUE_BYTES];
    const char *value;
    size_t n;
    if (memchr(line, '\0', bytes) != NULL) {
        return refuse_(h, "the line holds a NUL byte");
    }
    if (!split_(line, bytes, key, &value, &n)) {
        return refuse_(h, "a header line must read '-key = value'");
    }
    if (strcmp(key, "kernel name") == 0) {
        free(h->name);
        h->name = smrf_utf8(value, n);
        h->info.name = h->name;
        return h->name != NULL ? 0 : SMRF_ERR_NOMEM;
    }
    if (n >= VALUE_BYTES) {
        n = VALUE_BYTES - 1; /* only a key that we do not know can have such a value */
    }
    memcpy(text, value, n);
    text[n] = '\0';
    if (strcmp(key, "grid dim") == 0) {
        h->has_grid = dim3_(text, &h->info.grid);
        return h->has_grid ? 0 : refuse_(h, "'grid dim' must read (x,y,z) with numbers from 1 on");
    }
    if (strcmp(key, "block dim") == 0) {
        return block_dim_(h, text);
    }
    if (strcmp(key, "accelsim tracer version") == 0) {
        return version_(h, text);
    }
    return number_(h, key, text);
}

int smrf_header_check(struct smrf_kernel_header *h)
{
    if (!h->has_grid) {
        return refuse_(h, "the header has no '-grid dim = (x,y,z)' line");
    }
    if (!h->has_block) {
        return refuse_(h, "the header has no '-block dim = (x,y,z)' line");
    }
    if (h->name == NULL) {
        h->name = strdup("");
        h->info.name = h->name;
    }
    return h->name != NULL ? 0 : SMRF_ERR_NOMEM;
}

uint32_t smrf_header_warps(const struct smrf_kernel_header *h)
{
    uint32_t threads = h->info.block.x * h->info.block.y * h->info.block.z;
    return (threads + SMRF_LANES - 1) / SMRF_LANES;
}
