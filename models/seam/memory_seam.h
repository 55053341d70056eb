/* SPDX-License-Identifier: Apache-2.0 */
/* Seam of the load/store unit. */
#ifndef SMRF_MEMORY_SEAM_H
#define SMRF_MEMORY_SEAM_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seam: a load has its addresses and is about to leave for the memory. Return true if the mechanism
 * satisfies it: no memory access; the destination is usable after `*delay` cycles. Stores are
 * shown too (return value ignored). */
struct smrf_memory_seam {
    bool (*access)(void *m, const struct smrf_flight *f, const struct smrf_inst *inst,
                   uint32_t *delay);
};

#ifdef __cplusplus
}
#endif

#endif
