/* SPDX-License-Identifier: Apache-2.0 */
/* What a run depends on, told by content: bytes, files, all files of a trace. FNV-1a, 64 bits. */
#ifndef SMRF_STORE_DIGEST_H
#define SMRF_STORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DIGEST_START UINT64_C(0xcbf29ce484222325)
#define SMRF_DIGEST_TEXT 17 /* bytes of 16 hexadecimal digits with terminator */

/* Go on with a digest. */
uint64_t smrf_digest_bytes(uint64_t digest, const void *bytes, size_t count);
uint64_t smrf_digest_string(uint64_t digest, const char *text); /* with its terminator */
void smrf_digest_text(uint64_t digest, char text[SMRF_DIGEST_TEXT]);

/* Returns 0 or SMRF_ERR_IO with text. */
int smrf_digest_file(uint64_t *digest, const char *path, char *text, size_t size);
/* Names and contents of all that a replay of the trace reads: list, kernels, operands beside them.
 * stamp: changes with any of them, as cheaply as the file system tells it; NULL: not wanted. */
int smrf_digest_trace(uint64_t *digest, uint64_t *stamp, const char *path, char *text, size_t size);
/* The stamp alone, 0 where a file is gone. */
uint64_t smrf_digest_stamp(const char *path);
/* Of this program's own file, found once. 0: it cannot be read. */
uint64_t smrf_digest_program(void);

#ifdef __cplusplus
}
#endif

#endif
