/* SPDX-License-Identifier: Apache-2.0 */
/* The mapping controller of an SM: what a mechanism makes of loads, and what may put it out of
 * date. It carries the memory seam; the mechanism decides. */
#ifndef SMRF_MAPPING_H
#define SMRF_MAPPING_H

#include "mechanism.h"

#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_mapping {
    const struct smrf_memory_seam *seam; /* NULL: there is none */
    void *state;                         /* the mechanism's */
    const struct smrf_flights *flights;
};

void smrf_mapping_init(struct smrf_mapping *m, const struct smrf_mechanism *mechanism, void *state,
                       const struct smrf_flights *flights);

/* As struct smrf_wires has it: map, stored, loaded, fenced. */
enum smrf_memory_verdict smrf_mapping_map(const struct smrf_mapping *m,
                                          enum smrf_map_question question,
                                          const struct smrf_memory_request *r,
                                          struct smrf_memory_answer *answer);
void smrf_mapping_stored(const struct smrf_mapping *m, const struct smrf_memory_request *r);
void smrf_mapping_loaded(const struct smrf_mapping *m, uint32_t flight);
void smrf_mapping_fenced(const struct smrf_mapping *m, uint32_t flight);

#ifdef __cplusplus
}
#endif

#endif
