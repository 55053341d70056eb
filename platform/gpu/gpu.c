/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include "ahead.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/estimate/piece.h"

#include "platform/config/registry.h"

#include <stdio.h>
#include <string.h>

static int fail_(struct smrf_gpu *gpu, int err, const char *text)
{
    if (!gpu->error) {
        gpu->error = err;
        snprintf(gpu->text, sizeof gpu->text, "%s", text);
    }
    return err;
}

int smrf_gpu_init(struct smrf_gpu *gpu, const struct smrf_config *cfg, struct smrf_trace *trace,
                  struct smrf_sm **sm, struct smrf_gpu_feed *feed)
{
    memset(gpu, 0, sizeof *gpu);
    gpu->cfg = cfg;
    gpu->trace = trace;
    gpu->sm = sm;
    gpu->feed = feed;
    for (uint32_t i = 0; i < cfg->gpu.sms; i++) {
        feed[i] = (struct smrf_gpu_feed){.gpu = gpu};
    }
    gpu->last_served = cfg->gpu.sms - 1;
    return SMRF_OK;
}

/* SMs that are there, and the last of them for others. */
static uint32_t built_(const struct smrf_gpu *gpu)
{
    return gpu->reserve ? gpu->reserve->built : gpu->cfg->gpu.sms;
}

void smrf_gpu_close(struct smrf_gpu *gpu)
{
    smrf_gpu_program_close(&gpu->program);
}

/* --- instruction source --------------------------------------------------------------------- */

static uint64_t length_(void *ctx, void *block, uint32_t warp)
{
    (void)ctx;
    return warp < smrf_trace_block_warps(block) ? smrf_trace_warp_length(block, warp) : 0;
}

static const struct smrf_annotator *annotator_(const struct smrf_gpu *gpu)
{
    const struct smrf_annotator *a = gpu->annotator;
    return a && a->unknown_only && gpu->launch.program ? NULL : a;
}

static int annotator_failed_(struct smrf_gpu *gpu, int err)
{
    const struct smrf_annotator *a = gpu->annotator;
    return fail_(gpu, err, a->error ? a->error(a->ctx) : "the reuse annotation failed");
}

/* .. with what is found out about this execution alone. */
static SMRF_APART int next_annotated_(struct smrf_gpu_feed *feed, const struct smrf_annotator *a,
                                      void *block, uint32_t warp, struct smrf_inst *inst)
{
    const int got = smrf_trace_next_inst(block, warp, inst);
    const int err = got > 0 ? a->inst(a->ctx, block, warp, inst) : SMRF_OK;
    feed->annotator |= err < 0; /* other warps may fetch until the SM stops */
    return err < 0 ? err : got;
}

static int next_insts_(void *ctx, void *block, uint32_t warp, unsigned most, struct smrf_inst *room,
                       const struct smrf_inst **inst, struct smrf_inst_run *run)
{
    struct smrf_gpu_feed *feed = ctx;
    const struct smrf_annotator *a = annotator_(feed->gpu);
    if (a && a->inst) {
        *inst = room;
        return next_annotated_(feed, a, block, warp, room);
    }
    return smrf_trace_take_insts(block, warp, most, room, inst, run);
}

static void release_block_(struct smrf_gpu *gpu, struct smrf_trace_block *block)
{
    const struct smrf_annotator *a = annotator_(gpu);
    if (a && a->block_done) {
        a->block_done(a->ctx, block);
    }
    smrf_trace_release_block(gpu->trace, block);
}

static void block_done_(void *ctx, void *block, uint64_t cycle)
{
    struct smrf_gpu_feed *feed = ctx;
    feed->done[feed->num_done++] = block;
    feed->last_done = cycle;
}

static uint64_t number_(void *ctx, void *block)
{
    const struct smrf_gpu *gpu = ((const struct smrf_gpu_feed *)ctx)->gpu;
    struct smrf_dim3 at = smrf_trace_block_id(block), grid = gpu->kernel.info.grid;
    return at.x + (uint64_t)grid.x * (at.y + (uint64_t)grid.y * at.z);
}

struct smrf_inst_source smrf_gpu_source(struct smrf_gpu_feed *feed)
{
    return (struct smrf_inst_source){feed, length_, next_insts_, block_done_, number_};
}

/* --- what SMs have brought about -------------------------------------------------------------- */

