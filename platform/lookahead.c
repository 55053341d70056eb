/* SPDX-License-Identifier: Apache-2.0 */
#include "lookahead.h"

#include "models/common/smrf_program.h"
#include "models/issue/dependence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 1024 /* of the table of resident blocks; a power of two */
#define RING 4     /* facts of a warp that stay valid: its buffer, and what has just left it */

/* A warp that was read to its end. */
struct ahead_warp {
    uint64_t length, at;
    /* [length]: bit i: source i is not read again; 32 + i: destination i is not; 48 + i: nor is its
     * old value in the other lanes */
    uint64_t *dead;
    struct smrf_inst_facts ring[RING];
};

struct ahead {
    struct ahead *next; /* of the same slot */
    const struct smrf_trace_block *block;
    uint32_t warps;
    struct ahead_warp *warp;
};

_Static_assert(SMRF_MAX_SRC <= 32 && SMRF_MAX_DST <= 16, "bits of ahead_warp.dead");

struct smrf_lookahead {
    struct smrf_annotator hook;
    struct smrf_trace *twin; /* of the present launch, opened where it is needed */
    bool listed_only;
    struct ahead *ahead[SLOTS];
    char error[1024];
};

static int fail_(struct smrf_lookahead *p, int err, const char *text)
{
    snprintf(p->error, sizeof p->error, "%s", text);
    return err;
}

static int no_memory_(struct smrf_lookahead *p)
{
    return fail_(p, SMRF_ERR_NOMEM, "out of memory for the facts of a program");
}

/* --- looking ahead ---------------------------------------------------------------------------- */

static int twin_failed_(struct smrf_lookahead *p, int err)
{
    return err < 0 ? fail_(p, err, smrf_trace_error(p->twin))
                   : fail_(p, SMRF_ERR_CORRUPT, "the trace has changed while it was read");
}

static struct ahead **slot_(struct smrf_lookahead *p, const struct smrf_trace_block *block)
{
    const size_t at = ((uintptr_t)block >> 5) * UINT32_C(2654435761) % SLOTS;
    struct ahead **a = &p->ahead[at];
    while (*a && (*a)->block != block) {
        a = &(*a)->next;
    }
    return a;
}

static void ahead_free_(struct ahead *a)
{
    for (uint32_t w = 0; a->warp && w < a->warps; w++) {
        free(a->warp[w].dead);
    }
    free(a->warp);
    free(a);
}

/* Everything of the present launch. */
static void leave_trace_(struct smrf_lookahead *p)
{
    for (size_t i = 0; i < SLOTS; i++) {
        while (p->ahead[i]) {
            struct ahead *a = p->ahead[i];
            p->ahead[i] = a->next;
            ahead_free_(a);
        }
    }
    if (p->twin) {
        smrf_trace_close(p->twin);
        p->twin = NULL;
    }
}

/* The twin reads the launch that the replay begins: its file alone, as lists may grow. */
static int kernel_(void *ctx, const struct smrf_kernel_info *info)
{
    struct smrf_lookahead *p = ctx;
    struct smrf_kernel_info own = {.id = 0};
    leave_trace_(p);
    const int err = smrf_trace_open(&p->twin, info->file, NULL);
    if (err) {
        return p->twin ? twin_failed_(p, err) : no_memory_(p);
    }
    smrf_trace_sum_registers(p->twin, p->listed_only, 0);
    const int got = smrf_trace_next_kernel(p->twin, &own);
    return got > 0 && own.id == info->id ? SMRF_OK : twin_failed_(p, got < 0 ? got : 0);
}

/* An instruction as the way back needs it. */
struct step {
    const struct smrf_static_inst *op;
    uint32_t mask;
};

/* From the end of a warp: which lanes' value of each register is read further on. */
static void go_back_(struct ahead_warp *w, const struct step *steps, bool listed_only)
{
    uint32_t lanes[256] = {0};
    for (uint64_t n = w->length; n-- > 0;) {
        const struct smrf_operands op = smrf_operands_of(steps[n].op, listed_only);
        uint64_t dead = 0;
        for (unsigned i = 0; i < op.num_src; i++) {
            dead |= (uint64_t)(lanes[op.src[i]] == 0) << i;
        }
        for (unsigned i = 0; i < op.num_dst; i++) {
            dead |= (uint64_t)(lanes[op.dst[i]] == 0) << (32 + i);
            dead |= (uint64_t)((lanes[op.dst[i]] & ~steps[n].mask) == 0) << (48 + i);
        }
        for (unsigned i = 0; i < op.num_dst; i++) {
            lanes[op.dst[i]] &= ~steps[n].mask;
        }
        for (unsigned i = 0; i < op.num_src; i++) {
            /* It collects its sources even where no lane executes it. */
            lanes[op.src[i]] |= steps[n].mask ? steps[n].mask : UINT32_MAX;
        }
        w->dead[n] = dead;
    }
}

