/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the configuration library; not for its users. */
#ifndef SMRF_CONFIG_INTERNAL_H
#define SMRF_CONFIG_INTERNAL_H

#include "platform/config/config.h"

#define SMRF_CONFIG_WHERE 320 /* bytes of a "file:line" */

/* Write "where: " and the formatted text into *err (which may be NULL) and return code. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
int smrf_config_fail(struct smrf_config_error *err, int code, const char *where, const char *fmt,
                     ...);

/* Store a value that is known to be legal. */
void smrf_config_put(struct smrf_config *cfg, size_t index, uint32_t value);

#define SMRF_KBSET_MAX 252u /* KiB */

/* Text of a value; returns its length. */
size_t smrf_value_text(const struct smrf_param *info, uint32_t value, char *buf, size_t size);

/* Digits of an unsigned number, decimal or 0x, with nothing after. Returns 0, or SMRF_ERR_INVAL if
 * text is none or is above 2^32 - 1. */
int smrf_number_parse(const char *text, uint32_t *value);

/* Edits (insert, delete, replace, swap neighbours) that turn one text into the other; texts longer
 * than 63 bytes count as far from everything. */
unsigned smrf_edit_distance(const char *a, const char *b);

/* Read a whole file; *text is to be freed by the caller and ends with NUL. */
int smrf_config_read_file(const char *path, char **text, size_t *size,
                          struct smrf_config_error *err);

#endif
