/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder.h"

#include "folder_files.h"
#include "folder_lock.h"
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST SMRF_FOLDER_LIST
#define OLD_LIST LIST ".old.part" /* of a trace whose files are being replaced */

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
    real = realpath(above, parent) != NULL
               ? smrf_folder_join(strcmp(parent, "/") ? parent : "", name)
               : NULL;
    free(behind);
    return real;
}

/* A file of a name that a trace has, which no list names, is somebody's: neither removed nor
 * replaced. */
static int check_files_(const struct smrf_folder *f, char *error, size_t room)
{
    struct smrf_folder_names names = {0};
    if (smrf_folder_names_of(&names, f->dir) != 0) {
        smrf_folder_names_free(&names);
        return fail_(error, room, f->dir, "cannot read its list of files");
    }
    char *mine = smrf_folder_foreign(f->dir, &names, true);
    if (mine != NULL) {
        snprintf(error, room,
                 "%s: holds %s, which no %s there names; move it away or choose another folder",
                 f->dir, mine, LIST);
    }
    free(mine);
    smrf_folder_names_free(&names);
    return mine != NULL ? SMRF_ERR_IO : 0;
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
    char *list = smrf_folder_join(f->dir, LIST);
    bool taken = list != NULL && access(list, F_OK) == 0;
    free(list);
    if (taken && !f->replace) {
        snprintf(error, room,
                 "%s: holds a trace already; choose another folder, or --force to replace it",
                 f->dir);
        return SMRF_ERR_IO;
    }
    return access(f->dir, W_OK) == 0 ? check_files_(f, error, room)
                                     : fail_(error, room, f->dir, "cannot write there");
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
        f->partial = name != NULL ? smrf_folder_join(f->base, name) : NULL;
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

/* Remove what a killed one has left: its folder, and those of its files that had come to DIR when
 * it was killed. That was so if DIR has no list, finished or set aside: the old one goes with what
 * it names before anything comes, the new one comes last. */
static void clear_left_(const struct smrf_folder *f, const char *left)
{
    char *path = smrf_folder_join(f->base, left);
    struct smrf_folder_names names = {0};
    struct stat st;
    if (path != NULL && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (!smrf_folder_has_list(f->dir) && smrf_folder_read_names(&names, path, LIST) == 0) {
            (void)smrf_folder_each(f->dir, &names, smrf_folder_remove_one, NULL);
        }
        smrf_folder_remove(path);
    }
    smrf_folder_names_free(&names);
    free(path);
}

/* As visit_fn, with the names that stay. */
static int remove_unnamed_(const char *from, const char *name, void *ctx)
{
    return smrf_folder_names_has(ctx, name) ? 0 : smrf_folder_remove_one(from, name, NULL);
}

/* The running list becomes the list, and what it does not name goes. Returns 0, or -1 with errno;
 * ENOENT: no launch is whole. */
static int close_list_(const char *partial)
{
    struct smrf_folder_names names = {0};
    char *running = smrf_folder_join(partial, SMRF_FOLDER_RUNNING),
         *list = smrf_folder_join(partial, LIST);
    int rc = running != NULL && list != NULL ? rename(running, list) : -1;
    rc = rc == 0 ? smrf_folder_names_of(&names, partial) : rc;
    if (rc == 0 && names.count == 0) {
        errno = ENOENT;
        rc = -1;
    }
    rc = rc == 0 ? smrf_folder_each(partial, NULL, remove_unnamed_, &names) : rc;
    rc = rc == 0 ? smrf_output_sync_contents(partial) : rc;
    smrf_folder_names_free(&names);
    free(running);
    free(list);
    return rc;
}

static int adopt_(struct smrf_folder *f, const char *left, char *error, size_t room)
{
    f->partial = smrf_folder_join(f->base, left);
    if (f->partial == NULL || smrf_folder_lock_adopt(f->lock, left) != 0) {
        return fail_(error, room, f->dir, "cannot take over what was left");
    }
    return close_list_(f->partial) == 0 || errno == ENOENT
               ? 0
               : fail_(error, room, f->partial, "cannot complete the list");
}

/* Takes the lock; *left: to be freed. */
static int lock_(struct smrf_folder *f, const char *dir, char **left, char *error, size_t room)
{
    if (make_parents_(dir) != 0 || (f->dir = resolve_(dir)) == NULL) {
        return fail_(error, room, dir, "cannot make the folder");
    }
    f->base = base_(f->dir);
    if (f->base == NULL) {
        return no_memory_(error, room);
    }
    return smrf_folder_lock_take(&f->lock, f->base, f->dir, left, error, room);
}

static int begin_(struct smrf_folder *f, const char *dir, char *error, size_t room)
{
    char *left = NULL;
    int rc = lock_(f, dir, &left, error, room);
    if (rc == 0 && left != NULL) {
        clear_left_(f, left);
    }
    free(left);
    rc = rc == 0 ? check_target_(f, error, room) : rc;
    return rc == 0 ? make_partial_(f, error, room) : rc;
}

static int resume_(struct smrf_folder *f, const char *dir, char *error, size_t room)
{
    char *left = NULL;
    int rc = lock_(f, dir, &left, error, room);
    rc = rc == 0 && left != NULL ? adopt_(f, left, error, room) : rc;
    free(left);
    return rc;
}

typedef int begin_fn(struct smrf_folder *f, const char *dir, char *error, size_t room);

static int open_(struct smrf_folder **folder, begin_fn *begin, const char *dir, bool replace,
                 char *error, size_t room)
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
        rc = begin(f, name, error, room);
    }
    if (rc != 0) {
        smrf_folder_abandon(f);
        *folder = NULL;
    }
    free(name);
    return rc;
}

