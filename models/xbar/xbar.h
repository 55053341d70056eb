/* SPDX-License-Identifier: Apache-2.0 */
/* Crossbar from the banks of a sub-core to its collector units. It routes: the banks lie one behind
 * the other in its address space, and a bank sees its own part. How many operands a collector takes
 * in a step is the arbiter's decision. Source: Malekeh (long) sec. II. */
#ifndef SMRF_XBAR_H
#define SMRF_XBAR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_XBAR_STATS(X) X(crossbar_transfers, "operands", "operands that crossed to a collector")

#define SMRF_XBAR_FIELD(name, unit, meaning) uint64_t name;
struct smrf_xbar_stats {
    SMRF_XBAR_STATS(SMRF_XBAR_FIELD)
};
#undef SMRF_XBAR_FIELD

struct smrf_xbar {
    uint32_t banks;
    uint32_t rows;  /* of a bank */
    uint32_t shift; /* bank b lies from b << shift on */
    uint64_t local; /* bits of an address that a bank sees */
    struct smrf_xbar_stats stats;
};

/* Returns 0 or SMRF_ERR_INVAL. */
int smrf_xbar_init(struct smrf_xbar *x, uint32_t banks, uint32_t rows);

/* Counters zero. */
void smrf_xbar_reset(struct smrf_xbar *x);

/* Address of a place as the collectors name it. */
static inline uint64_t smrf_xbar_address(const struct smrf_xbar *x, struct smrf_register_place at)
{
    return ((uint64_t)at.bank << x->shift) + smrf_row_address(x->rows, at.row);
}

/* Bank of an address, x->banks if there is none; *local: the address as the bank sees it. */
static inline unsigned smrf_xbar_route(const struct smrf_xbar *x, uint64_t address, uint64_t *local)
{
    const uint64_t bank = address >> x->shift;
    *local = address & x->local;
    return bank < x->banks ? (unsigned)bank : x->banks;
}

/* Operands cross. */
static inline void smrf_xbar_transfer(struct smrf_xbar *x, uint32_t operands)
{
    x->stats.crossbar_transfers += operands;
}

#ifdef __cplusplus
}
#endif

#endif
