/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"
#include "runtime.h"

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

/* ---- streams --------------------------------------------------------------------------------- */

SMRF_CUDA_API int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    return done_(smrf_cuda_stream_create(stream, flags, priority));
}

SMRF_CUDA_API int cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

SMRF_CUDA_API int cudaStreamCreate(void **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

SMRF_CUDA_API int cudaStreamDestroy(void *stream)
{
    return done_(smrf_cuda_stream_destroy(stream));
}

static int check_(void *stream, struct smrf_cuda_stream **found)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, found) : rc;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cudaStreamSynchronize(void *stream)
{
    const int rc = smrf_cuda_capture_forbids(stream);
    return done_(rc == CUDA_OK ? smrf_cuda_synchronize() : rc);
}
SMRF_ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);

SMRF_CUDA_API int cudaStreamQuery(void *stream)
{
    return done_(smrf_cuda_capture_forbids(stream));
}
SMRF_ALSO(cudaStreamQuery, cudaStreamQuery_ptsz);

SMRF_CUDA_API int cudaStreamGetFlags(void *stream, unsigned *flags)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK) {
        *flags = s != NULL ? s->flags : 0;
    }
    return done_(rc);
}
SMRF_ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

SMRF_CUDA_API int cudaStreamGetPriority(void *stream, int *priority)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK) {
        *priority = s != NULL ? s->hints.priority : 0;
    }
    return done_(rc);
}
SMRF_ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

/* The host's functions run at once: all that precedes them in the stream is done. */
SMRF_CUDA_API int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_HOST, .host = {function, data}};
    return done_(smrf_cuda_submit(stream, &w));
}
SMRF_ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

SMRF_CUDA_API int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *),
                                        void *data, unsigned flags)
{
    (void)flags;
    const int rc = smrf_cuda_capture_forbids(stream); /* graphs have no such nodes */
    if (rc == CUDA_OK) {
        (void)smrf_cuda_synchronize();
        function(stream, CUDA_OK, data);
    }
    return done_(rc);
}
SMRF_ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

/* ---- events ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    return done_(smrf_cuda_event_create(event, flags));
}

SMRF_CUDA_API int cudaEventCreate(void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

SMRF_CUDA_API int cudaEventDestroy(void *event)
{
    return done_(smrf_cuda_event_destroy(event));
}

SMRF_CUDA_API int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_RECORD, .event = event};
    return done_((flags & SMRF_EVENT_EXTERNAL) != 0 ? smrf_cuda_submit(stream, &w)
                                                    : smrf_cuda_event_record(event, stream));
}
SMRF_ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

SMRF_CUDA_API int cudaEventRecord(void *event, void *stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}
SMRF_ALSO(cudaEventRecord, cudaEventRecord_ptsz);

SMRF_CUDA_API int cudaEventQuery(void *event)
{
    return done_(smrf_cuda_event_query(event));
}

SMRF_CUDA_API int cudaEventSynchronize(void *event)
{
    int rc = cudaEventQuery(event);
    return done_(rc == CUDA_OK ? smrf_cuda_synchronize() : rc);
}

SMRF_CUDA_API int cudaEventElapsedTime(float *milliseconds, void *start, void *end)
{
    return done_(smrf_cuda_event_elapsed(milliseconds, start, end));
}
SMRF_ALSO(cudaEventElapsedTime, cudaEventElapsedTime_v2);

SMRF_CUDA_API int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_WAIT, .event = event};
    return done_((flags & SMRF_EVENT_EXTERNAL) != 0 ? smrf_cuda_submit(stream, &w)
                                                    : smrf_cuda_event_wait(event, stream));
}
SMRF_ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);
