/* SPDX-License-Identifier: Apache-2.0 */
/* Which execution unit an instruction needs. */
#ifndef SMRF_UNIT_OF_CLASS_H
#define SMRF_UNIT_OF_CLASS_H

#include "models/flight/flight.h"

static inline unsigned smrf_unit_of_class(unsigned op_class)
{
    static const uint8_t unit[] = {
        /* INT, ALU, SP, HALF */ SMRF_UNIT_INT,
        SMRF_UNIT_INT,
        SMRF_UNIT_SP,
        SMRF_UNIT_SP,
        /* DP, SFU, TENSOR, BRANCH */ SMRF_UNIT_DP,
        SMRF_UNIT_SFU,
        SMRF_UNIT_TENSOR,
        SMRF_UNIT_BRANCH,
        /* TEX, UNIFORM, LOAD, STORE */ SMRF_UNIT_TEX,
        SMRF_UNIT_UNIFORM,
        SMRF_UNIT_MEM,
        SMRF_UNIT_MEM,
        /* ATOMIC, BARRIER, MEMBAR, EXIT */ SMRF_UNIT_MEM,
        SMRF_UNIT_INT,
        SMRF_UNIT_MEM,
        SMRF_UNIT_INT,
    };
    return unit[op_class];
}

#endif
