/* SPDX-License-Identifier: Apache-2.0 */
/* Recording. */
#define _POSIX_C_SOURCE 200809L
#include "timeline_internal.h"

#include <stdlib.h>
#include <string.h>

bool smrf_timeline_inside(const struct smrf_timeline *t, uint64_t cycle)
{
    return cycle >= t->window.from && cycle < t->window.to;
}

/* --- lists ------------------------------------------------------------------------------------ */

size_t smrf_timeline_add(struct smrf_timeline *t, const struct smrf_timeline_event *event)
{
    struct smrf_timeline_state *s = t->state;
    if (t->num_events == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        struct smrf_timeline_event *grown =
            room > 2 * SMRF_TIMELINE_EVENTS ? NULL : realloc(t->event, room * sizeof *grown);
        if (!grown) {
            s->err = room > 2 * SMRF_TIMELINE_EVENTS ? SMRF_ERR_LIMIT : SMRF_ERR_NOMEM;
            return NO_EVENT;
        }
        t->event = grown;
        s->room = room;
    }
    t->event[t->num_events] = *event;
    return t->num_events++;
}

static void close_(struct smrf_timeline *t, size_t *event, uint64_t cycle)
{
    if (*event != NO_EVENT) {
        t->event[*event].end = cycle;
        *event = NO_EVENT;
    }
}

static uint32_t text_(struct smrf_timeline *t, const char *text)
{
    struct smrf_timeline_state *s = t->state;
    if (text == s->last_text) {
        return s->last_index;
    }
    for (size_t i = 0; i < t->num_texts; i++) {
        if (strcmp(t->text[i], text) == 0) {
            s->last_text = text;
            s->last_index = (uint32_t)i;
            return (uint32_t)i;
        }
    }
    if (t->num_texts == s->text_room) {
        const size_t room = s->text_room ? 2 * s->text_room : 64;
        char **grown = realloc(t->text, room * sizeof *grown);
        if (!grown) {
            s->err = SMRF_ERR_NOMEM;
            return 0;
        }
        t->text = grown;
        s->text_room = room;
    }
    char *copy = strdup(text);
    if (!copy) {
        s->err = SMRF_ERR_NOMEM;
        return 0;
    }
    t->text[t->num_texts] = copy;
    return (uint32_t)t->num_texts++;
}

/* --- instructions ----------------------------------------------------------------------------- */

static void name_(struct smrf_timeline *t, struct smrf_timeline_event *e,
                  const struct smrf_static_inst *op, bool own)
{
    e->pc = op && !own ? op->pc : NO_PC;
    e->text = op && op->text ? text_(t, op->text) : 0;
}

struct smrf_timeline_event smrf_timeline_event_of(struct smrf_timeline *t,
                                                  enum smrf_timeline_kind kind,
                                                  const struct smrf_flight *f, uint64_t cycle)
{
    struct smrf_timeline_event e = {
        .kind = (uint8_t)kind, .start = cycle, .end = cycle + 1, .sub = f->sub, .warp = f->warp};
    name_(t, &e, f->op, f->micro);
    return e;
}

/* The warp is in the state from `cycle` on; what it was in before ends. */
static void warp_(struct smrf_timeline *t, unsigned slot, const struct smrf_timeline_event *e)
{
    struct smrf_timeline_state *s = t->state;
    const size_t open = s->warp[slot];
    if (open != NO_EVENT) {
        const struct smrf_timeline_event *was = &t->event[open];
        if (was->state == e->state && was->pc == e->pc && was->text == e->text &&
            e->state != SMRF_WARP_issued) {
            return;
        }
        close_(t, &s->warp[slot], e->start);
    }
    s->warp[slot] = smrf_timeline_add(t, e);
}

