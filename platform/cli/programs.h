/* SPDX-License-Identifier: Apache-2.0 */
/* The programs behind traces, for the commands that look at them. */
#ifndef SMRF_CLI_PROGRAMS_H
#define SMRF_CLI_PROGRAMS_H

#include "firmware/flow/flow.h"
#include "traces/trace.h"

#include <stddef.h>

/* A program, the `number`-th from 0, and the sidecar that it was made from. Returns 0 or an
 * error. */
typedef int smrf_cli_program_fn(void *ctx, const struct smrf_kernel_info *info,
                                const struct smrf_operand_table *table,
                                const struct smrf_flow_program *program, size_t number);

/* Visit the program of every kernel of the traces, once each. what: needs them, for messages.
 * Returns 0 or an error that has been printed. */
int smrf_cli_programs(char *const *paths, int num_paths, const char *what,
                      smrf_cli_program_fn *visit, void *ctx);

#endif
