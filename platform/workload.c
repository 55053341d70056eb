/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "workload.h"

#include "models/common/smrf_err.h"
#include "traces/files/input_file.h"
#include "traces/files/output_file.h"

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

/* The listed file; a list may name it without the extension of its compression. */
static void listed_path_(const char *list, const char *name, char path[4096])
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst", ""};
    const char *slash = strrchr(list, '/');
    int folder = name[0] != '/' && slash ? (int)(slash + 1 - list) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct stat st;
        int n = snprintf(path, 4096, "%.*s%s%s", folder, list, name, endings[i]);
        if (n > 0 && n < 4096 && stat(path, &st) == 0) {
            return;
        }
    }
}

typedef int visit_fn(void *ctx, const char *path);

/* Visit every file that a list names. Stops at a nonzero result. */
static int each_listed_(const char *list, visit_fn *visit, void *ctx)
{
    char text[256], path[4096];
    struct smrf_input in;
    if (smrf_input_open(&in, list, UINT64_MAX, text, sizeof text) != 0) {
        return 0; /* its reader reports it */
    }
    char line[4096]; /* as long as a path may be */
    bool begins = true;
    int rc = 0;
    while (rc == 0 && fgets(line, sizeof line, in.file) != NULL) {
        bool names =
            begins && (strncmp(line, "kernel", 6) == 0 || line[0] == '/' || line[0] == '.');
        begins = strchr(line, '\n') != NULL;
        if (names) {
            line[strcspn(line, " \t\r\n")] = '\0';
            listed_path_(list, line, path);
            rc = visit(ctx, path);
        }
    }
    smrf_input_close(&in);
    return rc;
}

static int add_listed_(void *ctx, const char *path)
{
    return add_launch_(ctx, file_bytes_(path));
}

/* Is it a list, or a folder with one? Lists end in ".g"; everything else is one launch. */
static bool is_list_(const char *path, char list[4096])
{
    struct stat st;
    size_t length = strlen(path);
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    snprintf(list, 4096, folder ? "%s/kernelslist.g" : "%s", path);
    return folder || (length > 2 && strcmp(path + length - 2, ".g") == 0);
}

static int add_launches_(struct smrf_workload *w, const char *path)
{
    char list[4096];
    return is_list_(path, list) ? each_listed_(list, add_listed_, w)
                                : add_launch_(w, file_bytes_(path));
}

struct visitor {
    int (*visit)(void *ctx, const char *path, bool optional);
    void *ctx;
};

/* The kernel's file, and the operands beside it: "kernel-1.traceg.xz", "kernel-1.operands". */
static int visit_kernel_(void *ctx, const char *path)
{
    const struct visitor *v = ctx;
    char beside[4096 + 16];
    const char *dot = strstr(strrchr(path, '/') ? strrchr(path, '/') : path, ".trace");
    int rc = v->visit(v->ctx, path, false);
    snprintf(beside, sizeof beside, "%.*s.operands", dot ? (int)(dot - path) : 0, path);
    return rc == 0 && dot ? v->visit(v->ctx, beside, true) : rc;
}

int smrf_workload_files(const char *trace, int (*visit)(void *ctx, const char *path, bool optional),
                        void *ctx)
{
    char list[4096];
    struct visitor v = {visit, ctx};
    if (!is_list_(trace, list)) {
        return visit_kernel_(&v, trace);
    }
    int rc = visit(ctx, list, false);
    return rc ? rc : each_listed_(list, visit_kernel_, &v);
}

static int is_read_(void *ctx, const char *path, bool optional)
{
    (void)optional;
    return smrf_output_same(path, ctx);
}

bool smrf_workload_reads(const char *trace, const char *path)
{
    return smrf_workload_files(trace, is_read_, (char *)(size_t)path) != 0;
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
