/* SPDX-License-Identifier: Apache-2.0 */
#include "xbar.h"

int smrf_xbar_init(struct smrf_xbar *x, uint32_t banks, uint32_t rows)
{
    if (banks == 0 || banks > SMRF_MAX_BANKS || rows == 0 || rows >= SMRF_ROW_NONE) {
        return SMRF_ERR_INVAL;
    }
    x->banks = banks;
    x->rows = rows;
    x->shift = 0;
    while (UINT64_C(1) << x->shift <= smrf_row_address(rows, SMRF_ROW_NONE)) {
        x->shift++;
    }
    x->local = (UINT64_C(1) << x->shift) - 1;
    smrf_xbar_reset(x);
    return SMRF_OK;
}

void smrf_xbar_reset(struct smrf_xbar *x)
{
    x->stats = (struct smrf_xbar_stats){0};
}
