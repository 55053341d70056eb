/* SPDX-License-Identifier: Apache-2.0 */
/* What the libraries that stood for CUDA's report of a program at its end. */
#ifndef SMRF_CLI_PROGRAM_REPORT_H
#define SMRF_CLI_PROGRAM_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SMRF_REPORT_SUMS 10

/* How the program ended. */
struct smrf_cli_ended {
    long process;
    int signal; /* 0: by itself */
    int status; /* as a shell has it */
};

struct smrf_cli_program_report {
    uint64_t sum[SMRF_REPORT_SUMS];
    unsigned processes;
    bool failed; /* a trace could not be written, or lacks something */
    json_t *traces, *missing, *refused, *faults, *cut;
};

/* Reads what each process has left in the folder, and removes it. The launches of a process that
 * was killed become its trace; replace: in the place of another. */
void smrf_cli_report_read(struct smrf_cli_program_report *r, const char *session,
                          const struct smrf_cli_ended *program, bool replace);
/* For people, on standard error. */
void smrf_cli_report_print(const struct smrf_cli_program_report *r, char *const *argv);
/* To a file, or "-". Returns an enum smrf_exit. */
int smrf_cli_report_json(const struct smrf_cli_program_report *r, char *const *argv, int status,
                         const char *path);
void smrf_cli_report_free(struct smrf_cli_program_report *r);

#endif
