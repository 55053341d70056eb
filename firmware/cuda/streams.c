/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events. All work is done when a call returns, so a stream has nothing to wait for;
 * what remains is that handles are valid and that events have times. */
#define _POSIX_C_SOURCE 200809L
#include "graph.h"

#include <stdlib.h>
#include <time.h>

static struct smrf_cuda_stream *streams_;
static struct smrf_cuda_event *events_;

struct smrf_cuda_stream *smrf_cuda_streams(void)
{
    return streams_;
}

struct smrf_cuda_event *smrf_cuda_events(void)
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
    for (*found = streams_; *found != NULL; *found = (*found)->next) {
        if (*found == stream) {
            return CUDA_OK;
        }
    }
    return CUDA_INVALID_HANDLE;
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
    s->priority = priority;
    s->next = streams_;
    streams_ = s;
    *stream = s;
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_stream_destroy(void *stream)
{
    int rc = smrf_cuda_enter();
    struct smrf_cuda_stream **at = &streams_;
    while (*at != NULL && *at != stream) {
        at = &(*at)->next;
    }
    if (rc == CUDA_OK && *at == NULL) {
        rc = CUDA_INVALID_HANDLE;
    }
    if (rc == CUDA_OK) {
        struct smrf_cuda_stream *gone = *at;
        *at = gone->next;
        free(gone->mark.last);
        free(gone);
    }
    return smrf_cuda_leave(rc);
}

/* ---- events ---------------------------------------------------------------------------------- */

int smrf_cuda_event_find(void *event, struct smrf_cuda_event **found)
{
    for (*found = events_; *found != NULL; *found = (*found)->next) {
        if (*found == event) {
            return CUDA_OK;
        }
    }
    return CUDA_INVALID_HANDLE;
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
    e->next = events_;
    events_ = e;
    *event = e;
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_event_destroy(void *event)
{
    int rc = smrf_cuda_enter();
    struct smrf_cuda_event **at = &events_;
    while (*at != NULL && *at != event) {
        at = &(*at)->next;
    }
    if (rc == CUDA_OK && *at == NULL) {
        rc = CUDA_INVALID_HANDLE;
    }
    if (rc == CUDA_OK) {
        struct smrf_cuda_event *gone = *at;
        *at = gone->next;
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
