/* SPDX-License-Identifier: Apache-2.0 */
/* How platform_tlm.cpp hands the C part of the platform what C cannot name. */
#ifndef SMRF_BINDER_H
#define SMRF_BINDER_H

#include "platform/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes over binder (a smrf::memory_binder) on success; drop frees it. */
int smrf_platform_set_binder(struct smrf_platform *p, void *binder, void (*drop)(void *binder));

#ifdef __cplusplus
}
#endif

#endif
