/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command leaves; "-" is standard output. What is wrong is printed. */
#ifndef SMRF_CLI_DOCUMENT_H
#define SMRF_CLI_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

/* fill writes it, and returns 0 or an error, with text where it can say more. The file appears when
 * it is complete. Returns an enum smrf_exit. */
int smrf_cli_file(const char *path, int (*fill)(void *ctx, FILE *out, char *text, size_t size),
                  void *ctx);

/* Write and free a JSON document. Returns an enum smrf_exit. */
int smrf_cli_document(json_t *root, const char *path);

#endif
