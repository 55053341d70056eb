/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of smrf trace. */
#ifndef SMRF_CLI_TRACE_OPTIONS_H
#define SMRF_CLI_TRACE_OPTIONS_H

#include "program_options.h"
#include "trace_job.h"

struct smrf_cli_trace {
    struct smrf_trace_job job;
    struct smrf_cli_program_options program_options;
    const char *word; /* PROGRAM or FILE.sass */
    char **names;     /* with --list */
    size_t num_names;
    const char *json;
    const char *blocks, *warps;
    const char *preset;
    unsigned threads; /* 0: one a processor */
    char **program;   /* "-- PROGRAM ..": NULL: none */
    char *source[2];  /* a program: foo.cu and NULL */
    int values;       /* -1 = the format's default */
    bool list, all, kernels, no_trace, quiet, size_given;
};

#endif