static void injected_(void *ctx, uint32_t flight)
{
    struct smrf_timeline *t = ctx;
    const uint64_t cycle = smrf_timeline_now(t);
    const struct smrf_flight *f = smrf_timeline_record(t, flight);
    if (!smrf_timeline_inside(t, cycle)) {
        return;
    }
    struct smrf_timeline_event e = smrf_timeline_event_of(t, SMRF_TIMELINE_WARP, f, cycle);
    e.index = f->warp;
    e.state = SMRF_WARP_issued;
    warp_(t, f->warp, &e);
    t->state->issued[f->warp / 64] |= UINT64_C(1) << f->warp % 64;
}

static void issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    (void)inst;
    injected_(ctx, flight);
}

static void released_(void *ctx, uint32_t flight, unsigned reg)
{
    struct smrf_timeline *t = ctx;
    const uint64_t cycle = smrf_timeline_now(t);
    if (smrf_timeline_inside(t, cycle)) {
        struct smrf_timeline_event e =
            smrf_timeline_event_of(t, SMRF_TIMELINE_RESULT, smrf_timeline_record(t, flight), cycle);
        e.reg = (uint16_t)reg;
        (void)smrf_timeline_add(t, &e);
    }
}

/* Uniform results come with the instruction's end. */
static void retired_(void *ctx, uint32_t flight)
{
    const struct smrf_static_inst *op = smrf_timeline_record(ctx, flight)->op;
    for (unsigned i = 0; i < op->num_udst; i++) {
        if (op->udst[i] != SMRF_UREG_ZERO) {
            released_(ctx, flight, SMRF_DEPEND_UNIFORM + op->udst[i]);
        }
    }
}

/* --- cycles ----------------------------------------------------------------------------------- */

static void look_at_warps_(struct smrf_timeline *t, uint64_t cycle)
{
    struct smrf_timeline_state *s = t->state;
    for (unsigned slot = 0; slot < t->warps; slot++) {
        if (s->issued[slot / 64] >> slot % 64 & 1) {
            continue;
        }
        const struct smrf_warp_look look = smrf_sm_probe_warp(s->sm, slot);
        struct smrf_timeline_event e = {.kind = SMRF_TIMELINE_WARP,
                                        .start = cycle,
                                        .end = SMRF_NEVER,
                                        .index = (uint16_t)slot,
                                        .warp = (uint8_t)slot,
                                        .sub = (uint8_t)(slot % t->subs),
                                        .state = (uint8_t)look.state};
        if (look.state == SMRF_WARP_STATE_COUNT) {
            close_(t, &s->warp[slot], cycle);
            continue;
        }
        name_(t, &e, look.head, look.own);
        warp_(t, slot, &e);
    }
    memset(s->issued, 0, sizeof s->issued);
}

static void look_at_collectors_(struct smrf_timeline *t, uint64_t cycle)
{
    struct smrf_timeline_state *s = t->state;
    for (unsigned sub = 0; sub < t->subs; sub++) {
        const struct smrf_collectors *c = smrf_sm_blocks(t->state->sm, sub)->collectors;
        for (unsigned u = 0; u < c->count; u++) {
            const uint32_t flight = c->free_mask >> u & 1 ? SMRF_NO_FLIGHT : c->unit[u].flight;
            const bool same = s->collector[sub][u] != NO_EVENT && s->held[sub][u] == flight &&
                              t->event[s->collector[sub][u]].start >= c->unit[u].entered;
            if (same) {
                continue;
            }
            close_(t, &s->collector[sub][u], cycle);
            if (flight != SMRF_NO_FLIGHT) {
                struct smrf_timeline_event e = smrf_timeline_event_of(
                    t, SMRF_TIMELINE_COLLECTOR, smrf_timeline_record(t, flight), cycle);
                e.end = SMRF_NEVER;
                e.index = (uint16_t)u;
                s->collector[sub][u] = smrf_timeline_add(t, &e);
                s->held[sub][u] = flight;
            }
        }
    }
}

