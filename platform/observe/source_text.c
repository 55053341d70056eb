/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "source_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST ((size_t)64 << 20)

struct smrf_source_file {
    char *path, *bytes;
    size_t size;
};

/* Its text; nothing where it is no plain file that can be read. */
static void load_(struct smrf_source_file *f)
{
    struct stat info;
    FILE *in = stat(f->path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(f->path, "rb") : NULL;
    const size_t size = in && (size_t)info.st_size <= LARGEST ? (size_t)info.st_size : 0;
    f->bytes = size ? malloc(size) : NULL;
    f->size = f->bytes ? fread(f->bytes, 1, size, in) : 0;
    if (in) {
        fclose(in);
    }
}

static const struct smrf_source_file *file_(struct smrf_source_text *text, const char *path)
{
    for (size_t i = 0; i < text->num_files; i++) {
        if (strcmp(text->file[i].path, path) == 0) {
            return &text->file[i];
        }
    }
    struct smrf_source_file *grown =
        realloc(text->file, (text->num_files + 1) * sizeof *text->file);
    char *copy = grown ? strdup(path) : NULL;
    text->file = grown ? grown : text->file;
    if (!copy) {
        return NULL;
    }
    struct smrf_source_file *f = &text->file[text->num_files++];
    *f = (struct smrf_source_file){.path = copy};
    load_(f);
    return f;
}

static bool blank_(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

const char *smrf_source_text_line(struct smrf_source_text *text, const char *path, uint32_t line,
                                  size_t *length)
{
    const struct smrf_source_file *f = file_(text, path);
    const char *at = f ? f->bytes : NULL, *end = at ? at + f->size : NULL;
    *length = 0;
    for (uint32_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at) {
        return "";
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    while (at < stop && blank_(*at)) {
        at++;
    }
    while (stop > at && blank_(stop[-1])) {
        stop--;
    }
    *length = (size_t)(stop - at);
    return at;
}

void smrf_source_text_free(struct smrf_source_text *text)
{
    for (size_t i = 0; i < text->num_files; i++) {
        free(text->file[i].path);
        free(text->file[i].bytes);
    }
    free(text->file);
    *text = (struct smrf_source_text){0};
}