static int read_ahead_(struct smrf_lookahead *p, struct smrf_trace_block *twin, uint32_t warp,
                       struct ahead_warp *w)
{
    w->length = smrf_trace_warp_length(twin, warp);
    w->dead = malloc((w->length + 1) * sizeof *w->dead);
    struct step *steps = malloc((w->length + 1) * sizeof *steps);
    if (!w->dead || !steps) {
        free(steps);
        return no_memory_(p);
    }
    for (uint64_t n = 0; n < w->length; n++) {
        struct smrf_inst inst;
        const int got = smrf_trace_next_inst(twin, warp, &inst);
        if (got <= 0) {
            free(steps);
            return twin_failed_(p, got);
        }
        steps[n] = (struct step){inst.op, inst.mask};
    }
    go_back_(w, steps, p->listed_only);
    free(steps);
    return SMRF_OK;
}

static int block_(void *ctx, struct smrf_trace_block *block)
{
    struct smrf_lookahead *p = ctx;
    struct smrf_trace_block *twin;
    const int got = smrf_trace_next_block(p->twin, &twin);
    if (got <= 0) {
        return twin_failed_(p, got);
    }
    struct ahead *a = calloc(1, sizeof *a);
    int err = a ? SMRF_OK : no_memory_(p);
    if (a) {
        a->block = block;
        a->warps = smrf_trace_block_warps(block);
        a->warp = calloc(a->warps, sizeof *a->warp);
        err = a->warp ? SMRF_OK : no_memory_(p);
    }
    for (uint32_t w = 0; !err && w < a->warps; w++) {
        err = read_ahead_(p, twin, w, &a->warp[w]);
    }
    smrf_trace_release_block(p->twin, twin);
    if (err) {
        if (a) {
            ahead_free_(a);
        }
        return err;
    }
    *slot_(p, block) = a;
    return SMRF_OK;
}

static void mark_(uint64_t *set, unsigned reg, bool in)
{
    const uint64_t bit = UINT64_C(1) << reg % 64;
    set[reg / 64] = in ? set[reg / 64] | bit : set[reg / 64] & ~bit;
}

/* The facts of the warp's next instruction: those of the one before, and what this one's names
 * are. */
static const struct smrf_inst_facts *step_(struct ahead_warp *w, const struct smrf_operands *op)
{
    const uint64_t n = w->at++;
    struct smrf_inst_facts *f = &w->ring[n % RING];
    if (n) {
        *f = w->ring[(n - 1) % RING];
    }
    for (unsigned i = 0; i < op->num_src; i++) {
        mark_(f->live.w, op->src[i], !(w->dead[n] >> i & 1));
    }
    for (unsigned i = 0; i < op->num_dst; i++) {
        mark_(f->live.w, op->dst[i], !(w->dead[n] >> (32 + i) & 1));
    }
    f->unmerged_dst = (uint16_t)(w->dead[n] >> 48);
    f->exact = true;
    return f;
}

static int inst_(void *ctx, struct smrf_trace_block *block, uint32_t warp, struct smrf_inst *inst)
{
    struct smrf_lookahead *p = ctx;
    struct ahead *a = *slot_(p, block);
    if (!a || a->warp[warp].at == a->warp[warp].length) {
        return twin_failed_(p, 0);
    }
    const struct smrf_operands op = smrf_operands_of(inst->op, p->listed_only);
    inst->facts = step_(&a->warp[warp], &op);
    return SMRF_OK;
}

static void block_done_(void *ctx, struct smrf_trace_block *block)
{
    struct ahead **slot = slot_(ctx, block), *a = *slot;
    if (a) {
        *slot = a->next;
        ahead_free_(a);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static const char *error_(void *ctx)
{
    return ((struct smrf_lookahead *)ctx)->error;
}

struct smrf_lookahead *smrf_lookahead_create(bool listed_only)
{
    struct smrf_lookahead *p = calloc(1, sizeof *p);
    if (p) {
        p->listed_only = listed_only;
        p->hook =
            (struct smrf_annotator){p, kernel_, NULL, block_, inst_, block_done_, error_, true};
    }
    return p;
}

void smrf_lookahead_destroy(struct smrf_lookahead *p)
{
    if (p) {
        leave_trace_(p);
        free(p);
    }
}

const struct smrf_annotator *smrf_lookahead_hook(const struct smrf_lookahead *p)
{
    return &p->hook;
}
