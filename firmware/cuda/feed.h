/* SPDX-License-Identifier: Apache-2.0 */
/* Launches go to the command while the program runs: their lines in memory files, over a socket.
 * Behind the launch that is replayed one waits and one executes; then the program waits. */
#ifndef SMRF_CUDA_FEED_H
#define SMRF_CUDA_FEED_H

#include "firmware/capture/capture.h"

/* A message is one of these bytes, with the descriptors of: the copies before the launch, as lines
 * of a list; its lines; its sidecar. The command answers with any byte when it takes it. */
#define SMRF_FEED_LAUNCH 'L'
#define SMRF_FEED_END 'E' /* the program has ended: copies only */
#define SMRF_FEED_DESCRIPTORS 3

/* Connects to the command's socket of this path. NULL: it cannot be reached. */
const struct smrf_capture_feed *smrf_cuda_feed_open(const char *path);

#endif
