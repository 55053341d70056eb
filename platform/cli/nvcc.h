/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA sources in the place of a program: compiled by nvcc, where there is one. */
#ifndef SMRF_CLI_NVCC_H
#define SMRF_CLI_NVCC_H

#include <stdbool.h>
#include <stddef.h>

/* "foo.cu". */
bool smrf_cli_is_source(const char *word);

/* Compiles the source, with lines of source, for sm_<arch> into the folder and writes the program's
 * path. nvcc is $NVCC, else the one of PATH. command: for messages. Returns an enum smrf_exit; what
 * is wrong has been said. */
int smrf_cli_compile(const char *command, const char *source, unsigned arch, const char *folder,
                     char *program, size_t room);

#endif
