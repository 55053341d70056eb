/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that captures records its work as a graph. Other streams join when they wait for an
 * event that was recorded in it. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

struct smrf_cuda_capture {
    struct smrf_cuda_graph *graph;
    struct smrf_cuda_stream *origin;
    uint64_t id;
    bool invalid;
};

static uint64_t next_id_ = 1;

bool smrf_cuda_capturing(const struct smrf_cuda_stream *s)
{
    return s != NULL && s->mark.of != NULL;
}

static void clear_(struct smrf_cuda_mark *mark)
{
    free(mark->last);
    *mark = (struct smrf_cuda_mark){0};
}

/* Adds nodes to those that the next one waits for. */
static int join_(struct smrf_cuda_mark *mark, struct smrf_cuda_node *const *node, size_t num)
{
    struct smrf_cuda_node **last = realloc(mark->last, (mark->num + num + 1) * sizeof *last);
    if (last == NULL) {
        return CUDA_NO_MEMORY;
    }
    mark->last = last;
    for (size_t i = 0; i < num; i++) {
        size_t k = 0;
        while (k < mark->num && last[k] != node[i]) {
            k++;
        }
        if (k == mark->num) {
            last[mark->num++] = node[i];
        }
    }
    return CUDA_OK;
}

static int check_(void *stream, struct smrf_cuda_stream **s)
{
    int rc = smrf_cuda_enter();
    return rc == CUDA_OK ? smrf_cuda_stream_find(stream, s) : rc;
}

int smrf_cuda_capture_begin(void *stream, int mode)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK && (mode < 0 || mode > 2)) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK && s == NULL) { /* the default stream */
        rc = CUDA_CAPTURE_UNSUPPORTED;
    }
    if (rc == CUDA_OK && s->mark.of != NULL) {
        rc = CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_capture *c = rc == CUDA_OK ? calloc(1, sizeof *c) : NULL;
    if (rc == CUDA_OK) {
        rc = c != NULL ? smrf_cuda_graph_create(&c->graph) : (int)CUDA_NO_MEMORY;
    }
    if (rc != CUDA_OK) {
        free(c);
        return smrf_cuda_leave(rc);
    }
    c->origin = s;
    c->id = next_id_++;
    s->mark.of = c;
    return smrf_cuda_leave(CUDA_OK);
}

/* What other streams have recorded must be before what this one has last. */
static bool joined_(const struct smrf_cuda_capture *c)
{
    const struct smrf_cuda_mark *end = &c->origin->mark;
    for (struct smrf_cuda_link *l = smrf_cuda_streams(); l != NULL; l = l->next) {
        const struct smrf_cuda_stream *s = (struct smrf_cuda_stream *)(void *)l;
        if (s->mark.of == c && s != c->origin &&
            !smrf_cuda_graph_reaches(c->graph, end->last, end->num, s->mark.last, s->mark.num)) {
            return false;
        }
    }
    return true;
}

static void forget_(const struct smrf_cuda_capture *c)
{
    for (struct smrf_cuda_link *l = smrf_cuda_streams(); l != NULL; l = l->next) {
        struct smrf_cuda_stream *s = (struct smrf_cuda_stream *)(void *)l;
        if (s->mark.of == c) {
            clear_(&s->mark);
        }
    }
    for (struct smrf_cuda_link *l = smrf_cuda_events(); l != NULL; l = l->next) {
        struct smrf_cuda_event *e = (struct smrf_cuda_event *)(void *)l;
        if (e->mark.of == c) {
            clear_(&e->mark);
        }
    }
}

static int end_(struct smrf_cuda_capture *c, struct smrf_cuda_graph **graph)
{
    const int rc = c->invalid    ? (int)CUDA_CAPTURE_INVALIDATED
                   : !joined_(c) ? (int)CUDA_CAPTURE_UNJOINED
                                 : CUDA_OK;
    forget_(c);
    *graph = rc == CUDA_OK ? c->graph : NULL;
    if (rc != CUDA_OK) {
        (void)smrf_cuda_graph_destroy(c->graph);
    }
    free(c);
    return rc;
}

