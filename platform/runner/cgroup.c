/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cgroup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

static bool path_(char *to, const char *group, const char *file)
{
    const int n = snprintf(to, PATH_BYTES, "%s/%s", group, file);
    return n > 0 && n < PATH_BYTES;
}

static bool put_(const char *group, const char *file, const char *text)
{
    char path[PATH_BYTES];
    const size_t length = strlen(text);
    const int fd = path_(path, group, file) ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    const bool done = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    if (fd >= 0) {
        (void)close(fd);
    }
    return done;
}

/* Is the word in the file, which has words in one line? */
static bool has_word_(const char *group, const char *file, const char *word)
{
    char path[PATH_BYTES], got[64];
    FILE *in = path_(path, group, file) ? fopen(path, "re") : NULL;
    bool found = false;
    while (in && !found && fscanf(in, "%63s", got) == 1) {
        found = strcmp(got, word) == 0;
    }
    if (in) {
        (void)fclose(in);
    }
    return found;
}

/* The number behind `key`, or the file's only one (key ""). 0: it is not there. */
static uint64_t number_(const char *group, const char *file, const char *key)
{
    char path[PATH_BYTES], got[64];
    FILE *in = path_(path, group, file) ? fopen(path, "re") : NULL;
    uint64_t value = 0;
    if (in && *key == '\0') {
        (void)!fscanf(in, "%" SCNu64, &value);
    }
    while (in && *key != '\0' && fscanf(in, "%63s", got) == 1) {
        if (strcmp(got, key) == 0) {
            (void)!fscanf(in, "%" SCNu64, &value);
            break;
        }
    }
    if (in) {
        (void)fclose(in);
    }
    return value;
}

/* Where cgroup v2 is mounted: alone, or beside v1. */
static const char *mounted_(void)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (path_(path, places[i], "cgroup.controllers") && access(path, R_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}

/* This process's own group: the line "0::/path". */
static const char *own_(struct smrf_pool *pool)
{
    const char *place = getenv("SMRF_CGROUP"), *group = NULL;
    char line[PATH_BYTES];
    if (place) {
        return place;
    }
    place = mounted_();
    FILE *in = place ? fopen("/proc/self/cgroup", "re") : NULL;
    while (in && !group && fgets(line, sizeof line, in)) {
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            group = smrf_pool_text(pool, "%s%s", place, line + 3);
        }
    }
    if (in) {
        (void)fclose(in);
    }
    return group;
}

/* Groups below may have the controller: they have it already, or it can be given to them. The
 * kernel refuses that as long as a group that is not the root has processes of its own; those are
 * not moved. */
const char *smrf_cgroup_parent(struct smrf_pool *pool)
{
    const char *group = own_(pool);
    char procs[PATH_BYTES]; /* write permission allows moving processes into the groups below */
    if (!group || !has_word_(group, "cgroup.controllers", "memory") ||
        !path_(procs, group, "cgroup.procs") || access(procs, W_OK) != 0) {
        return NULL;
    }
    if (!has_word_(group, "cgroup.subtree_control", "memory") &&
        !put_(group, "cgroup.subtree_control", "+memory")) {
        return NULL;
    }
    return group;
}

const char *smrf_cgroup_make(struct smrf_pool *pool, const char *parent, const char *name,
                             uint64_t bytes)
{
    const char *group = smrf_pool_text(pool, "%s/%s", parent, name);
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    if (mkdir(group, 0777) != 0) {
        return NULL;
    }
    if (!put_(group, "memory.max", text)) {
        smrf_cgroup_remove(group);
        return NULL;
    }
    (void)put_(group, "memory.swap.max", "0"); /* absent without swap */
    (void)put_(group, "memory.oom.group", "1");
    return group;
}

bool smrf_cgroup_enter(const char *group)
{
    char text[32];
    snprintf(text, sizeof text, "%d", (int)getpid());
    return put_(group, "cgroup.procs", text);
}

struct smrf_cgroup_events smrf_cgroup_events(const char *group)
{
    return (struct smrf_cgroup_events){
        .peak = number_(group, "memory.peak", ""),
        .oom = number_(group, "memory.events", "oom"),
        .oom_kill = number_(group, "memory.events", "oom_kill"),
    };
}

void smrf_cgroup_remove(const char *group)
{
    (void)rmdir(group);
}
