/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events. All work is done when a call returns, so a stream has nothing to wait for;
 * what remains is that handles are valid and that events have times. */
#define _POSIX_C_SOURCE 200809L
#include "graph.h"

#include <stdlib.h>
#include <time.h>

static struct smrf_cuda_link *streams_;
static struct smrf_cuda_link *events_;

struct smrf_cuda_link *smrf_cuda_streams(void)
{
    return streams_;
}

struct smrf_cuda_link *smrf_cuda_events(void)
{
    return events_;
}

static double now_(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- streams --------------------------------------------------------------------------------- */

int smrf_cuda_stream_find(void *stream, struct smrf_cuda_stream **found)
{
    *found = NULL;
    if ((uintptr_t)stream <= 2) { /* the default stream, the legacy one, the thread's own */
        return CUDA_OK;
    }
    *found = (struct smrf_cuda_stream *)(void *)*smrf_cuda_link_find(&streams_, stream);
    return *found != NULL ? CUDA_OK : CUDA_INVALID_HANDLE;
}

struct smrf_cuda_hints *smrf_cuda_stream_hints(void *stream)
{
    static struct smrf_cuda_hints of_default;
    struct smrf_cuda_stream *s;
    return smrf_cuda_stream_find(stream, &s) != CUDA_OK ? NULL
           : s != NULL                                  ? &s->hints
                                                        : &of_default;
}

int smrf_cuda_stream_create(void **stream, unsigned flags, int priority)
{
    struct smrf_cuda_stream *s = calloc(1, sizeof *s);
    int rc = smrf_cuda_enter();
    if (rc != CUDA_OK || stream == NULL || s == NULL) {
        free(s);
        return smrf_cuda_leave(rc != CUDA_OK ? rc
                               : s == NULL   ? CUDA_NO_MEMORY
                                             : CUDA_INVALID_VALUE);
    }
    s->flags = flags;
    s->hints.priority = priority;
    smrf_cuda_link_add(&streams_, &s->link);
    *stream = s;
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_stream_destroy(void *stream)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && !smrf_cuda_link_remove(&streams_, stream)) {
        rc = CUDA_INVALID_HANDLE;
    }
    if (rc == CUDA_OK) {
        struct smrf_cuda_stream *gone = stream;
        free(gone->mark.last);
        free(gone);
    }
    return smrf_cuda_leave(rc);
}

/* ---- events ---------------------------------------------------------------------------------- */

int smrf_cuda_event_find(void *event, struct smrf_cuda_event **found)
{
    *found = (struct smrf_cuda_event *)(void *)*smrf_cuda_link_find(&events_, event);
    return *found != NULL ? CUDA_OK : CUDA_INVALID_HANDLE;
}

int smrf_cuda_event_create(void **event, unsigned flags)
{
    struct smrf_cuda_event *e = calloc(1, sizeof *e);
    int rc = smrf_cuda_enter();
    if (rc != CUDA_OK || event == NULL || e == NULL) {
        free(e);
        return smrf_cuda_leave(rc != CUDA_OK ? rc
                               : e == NULL   ? CUDA_NO_MEMORY
                                             : CUDA_INVALID_VALUE);
    }
    e->flags = flags;
    smrf_cuda_link_add(&events_, &e->link);
    *event = e;
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_event_destroy(void *event)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && !smrf_cuda_link_remove(&events_, event)) {
        rc = CUDA_INVALID_HANDLE;
    }
    if (rc == CUDA_OK) {
        struct smrf_cuda_event *gone = event;
        free(gone->mark.last);
        free(gone);
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_event_record(void *event, void *stream)
{
    struct smrf_cuda_stream *s;
    struct smrf_cuda_event *e;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_event_find(event, &e) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, &s) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_capture_record(s, e) : rc;
    if (rc == CUDA_OK && e->mark.of == NULL) {
        e->recorded = true;
        e->time = now_();
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_event_wait(void *event, void *stream)
{
    struct smrf_cuda_stream *s;
    struct smrf_cuda_event *e;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, &s) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_event_find(event, &e) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_capture_wait(s, e) : rc;
    return smrf_cuda_leave(rc);
}

int smrf_cuda_event_query(void *event)
{
    struct smrf_cuda_event *e;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_event_find(event, &e) : rc;
    rc = rc == CUDA_OK && e->mark.of != NULL ? (int)CUDA_CAPTURED_EVENT : rc;
    return smrf_cuda_leave(rc);
}

int smrf_cuda_event_elapsed(float *milliseconds, void *start, void *end)
{
    struct smrf_cuda_event *a, *b;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_event_find(start, &a) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_event_find(end, &b) : rc;
    if (rc == CUDA_OK && (!a->recorded || !b->recorded || (a->flags & SMRF_EVENT_NO_TIMING) != 0 ||
                          (b->flags & SMRF_EVENT_NO_TIMING) != 0)) {
        rc = CUDA_INVALID_HANDLE;
    }
    if (rc == CUDA_OK && milliseconds == NULL) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        *milliseconds = (float)((b->time - a->time) * 1e3);
    }
    return smrf_cuda_leave(rc);
}
