/* SPDX-License-Identifier: Apache-2.0 */
#include "platform_internal.h"

int smrf_platform_follow(struct smrf_platform *p, const char *path,
                         const struct smrf_follow *follow)
{
    p->follow = *follow;
    return smrf_workload_add(&p->workload, path) == 0
               ? SMRF_OK
               : smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
}