int smrf_cuda_capture_end(void *stream, struct smrf_cuda_graph **graph)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    rc = rc == CUDA_OK && graph == NULL ? (int)CUDA_INVALID_VALUE : rc;
    if (rc == CUDA_OK && !smrf_cuda_capturing(s)) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK && s->mark.of->origin != s) {
        rc = CUDA_CAPTURE_UNMATCHED;
    }
    return smrf_cuda_leave(rc == CUDA_OK ? end_(s->mark.of, graph) : rc);
}

int smrf_cuda_capture_info(void *stream, int *status, uint64_t *id, struct smrf_cuda_graph **graph,
                           struct smrf_cuda_node *const **last, size_t *num)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    rc = rc == CUDA_OK && status == NULL ? (int)CUDA_INVALID_VALUE : rc;
    if (rc != CUDA_OK) {
        return smrf_cuda_leave(rc);
    }
    const struct smrf_cuda_capture *c = s != NULL ? s->mark.of : NULL;
    *status = c == NULL ? 0 : c->invalid ? 2 : 1;
    if (c != NULL && id != NULL) {
        *id = c->id;
    }
    if (c != NULL && graph != NULL) {
        *graph = c->graph;
    }
    if (c != NULL && last != NULL) {
        *last = s->mark.last;
    }
    if (c != NULL && num != NULL) {
        *num = s->mark.num;
    }
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_capture_after(void *stream, struct smrf_cuda_node *const *last, size_t num, bool add)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK && (!smrf_cuda_capturing(s) || (last == NULL && num != 0))) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        s->mark.num = add ? s->mark.num : 0;
        rc = join_(&s->mark, last, num);
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_capture_forbids(void *stream)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK && smrf_cuda_capturing(s)) {
        s->mark.of->invalid = true;
        rc = CUDA_CAPTURE_UNSUPPORTED;
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_capture_exchange(int *mode)
{
    static _Thread_local int now;
    if (mode == NULL || *mode < 0 || *mode > 2) {
        return CUDA_INVALID_VALUE;
    }
    const int before = now;
    now = *mode;
    *mode = before;
    return CUDA_OK;
}

int smrf_cuda_capture_work(struct smrf_cuda_stream *s, const struct smrf_cuda_work *work)
{
    struct smrf_cuda_capture *c = s->mark.of;
    struct smrf_cuda_node *node;
    if (c->invalid) {
        return CUDA_CAPTURE_INVALIDATED;
    }
    int rc = smrf_cuda_graph_add(c->graph, &node, s->mark.last, s->mark.num, work);
    if (rc == CUDA_OK) {
        s->mark.num = 0;
        rc = join_(&s->mark, &node, 1);
    }
    c->invalid = rc != CUDA_OK;
    return rc;
}

int smrf_cuda_capture_record(struct smrf_cuda_stream *s, struct smrf_cuda_event *event)
{
    clear_(&event->mark);
    if (!smrf_cuda_capturing(s)) {
        return CUDA_OK;
    }
    event->mark.of = s->mark.of;
    return join_(&event->mark, s->mark.last, s->mark.num);
}

int smrf_cuda_capture_wait(struct smrf_cuda_stream *s, struct smrf_cuda_event *event)
{
    struct smrf_cuda_capture *c = event->mark.of;
    if (c == NULL) { /* recorded outside: done, but not a part of this graph */
        return smrf_cuda_capturing(s) && event->recorded ? (int)CUDA_CAPTURE_ISOLATION : CUDA_OK;
    }
    if (s == NULL) {
        c->invalid = true;
        return CUDA_CAPTURE_IMPLICIT;
    }
    if (s->mark.of != NULL && s->mark.of != c) {
        c->invalid = s->mark.of->invalid = true;
        return CUDA_CAPTURE_MERGE;
    }
    s->mark.of = c;
    return join_(&s->mark, event->mark.last, event->mark.num);
}