static void take_done_(struct smrf_gpu *gpu, struct smrf_gpu_feed *feed)
{
    for (uint32_t i = 0; i < feed->num_done; i++) {
        release_block_(gpu, feed->done[i]);
    }
    gpu->blocks_running -= feed->num_done;
    feed->num_done = 0;
    if (feed->last_done > gpu->last_done) {
        gpu->last_done = feed->last_done;
    }
}

/* The text of an SM's error: its mechanism cannot go on, or nothing is to be had of the trace. */
static int sm_failed_(struct smrf_gpu *gpu, uint32_t i, int err)
{
    const char *why = smrf_sm_refusal(gpu->sm[i]);
    char text[sizeof gpu->text];
    if (!why && gpu->feed[i].annotator) {
        return annotator_failed_(gpu, err);
    }
    if (!why) {
        const char *told = smrf_trace_error(gpu->trace);
        return fail_(gpu, err, told[0] ? told : "a warp's instructions end before their number");
    }
    snprintf(text, sizeof text, "%s: kernel %s: %s", gpu->kernel.info.file, gpu->kernel.info.name,
             why);
    (void)fail_(gpu, SMRF_ERR_FORMAT, text);
    return err;
}

int smrf_gpu_settle(struct smrf_gpu *gpu)
{
    int err = SMRF_OK;
    for (uint32_t i = 0; i < built_(gpu); i++) {
        if (gpu->feed[i].num_done) {
            take_done_(gpu, &gpu->feed[i]);
        }
        if (!err && smrf_sm_error(gpu->sm[i])) {
            err = sm_failed_(gpu, i, smrf_sm_error(gpu->sm[i]));
        }
    }
    return err;
}

/* --- launches ------------------------------------------------------------------------------- */

static int check_fit_(struct smrf_gpu *gpu)
{
    struct smrf_gpu_kernel *k = &gpu->kernel;
    k->occupancy = smrf_sm_fit(gpu->sm[0], &gpu->launch, &k->limit);
    if (k->occupancy > 0) {
        return SMRF_OK;
    }
    char text[sizeof gpu->text];
    snprintf(
        text, sizeof text,
        "%s: kernel %s: one thread block (%u threads, %u registers a thread, %u bytes of shared "
        "memory) does not fit an SM: raise %s",
        k->info.file, k->info.name, gpu->launch.threads_per_block, gpu->launch.registers,
        gpu->launch.shared_bytes, k->limit);
    return fail_(gpu, SMRF_ERR_LIMIT, text);
}

/* What is known of an instruction before it runs. */
static void met_(void *ctx, struct smrf_static_inst *inst)
{
    const struct smrf_gpu *gpu = ctx;
    const struct smrf_annotator *a = annotator_(gpu);
    smrf_gpu_program_mark(&gpu->program, inst);
    if (a && a->met) {
        a->met(a->ctx, inst);
    }
}

/* What the compiler knows of the launch, and whether the mechanism can do with it. */
static int open_program_(struct smrf_gpu *gpu)
{
    const struct smrf_kernel_info *info = &gpu->kernel.info;
    const struct smrf_mechanism *mech = gpu->mechanism;
    struct smrf_mechanism_setup setup = {0};
    struct smrf_program_wish wish = {0};
    if (mech) {
        setup = smrf_mechanism_setup_of(gpu->cfg, mech);
    }
    if (mech && mech->wish) {
        mech->wish(&setup, &wish);
    }
    int err = smrf_gpu_program_open(&gpu->program, gpu->trace, info, &wish,
                                    gpu->cfg->rf.base_registers_only != 0);
    if (err) {
        return fail_(gpu, err, "out of memory for the kernel's program");
    }
    gpu->launch.program = smrf_gpu_program_get(&gpu->program);
    if (!mech || !mech->program) {
        return SMRF_OK;
    }
    const char *wrong = mech->program(&setup, &gpu->launch);
    if (!wrong) {
        return SMRF_OK;
    }
    char text[sizeof gpu->text];
    snprintf(text, sizeof text, "%s: kernel %s: mechanism %s: %s%s%s", info->file, info->name,
             mech->name, wrong, gpu->launch.program ? "" : ": ",
             gpu->launch.program ? "" : gpu->program.why);
    return fail_(gpu, SMRF_ERR_FORMAT, text);
}

