/* SPDX-License-Identifier: Apache-2.0 */
/* A value change dump (IEEE 1364-2005, 18): a scope a sub-core; states of warps are texts, an
 * extension that GTKWave and others read. */
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Signals in the order of their numbers. */
struct signals {
    uint32_t warp_state, warp_pc, unit_busy, unit_warp, bank_read, bank_warp, bank_write, waiting,
        requests, count;
};

struct change {
    uint64_t time;
    uint64_t order; /* of changes of a time: ends before beginnings */
    uint32_t signal;
    int32_t delta;  /* counters: added; others: 0 */
    uint32_t value; /* others; states: enum smrf_warp_state + 1, 0 = no warp */
};

struct dump {
    const struct smrf_timeline *t;
    struct signals s;
    struct change *change;
    size_t num, room;
    bool out_of_memory;
};

#define NOTHING UINT32_MAX /* z */

static struct signals signals_(const struct smrf_timeline *t)
{
    const uint32_t units = t->subs * t->collectors, banks = t->subs * t->banks;
    struct signals s = {0};
    s.warp_pc = s.warp_state + t->warps;
    s.unit_busy = s.warp_pc + t->warps;
    s.unit_warp = s.unit_busy + units;
    s.bank_read = s.unit_warp + units;
    s.bank_warp = s.bank_read + banks;
    s.bank_write = s.bank_warp + banks;
    s.waiting = s.bank_write + banks;
    s.requests = s.waiting + banks;
    s.count = s.requests + 1;
    return s;
}

/* Printable characters, the shortest first. */
static const char *code_(uint32_t signal, char text[8])
{
    unsigned n = 0;
    do {
        text[n++] = (char)('!' + signal % 94);
        signal /= 94;
    } while (signal);
    text[n] = '\0';
    return text;
}

/* --- the changes ------------------------------------------------------------------------------ */

static void put_(struct dump *d, uint64_t time, bool begins, uint32_t signal, int32_t delta,
                 uint32_t value)
{
    if (d->num == d->room) {
        const size_t room = d->room ? 2 * d->room : 1024;
        struct change *grown = realloc(d->change, room * sizeof *grown);
        if (!grown) {
            d->out_of_memory = true;
            return;
        }
        d->change = grown;
        d->room = room;
    }
    d->change[d->num] =
        (struct change){time, (uint64_t)begins << 63 | (uint64_t)d->num, signal, delta, value};
    d->num++;
}

static void span_(struct dump *d, const struct smrf_timeline_event *e, uint32_t signal,
                  uint32_t value, uint32_t idle)
{
    put_(d, e->start, true, signal, 0, value);
    put_(d, e->end, false, signal, 0, idle);
}

static void count_(struct dump *d, const struct smrf_timeline_event *e, uint32_t signal)
{
    put_(d, e->start, true, signal, 1, 0);
    put_(d, e->end, false, signal, -1, 0);
}

static void event_(struct dump *d, const struct smrf_timeline_event *e)
{
    const uint32_t unit = e->sub * d->t->collectors + e->index,
                   bank = e->sub * d->t->banks + e->index;
    switch (e->kind) {
    case SMRF_TIMELINE_WARP:
        span_(d, e, d->s.warp_state + e->index, e->state + 1u, 0);
        span_(d, e, d->s.warp_pc + e->index, e->pc, NOTHING);
        break;
    case SMRF_TIMELINE_COLLECTOR:
        span_(d, e, d->s.unit_busy + unit, 1, 0);
        span_(d, e, d->s.unit_warp + unit, e->warp, NOTHING);
        break;
    case SMRF_TIMELINE_READ:
        span_(d, e, d->s.bank_read + bank, 1, 0);
        span_(d, e, d->s.bank_warp + bank, e->warp, NOTHING);
        break;
    case SMRF_TIMELINE_WRITE:
        span_(d, e, d->s.bank_write + bank, 1, 0);
        break;
    case SMRF_TIMELINE_WAIT:
        count_(d, e, d->s.waiting + bank);
        break;
    case SMRF_TIMELINE_REQUEST:
        count_(d, e, d->s.requests);
        break;
    default:
        break;
    }
}

static int in_time_(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->order > y->order) - (x->order < y->order);
}

/* --- the file --------------------------------------------------------------------------------- */

static void declare_(const char *type, unsigned bits, uint32_t signal, const char *name,
                     uint32_t index, FILE *out)
{
    char code[8];
    fprintf(out, "$var %s %u %s %s_%" PRIu32 " $end\n", type, bits, code_(signal, code), name,
            index);
}

