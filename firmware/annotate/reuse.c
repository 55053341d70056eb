/* SPDX-License-Identifier: Apache-2.0 */
#include "reuse.h"

#include <stdlib.h>
#include <string.h>

/* --- the window ------------------------------------------------------------------------------- */

static uint32_t room_(uint32_t rthld)
{
    uint32_t room = 2;
    while (room <= rthld) {
        room *= 2;
    }
    return room;
}

size_t smrf_reuse_warp_bytes(uint32_t rthld)
{
    return sizeof(struct smrf_reuse_warp) + room_(rthld) * sizeof(struct smrf_reuse_marked);
}

void smrf_reuse_warp_start(struct smrf_reuse_warp *w, uint32_t rthld)
{
    memset(w, 0, sizeof *w);
    w->rthld = rthld;
    w->room = room_(rthld);
    w->ring = (struct smrf_reuse_marked *)(w + 1);
}

/* The operands of the instruction that access the register last: its results, if it is one. */
static void mark_(struct smrf_reuse_marked *m, unsigned reg)
{
    const struct smrf_static_inst *op = m->op;
    uint32_t dst = 0;
    for (unsigned i = 0; i < op->num_dst; i++) {
        dst |= (uint32_t)(op->dst[i] == reg) << i;
    }
    m->near_dst |= dst;
    for (unsigned i = 0; !dst && i < op->num_src; i++) {
        m->near_src |= (uint32_t)(op->src[i] == reg) << i;
    }
}

void smrf_reuse_feed(struct smrf_reuse_warp *w, const struct smrf_static_inst *op,
                     struct smrf_reuse_distances *distances)
{
    uint32_t at = ++w->fed;
    struct smrf_reuse_marked *own = &w->ring[at & (w->room - 1)];
    *own = (struct smrf_reuse_marked){.op = op};
    for (unsigned i = 0; i < op->num_src; i++) {
        uint32_t before = w->last[op->src[i]];
        if (before == at) {
            continue; /* the same register twice in one instruction: one access */
        }
        w->last[op->src[i]] = at;
        if (before && at - before <= w->rthld) {
            mark_(&w->ring[before & (w->room - 1)], op->src[i]);
        }
        if (distances) {
            uint32_t distance = at - before;
            distances->accesses++;
            distances->reuses += before != 0;
            distances->bin[distance < SMRF_REUSE_BINS ? distance : 0] += before != 0;
        }
    }
    for (unsigned i = 0; i < op->num_dst; i++) {
        w->last[op->dst[i]] = at;
    }
    if (distances) {
        distances->accesses += op->num_dst;
    }
}

bool smrf_reuse_ready(const struct smrf_reuse_warp *w)
{
    return w->fed - w->taken > w->rthld;
}

const struct smrf_reuse_marked *smrf_reuse_take(struct smrf_reuse_warp *w)
{
    return w->taken == w->fed ? NULL : &w->ring[++w->taken & (w->room - 1)];
}

/* --- the profile ------------------------------------------------------------------------------ */

int smrf_reuse_count(struct smrf_reuse_profile *p, const struct smrf_reuse_marked *m)
{
    uint32_t index = m->op->index;
    if (index >= p->room) {
        uint32_t room = p->room ? p->room : 256;
        while (room <= index) {
            room *= 2;
        }
        struct smrf_reuse_counts *grown = realloc(p->counts, room * sizeof *grown);
        if (!grown) {
            return SMRF_ERR_NOMEM;
        }
        memset(grown + p->room, 0, (room - p->room) * sizeof *grown);
        p->counts = grown;
        p->room = room;
    }
    p->num = index >= p->num ? index + 1 : p->num;
    struct smrf_reuse_counts *c = &p->counts[index];
    c->op = m->op;
    c->runs++;
    for (uint32_t bits = m->near_src; bits; bits &= bits - 1) {
        c->near_src[__builtin_ctz(bits)]++;
    }
    for (uint32_t bits = m->near_dst; bits; bits &= bits - 1) {
        c->near_dst[__builtin_ctz(bits)]++;
    }
    return SMRF_OK;
}

