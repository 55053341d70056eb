/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "input_file.h"

#include "models/common/smrf_err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ROOM ((size_t)64 * 1024)

static bool is_descriptor_(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

static const char *kind_(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe, which may never end"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device, which may never end";
}

int smrf_input_descriptor(const char *path, char *text, size_t size)
{
    struct stat st;
    bool own = is_descriptor_(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (own ? 0 : O_NONBLOCK));
    if (fd < 0 || fstat(fd, &st) != 0) {
        snprintf(text, size, "%s: cannot open: %s", path, strerror(errno));
    } else if (S_ISREG(st.st_mode) || (own && !S_ISDIR(st.st_mode))) {
        return fd;
    } else {
        snprintf(text, size, "%s: cannot read: it is %s", path, kind_(st.st_mode));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return SMRF_ERR_IO;
}

static int too_large_(const char *path, uint64_t most, char *text, size_t size)
{
    snprintf(text, size, "%s: is larger than %llu bytes; is it the file that you mean?", path,
             (unsigned long long)most);
    return SMRF_ERR_LIMIT;
}

int smrf_input_open(struct smrf_input *in, const char *path, uint64_t most, char *text, size_t size)
{
    struct stat st;
    *in = (struct smrf_input){0};
    int fd = smrf_input_descriptor(path, text, size);
    if (fd < 0) {
        return fd;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size > most) {
        (void)close(fd);
        return too_large_(path, most, text, size);
    }
    in->file = fdopen(fd, "rb");
    if (in->file == NULL) {
        snprintf(text, size, "%s: cannot open: %s", path, strerror(errno));
        (void)close(fd);
        return SMRF_ERR_IO;
    }
    return 0;
}

void smrf_input_close(struct smrf_input *in)
{
    if (in->file != NULL) {
        (void)fclose(in->file);
    }
    in->file = NULL;
}

static int read_all_(FILE *in, const char *path, uint64_t most, char **content, size_t *bytes,
                     char *text, size_t size)
{
    size_t room = 0;
    for (;;) {
        if (*bytes + 1 >= room) {
            room = room ? 2 * room : FIRST_ROOM;
            char *grown = realloc(*content, room);
            if (grown == NULL) {
                snprintf(text, size, "%s: no memory left to read it", path);
                return SMRF_ERR_NOMEM;
            }
            *content = grown;
        }
        size_t got = fread(*content + *bytes, 1, room - 1 - *bytes, in);
        *bytes += got;
        if (*bytes > most) {
            return too_large_(path, most, text, size);
        }
        if (got == 0) {
            (*content)[*bytes] = '\0';
            break;
        }
    }
    if (ferror(in)) {
        snprintf(text, size, "%s: cannot read: %s", path, strerror(errno));
        return SMRF_ERR_IO;
    }
    return 0;
}

int smrf_input_read_bytes(const char *path, uint64_t most, char **content, size_t *bytes,
                          char *text, size_t size)
{
    struct smrf_input in;
    *content = NULL;
    *bytes = 0;
    int rc = smrf_input_open(&in, path, most, text, size);
    if (rc == 0) {
        rc = read_all_(in.file, path, most, content, bytes, text, size);
    }
    smrf_input_close(&in);
    if (rc < 0) {
        free(*content);
        *content = NULL;
        *bytes = 0;
    }
    return rc;
}

int smrf_input_read(const char *path, uint64_t most, char **content, size_t *bytes, char *text,
                    size_t size)
{
    int rc = smrf_input_read_bytes(path, most, content, bytes, text, size);
    if (rc == 0 && memchr(*content, '\0', *bytes) != NULL) {
        snprintf(text, size, "%s: is no text: it holds a NUL byte", path);
        free(*content);
        *content = NULL;
        *bytes = 0;
        rc = SMRF_ERR_FORMAT;
    }
    return rc;
}

/* Brackets within quotes and comments count too: what is not nested has few. */
unsigned smrf_input_too_deep(const char *content, size_t bytes)
{
    unsigned line = 1, open = 0, dashes = 0;
    bool leading = true; /* only "- " so far: a list in a list in a list */
    for (size_t i = 0; i < bytes; i++) {
        char c = content[i];
        if (c == '\n') {
            line++;
            leading = true;
            dashes = 0;
        } else if (c == '[' || c == '{') {
            open++;
        } else if ((c == ']' || c == '}') && open > 0) {
            open--;
        } else if (leading && (c == '-' || c == '?')) {
            dashes++;
        } else if (c != ' ' && c != '\t') {
            leading = false;
        }
        if (open > SMRF_INPUT_DEPTH || dashes > SMRF_INPUT_DEPTH) {
            return line;
        }
    }
    return 0;
}
