/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_(const char *what, const char *path, char *text, size_t size)
{
    snprintf(text, size, "%s: cannot %s: %s", path, what, strerror(errno));
    return SMRF_ERR_IO;
}

/* Something that is no plain file (a pipe, /dev/null) is written directly. */
static bool is_special_(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_temporary_(struct smrf_output *o, char *text, size_t size)
{
    size_t length = strlen(o->path) + sizeof ".XXXXXX";
    o->temporary = malloc(length);
    if (!o->temporary) {
        snprintf(text, size, "%s: out of memory", o->path);
        return SMRF_ERR_NOMEM;
    }
    snprintf(o->temporary, length, "%s.XXXXXX", o->path);
    int fd = mkstemp(o->temporary);
    if (fd < 0) {
        return fail_("write the file (is its folder there and writable?)", o->path, text, size);
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask); /* mkstemp's own is for the owner only */
    o->file = fdopen(fd, "w");
    if (!o->file) {
        close(fd);
        return fail_("write the file", o->path, text, size);
    }
    return SMRF_OK;
}

int smrf_output_open(struct smrf_output *o, const char *path, char *text, size_t size)
{
    *o = (struct smrf_output){.path = strdup(path)};
    int err = SMRF_OK;
    if (!o->path) {
        snprintf(text, size, "%s: out of memory", path);
        err = SMRF_ERR_NOMEM;
    } else if (strcmp(path, "-") == 0) {
        o->file = stdout;
    } else if (is_special_(path)) {
        o->file = fopen(path, "w");
        err = o->file ? SMRF_OK : fail_("write the file", path, text, size);
    } else {
        err = open_temporary_(o, text, size);
    }
    if (err) {
        free(o->temporary);
        free(o->path);
        *o = (struct smrf_output){0};
    }
    return err;
}

int smrf_output_close(struct smrf_output *o, bool good, char *text, size_t size)
{
    int err = SMRF_OK;
    bool written = fflush(o->file) == 0 && !ferror(o->file);
    if (o->file != stdout) {
        written = fclose(o->file) == 0 && written;
    }
    if (good && !written) {
        err = fail_("write the file", o->path, text, size);
    }
    if (o->temporary) {
        if (!good || err) {
            unlink(o->temporary);
        } else if (rename(o->temporary, o->path) != 0) {
            err = fail_("give the file its name", o->path, text, size);
            unlink(o->temporary);
        }
    }
    free(o->temporary);
    free(o->path);
    *o = (struct smrf_output){0};
    return err;
}

int smrf_output_probe(const char *path, char *text, size_t size)
{
    struct smrf_output o;
    if (strcmp(path, "-") == 0 || is_special_(path)) {
        return SMRF_OK;
    }
    int err = smrf_output_open(&o, path, text, size);
    return err ? err : smrf_output_close(&o, false, text, size);
}
