/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST SMRF_FOLDER_LIST

char *smrf_folder_join(const char *dir, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

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

int smrf_folder_each(const char *dir, const struct smrf_folder_names *names,
                     smrf_folder_visit_fn *visit, void *ctx)
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

int smrf_folder_remove_one(const char *from, const char *name, void *ctx)
{
    char *path = smrf_folder_join(from, name);
    (void)ctx;
    int rc = path != NULL ? unlink(path) : -1;
    free(path);
    return rc;
}

int smrf_folder_read_names(struct smrf_folder_names *names, const char *dir, const char *file)
{
    char *list = smrf_folder_join(dir, file);
    int rc = list != NULL ? smrf_folder_names_read(names, list) : -1;
    free(list);
    return rc;
}

bool smrf_folder_has_list(const char *dir)
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

int smrf_folder_names_of(struct smrf_folder_names *names, const char *dir)
{
    DIR *d = opendir(dir);
    int rc = smrf_folder_read_names(names, dir, LIST);
    for (struct dirent *e; rc == 0 && d != NULL && (e = readdir(d)) != NULL;) {
        rc = smrf_folder_is_part(e->d_name) ? smrf_folder_read_names(names, dir, e->d_name) : 0;
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return rc;
}

void smrf_folder_remove(const char *path)
{
    struct smrf_folder_names names = {0};
    if (smrf_folder_names_of(&names, path) == 0) {
        (void)smrf_folder_each(path, &names, smrf_folder_remove_one, NULL);
    }
    (void)smrf_folder_each(path, NULL, smrf_folder_remove_one, NULL);
    (void)rmdir(path);
    smrf_folder_names_free(&names);
}

char *smrf_folder_foreign(const char *dir, const struct smrf_folder_names *names, bool usual)
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
