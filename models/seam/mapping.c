/* SPDX-License-Identifier: Apache-2.0 */
#include "mapping.h"

void smrf_mapping_init(struct smrf_mapping *m, const struct smrf_mechanism *mechanism, void *state,
                       const struct smrf_flights *flights)
{
    *m = (struct smrf_mapping){mechanism->memory, state, flights};
}

enum smrf_memory_verdict smrf_mapping_map(const struct smrf_mapping *m,
                                          enum smrf_map_question question,
                                          const struct smrf_memory_request *r,
                                          struct smrf_memory_answer *answer)
{
    if (question == SMRF_MAP_ADDRESS) {
        return m->seam->address(m->state, r, answer);
    }
    return m->seam->l1 ? m->seam->l1(m->state, r, question == SMRF_MAP_READABLE, answer)
                       : SMRF_MEMORY_ISSUE;
}

void smrf_mapping_stored(const struct smrf_mapping *m, const struct smrf_memory_request *r)
{
    if (m->seam->store) {
        m->seam->store(m->state, r);
    }
}

void smrf_mapping_loaded(const struct smrf_mapping *m, uint32_t flight)
{
    if (m->seam->loaded) {
        m->seam->loaded(m->state, &m->flights->record[flight], flight);
    }
}

void smrf_mapping_fenced(const struct smrf_mapping *m, uint32_t flight)
{
    if (m->seam->fence) {
        m->seam->fence(m->state, &m->flights->record[flight]);
    }
}
