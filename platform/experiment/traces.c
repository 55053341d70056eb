/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of an experiment: programs of the suite, and files. */
#define _GNU_SOURCE
#include "experiment.h"

#include "firmware/kernels/suite.h"
#include "traces/files/escape.h"
#include "traces/trace.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_there_(const struct smrf_experiment *x, const char *name)
{
    for (size_t i = 0; i < x->num_traces; i++) {
        if (strcmp(x->trace[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The first of the file's groups that has it, else the suite's. */
static const char *group_(const struct smrf_experiment *x, const struct smrf_suite_program *program)
{
    for (size_t i = 0; i < x->num_groups; i++) {
        if (strcmp(x->group[i].program, program->group) == 0 ||
            fnmatch(x->group[i].program, program->name, 0) == 0) {
            return x->group[i].group;
        }
    }
    return program->group;
}

/* The trace has its name and what makes it; its group, or NULL: the file's. */
static void add_program_(struct smrf_experiment *x, const struct smrf_suite_program *program,
                         struct smrf_trace_of trace)
{
    trace.path = smrf_pool_text(&x->pool, "%s/traces/%s-%s", x->folder, program->name, trace.value);
    trace.program = program->name;
    trace.group = trace.group ? trace.group : group_(x, program);
    if (!is_there_(x, trace.name)) { /* named twice, or with its group */
        SMRF_POOL_ADD(&x->pool, x->trace, x->num_traces, trace);
    }
}

static const char *near_program_(struct smrf_experiment *x, const char *name)
{
    const struct smrf_suite_program *program;
    const char **names = NULL;
    size_t count = 0;
    for (unsigned i = 0; (program = smrf_suite_at(i)) != NULL; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, program->name);
        SMRF_POOL_ADD(&x->pool, names, count, program->group);
    }
    SMRF_POOL_ADD(&x->pool, names, count, NULL);
    const char *near = smrf_tree_near(&x->pool, name, names);
    return near[0] ? near : "; smrf trace --list shows all";
}

/* Does a pattern, or a group's name, mean this program? */
static bool is_meant_(const struct smrf_suite_program *program, const char *pattern)
{
    return strcmp(program->group, pattern) == 0 || fnmatch(pattern, program->name, 0) == 0;
}

static int no_program_(struct smrf_experiment *x, unsigned line, const char *pattern)
{
    return smrf_tree_fail(&x->source, line, "the suite has no program or group '%s'%s", pattern,
                          near_program_(x, pattern));
}

int smrf_experiment_check_size(struct smrf_experiment *x, unsigned line, const char *size)
{
    const bool known =
        strcmp(size, "small") == 0 || strcmp(size, "medium") == 0 || strcmp(size, "large") == 0;
    return known ? SMRF_OK
                 : smrf_tree_fail(&x->source, line, "a size is small, medium or large, not '%s'",
                                  size);
}

int smrf_experiment_add_programs(struct smrf_experiment *x, unsigned line, const char *name,
                                 const char *size, const char *group)
{
    const struct smrf_suite_program *program;
    size_t meant = 0;
    if (smrf_experiment_check_size(x, line, size)) {
        return SMRF_ERR_INVAL;
    }
    for (unsigned i = 0; (program = smrf_suite_at(i)) != NULL; i++) {
        if (is_meant_(program, name)) {
            add_program_(
                x, program,
                (struct smrf_trace_of){
                    .name = program->name, .group = group, .option = "--size", .value = size});
            meant++;
        }
    }
    return meant ? SMRF_OK : no_program_(x, line, name);
}

int smrf_experiment_add_scaled(struct smrf_experiment *x, unsigned line, const char *name,
                               const char *scale, const char *group)
{
    const struct smrf_suite_program *program;
    const size_t digits = strspn(scale, "0123456789");
    size_t meant = 0;
    if (digits == 0 || digits > 2 || scale[digits] != 0 || scale[0] == '0') {
        return smrf_tree_fail(&x->source, line, "a scale is a whole number from 1 to 99, not '%s'",
                              scale);
    }
    for (unsigned i = 0; (program = smrf_suite_at(i)) != NULL; i++) {
        if (!is_meant_(program, name)) {
            continue;
        }
        if (!program->has_scale) {
            return smrf_tree_fail(&x->source, line,
                                  "%s has no scale; it has a size: small, medium "
                                  "or large",
                                  program->name);
        }
        /* Called by its scale, too: a program may have several. */
        const char *called = smrf_pool_text(&x->pool, "%s-%s", program->name, scale);
        add_program_(x, program,
                     (struct smrf_trace_of){
                         .name = called, .group = group, .option = "--scale", .value = scale});
        meant++;
    }
    return meant ? SMRF_OK : no_program_(x, line, name);
}

/* "traces/bfs-sm70-v3/" -> "bfs-sm70-v3"; a second one of that name: "bfs-sm70-v3-2". */
static const char *new_name_(struct smrf_experiment *x, const char *path)
{
    size_t length = strlen(path);
    static const char list[] = "/kernelslist.g";
    if (length > sizeof list && strcmp(path + length - sizeof list + 1, list) == 0) {
        length -= sizeof list - 1; /* the folder's name tells more */
    }
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    const char *start = memrchr(path, '/', length);
    start = start ? start + 1 : path;
    char *own = smrf_utf8(start, length - (size_t)(start - path)); /* tables and pages show it */
    const char *stem = smrf_pool_text(&x->pool, "%s", own ? own : "trace");
    free(own);
    const char *name = stem;
    for (unsigned k = 2; is_there_(x, name); k++) {
        name = smrf_pool_text(&x->pool, "%s-%u", stem, k);
    }
    return name;
}

static int add_file_(struct smrf_experiment *x, unsigned line, const char *path, const char *group)
{
    struct smrf_trace *trace = NULL;
    char *full = realpath(path, NULL);
    if (!full) {
        return smrf_tree_fail(&x->source, line, "%s: %s", path, strerror(errno));
    }
    int err = smrf_trace_open(&trace, full, NULL);
    if (err) {
        smrf_tree_fail(&x->source, line, "%s", trace ? smrf_trace_error(trace) : "out of memory");
    }
    if (trace) {
        smrf_trace_close(trace);
    }
    if (!err) {
        SMRF_POOL_ADD(&x->pool, x->trace, x->num_traces,
                      (struct smrf_trace_of){new_name_(x, full), group,
                                             smrf_pool_text(&x->pool, "%s", full), NULL, NULL,
                                             NULL});
    }
    free(full);
    return err;
}

/* A README beside traces fits a pattern, too. */
static bool may_be_trace_(const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) || strstr(name, ".trace") ||
           strstr(name, "kernelslist");
}

int smrf_experiment_add_traces(struct smrf_experiment *x, unsigned line, const char *path,
                               const char *group, bool pattern)
{
    glob_t found;
    int err = SMRF_OK;
    if (!pattern || !strpbrk(path, "*?[{~")) {
        return add_file_(x, line, path, group);
    }
    if (glob(path, GLOB_BRACE | GLOB_TILDE, NULL, &found) != 0) {
        return smrf_tree_fail(&x->source, line, "no file fits '%s'", path);
    }
    size_t fitting = 0;
    for (size_t i = 0; !err && i < found.gl_pathc; i++) {
        if (may_be_trace_(found.gl_pathv[i])) {
            err = add_file_(x, line, found.gl_pathv[i], group);
            fitting++;
        }
    }
    globfree(&found);
    return err || fitting ? err : smrf_tree_fail(&x->source, line, "no trace fits '%s'", path);
}

/* pattern: several, with | between them. */
bool smrf_experiment_fits(const struct smrf_trace_of *trace, const char *pattern)
{
    char one[256];
    for (size_t length; *pattern; pattern += length + (pattern[length] == '|')) {
        length = strcspn(pattern, "|");
        snprintf(one, sizeof one, "%.*s", (int)length, pattern);
        if (fnmatch(one, trace->name, 0) == 0 || fnmatch(one, trace->group, 0) == 0) {
            return true;
        }
    }
    return false;
}

bool smrf_experiment_is_of(const struct smrf_trace_of *trace, const struct smrf_tree *patterns)
{
    const struct smrf_tree *one;
    for (size_t k = 0; patterns && (one = smrf_tree_each(patterns, k)) != NULL; k++) {
        if (one->kind == SMRF_TREE_TEXT && smrf_experiment_fits(trace, one->text)) {
            return true;
        }
    }
    return patterns == NULL;
}
