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

void smrf_content_begin(struct smrf_content *c)
{
    XXH3_128bits_reset(&c->xxh);
}

void smrf_content_add(struct smrf_content *c, const void *bytes, size_t count)
{
    XXH3_128bits_update(&c->xxh, bytes, count);
}

void smrf_content_add_string(struct smrf_content *c, const char *text)
{
    smrf_content_add(c, text, strlen(text) + 1);
}

void smrf_content_text(const struct smrf_content *c, char text[SMRF_DIGEST_TEXT])
{
    const XXH128_hash_t found = XXH3_128bits_digest(&c->xxh);
    snprintf(text, SMRF_DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, (uint64_t)found.high64,
             (uint64_t)found.low64);
}

int smrf_content_add_file(struct smrf_content *c, const char *path, char *text, size_t size)
{
    unsigned char block[4096]; /* threads and runs may have small stacks */
    struct smrf_input in;
    size_t n;
    int err = smrf_input_open(&in, path, UINT64_MAX, text, size);
    if (err) {
        return err;
    }
    while ((n = fread(block, 1, sizeof block, in.file)) > 0) {
        smrf_content_add(c, block, n);
    }
    if (ferror(in.file)) {
        snprintf(text, size, "%s: %s", path, strerror(errno));
        err = SMRF_ERR_IO;
    }
    smrf_input_close(&in);
    return err;
}

struct walk {
    struct smrf_content content, stamp;
    bool reads; /* the files */
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
    smrf_content_add(&w->stamp, stamp, sizeof stamp);
    const char *slash = strrchr(path, '/');
    const uint64_t bytes = (uint64_t)st.st_size;
    smrf_content_add_string(&w->content, slash ? slash + 1 : path);
    smrf_content_add(&w->content, &bytes, sizeof bytes);
    return w->reads ? smrf_content_add_file(&w->content, path, w->text, w->size) : SMRF_OK;
}

/* Returns 0 or an error; what was found stands in w. */
static int walk_(struct walk *w, const char *path)
{
    smrf_content_begin(&w->content);
    smrf_content_begin(&w->stamp);
    return smrf_workload_files(path, visit_, w);
}

int smrf_digest_trace(char digest[SMRF_DIGEST_TEXT], uint64_t *stamp, const char *path, char *text,
                      size_t size)
{
    struct walk w = {.reads = true, .text = text, .size = size};
    const int err = walk_(&w, path);
    smrf_content_text(&w.content, digest);
    if (stamp) {
        *stamp = XXH3_128bits_digest(&w.stamp.xxh).low64;
    }
    return err;
}

uint64_t smrf_digest_stamp(const char *path)
{
    char text[512];
    struct walk w = {.text = text, .size = sizeof text};
    return walk_(&w, path) ? 0 : XXH3_128bits_digest(&w.stamp.xxh).low64;
}

bool smrf_digest_program(char digest[SMRF_DIGEST_TEXT])
{
    static char found[SMRF_DIGEST_TEXT];
    char text[512];
    if (!found[0]) {
        struct smrf_content c;
        smrf_content_begin(&c);
        if (smrf_content_add_file(&c, "/proc/self/exe", text, sizeof text) == SMRF_OK) {
            smrf_content_text(&c, found);
        }
    }
    memcpy(digest, found, SMRF_DIGEST_TEXT);
    return found[0] != '\0';
}
