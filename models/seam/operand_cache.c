/* SPDX-License-Identifier: Apache-2.0 */
#include "operand_cache.h"

bool smrf_operand_cache_needed(const struct smrf_mechanism *mechanism)
{
    return mechanism->collector || mechanism->write ||
           (mechanism->allocation && mechanism->allocation->preferred);
}

void smrf_operand_cache_init(struct smrf_operand_cache *c, const struct smrf_mechanism *mechanism,
                             void *state, unsigned sub, const struct smrf_flights *flights,
                             const struct smrf_wires *wires)
{
    *c = (struct smrf_operand_cache){
        .seam = mechanism->collector,
        .write = mechanism->write,
        .allocation = mechanism->allocation,
        .state = state,
        .flights = flights,
        .wires = wires,
        .sub = sub,
    };
}

uint32_t smrf_operand_cache_enter(struct smrf_operand_cache *c, unsigned collector, uint32_t flight,
                                  uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const struct smrf_flight *f = &c->flights->record[flight];
    return c->seam && c->seam->allocate
               ? c->seam->allocate(c->state, c->sub, collector, f, data, version)
               : (uint32_t)((UINT64_C(1) << f->num_src) - 1);
}

void smrf_operand_cache_source(struct smrf_operand_cache *c, unsigned collector, uint32_t flight,
                               unsigned i, const uint32_t *data, uint32_t version)
{
    if (c->seam && c->seam->arrive) {
        c->seam->arrive(c->state, c->sub, collector, &c->flights->record[flight], i, data, version);
    }
}

void smrf_operand_cache_leave(struct smrf_operand_cache *c, unsigned collector, uint32_t flight)
{
    if (c->seam && c->seam->dispatch) {
        c->seam->dispatch(c->state, c->sub, collector, &c->flights->record[flight]);
    }
}

uint64_t smrf_operand_cache_status(const struct smrf_operand_cache *c)
{
    return c->allocation && c->allocation->preferred ? c->allocation->preferred(c->state, c->sub)
                                                     : 0;
}

bool smrf_operand_cache_alone(const struct smrf_operand_cache *c, uint32_t flight, unsigned i)
{
    return c->write && c->write->where(c->state, &c->flights->record[flight], i) == SMRF_WRITE_COPY;
}

void smrf_operand_cache_keep(struct smrf_operand_cache *c, uint32_t flight, unsigned i,
                             const uint32_t *data, uint32_t lanes, uint32_t version)
{
    c->write->keep(c->state, &c->flights->record[flight], i, data, lanes, version);
}

uint32_t smrf_operand_cache_evict(struct smrf_operand_cache *c, uint32_t token, uint32_t *data,
                                  uint32_t *version)
{
    return c->write->evict(c->state, c->sub, token, data, version);
}

bool smrf_operand_cache_result(struct smrf_operand_cache *c, uint32_t flight, unsigned i,
                               const uint32_t *row)
{
    const struct smrf_flight *f = &c->flights->record[flight];
    if (!c->seam || !c->seam->write) {
        return false;
    }
    const bool kept = c->seam->write(c->state, c->sub, f, i, row, f->mask, *c->wires->cycle);
    if (row && *c->wires->values && c->seam->copy && f->dst[i].row != SMRF_ROW_NONE) {
        const uint32_t *copy = c->seam->copy(c->state, c->sub, f->warp, f->dst_reg[i]);
        if (copy) {
            c->wires->copied(c->wires->ctx, flight, i, copy, row);
        }
    }
    return kept;
}
