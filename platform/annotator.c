/* SPDX-License-Identifier: Apache-2.0 */
#include "annotator.h"

#include "traces/files/hash_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Dynamic bits: the annotator's part of a resident block. */
struct ahead {
    struct smrf_trace_block *block; /* the replay's; NULL: the element is free */
    struct smrf_trace_block *twin;  /* the same block in the second reader */
    uint32_t next_free;             /* position + 1 of the next free element, 0: none */
    uint32_t warps;
    bool *ended;                   /* [warps] the second reader is at the warp's end */
    char *windows;                 /* [warps] streams of window_bytes each */
    struct smrf_reuse_block *file; /* instead of the above: bits of the side file */
};

struct smrf_reuse_annotator {
    struct smrf_annotator hook;
    struct smrf_reuse_options options;
    enum smrf_reuse_mode mode;
    size_t window_bytes;
    bool listed_only;               /* rf.base_registers_only */
    struct smrf_reuse_reader *file; /* NULL = on the fly */
    struct smrf_trace *twin;        /* on the fly */
    bool in_launch;
    /* static */
    struct smrf_reuse_profile profile;
    struct smrf_reuse_bits *bits;
    struct ahead *ahead; /* [num_ahead] of ahead_room; elements of ended blocks are free */
    uint32_t num_ahead, ahead_room, first_free;
    struct smrf_hash_index by_block; /* of ahead */
    char error[1024];
};

static int fail_(struct smrf_reuse_annotator *a, int err, const char *text)
{
    snprintf(a->error, sizeof a->error, "%s", text);
    return err;
}

static int no_memory_(struct smrf_reuse_annotator *a)
{
    return fail_(a, SMRF_ERR_NOMEM, "out of memory for the reuse annotation");
}

static int file_failed_(struct smrf_reuse_annotator *a, int err)
{
    return fail_(a, err, smrf_reuse_reader_error(a->file));
}

static int twin_failed_(struct smrf_reuse_annotator *a, int err)
{
    return err == SMRF_ERR_NOMEM ? no_memory_(a) : fail_(a, err, smrf_trace_error(a->twin));
}

/* --- a launch --------------------------------------------------------------------------------- */

static int static_launch_(struct smrf_reuse_annotator *a, const struct smrf_kernel_info *info)
{
    if (a->file) {
        int err = smrf_reuse_reader_launch(a->file, info, a->bits);
        return err ? file_failed_(a, err) : SMRF_OK;
    }
    struct smrf_reuse_options options = a->options;
    if (a->mode == SMRF_REUSE_MAJORITY) {
        options.profile_ppm = 1000000;
    }
    smrf_reuse_profile_clear(&a->profile);
    smrf_reuse_bits_clear(a->bits);
    int err = smrf_reuse_profile_launch(&a->profile, a->twin, info, &options);
    if (err) {
        return twin_failed_(a, err);
    }
    return smrf_reuse_bits_add_profile(a->bits, &a->profile) ? no_memory_(a) : SMRF_OK;
}

static int kernel_(void *ctx, const struct smrf_kernel_info *info)
{
    struct smrf_reuse_annotator *a = ctx;
    struct smrf_kernel_info own;
    int err = SMRF_OK;
    if (a->file && a->in_launch) {
        err = smrf_reuse_reader_end_launch(a->file);
    }
    a->in_launch = true;
    if (err) {
        return file_failed_(a, err);
    }
    if (!a->file) {
        int got = smrf_trace_next_kernel(a->twin, &own);
        if (got <= 0) {
            return got < 0 ? twin_failed_(a, got)
                           : fail_(a, SMRF_ERR_CORRUPT, "the trace has changed while it was read");
        }
    }
    if (a->mode != SMRF_REUSE_DYNAMIC) {
        return static_launch_(a, info);
    }
    err = a->file ? smrf_reuse_reader_launch(a->file, info, NULL) : SMRF_OK;
    return err ? file_failed_(a, err) : SMRF_OK;
}

/* --- static bits ------------------------------------------------------------------------------ */

static void static_met_(void *ctx, struct smrf_static_inst *inst)
{
    const struct smrf_reuse_annotator *a = ctx;
    uint32_t near_dst;
    smrf_reuse_bits_find(a->bits, inst, &inst->near_src, &near_dst);
    inst->near_dst = (uint16_t)near_dst;
}

/* --- dynamic bits ----------------------------------------------------------------------------- */

