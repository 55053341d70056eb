/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 200 /* of the folder's, so that ours are not too long */
#define WORD "smrf "
#define TEXT_BYTES 512

struct smrf_folder_lock {
    int fd;
    char *path;
    char name[NAME_BYTES + 1]; /* of the folder */
    char partial[NAME_BYTES + 32];
};

static int fail_(const char *path, const char *what, char *error, size_t room)
{
    snprintf(error, room, "%s: %s: %s", path, what, strerror(errno));
    return SMRF_ERR_IO;
}

/* "smrf <process> <name>\n" */
static bool read_(int fd, long *process, char name[TEXT_BYTES])
{
    char text[TEXT_BYTES];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    name[0] = '\0';
    return sscanf(text, WORD "%ld %511[^\n]", process, name) >= 1;
}

static bool note_(const struct smrf_folder_lock *l)
{
    char text[TEXT_BYTES];
    int n = snprintf(text, sizeof text, WORD "%ld %s\n", (long)getpid(), l->partial);
    return ftruncate(l->fd, 0) == 0 && pwrite(l->fd, text, (size_t)n, 0) == n;
}

/* Somebody has it. He may be about to say who he is. */
static int held_(const struct smrf_folder_lock *l, const char *dir, char *error, size_t room)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    char name[TEXT_BYTES];
    long process = 0;
    for (unsigned i = 0; i < 20 && !read_(l->fd, &process, name); i++) {
        (void)nanosleep(&pause, NULL);
    }
    char who[32] = "another process";
    if (process > 0) {
        snprintf(who, sizeof who, "process %ld", process);
    }
    snprintf(error, room, "%s: %s is writing a trace there (%s is locked)", dir, who, l->path);
    return SMRF_ERR_IO;
}

/* Is the file that we have locked still the one of that name? */
static bool is_current_(const struct smrf_folder_lock *l)
{
    struct stat own, named;
    return fstat(l->fd, &own) == 0 && lstat(l->path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

static int open_(struct smrf_folder_lock *l, const char *dir, char *error, size_t room)
{
    for (;;) {
        struct stat st;
        l->fd = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (l->fd < 0 || fstat(l->fd, &st) != 0) {
            return fail_(l->path, "cannot lock the folder", error, room);
        }
        if (!S_ISREG(st.st_mode)) {
            snprintf(error, room, "%s: is no lock of a trace's; move it away", l->path);
            return SMRF_ERR_IO;
        }
        if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
            return errno == EWOULDBLOCK ? held_(l, dir, error, room)
                                        : fail_(l->path, "cannot lock it", error, room);
        }
        if (is_current_(l)) {
            return 0;
        }
        (void)close(l->fd); /* its owner has just removed it */
    }
}

/* What the one before left: only what has a name that we would give. */
static int inherit_(struct smrf_folder_lock *l, char **left, char *error, size_t room)
{
    struct stat st;
    char name[TEXT_BYTES];
    long process;
    size_t n = strlen(l->name);
    if (fstat(l->fd, &st) == 0 && st.st_size == 0) {
        return 0;
    }
    if (!read_(l->fd, &process, name)) {
        snprintf(error, room, "%s: is no lock of a trace's; move it away", l->path);
        return SMRF_ERR_IO;
    }
    size_t all = strlen(name), ending = strlen(".partial");
    if (strncmp(name, l->name, n) == 0 && name[n] == '.' && !strchr(name + n, '/') &&
        all > n + ending && strcmp(name + all - ending, ".partial") == 0) {
        *left = strdup(name);
    }
    return 0;
}

int smrf_folder_lock_take(struct smrf_folder_lock **lock, const char *base, const char *dir,
                          char **left, char *error, size_t room)
{
    struct smrf_folder_lock *l = *lock = calloc(1, sizeof *l);
    *left = NULL;
    if (l == NULL) {
        snprintf(error, room, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    snprintf(l->name, sizeof l->name, "%.*s", NAME_BYTES, strrchr(dir, '/') + 1);
    l->fd = -1;
    int rc = SMRF_ERR_NOMEM;
    if (asprintf(&l->path, "%s/.%s.lock", base, l->name) < 0) {
        l->path = NULL;
        snprintf(error, room, "out of memory");
    } else {
        rc = open_(l, dir, error, room);
        rc = rc == 0 ? inherit_(l, left, error, room) : rc;
    }
    if (rc != 0 && l->fd >= 0) { /* it is not ours to remove */
        (void)close(l->fd);
        l->fd = -1;
    } else if (rc == 0 && !note_(l)) {
        rc = fail_(l->path, "cannot write there", error, room);
    }
    if (rc != 0) {
        smrf_folder_lock_release(l);
        *lock = NULL;
    }
    return rc;
}

const char *smrf_folder_lock_name(struct smrf_folder_lock *l, unsigned attempt)
{
    uint32_t value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != (ssize_t)sizeof value) {
        value = (uint32_t)getpid() * 1000u + attempt;
    }
    snprintf(l->partial, sizeof l->partial, "%s.%08x.partial", l->name, value);
    return note_(l) ? l->partial : NULL;
}

int smrf_folder_lock_adopt(struct smrf_folder_lock *l, const char *left)
{
    snprintf(l->partial, sizeof l->partial, "%s", left);
    return note_(l) ? 0 : -1;
}

void smrf_folder_lock_release(struct smrf_folder_lock *l)
{
    if (l == NULL) {
        return;
    }
    if (l->fd >= 0) {
        (void)unlink(l->path); /* while it is locked: the next one makes a new file */
        (void)close(l->fd);
    }
    free(l->path);
    free(l);
}
