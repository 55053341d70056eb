/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "program.h"

#include "cli.h"
#include "nvcc.h"

#include "firmware/sass/sass.h"
#include "platform/config/config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS_BYTES 16384
#define NOT_STARTED 127 /* as shells have it */
#define OLDEST_ARCH 75  /* of a device */

int smrf_cli_program_at(int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        i++;
    }
    return i;
}

/* ---- settings of the libraries --------------------------------------------------------------- */

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

int smrf_cli_program_preset(struct smrf_cli_program *p, const char *preset)
{
    struct smrf_config config;
    struct smrf_config_error error;
    smrf_config_default(&config);
    if (preset != NULL && smrf_preset_apply(&config, preset, &error) != 0) {
        smrf_cli_error("%s: %s", p->command, error.text);
        return SMRF_EXIT_USAGE;
    }
    p->sms = smrf_config_get(&config, (size_t)smrf_param_find("gpu.sms"));
    p->core_khz = smrf_config_get(&config, (size_t)smrf_param_find("gpu.core_khz"));
    p->machine = (unsigned)smrf_config_get(&config, (size_t)smrf_param_find("gpu.architecture"));
    return SMRF_EXIT_OK;
}

static int options_(const struct smrf_cli_program *p, const char *session, const char *feed,
                    struct text *t)
{
    const struct smrf_capture_options *c = p->capture;
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
    add_text_(t, "feed", feed);
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
    add_text_(t, "launches", p->options->numbers);
    add_text_(t, "kernel", c->launches.kernel);
    add_number_(t, "skip", c->launches.skip);
    add_number_(t, "first", c->launches.first);
    add_number_(t, "stack", p->options->limits.stack_bytes);
    add_number_(t, "heap", p->options->limits.heap_bytes);
    add_number_(t, "runaway", p->options->limits.max_insts_per_warp);
    add_number_(t, "threads", p->options->limits.threads);
    add_number_(t, "arch", p->options->arch);
    add_number_(t, "machine", p->machine);
    add_number_(t, "sms", p->sms);
    add_number_(t, "core-khz", p->core_khz);
    if (t->full) {
        smrf_cli_error("%s: the options are too long", p->command);
        return SMRF_EXIT_USAGE;
    }
    /* The environment lies above the stack: the program's addresses stay the same with any options.
     * Empty lines mean nothing. */
    memset(t->bytes + t->length, '\n', sizeof t->bytes - 1 - t->length);
    return SMRF_EXIT_OK;
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

/* A program whose command is killed completes its trace and ends. */
static void end_with_(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != parent) {
        (void)raise(SIGTERM);
    }
}

static void become_(const struct smrf_cli_program *p, const char *built, const char *libraries,
                    const char *options)
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
        smrf_cli_error("%s: out of memory", p->command);
        _exit(NOT_STARTED);
    }
    (void)execvp(built[0] != '\0' ? built : p->argv[0], p->argv);
    smrf_cli_error("%s: %s: %s", p->command, p->argv[0], strerror(errno));
    _exit(NOT_STARTED);
}

/* What a source is compiled for: the device's. Devices begin with the oldest. */
static unsigned arch_of_source_(const struct smrf_cli_program *p)
{
    const bool known = p->machine > OLDEST_ARCH && smrf_sass_arch_known(p->machine);
    const unsigned machines = known ? p->machine : OLDEST_ARCH;
    return p->options->arch != 0 ? p->options->arch : machines;
}

static pid_t child_;

static void pass_on_(int number)
{
    if (child_ > 0) {
        (void)kill(child_, number);
    }
}

static void end_(struct smrf_cli_process *process, int status)
{
    process->ended = (struct smrf_cli_ended){.process = process->pid,
                                             .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                             .status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                                           : WEXITSTATUS(status)};
    process->pid = 0;
}

