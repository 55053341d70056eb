/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "program_report.h"

#include "cli.h"
#include "document.h"

#include "traces/files/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const sums[] = {
    "launches",     "written_launches", "blocks",         "warps",  "warp_insts",
    "thread_insts", "written_insts",    "written_blocks", "copies", "copied_bytes"};
#define DYING_PAUSES 100 /* of 20 ms: a killed process keeps its lock until its memory is freed */
#define SUMS (sizeof sums / sizeof *sums)
_Static_assert(SUMS == SMRF_REPORT_SUMS, "one sum a name");
enum { LAUNCHES, WRITTEN_LAUNCHES, BLOCKS, WARPS, WARP_INSTS, THREAD_INSTS, WRITTEN_INSTS };

static void once_(json_t *list, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (strcmp(json_string_value(item), text) == 0) {
            return;
        }
    }
    json_array_append_new(list, json_string(text));
}

/* One process's. */
struct reported {
    long process;
    char *dir; /* NULL: no trace */
    bool ended;
};

static void read_line_(struct smrf_cli_program_report *r, struct reported *p, const char *key,
                       const char *value)
{
    for (size_t i = 0; i < SUMS; i++) {
        if (strcmp(key, sums[i]) == 0) {
            r->sum[i] += strtoull(value, NULL, 10);
        }
    }
    if (strcmp(key, "process") == 0) {
        p->process = strtol(value, NULL, 10);
    } else if (strcmp(key, "dir") == 0 && value[0] != '\0') {
        free(p->dir);
        p->dir = strdup(value);
    } else if (strcmp(key, "ended") == 0) {
        p->ended = true;
    } else if (strcmp(key, "error") == 0) {
        r->failed = r->failed || value[0] != '\0';
    } else if (strcmp(key, "missing") == 0) {
        once_(r->missing, value);
    } else if (strcmp(key, "refused") == 0) {
        once_(r->refused, value);
    } else if (strcmp(key, "fault") == 0) {
        once_(r->faults, value);
    }
}

/* Makes a trace of the launches that a process has left. Returns false with text: it could not. */
static bool resume_(struct reported *p, bool replace, char *text, size_t room)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    struct smrf_folder *folder = NULL;
    int rc = p->dir != NULL ? SMRF_ERR_IO : 0;
    for (unsigned i = 0; rc != 0 && i < DYING_PAUSES; i++) {
        rc = smrf_folder_resume(&folder, p->dir, replace, text, room);
        if (rc != 0) {
            (void)nanosleep(&pause, NULL);
        }
    }
    rc = rc == 0 && folder != NULL ? smrf_folder_publish(folder, text, room) : rc;
    if (rc != 0 || folder == NULL) {
        free(p->dir);
        p->dir = NULL;
    }
    return rc == 0;
}

/* A process that left without exit(), or has not left. If it is the program, and ended by itself,
 * no launch was under way. */
static void end_early_(struct smrf_cli_program_report *r, struct reported *p,
                       const struct smrf_cli_ended *program, bool replace)
{
    char text[1300] = "", line[1500], how[100] = "did not end by exit()";
    const int number = p->process == program->process ? program->signal : -1;
    const bool resumed = resume_(p, replace, text, sizeof text);
    if (number == 0 && resumed) {
        return;
    }
    r->failed = true;
    if (number > 0) {
        (void)snprintf(how, sizeof how, "was ended by signal %d, %s", number, strsignal(number));
    }
    (void)snprintf(line, sizeof line, "process %ld %s: %s", p->process, how,
                   !resumed         ? text
                   : p->dir != NULL ? "its trace has the launches that had ended by then"
                                    : "only launches that had ended by then count");
    once_(r->cut, line);
}

