/* SPDX-License-Identifier: Apache-2.0 */
/* Text files that are part of the program: CMake embeds presets and studies. */
#ifndef SMRF_CONFIG_EMBEDDED_H
#define SMRF_CONFIG_EMBEDDED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_embedded {
    const char *name; /* of the file, without its folder and ending */
    const char *text; /* of `size` bytes, then a NUL */
    size_t size;
    const char *description; /* its line `description: ...`, or NULL */
};

/* Sorted by name; the last row has no name. */
extern const struct smrf_embedded smrf_presets[]; /* platform/presets */
extern const struct smrf_embedded smrf_studies[]; /* platform/study: the papers' experiments */

#ifdef __cplusplus
}
#endif

#endif
