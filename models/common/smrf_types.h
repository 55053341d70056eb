/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that bound every array of the cores. Configurations are checked against them. */
#ifndef SMRF_TYPES_H
#define SMRF_TYPES_H

#include "smrf_inst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMRF_MAX_SMS 256
#define SMRF_MAX_WARPS 64         /* warp slots of an SM */
#define SMRF_MAX_BLOCKS 64        /* resident thread blocks of an SM */
#define SMRF_MAX_SUBCORES 4       /* sub-cores (schedulers with their own register file slice) */
#define SMRF_MAX_SUB_WARPS 64     /* warp slots of a sub-core (64 if there is one sub-core) */
#define SMRF_MAX_BANKS 16         /* register banks of a sub-core */
#define SMRF_MAX_COLLECTORS 16    /* collector units of a sub-core */
#define SMRF_MAX_COLLECTING 32    /* instructions that they hold, all together */
#define SMRF_WARP_REG_BYTES 128   /* one warp register: 32 lanes of 4 bytes */
#define SMRF_SECTOR_BYTES 32      /* unit of every memory request */
#define SMRF_LINE_BYTES 128       /* cache line: four sectors */
#define SMRF_PHYS_NONE UINT16_MAX /* a register without a row: RZ where it counts as a register */
#define SMRF_NEVER UINT64_MAX     /* a cycle that does not come */

#endif
