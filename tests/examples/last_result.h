/* SPDX-License-Identifier: Apache-2.0 */
/* docs/write-a-mechanism.md's small mechanism, and the same with a mistake in it. */
#ifndef SMRF_TESTS_LAST_RESULT_H
#define SMRF_TESTS_LAST_RESULT_H

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct smrf_mechanism last_result;
/* A copy is not renewed when its register is written again. */
extern const struct smrf_mechanism stale_result;

#ifdef __cplusplus
}
#endif

#endif
