/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON document that a command leaves. */
#ifndef SMRF_CLI_DOCUMENT_H
#define SMRF_CLI_DOCUMENT_H

#include <jansson.h>

/* Write and free it; "-" is standard output. What is wrong is printed. Returns an enum smrf_exit. */
int smrf_cli_document(json_t *root, const char *path);

#endif
