/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder_names.h"

#include "input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 4096

static bool ends_(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_packed_or_not_(const char *ending)
{
    return *ending == '\0' || strcmp(ending, ".xz") == 0 || strcmp(ending, ".gz") == 0 ||
           strcmp(ending, ".zst") == 0;
}

static int add_(struct smrf_folder_names *n, const char *name)
{
    if (n->count == n->room) {
        size_t room = n->room ? 2 * n->room : 16;
        char **grown = realloc(n->name, room * sizeof *grown);
        if (grown == NULL) {
            return -1;
        }
        n->name = grown;
        n->room = room;
    }
    n->name[n->count] = strdup(name);
    return n->name[n->count] != NULL ? (n->count++, 0) : -1;
}

int smrf_folder_names_read(struct smrf_folder_names *n, const char *list)
{
    struct smrf_input in;
    char line[LINE_BYTES];
    bool begins = true;
    int rc = 0;
    if (access(list, F_OK) != 0) {
        return errno == ENOENT ? 0 : -1;
    }
    if (smrf_input_open(&in, list, UINT64_MAX, line, sizeof line) != 0) {
        errno = EINVAL;
        return -1;
    }
    while (rc == 0 && fgets(line, sizeof line, in.file) != NULL) {
        bool names = begins && strncmp(line, "kernel", 6) == 0;
        begins = strchr(line, '\n') != NULL;
        line[strcspn(line, " \t\r\n")] = '\0';
        if (names && strchr(line, '/') == NULL) {
            rc = add_(n, line);
        }
    }
    smrf_input_close(&in);
    return rc;
}

void smrf_folder_names_free(struct smrf_folder_names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->name[i]);
    }
    free(n->name);
    *n = (struct smrf_folder_names){0};
}

bool smrf_folder_is_part(const char *file)
{
    return strncmp(file, SMRF_FOLDER_LIST ".", sizeof SMRF_FOLDER_LIST) == 0 &&
           ends_(file, ".part") && strlen(file) > sizeof SMRF_FOLDER_LIST + strlen(".part");
}

bool smrf_folder_names_has(const struct smrf_folder_names *n, const char *file)
{
    if (strcmp(file, SMRF_FOLDER_LIST) == 0 || smrf_folder_is_part(file)) {
        return true;
    }
    for (size_t i = 0; i < n->count; i++) {
        const char *name = n->name[i];
        size_t length = strlen(name);
        const char *ending = strstr(name, ".trace");
        size_t stem = ending != NULL ? (size_t)(ending - name) : length;
        if ((strncmp(file, name, length) == 0 && is_packed_or_not_(file + length)) ||
            (strncmp(file, name, stem) == 0 && strcmp(file + stem, ".operands") == 0)) {
            return true;
        }
    }
    return false;
}

bool smrf_folder_is_usual(const char *file)
{
    static const char *const kinds[] = {".traceg", ".tracez", ".operands"};
    if (strncmp(file, "kernel-", 7) != 0) {
        return false;
    }
    const char *at = file + 7 + strspn(file + 7, "0123456789");
    for (size_t i = 0; at > file + 7 && i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(at, kinds[i], n) == 0 && is_packed_or_not_(at + n)) {
            return true;
        }
    }
    return false;
}
