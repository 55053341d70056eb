/* SPDX-License-Identifier: Apache-2.0 */
/* The plain engine: the same cores and the same script as the SystemC engine, with function calls
 * where that one has TLM sockets. It shows that the cores need no simulation kernel, and what the
 * kernel costs. */
#define _DEFAULT_SOURCE /* mmap's flags, for smrf_zeroed.h */
#include "engine.h"

#include "models/memory/channel.h"
#include "platform/crew/crew.h"
#include "platform/gpu/window.h"
#include "platform/outside/outside_queue.h"

#include "models/blocks/sm_cores.h"
#include "models/common/smrf_slab.h"
#include "models/common/smrf_zeroed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct direct_sm {
    struct smrf_sm_cores blocks;
    void *mechanism_state;
    struct smrf_simt_log log;
    struct smrf_sm_cores_store *store;
};

struct smrf_engine {
    struct smrf_config cfg;
    struct smrf_window window;
    struct smrf_memory *memory; /* NULL: outside is there instead */
    struct smrf_outside_queue outside;
    struct smrf_slab slab; /* of the SMs and the memory */
    struct direct_sm **blocks;
    struct smrf_channel *channel; /* [cfg.gpu.sms] */
    struct smrf_crew *crew;       /* NULL: one thread */
    uint64_t beside;              /* to here the memory is run while the SMs run */
};

/* --- the request channels --------------------------------------------------------------------- */

static bool send_(void *ctx, const struct smrf_mem_request *request)
{
    struct smrf_engine *e = ctx;
    return smrf_channel_send(&e->channel[request->sm], request);
}

static bool send_outside_(void *ctx, const struct smrf_mem_request *request)
{
    struct smrf_engine *e = ctx;
    return smrf_outside_push(&e->outside, request);
}

static void response_(void *ctx, const struct smrf_mem_response *response)
{
    struct smrf_engine *e = ctx;
    smrf_sm_response(e->window.machine.sm[response->sm], response);
}

static void deliver_(struct smrf_engine *e)
{
    const struct smrf_mem_sink sink = {e, response_};
    smrf_memory_deliver(e->memory, &sink);
    for (uint32_t i = 0; i < e->cfg.gpu.sms; i++) {
        (void)smrf_channel_retry(&e->channel[i]);
    }
}

/* Every request before `now` has been sent: deliver what follows from them. */
static void advance_memory_(struct smrf_engine *e, uint64_t now)
{
    const struct smrf_mem_sink sink = {e, response_};
    if (!e->memory) {
        smrf_outside_run(&e->outside, now + e->outside.memory->min_latency, &sink);
        return;
    }
    if (e->crew) {
        smrf_crew_end(e->crew, SMRF_CREW_MEMORY);
        deliver_(e);
    }
    if (now > smrf_memory_now(e->memory) || !e->crew) {
        smrf_memory_take(e->memory);
        smrf_memory_advance(e->memory, now);
        deliver_(e);
    }
}

static void memory_beside_(void *ctx)
{
    struct smrf_engine *e = ctx;
    smrf_memory_advance(e->memory, e->beside);
}

static uint64_t memory_next_(void *ctx)
{
    const struct smrf_engine *e = ctx;
    return e->memory ? smrf_memory_next(e->memory) : smrf_outside_next(&e->outside);
}

static uint64_t memory_known_(void *ctx, uint64_t cycle)
{
    const struct smrf_engine *e = ctx;
    return smrf_memory_decided(e->memory, cycle);
}

/* --- construction ----------------------------------------------------------------------------- */

static int begin_simt_(struct smrf_engine *e, uint32_t id)
{
    struct direct_sm *d = e->blocks[id];
    return smrf_simt_begin_kernel(&d->store->simt, &e->window.gpu.simt, id << 8, &d->log);
}

