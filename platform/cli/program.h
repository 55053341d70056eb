/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA program, unmodified, run with smrf's libraries in the place of CUDA's. */
#ifndef SMRF_CLI_PROGRAM_H
#define SMRF_CLI_PROGRAM_H

#include "trace_job.h"

/* "smrf trace [option..] -- PROGRAM [argument..]": where "--" stands, argc if nowhere. */
int smrf_cli_program_at(int argc, char **argv);

struct smrf_cli_program {
    char **argv; /* of the program, ends with NULL */
    const struct smrf_trace_job *job;
    const char *launches, *blocks, *warps; /* lists as given, NULL: none */
    const char *preset; /* machine that the device is one of, NULL: the default */
    unsigned arch;      /* of the device, 75 of sm_75; 0: what the code is for */
    const char *json;   /* NULL: not wanted */
    bool quiet;
};

/* Runs the program to its end. Its files, its output and its exit status are its own; a summary
 * goes to standard error. Returns the exit status: the program's, 128 and the number of a signal
 * that ended it, or an enum smrf_exit if it could not be started or its trace not be written. */
int smrf_cli_program_run(const struct smrf_cli_program *program);

#endif
