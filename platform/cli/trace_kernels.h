/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_CLI_TRACE_KERNELS_H
#define SMRF_CLI_TRACE_KERNELS_H

/* Prints the kernels of a program, an object of the host, a fat binary, a cubin or a listing as a
 * launch file to fill in; arch: 75 of sm_75, 0 = the oldest code of each module that is known.
 * Returns an enum smrf_exit. */
int smrf_cli_trace_kernels(const char *path, unsigned arch);

#endif
