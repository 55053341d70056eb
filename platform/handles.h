/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms that exist, so that a call with one that has been destroyed is an error, not a crash.
 */
#ifndef SMRF_HANDLES_H
#define SMRF_HANDLES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_platform;
struct smrf_handle {
    const struct smrf_platform *platform;
    struct smrf_handle *next;
};

/* It exists from now on; handle: a part of it. */
void smrf_handle_add(struct smrf_handle *handle, const struct smrf_platform *p);
/* It exists no longer. Returns whether it did. */
bool smrf_handle_remove(const struct smrf_platform *p);
bool smrf_handle_exists(const struct smrf_platform *p);

#ifdef __cplusplus
}
#endif

#endif
