/* SPDX-License-Identifier: Apache-2.0 */
/* Where warp registers lie: a sub-core's physical registers are dealt out to its banks in turn,
 * each a row of its bank. Source: Accel-Sim register_bank. */
#ifndef SMRF_GEOMETRY_H
#define SMRF_GEOMETRY_H

#include "rf_params.h"

#include "models/common/sm_params.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_ROW_NONE UINT16_MAX /* no row: the access takes the bank's port and nothing else */

/* A warp register in the register file of its sub-core. RZ and registers beyond a warp's allocation
 * have a bank, whose port an access of them takes, but no row. */
struct smrf_register_place {
    uint16_t row; /* of the bank, or SMRF_ROW_NONE */
    uint8_t bank; /* of the sub-core */
};

/* Physical registers of a sub-core, all its banks together. */
static inline uint32_t smrf_physical_registers(const struct smrf_sm_params *sm)
{
    uint32_t total = sm->registers / SMRF_LANES;
    return sm->registers_pooled ? total : total / sm->subcores;
}

/* Rows of each of its banks. */
static inline uint32_t smrf_bank_rows(const struct smrf_sm_params *sm,
                                      const struct smrf_rf_params *rf)
{
    return (smrf_physical_registers(sm) + rf->banks - 1) / rf->banks;
}

/* 2^32 / n, rounded up: index x this >> 32 is index / n, for every index below 2^24 and n to 16. */
static inline uint64_t smrf_reciprocal(unsigned n)
{
    return (n & (n - 1)) == 0 ? UINT64_C(1) << (32 - __builtin_ctz(n)) : UINT32_MAX / n + 1;
}

/* Bank and row of architectural register reg of a warp. Its registers are rotated by `by` of n
 * banks; the reciprocal of n is at hand. phys: as in smrf_place_of(). */
static inline struct smrf_register_place smrf_place_turned(unsigned n, uint64_t reciprocal,
                                                           unsigned by, unsigned reg, unsigned phys)
{
    const bool none = phys == SMRF_PHYS_NONE;
    const unsigned index = none ? reg : phys, turn = index + by;
    const struct smrf_register_place at = {
        (uint16_t)(none ? SMRF_ROW_NONE : index * reciprocal >> 32),
        (uint8_t)(turn - n * (unsigned)(turn * reciprocal >> 32)),
    };
    return at;
}

/* Place of architectural register reg of a warp slot (of the SM) that lies in physical register
 * phys of its sub-core, or in none (SMRF_PHYS_NONE). */
static inline struct smrf_register_place smrf_place_of(const struct smrf_rf_params *rf,
                                                       unsigned warp, unsigned reg, unsigned phys)
{
    return smrf_place_turned(rf->banks, smrf_reciprocal(rf->banks), rf->swizzle ? warp : 0, reg,
                             phys);
}

/* Address of a row as its bank sees it. The word after the last row represents every register
 * without a row: it reads as zero and drops writes. */
static inline uint64_t smrf_row_address(uint32_t rows, unsigned row)
{
    return (uint64_t)(row == SMRF_ROW_NONE ? rows : row) * SMRF_WARP_REG_BYTES;
}

#ifdef __cplusplus
}
#endif

#endif
