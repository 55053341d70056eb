/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder.h"

#include "folder_lock.h"
#include "traces/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST "kernelslist.g"

struct smrf_folder {
    char *dir;     /* without symbolic links */
    char *base;    /* where the two that follow are */
    char *partial; /* NULL: not made yet */
    struct smrf_folder_lock *lock;
    bool replace;
};

static int fail_(char *error, size_t room, const char *path, const char *what)
{
    snprintf(error, room, "%s: %s: %s", path, what, strerror(errno));
    return SMRF_ERR_IO;
}

static int no_memory_(char *error, size_t room)
{
    snprintf(error, room, "out of memory");
    return SMRF_ERR_NOMEM;
}

static char *join_(const char *dir, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* ---- the files of a trace -------------------------------------------------------------------- */

static bool is_ours_(const char *name)
{
    size_t n = strlen(name), list = strlen(LIST), part = strlen(".part");
    bool unfinished = n > list + part && strncmp(name, LIST ".", list + 1) == 0 &&
                      strcmp(name + n - part, ".part") == 0;
    return unfinished || strcmp(name, LIST) == 0 ||
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

static void remove_folder_(const char *path)
{
    (void)each_(path, remove_one_, NULL);
    (void)rmdir(path);
}

/* Does the folder hold a trace at most? */
static bool only_ours_(const char *dir)
{
    DIR *d = opendir(dir);
    bool only = d != NULL;
    for (struct dirent *e; only && (e = readdir(d)) != NULL;) {
        only = is_ours_(e->d_name) || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return only;
}

/* ---- beginning ------------------------------------------------------------------------------- */

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

/* The folder's one name, whether it exists or not: to be freed. */
static char *resolve_(const char *dir)
{
    char parent[PATH_MAX];
    char *real = realpath(dir, NULL);
    char *behind = real == NULL && errno == ENOENT ? smrf_output_follow(dir) : NULL;
    if (behind == NULL) {
        return real;
    }
    char *slash = strrchr(behind, '/');
    const char *name = slash != NULL ? slash + 1 : behind;
    if (slash != NULL) {
        *slash = '\0';
    }
    const char *above = slash == NULL ? "." : slash == behind ? "/" : behind;
    real = realpath(above, parent) != NULL ? join_(strcmp(parent, "/") ? parent : "", name) : NULL;
    free(behind);
    return real;
}

static int check_target_(const struct smrf_folder *f, char *error, size_t room)
{
    struct stat st;
    if (stat(f->dir, &st) != 0) {
        return 0;
    }
    if (!S_ISDIR(st.st_mode)) {
        snprintf(error, room, "%s: exists and is no folder; choose another name", f->dir);
        return SMRF_ERR_IO;
    }
    char *list = join_(f->dir, LIST);
    bool taken = list != NULL && access(list, F_OK) == 0;
    free(list);
    if (taken && !f->replace) {
        snprintf(error, room,
                 "%s: holds a trace already; choose another folder, or --force to replace it",
                 f->dir);
        return SMRF_ERR_IO;
    }
    return access(f->dir, W_OK) == 0 ? 0 : fail_(error, room, f->dir, "cannot write there");
}

/* The parent, or the folder itself where the parent takes nothing or is another file system. */
static char *base_(const char *dir)
{
    struct stat own, above;
    const char *slash = strrchr(dir, '/');
    char *parent = strndup(dir, slash == dir ? 1 : (size_t)(slash - dir));
    bool exists = stat(dir, &own) == 0;
    if (parent != NULL && exists && S_ISDIR(own.st_mode) &&
        (access(parent, W_OK) != 0 || stat(parent, &above) != 0 || own.st_dev != above.st_dev ||
         own.st_ino == above.st_ino)) {
        free(parent);
        return strdup(dir);
    }
    return parent;
}

static int make_partial_(struct smrf_folder *f, char *error, size_t room)
{
    for (unsigned i = 0; i < 100; i++) {
        const char *name = smrf_folder_lock_name(f->lock, i);
        free(f->partial);
        f->partial = name != NULL ? join_(f->base, name) : NULL;
        if (f->partial == NULL) {
            return fail_(error, room, f->base, "cannot make a folder there");
        }
        if (mkdir(f->partial, 0777) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int rc = fail_(error, room, f->partial, "cannot make the folder");
    free(f->partial);
    f->partial = NULL;
    return rc;
}

static int begin_(struct smrf_folder *f, const char *dir, char *error, size_t room)
{
    if (make_parents_(dir) != 0 || (f->dir = resolve_(dir)) == NULL) {
        return fail_(error, room, dir, "cannot make the folder");
    }
    f->base = base_(f->dir);
    if (f->base == NULL) {
        return no_memory_(error, room);
    }
    char *left = NULL;
    int rc = smrf_folder_lock_take(&f->lock, f->base, f->dir, &left, error, room);
    if (rc == 0 && left != NULL) {
        char *path = join_(f->base, left);
        struct stat st;
        if (path != NULL && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            remove_folder_(path);
        }
        free(path);
    }
    free(left);
    rc = rc == 0 ? check_target_(f, error, room) : rc;
    return rc == 0 ? make_partial_(f, error, room) : rc;
}

int smrf_folder_begin(struct smrf_folder **folder, const char *dir, bool replace, char *error,
                      size_t room)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/') {
        n--;
    }
    char *name = strndup(dir, n);
    struct smrf_folder *f = *folder = calloc(1, sizeof *f);
    int rc = name != NULL && f != NULL ? 0 : no_memory_(error, room);
    if (rc == 0) {
        f->replace = replace;
        rc = begin_(f, name, error, room);
    }
    if (rc != 0) {
        smrf_folder_abandon(f);
        *folder = NULL;
    }
    free(name);
    return rc;
}

const char *smrf_folder_path(const struct smrf_folder *f)
{
    return f->partial;
}

/* ---- ending ---------------------------------------------------------------------------------- */

static bool is_here_(const struct stat *st)
{
    struct stat here;
    return stat(".", &here) == 0 && here.st_dev == st->st_dev && here.st_ino == st->st_ino;
}

/* Swap the two folders, where nothing else is in the old one and nobody stands in it as we do. */
static bool exchange_(const struct smrf_folder *f, const struct stat *old)
{
    if (strcmp(f->base, f->dir) == 0 || is_here_(old) || !only_ours_(f->dir) ||
        chmod(f->partial, old->st_mode & 07777) != 0) {
        return false;
    }
    return renameat2(AT_FDCWD, f->partial, AT_FDCWD, f->dir, RENAME_EXCHANGE) == 0;
}

/* File by file. The list goes first of all: from then on the old trace is none; it comes last. */
static int move_files_(const struct smrf_folder *f, char *error, size_t room)
{
    char *list = join_(f->dir, LIST);
    if (list == NULL || (unlink(list) != 0 && errno != ENOENT) ||
        each_(f->dir, remove_one_, NULL) != 0) {
        free(list);
        return fail_(error, room, f->dir, "cannot replace the trace");
    }
    free(list);
    return each_(f->partial, move_one_, f->dir) == 0
               ? 0
               : fail_(error, room, f->dir, "cannot put the trace there");
}

static int publish_(struct smrf_folder *f, char *error, size_t room)
{
    struct stat old;
    char *inside = join_(f->dir, LIST);
    int rc = check_target_(f, error, room); /* much may have happened since */
    if (rc == 0 && stat(f->dir, &old) != 0) {
        rc = rename(f->partial, f->dir) == 0 ? 0
                                             : fail_(error, room, f->dir, "cannot make the folder");
    } else if (rc == 0 && !exchange_(f, &old)) {
        rc = move_files_(f, error, room);
    }
    if (rc == 0 && (inside == NULL || smrf_output_sync_folder(inside) != 0 ||
                    smrf_output_sync_folder(f->dir) != 0)) {
        rc = fail_(error, room, f->dir, "cannot put the trace on the disk");
    }
    free(inside);
    return rc;
}

int smrf_folder_publish(struct smrf_folder *f, char *error, size_t room)
{
    int rc = publish_(f, error, room);
    smrf_folder_abandon(f); /* what has the name now has left it */
    return rc;
}

void smrf_folder_abandon(struct smrf_folder *f)
{
    if (f == NULL) {
        return;
    }
    if (f->partial != NULL) {
        remove_folder_(f->partial);
    }
    smrf_folder_lock_release(f->lock);
    free(f->partial);
    free(f->base);
    free(f->dir);
    free(f);
}