void smrf_reuse_profile_clear(struct smrf_reuse_profile *p)
{
    if (p->num) {
        memset(p->counts, 0, p->num * sizeof *p->counts);
    }
    p->num = 0;
}

void smrf_reuse_profile_free(struct smrf_reuse_profile *p)
{
    free(p->counts);
    *p = (struct smrf_reuse_profile){0};
}

/* Bit i: operand i of the first `num` was near in more than half of the runs. */
static uint32_t majority_(const uint32_t *near, unsigned num, uint64_t runs)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < num; i++) {
        bits |= (uint32_t)(2 * (uint64_t)near[i] > runs) << i;
    }
    return bits;
}

void smrf_reuse_majority(const struct smrf_reuse_counts *c, uint32_t *near_src, uint32_t *near_dst)
{
    *near_src = c->runs ? majority_(c->near_src, c->op->num_src, c->runs) : 0;
    *near_dst = c->runs ? majority_(c->near_dst, c->op->num_dst, c->runs) : 0;
}

/* --- a launch --------------------------------------------------------------------------------- */

struct pass {
    struct smrf_reuse_launch *launch; /* NULL: only the profile is wanted */
    struct smrf_reuse_profile *profile;
    uint64_t warps, profile_warps; /* so far; to be profiled */
    struct smrf_reuse_warp *window;
    uint32_t rthld;
    int (*each)(void *ctx, struct smrf_trace_block *block, uint32_t warp,
                const struct smrf_reuse_marked *m);
    void *ctx;
};

static int taken_(struct pass *p, struct smrf_trace_block *block, uint32_t warp,
                  const struct smrf_reuse_marked *m)
{
    int err = p->warps < p->profile_warps ? smrf_reuse_count(p->profile, m) : SMRF_OK;
    if (!err && p->launch) {
        err = smrf_reuse_count(&p->launch->all, m);
    }
    if (!err && p->each) {
        err = p->each(p->ctx, block, warp, m);
    }
    return err;
}

static int warp_(struct pass *p, struct smrf_trace_block *block, uint32_t warp)
{
    struct smrf_inst inst;
    const struct smrf_reuse_marked *m;
    int got;
    smrf_reuse_warp_start(p->window, p->rthld);
    while ((got = smrf_trace_next_inst(block, warp, &inst)) > 0) {
        smrf_reuse_feed(p->window, inst.op, p->launch ? &p->launch->distances : NULL);
        if (smrf_reuse_ready(p->window) &&
            (got = taken_(p, block, warp, smrf_reuse_take(p->window))) < 0) {
            return got;
        }
    }
    while (got == 0 && (m = smrf_reuse_take(p->window)) != NULL) {
        got = taken_(p, block, warp, m);
    }
    p->warps++;
    return got;
}

static uint64_t profile_warps_(const struct smrf_kernel_info *info, uint32_t ppm)
{
    uint64_t threads = (uint64_t)info->block.x * info->block.y * info->block.z;
    uint64_t warps =
        (threads + SMRF_LANES - 1) / SMRF_LANES * info->grid.x * info->grid.y * info->grid.z;
    uint64_t wanted = (uint64_t)((double)warps * ppm * 1e-6 + 0.999999);
    return wanted ? wanted : 1;
}