static void read_process_(struct smrf_cli_program_report *r, const char *session, unsigned number,
                          const struct smrf_cli_ended *program, bool replace)
{
    struct reported reported = {0};
    char path[4200], *line = NULL;
    size_t room = 0;
    (void)snprintf(path, sizeof path, "%s/%u/report", session, number);
    FILE *in = fopen(path, "r");
    r->processes++;
    while (in != NULL && getline(&line, &room, in) > 0) {
        char *equals = strchr(line, '=');
        line[strcspn(line, "\n")] = '\0';
        if (equals != NULL) {
            *equals = '\0';
            read_line_(r, &reported, line, equals + 1);
        }
    }
    free(line);
    r->failed = r->failed || in == NULL;
    if (in != NULL) {
        (void)fclose(in);
        (void)unlink(path);
    }
    if (!reported.ended && reported.process != 0) {
        end_early_(r, &reported, program, replace);
    }
    if (reported.dir != NULL) {
        json_array_append_new(r->traces, json_string(reported.dir));
    }
    free(reported.dir);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
}

void smrf_cli_report_read(struct smrf_cli_program_report *r, const char *session,
                          const struct smrf_cli_ended *program, bool replace)
{
    char path[4200];
    r->traces = json_array();
    r->missing = json_array();
    r->refused = json_array();
    r->faults = json_array();
    r->cut = json_array();
    for (unsigned i = 1;; i++) {
        (void)snprintf(path, sizeof path, "%s/%u", session, i);
        if (access(path, F_OK) != 0) {
            break;
        }
        read_process_(r, session, i, program, replace);
    }
}

static void print_list_(const char *heading, const json_t *list)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        fprintf(stderr, "%-20s%s\n", i == 0 ? heading : "", json_string_value(item));
    }
}

void smrf_cli_report_print(const struct smrf_cli_program_report *r, char *const *argv)
{
    if (r->processes == 0) {
        fprintf(
            stderr,
            "smrf: %s has called no CUDA library: nothing was traced. A program that has CUDA's "
            "runtime in itself must have its symbols, too: do not strip it.\n",
            argv[0]);
        return;
    }
    fprintf(stderr, "Executed            %s launches, %s thread blocks, %s warps\n",
            smrf_cli_count(r->sum[LAUNCHES]), smrf_cli_count(r->sum[BLOCKS]),
            smrf_cli_count(r->sum[WARPS]));
    fprintf(stderr, "Warp instructions   %s\n", smrf_cli_count(r->sum[WARP_INSTS]));
    print_list_("Trace", r->traces);
    if (json_array_size(r->traces) != 0) {
        fprintf(stderr, "                    %s launches, %s warp instructions\n",
                smrf_cli_count(r->sum[WRITTEN_LAUNCHES]), smrf_cli_count(r->sum[WRITTEN_INSTS]));
    }
    print_list_("Calls not provided", r->missing);
    print_list_("Not executed", r->refused);
    print_list_("Failed", r->faults);
    print_list_("Incomplete", r->cut);
}

int smrf_cli_report_json(const struct smrf_cli_program_report *r, char *const *argv, int status,
                         const char *path)
{
    json_t *root = json_object(), *words = json_array();
    for (char *const *word = argv; *word != NULL; word++) {
        json_array_append_new(words, json_string(*word));
    }
    json_object_set_new(root, "program", words);
    json_object_set_new(root, "exit_status", json_integer(status));
    json_object_set_new(root, "processes", json_integer(r->processes));
    for (size_t i = 0; i < SUMS; i++) {
        json_object_set_new(root, sums[i], json_integer((json_int_t)r->sum[i]));
    }
    json_object_set(root, "traces", r->traces);
    json_object_set(root, "not_provided", r->missing);
    json_object_set(root, "not_executed", r->refused);
    json_object_set(root, "failed", r->faults);
    json_object_set(root, "incomplete", r->cut);
    return smrf_cli_document(root, path);
}

void smrf_cli_report_free(struct smrf_cli_program_report *r)
{
    json_decref(r->traces);
    json_decref(r->missing);
    json_decref(r->refused);
    json_decref(r->faults);
    json_decref(r->cut);
}
