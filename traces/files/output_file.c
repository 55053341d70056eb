/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "output_file.h"

#include "models/common/smrf_err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS 40         /* as the kernel */
#define BASE_BYTES 200   /* of the name, so that the temporary one is not too long */
#define READER_WAITS 250 /* for the reader of a pipe, each 20 ms */
#define UNFINISHED 32

static int fail_(const char *what, const char *path, char *text, size_t size)
{
    snprintf(text, size, "%s: cannot %s: %s", path, what, strerror(errno));
    return errno == ENOMEM ? SMRF_ERR_NOMEM : SMRF_ERR_IO;
}

static int refuse_(const char *path, const char *why, char *text, size_t size)
{
    snprintf(text, size, "%s: cannot write the file: %s", path, why);
    return SMRF_ERR_IO;
}

/* ---- unfinished files, for a signal handler -------------------------------------------------- */

static _Atomic(char *) unfinished_[UNFINISHED];

static void remember_(char *temporary)
{
    for (size_t i = 0; i < UNFINISHED; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished_[i], &none, temporary)) {
            return;
        }
    }
}

static void forget_(char *temporary)
{
    for (size_t i = 0; i < UNFINISHED; i++) {
        char *own = temporary;
        if (atomic_compare_exchange_strong(&unfinished_[i], &own, NULL)) {
            return;
        }
    }
}

void smrf_output_remove_unfinished(void)
{
    for (size_t i = 0; i < UNFINISHED; i++) {
        const char *temporary = atomic_load(&unfinished_[i]);
        if (temporary) {
            (void)unlink(temporary);
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Length of the folder's part, with its slash. */
static size_t folder_(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static char *beside_(const char *path, const char *name)
{
    char *text;
    size_t folder = name[0] == '/' ? 0 : folder_(path);
    return asprintf(&text, "%.*s%s", (int)folder, path, name) < 0 ? NULL : text;
}

char *smrf_output_follow(const char *path)
{
    char link[PATH_MAX];
    char *at = strdup(path);
    for (unsigned i = 0; at; i++) {
        ssize_t n = readlink(at, link, sizeof link - 1);
        if (n < 0) {
            return at;
        }
        link[n] = '\0';
        char *next = i < LINKS ? beside_(at, link) : NULL;
        free(at);
        at = next;
        errno = i < LINKS ? ENOMEM : ELOOP;
    }
    return NULL;
}

/* The number of an open descriptor that is named as a file, else -1. */
static int descriptor_(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(path, names[i]) == 0) {
            return i;
        }
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], n) == 0 && path[n] >= '0' && path[n] <= '9') {
            long number = strtol(path + n, &end, 10);
            return *end == '\0' && number <= INT_MAX ? (int)number : -1;
        }
    }
    return -1;
}

bool smrf_output_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || descriptor_(path) == STDOUT_FILENO;
}

/* What does not exist is the same where folder and name are. */
static bool same_new_(const char *a, const char *b)
{
    bool same = false;
    char *x = smrf_output_follow(a), *y = smrf_output_follow(b);
    char *p = x ? beside_(x, ".") : NULL, *q = y ? beside_(y, ".") : NULL;
    struct stat s, t;
    if (p && q && strcmp(x + folder_(x), y + folder_(y)) == 0) {
        same = stat(p, &s) == 0 && stat(q, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
    }
    free(p);
    free(q);
    free(x);
    free(y);
    return same;
}

bool smrf_output_same(const char *a, const char *b)
{
    struct stat s, t;
    if (smrf_output_is_stdout(a) || smrf_output_is_stdout(b)) {
        return smrf_output_is_stdout(a) && smrf_output_is_stdout(b);
    }
    bool old_a = stat(a, &s) == 0, old_b = stat(b, &t) == 0;
    if (old_a && old_b) {
        return (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode)) && s.st_dev == t.st_dev &&
               s.st_ino == t.st_ino;
    }
    return !old_a && !old_b && same_new_(a, b);
}

/* ---- opening --------------------------------------------------------------------------------- */

static const char *refusal_(mode_t mode)
{
    return S_ISDIR(mode)    ? "it is a folder"
           : S_ISBLK(mode)  ? "it is a block device"
           : S_ISSOCK(mode) ? "it is a socket"
                            : NULL;
}

static int stream_(struct smrf_output *o, int fd, char *text, size_t size)
{
    o->file = fdopen(fd, "w");
    if (o->file) {
        return SMRF_OK;
    }
    int err = fail_("write the file", o->path, text, size);
    (void)close(fd);
    return err;
}

/* A pipe without a reader would stop the program for ever. */
static int open_special_(struct smrf_output *o, char *text, size_t size)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    int fd;
    for (unsigned i = 0;; i++) {
        fd = open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 || errno != ENXIO || i == READER_WAITS) {
            break;
        }
        (void)nanosleep(&pause, NULL);
    }
    if (fd < 0 && errno == ENXIO) {
        return refuse_(o->path, "nobody reads the pipe", text, size);
    }
    if (fd < 0) {
        return fail_("write the file", o->path, text, size);
    }
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return stream_(o, fd, text, size);
}