static int run_(struct pass *p, struct smrf_trace *trace, const struct smrf_kernel_info *info,
                const struct smrf_reuse_options *options)
{
    struct smrf_trace_block *block;
    int got = SMRF_OK;
    p->rthld = options->rthld;
    p->profile_warps = profile_warps_(info, options->profile_ppm);
    p->window = malloc(smrf_reuse_warp_bytes(options->rthld));
    if (!p->window) {
        return SMRF_ERR_NOMEM;
    }
    while ((p->launch || p->warps < p->profile_warps) && got >= 0 &&
           (got = smrf_trace_next_block(trace, &block)) > 0) {
        uint32_t warps = smrf_trace_block_warps(block);
        got = p->each ? p->each(p->ctx, block, 0, NULL) : got;
        for (uint32_t w = 0; got >= 0 && w < warps; w++) {
            if (p->launch || p->warps < p->profile_warps) {
                got = warp_(p, block, w);
            }
        }
        smrf_trace_release_block(trace, block);
    }
    free(p->window);
    return got < 0 ? got : SMRF_OK;
}

/* How many dynamic operands disagree with the bits of a profile. */
static void compare_(struct smrf_reuse_launch *l)
{
    for (uint32_t i = 0; i < l->all.num; i++) {
        const struct smrf_reuse_counts *c = &l->all.counts[i];
        uint32_t own_src = 0, own_dst = 0, all_src, all_dst;
        bool profiled = i < l->profile.num && l->profile.counts[i].runs;
        if (!c->runs) {
            continue;
        }
        if (profiled) {
            smrf_reuse_majority(&l->profile.counts[i], &own_src, &own_dst);
        }
        smrf_reuse_majority(c, &all_src, &all_dst);
        for (unsigned k = 0; k < (unsigned)c->op->num_src + c->op->num_dst; k++) {
            bool is_src = k < c->op->num_src;
            unsigned at = is_src ? k : k - c->op->num_src;
            uint64_t near = is_src ? c->near_src[at] : c->near_dst[at];
            bool own = (is_src ? own_src : own_dst) >> at & 1;
            bool all = (is_src ? all_src : all_dst) >> at & 1;
            l->operands += c->runs;
            l->near_operands += near;
            l->profile_wrong += own ? c->runs - near : near;
            l->all_wrong += all ? c->runs - near : near;
            l->unprofiled += profiled ? 0 : c->runs;
        }
    }
}

int smrf_reuse_measure(struct smrf_reuse_launch *launch, struct smrf_trace *trace,
                       const struct smrf_kernel_info *info,
                       const struct smrf_reuse_options *options,
                       int (*each)(void *ctx, struct smrf_trace_block *block, uint32_t warp,
                                   const struct smrf_reuse_marked *m),
                       void *ctx)
{
    struct pass p = {.launch = launch, .profile = &launch->profile, .each = each, .ctx = ctx};
    int err = run_(&p, trace, info, options);
    launch->warps = p.warps;
    launch->profiled_warps = p.warps < p.profile_warps ? p.warps : p.profile_warps;
    if (!err) {
        compare_(launch);
    }
    return err;
}

int smrf_reuse_profile_launch(struct smrf_reuse_profile *profile, struct smrf_trace *trace,
                              const struct smrf_kernel_info *info,
                              const struct smrf_reuse_options *options)
{
    struct pass p = {.profile = profile};
    return run_(&p, trace, info, options);
}

void smrf_reuse_launch_free(struct smrf_reuse_launch *launch)
{
    smrf_reuse_profile_free(&launch->profile);
    smrf_reuse_profile_free(&launch->all);
}

void smrf_reuse_add(struct smrf_reuse_launch *sum, const struct smrf_reuse_launch *l)
{
    for (unsigned i = 0; i < SMRF_REUSE_BINS; i++) {
        sum->distances.bin[i] += l->distances.bin[i];
    }
    sum->distances.reuses += l->distances.reuses;
    sum->distances.accesses += l->distances.accesses;
    sum->warps += l->warps;
    sum->profiled_warps += l->profiled_warps;
    sum->operands += l->operands;
    sum->near_operands += l->near_operands;
    sum->profile_wrong += l->profile_wrong;
    sum->all_wrong += l->all_wrong;
    sum->unprofiled += l->unprofiled;
}
