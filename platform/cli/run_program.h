/* SPDX-License-Identifier: Apache-2.0 */
/* "smrf run -- PROGRAM": the program beside its replay. */
#ifndef SMRF_CLI_RUN_PROGRAM_H
#define SMRF_CLI_RUN_PROGRAM_H

#include "feed.h"
#include "machine.h"

struct smrf_cli_run_program {
    char **argv; /* of the program, ends with NULL; NULL: there is none */
    struct smrf_cli_program_options options;
    struct smrf_capture_options capture;
    const struct smrf_cli_machine *machine;
    bool quiet;
    /* while it runs */
    struct smrf_cli_program program;
    struct smrf_cli_process process;
    struct smrf_cli_feed *feed;
    char *name; /* its command line */
};

/* Number of the signal that ends the run, 0: none. */
extern volatile sig_atomic_t smrf_cli_run_stop;

/* Starts it, as the configured platform's trace. Returns an enum smrf_exit. */
int smrf_cli_run_program_begin(struct smrf_cli_run_program *r, struct smrf_platform *p);
/* The replay is over: waits for the program's end and returns its exit status. */
int smrf_cli_run_program_end(struct smrf_cli_run_program *r);

#endif
