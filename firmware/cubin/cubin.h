/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin: an ELF file of machine code for sm_75, 80, 86, 89 or 90. It becomes the text that
 * nvdisasm -hex prints of it, which the reader of listings turns into a module; so that there is
 * one form, and one linker, for both. */
#ifndef SMRF_CUBIN_CUBIN_H
#define SMRF_CUBIN_CUBIN_H

#include "firmware/sass/sass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Architecture of a cubin (75 of sm_75); 0 = this is no cubin. */
unsigned smrf_cubin_arch(const void *bytes, size_t size);

/* The listing, in memory of malloc, 0 at its end. SMRF_ERR_{FORMAT,CORRUPT,UNKNOWN,LIMIT,NOMEM}
 * with error "name: reason". Instructions that are not known are listed as UNKNOWN, an opcode that
 * nothing executes. */
int smrf_cubin_text(const void *bytes, size_t size, const char *name, char **text, size_t *length,
                    char error[SMRF_SASS_ERROR_BYTES]);

/* The module, as smrf_sass_parse_at does of a listing. `where` NULL = the fixed places. */
int smrf_cubin_load(struct smrf_sass_module **module, const char *name, const void *bytes,
                    size_t size, const struct smrf_sass_where *where,
                    char error[SMRF_SASS_ERROR_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
