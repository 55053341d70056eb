/* SPDX-License-Identifier: Apache-2.0 */
/* The options that make a machine and its traces, the same in every command that runs one. */
#ifndef SMRF_CLI_MACHINE_H
#define SMRF_CLI_MACHINE_H

#include "cli.h"

#include <argp.h>

/* An option that configures the platform: given again, each counts. */
struct smrf_cli_setting {
    int key;
    const char *text;
};

struct smrf_cli_machine {
    struct smrf_cli_setting *settings;
    size_t num_settings;
    char **traces;
    size_t num_traces;
    const char *explain;
    bool needs_no_trace; /* to be set where there is another source of launches */
    bool strict, outside;
    bool verbose, silent; /* notes: each option of a file that has no effect; none at all */
    unsigned no_effect, not_modelled, left_out;
};

/* A child of the command's own parser: hand it the struct, zeroed, at ARGP_KEY_INIT. Its groups are
 * 1 and 2. */
extern const struct argp smrf_cli_machine_argp;

/* Number of --mechanism options, and what the i-th names; "baseline" past the last. */
size_t smrf_cli_machine_mechanisms(const struct smrf_cli_machine *m);
const char *smrf_cli_machine_mechanism(const struct smrf_cli_machine *m, size_t i);

/* Configure the platform and add the traces. mechanism: which of the --mechanism options counts,
 * from 0; SIZE_MAX: the last. What is wrong is printed, and notes are from now on. Returns an enum
 * smrf_exit. */
int smrf_cli_machine_configure(struct smrf_platform *p, struct smrf_cli_machine *m,
                               size_t mechanism);

/* Would the outputs (NULL: not wanted) damage one another or what is read, can they be written?
 * What is wrong is printed. Returns an enum smrf_exit. */
int smrf_cli_machine_outputs(const struct smrf_cli_machine *m, const char *const *outputs,
                             size_t num_outputs);

void smrf_cli_machine_free(struct smrf_cli_machine *m);

/* The platform's last error, printed; returns status. */
int smrf_cli_complain(const struct smrf_platform *p, int status);

/* A whole number from 0 to most, or the parser ends with an error that names the option. */
uint64_t smrf_cli_index(struct argp_state *state, const char *option, const char *text,
                        uint64_t most);
/* The same from 1 on. */
uint64_t smrf_cli_number(struct argp_state *state, const char *option, const char *text);
/* Index of the word, in any case of letters, in a NULL-terminated list; an error of the option if
 * it is not there. */
int smrf_cli_choose(struct argp_state *state, const char *option, const char *word,
                    const char *const *names);

#endif
