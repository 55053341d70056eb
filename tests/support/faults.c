/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before a program (LD_PRELOAD): at the Nth call that changes something on a disk the
 * process is killed (SMRF_TEST_KILL_AT=N), or the call fails as on a full disk
 * (SMRF_TEST_FAIL_AT=N). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long calls;

static unsigned long wanted(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtoul(text, NULL, 10) : 0;
}

/* true: this call is to fail. */
static bool strikes(bool may_fail)
{
    unsigned long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (call == wanted("SMRF_TEST_KILL_AT")) {
        kill(getpid(), SIGKILL);
    }
    bool fails = may_fail && call == wanted("SMRF_TEST_FAIL_AT");
    errno = fails ? ENOSPC : errno;
    return fails;
}

/* Functions and objects are different things to ISO C, and one to POSIX. */
#define NEXT(type, name)                                                                           \
    union {                                                                                        \
        void *object;                                                                              \
        type function;                                                                             \
    } next = {.object = dlsym(RTLD_NEXT, name)}

typedef int open_fn(const char *path, int flags, ...);
int open(const char *path, int flags, ...)
{
    NEXT(open_fn *, "open");
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return (flags & O_CREAT) && strikes(true) ? -1 : next.function(path, flags, mode);
}

#define PATH_CALL(name, may_fail)                                                                  \
    typedef int name##_fn(const char *path);                                                       \
    int name(const char *path)                                                                     \
    {                                                                                              \
        NEXT(name##_fn *, #name);                                                                  \
        return strikes(may_fail) ? -1 : next.function(path);                                       \
    }
PATH_CALL(unlink, false) /* what cannot be removed stays, and nobody can help it */
PATH_CALL(rmdir, false)

#define FD_CALL(name)                                                                              \
    typedef int name##_fn(int fd);                                                                 \
    int name(int fd)                                                                               \
    {                                                                                              \
        NEXT(name##_fn *, #name);                                                                  \
        return strikes(true) ? -1 : next.function(fd);                                             \
    }
FD_CALL(fsync)
FD_CALL(syncfs)

#define FILE_CALL(name)                                                                            \
    typedef int name##_fn(FILE *file);                                                             \
    int name(FILE *file)                                                                           \
    {                                                                                              \
        NEXT(name##_fn *, #name);                                                                  \
        bool fails = (file != NULL) && file != stdout && file != stderr && strikes(true);          \
        int rc = next.function(file);                                                              \
        errno = fails ? ENOSPC : errno;                                                            \
        return fails ? EOF : rc;                                                                   \
    }
FILE_CALL(fflush)
FILE_CALL(fclose)

typedef int mkdir_fn(const char *path, mode_t mode);
int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir_fn *, "mkdir");
    return strikes(true) ? -1 : next.function(path, mode);
}

typedef int rename_fn(const char *from, const char *to);
int rename(const char *from, const char *to)
{
    NEXT(rename_fn *, "rename");
    return strikes(true) ? -1 : next.function(from, to);
}

typedef int renameat2_fn(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    NEXT(renameat2_fn *, "renameat2");
    return strikes(true) ? -1 : next.function(from_fd, from, to_fd, to, flags);
}

typedef ssize_t pwrite_fn(int fd, const void *data, size_t bytes, off_t at);
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    NEXT(pwrite_fn *, "pwrite");
    return strikes(true) ? -1 : next.function(fd, data, bytes, at);
}
