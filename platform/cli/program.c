/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "program.h"

#include "cli.h"
#include "document.h"

#include "platform/config/config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS_BYTES 16384
#define NOT_STARTED 127 /* as shells have it */

int smrf_cli_program_at(int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        i++;
    }
    return i;
}

/* ---- what the libraries are told ------------------------------------------------------------- */

struct text {
    char bytes[OPTIONS_BYTES];
    size_t length;
    bool full;
};

__attribute__((format(printf, 2, 3))) static void add_(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, args);
    va_end(args);
    t->full = t->full || n < 0 || (size_t)n >= sizeof t->bytes - t->length;
    t->length += t->full ? 0 : (size_t)n;
}

static void add_text_(struct text *t, const char *key, const char *value)
{
    if (value != NULL) {
        add_(t, "%s=%s\n", key, value);
    }
}

static void add_number_(struct text *t, const char *key, uint64_t value)
{
    if (value != 0) {
        add_(t, "%s=%" PRIu64 "\n", key, value);
    }
}

/* The machine's size and clock, so that a program that asks for them finds that machine. */
static int add_machine_(struct text *t, const char *preset)
{
    struct smrf_config config;
    struct smrf_config_error error;
    smrf_config_default(&config);
    if (preset != NULL && smrf_preset_apply(&config, preset, &error) != 0) {
        smrf_cli_error("smrf trace: %s", error.text);
        return SMRF_EXIT_USAGE;
    }
    const int sms = smrf_param_find("gpu.sms"), khz = smrf_param_find("gpu.core_khz");
    add_number_(t, "sms", smrf_config_get(&config, (size_t)sms));
    add_number_(t, "core-khz", smrf_config_get(&config, (size_t)khz));
    return SMRF_EXIT_OK;
}

