/* SPDX-License-Identifier: Apache-2.0 */
#include "merge.h"

#include "models/common/smrf_assert.h"

#include <string.h>

void smrf_merges_init(struct smrf_merges *m, struct smrf_flights *flights,
                      const struct smrf_wires *wires)
{
    m->flights = flights;
    m->wires = wires;
    smrf_merges_reset(m);
}

void smrf_merges_reset(struct smrf_merges *m)
{
    m->count = 0;
}

/* A mechanism that names lanes which are not there, or leaves some out, is wrong. */
static void check_(const struct smrf_flight *f, const struct smrf_merge_part *part)
{
    SMRF_ASSERT(((part[0].lanes | part[1].lanes) & f->mask) == f->mask);
    for (unsigned p = 0; p < 2; p++) {
        for (uint32_t lanes = part[p].lanes; lanes; lanes &= lanes - 1) {
            const int lane = __builtin_ctz(lanes) + part[p].shift;
            SMRF_ASSERT(lane >= 0 && lane < SMRF_LANES);
        }
    }
}

void smrf_merges_add(struct smrf_merges *m, uint32_t flight,
                     const struct smrf_memory_answer *answer, uint64_t from)
{
    struct smrf_flight *f = &m->flights->record[flight];
    SMRF_ASSERT(smrf_merges_room(m) && f->num_dst <= SMRF_MERGE_DST);
    m->queue[m->count++] = (struct smrf_waiting_merge){flight, answer->collector,
                                                       answer->delay == SMRF_MEMORY_WAIT, from};
    memcpy(m->part[flight], answer->part, f->num_dst * sizeof answer->part[0]);
    f->unit = SMRF_UNIT_MERGE;
    f->num_src = f->num_read = (uint8_t)(2 * f->num_dst);
    for (unsigned i = 0; i < f->num_dst; i++) {
        check_(f, answer->part[i]);
        for (unsigned p = 0; p < 2; p++) {
            f->src_reg[2 * i + p] = f->dst_reg[i];
            f->src[2 * i + p] = answer->part[i][p].from;
        }
    }
}

void smrf_merges_release(struct smrf_merges *m, uint32_t flight, uint64_t from)
{
    uint32_t i = 0;
    while (i < m->count && m->queue[i].flight != flight) {
        i++;
    }
    SMRF_ASSERT(i < m->count && m->queue[i].waits);
    m->queue[i].waits = false;
    m->queue[i].from = from > m->queue[i].from ? from : m->queue[i].from;
}

bool smrf_merges_step(struct smrf_merges *m, uint64_t cycle)
{
    bool moved = false;
    for (uint32_t i = 0; i < m->count;) {
        const struct smrf_waiting_merge *w = &m->queue[i];
        const unsigned sub = m->flights->record[w->flight].sub;
        if (w->waits || w->from > cycle) {
            i++;
            continue;
        }
        if (!m->wires->vacant(m->wires->ctx, sub, w->collector)) {
            break;
        }
        m->wires->merge(m->wires->ctx, sub, w->collector, w->flight);
        memmove(m->queue + i, m->queue + i + 1, (--m->count - i) * sizeof *w);
        moved = true;
    }
    return moved;
}

uint64_t smrf_merges_next(const struct smrf_merges *m, uint64_t cycle)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct smrf_waiting_merge *w = &m->queue[i];
        next = !w->waits && w->from >= cycle && w->from < next ? w->from : next;
    }
    return next;
}

void smrf_merges_take(struct smrf_merges *m, uint32_t flight, unsigned i, const uint32_t *data)
{
    if (*m->wires->values) {
        memcpy(m->flights->carried[flight][SMRF_MERGED_ROW + i], data, SMRF_WARP_REG_BYTES);
    }
}

void smrf_merges_value(const struct smrf_merges *m, uint32_t flight, unsigned i, uint32_t *to)
{
    memset(to, 0, SMRF_WARP_REG_BYTES);
    for (unsigned p = 0; p < 2; p++) {
        const struct smrf_merge_part *part = &m->part[flight][i][p];
        const uint32_t *from = m->flights->carried[flight][SMRF_MERGED_ROW + 2 * i + p];
        for (uint32_t lanes = part->lanes; lanes; lanes &= lanes - 1) {
            const int lane = __builtin_ctz(lanes);
            to[lane] = from[lane + part->shift];
        }
    }
}
