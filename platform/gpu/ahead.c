/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

/* Blocks that may wait. SMs that began together want their next blocks together; small blocks are
 * worth another thread's while if they are many. */
static uint32_t room_(const struct smrf_config *cfg)
{
    return cfg->gpu.sms > 32 ? 2 * cfg->gpu.sms : 64;
}

/* Does the annotator follow blocks or executions? Then blocks are not read ahead. */
static bool reads_(const struct smrf_annotator *annotator)
{
    return annotator && (annotator->block || annotator->inst);
}

void smrf_gpu_ahead_init(struct smrf_gpu *gpu, struct smrf_crew *crew)
{
    gpu->crew = crew;
    smrf_trace_ahead_room(gpu->trace, crew && !reads_(gpu->annotator) ? room_(gpu->cfg) : 0);
}

static void begin_bytes_(void *crew, void (*work)(void *arg), void *arg)
{
    smrf_crew_begin(crew, SMRF_CREW_FILE, work, arg);
}

static void end_bytes_(void *crew)
{
    smrf_crew_end(crew, SMRF_CREW_FILE);
}

static void read_(void *ctx)
{
    smrf_trace_ahead_read(ctx);
}

void smrf_gpu_ahead_begin(struct smrf_gpu *gpu)
{
    if (!gpu->crew || smrf_crew_busy(gpu->crew, SMRF_CREW_READER)) {
        return;
    }
    gpu->reading = smrf_trace_ahead_begin(gpu->trace);
    if (gpu->reading) {
        smrf_crew_begin(gpu->crew, SMRF_CREW_READER, read_, gpu->trace);
    }
}

static void end_blocks_(struct smrf_gpu *gpu)
{
    if (gpu->reading) {
        gpu->reading = false;
        smrf_trace_ahead_stop(gpu->trace);
        smrf_crew_end(gpu->crew, SMRF_CREW_READER);
        smrf_trace_ahead_end(gpu->trace);
    }
}

int smrf_gpu_ahead_next(struct smrf_gpu *gpu, struct smrf_trace_block **block)
{
    if (!smrf_trace_ahead_ready(gpu->trace)) {
        end_blocks_(gpu); /* one more comes of it, perhaps */
        if (gpu->crew && !gpu->beside) {
            const struct smrf_trace_beside beside = {gpu->crew, begin_bytes_, end_bytes_};
            smrf_trace_read_beside(gpu->trace, &beside);
            gpu->beside = true;
        }
    }
    return smrf_trace_next_block(gpu->trace, block);
}

/* Between two runs the trace may be closed. */
void smrf_gpu_ahead_end(struct smrf_gpu *gpu)
{
    end_blocks_(gpu);
    if (gpu->beside) {
        gpu->beside = false;
        smrf_trace_read_beside(gpu->trace, NULL);
    }
}