int smrf_folder_begin(struct smrf_folder **folder, const char *dir, bool replace, char *error,
                      size_t room)
{
    return open_(folder, begin_, dir, replace, error, room);
}

int smrf_folder_resume(struct smrf_folder **folder, const char *dir, bool replace, char *error,
                       size_t room)
{
    const int rc = open_(folder, resume_, dir, replace, error, room);
    char *list =
        rc == 0 && (*folder)->partial != NULL ? smrf_folder_join((*folder)->partial, LIST) : NULL;
    if (rc == 0 && (list == NULL || access(list, F_OK) != 0)) {
        smrf_folder_abandon(*folder);
        *folder = NULL;
    }
    free(list);
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

/* Swap the two folders, if the old one holds nothing else and is not the current folder. */
static bool exchange_(const struct smrf_folder *f, const struct stat *old)
{
    struct smrf_folder_names names = {0};
    char *other = smrf_folder_names_of(&names, f->dir) == 0
                      ? smrf_folder_foreign(f->dir, &names, false)
                      : strdup("");
    bool alone = other == NULL;
    free(other);
    smrf_folder_names_free(&names);
    if (!alone || strcmp(f->base, f->dir) == 0 || is_here_(old) ||
        chmod(f->partial, old->st_mode & 07777) != 0) {
        return false;
    }
    return renameat2(AT_FDCWD, f->partial, AT_FDCWD, f->dir, RENAME_EXCHANGE) == 0;
}

/* The list goes first of all: from then on the old trace is none, and what it named can be told. */
static int remove_old_(const struct smrf_folder *f)
{
    struct smrf_folder_names names = {0};
    char *list = smrf_folder_join(f->dir, LIST), *aside = smrf_folder_join(f->dir, OLD_LIST);
    int rc =
        list != NULL && aside != NULL && (rename(list, aside) == 0 || errno == ENOENT) ? 0 : -1;
    rc = rc == 0 ? smrf_folder_names_of(&names, f->dir) : rc;
    rc = rc == 0 ? smrf_folder_each(f->dir, &names, smrf_folder_remove_one, NULL) : rc;
    smrf_folder_names_free(&names);
    free(aside);
    free(list);
    return rc;
}

static int move_one_(const char *from, const char *name, void *ctx)
{
    char *old = smrf_folder_join(from, name), *new = smrf_folder_join(ctx, name);
    int rc = old != NULL && new != NULL ? rename(old, new) : -1;
    free(old);
    free(new);
    return rc;
}

/* File by file; the list comes last. */
static int move_files_(const struct smrf_folder *f, char *error, size_t room)
{
    struct smrf_folder_names names = {0};
    int rc = 0;
    if (smrf_folder_read_names(&names, f->partial, LIST) != 0 || remove_old_(f) != 0) {
        rc = fail_(error, room, f->dir, "cannot replace the trace");
    } else if (smrf_folder_each(f->partial, NULL, move_one_, f->dir) != 0) {
        rc = fail_(error, room, f->dir, "cannot put the trace there");
        (void)smrf_folder_each(f->dir, &names, smrf_folder_remove_one,
                               NULL); /* half of one is of no use to anybody */
    }
    smrf_folder_names_free(&names);
    return rc;
}

static int publish_(struct smrf_folder *f, char *error, size_t room)
{
    struct stat old;
    char *inside = smrf_folder_join(f->dir, LIST);
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
        smrf_folder_remove(f->partial);
    }
    smrf_folder_lock_release(f->lock);
    free(f->partial);
    free(f->base);
    free(f->dir);
    free(f);
}
