/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks read before an SM waits for them: with several threads, one of them reads the
 * present launch's next ones beside the SMs, from window to window. Which blocks there are, and in
 * which order, is the trace's; when something is known of one is as it would be without. So no
 * result knows of it. */
#ifndef SMRF_AHEAD_H
#define SMRF_AHEAD_H

#include "platform/crew/crew.h"
#include "platform/gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A trace has been loaded, and the source of annotations is known. crew: NULL = one thread. */
void smrf_gpu_ahead_init(struct smrf_gpu *gpu, struct smrf_crew *crew);

/* SMs are about to be built or to run: have blocks read beside them, where there is room for
 * some. */
void smrf_gpu_ahead_begin(struct smrf_gpu *gpu);

/* In place of smrf_trace_next_block. While one is read, another thread gets the file's next
 * bytes. */
int smrf_gpu_ahead_next(struct smrf_gpu *gpu, struct smrf_trace_block **block);

/* On return no thread reads or decompresses. */
void smrf_gpu_ahead_end(struct smrf_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif
