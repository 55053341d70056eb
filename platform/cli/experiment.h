/* SPDX-License-Identifier: Apache-2.0 */
/* What smrf study, sweep and compare have in common: their options, the run, the report. */
#ifndef SMRF_CLI_EXPERIMENT_H
#define SMRF_CLI_EXPERIMENT_H

#include "cli.h"

#include "platform/report/data.h"

#include <argp.h>

/* Options with the same meaning in all three. */
struct smrf_cli_experiment {
    const char *command; /* "smrf study", for messages */
    char *line;          /* as it was typed */
    int argc;            /* its words; the first one is the command's name */
    char **argv;
    struct smrf_experiment_options options;
    struct smrf_runner_options runner;
    char **mechanisms;
    size_t num_mechanisms;
    const char *json, *csv;
    const char
        *page;      /* the report's page goes there, and nothing into the folder; NULL: all does */
    bool report;    /* nothing is run: what there is is reported */
    bool launches;  /* results.csv has them, too */
    unsigned seeds; /* number of seeds, from the first; 0: not given */
};

enum {
    SMRF_KEY_OUTPUT = 'o',
    SMRF_KEY_JOBS = 'j',
    SMRF_KEY_PRESET = 'p',
    SMRF_KEY_SET = 's',
    SMRF_KEY_MECHANISM = 'm',
    SMRF_KEY_SIZE = 512,
    SMRF_KEY_MEMORY,
    SMRF_KEY_RUNNER,
    SMRF_KEY_SLURM,
    SMRF_KEY_JSON,
    SMRF_KEY_CSV,
    SMRF_KEY_SEEDS,
    SMRF_KEY_LAUNCHES,
    SMRF_KEY_PAGE,
    SMRF_KEY_REPORT
};

/* What is in the folder of an experiment: the command that made it. */
#define SMRF_CLI_COMMAND_FILE "command.json"

/* The lists, empty, with room for every word of the command line. */
bool smrf_cli_experiment_begin(struct smrf_cli_experiment *e, const char *command, int argc,
                               char **argv);
void smrf_cli_experiment_end(struct smrf_cli_experiment *e);
/* Parse one of the keys above. */
error_t smrf_cli_experiment_parse(struct smrf_cli_experiment *e, int key, char *arg,
                                  struct argp_state *state);

/* Can --json, --csv and --page be written, over no trace and none of the inputs (NULL: the words
 * are traces)? Returns an enum smrf_exit. */
int smrf_cli_experiment_outputs(const struct smrf_cli_experiment *e, const char *const *inputs,
                                size_t num_inputs);
/* Open the folder, plan and run; failures and progress are reported on standard error. With
 * --report nothing is run. Close the runner in every case. Returns an enum smrf_exit;
 * *failed: runs that failed, of which the status does not tell. */
int smrf_cli_experiment_run(const struct smrf_cli_experiment *e, struct smrf_runner *r,
                            struct smrf_experiment *x, size_t *failed);
/* Tell why planned runs have no result: for a report that leaves them out. */
void smrf_cli_experiment_missing(struct smrf_runner *r);
/* Write figures, page and results.csv into the folder, or with --page the page alone. Returns an
 * enum smrf_exit. */
int smrf_cli_experiment_report(const struct smrf_cli_experiment *e, struct smrf_data *d);
/* Write the tidy CSV of everything planned, and series.csv in the folder where samples were taken.
 * Returns an enum smrf_exit. */
int smrf_cli_experiment_export(const struct smrf_cli_experiment *e, struct smrf_runner *r,
                               const char *path);

#endif