static void header_(const struct dump *d, FILE *out)
{
    const struct smrf_timeline *t = d->t;
    char code[8];
    fprintf(out,
            "$comment cycles %" PRIu64 " to %" PRIu64 " of SM %" PRIu32
            ", a nanosecond each $end\n$timescale 1ns $end\n$scope module sm_%" PRIu32 " $end\n",
            t->window.from, t->window.to, t->window.sm, t->window.sm);
    for (uint32_t sub = 0; sub < t->subs; sub++) {
        fprintf(out, "$scope module sub_core_%" PRIu32 " $end\n", sub);
        for (uint32_t w = sub; w < t->warps; w += t->subs) {
            declare_("string", 1, d->s.warp_state + w, "warp_state", w, out);
            declare_("reg", 32, d->s.warp_pc + w, "warp_pc", w, out);
        }
        for (uint32_t c = 0; c < t->collectors; c++) {
            declare_("wire", 1, d->s.unit_busy + sub * t->collectors + c, "unit_busy", c, out);
            declare_("reg", 8, d->s.unit_warp + sub * t->collectors + c, "unit_warp", c, out);
        }
        for (uint32_t b = 0; b < t->banks; b++) {
            const uint32_t bank = sub * t->banks + b;
            declare_("wire", 1, d->s.bank_read + bank, "bank_read", b, out);
            declare_("reg", 8, d->s.bank_warp + bank, "bank_warp", b, out);
            declare_("wire", 1, d->s.bank_write + bank, "bank_write", b, out);
            declare_("reg", 16, d->s.waiting + bank, "bank_waiting", b, out);
        }
        fputs("$upscope $end\n", out);
    }
    fprintf(out, "$var reg 32 %s requests $end\n$upscope $end\n$enddefinitions $end\n",
            code_(d->s.requests, code));
}

static void bits_(uint32_t value, FILE *out)
{
    char text[33];
    unsigned n = 0;
    for (unsigned bit = 32; bit-- > 0;) {
        if (value >> bit & 1 || n || bit == 0) {
            text[n++] = value >> bit & 1 ? '1' : '0';
        }
    }
    text[n] = '\0';
    fprintf(out, "b%s ", text);
}

static void print_(const struct dump *d, uint32_t signal, uint32_t value, FILE *out)
{
    const struct signals *s = &d->s;
    const bool wire = (signal >= s->unit_busy && signal < s->unit_warp) ||
                      (signal >= s->bank_read && signal < s->bank_warp) ||
                      (signal >= s->bank_write && signal < s->waiting);
    char code[8];
    if (signal < s->warp_pc) {
        fprintf(out, "s%s ", value ? smrf_warp_state_name((enum smrf_warp_state)(value - 1)) : "-");
    } else if (wire) {
        fputc(value ? '1' : '0', out);
    } else if (value == NOTHING) {
        fputs("bz ", out);
    } else {
        bits_(value, out);
    }
    fprintf(out, "%s\n", code_(signal, code));
}

/* The last value of a time counts; what does not change is not written. */
static void body_(struct dump *d, uint32_t *now, uint32_t *next, FILE *out)
{
    const struct smrf_timeline *t = d->t;
    fprintf(out, "#%" PRIu64 "\n$dumpvars\n", t->window.from);
    size_t i = 0;
    for (bool first = true; first || i < d->num; first = false) {
        const uint64_t time = first ? t->window.from : d->change[i].time;
        const size_t begin = i;
        for (; i < d->num && d->change[i].time == time; i++) {
            const struct change *c = &d->change[i];
            next[c->signal] = c->delta ? next[c->signal] + (uint32_t)c->delta : c->value;
        }
        if (first) {
            for (uint32_t signal = 0; signal < d->s.count; signal++) {
                print_(d, signal, next[signal], out);
                now[signal] = next[signal];
            }
            fputs("$end\n", out);
            continue;
        }
        fprintf(out, "#%" PRIu64 "\n", time);
        for (size_t k = begin; k < i; k++) {
            const uint32_t signal = d->change[k].signal;
            if (now[signal] != next[signal]) {
                print_(d, signal, next[signal], out);
                now[signal] = next[signal];
            }
        }
    }
}

int smrf_timeline_vcd(const struct smrf_timeline *t, FILE *out)
{
    struct dump d = {.t = t, .s = signals_(t)};
    for (size_t i = 0; i < t->num_events; i++) {
        event_(&d, &t->event[i]);
    }
    uint32_t *now = calloc(d.s.count, sizeof *now), *next = calloc(d.s.count, sizeof *next);
    if (now && next && !d.out_of_memory) {
        for (uint32_t signal = 0; signal < d.s.count; signal++) {
            const bool none = (signal >= d.s.warp_pc && signal < d.s.unit_busy) ||
                              (signal >= d.s.unit_warp && signal < d.s.bank_read) ||
                              (signal >= d.s.bank_warp && signal < d.s.bank_write);
            next[signal] = none ? NOTHING : 0;
        }
        if (d.num) {
            qsort(d.change, d.num, sizeof *d.change, in_time_);
        }
        header_(&d, out);
        body_(&d, now, next, out);
    }
    const int err = now && next && !d.out_of_memory ? SMRF_OK : SMRF_ERR_NOMEM;
    free(now);
    free(next);
    free(d.change);
    return err;
}
