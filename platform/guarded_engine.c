/* SPDX-License-Identifier: Apache-2.0 */
#include "guarded_engine.h"

#include "guard.h"

#include <stdio.h>

/* One call's arguments. */
struct call {
    const struct smrf_engine_ops *ops;
    struct smrf_engine **made;
    struct smrf_engine *engine;
    const struct smrf_config *cfg;
    const struct smrf_mechanism *mechanism;
    const struct smrf_gpu_hooks *hooks;
    struct smrf_trace *trace;
    uint64_t until;
    char *text;
    size_t size;
};

static int create_(void *arg)
{
    struct call *c = arg;
    return c->ops->create(c->made, c->cfg, c->mechanism, c->hooks, c->text, c->size);
}

static int load_(void *arg)
{
    struct call *c = arg;
    int result = c->ops->load(c->engine, c->trace);
    if (result < 0) {
        snprintf(c->text, c->size, "%s", c->ops->error(c->engine));
    }
    return result;
}

static int reset_(void *arg)
{
    struct call *c = arg;
    int result = c->ops->reset(c->engine);
    if (result < 0) {
        snprintf(c->text, c->size, "%s", c->ops->error(c->engine));
    }
    return result;
}

static int run_(void *arg)
{
    struct call *c = arg;
    int result = c->ops->run(c->engine, c->until);
    if (result < 0) {
        snprintf(c->text, c->size, "%s", c->ops->error(c->engine));
    }
    return result;
}

static int destroy_(void *arg)
{
    struct call *c = arg;
    c->ops->destroy(c->engine);
    return SMRF_OK;
}

int smrf_guarded_create(const struct smrf_engine_ops *ops, struct smrf_engine **engine,
                        const struct smrf_config *cfg, const struct smrf_mechanism *mechanism,
                        const struct smrf_gpu_hooks *hooks, char *text, size_t size)
{
    struct call c = {.ops = ops,
                     .made = engine,
                     .cfg = cfg,
                     .mechanism = mechanism,
                     .hooks = hooks,
                     .text = text,
                     .size = size};
    return smrf_guard(create_, &c, text, size);
}

int smrf_guarded_load(const struct smrf_engine_ops *ops, struct smrf_engine *engine,
                      struct smrf_trace *trace, char *text, size_t size)
{
    struct call c = {.ops = ops, .engine = engine, .trace = trace, .text = text, .size = size};
    return smrf_guard(load_, &c, text, size);
}

int smrf_guarded_reset(const struct smrf_engine_ops *ops, struct smrf_engine *engine, char *text,
                       size_t size)
{
    struct call c = {.ops = ops, .engine = engine, .text = text, .size = size};
    return smrf_guard(reset_, &c, text, size);
}

int smrf_guarded_run(const struct smrf_engine_ops *ops, struct smrf_engine *engine, uint64_t until,
                     char *text, size_t size)
{
    struct call c = {.ops = ops, .engine = engine, .until = until, .text = text, .size = size};
    return smrf_guard(run_, &c, text, size);
}

void smrf_guarded_destroy(const struct smrf_engine_ops *ops, struct smrf_engine *engine)
{
    char text[256];
    struct call c = {.ops = ops, .engine = engine, .text = text, .size = sizeof text};
    (void)smrf_guard(destroy_, &c, text, sizeof text);
}