static int build_sm_(struct smrf_engine *e, uint32_t id)
{
    struct smrf_machine *machine = &e->window.machine;
    const struct smrf_mechanism *mechanism = machine->mechanism;
    const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(&e->cfg, mechanism);
    const struct smrf_sm_config cfg = smrf_mechanism_sm_config(&e->cfg, mechanism);
    struct direct_sm *d = smrf_slab_take(&e->slab, sizeof *d);
    struct smrf_sm_links links = {
        .source = smrf_gpu_source(&e->window.feed[id]),
        .port = {e, e->outside.memory ? send_outside_ : send_},
        .mechanism = mechanism,
    };
    if (!d) {
        return SMRF_ERR_NOMEM;
    }
    e->blocks[id] = d;
    struct smrf_sm *sm = smrf_slab_take(&e->slab, smrf_sm_bytes(&cfg));
    d->store = smrf_zeroed(smrf_sm_cores_bytes(&cfg));
    if (mechanism->bytes) {
        d->mechanism_state = smrf_zeroed(mechanism->bytes(&setup));
    }
    if (!sm || !d->store || (mechanism->bytes && !d->mechanism_state)) {
        return SMRF_ERR_NOMEM;
    }
    links.mechanism_state = d->mechanism_state;
    for (uint32_t i = id; i < e->cfg.gpu.sms; i++) { /* and those behind it */
        machine->sm[i] = sm;
        machine->mechanism_state[i] = d->mechanism_state;
        machine->simt[i] = &d->log;
    }
    int err = smrf_sm_cores_build(&d->blocks, d->store, &cfg, sm, &links);
    if (!err && mechanism->init) {
        err = mechanism->init(d->mechanism_state, &setup, id);
    }
    return err ? err : smrf_sm_init(sm, &cfg, (uint16_t)id, &links);
}

/* While a launch is under way. */
static int build_late_(void *ctx, uint32_t id)
{
    struct smrf_engine *e = ctx;
    const int err = build_sm_(e, id);
    return err ? err : begin_simt_(e, id);
}

static void destroy_(struct smrf_engine *e)
{
    if (!e) {
        return;
    }
    smrf_window_free(&e->window);
    smrf_crew_destroy(e->crew);
    for (uint32_t i = 0; e->blocks && i < e->cfg.gpu.sms; i++) {
        struct direct_sm *d = e->blocks[i];
        if (d) {
            smrf_zeroed_free(d->store);
            smrf_zeroed_free(d->mechanism_state);
        }
    }
    smrf_slab_free(&e->slab);
    free(e->blocks);
    smrf_outside_free(&e->outside);
    free(e->channel);
    free(e);
}

static int build_(struct smrf_engine *e, const struct smrf_mechanism *mechanism,
                  const struct smrf_gpu_hooks *hooks)
{
    const struct smrf_memory_config memory = smrf_config_memory(&e->cfg);
    const struct smrf_outside_memory *outside = hooks ? hooks->outside : NULL;
    uint32_t n = e->cfg.gpu.sms;
    if (hooks && hooks->threads > 1 && !outside) {
        e->crew = smrf_crew_create(hooks->threads);
    }
    int err = smrf_window_init(&e->window, &e->cfg, mechanism, hooks,
                               outside ? outside->min_latency : smrf_memory_lookahead(&memory),
                               e->crew != NULL);
    e->window.crew = e->crew;
    e->window.memory_next = memory_next_;
    e->window.latency = outside ? 0 : smrf_memory_unanswered_cycles(&memory);
    e->window.memory_known = outside ? NULL : memory_known_;
    e->window.memory_ctx = e;
    e->channel = calloc(n, sizeof(struct smrf_channel));
    e->blocks = calloc(n, sizeof(struct direct_sm *));
    e->memory = outside ? NULL : smrf_slab_take(&e->slab, smrf_memory_bytes(&memory));
    e->outside.memory = outside;
    e->window.machine.memory = e->memory;
    if (!e->blocks || !e->channel || (!outside && !e->memory)) {
        return SMRF_ERR_NOMEM;
    }
    if (!err && !outside) {
        err = smrf_memory_init(e->memory, &memory);
    }
    if (!(hooks && hooks->all_sms) && smrf_gpu_alike(mechanism)) {
        e->window.reserve = (struct smrf_gpu_reserve){.built = 1, .build = build_late_, .ctx = e};
    }
    for (uint32_t i = 0; i < n; i++) {
        smrf_channel_init(&e->channel[i], e->memory);
    }
    for (uint32_t i = 0; i < e->window.reserve.built && !err; i++) {
        err = build_sm_(e, i);
    }
    return err;
}

