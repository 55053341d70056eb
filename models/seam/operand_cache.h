/* SPDX-License-Identifier: Apache-2.0 */
/* The operand cache of a sub-core: what a mechanism keeps beside or in the collectors. It carries
 * the collector seam and the priority of the allocation seam; the mechanism decides. */
#ifndef SMRF_OPERAND_CACHE_H
#define SMRF_OPERAND_CACHE_H

#include "mechanism.h"

#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_operand_cache {
    const struct smrf_write_seam *write; /* may be NULL, as the next two */
    const struct smrf_collector_seam *seam;
    const struct smrf_allocation_seam *allocation;
    void *state; /* the mechanism's */
    const struct smrf_flights *flights;
    const struct smrf_wires *wires;
    uint32_t sub;
};

/* Has the mechanism anything that a sub-core's collectors and write-back must tell it? */
bool smrf_operand_cache_needed(const struct smrf_mechanism *mechanism);

void smrf_operand_cache_init(struct smrf_operand_cache *c, const struct smrf_mechanism *mechanism,
                             void *state, unsigned sub, const struct smrf_flights *flights,
                             const struct smrf_wires *wires);

/* As struct smrf_wires has it: enter, source, leave, status. */
uint32_t smrf_operand_cache_enter(struct smrf_operand_cache *c, unsigned collector, uint32_t flight,
                                  uint32_t (*data)[SMRF_LANES], uint32_t *version);
void smrf_operand_cache_source(struct smrf_operand_cache *c, unsigned collector, uint32_t flight,
                               unsigned i, const uint32_t *data, uint32_t version);
void smrf_operand_cache_leave(struct smrf_operand_cache *c, unsigned collector, uint32_t flight);
uint64_t smrf_operand_cache_status(const struct smrf_operand_cache *c);

/* As struct smrf_wires has it: alone, keep, evict. */
bool smrf_operand_cache_alone(const struct smrf_operand_cache *c, uint32_t flight, unsigned i);
void smrf_operand_cache_keep(struct smrf_operand_cache *c, uint32_t flight, unsigned i,
                             const uint32_t *data, uint32_t lanes, uint32_t version);
uint32_t smrf_operand_cache_evict(struct smrf_operand_cache *c, uint32_t token, uint32_t *data,
                                  uint32_t *version);

/* Destination i has been written; row: the whole register after it. Whatever copy of the
 * register the mechanism holds then is shown to the oracle. Returns: one was kept. */
bool smrf_operand_cache_result(struct smrf_operand_cache *c, uint32_t flight, unsigned i,
                               const uint32_t *row);

#ifdef __cplusplus
}
#endif

#endif
