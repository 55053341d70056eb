/* SPDX-License-Identifier: Apache-2.0 */
/* smrf trace --list: the suite by group, or programs with what their small sizes execute. */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"
#include "trace_job.h"

#include <string.h>
#include <unistd.h>

static const char *const size_names[SMRF_SIZES] = {"small", "medium", "large"};

/* A mix without the classes of which there is less than half a percent. */
static void print_mix_(const struct smrf_capture_totals *t)
{
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        if (smrf_cli_share(t, c) >= 0.5) {
            printf(" %s %.0f %%", smrf_cli_class(c), smrf_cli_share(t, c));
        }
    }
}

static void print_(const struct smrf_suite_program *p, const struct smrf_trace_outcome *o)
{
    printf("  %-18s %s\n", p->name, p->summary);
    for (unsigned s = 0; s < SMRF_SIZES; s++) {
        printf("  %-18s   %-7s %s\n", "", size_names[s], p->size_text[s]);
    }
    if (o->error[0]) {
        printf("  %-18s   FAILED: %s\n", "", o->error);
        return;
    }
    printf("  %-18s   small executes %s warp instructions in %s launches:", "",
           smrf_cli_count(o->captured.warp_insts), smrf_cli_count(o->captured.launches));
    print_mix_(&o->captured);
    printf("\n");
    if (o->executed.calls != 0) {
        printf("  %-18s   %.1f calls per thousand instructions, %u deep\n", "",
               1000.0 * (double)o->executed.calls / (double)o->captured.warp_insts,
               o->executed.call_depth);
    }
}

static json_t *count_(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *to_json_(const struct smrf_suite_program *p, const struct smrf_trace_outcome *o)
{
    json_t *sizes = json_object(), *classes = json_object();
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "name", p->name, "group", p->group, "summary",
                              p->summary, "sass", p->sass);
    for (unsigned s = 0; s < SMRF_SIZES; s++) {
        json_object_set_new(sizes, size_names[s], json_string(p->size_text[s]));
    }
    json_object_set_new(entry, "sizes", sizes);
    if (o->error[0]) {
        json_object_set_new(entry, "error", json_string(o->error));
        json_decref(classes);
        return entry;
    }
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        json_object_set_new(classes, smrf_cli_class(c), count_(o->captured.by_class[c]));
    }
    json_t *small = json_object();
    json_object_set_new(small, "launches", count_(o->captured.launches));
    json_object_set_new(small, "thread_blocks", count_(o->executed.blocks));
    json_object_set_new(small, "warp_insts", count_(o->captured.warp_insts));
    json_object_set_new(small, "thread_insts", count_(o->captured.thread_insts));
    json_object_set_new(small, "classes", classes);
    json_object_set_new(small, "calls", count_(o->executed.calls));
    json_object_set_new(small, "call_depth", count_(o->executed.call_depth));
    json_object_set_new(small, "values_compared", count_(o->compared));
    json_object_set_new(entry, "small", small);
    return entry;
}

/* names: of programs and of groups, none: all. */
static bool wanted_(const struct smrf_suite_program *p, char **names, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (strcmp(names[i], p->name) == 0 || strcmp(names[i], p->group) == 0) {
            return true;
        }
    }
    return num == 0;
}

/* Names alone, a paragraph a group. */
int smrf_cli_trace_groups(void)
{
    enum { COLUMNS = 100, INDENT = 14 };
    const struct smrf_suite_program *p;
    const char *group = "";
    int column = 0;
    printf("Programs of the suite, by group:\n");
    for (unsigned i = 0; (p = smrf_suite_at(i)) != NULL; i++) {
        if (strcmp(group, p->group) != 0) {
            group = p->group;
            printf("\n  %-*s", INDENT - 3, group);
            column = INDENT;
        }
        if (column + 1 + (int)strlen(p->name) > COLUMNS) {
            printf("\n%*s", INDENT - 1, "");
            column = INDENT;
        }
        printf(" %s", p->name);
        column += 1 + (int)strlen(p->name);
    }
    printf("\n\nsmrf trace --list GROUP|PROGRAM..: what each does, its sizes and instruction mix; "
           "--list "
           "--all: all\nsmrf trace PROGRAM -o DIR: trace one\n");
    return SMRF_EXIT_OK;
}

int smrf_cli_trace_list(bool json, char **programs, size_t num_programs)
{
    const struct smrf_suite_program *p;
    const char *group = "";
    json_t *array = json ? json_array() : NULL;
    int status = SMRF_EXIT_OK;
    for (unsigned i = 0; (p = smrf_suite_at(i)) != NULL; i++) {
        if (!wanted_(p, programs, num_programs)) {
            continue;
        }
        const struct smrf_trace_job job = {.program = p, .size = SMRF_SMALL};
        struct smrf_trace_outcome outcome;
        if (isatty(STDERR_FILENO)) {
            fprintf(stderr, "\r\033[Krunning %s", p->name);
        }
        int rc = smrf_trace_job_run(&job, &outcome);
        if (isatty(STDERR_FILENO)) {
            fputs("\r\033[K", stderr);
        }
        if (rc < 0) {
            status = smrf_cli_status(rc);
        }
        if (json) {
            json_array_append_new(array, to_json_(p, &outcome));
            continue;
        }
        if (strcmp(group, p->group) != 0) {
            printf("%s%s:\n", group[0] ? "\n" : "", p->group);
            group = p->group;
        }
        print_(p, &outcome);
    }
    if (json) {
        int written = smrf_cli_document(array, "-");
        status = status ? status : written;
    }
    return status;
}