static int create_(struct smrf_engine **engine, const struct smrf_config *cfg,
                   const struct smrf_mechanism *mechanism, const struct smrf_gpu_hooks *hooks,
                   char *text, size_t size)
{
    *engine = NULL;
    const bool plain = cfg->sim.view == SMRF_VIEW_AT || cfg->sim.view == SMRF_VIEW_SCOREBOARD;
    if (!plain || cfg->sim.granularity > 1 || cfg->bus.shared) {
        snprintf(text, size, "sim.view, sim.granularity and bus.shared need the engine systemc");
        return SMRF_ERR_INVAL;
    }
    struct smrf_engine *e = calloc(1, sizeof *e);
    if (!e) {
        snprintf(text, size, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    e->cfg = *cfg;
    int err = build_(e, mechanism, hooks);
    if (err) {
        snprintf(text, size, "%s",
                 err == SMRF_ERR_NOMEM ? "out of memory" : "the configuration cannot be built");
        destroy_(e);
        return err;
    }
    *engine = e;
    return SMRF_OK;
}

static int reset_(struct smrf_engine *e)
{
    const struct smrf_mechanism_setup setup =
        smrf_mechanism_setup_of(&e->cfg, e->window.machine.mechanism);
    int err = smrf_window_reset(&e->window);
    for (uint32_t i = 0; i < e->window.reserve.built && !err; i++) {
        err = smrf_sm_reset(e->window.machine.sm[i], &setup);
        e->blocks[i]->log = (struct smrf_simt_log){0};
    }
    for (uint32_t i = 0; i < e->cfg.gpu.sms; i++) {
        smrf_channel_reset(&e->channel[i]);
    }
    if (e->memory) {
        smrf_memory_reset(e->memory);
    }
    smrf_outside_reset(&e->outside);
    return err;
}

static void copy_(void *ctx, uint64_t address, uint64_t bytes)
{
    struct smrf_engine *e = ctx;
    smrf_memory_warm(e->memory, address, bytes);
}

static int load_(struct smrf_engine *e, struct smrf_trace *trace)
{
    smrf_trace_on_copy(trace, e->memory ? copy_ : NULL, e);
    return smrf_window_load(&e->window, trace);
}

/* --- running ---------------------------------------------------------------------------------- */

static int begin_kernel_(struct smrf_engine *e)
{
    int err = SMRF_OK;
    for (uint32_t i = 0; i < e->window.reserve.built && !err; i++) {
        err = begin_simt_(e, i);
    }
    return err;
}

/* Keep the text of an error that the GPU itself does not report. */
static int fail_(struct smrf_engine *e, int err, const char *text)
{
    snprintf(e->window.gpu.text, sizeof e->window.gpu.text, "%s", text);
    e->window.gpu.error = err;
    return err;
}

static void run_sm_(void *ctx, uint32_t i)
{
    const struct smrf_window *w = &((const struct smrf_engine *)ctx)->window;
    const struct smrf_sm_reach reach = smrf_window_reach(w);
    (void)smrf_sm_run_on(w->machine.sm[w->run[i]], &reach); /* the window finds errors and pauses */
}

static int run_sms_(struct smrf_engine *e)
{
    const struct smrf_window *w = &e->window;
    if (w->beside) {
        e->beside = w->beside;
        smrf_memory_take(e->memory);
    }
    if (e->crew) {
        smrf_crew_window(e->crew, w->num_run, run_sm_, w->beside ? memory_beside_ : NULL, e);
    }
    for (uint32_t i = 0; !e->crew && i < w->num_run; i++) {
        run_sm_(e, i);
    }
    return e->outside.error ? fail_(e, e->outside.error, e->outside.text) : SMRF_OK;
}

static int run_(struct smrf_engine *e, uint64_t until)
{
    smrf_window_resume(&e->window, until);
    for (;;) {
        int err = SMRF_OK;
        switch (smrf_window_next(&e->window, SMRF_NEVER)) {
        case SMRF_WINDOW_SLEEP:
            if (e->window.at == SMRF_NEVER) {
                err = fail_(e, SMRF_ERR_CHECK, "the launch waits for what does not come");
            }
            break;
        case SMRF_WINDOW_KERNEL:
            err = begin_kernel_(e);
            break;
        case SMRF_WINDOW_MEMORY:
            advance_memory_(e, e->window.at);
            break;
        case SMRF_WINDOW_RUN:
            err = run_sms_(e);
            break;
        case SMRF_WINDOW_PAUSE:
            return e->window.end;
        }
        if (err) {
            return err;
        }
    }
}

/* Only one run at a time. */
static void abandon_(struct smrf_engine *e)
{
    (void)e;
}

static const struct smrf_machine *machine_(struct smrf_engine *e)
{
    return &e->window.machine;
}

static const char *error_(const struct smrf_engine *e)
{
    return smrf_gpu_error(&e->window.gpu);
}

const struct smrf_engine_ops smrf_engine_direct = {
    "direct", create_, load_, reset_, run_, abandon_, machine_, machine_, error_, destroy_,
};
