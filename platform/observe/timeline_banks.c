/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of banks, by arbiters and by read stages. */
#include "timeline_internal.h"

#include "models/read_stage/read_look.h"

static void bank_(struct smrf_timeline *t, enum smrf_timeline_kind kind,
                  const struct smrf_waiting_read *read)
{
    const struct smrf_flight *f = smrf_timeline_record(t, read->flight);
    struct smrf_timeline_event e = smrf_timeline_event_of(t, kind, f, smrf_timeline_now(t));
    e.index = smrf_read_at(read->word).bank;
    e.reg = f->src_reg[smrf_read_source(read->word)];
    (void)smrf_timeline_add(t, &e);
}

void smrf_timeline_arbitrated(void *ctx, unsigned sub, const struct smrf_arbitration *before)
{
    struct smrf_timeline *t = ctx;
    const struct smrf_arbiter *a = smrf_sm_blocks(t->state->sm, sub)->arbiter;
    const uint64_t cycle = smrf_timeline_now(t);
    if (!smrf_timeline_inside(t, cycle)) {
        return;
    }
    for (unsigned b = 0; b < a->num_banks; b++) {
        const unsigned left = smrf_arbiter_probe_count(a, b), n = before->count[b] - left;
        for (unsigned i = 0; i < n; i++) {
            const unsigned place = before->head[b] + i;
            bank_(t, SMRF_TIMELINE_READ, smrf_arbiter_at(a, b, place));
        }
        if (n == 0 && before->write_mask >> b & 1) {
            const struct smrf_timeline_event e = {.kind = SMRF_TIMELINE_WRITE,
                                                  .start = cycle,
                                                  .end = cycle + 1,
                                                  .pc = NO_PC,
                                                  .sub = (uint8_t)sub,
                                                  .index = (uint16_t)b};
            (void)smrf_timeline_add(t, &e);
        }
        for (unsigned i = 0; i < left; i++) {
            bank_(t, SMRF_TIMELINE_WAIT, smrf_arbiter_entry(a, b, i));
        }
    }
}

/* --- read stages ------------------------------------------------------------------------------ */

static void read_(void *ctx, uint32_t flight, uint32_t sources)
{
    struct smrf_timeline *t = ctx;
    const struct smrf_flight *f = smrf_timeline_record(t, flight);
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        struct smrf_timeline_event e =
            smrf_timeline_event_of(t, SMRF_TIMELINE_READ, f, t->state->seen);
        e.index = f->src[i].bank;
        e.reg = f->src_reg[i];
        (void)smrf_timeline_add(t, &e);
    }
}

void smrf_timeline_look_at_reads(struct smrf_timeline *t, uint64_t cycle)
{
    for (unsigned sub = 0; sub < t->state->windows && smrf_timeline_inside(t, cycle + 1); sub++) {
        smrf_read_stage_look(smrf_sm_blocks(t->state->sm, sub)->reading.state, cycle + 1, t, read_);
    }
}
