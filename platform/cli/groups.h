/* SPDX-License-Identifier: Apache-2.0 */
/* Long lists of dotted names by group: the name's first part ("rf" of "rf.banks"), the first two of
 * counters ("counters.sm"), "run" for names without a dot. */
#ifndef SMRF_CLI_GROUPS_H
#define SMRF_CLI_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Name number i of a list, NULL: past the last. Names of a group stand together. */
typedef const char *smrf_cli_names(size_t i);

bool smrf_cli_in_group(const char *name, const char *group);
bool smrf_cli_has_group(smrf_cli_names *names, const char *group);
/* A line for each group: how many names it has, and the first of them. */
void smrf_cli_overview(FILE *out, smrf_cli_names *names);

#endif
