/* SPDX-License-Identifier: Apache-2.0 */
/* The read stages and an operand cache in Allocate: look-ups, and operands that enter it. */
#include "read_stage_internal.h"

#include <string.h>

void smrf_read_stage_look_up(struct smrf_read_stage *r, unsigned e)
{
    struct smrf_read_entry *entry = &r->entry[e];
    struct smrf_operand_latches *l = &r->latches[e];
    const struct smrf_wires *w = r->wires;
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    if (entry->looked_up) {
        return;
    }
    entry->looked_up = true;
    entry->held = smrf_collectors_sources(f) &
                  ~w->enter(w->ctx, r->cfg.sub, 0, entry->flight, l->data, l->version);
    entry->missing &= ~entry->held;
}

/* Source i of entry e has been read. Younger instructions may have hit it before. */
static void deliver_(struct smrf_read_stage *r, unsigned e, unsigned i)
{
    const struct smrf_operand_latches *from = &r->latches[e];
    const struct smrf_flight *f = &r->flights->record[r->entry[e].flight];
    for (uint64_t m = r->used & ~(UINT64_C(1) << e); m; m &= m - 1) {
        const unsigned younger = (unsigned)__builtin_ctzll(m);
        const struct smrf_read_entry *entry = &r->entry[younger];
        const struct smrf_flight *g = &r->flights->record[entry->flight];
        struct smrf_operand_latches *to = &r->latches[younger];
        for (uint32_t held = g->uid > f->uid ? entry->held : 0; held; held &= held - 1) {
            const unsigned n = (unsigned)__builtin_ctz(held);
            if (g->src[n].row == f->src[i].row && g->src[n].bank == f->src[i].bank &&
                to->version[n] <= from->version[i]) {
                memcpy(to->data[n], from->data[i], sizeof to->data[n]);
                to->version[n] = from->version[i];
            }
        }
    }
}

void smrf_read_stage_fill_cache(struct smrf_read_stage *r, uint64_t cycle)
{
    const struct smrf_wires *w = r->wires;
    for (uint64_t m = r->reading; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(m);
        const struct smrf_read_entry *entry = &r->entry[e];
        if (!entry->looked_up || entry->reported || entry->collected > cycle) {
            continue;
        }
        const struct smrf_operand_latches *l = &r->latches[e];
        const struct smrf_flight *f = &r->flights->record[entry->flight];
        for (uint32_t s = smrf_collectors_sources(f) & ~entry->held; s; s &= s - 1) {
            const unsigned i = (unsigned)__builtin_ctz(s);
            w->source(w->ctx, r->cfg.sub, 0, entry->flight, i, l->data[i], l->version[i]);
            if (*w->values) {
                deliver_(r, e, i);
            }
        }
    }
}
