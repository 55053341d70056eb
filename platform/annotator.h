/* SPDX-License-Identifier: Apache-2.0 */
/* The reuse annotation of a replay: from a side file, or on the fly from a second reader of the
 * same trace, which looks ahead (dynamic bits) or reads the launch's first warps before it starts
 * (static bits, as a compiler with a profile would set them). */
#ifndef SMRF_ANNOTATOR_H
#define SMRF_ANNOTATOR_H

#include "firmware/annotate/reuse_file.h"
#include "platform/config/smrf_config.h"
#include "platform/gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_reuse_annotator;

/* side_file: NULL = on the fly, as reuse.mode says; else *cfg takes the mode and the threshold of
 * the file's bits. On failure *a is NULL and text says why. */
int smrf_reuse_annotator_create(struct smrf_reuse_annotator **a, struct smrf_config *cfg,
                                const char *side_file, char text[SMRF_REUSE_TEXT]);
void smrf_reuse_annotator_destroy(struct smrf_reuse_annotator *a);
/* The engine's hook. */
const struct smrf_annotator *smrf_reuse_annotator_hook(const struct smrf_reuse_annotator *a);
/* The replay continues with this trace. */
int smrf_reuse_annotator_trace(struct smrf_reuse_annotator *a, const char *path,
                               const struct smrf_trace_options *options);
const char *smrf_reuse_annotator_error(const struct smrf_reuse_annotator *a);

#ifdef __cplusplus
}
#endif

#endif
