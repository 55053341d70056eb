/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a launch: one after the other, or several in turns. Every block that is resident
 * makes progress on a GPU, so that blocks may wait for others; most never do. They run one after
 * the other until one only yields, or runs for so long that it may be waiting: from then on as many
 * as a GPU holds take turns. */
#include "firmware/exec/runner.h"

#include <stdlib.h>

#define MAX_TOGETHER 16384 /* warps: what the largest GPUs hold */
#define SHORT_TURN 256     /* instructions after which a warp of a block that may wait gives way */
#define ALONE (UINT64_C(1) << 20) /* instructions a warp after which a block may be waiting */

void smrf_exec_add_totals(struct smrf_exec_totals *sum, const struct smrf_exec_totals *part)
{
    sum->blocks += part->blocks;
    sum->warps += part->warps;
    sum->warp_insts += part->warp_insts;
    sum->thread_insts += part->thread_insts;
    sum->calls += part->calls;
    sum->call_depth = part->call_depth > sum->call_depth ? part->call_depth : sum->call_depth;
    sum->divergent_branches += part->divergent_branches;
    sum->forced_syncs += part->forced_syncs;
    sum->fault = part->fault ? part->fault : sum->fault;
}

struct smrf_exec_dim smrf_exec_block_id_(const struct smrf_exec_launch *l, uint64_t index)
{
    const struct smrf_exec_dim n = l->grid;
    return (struct smrf_exec_dim){(uint32_t)(index % n.x), (uint32_t)(index / n.x % n.y),
                                  (uint32_t)(index / n.x / n.y)};
}

static bool may_wait_(const struct smrf_exec_grid *g)
{
    return g->most > 1;
}

static int begin_(struct smrf_exec_grid *g, struct smrf_exec_dim id)
{
    const struct smrf_exec_launch *l = g->launch;
    struct smrf_exec_runner *r = g->spare;
    int rc = 0;
    g->spare = NULL;
    if (r == NULL) {
        r = calloc(1, sizeof *r);
        if (r == NULL) {
            return smrf_exec_launch_fails_(g->error, SMRF_ERR_NOMEM, l->entry->name,
                                           "out of memory");
        }
        rc = smrf_exec_prepare_(r, l, g->error);
    }
    g->open[g->count++] = r;
    if (may_wait_(g)) {
        r->turn = SHORT_TURN;
    }
    r->block.clock = g->clock;
    if (rc >= 0 && (rc = smrf_exec_begin_(r, id)) < 0) {
        smrf_exec_describe_(r, rc, g->error);
    }
    return rc < 0 ? rc : 0;
}

/* Begins blocks while there is room for more. */
static int admit_(struct smrf_exec_grid *g)
{
    const struct smrf_exec_launch *l = g->launch;
    int rc = 0;
    while (rc == 0 && g->count < g->most && g->next < g->blocks) {
        const struct smrf_exec_dim id = smrf_exec_block_id_(l, g->next++);
        if (l->wants_block == NULL || l->wants_block(l->wants_ctx, id)) {
            rc = begin_(g, id);
        }
    }
    return rc;
}

/* Open block number i has ended. */
static void close_(struct smrf_exec_grid *g, uint64_t i)
{
    struct smrf_exec_runner *r = g->open[i];
    smrf_exec_add_totals(&g->totals, &r->totals);
    r->totals = (struct smrf_exec_totals){0};
    g->count--;
    for (; i < g->count; i++) {
        g->open[i] = g->open[i + 1];
    }
    smrf_exec_free_(g->spare);
    g->spare = r;
}

/* Every warp of the block has a turn. Returns an enum smrf_exec_round, or an error. */
static int round_(struct smrf_exec_grid *g, struct smrf_exec_runner *r)
{
    r->block.clock = g->clock;
    int rc = smrf_exec_round_(r);
    g->clock = r->block.clock;
    const int round = rc;
    if (rc >= 0 && r->block.live_threads == 0) {
        rc = smrf_exec_end_(r);
    }
    if (rc < 0) {
        smrf_exec_describe_(r, rc, g->error);
        return rc;
    }
    return round;
}

/* Makes room for this many open blocks. */
static int widen_(struct smrf_exec_grid *g, uint64_t most)
{
    struct smrf_exec_runner **open =
        realloc((void *)g->open, most * sizeof(struct smrf_exec_runner *));
    if (open == NULL) {
        return smrf_exec_launch_fails_(g->error, SMRF_ERR_NOMEM, g->launch->entry->name,
                                       "out of memory");
    }
    g->open = open;
    g->most = most;
    return 0;
}