static uint32_t hash_(const struct smrf_trace_block *block)
{
    return smrf_hash_number((uintptr_t)block);
}

struct wanted {
    const struct ahead *ahead;
    const struct smrf_trace_block *block;
};

static bool is_of_block_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return w->ahead[item].block == w->block;
}

/* NULL: none. */
static struct ahead *find_(struct smrf_reuse_annotator *a, const struct smrf_trace_block *block)
{
    const struct wanted wanted = {a->ahead, block};
    const uint32_t item = smrf_hash_find(&a->by_block, hash_(block), is_of_block_, &wanted);
    return item == SMRF_HASH_NONE ? NULL : &a->ahead[item];
}

static bool grow_(struct smrf_reuse_annotator *a)
{
    const uint32_t room = a->ahead_room ? 2 * a->ahead_room : 256;
    struct ahead *ahead = realloc(a->ahead, room * sizeof *ahead);
    if (ahead) {
        a->ahead = ahead;
        a->ahead_room = room;
    }
    return ahead != NULL;
}

/* An element for a new block, zeroed; NULL: out of memory. */
static struct ahead *take_(struct smrf_reuse_annotator *a, struct smrf_trace_block *block)
{
    const bool is_new = a->first_free == 0;
    if (is_new && a->num_ahead == a->ahead_room && !grow_(a)) {
        return NULL;
    }
    const uint32_t item = is_new ? a->num_ahead : a->first_free - 1;
    if (!smrf_hash_add(&a->by_block, hash_(block), item)) {
        return NULL;
    }
    if (is_new) {
        a->num_ahead++;
    } else {
        a->first_free = a->ahead[item].next_free;
    }
    a->ahead[item] = (struct ahead){.block = block, .warps = smrf_trace_block_warps(block)};
    return &a->ahead[item];
}

static void drop_(struct smrf_reuse_annotator *a, struct ahead *slot)
{
    const uint32_t item = (uint32_t)(slot - a->ahead);
    if (slot->twin && a->twin) {
        smrf_trace_release_block(a->twin, slot->twin);
    }
    free(slot->ended);
    free(slot->windows);
    free(slot->file);
    smrf_hash_remove(&a->by_block, hash_(slot->block), item);
    *slot = (struct ahead){.next_free = a->first_free};
    a->first_free = item + 1;
}

static int dynamic_block_(void *ctx, struct smrf_trace_block *block)
{
    struct smrf_reuse_annotator *a = ctx;
    struct ahead *slot = take_(a, block);
    if (!slot) {
        return no_memory_(a);
    }
    if (a->file) {
        int err = smrf_reuse_reader_block(a->file, block, &slot->file);
        if (err) {
            drop_(a, slot);
            return file_failed_(a, err);
        }
        return SMRF_OK;
    }
    int got = smrf_trace_next_block(a->twin, &slot->twin);
    if (got <= 0) {
        slot->twin = NULL;
        drop_(a, slot);
        return got < 0 ? twin_failed_(a, got)
                       : fail_(a, SMRF_ERR_CORRUPT, "the trace has changed while it was read");
    }
    slot->ended = calloc(slot->warps, sizeof *slot->ended);
    slot->windows = malloc(slot->warps * a->window_bytes);
    if (!slot->ended || !slot->windows) {
        drop_(a, slot);
        return no_memory_(a);
    }
    for (uint32_t w = 0; w < slot->warps; w++) {
        void *window = slot->windows + w * a->window_bytes;
        smrf_reuse_warp_start(window, a->options.rthld);
    }
    return SMRF_OK;
}

static int dynamic_inst_(void *ctx, struct smrf_trace_block *block, uint32_t warp,
                         struct smrf_inst *inst)
{
    struct smrf_reuse_annotator *a = ctx;
    struct ahead *slot = find_(a, block);
    uint32_t near_src, near_dst;
    if (a->file) {
        if (smrf_reuse_block_next(slot->file, warp, inst->op, &near_src, &near_dst)) {
            return fail_(a, SMRF_ERR_CORRUPT,
                         "the side file of reuse bits belongs to another trace");
        }
        inst->near_src = near_src;
        inst->near_dst = (uint16_t)near_dst;
        return SMRF_OK;
    }
    void *place = slot->windows + warp * a->window_bytes;
    struct smrf_reuse_warp *window = place;
    while (!slot->ended[warp] && !smrf_reuse_ready(window)) {
        struct smrf_inst next;
        int got = smrf_trace_next_inst(slot->twin, warp, &next);
        if (got < 0) {
            return twin_failed_(a, got);
        }
        slot->ended[warp] = got == 0;
        if (got) {
            smrf_reuse_feed(window, next.op, NULL);
        }
    }
    const struct smrf_reuse_marked *m = smrf_reuse_take(window);
    if (!m || m->op->index != inst->op->index) {
        return fail_(a, SMRF_ERR_CORRUPT, "the trace has changed while it was read");
    }
    inst->near_src = m->near_src;
    inst->near_dst = (uint16_t)m->near_dst;
    return SMRF_OK;
}

