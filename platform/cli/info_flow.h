/* SPDX-License-Identifier: Apache-2.0 */
/* smrf info --flow: the analysis of the programs behind a trace. */
#ifndef SMRF_CLI_INFO_FLOW_H
#define SMRF_CLI_INFO_FLOW_H

#include <stdbool.h>

/* Print the program of every kernel of the traces, once each. Returns an enum smrf_exit. */
int smrf_cli_info_flow(char *const *paths, int num_paths, bool json);

#endif
