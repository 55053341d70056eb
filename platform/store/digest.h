/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies what a run depends on by content: bytes, files, all files of a trace. XXH3, 128 bits.
 */
#ifndef SMRF_STORE_DIGEST_H
#define SMRF_STORE_DIGEST_H

#define XXH_STATIC_LINKING_ONLY /* the state as a structure: no allocation */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DIGEST_TEXT 33 /* bytes of 32 hexadecimal digits with terminator */

/* A digest under way. It lives on the stack: XXH3 wants 64 bytes of alignment. */
struct smrf_content {
    XXH3_state_t xxh;
};

void smrf_content_begin(struct smrf_content *c);
void smrf_content_add(struct smrf_content *c, const void *bytes, size_t count);
void smrf_content_add_string(struct smrf_content *c, const char *text); /* with its terminator */
/* Adds a file's bytes. Returns 0 or SMRF_ERR_IO with text. */
int smrf_content_add_file(struct smrf_content *c, const char *path, char *text, size_t size);
/* The digest of all that was added. */
void smrf_content_text(const struct smrf_content *c, char text[SMRF_DIGEST_TEXT]);

/* Digest of the names and contents of all files that a replay of the trace reads: list, kernels,
 * operands beside them. stamp: changes whenever one of them is written, found without reading them;
 * NULL: not wanted. Returns 0 or SMRF_ERR_IO with text; digest is set in both cases. */
int smrf_digest_trace(char digest[SMRF_DIGEST_TEXT], uint64_t *stamp, const char *path, char *text,
                      size_t size);
/* The stamp alone, 0 where a file is gone. */
uint64_t smrf_digest_stamp(const char *path);
/* Digest of this program's own file, computed once. False: the file cannot be read. */
bool smrf_digest_program(char digest[SMRF_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
