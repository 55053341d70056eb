/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source files, for listings: where a file is not here, there is nothing to show. */
#ifndef SMRF_SOURCE_TEXT_H
#define SMRF_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_source_file;

struct smrf_source_text {
    struct smrf_source_file *file;
    size_t num_files;
};

/* A line, from 1 on, without blanks around it. Valid until the next call; *length 0: unknown. */
const char *smrf_source_text_line(struct smrf_source_text *text, const char *path, uint32_t line,
                                  size_t *length);
void smrf_source_text_free(struct smrf_source_text *text);

#ifdef __cplusplus
}
#endif

#endif
