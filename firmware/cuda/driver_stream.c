/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"
#include "graph.h"

SMRF_CUDA_API int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    int rc = smrf_driver_ready();
    return rc == CUDA_OK ? smrf_cuda_stream_create(stream, flags, priority) : rc;
}

SMRF_CUDA_API int cuStreamCreate(void **stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

SMRF_CUDA_API int cuStreamDestroy_v2(void *stream)
{
    return smrf_cuda_stream_destroy(stream);
}

static int check_(void *stream, struct smrf_cuda_stream **found)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, found) : rc;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cuStreamSynchronize(void *stream)
{
    const int rc = smrf_cuda_capture_forbids(stream);
    return rc == CUDA_OK ? smrf_cuda_synchronize() : rc;
}
SMRF_ALSO(cuStreamSynchronize, cuStreamSynchronize_ptsz);

SMRF_CUDA_API int cuStreamQuery(void *stream)
{
    return smrf_cuda_capture_forbids(stream);
}
SMRF_ALSO(cuStreamQuery, cuStreamQuery_ptsz);

SMRF_CUDA_API int cuStreamGetFlags(void *stream, unsigned *flags)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK) {
        *flags = s != NULL ? s->flags : 0;
    }
    return rc;
}
SMRF_ALSO(cuStreamGetFlags, cuStreamGetFlags_ptsz);

SMRF_CUDA_API int cuStreamGetPriority(void *stream, int *priority)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK) {
        *priority = s != NULL ? s->hints.priority : 0;
    }
    return rc;
}
SMRF_ALSO(cuStreamGetPriority, cuStreamGetPriority_ptsz);

SMRF_CUDA_API int cuStreamGetCtx(void *stream, struct smrf_driver_context **context)
{
    struct smrf_cuda_stream *s;
    int rc = check_(stream, &s);
    if (rc == CUDA_OK) {
        *context = smrf_driver_current();
    }
    return rc;
}
SMRF_ALSO(cuStreamGetCtx, cuStreamGetCtx_ptsz);

SMRF_CUDA_API int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_HOST, .host = {function, data}};
    return smrf_cuda_submit(stream, &w);
}
SMRF_ALSO(cuLaunchHostFunc, cuLaunchHostFunc_ptsz);

SMRF_CUDA_API int cuStreamAddCallback(void *stream, void (*function)(void *, int, void *),
                                      void *data, unsigned flags)
{
    (void)flags;
    int rc = cuStreamSynchronize(stream);
    if (rc == CUDA_OK) {
        function(stream, CUDA_OK, data);
    }
    return rc;
}
SMRF_ALSO(cuStreamAddCallback, cuStreamAddCallback_ptsz);

/* ---- events ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int cuEventCreate(void **event, unsigned flags)
{
    return smrf_cuda_event_create(event, flags);
}

SMRF_CUDA_API int cuEventDestroy_v2(void *event)
{
    return smrf_cuda_event_destroy(event);
}

SMRF_CUDA_API int cuEventRecord(void *event, void *stream)
{
    return smrf_cuda_event_record(event, stream);
}
SMRF_ALSO(cuEventRecord, cuEventRecord_ptsz);

SMRF_CUDA_API int cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_RECORD, .event = event};
    return (flags & SMRF_EVENT_EXTERNAL) != 0 ? smrf_cuda_submit(stream, &w)
                                              : smrf_cuda_event_record(event, stream);
}
SMRF_ALSO(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz);

SMRF_CUDA_API int cuEventQuery(void *event)
{
    return smrf_cuda_event_query(event);
}

SMRF_CUDA_API int cuEventSynchronize(void *event)
{
    int rc = cuEventQuery(event);
    return rc == CUDA_OK ? smrf_cuda_synchronize() : rc;
}

SMRF_CUDA_API int cuEventElapsedTime(float *milliseconds, void *start, void *end)
{
    return smrf_cuda_event_elapsed(milliseconds, start, end);
}
SMRF_ALSO(cuEventElapsedTime, cuEventElapsedTime_v2);

SMRF_CUDA_API int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_WAIT, .event = event};
    return (flags & SMRF_EVENT_EXTERNAL) != 0 ? smrf_cuda_submit(stream, &w)
                                              : smrf_cuda_event_wait(event, stream);
}
SMRF_ALSO(cuStreamWaitEvent, cuStreamWaitEvent_ptsz);
