/* SPDX-License-Identifier: Apache-2.0 */
/* Which command, and what is common to them. */
#define _GNU_SOURCE
#include "cli.h"

#include "platform/config/config.h"
#include "platform/config/suggest.h"
#include "platform/workload.h"

#include "traces/files/escape.h"
#include "traces/files/output_file.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
    "smrf replays GPU instruction traces on a cycle-level model of streaming multiprocessors and\n"
    "their register files, and reports cycles, register traffic, stalls and memory traffic.\n"
    "\n"
    "usage: smrf run  [option..] TRACE..   replay traces\n"
    "       smrf info [--json] TRACE..     what is in a trace: launches, instruction mix, "
    "registers\n"
    "       smrf info --flow TRACE..       the programs behind it: graph, calls, live registers, "
    "saves\n"
    "       smrf trace [option..] PROGRAM -o DIR   trace real machine code without a GPU\n"
    "       smrf cars [--json] TRACE..     register stacks: what each function pushes, how deep "
    "it gets\n"
    "       smrf annotate [option..] TRACE how soon registers are read again; near/far bits\n"
    "       smrf compare -m M.. TRACE..    mechanisms (or results, A.json B.json) beside one "
    "another\n"
    "       smrf sweep --axis K=V,V TRACE.. machines that differ in some options\n"
    "       smrf profile [-m M].. TRACE..  where time goes, by instruction\n"
    "       smrf why -m A -m B TRACE..     why B is slower than A: kernels, causes, lines\n"
    "       smrf at --cycle C TRACE..      what happens in a cycle, in warps, collectors and "
    "banks\n"
    "       smrf study FILE|NAME           an experiment, or a paper's: runs, figures, claims\n"
    "       smrf serve DIR                 the page of one that runs, live in a browser\n"
    "       smrf list [presets|mechanisms|options|statistics|stalls|energy]\n"
    "       smrf --explain KEY             meaning, unit, range, default and source of an option;\n"
    "                                      meaning and unit of a statistic\n"
    "       smrf --version | --help        and smrf help run, smrf info --help, ..\n"
    "       smrf help --man [COMMAND] | --completion bash|zsh   a manual page, words for a shell\n"
    "\n"
    "TRACE is a kernelslist.g, one trace file (.traceg, plain or .xz .gz .zst; .tracez), or a\n"
    "folder that holds a kernelslist.g: what Accel-Sim's tracer and smrf trace write.\n"
    "\n"
    "First steps:\n"
    "  smrf trace hotspot -o my-trace                      make one: smrf trace --list shows all\n"
    "  smrf info my-trace                                  is it the trace that I mean?\n"
    "  smrf run my-trace                                   replay it on the default machine\n"
    "  smrf run --json result.json my-trace                and keep every number\n"
    "  smrf run --preset rtx2060-accelsim my-trace         on the machine that Accel-Sim models\n"
    "  smrf run --set rf.banks=4 --set gpu.sms=1 my-trace  change the machine\n"
    "  smrf list options                                   what can be changed\n"
    "  smrf --explain rf.collectors                        what one option means\n"
    "  smrf run --gpgpusim gpgpusim.config my-trace        use an Accel-Sim configuration\n"
    "\n"
    "Options are applied in a fixed order, whatever their order on the command line:\n"
    "  default < --preset < the mechanism's own < --gpgpusim < --config < --set\n"
    "\n"
    "Exit status: 0 success (also when a limit, Ctrl-C or SIGTERM ended the run: its results are\n"
    "complete up to there and marked partial), 1 out of memory, 2 wrong usage, 3 a file is "
    "missing,\n"
    "damaged or cannot be written, 4 a check of the model failed (value oracle, conservation law,\n"
    "watchdog).\n";

void smrf_cli_error(const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    smrf_escape(text, sizeof text, true);
    fprintf(stderr, "%s\n", text);
}

int smrf_cli_status(int err)
{
    switch (err) {
    case SMRF_ERR_IO:
    case SMRF_ERR_FORMAT:
    case SMRF_ERR_CORRUPT:
    case SMRF_ERR_UNKNOWN:
    case SMRF_ERR_LIMIT:
        return SMRF_EXIT_INPUT;
    case SMRF_ERR_CHECK:
    case SMRF_ERR_PROTOCOL:
        return SMRF_EXIT_CHECK;
    case SMRF_ERR_INVAL:
        return SMRF_EXIT_USAGE;
    default:
        return SMRF_EXIT_FAILURE;
    }
}

#define RING 16
#define RING_TEXT 80

static char *ring_(void)
{
    static char ring[RING][RING_TEXT];
    static unsigned next;
    return ring[next++ % RING];
}

const char *smrf_cli_count(uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *text = ring_(), *at = text;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            *at++ = ',';
        }
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

/* "_Z6vecAddPfS_i": the digits give the length of the name; nested names ("_ZN..") stay as they
 * are. */
const char *smrf_cli_name(const char *name, int width)
{
    char *text = ring_();
    if (name[0] == '_' && name[1] == 'Z' && name[2] >= '1' && name[2] <= '9') {
        char *rest;
        unsigned long length = strtoul(name + 2, &rest, 10);
        if (length <= strlen(rest)) {
            name = rest;
            width = length < (unsigned long)width ? (int)length : width;
        }
    }
    width = width < RING_TEXT ? width : RING_TEXT - 1;
    snprintf(text, RING_TEXT, "%.*s", width, name);
    smrf_escape(text, RING_TEXT, false);
    return text;
}

static int clash_(const char *output, const char *other, const char *why)
{
    smrf_cli_error("smrf: %s: %s %s; choose another name", output, why, other);
    return SMRF_EXIT_USAGE;
}

