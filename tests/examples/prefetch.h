/* SPDX-License-Identifier: Apache-2.0 */
/* docs/write-a-mechanism.md's mechanism that adds operations, with an option, counters and laws. */
#ifndef SMRF_TESTS_PREFETCH_H
#define SMRF_TESTS_PREFETCH_H

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct smrf_family prefetch_family; /* "prefetch", "prefetch-silent" */

#ifdef __cplusplus
}
#endif

#endif
