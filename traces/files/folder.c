/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder.h"

#include "folder_lock.h"
#include "folder_names.h"
#include "output_file.h"

#include <dirent.h>
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

static char *join_(const char *dir, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* ---- the files of a trace -------------------------------------------------------------------- */

static bool is_list_(const char *file)
{
    return strcmp(file, LIST) == 0 || smrf_folder_is_part(file);
}

/* NULL: of a folder that is ours as a whole, unfinished files included. */
static bool is_ours_(const struct smrf_folder_names *names, const char *file)
{
    return names != NULL ? smrf_folder_names_has(names, file)
                         : is_list_(file) || strncmp(file, "kernel-", 7) == 0;
}

typedef int visit_fn(const char *from, const char *name, void *ctx);

/* Visit the trace's files in a folder. Lists come last, because they say which files belong to the
 * trace. Returns the first nonzero result. */
static int each_(const char *dir, const struct smrf_folder_names *names, visit_fn *visit, void *ctx)
{
    DIR *d = opendir(dir);
    int rc = d != NULL ? 0 : -1;
    for (int lists = 0; d != NULL && lists < 2; lists++) {
        rewinddir(d);
        for (struct dirent *e; rc == 0 && (e = readdir(d)) != NULL;) {
            if (is_ours_(names, e->d_name) && is_list_(e->d_name) == (lists == 1)) {
                rc = visit(dir, e->d_name, ctx);
            }
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return rc;
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

/* Add the names of dir/file. */
static int read_names_(struct smrf_folder_names *names, const char *dir, const char *file)
{
    char *list = join_(dir, file);
    int rc = list != NULL ? smrf_folder_names_read(names, list) : -1;
    free(list);
    return rc;
}

static bool has_list_(const char *dir)
{
    DIR *d = opendir(dir);
    bool found = false;
    for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
        found = is_list_(e->d_name);
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return found;
}

/* What the lists in a folder name, an unfinished one's too. */
static int names_of_(struct smrf_folder_names *names, const char *dir)
{
    DIR *d = opendir(dir);
    int rc = read_names_(names, dir, LIST);
    for (struct dirent *e; rc == 0 && d != NULL && (e = readdir(d)) != NULL;) {
        rc = smrf_folder_is_part(e->d_name) ? read_names_(names, dir, e->d_name) : 0;
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return rc;
}

/* Of ours, or with the trace that was replaced. */
static void remove_folder_(const char *path)
{
    struct smrf_folder_names names = {0};
    if (names_of_(&names, path) == 0) {
        (void)each_(path, &names, remove_one_, NULL);
    }
    (void)each_(path, NULL, remove_one_, NULL);
    (void)rmdir(path);
    smrf_folder_names_free(&names);
}

/* Look for a file that belongs to no trace. `usual`: only files with a name that a trace could have
 * here. Returns its name, to be freed, or NULL. */
static char *foreign_(const char *dir, const struct smrf_folder_names *names, bool usual)
{
    DIR *d = opendir(dir);
    char *found = NULL;
    for (struct dirent *e; found == NULL && d != NULL && (e = readdir(d)) != NULL;) {
        const char *file = e->d_name;
        bool counts =
            usual ? smrf_folder_is_usual(file) : strcmp(file, ".") != 0 && strcmp(file, "..") != 0;
        found = counts && !is_ours_(names, file) ? strdup(file) : NULL;
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return found;
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

/* A file of a name that a trace has, which no list names, is somebody's: neither removed nor
 * replaced. */
static int check_files_(const struct smrf_folder *f, char *error, size_t room)
{
    struct smrf_folder_names names = {0};
    if (names_of_(&names, f->dir) != 0) {
        smrf_folder_names_free(&names);
        return fail_(error, room, f->dir, "cannot read its list of files");
    }
    char *mine = foreign_(f->dir, &names, true);
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
    char *list = join_(f->dir, LIST);
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

/* Remove what a killed one has left: its folder, and those of its files that had come to DIR when
 * it was killed. That was so if DIR has no list, finished or set aside: the old one goes with what
 * it names before anything comes, the new one comes last. */
static void clear_left_(const struct smrf_folder *f, const char *left)
{
    char *path = join_(f->base, left);
    struct smrf_folder_names names = {0};
    struct stat st;
    if (path != NULL && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (!has_list_(f->dir) && read_names_(&names, path, LIST) == 0) {
            (void)each_(f->dir, &names, remove_one_, NULL);
        }
        remove_folder_(path);
    }
    smrf_folder_names_free(&names);
    free(path);
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
        clear_left_(f, left);
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

/* Swap the two folders, if the old one holds nothing else and is not the current folder. */
static bool exchange_(const struct smrf_folder *f, const struct stat *old)
{
    struct smrf_folder_names names = {0};
    char *other = names_of_(&names, f->dir) == 0 ? foreign_(f->dir, &names, false) : strdup("");
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
    char *list = join_(f->dir, LIST), *aside = join_(f->dir, OLD_LIST);
    int rc =
        list != NULL && aside != NULL && (rename(list, aside) == 0 || errno == ENOENT) ? 0 : -1;
    rc = rc == 0 ? names_of_(&names, f->dir) : rc;
    rc = rc == 0 ? each_(f->dir, &names, remove_one_, NULL) : rc;
    smrf_folder_names_free(&names);
    free(aside);
    free(list);
    return rc;
}

/* File by file; the list comes last. */
static int move_files_(const struct smrf_folder *f, char *error, size_t room)
{
    struct smrf_folder_names names = {0};
    int rc = 0;
    if (read_names_(&names, f->partial, LIST) != 0 || remove_old_(f) != 0) {
        rc = fail_(error, room, f->dir, "cannot replace the trace");
    } else if (each_(f->partial, NULL, move_one_, f->dir) != 0) {
        rc = fail_(error, room, f->dir, "cannot put the trace there");
        (void)each_(f->dir, &names, remove_one_, NULL); /* half of one is of no use to anybody */
    }
    smrf_folder_names_free(&names);
    return rc;
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