int smrf_cli_check_files(const struct smrf_cli_files *f)
{
    for (size_t i = 0; i < f->num_outputs; i++) {
        const char *output = f->outputs[i];
        for (size_t k = 0; output && k < i; k++) {
            if (f->outputs[k] && smrf_output_same(output, f->outputs[k])) {
                return clash_(output, f->outputs[k], "would be written over the output");
            }
        }
        for (size_t k = 0; output && k < f->num_inputs; k++) {
            if (f->inputs[k] && smrf_output_same(output, f->inputs[k])) {
                return clash_(output, f->inputs[k], "would be written over the input");
            }
        }
        for (size_t k = 0; output && k < f->num_traces; k++) {
            if (smrf_workload_reads(f->traces[k], output)) {
                return clash_(output, f->traces[k], "would be written over the trace");
            }
        }
    }
    return SMRF_EXIT_OK;
}

int smrf_cli_outputs(const struct smrf_cli_files *f)
{
    char text[1024];
    const int clash = smrf_cli_check_files(f);
    for (size_t i = 0; !clash && i < f->num_outputs; i++) {
        if (f->outputs[i] && smrf_output_probe(f->outputs[i], text, sizeof text)) {
            smrf_cli_error("smrf: %s", text);
            return SMRF_EXIT_INPUT;
        }
    }
    return clash;
}

struct command {
    const char *name;
    const char *title;
    int (*run)(int argc, char **argv);
    const struct argp *argp;
};

#define COMMAND(name) {#name, "smrf " #name, smrf_cli_##name, &smrf_cli_##name##_argp},
static const struct command commands[] = {SMRF_CLI_COMMANDS(COMMAND)};
#undef COMMAND

static const char *command_at_(size_t i)
{
    return i < sizeof commands / sizeof *commands ? commands[i].name : NULL;
}

static int unknown_(const char *word)
{
    char near[256];
    smrf_suggest(word, command_at_, 3, near, sizeof near); /* at three edits it is another one */
    smrf_cli_error("smrf: '%s' is not a command%s; smrf --help shows all", word, near);
    return SMRF_EXIT_USAGE;
}

/* argv[1] is its name. */
static int command_(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            char title[16];
            snprintf(title, sizeof title, "%s", commands[i].title);
            argv[1] = title;
            const int status = smrf_cli_check_options(commands[i].argp, argc - 1, argv + 1);
            return status ? status : commands[i].run(argc - 1, argv + 1);
        }
    }
    return unknown_(argv[1]);
}

static int explain_(int argc, char **argv)
{
    const char *inline_key = argv[1][sizeof "--explain" - 1] ? argv[1] + sizeof "--explain" : NULL;
    if (inline_key) {
        return smrf_cli_explain(inline_key);
    }
    if (argc == 3) {
        return smrf_cli_explain(argv[2]);
    }
    fputs(
        "smrf: --explain takes one key, for example rf.banks; smrf list options --all shows all\n",
        stderr);
    return SMRF_EXIT_USAGE;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Whatever printed: what did not arrive is a failure, however the program ends. */
static void close_stdout_(void)
{
    bool lost = ferror(stdout) != 0;
    int cause = fflush(stdout) != 0 ? errno : 0;
    if (lost || cause) {
        smrf_cli_error("smrf: standard output: cannot write%s%s", cause ? ": " : "",
                       cause ? strerror(cause) : "");
        _exit(SMRF_EXIT_INPUT);
    }
}

static void on_signal_(int number)
{
    smrf_output_remove_unfinished();
    raise(number); /* the default action is back, and ends the program when this returns */
}

void smrf_cli_catch(void (*handler)(int number))
{
    /* All that would end the program and leave what it has not finished. */
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGPIPE, SIGUSR1,
                                  SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU};
    struct sigaction action = {.sa_handler = handler ? handler : on_signal_,
                               .sa_flags = (int)((unsigned)SA_RESETHAND | (unsigned)SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        sigaction(numbers[i], &action, &old);
        /* nohup, or a caller that wants broken pipes to be errors of writes */
        if ((numbers[i] == SIGHUP || numbers[i] == SIGPIPE) && old.sa_handler == SIG_IGN) {
            sigaction(numbers[i], &old, NULL);
        }
    }
}

/* A file that is opened must not become what a closed standard stream was. Here a write fails. */
static void open_standard_streams_(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

static void prepare_process_(void)
{
    open_standard_streams_();
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of the write that says so */
    smrf_cli_catch(NULL);
    atexit(close_stdout_);
}

int smrf_cli_main(int argc, char **argv)
{
    prepare_process_();
    argp_err_exit_status = SMRF_EXIT_USAGE;
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        fputs(help_text, stderr);
        return SMRF_EXIT_USAGE;
    }
    if (strcmp(word, "help") == 0 && argc > 2 && strcmp(argv[2], "--man") == 0) {
        return smrf_cli_man(argc > 3 ? argv[3] : "", help_text, stdout);
    }
    if (strcmp(word, "help") == 0 && argc > 2 && strcmp(argv[2], "--completion") == 0) {
        return smrf_cli_completion(argc > 3 ? argv[3] : "", stdout);
    }
    if (strcmp(word, "help") == 0 && argc > 2) {
        char help[] = "--help", *of_command[] = {argv[0], argv[2], help, NULL};
        return command_(3, of_command);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        fputs(help_text, stdout);
        return SMRF_EXIT_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("smrf %s\n", smrf_platform_version());
        return SMRF_EXIT_OK;
    }
    if (strcmp(word, "--explain") == 0 || strncmp(word, "--explain=", 10) == 0) {
        return explain_(argc, argv);
    }
    return command_(argc, argv);
}
