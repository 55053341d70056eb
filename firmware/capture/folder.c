/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST "kernelslist.g"

static int fail_(char *error, size_t room, const char *path, const char *what)
{
    snprintf(error, room, "%s: %s: %s", path, what, strerror(errno));
    return SMRF_ERR_IO;
}

static char *join_(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *path = malloc(n);
    if (path != NULL) {
        snprintf(path, n, "%s/%s", dir, name);
    }
    return path;
}

/* Files that a trace consists of. */
static bool is_ours_(const char *name)
{
    return strcmp(name, LIST) == 0 ||
           (strncmp(name, "kernel-", 7) == 0 &&
            (strstr(name, ".trace") != NULL || strstr(name, ".operands") != NULL));
}

typedef int visit_fn(const char *from, const char *name, void *ctx);

/* Visit the trace's files in a folder, the list last. Returns the first nonzero result. */
static int each_(const char *dir, visit_fn *visit, void *ctx)
{
    DIR *d = opendir(dir);
    int rc = 0;
    bool list = false;
    if (d == NULL) {
        return -1;
    }
    for (struct dirent *e; rc == 0 && (e = readdir(d)) != NULL;) {
        list |= strcmp(e->d_name, LIST) == 0;
        if (is_ours_(e->d_name) && strcmp(e->d_name, LIST) != 0) {
            rc = visit(dir, e->d_name, ctx);
        }
    }
    (void)closedir(d);
    return rc == 0 && list ? visit(dir, LIST, ctx) : rc;
}

static int remove_one_(const char *from, const char *name, void *ctx)
{
    char *path = join_(from, name);
    (void)ctx;
    int rc = path != NULL ? unlink(path) : -1;
    free(path);
    return rc;
}

static int move_one_(const char *from, const char *name, void *ctx)
{
    char *old = join_(from, name), *new = join_(ctx, name);
    int rc = old != NULL && new != NULL ? rename(old, new) : -1;
    free(old);
    free(new);
    return rc;
}

void smrf_folder_remove(const char *partial)
{
    (void)each_(partial, remove_one_, NULL);
    (void)rmdir(partial);
}

/* The folders above the last one. */
static int make_parents_(const char *dir)
{
    char *path = strdup(dir);
    if (path == NULL) {
        return -1;
    }
    int rc = 0;
    for (char *p = path + 1; rc == 0 && (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            rc = -1;
        }
        *p = '/';
    }
    free(path);
    return rc;
}

static int check_target_(const char *dir, bool replace, char *error, size_t room)
{
    struct stat st;
    if (stat(dir, &st) != 0) {
        return 0;
    }
    if (!S_ISDIR(st.st_mode)) {
        snprintf(error, room, "%s: exists and is no folder; choose another name", dir);
        return SMRF_ERR_IO;
    }
    char *list = join_(dir, LIST);
    bool taken = list != NULL && access(list, F_OK) == 0;
    free(list);
    if (taken && !replace) {
        snprintf(error, room,
                 "%s: holds a trace already; choose another folder, or --force to "
                 "replace it",
                 dir);
        return SMRF_ERR_IO;
    }
    return access(dir, W_OK) == 0 ? 0 : fail_(error, room, dir, "cannot write there");
}

int smrf_folder_begin(char **path, const char *dir, bool replace, char *error, size_t room)
{
    size_t n = strlen(dir);
    *path = NULL;
    while (n > 1 && dir[n - 1] == '/') {
        n--;
    }
    char *partial = malloc(n + sizeof ".partial");
    if (partial == NULL) {
        snprintf(error, room, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    memcpy(partial, dir, n);
    memcpy(partial + n, ".partial", sizeof ".partial");
    int rc = check_target_(dir, replace, error, room);
    if (rc == 0) {
        smrf_folder_remove(partial);
        if (make_parents_(partial) != 0 || mkdir(partial, 0777) != 0) {
            rc = fail_(error, room, partial, "cannot make the folder");
        }
    }
    if (rc != 0) {
        free(partial);
        return rc;
    }
    *path = partial;
    return 0;
}

int smrf_folder_publish(const char *partial, const char *dir, char *error, size_t room)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return fail_(error, room, dir, "cannot make the folder");
    }
    char *list = join_(dir, LIST); /* first of all: from here on the old trace is none */
    if (list == NULL || (unlink(list) != 0 && errno != ENOENT)) {
        free(list);
        return fail_(error, room, dir, "cannot replace the trace");
    }
    free(list);
    if (each_(dir, remove_one_, NULL) != 0) {
        return fail_(error, room, dir, "cannot replace the trace");
    }
    if (each_(partial, move_one_, (void *)(size_t)dir) != 0) {
        return fail_(error, room, dir, "cannot put the trace there");
    }
    if (rmdir(partial) != 0) {
        return fail_(error, room, partial, "cannot remove the folder");
    }
    return 0;
}