static int options_(const struct smrf_cli_program *p, const char *session, struct text *t)
{
    const struct smrf_capture_options *c = &p->job->capture;
    char *dir = NULL;
    if (c->dir != NULL) { /* the program may change its working folder */
        char *here = c->dir[0] == '/' ? NULL : getcwd(NULL, 0);
        if (asprintf(&dir, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", c->dir) <
            0) {
            dir = NULL;
        }
        free(here);
    }
    add_text_(t, "session", session);
    add_text_(t, "dir", dir);
    free(dir);
    add_number_(t, "force", c->replace);
    add_number_(t, "format", c->format);
    add_number_(t, "compression", c->compression);
    add_number_(t, "values", c->values);
    add_number_(t, "exact", c->exact);
    add_number_(t, "max-insts", c->max_insts);
    add_text_(t, "blocks", p->blocks);
    add_text_(t, "warps", p->warps);
    add_text_(t, "launches", p->launches);
    add_text_(t, "kernel", c->launches.kernel);
    add_number_(t, "skip", c->launches.skip);
    add_number_(t, "first", c->launches.first);
    add_number_(t, "stack", p->job->limits.stack_bytes);
    add_number_(t, "heap", p->job->limits.heap_bytes);
    add_number_(t, "runaway", p->job->limits.max_insts_per_warp);
    add_number_(t, "arch", p->arch);
    int status = add_machine_(t, p->preset);
    if (status == SMRF_EXIT_OK && t->full) {
        smrf_cli_error("smrf trace: the options are too long");
        status = SMRF_EXIT_USAGE;
    }
    return status;
}

/* The folder of the libraries: beside the program where it was built, else where it is installed.
 */
static bool libraries_(char *path, size_t room)
{
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *const places[] = {"cuda", SMRF_CUDA_LIBRARIES};
    if (n <= 0) {
        return false;
    }
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char file[8300];
        (void)snprintf(path, room, "%s/%s", self, places[i]);
        (void)snprintf(file, sizeof file, "%s/libcuda.so.1", path);
        if (access(file, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void become_(const struct smrf_cli_program *p, const char *libraries, const char *options)
{
    const char *others = getenv("LD_LIBRARY_PATH"), *loaded = getenv("LD_PRELOAD");
    char *path = NULL, *preload = NULL;
    /* Pointers that the program hands to kernels are then the same in every run. */
    (void)personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
    if (asprintf(&path, "%s%s%s", libraries, others != NULL && *others != '\0' ? ":" : "",
                 others != NULL ? others : "") < 0 ||
        asprintf(&preload, "%s/libsmrf-static-runtime.so%s%s", libraries,
                 loaded != NULL && *loaded != '\0' ? ":" : "", loaded != NULL ? loaded : "") < 0 ||
        setenv("LD_LIBRARY_PATH", path, 1) != 0 || setenv("LD_PRELOAD", preload, 1) != 0 ||
        setenv("SMRF_CUDA_OPTIONS", options, 1) != 0) {
        smrf_cli_error("smrf trace: out of memory");
        _exit(NOT_STARTED);
    }
    (void)execvp(p->argv[0], p->argv);
    smrf_cli_error("smrf trace: %s: %s", p->argv[0], strerror(errno));
    _exit(NOT_STARTED);
}

static pid_t child_;

static void pass_on_(int number)
{
    if (child_ > 0) {
        (void)kill(child_, number);
    }
}

/* A terminal's Ctrl-C reaches the program by itself; it decides what becomes of it. */
static int wait_(pid_t pid)
{
    int status = 0;
    child_ = pid;
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, pass_on_);
    (void)signal(SIGHUP, pass_on_);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    smrf_cli_catch(NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *const sums[] = {
    "launches",     "written_launches", "blocks",         "warps",  "warp_insts",
    "thread_insts", "written_insts",    "written_blocks", "copies", "copied_bytes"};
#define SUMS (sizeof sums / sizeof *sums)
enum { LAUNCHES, WRITTEN_LAUNCHES, BLOCKS, WARPS, WARP_INSTS, THREAD_INSTS, WRITTEN_INSTS };

struct report {
    uint64_t sum[SUMS];
    unsigned processes;
    bool failed; /* a trace could not be written */
    json_t *traces, *missing, *refused, *faults;
};

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

static void read_line_(struct report *r, const char *key, const char *value)
{
    for (size_t i = 0; i < SUMS; i++) {
        if (strcmp(key, sums[i]) == 0) {
            r->sum[i] += strtoull(value, NULL, 10);
        }
    }
    if (strcmp(key, "dir") == 0 && value[0] != '\0') {
        json_array_append_new(r->traces, json_string(value));
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

static void read_process_(struct report *r, const char *session, unsigned number)
{
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
            read_line_(r, line, equals + 1);
        }
    }
    free(line);
    r->failed = r->failed || in == NULL;
    if (in != NULL) {
        (void)fclose(in);
        (void)unlink(path);
    }
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
}

static void read_reports_(struct report *r, const char *session)
{
    char path[4200];
    r->traces = json_array();
    r->missing = json_array();
    r->refused = json_array();
    r->faults = json_array();
    for (unsigned i = 1;; i++) {
        (void)snprintf(path, sizeof path, "%s/%u", session, i);
        if (access(path, F_OK) != 0) {
            break;
        }
        read_process_(r, session, i);
    }
    (void)rmdir(session);
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

static void summarise_(const struct smrf_cli_program *p, const struct report *r)
{
    if (r->processes == 0) {
        fprintf(
            stderr,
            "smrf: %s has called no CUDA library: nothing was traced. A program that has CUDA's "
            "runtime in itself must have its symbols, too: do not strip it.\n",
            p->argv[0]);
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
}

static int write_json_(const struct smrf_cli_program *p, struct report *r, int status)
{
    json_t *root = json_object(), *words = json_array();
    for (char **word = p->argv; *word != NULL; word++) {
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
    return smrf_cli_document(root, p->json);
}

int smrf_cli_program_run(const struct smrf_cli_program *p)
{
    const char *temporary = getenv("TMPDIR");
    char session[3000], libraries[8200];
    struct text *options = calloc(1, sizeof *options);
    struct report report = {.processes = 0};
    (void)snprintf(session, sizeof session, "%s/smrf-program-XXXXXX",
                   temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (options == NULL || mkdtemp(session) == NULL) {
        smrf_cli_error("smrf trace: %s: %s", session, strerror(errno));
        free(options);
        return SMRF_EXIT_FAILURE;
    }
    int status = options_(p, session, options);
    if (status == SMRF_EXIT_OK && !libraries_(libraries, sizeof libraries)) {
        smrf_cli_error("smrf trace: the libraries that stand for CUDA's are not beside this "
                       "program: libcuda.so.1 in %s",
                       libraries);
        status = SMRF_EXIT_INPUT;
    }
    (void)fflush(NULL);
    const pid_t pid = status == SMRF_EXIT_OK ? fork() : 0;
    if (status == SMRF_EXIT_OK && pid == 0) {
        become_(p, libraries, options->bytes);
    }
    const bool started = status == SMRF_EXIT_OK && pid > 0;
    status = started ? wait_(pid) : status;
    read_reports_(&report, session);
    if (started && !p->quiet && status != NOT_STARTED) {
        summarise_(p, &report);
    }
    if (started && p->json != NULL) {
        const int written = write_json_(p, &report, status);
        status = status == 0 ? written : status;
    }
    if (status == 0 && report.failed) {
        status = SMRF_EXIT_INPUT;
    }
    json_decref(report.traces);
    json_decref(report.missing);
    json_decref(report.refused);
    json_decref(report.faults);
    free(options);
    return status;
}
