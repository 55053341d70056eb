/* SPDX-License-Identifier: Apache-2.0 */
/* One run of real machine code, with or without a trace of it. */
#ifndef SMRF_TRACE_JOB_H
#define SMRF_TRACE_JOB_H

#include "firmware/capture/capture.h"
#include "firmware/kernels/suite.h"
#include "firmware/launch/device.h"

struct smrf_trace_job {
    const struct smrf_suite_program *program; /* NULL: sass and launch */
    const char *sass, *launch;                /* files: machine code, and what to launch */
    unsigned arch; /* of a fat binary: which code, 75 of sm_75; 0 = the oldest */
    bool outside;  /* dumps of the launch file may lie outside of the working folder */
    enum smrf_size size;
    uint32_t depth, scale;
    struct smrf_device_limits limits;
    struct smrf_capture_options capture;
    const char *json; /* another output, which dumps must not replace; NULL: none */
};

struct smrf_trace_outcome {
    struct smrf_capture_totals captured;
    struct smrf_exec_totals executed;
    uint64_t compared; /* values that equal the reference's */
    double seconds;
    double launch_seconds; /* of them from the begin to the end of launches, writing included: not
                              preparing input, not computing and comparing the reference */
    char error[1280];
};

/* Run it; on failure nothing of the trace remains. Returns 0 or a negative enum smrf_err with
 * outcome->error set. */
int smrf_trace_job_run(const struct smrf_trace_job *job, struct smrf_trace_outcome *outcome);

/* smrf trace --list. programs: names of programs and groups, none = all. Returns an enum smrf_exit.
 */
int smrf_cli_trace_list(bool json, char **programs, size_t num_programs);
/* The same without details: names by group. */
int smrf_cli_trace_groups(void);

const char *smrf_cli_class(unsigned op_class);
/* Share of a class in percent. */
double smrf_cli_share(const struct smrf_capture_totals *t, unsigned op_class);

#endif