static void dynamic_done_(void *ctx, struct smrf_trace_block *block)
{
    struct smrf_reuse_annotator *a = ctx;
    struct ahead *slot = find_(a, block);
    if (slot) {
        drop_(a, slot);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static const char *error_(void *ctx)
{
    return ((struct smrf_reuse_annotator *)ctx)->error;
}

int smrf_reuse_annotator_create(struct smrf_reuse_annotator **annotator, struct smrf_config *cfg,
                                const char *side_file, char text[SMRF_REUSE_TEXT])
{
    struct smrf_reuse_annotator *a = calloc(1, sizeof *a);
    int err = SMRF_ERR_NOMEM;
    *annotator = NULL;
    snprintf(text, SMRF_REUSE_TEXT, "out of memory for the reuse annotation");
    if (!a || smrf_reuse_bits_create(&a->bits)) {
        smrf_reuse_annotator_destroy(a);
        return err;
    }
    if (side_file) {
        err = smrf_reuse_reader_open(&a->file, side_file, text);
        if (err) {
            smrf_reuse_annotator_destroy(a);
            return err;
        }
        cfg->reuse.mode = (uint32_t)smrf_reuse_reader_mode(a->file);
        cfg->reuse.rthld = smrf_reuse_reader_rthld(a->file);
    }
    a->options = (struct smrf_reuse_options){cfg->reuse.rthld, cfg->reuse.profile_ppm};
    a->mode = (enum smrf_reuse_mode)cfg->reuse.mode;
    a->listed_only = cfg->rf.base_registers_only != 0;
    a->window_bytes = smrf_reuse_warp_bytes(a->options.rthld);
    a->hook = (struct smrf_annotator){.ctx = a, .kernel = kernel_, .error = error_};
    if (a->mode != SMRF_REUSE_DYNAMIC) {
        a->hook.met = static_met_;
    } else {
        a->hook.block = dynamic_block_;
        a->hook.inst = dynamic_inst_;
        a->hook.block_done = dynamic_done_;
    }
    *annotator = a;
    return SMRF_OK;
}

void smrf_reuse_annotator_destroy(struct smrf_reuse_annotator *a)
{
    if (!a) {
        return;
    }
    if (a->twin) {
        smrf_trace_close(a->twin); /* takes its blocks with it */
        a->twin = NULL;
    }
    for (size_t i = 0; i < a->num_ahead; i++) {
        free(a->ahead[i].ended);
        free(a->ahead[i].windows);
        free(a->ahead[i].file);
    }
    free(a->ahead);
    smrf_hash_free(&a->by_block);
    smrf_reuse_reader_close(a->file);
    smrf_reuse_profile_free(&a->profile);
    smrf_reuse_bits_free(a->bits);
    free(a);
}

const struct smrf_annotator *smrf_reuse_annotator_hook(const struct smrf_reuse_annotator *a)
{
    return a ? &a->hook : NULL;
}

int smrf_reuse_annotator_trace(struct smrf_reuse_annotator *a, const char *path,
                               const struct smrf_trace_options *options)
{
    const struct smrf_trace_options own = {
        .outside = options->outside, .more = options->more, .more_ctx = options->more_ctx};
    if (a->file) {
        return SMRF_OK;
    }
    if (a->twin) {
        smrf_trace_close(a->twin);
    }
    int err = smrf_trace_open(&a->twin, path, &own);
    if (err) {
        return twin_failed_(a, err);
    }
    smrf_trace_sum_registers(a->twin, a->listed_only, 0); /* of the same steps as the replay */
    return SMRF_OK;
}

const char *smrf_reuse_annotator_error(const struct smrf_reuse_annotator *a)
{
    return a->error;
}
