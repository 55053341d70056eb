/* SPDX-License-Identifier: Apache-2.0 */
/* docs/write-a-mechanism.md's mechanism that shares registers, and the same with a mistake in it.
 */
#ifndef SMRF_TESTS_REPEATED_LOAD_H
#define SMRF_TESTS_REPEATED_LOAD_H

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct smrf_mechanism repeated_load;
/* The register that was shared is not told apart again when one of the two is written. */
extern const struct smrf_mechanism careless_load;

#ifdef __cplusplus
}
#endif

#endif
