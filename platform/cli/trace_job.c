/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "trace_job.h"

#include "firmware/launch/launch_file.h"
#include "platform/counters/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *smrf_cli_class(unsigned op_class)
{
    static const char *const names[SMRF_CLASS_COUNT] = {
#define CLASS_NAME(name, symbol, meaning) [SMRF_CLASS_##symbol] = name,
        SMRF_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    return names[op_class];
}

double smrf_cli_share(const struct smrf_capture_totals *t, unsigned op_class)
{
    return t->warp_insts ? 100.0 * (double)t->by_class[op_class] / (double)t->warp_insts : 0;
}

static double now_(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- how long the launches take -------------------------------------------------------------- */

/* Stands between the device and the capture. */
struct stopwatch {
    const struct smrf_device_listener *capture;
    double begun, seconds;
};

static int on_copy_(void *ctx, smrf_dptr to, uint64_t bytes)
{
    const struct stopwatch *watch = ctx;
    return watch->capture->copy(watch->capture->ctx, to, bytes);
}

static int on_launch_(void *ctx, const struct smrf_exec_launch *launch)
{
    struct stopwatch *watch = ctx;
    watch->begun = now_();
    return watch->capture->launch_begin(watch->capture->ctx, launch);
}

static int on_launched_(void *ctx, const struct smrf_exec_launch *launch,
                        const struct smrf_exec_totals *totals)
{
    struct stopwatch *watch = ctx;
    int rc = watch->capture->launch_end(watch->capture->ctx, launch, totals);
    watch->seconds += now_() - watch->begun;
    return rc;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int run_program_(const struct smrf_trace_job *job, struct smrf_device *device,
                        struct smrf_trace_outcome *outcome)
{
    struct smrf_suite_run run = {
        .device = device, .size = job->size, .depth = job->depth, .scale = job->scale};
    size_t bytes;
    char *text;
    char name[80], error[SMRF_SASS_ERROR_BYTES];
    int rc = smrf_suite_text(job->program, &text, &bytes, error);
    if (rc < 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s", error);
        return rc;
    }
    snprintf(name, sizeof name, "%s.sass", job->program->sass);
    rc = smrf_device_load_text(device, &run.module, name, text, bytes);
    free(text);
    if (rc >= 0) {
        rc = job->program->run(&run);
    }
    outcome->compared = run.compared;
    if (rc < 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s: %s", job->program->name,
                 run.error[0] ? run.error : smrf_device_error(device));
    } else if (run.compared == 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s: no result was compared",
                 job->program->name);
        rc = SMRF_ERR_CHECK;
    }
    return rc < 0 ? rc : 0;
}

static int run_file_(const struct smrf_trace_job *job, struct smrf_device *device,
                     struct smrf_trace_outcome *outcome)
{
    struct smrf_device_module *module;
    char error[SMRF_SASS_ERROR_BYTES] = "";
    int rc = smrf_device_load(device, &module, job->sass, job->arch);
    if (rc < 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s", smrf_device_error(device));
        return rc;
    }
    const char *const keep[] = {job->sass, job->json};
    const struct smrf_launch_outputs outputs = {.folder = job->outside ? NULL : ".",
                                                .keep_files = !job->capture.replace,
                                                .keep = keep,
                                                .num_keep = 2};
    rc = smrf_launch_file_run_within(device, module, job->launch, &outputs, error);
    if (rc < 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s",
                 error[0] ? error : smrf_device_error(device));
    }
    return rc < 0 ? rc : 0;
}

static int run_(const struct smrf_trace_job *job, struct smrf_device *device,
                struct smrf_capture *capture, struct smrf_trace_outcome *outcome)
{
    struct stopwatch watch = {.capture = smrf_capture_listener(capture)};
    const struct smrf_device_listener listener = {.ctx = &watch,
                                                  .copy = on_copy_,
                                                  .launch_begin = on_launch_,
                                                  .launch_end = on_launched_,
                                                  .exec = watch.capture->exec};
    smrf_device_listen(device, &listener);
    int rc = job->program ? run_program_(job, device, outcome) : run_file_(job, device, outcome);
    smrf_device_listen(device, NULL);
    smrf_device_totals(device, &outcome->executed);
    outcome->launch_seconds = watch.seconds;
    if (rc == 0) {
        rc = smrf_capture_finish(capture);
    }
    smrf_capture_sums(capture, &outcome->captured);
    if (smrf_capture_error(capture)[0]) { /* the cause; what the device says is its consequence */
        snprintf(outcome->error, sizeof outcome->error, "%s", smrf_capture_error(capture));
    }
    return rc;
}

int smrf_trace_job_run(const struct smrf_trace_job *job, struct smrf_trace_outcome *outcome)
{
    struct smrf_device *device = NULL;
    struct smrf_capture *capture = NULL;
    const double start = now_();
    *outcome = (struct smrf_trace_outcome){.seconds = 0};
    int rc = smrf_capture_open(&capture, &job->capture);
    if (rc < 0) {
        snprintf(outcome->error, sizeof outcome->error, "%s", smrf_capture_error(capture));
    } else if ((rc = smrf_device_create(&device)) < 0) {
        snprintf(outcome->error, sizeof outcome->error, "out of memory");
    } else {
        smrf_device_limit(device, &job->limits);
        rc = run_(job, device, capture, outcome);
    }
    smrf_capture_close(capture);
    smrf_device_destroy(device);
    outcome->seconds = now_() - start;
    return rc;
}
