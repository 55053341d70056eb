/* SPDX-License-Identifier: Apache-2.0 */
/* Observers of the SMs of a run, from the platform (a profile, a timeline). Set them before the
 * build. */
#ifndef SMRF_OBSERVER_H
#define SMRF_OBSERVER_H

#include "platform/gpu/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_platform;

struct smrf_observer {
    void *ctx;
    /* The machine has been built: adds listeners to the SMs (models/hooks/hooks.h). Returns 0 or an
     * error with text. */
    int (*attach)(void *ctx, const struct smrf_machine *machine, char *text, size_t size);
    void (*kernel_begin)(void *ctx, const struct smrf_gpu_kernel *kernel);
    /* Its static instructions are still there. */
    void (*kernel_end)(void *ctx, const struct smrf_gpu_kernel *kernel);
};

/* At most one observer a platform; its ctx must outlive the runs. */
void smrf_platform_observe(struct smrf_platform *p, const struct smrf_observer *observer);

#ifdef __cplusplus
}
#endif

#endif
