/* SPDX-License-Identifier: Apache-2.0 */
#include "barrier_check.h"

#include "kernel_header.h"

#include <stdlib.h>
#include <string.h>

#define BARRIERS                                                                                   \
    16 /* of a block, by the hardware; other numbers are those of a register's value               \
        */

/* A warp on its way through the block, read beside those who will read it later. */
struct walker {
    struct smrf_packed_warp at;
    uint64_t barrier;
    bool waits, ended;
};

struct walk {
    const struct smrf_packed_block *block;
    struct walker warp[SMRF_BLOCK_WARPS_MAX];
    uint32_t arrived[BARRIERS]; /* by BAR.ARV, which does not wait */
    struct smrf_inst room[1];
};

static bool only_arrives_(const struct smrf_static_inst *op)
{
    return strncmp(op->text, "BAR.ARV", 7) == 0;
}

/* Go on to the warp's next barrier at which it waits, or to its end. Returns 0 or an error. */
static int go_on_(struct walk *k, struct walker *w)
{
    while (!w->waits && !w->ended) {
        const struct smrf_inst *inst;
        const int got = smrf_packed_next(k->block, &w->at, 1, k->room, &inst, NULL);
        if (got < 0) {
            return got;
        }
        w->ended = got == 0;
        if (got == 0 || inst->op->op_class != SMRF_CLASS_BARRIER) {
            continue;
        }
        w->barrier = inst->imm % BARRIERS;
        w->waits = !only_arrives_(inst->op);
        k->arrived[w->barrier] += !w->waits;
    }
    return 0;
}

/* Let those pass who wait at that barrier. */
static void complete_(struct walk *k, uint64_t barrier)
{
    k->arrived[barrier] = 0;
    for (uint32_t i = 0; i < k->block->num_warps; i++) {
        k->warp[i].waits &= k->warp[i].barrier != barrier;
    }
}

/* Everybody waits or has ended. Returns 1 where two wait and none can pass, else 0; *live: somebody
 * waits. */
static int meet_(struct walk *k, struct smrf_barrier_conflict *found, bool *live)
{
    uint32_t here[BARRIERS] = {0}, waiting = 0, most = 0;
    for (uint32_t i = 0; i < k->block->num_warps; i++) {
        const struct walker *w = &k->warp[i];
        if (w->waits) {
            if (waiting < 2) {
                found->warp[waiting] = i;
                found->barrier[waiting] = w->barrier;
            }
            waiting++;
            here[w->barrier]++;
        }
    }
    *live = waiting != 0;
    for (uint32_t i = 0; i < BARRIERS; i++) {
        const bool more = here[i] != 0 && (here[most] == 0 ||
                                           here[i] + k->arrived[i] > here[most] + k->arrived[most]);
        most = more ? i : most;
    }
    if (waiting > 1 && here[most] + k->arrived[most] < 2) {
        return 1;
    }
    complete_(
        k,
        most); /* a last one's barrier is complete, too: those that have ended count as arrived */
    return 0;
}

int smrf_barrier_check(const struct smrf_packed_block *b, struct smrf_barrier_conflict *found)
{
    struct walk *k = calloc(1, sizeof *k);
    if (k == NULL) {
        return smrf_trace_fail(b->error, SMRF_ERR_NOMEM, "no memory to hold barriers together");
    }
    k->block = b;
    int rc = 0;
    for (uint32_t i = 0; i < b->num_warps; i++) {
        k->warp[i].at = b->warp[i];
    }
    for (bool live = true; rc == 0 && live;) {
        for (uint32_t i = 0; rc == 0 && i < b->num_warps; i++) {
            rc = go_on_(k, &k->warp[i]);
        }
        rc = rc != 0 ? rc : meet_(k, found, &live);
    }
    for (uint32_t i = 0; i < b->num_warps; i++) {
        free(k->warp[i].at.window);
    }
    free(k);
    return rc;
}
