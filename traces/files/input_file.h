/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what is read: plain files, and the descriptors that the user opened himself (/dev/stdin,
 * /dev/fd/N). A named pipe, a device, a folder or a socket is refused, as it may never end. */
#ifndef SMRF_INPUT_FILE_H
#define SMRF_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_INPUT_TEXT_MAX ((uint64_t)1 << 20) /* configuration, launch file, table, constants */
#define SMRF_INPUT_PROGRAM_MAX ((uint64_t)256 << 20) /* machine code as text */

/* A descriptor to read from, or SMRF_ERR_IO with text. */
int smrf_input_descriptor(const char *path, char *text, size_t size);

struct smrf_input {
    FILE *file;
};

/* most: bytes that the file may have; of a descriptor smrf_input_read finds out. Returns 0,
 * SMRF_ERR_IO or SMRF_ERR_LIMIT with text. */
int smrf_input_open(struct smrf_input *in, const char *path, uint64_t most, char *text,
                    size_t size);
void smrf_input_close(struct smrf_input *in);

/* A whole text of at most `most` bytes: *content ends with NUL, and the caller frees it. Returns 0,
 * SMRF_ERR_IO, SMRF_ERR_LIMIT, SMRF_ERR_FORMAT (a NUL byte: not a text) or SMRF_ERR_NOMEM with
 * text. */
int smrf_input_read(const char *path, uint64_t most, char **content, size_t *bytes, char *text,
                    size_t size);

/* The same of a file that may hold any bytes. */
int smrf_input_read_bytes(const char *path, uint64_t most, char **content, size_t *bytes,
                          char *text, size_t size);

#define SMRF_INPUT_DEPTH 64 /* brackets of a YAML text that may be open at once */

/* Line at which a YAML text is nested deeper than that, 0 if nowhere. The parser's time grows with
 * the square of the depth. */
unsigned smrf_input_too_deep(const char *content, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