/* The SM has been empty since it was looked at last. */
static void close_all_(struct smrf_timeline *t)
{
    struct smrf_timeline_state *s = t->state;
    for (unsigned slot = 0; slot < SMRF_MAX_WARPS; slot++) {
        close_(t, &s->warp[slot], s->seen);
    }
    for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES; sub++) {
        for (unsigned u = 0; u < SMRF_MAX_COLLECTING; u++) {
            close_(t, &s->collector[sub][u], s->seen);
        }
    }
}

/* Spans are cut off at the window's ends. */
static void cycles_(void *ctx, uint64_t cycle, uint64_t n)
{
    struct smrf_timeline *t = ctx;
    const uint64_t at = cycle > t->window.from ? cycle : t->window.from;
    if (cycle > t->state->seen) {
        close_all_(t);
    }
    t->state->seen = cycle + n;
    smrf_timeline_look_at_reads(t, cycle);
    if (at < cycle + n && smrf_timeline_inside(t, at)) {
        look_at_warps_(t, at);
        look_at_collectors_(t, at);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* NULL: out of memory. */
static struct pending *pending_(struct smrf_timeline *t, uint32_t id)
{
    struct smrf_timeline_state *s = t->state;
    if (id >= s->num_pending) {
        const size_t room = id < MOST_IDS / 2 ? 2 * (size_t)id + 256 : MOST_IDS;
        struct pending *grown = id < MOST_IDS ? realloc(s->pending, room * sizeof *grown) : NULL;
        if (!grown) {
            s->err = SMRF_ERR_NOMEM;
            return NULL;
        }
        memset(grown + s->num_pending, 0, (room - s->num_pending) * sizeof *grown);
        s->pending = grown;
        s->num_pending = room;
    }
    return &s->pending[id];
}

/* Its event, if it touches the window. */
static void settle_(struct smrf_timeline *t, struct pending *p)
{
    const struct smrf_timeline_event e = {.kind = SMRF_TIMELINE_REQUEST,
                                          .start = p->start,
                                          .end = p->answered ? p->end : SMRF_NEVER,
                                          .address = p->address,
                                          .pc = NO_PC,
                                          .state = p->kind};
    if (e.start < t->window.to && e.end > t->window.from) {
        (void)smrf_timeline_add(t, &e);
    }
    *p = (struct pending){0};
}

static void requested_(void *ctx, const struct smrf_mem_request *request)
{
    struct smrf_timeline *t = ctx;
    struct pending *p = pending_(t, request->id);
    if (p) {
        p->start = request->cycle;
        p->address = request->address;
        p->kind = request->kind;
        p->requested = true;
    }
    if (p && p->answered) {
        settle_(t, p);
    }
}

static void answered_(void *ctx, const struct smrf_mem_response *response)
{
    struct smrf_timeline *t = ctx;
    struct pending *p = pending_(t, response->id);
    if (p) {
        p->end = response->cycle;
        p->answered = true;
    }
    if (p && p->requested) {
        settle_(t, p);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static void kernel_begin_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_timeline *t = ctx;
    if (kernel->start < t->window.to) {
        const struct smrf_timeline_event e = {.kind = SMRF_TIMELINE_KERNEL,
                                              .start = kernel->start,
                                              .end = SMRF_NEVER,
                                              .pc = NO_PC,
                                              .text = text_(t, kernel->info.name)};
        t->state->kernel = smrf_timeline_add(t, &e);
    }
}

static void kernel_end_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_timeline *t = ctx;
    t->state->last_text = NULL; /* texts of the launch go with it */
    close_(t, &t->state->kernel, kernel->end + 1);
}

void smrf_timeline_listen(struct smrf_timeline *t, uint32_t sm)
{
    struct smrf_timeline_state *s = t->state;
    t->window.sm = sm;
    s->sm = s->machine->sm[sm];
    s->listener = (struct smrf_listener){
        .ctx = t,
        .issued = issued_,
        .injected = injected_,
        .arbitrated = smrf_timeline_arbitrated,
        .cycles = cycles_,
        .released = released_,
        .retired = retired_,
        .requested = requested_,
        .answered = answered_,
    };
    smrf_sm_listen(s->machine->sm[sm], &s->listener);
}

static int attach_(void *ctx, const struct smrf_machine *machine, char *text, size_t size)
{
    struct smrf_timeline *t = ctx;
    const uint32_t sms = machine->cfg->gpu.sms;
    if (t->window.sm >= sms && t->window.sm != SMRF_TIMELINE_BUSIEST) {
        snprintf(text, size, "there is no SM %u: the machine has %u, from 0 (gpu.sms)",
                 (unsigned)t->window.sm, (unsigned)sms);
        return SMRF_ERR_INVAL;
    }
    t->subs = machine->cfg->sm.subcores;
    t->warps = machine->cfg->sm.warps;
    t->banks = machine->cfg->rf.banks;
    t->state->windows = machine->cfg->rf.read == SMRF_READ_WINDOW ? t->subs : 0;
    t->collectors = smrf_collector_slots(&machine->cfg->rf);
    t->state->machine = machine;
    t->window.sm = sms == 1 ? 0 : t->window.sm; /* there is no other */
    if (t->window.sm != SMRF_TIMELINE_BUSIEST) {
        smrf_timeline_listen(t, t->window.sm);
    }
    return SMRF_OK;
}

struct smrf_timeline *smrf_timeline_create(const struct smrf_timeline_window *window)
{
    struct smrf_timeline *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->window = *window;
    t->state = calloc(1, sizeof *t->state);
    if (!t->state) {
        free(t);
        return NULL;
    }
    memset(t->state->warp, 0xff, sizeof t->state->warp); /* NO_EVENT */
    memset(t->state->collector, 0xff, sizeof t->state->collector);
    t->state->kernel = NO_EVENT;
    (void)text_(t, "");
    return t;
}

void smrf_timeline_free(struct smrf_timeline *t)
{
    if (!t) {
        return;
    }
    for (size_t i = 0; i < t->num_texts; i++) {
        free(t->text[i]);
    }
    free(t->text);
    free(t->event);
    free(t->state->pending);
    free(t->state);
    free(t);
}

struct smrf_observer smrf_timeline_observer(struct smrf_timeline *t)
{
    return (struct smrf_observer){t, attach_, kernel_begin_, kernel_end_};
}

static int by_start_(const void *a, const void *b)
{
    const struct smrf_timeline_event *x = a, *y = b;
    if (x->start != y->start) {
        return (x->start > y->start) - (x->start < y->start);
    }
    if (x->kind != y->kind) {
        return (int)x->kind - (int)y->kind;
    }
    if (x->sub != y->sub || x->index != y->index) {
        return x->sub != y->sub ? (int)x->sub - (int)y->sub : (int)x->index - (int)y->index;
    }
    if (x->pc != y->pc || x->address != y->address) {
        return x->pc != y->pc ? (x->pc > y->pc) - (x->pc < y->pc)
                              : (x->address > y->address) - (x->address < y->address);
    }
    return x->warp != y->warp ? (int)x->warp - (int)y->warp : (int)x->reg - (int)y->reg;
}

/* Nothing but what touches the window, cut off at its ends. */
int smrf_timeline_end(struct smrf_timeline *t)
{
    size_t kept = 0;
    close_all_(t);
    for (size_t i = 0; i < t->state->num_pending; i++) {
        if (t->state->pending[i].requested) {
            settle_(t, &t->state->pending[i]);
        }
    }
    for (size_t i = 0; i < t->num_events; i++) {
        struct smrf_timeline_event e = t->event[i];
        if (e.start >= t->window.to || e.end <= t->window.from) {
            continue;
        }
        e.start = e.start > t->window.from ? e.start : t->window.from;
        e.end = e.end < t->window.to ? e.end : t->window.to;
        t->event[kept++] = e;
    }
    t->num_events = kept;
    if (kept) {
        qsort(t->event, kept, sizeof *t->event, by_start_);
    }
    return t->state->err;
}
