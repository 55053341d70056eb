/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "nvcc.h"

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool smrf_cli_is_source(const char *word)
{
    const size_t n = strlen(word);
    return n > 3 && strcmp(word + n - 3, ".cu") == 0;
}

/* Can it be run? A name without a slash is looked for in PATH. */
static bool is_there_(const char *nvcc)
{
    const char *at = getenv("PATH");
    if (strchr(nvcc, '/') != NULL || at == NULL) {
        return access(nvcc, X_OK) == 0;
    }
    while (*at != '\0') {
        char path[4096];
        const char *end = strchrnul(at, ':');
        (void)snprintf(path, sizeof path, "%.*s/%s", (int)(end - at), at, nvcc);
        if (access(path, X_OK) == 0) {
            return true;
        }
        at = *end != '\0' ? end + 1 : end;
    }
    return false;
}

/* Its messages go to standard error: standard output is the program's. */
static void become_(const char *nvcc, const char *arch, const char *program, const char *source)
{
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)execlp(nvcc, nvcc, arch, "-lineinfo", "-cudart", "shared", "-o", program, source,
                 (char *)NULL);
    _exit(SMRF_EXIT_FAILURE);
}

static bool run_(const char *nvcc, const char *arch, const char *program, const char *source)
{
    int status = -1;
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        become_(nvcc, arch, program, source);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && status == 0;
}

int smrf_cli_compile(const char *command, const char *source, unsigned arch, const char *folder,
                     char *program, size_t room)
{
    const char *given = getenv("NVCC"), *nvcc = given != NULL && *given != '\0' ? given : "nvcc";
    const char *name = strrchr(source, '/') != NULL ? strrchr(source, '/') + 1 : source;
    const int stem = (int)strlen(name) - 3;
    char option[32];
    (void)snprintf(option, sizeof option, "-arch=sm_%u", arch);
    (void)snprintf(program, room, "%s/%.*s", folder, stem, name);
    if (!is_there_(nvcc)) {
        smrf_cli_error("%s: %s: there is no nvcc, in PATH or as $NVCC; compile where there is one, "
                       "nvcc %s -lineinfo -o %.*s %s; then %s .. -- ./%.*s",
                       command, source, option, stem, name, source, command, stem, name);
        return SMRF_EXIT_USAGE;
    }
    if (access(source, R_OK) != 0) {
        smrf_cli_error("%s: %s: %s", command, source, strerror(errno));
        return SMRF_EXIT_INPUT;
    }
    if (!run_(nvcc, option, program, source)) {
        (void)unlink(program);
        smrf_cli_error("%s: %s: %s has failed", command, source, nvcc);
        return SMRF_EXIT_INPUT;
    }
    return SMRF_EXIT_OK;
}
