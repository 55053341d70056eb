/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run_program.h"

#include "platform/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t smrf_cli_run_stop;

/* The program finds the machine that replays it. */
static void machine_(struct smrf_cli_program *program, const struct smrf_platform *p)
{
    const char *key;
    char value[256];
    for (size_t i = 0; smrf_platform_config_at(p, i, &key, value, sizeof value) == 0; i++) {
        if (strcmp(key, "gpu.sms") == 0) {
            program->sms = strtoull(value, NULL, 10);
        } else if (strcmp(key, "gpu.core_khz") == 0) {
            program->core_khz = strtoull(value, NULL, 10);
        } else if (strcmp(key, "gpu.architecture") == 0) {
            program->machine = (unsigned)strtoul(value, NULL, 10);
        }
    }
}

/* "-- ./app 3": what results call the trace. */
static char *command_line_(char **argv)
{
    char *text = strdup("--");
    for (char **word = argv; text != NULL && *word != NULL; word++) {
        char *longer = NULL;
        const int n = asprintf(&longer, "%s %s", text, *word);
        free(text);
        text = n >= 0 ? longer : NULL;
    }
    return text;
}

static int begin_(struct smrf_cli_run_program *r, struct smrf_platform *p)
{
    r->name = command_line_(r->argv);
    r->feed = smrf_cli_feed_open(&r->process, r->program.command, &smrf_cli_run_stop);
    if (r->name == NULL || r->feed == NULL) {
        return SMRF_EXIT_FAILURE;
    }
    const struct smrf_follow follow = {smrf_cli_feed_more, r->feed, r->name};
    if (smrf_platform_follow(p, smrf_cli_feed_list(r->feed), &follow) != 0) {
        return smrf_cli_complain(p, SMRF_EXIT_FAILURE);
    }
    return smrf_cli_program_start(&r->process, &r->program, smrf_cli_feed_socket(r->feed));
}

int smrf_cli_run_program_begin(struct smrf_cli_run_program *r, struct smrf_platform *p)
{
    if (r->machine->num_traces != 0) {
        smrf_cli_error("smrf run: either a TRACE or a program after --, not both");
        return SMRF_EXIT_USAGE;
    }
    r->capture.compression = SMRF_COMPRESS_ZSTD; /* a launch waits in memory */
    r->capture.launches = r->options.launches;
    r->program = (struct smrf_cli_program){.command = "smrf run",
                                           .argv = r->argv,
                                           .capture = &r->capture,
                                           .options = &r->options,
                                           .quiet = r->quiet};
    machine_(&r->program, p);
    int status = smrf_cli_program_open(&r->process, &r->program);
    if (status == SMRF_EXIT_OK && (status = begin_(r, p)) != SMRF_EXIT_OK) {
        smrf_cli_feed_close(r->feed);
        (void)unlink(r->process.built);
        (void)rmdir(r->process.session);
    }
    return status;
}

int smrf_cli_run_program_end(struct smrf_cli_run_program *r)
{
    smrf_cli_feed_close(r->feed);
    if (smrf_cli_run_stop != 0 && r->process.pid > 0) {
        (void)kill(r->process.pid, smrf_cli_run_stop);
    }
    const int status = smrf_cli_program_end(&r->process, &r->program);
    free(r->name);
    r->name = NULL;
    /* It was ended with the run, whose results are written. */
    return smrf_cli_run_stop != 0 && status == 128 + smrf_cli_run_stop ? SMRF_EXIT_OK : status;
}
