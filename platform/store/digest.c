/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "digest.h"

#include "models/common/smrf_err.h"
#include "platform/workload.h"
#include "traces/files/input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint64_t smrf_digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

uint64_t smrf_digest_string(uint64_t digest, const char *text)
{
    return smrf_digest_bytes(digest, text, strlen(text) + 1);
}

void smrf_digest_text(uint64_t digest, char text[SMRF_DIGEST_TEXT])
{
    snprintf(text, SMRF_DIGEST_TEXT, "%016" PRIx64, digest);
}

int smrf_digest_file(uint64_t *digest, const char *path, char *text, size_t size)
{
    unsigned char block[4096]; /* threads and runs may have small stacks */
    struct smrf_input in;
    size_t n;
    int err = smrf_input_open(&in, path, UINT64_MAX, text, size);
    if (err) {
        return err;
    }
    while ((n = fread(block, 1, sizeof block, in.file)) > 0) {
        *digest = smrf_digest_bytes(*digest, block, n);
    }
    if (ferror(in.file)) {
        snprintf(text, size, "%s: %s", path, strerror(errno));
        err = SMRF_ERR_IO;
    }
    smrf_input_close(&in);
    return err;
}

struct walk {
    uint64_t digest, stamp;
    bool contents; /* wanted */
    char *text;
    size_t size;
};

static int visit_(void *ctx, const char *path, bool optional)
{
    struct walk *w = ctx;
    struct stat st;
    if (stat(path, &st) != 0) {
        if (optional) {
            return SMRF_OK;
        }
        snprintf(w->text, w->size, "%s: %s", path, strerror(errno));
        return SMRF_ERR_IO;
    }
    const uint64_t stamp[] = {
        (uint64_t)st.st_dev,         (uint64_t)st.st_ino,          (uint64_t)st.st_size,
        (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec, /* may be set by anybody: */
        (uint64_t)st.st_ctim.tv_sec, (uint64_t)st.st_ctim.tv_nsec, /* may not */
    };
    w->stamp = smrf_digest_bytes(w->stamp, stamp, sizeof stamp);
    const char *slash = strrchr(path, '/');
    const uint64_t bytes = (uint64_t)st.st_size;
    w->digest = smrf_digest_string(w->digest, slash ? slash + 1 : path);
    w->digest = smrf_digest_bytes(w->digest, &bytes, sizeof bytes);
    return w->contents ? smrf_digest_file(&w->digest, path, w->text, w->size) : SMRF_OK;
}

int smrf_digest_trace(uint64_t *digest, uint64_t *stamp, const char *path, char *text, size_t size)
{
    struct walk w = {*digest, SMRF_DIGEST_START, true, text, size};
    int err = smrf_workload_files(path, visit_, &w);
    *digest = w.digest;
    if (stamp) {
        *stamp = w.stamp;
    }
    return err;
}

uint64_t smrf_digest_stamp(const char *path)
{
    char text[512];
    struct walk w = {SMRF_DIGEST_START, SMRF_DIGEST_START, false, text, sizeof text};
    return smrf_workload_files(path, visit_, &w) ? 0 : w.stamp;
}

uint64_t smrf_digest_program(void)
{
    static uint64_t found;
    char text[512];
    if (!found) {
        found = SMRF_DIGEST_START;
        if (smrf_digest_file(&found, "/proc/self/exe", text, sizeof text)) {
            found = 0;
        }
    }
    return found;
}
