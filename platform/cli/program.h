/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA program, unmodified, run with smrf's libraries in the place of CUDA's. */
#ifndef SMRF_CLI_PROGRAM_H
#define SMRF_CLI_PROGRAM_H

#include "program_options.h"
#include "program_report.h"

#include <sys/types.h>

/* "smrf trace [option..] -- PROGRAM [argument..]": where "--" stands, argc if nowhere. */
int smrf_cli_program_at(int argc, char **argv);

struct smrf_cli_program {
    const char *command; /* "smrf trace", for messages */
    char **argv;         /* of the program, ends with NULL; a source, foo.cu, is compiled */
    const struct smrf_capture_options *capture;
    const struct smrf_cli_program_options *options;
    const char *blocks, *warps; /* lists as given, NULL: none */
    uint64_t sms, core_khz;     /* of the device that it finds; 0: its architecture's */
    unsigned machine;           /* architecture of the preset: 75 of sm_75 */
    const char *json;           /* of the report; NULL: not wanted */
    bool quiet;
};

/* The device is that of the preset's machine, NULL: the default one. Returns an enum smrf_exit. */
int smrf_cli_program_preset(struct smrf_cli_program *program, const char *preset);

/* A program under way. */
struct smrf_cli_process {
    char session[3000];          /* a folder of its own */
    char built[3300];            /* the program that was compiled into it, "": none */
    pid_t pid;                   /* 0: not started, or it has ended */
    struct smrf_cli_ended ended; /* how, once it has */
};

/* Makes the session's folder. Returns an enum smrf_exit, as the next one. */
int smrf_cli_program_open(struct smrf_cli_process *process, const struct smrf_cli_program *program);
/* feed: the socket that takes the launches, NULL: none. */
int smrf_cli_program_start(struct smrf_cli_process *process, const struct smrf_cli_program *program,
                           const char *feed);
/* Has it ended? Does not wait. */
bool smrf_cli_program_ended(struct smrf_cli_process *process);
/* Waits for its end. Its files, its output and its exit status are its own; a summary goes to
 * standard error. Returns the exit status: the program's, 128 and the number of a signal that ended
 * it, or an enum smrf_exit if its trace could not be written or lacks something. Launches of a
 * process that was killed become a trace here. Removes the session's folder. */
int smrf_cli_program_end(struct smrf_cli_process *process, const struct smrf_cli_program *program);

/* The three together. */
int smrf_cli_program_run(const struct smrf_cli_program *program);

#endif
