/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: smrf run | info | list | trace, and --help, --version, --explain. */
#ifndef SMRF_CLI_H
#define SMRF_CLI_H

#include "platform/platform.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses. */
enum smrf_exit {
    SMRF_EXIT_OK = 0,
    SMRF_EXIT_FAILURE = 1, /* out of memory, or a failure of no other kind */
    SMRF_EXIT_USAGE = 2,   /* the command line is wrong */
    SMRF_EXIT_INPUT = 3,   /* a file cannot be used or written */
    SMRF_EXIT_CHECK = 4    /* a check of the model failed */
};

/* The whole program. Returns an enum smrf_exit. */
int smrf_cli_main(int argc, char **argv);

/* The commands; argv[0] is what messages begin with, "smrf run". */
int smrf_cli_run(int argc, char **argv);
int smrf_cli_info(int argc, char **argv);
int smrf_cli_annotate(int argc, char **argv);
int smrf_cli_study(int argc, char **argv);
int smrf_cli_compare(int argc, char **argv);
int smrf_cli_sweep(int argc, char **argv);
int smrf_cli_serve(int argc, char **argv);
int smrf_cli_list(int argc, char **argv);
int smrf_cli_at(int argc, char **argv);
int smrf_cli_profile(int argc, char **argv);
int smrf_cli_why(int argc, char **argv);
int smrf_cli_trace(int argc, char **argv);
int smrf_cli_cars(int argc, char **argv);
int smrf_cli_explain(const char *key);

/* Their options. */
struct argp;
#define SMRF_CLI_COMMANDS(X)                                                                       \
    X(run)                                                                                         \
    X(info)                                                                                        \
    X(annotate)                                                                                    \
    X(compare) X(sweep) X(profile) X(why) X(at) X(study) X(serve) X(list) X(trace) X(cars)
#define SMRF_CLI_ARGP(name) extern const struct argp smrf_cli_##name##_argp;
SMRF_CLI_COMMANDS(SMRF_CLI_ARGP)
#undef SMRF_CLI_ARGP

/* Checks the long options of a command line. The first one that the command does not have is
 * reported with the nearest one that it has. Returns an enum smrf_exit. */
int smrf_cli_check_options(const struct argp *argp, int argc, char **argv);

/* Made of the same tables as --help: the manual page of a command ("": of the program, for which
 * text is what --help prints), and completion for a shell. Returns an enum smrf_exit. */
int smrf_cli_man(const char *command, const char *text, FILE *out);
int smrf_cli_completion(const char *shell, FILE *out);

/* SIGINT, SIGTERM and SIGHUP call it, once each; NULL: they end the program and leave no unfinished
 * file. May be called by a handler. */
void smrf_cli_catch(void (*handler)(int number));

/* Would the outputs (NULL: not wanted) damage one another, the inputs or the files of the traces?
 * Returns SMRF_EXIT_USAGE after saying so, else SMRF_EXIT_OK. Each list ends after its number. */
struct smrf_cli_files {
    const char *const *outputs, *const *inputs;
    char *const *traces;
    size_t num_outputs, num_inputs, num_traces;
};
int smrf_cli_check_files(const struct smrf_cli_files *files);
/* The same, and can all outputs be written? Better to know now than after an hour. */
int smrf_cli_outputs(const struct smrf_cli_files *files);

/* A line on standard error; what files and names bring is made fit for a terminal. */
__attribute__((format(printf, 1, 2))) void smrf_cli_error(const char *format, ...);

/* Exit status of a failed call whose cause lies in a file or in the model. */
int smrf_cli_status(int err);

/* "1,234,567": in a ring of buffers, good for some calls. */
const char *smrf_cli_count(uint64_t value);
/* Readable start of a mangled kernel name, at most `width` characters. Buffer as above. */
const char *smrf_cli_name(const char *name, int width);

/* What a run found, for people; verbose: also what bounds the register file. */
void smrf_cli_summary(struct smrf_platform *p, bool verbose, FILE *out);

/* A progress bar on the terminal behind standard error. */
void smrf_cli_progress_start(struct smrf_platform *p);
/* Draw it now; ctx is not used. */
void smrf_cli_progress_draw(void *ctx, const struct smrf_progress *progress);
#define SMRF_CLI_PROGRESS_S 0.2 /* seconds from one drawing to the next */
void smrf_cli_progress_end(void);

#ifdef __cplusplus
}
#endif

#endif