/* A terminal's Ctrl-C reaches the program by itself; it decides what becomes of it. */
static void wait_(struct smrf_cli_process *process)
{
    int status = 0;
    child_ = process->pid;
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, pass_on_);
    (void)signal(SIGHUP, pass_on_);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    smrf_cli_catch(NULL);
    end_(process, status);
}

bool smrf_cli_program_ended(struct smrf_cli_process *process)
{
    int status;
    if (process->pid > 0 && waitpid(process->pid, &status, WNOHANG) == process->pid) {
        end_(process, status);
    }
    return process->pid == 0;
}

int smrf_cli_program_open(struct smrf_cli_process *process, const struct smrf_cli_program *p)
{
    const char *temporary = getenv("TMPDIR");
    *process = (struct smrf_cli_process){.pid = 0};
    (void)snprintf(process->session, sizeof process->session, "%s/smrf-program-XXXXXX",
                   temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (mkdtemp(process->session) == NULL) {
        smrf_cli_error("%s: %s: %s", p->command, process->session, strerror(errno));
        process->session[0] = '\0';
        return SMRF_EXIT_FAILURE;
    }
    return SMRF_EXIT_OK;
}

int smrf_cli_program_start(struct smrf_cli_process *process, const struct smrf_cli_program *p,
                           const char *feed)
{
    char libraries[8200];
    struct text *options = calloc(1, sizeof *options);
    if (options == NULL) {
        smrf_cli_error("%s: out of memory", p->command);
        return SMRF_EXIT_FAILURE;
    }
    int status = options_(p, process->session, feed, options);
    if (status == SMRF_EXIT_OK && smrf_cli_is_source(p->argv[0])) {
        status = smrf_cli_compile(p->command, p->argv[0], arch_of_source_(p), process->session,
                                  process->built, sizeof process->built);
    }
    if (status == SMRF_EXIT_OK && !libraries_(libraries, sizeof libraries)) {
        smrf_cli_error("%s: the libraries that replace CUDA's are not beside this program: "
                       "libcuda.so.1 in %s",
                       p->command, libraries);
        status = SMRF_EXIT_INPUT;
    }
    (void)fflush(NULL);
    const pid_t self = getpid(), pid = status == SMRF_EXIT_OK ? fork() : 0;
    if (status == SMRF_EXIT_OK && pid == 0) {
        end_with_(self);
        become_(p, process->built, libraries, options->bytes);
    }
    if (pid < 0) {
        smrf_cli_error("%s: %s", p->command, strerror(errno));
        status = SMRF_EXIT_FAILURE;
    }
    process->pid = pid > 0 ? pid : 0;
    free(options);
    return status;
}

int smrf_cli_program_end(struct smrf_cli_process *process, const struct smrf_cli_program *p)
{
    struct smrf_cli_program_report report = {.processes = 0};
    if (process->pid > 0) {
        wait_(process);
    }
    int status = process->ended.status;
    smrf_cli_report_read(&report, process->session, &process->ended, p->capture->replace);
    (void)unlink(process->built);
    (void)rmdir(process->session);
    if (!p->quiet && status != NOT_STARTED) {
        smrf_cli_report_print(&report, p->argv);
    }
    if (p->json != NULL) {
        const int written = smrf_cli_report_json(&report, p->argv, status, p->json);
        status = status == 0 ? written : status;
    }
    if (status == 0 && report.failed) {
        status = SMRF_EXIT_INPUT;
    }
    smrf_cli_report_free(&report);
    return status;
}

int smrf_cli_program_run(const struct smrf_cli_program *p)
{
    struct smrf_cli_process process;
    int status = smrf_cli_program_open(&process, p);
    if (status != SMRF_EXIT_OK) {
        return status;
    }
    status = smrf_cli_program_start(&process, p, NULL);
    if (status != SMRF_EXIT_OK) {
        (void)rmdir(process.session);
        return status;
    }
    return smrf_cli_program_end(&process, p);
}