/* Blocks of the grid for each SM, rounded up. */
static uint32_t share_(struct smrf_dim3 grid, uint32_t sms)
{
    uint64_t plane = (uint64_t)grid.x * grid.y, blocks;
    bool many = __builtin_mul_overflow(plane, grid.z, &blocks) || blocks / sms >= UINT32_MAX;
    return many ? UINT32_MAX : (uint32_t)(blocks / sms + (blocks % sms != 0));
}

int smrf_gpu_next_kernel(struct smrf_gpu *gpu, uint64_t cycle)
{
    struct smrf_gpu_kernel *k = &gpu->kernel;
    smrf_gpu_ahead_end(gpu);
    smrf_trace_sum_registers(gpu->trace, gpu->cfg->rf.base_registers_only != 0, gpu->cfg->rf.banks);
    smrf_trace_run_any_mask(gpu->trace, gpu->cfg->sim.view == SMRF_VIEW_SCOREBOARD);
    smrf_trace_on_instruction(gpu->trace, met_, gpu);
    int got = smrf_trace_next_kernel(gpu->trace, &k->info);
    if (got <= 0) {
        return got < 0 ? fail_(gpu, got, smrf_trace_error(gpu->trace)) : 0;
    }
    uint64_t threads = (uint64_t)k->info.block.x * k->info.block.y * k->info.block.z;
    gpu->launch = (struct smrf_sm_kernel){
        .threads_per_block = (uint32_t)threads,
        .warps_per_block = (uint32_t)((threads + SMRF_LANES - 1) / SMRF_LANES),
        .registers = k->info.num_regs,
        .shared_bytes = (uint32_t)k->info.shared_bytes,
        .share = share_(k->info.grid, gpu->cfg->gpu.sms),
        .shared_window = k->info.shared_window,
        .local_window = k->info.local_window,
        .has_values = k->info.has_values,
        .pieces = gpu->pieces,
    };
    if (gpu->pieces) {
        smrf_pieces_forget(gpu->pieces);
    }
    gpu->simt = (struct smrf_simt_config){
        .binary_version = k->info.binary_version >= 20 ? k->info.binary_version : 75,
        .has_targets = k->info.tracer_version >= 5,
    };
    int err = open_program_(gpu);
    err = err ? err : check_fit_(gpu);
    if (err) {
        return err;
    }
    const struct smrf_annotator *a = annotator_(gpu);
    err = a && a->kernel ? a->kernel(a->ctx, &k->info) : SMRF_OK;
    if (err < 0) {
        return annotator_failed_(gpu, err);
    }
    k->start = cycle + gpu->cfg->gpu.launch_latency;
    k->end = 0;
    return 1;
}

void smrf_gpu_begin_kernel(struct smrf_gpu *gpu)
{
    gpu->last_done = gpu->kernel.start;
    gpu->more_blocks = true;
    gpu->running = true;
    if (gpu->reserve) {
        gpu->reserve->launches++;
    }
    for (uint32_t i = 0; i < built_(gpu); i++) {
        smrf_sm_begin_kernel(gpu->sm[i], &gpu->launch, gpu->kernel.start);
    }
}

void smrf_gpu_look_for_room(struct smrf_gpu *gpu)
{
    for (uint32_t i = 0; i < built_(gpu); i++) {
        smrf_sm_look_for_room(gpu->sm[i]);
    }
}

/* Of two SMs that wait in the same cycle, the first after the one served last. */
static uint32_t turn_(const struct smrf_gpu *gpu, uint32_t sm)
{
    return (sm + gpu->cfg->gpu.sms - gpu->last_served - 1) % gpu->cfg->gpu.sms;
}

/* The SM that represents others gets a block: the next one, with the same history, takes its place.
 */
static int relieve_(struct smrf_gpu *gpu)
{
    struct smrf_gpu_reserve *r = gpu->reserve;
    const struct smrf_sm *before = gpu->sm[r->built - 1];
    const int err = r->build(r->ctx, r->built);
    if (err) {
        return fail_(gpu, err, "out of memory for an SM");
    }
    struct smrf_sm *sm = gpu->sm[r->built++];
    /* Of launches without blocks nothing is left but the latest, and how many there were. */
    for (uint32_t n = 0; n < r->launches; n++) {
        smrf_sm_begin_kernel(sm, &gpu->launch, gpu->kernel.start);
    }
    SMRF_ASSERT(smrf_sm_wants_block(sm) && smrf_sm_cycle(sm) == smrf_sm_cycle(before));
    return SMRF_OK;
}

