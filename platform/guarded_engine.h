/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of an engine behind the guard: they throw nothing, and every failure has a text. */
#ifndef SMRF_GUARDED_ENGINE_H
#define SMRF_GUARDED_ENGINE_H

#include "platform/engine/engine.h"

int smrf_guarded_create(const struct smrf_engine_ops *ops, struct smrf_engine **engine,
                        const struct smrf_config *cfg, const struct smrf_mechanism *mechanism,
                        const struct smrf_gpu_hooks *hooks, char *text, size_t size);
int smrf_guarded_load(const struct smrf_engine_ops *ops, struct smrf_engine *engine,
                      struct smrf_trace *trace, char *text, size_t size);
int smrf_guarded_reset(const struct smrf_engine_ops *ops, struct smrf_engine *engine, char *text,
                       size_t size);
int smrf_guarded_run(const struct smrf_engine_ops *ops, struct smrf_engine *engine, uint64_t until,
                     char *text, size_t size);
void smrf_guarded_destroy(const struct smrf_engine_ops *ops, struct smrf_engine *engine);

#endif
