/* SPDX-License-Identifier: Apache-2.0 */
#include "xbar.h"

int smrf_xbar_init(struct smrf_xbar *x, uint32_t collectors, uint32_t ports)
{
    if (collectors == 0 || collectors > SMRF_MAX_COLLECTORS) {
        return SMRF_ERR_INVAL;
    }
    *x = (struct smrf_xbar){.ports = ports, .free_mask = UINT32_MAX};
    return SMRF_OK;
}
