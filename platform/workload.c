/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "workload.h"

#include "models/common/smrf_err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t file_bytes_(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static int add_launch_(struct smrf_workload *w, uint64_t bytes)
{
    if (w->num_launches == w->room) {
        size_t room = w->room ? 2 * w->room : 64;
        uint64_t *grown = realloc(w->launch_bytes, room * sizeof *grown);
        if (!grown) {
            return SMRF_ERR_NOMEM;
        }
        w->launch_bytes = grown;
        w->room = room;
    }
    w->launch_bytes[w->num_launches++] = bytes;
    w->bytes += bytes;
    return SMRF_OK;
}

/* Size of a listed file; a list may name it without the extension of its compression. */
static uint64_t listed_bytes_(const char *folder, size_t folder_length, const char *name)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    char path[4096];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int n = name[0] == '/' ? snprintf(path, sizeof path, "%s%s", name, endings[i])
                               : snprintf(path, sizeof path, "%.*s%s%s", (int)folder_length, folder,
                                          name, endings[i]);
        uint64_t bytes = n > 0 && (size_t)n < sizeof path ? file_bytes_(path) : 0;
        if (bytes) {
            return bytes;
        }
    }
    return 0;
}

static int add_list_(struct smrf_workload *w, const char *list)
{
    FILE *f = fopen(list, "r");
    if (!f) {
        return SMRF_OK; /* only the bar suffers */
    }
    const char *slash = strrchr(list, '/');
    size_t folder = slash ? (size_t)(slash + 1 - list) : 0;
    char *line = NULL;
    size_t room = 0;
    int err = SMRF_OK;
    while (!err && getline(&line, &room, f) >= 0) {
        if (strncmp(line, "kernel", 6) == 0) {
            line[strcspn(line, " \t\r\n")] = '\0';
            err = add_launch_(w, listed_bytes_(list, folder, line));
        }
    }
    free(line);
    fclose(f);
    return err;
}

/* Lists end in ".g"; everything else is one launch. */
static int add_launches_(struct smrf_workload *w, const char *path)
{
    struct stat st;
    size_t length = strlen(path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        char list[4096];
        snprintf(list, sizeof list, "%s/kernelslist.g", path);
        return add_list_(w, list);
    }
    if (length > 2 && strcmp(path + length - 2, ".g") == 0) {
        return add_list_(w, path);
    }
    return add_launch_(w, file_bytes_(path));
}

int smrf_workload_add(struct smrf_workload *w, const char *path)
{
    char **grown = realloc(w->path, (w->num_paths + 1) * sizeof *grown);
    if (!grown) {
        return SMRF_ERR_NOMEM;
    }
    w->path = grown;
    w->path[w->num_paths] = strdup(path);
    if (!w->path[w->num_paths]) {
        return SMRF_ERR_NOMEM;
    }
    w->num_paths++;
    return add_launches_(w, path);
}

void smrf_workload_free(struct smrf_workload *w)
{
    for (size_t i = 0; i < w->num_paths; i++) {
        free(w->path[i]);
    }
    free(w->path);
    free(w->launch_bytes);
    *w = (struct smrf_workload){0};
}

double smrf_workload_fraction(const struct smrf_workload *w, size_t launches, double part)
{
    uint64_t done = 0;
    if (w->bytes == 0 || launches > w->num_launches) {
        return -1.0;
    }
    for (size_t i = 0; i < launches; i++) {
        done += w->launch_bytes[i];
    }
    uint64_t present = launches < w->num_launches ? w->launch_bytes[launches] : 0;
    double fraction = ((double)done + part * (double)present) / (double)w->bytes;
    return fraction > 1.0 ? 1.0 : fraction;
}
