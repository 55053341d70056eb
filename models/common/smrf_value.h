/* SPDX-License-Identifier: Apache-2.0 */
/* A register's value [32] moves only where values are checked or observed. Elsewhere no value is
 * handed on (NULL), and none is kept: masks, tags and versions decide without it. */
#ifndef SMRF_VALUE_H
#define SMRF_VALUE_H

#include "smrf_types.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value is kept. from NULL: none is handed on. */
static inline void smrf_value_keep(uint32_t *to, const uint32_t *from)
{
    if (from) {
        memcpy(to, from, SMRF_WARP_REG_BYTES);
    }
}

/* A kept value is handed on as number i of to. to NULL: values are not carried. */
static inline void smrf_value_hand_on(uint32_t (*to)[SMRF_LANES], unsigned i, const uint32_t *from)
{
    if (to) {
        memcpy(to[i], from, SMRF_WARP_REG_BYTES);
    }
}

/* A value whose lane l is first + l. Values that are made (models/oracle) are such series. */
static inline void smrf_value_make_series(uint32_t *lane, uint32_t first)
{
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        lane[l] = first + l;
    }
}

static inline bool smrf_value_is_series(const uint32_t *lane, uint32_t first)
{
    uint32_t wrong = 0;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        wrong |= lane[l] ^ (first + l);
    }
    return wrong == 0;
}

#ifdef __cplusplus
}
#endif

#endif