bool smrf_exec_waits_(struct smrf_exec_runner *r, int round, bool others)
{
    const bool waits = smrf_exec_impatient_(r, round);
    if (waits && !others) {
        smrf_exec_overtake_(r);
    }
    return (waits || r->totals.warp_insts >= ALONE * r->block.num_warps) && others &&
           r->block.live_threads != 0;
}

int smrf_exec_widen_(struct smrf_exec_grid *g, struct smrf_exec_runner *r)
{
    r->turn = SHORT_TURN;
    return widen_(g, MAX_TOGETHER / r->block.num_warps);
}

/* The only open block, to its end or until it may be waiting for one that has not begun. */
static int run_alone_(struct smrf_exec_grid *g)
{
    struct smrf_exec_runner *r = g->open[0];
    while (r->block.live_threads != 0) {
        const int round = round_(g, r);
        if (round < 0) {
            return round;
        }
        if (smrf_exec_waits_(r, round, g->next < g->blocks)) {
            return smrf_exec_widen_(g, r);
        }
    }
    close_(g, 0);
    return 0;
}

/* A round of every open block. */
static int pass_(struct smrf_exec_grid *g)
{
    int most = SMRF_EXEC_IDLE;
    for (uint64_t i = 0; i < g->count;) {
        struct smrf_exec_runner *r = g->open[i];
        const struct smrf_exec_listener *ear = r->listener;
        if (ear != NULL && ear->block_resume != NULL) {
            ear->block_resume(ear->ctx, r->block.id);
        }
        const int round = round_(g, r);
        if (round < 0) {
            return round;
        }
        most = round > most ? round : most;
        if (r->block.live_threads == 0) {
            close_(g, i);
        } else {
            i++;
        }
    }
    for (uint64_t i = 0; i < g->count; i++) {
        if (smrf_exec_impatient_(g->open[i], most)) {
            smrf_exec_overtake_(g->open[i]);
        }
    }
    return 0;
}

bool smrf_exec_is_enough_(const struct smrf_exec_grid *g)
{
    const struct smrf_exec_launch *l = g->launch;
    return l->stop_after_insts != 0 && !l->together && g->totals.warp_insts >= l->stop_after_insts;
}

static int run_(struct smrf_exec_grid *g)
{
    const struct smrf_exec_dim n = g->launch->grid, b = g->launch->block;
    const uint64_t warps = ((uint64_t)b.x * b.y * b.z + SMRF_EXEC_LANES - 1) / SMRF_EXEC_LANES;
    int rc = smrf_exec_check_launch_(g->launch, g->error);
    if (rc < 0) {
        return rc;
    }
    g->blocks = (uint64_t)n.x * n.y * n.z;
    if (g->launch->together && (g->blocks > MAX_TOGETHER || g->blocks * warps > MAX_TOGETHER)) {
        return smrf_exec_launch_fails_(g->error, SMRF_ERR_LIMIT, g->launch->entry->name,
                                       "its blocks run together: at most %u warps", MAX_TOGETHER);
    }
    rc = widen_(g, g->launch->together ? g->blocks : 1);
    rc = rc < 0 ? rc : admit_(g);
    while (rc >= 0 && g->count != 0) {
        rc = may_wait_(g) ? pass_(g) : run_alone_(g);
        if (rc >= 0 && smrf_exec_is_enough_(g)) {
            break;
        }
        if (rc >= 0 && g->count == 0 && smrf_exec_may_parallel_(g)) {
            rc = smrf_exec_parallel_(g);
            if (rc >= 0 && smrf_exec_is_enough_(g)) {
                break;
            }
        }
        rc = rc < 0 ? rc : admit_(g);
    }
    return rc < 0 ? rc : 0;
}

int smrf_exec_run(const struct smrf_exec_launch *launch, struct smrf_exec_totals *totals,
                  char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_exec_grid g = {.launch = launch, .error = error, .threads = launch->threads};
    error[0] = '\0';
    const int rc = run_(&g);
    for (uint64_t i = 0; i < g.count; i++) {
        smrf_exec_add_totals(&g.totals, &g.open[i]->totals);
        smrf_exec_free_(g.open[i]);
    }
    smrf_exec_free_(g.spare);
    free((void *)g.open);
    if (totals != NULL) {
        *totals = g.totals;
    }
    return rc;
}
