/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events of Chrome and Perfetto: a process a kind of resource, a thread a resource. */
#include "timeline.h"

#include <jansson.h>

#include <inttypes.h>

static const char *const process_name[] = {
    [SMRF_TIMELINE_KERNEL] = "launches",           [SMRF_TIMELINE_WARP] = "warps",
    [SMRF_TIMELINE_COLLECTOR] = "collector units", [SMRF_TIMELINE_READ] = "bank reads",
    [SMRF_TIMELINE_WAIT] = "waiting for a bank",   [SMRF_TIMELINE_WRITE] = "bank writes",
    [SMRF_TIMELINE_RESULT] = "registers usable",   [SMRF_TIMELINE_REQUEST] = "requests to memory",
};

/* Resources of a kind are numbered through over the sub-cores. */
static uint32_t thread_(const struct smrf_timeline *t, const struct smrf_timeline_event *e)
{
    switch (e->kind) {
    case SMRF_TIMELINE_COLLECTOR:
        return e->sub * t->collectors + e->index;
    case SMRF_TIMELINE_READ:
    case SMRF_TIMELINE_WAIT:
    case SMRF_TIMELINE_WRITE:
        return e->sub * t->banks + e->index;
    case SMRF_TIMELINE_RESULT:
        return e->sub;
    default:
        return e->index;
    }
}

static json_t *args_(const struct smrf_timeline *t, const struct smrf_timeline_event *e)
{
    json_t *args = json_object();
    char text[32];
    if (e->pc != UINT32_MAX) {
        snprintf(text, sizeof text, "%04" PRIx32, e->pc);
        json_object_set_new(args, "pc", json_string(text));
        json_object_set_new(args, "warp", json_integer(e->warp));
        json_object_set_new(args, "instruction", json_string(t->text[e->text]));
    }
    if (e->kind == SMRF_TIMELINE_READ || e->kind == SMRF_TIMELINE_WAIT ||
        e->kind == SMRF_TIMELINE_RESULT) {
        json_object_set_new(args, "register", json_integer(e->reg));
    }
    if (e->kind == SMRF_TIMELINE_REQUEST) {
        snprintf(text, sizeof text, "0x%" PRIx64, e->address);
        json_object_set_new(args, "address", json_string(text));
    }
    return args;
}

static const char *name_(const struct smrf_timeline *t, const struct smrf_timeline_event *e)
{
    static const char *const kinds[] = {"read", "write", "atomic"};
    switch (e->kind) {
    case SMRF_TIMELINE_WARP:
        return e->state == SMRF_WARP_issued ? t->text[e->text]
                                            : smrf_warp_state_name((enum smrf_warp_state)e->state);
    case SMRF_TIMELINE_WRITE:
        return "write";
    case SMRF_TIMELINE_REQUEST:
        return e->state < sizeof kinds / sizeof *kinds ? kinds[e->state] : "access";
    default:
        return t->text[e->text];
    }
}

/* Requests overlap on one thread, which slices must not: they are asynchronous events. */
static int write_(const struct smrf_timeline *t, size_t i, FILE *out)
{
    const struct smrf_timeline_event *e = &t->event[i];
    const bool async = e->kind == SMRF_TIMELINE_REQUEST || e->kind == SMRF_TIMELINE_WAIT ||
                       e->kind == SMRF_TIMELINE_RESULT;
    for (unsigned part = 0; part < (async ? 2u : 1u); part++) {
        json_t *root = json_pack("{s:s, s:s, s:s, s:I, s:i, s:i}", "name", name_(t, e), "cat",
                                 process_name[e->kind], "ph",
                                 !async      ? "X"
                                 : part == 0 ? "b"
                                             : "e",
                                 "ts", (json_int_t)(part == 0 ? e->start : e->end), "pid",
                                 (int)e->kind, "tid", (int)thread_(t, e));
        if (!async) {
            json_object_set_new(root, "dur", json_integer((json_int_t)(e->end - e->start)));
        } else {
            json_object_set_new(root, "id", json_integer((json_int_t)i));
        }
        if (part == 0) {
            json_object_set_new(root, "args", args_(t, e));
        }
        if (!root) {
            return SMRF_ERR_NOMEM;
        }
        fputs(",\n", out);
        json_dumpf(root, out, JSON_COMPACT);
        json_decref(root);
    }
    return SMRF_OK;
}

static void name_thread_(FILE *out, unsigned pid, uint32_t tid, const char *what, uint32_t sub,
                         uint32_t index)
{
    fprintf(out,
            ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%" PRIu32
            ",\"args\":{\"name\":\"sub-core %" PRIu32 " %s %" PRIu32 "\"}}",
            pid, tid, sub, what, index);
}

static void names_(const struct smrf_timeline *t, FILE *out)
{
    for (unsigned kind = 0; kind < sizeof process_name / sizeof *process_name; kind++) {
        fprintf(out,
                "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}",
                kind ? ",\n" : "", kind, process_name[kind]);
    }
    for (uint32_t w = 0; w < t->warps; w++) {
        name_thread_(out, SMRF_TIMELINE_WARP, w, "warp", w % t->subs, w);
    }
    for (uint32_t sub = 0; sub < t->subs; sub++) {
        for (uint32_t c = 0; c < t->collectors; c++) {
            name_thread_(out, SMRF_TIMELINE_COLLECTOR, sub * t->collectors + c, "unit", sub, c);
        }
        for (uint32_t b = 0; b < t->banks; b++) {
            name_thread_(out, SMRF_TIMELINE_READ, sub * t->banks + b, "bank", sub, b);
            name_thread_(out, SMRF_TIMELINE_WAIT, sub * t->banks + b, "bank", sub, b);
            name_thread_(out, SMRF_TIMELINE_WRITE, sub * t->banks + b, "bank", sub, b);
        }
    }
}

int smrf_timeline_json(const struct smrf_timeline *t, FILE *out)
{
    int err = SMRF_OK;
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"sm\":%" PRIu32 ",\"from\":%" PRIu64
            ",\"to\":%" PRIu64 ",\"unit\":\"1 us is a core cycle\"},\n\"traceEvents\":[\n",
            t->window.sm, t->window.from, t->window.to);
    names_(t, out);
    for (size_t i = 0; !err && i < t->num_events; i++) {
        err = write_(t, i, out);
    }
    fputs("\n]}\n", out);
    return err;
}