static int open_descriptor_(struct smrf_output *o, int number, char *text, size_t size)
{
    int fd = fcntl(number, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? fail_("write the file", o->path, text, size) : stream_(o, fd, text, size);
}

static uint32_t draw_(unsigned attempt)
{
    uint32_t value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != (ssize_t)sizeof value) {
        value = (uint32_t)getpid() * 1000u + attempt;
    }
    return value;
}

/* A new file beside the target, with the target's rights where it exists. */
static int open_temporary_(struct smrf_output *o, const struct stat *old, char *text, size_t size)
{
    int fd = -1;
    for (unsigned i = 0; i < 100 && fd < 0; i++) {
        char *name = NULL;
        free(o->temporary);
        o->temporary = NULL;
        if (asprintf(&name, "%.*s%.*s.%08x.part", (int)folder_(o->target), o->target, BASE_BYTES,
                     o->target + folder_(o->target), draw_(i)) < 0) {
            errno = ENOMEM;
            break;
        }
        o->temporary = name;
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (fd < 0) {
        return fail_("write the file (is its folder there and writable?)", o->path, text, size);
    }
    remember_(o->temporary);
    if (old) {
        int kept = fchown(fd, old->st_uid, old->st_gid); /* who may not, owns the new one */
        kept = fchmod(fd, old->st_mode & 07777);
        (void)kept;
    }
    int err = stream_(o, fd, text, size);
    if (err) {
        (void)unlink(o->temporary);
    }
    return err;
}

static int open_(struct smrf_output *o, char *text, size_t size)
{
    struct stat old;
    int number = descriptor_(o->path);
    if (smrf_output_is_stdout(o->path)) {
        o->file = stdout;
        return SMRF_OK;
    }
    if (number >= 0) {
        return open_descriptor_(o, number, text, size);
    }
    bool exists = stat(o->path, &old) == 0;
    if (exists && refusal_(old.st_mode)) {
        return refuse_(o->path, refusal_(old.st_mode), text, size);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        return open_special_(o, text, size);
    }
    if (exists && access(o->path, W_OK) != 0) {
        return fail_("write the file", o->path, text, size);
    }
    o->target = smrf_output_follow(o->path);
    return o->target ? open_temporary_(o, exists ? &old : NULL, text, size)
                     : fail_("write the file", o->path, text, size);
}

static void free_(struct smrf_output *o)
{
    if (o->temporary) {
        forget_(o->temporary);
    }
    free(o->temporary);
    free(o->target);
    free(o->path);
    *o = (struct smrf_output){0};
}

int smrf_output_open(struct smrf_output *o, const char *path, char *text, size_t size)
{
    *o = (struct smrf_output){.path = strdup(path)};
    if (!o->path) {
        snprintf(text, size, "%s: out of memory", path);
        return SMRF_ERR_NOMEM;
    }
    int err = open_(o, text, size);
    if (err) {
        free_(o);
    }
    return err;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* A folder may be writable and not readable, and not every file system has what is asked for. */
static int sync_(const char *folder, int (*with)(int fd))
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno == EACCES ? 0 : -1;
    }
    int rc = with(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -1;
    (void)close(fd);
    return rc;
}

int smrf_output_sync_folder(const char *path)
{
    char *folder = beside_(path, ".");
    int rc = folder ? sync_(folder, fsync) : -1;
    free(folder);
    return rc;
}

int smrf_output_sync_contents(const char *folder)
{
    return sync_(folder, syncfs);
}

/* Everything that was handed over has left the program, and a file's bytes are on the disk. Returns
 * 0 or errno's value. */
static int settle_(struct smrf_output *o)
{
    int cause = ferror(o->file) ? EIO : 0; /* of an earlier write; which one is not known */
    if (fflush(o->file) != 0) {
        cause = errno;
    }
    if (!cause && o->temporary && !o->hasty && fsync(fileno(o->file)) != 0) {
        cause = errno;
    }
    if (o->file != stdout && fclose(o->file) != 0 && !cause) {
        cause = errno;
    }
    return cause;
}

int smrf_output_close(struct smrf_output *o, bool good, char *text, size_t size)
{
    int err = SMRF_OK;
    int cause = settle_(o);
    if (cause && good) {
        errno = cause;
        err = fail_("write the file", o->path, text, size);
    }
    if (o->temporary && good && !err && rename(o->temporary, o->target) != 0) {
        err = fail_("give the file its name", o->path, text, size);
    }
    if (o->temporary && (!good || err)) {
        (void)unlink(o->temporary);
    } else if (o->temporary && !o->hasty && smrf_output_sync_folder(o->target) != 0) {
        err = fail_("put the file's name on the disk", o->path, text, size);
    }
    free_(o);
    return err;
}

int smrf_output_probe(const char *path, char *text, size_t size)
{
    struct stat st;
    struct smrf_output o;
    if (smrf_output_is_stdout(path) ||
        (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !refusal_(st.st_mode))) {
        return SMRF_OK;
    }
    int err = smrf_output_open(&o, path, text, size);
    return err ? err : smrf_output_close(&o, false, text, size);
}
