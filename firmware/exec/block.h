/* SPDX-License-Identifier: Apache-2.0 */
/* What the warps of a running thread block share. */
#ifndef SMRF_EXEC_BLOCK_H
#define SMRF_EXEC_BLOCK_H

#include "firmware/exec/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_exec_block {
    /* Constant banks of the launch; NULL and 0 where there is none. A function's own bank (its
     * literals and switch tables) is not here: see smrf_exec_fold_const. */
    const uint8_t *const_data[SMRF_SASS_CONST_BANKS];
    uint32_t const_bytes[SMRF_SASS_CONST_BANKS];
};

#ifdef __cplusplus
}
#endif

#endif
