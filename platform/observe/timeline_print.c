/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle, for people. */
#include "timeline.h"

#include <inttypes.h>

static bool in_(const struct smrf_timeline_event *e, uint64_t cycle)
{
    return e->start <= cycle && cycle < e->end;
}

static void instruction_(const struct smrf_timeline *t, const struct smrf_timeline_event *e,
                         FILE *out)
{
    if (e->pc == UINT32_MAX) {
        fprintf(out, "warp %u (own) %s", e->warp, t->text[e->text]);
    } else {
        fprintf(out, "warp %u %04" PRIx32 " %s", e->warp, e->pc, t->text[e->text]);
    }
}

static bool at_bank_(const struct smrf_timeline_event *e, uint64_t cycle, uint32_t sub,
                     uint32_t bank)
{
    return (e->kind == SMRF_TIMELINE_READ || e->kind == SMRF_TIMELINE_WRITE ||
            e->kind == SMRF_TIMELINE_WAIT) &&
           in_(e, cycle) && e->sub == sub && e->index == bank;
}

/* "reads R8 for warp 3 0130 STS; waiting: R10 of ..". A bank that is free although reads wait
 * serves collectors that take no more in this step. */
static void bank_(const struct smrf_timeline *t, uint64_t cycle, uint32_t sub, uint32_t bank,
                  FILE *out)
{
    unsigned taken = 0, waiting = 0;
    fprintf(out, "  sub-core %" PRIu32 " bank %" PRIu32 ": ", sub, bank);
    for (size_t i = 0; i < t->num_events; i++) {
        const struct smrf_timeline_event *e = &t->event[i];
        if (!at_bank_(e, cycle, sub, bank) || e->kind == SMRF_TIMELINE_WAIT) {
            continue;
        }
        fputs(taken++ ? ", " : "", out);
        if (e->kind == SMRF_TIMELINE_WRITE) {
            fputs("is written", out);
        } else {
            fprintf(out, "reads R%u for ", e->reg);
            instruction_(t, e, out);
        }
    }
    for (size_t i = 0; i < t->num_events; i++) {
        const struct smrf_timeline_event *e = &t->event[i];
        if (at_bank_(e, cycle, sub, bank) && e->kind == SMRF_TIMELINE_WAIT) {
            fprintf(out, "%sR%u of ",
                    waiting++ ? ", "
                    : taken   ? "; waiting: "
                              : "free; waiting for a port of their collectors: ",
                    e->reg);
            instruction_(t, e, out);
        }
    }
    fputs(taken || waiting ? "\n" : "idle\n", out);
}

static void collectors_(const struct smrf_timeline *t, uint64_t cycle, FILE *out)
{
    for (size_t i = 0; i < t->num_events; i++) {
        const struct smrf_timeline_event *e = &t->event[i];
        if (e->kind == SMRF_TIMELINE_COLLECTOR && in_(e, cycle)) {
            fprintf(out, "  sub-core %u unit %u: ", e->sub, e->index);
            instruction_(t, e, out);
            fputc('\n', out);
        }
    }
}

static void warps_(const struct smrf_timeline *t, uint64_t cycle, FILE *out)
{
    for (size_t i = 0; i < t->num_events; i++) {
        const struct smrf_timeline_event *e = &t->event[i];
        if (e->kind == SMRF_TIMELINE_WARP && in_(e, cycle)) {
            fprintf(out, "  warp %-3u %-10s ", e->index,
                    smrf_warp_state_name((enum smrf_warp_state)e->state));
            if (e->pc != UINT32_MAX) {
                fprintf(out, "%04" PRIx32 " ", e->pc);
            }
            fprintf(out, "%s\n", t->text[e->text]);
        }
    }
}

static void results_(const struct smrf_timeline *t, uint64_t cycle, FILE *out)
{
    unsigned requests = 0;
    for (size_t i = 0; i < t->num_events; i++) {
        const struct smrf_timeline_event *e = &t->event[i];
        if (e->kind == SMRF_TIMELINE_RESULT && in_(e, cycle)) {
            fprintf(out, "  %s%u usable: ", e->reg >= 256 ? "UR" : "R", e->reg % 256);
            instruction_(t, e, out);
            fputc('\n', out);
        }
        requests += e->kind == SMRF_TIMELINE_REQUEST && in_(e, cycle);
    }
    fprintf(out, "  %u sectors under way in memory\n", requests);
}

void smrf_timeline_print(const struct smrf_timeline *t, uint64_t cycle, int bank, FILE *out)
{
    fprintf(out, "SM %" PRIu32 ", cycle %" PRIu64, t->window.sm, cycle);
    for (size_t i = 0; i < t->num_events; i++) {
        if (t->event[i].kind == SMRF_TIMELINE_KERNEL && in_(&t->event[i], cycle)) {
            fprintf(out, ", %s", t->text[t->event[i].text]);
        }
    }
    fputc('\n', out);
    if (bank < 0) {
        warps_(t, cycle, out);
        collectors_(t, cycle, out);
    }
    for (uint32_t sub = 0; sub < t->subs; sub++) {
        for (uint32_t b = 0; b < t->banks; b++) {
            if (bank < 0 || (uint32_t)bank == b) {
                bank_(t, cycle, sub, b, out);
            }
        }
    }
    if (bank < 0) {
        results_(t, cycle, out);
    }
}