uint64_t smrf_gpu_waiting(const struct smrf_gpu *gpu)
{
    uint64_t first = SMRF_NEVER;
    for (uint32_t i = 0; gpu->more_blocks && i < built_(gpu); i++) {
        const struct smrf_sm *sm = gpu->sm[i];
        if (smrf_sm_wants_block(sm) && smrf_sm_cycle(sm) < first) {
            first = smrf_sm_cycle(sm);
        }
    }
    return first;
}

int smrf_gpu_serve(struct smrf_gpu *gpu)
{
    int best = -1;
    if (!gpu->more_blocks) {
        return -1;
    }
    for (uint32_t i = 0; i < built_(gpu); i++) {
        if (!smrf_sm_wants_block(gpu->sm[i])) {
            continue;
        }
        uint64_t at = smrf_sm_cycle(gpu->sm[i]);
        uint64_t best_at = best < 0 ? SMRF_NEVER : smrf_sm_cycle(gpu->sm[best]);
        if (at < best_at || (at == best_at && turn_(gpu, i) < turn_(gpu, (uint32_t)best))) {
            best = (int)i;
        }
    }
    if (best < 0) {
        return -1;
    }
    struct smrf_trace_block *block = NULL;
    int got = smrf_gpu_ahead_next(gpu, &block);
    if (got < 0) {
        fail_(gpu, got, smrf_trace_error(gpu->trace));
        return SMRF_GPU_ERROR;
    }
    if (got == 0) {
        gpu->more_blocks = false;
        for (uint32_t i = 0; i < built_(gpu); i++) {
            smrf_sm_set_more_blocks(gpu->sm[i], false);
        }
        return -1;
    }
    smrf_gpu_ahead_begin(gpu);
    const struct smrf_annotator *a = annotator_(gpu);
    int err = a && a->block ? a->block(a->ctx, block) : SMRF_OK;
    if (err < 0) {
        smrf_trace_release_block(gpu->trace, block);
        annotator_failed_(gpu, err);
        return SMRF_GPU_ERROR;
    }
    if ((uint32_t)best == built_(gpu) - 1 && built_(gpu) < gpu->cfg->gpu.sms && relieve_(gpu)) {
        release_block_(gpu, block);
        return SMRF_GPU_ERROR;
    }
    gpu->blocks_running++;
    gpu->last_served = (uint32_t)best;
    smrf_sm_launch_block(gpu->sm[best], block);
    return best;
}

uint64_t smrf_gpu_next_event(const struct smrf_gpu *gpu)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t i = 0; i < built_(gpu); i++) {
        const struct smrf_sm *sm = gpu->sm[i];
        uint64_t at = smrf_sm_wants_block(sm) ? smrf_sm_cycle(sm) : smrf_sm_next(sm);
        next = at < next ? at : next;
    }
    return next;
}

bool smrf_gpu_kernel_done(struct smrf_gpu *gpu)
{
    if (gpu->running && !gpu->more_blocks && gpu->blocks_running == 0) {
        gpu->running = false;
        gpu->kernel.end = gpu->last_done;
    }
    return !gpu->running;
}

uint64_t smrf_gpu_next_start(const struct smrf_gpu *gpu)
{
    return gpu->kernel.end + 1;
}

const char *smrf_gpu_error(const struct smrf_gpu *gpu)
{
    return gpu->text[0] ? gpu->text : "no error";
}

int smrf_gpu_catch_up(struct smrf_gpu *gpu, uint64_t cycle)
{
    for (uint32_t i = 0; i < built_(gpu); i++) {
        struct smrf_sm *sm = gpu->sm[i];
        if (smrf_sm_next(sm) >= cycle && !smrf_sm_wants_block(sm) &&
            smrf_sm_run(sm, cycle) == SMRF_SM_ERROR) {
            return smrf_sm_error(sm);
        }
    }
    return SMRF_OK;
}

void smrf_gpu_drop_blocks(struct smrf_gpu *gpu)
{
    smrf_gpu_ahead_end(gpu);
    for (uint32_t i = 0; gpu->blocks_running && i < built_(gpu); i++) {
        for (unsigned slot = 0; slot < gpu->cfg->sm.blocks; slot++) {
            void *block = smrf_sm_resident_block(gpu->sm[i], slot);
            if (block) {
                release_block_(gpu, block);
            }
        }
    }
    gpu->blocks_running = 0;
}
