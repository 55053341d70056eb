/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the blocks of a launch on several threads. A thread takes the next block, runs it beside
 * others (claims.h), and ends it when it is the oldest. Its listener may then still be at work
 * while younger blocks end. Some things need a launch on one thread: the device heap, blocks that
 * may wait for others, a failure. The oldest block then goes on alone, others are undone. */
#define _DEFAULT_SOURCE
#include "firmware/exec/claims.h"
#include "firmware/exec/runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* Warp instructions from which on threads are worth their start. */
#define WORTH (UINT64_C(1) << 18)
/* Instructions of undone blocks, beside a quarter of all, from which on one thread is faster. */
#define WASTE (UINT64_C(1) << 18)

/* A launch on its threads. */
struct team {
    struct smrf_exec_grid *grid;
    struct smrf_exec_order order;
    _Atomic uint64_t next;     /* index of the next block to begin */
    _Atomic uint64_t reported; /* index of the first block whose listener has more to do */
    _Atomic uint64_t wasted;   /* instructions of blocks that were undone */
    _Atomic int report_rc;     /* the first failure of a listener .. */
    struct smrf_exec_runner *unreported; /* .. and its block */
    struct smrf_exec_runner *left;       /* the block that goes on alone, or has failed */
    int failed;                          /* .. how */
    bool enough;
};

struct worker {
    struct team *team;
    struct smrf_exec_runner *runner;
    struct smrf_memory_space *view;
    struct smrf_exec_claims claims;
    pthread_t thread;
    uint8_t apart[SMRF_EXEC_APART]; /* no cache line is of two threads */
};

bool smrf_exec_may_parallel_(const struct smrf_exec_grid *g)
{
    const struct smrf_exec_launch *l = g->launch;
    const uint64_t left = g->blocks - g->next, ended = g->totals.blocks;
    return g->threads > 1 && g->most == 1 && left > 1 && ended != 0 && l->wants_block == NULL &&
           (l->listener == NULL || l->listener->on_thread != NULL) &&
           g->totals.warp_insts / ended * left >= (l->threads_from != 0 ? l->threads_from : WORTH);
}

static void undo_(struct worker *w)
{
    struct smrf_exec_runner *r = w->runner;
    (void)atomic_fetch_add(&w->team->wasted, r->totals.warp_insts);
    smrf_claims_undo(&w->claims);
    if (r->listener != NULL && r->listener->block_undone != NULL) {
        r->listener->block_undone(r->listener->ctx);
    }
    r->totals = (struct smrf_exec_totals){0};
}

/* The block goes on alone, behind the team's end; rc: it has failed. */
static void leave_behind_(struct worker *w, int rc)
{
    struct smrf_exec_runner *r = w->runner;
    r->block.clock += r->block.clock_base;
    r->block.clock_base = 0;
    w->team->left = r;
    w->team->failed = rc;
    w->runner = NULL;
}

/* Block `index` to its end or to where it is left behind. False: it has been undone. */
static bool run_block_(struct worker *w, uint64_t index)
{
    struct smrf_exec_runner *r = w->runner;
    struct smrf_exec_grid *g = w->team->grid;
    smrf_claims_begin(&w->claims, index);
    r->block.claims = &w->claims;
    r->block.space = w->view;
    r->block.clock = r->block.clock_base = 0;
    int rc = smrf_exec_begin_(r, smrf_exec_block_id_(g->launch, index));
    while (rc >= 0 && r->block.live_threads != 0) {
        rc = smrf_exec_round_(r);
        const bool waits = rc >= 0 && smrf_exec_waits_(r, rc, index + 1 < g->blocks);
        if (waits && smrf_claims_alone(&r->block)) {
            rc = smrf_exec_widen_(g, r);
        }
        if (rc >= 0 && r->block.claims == NULL) { /* the others are gone */
            leave_behind_(w, 0);
            return true;
        }
        rc = smrf_exec_is_undone_(r) ? (int)SMRF_ERR_STATE : rc;
    }
    if (!smrf_claims_settle(&r->block)) {
        undo_(w);
        return false;
    }
    if (rc < 0) {
        (void)smrf_claims_alone(&r->block);
        leave_behind_(w, rc);
    }
    return true;
}

/* The oldest block's results become the launch's. */
static void commit_(struct worker *w, uint64_t index)
{
    struct team *c = w->team;
    struct smrf_exec_runner *r = w->runner;
    struct smrf_exec_grid *g = c->grid;
    r->totals.blocks++;
    r->totals.warps += r->block.num_warps;
    smrf_exec_add_totals(&g->totals, &r->totals);
    g->clock += r->block.clock;
    atomic_store(&c->order.clock, g->clock);
    r->totals = (struct smrf_exec_totals){0};
    smrf_claims_release(&w->claims);
    c->enough = smrf_exec_is_enough_(g);
    if (c->enough || atomic_load(&c->wasted) > g->clock / 4 + WASTE) {
        atomic_store(&c->order.closing, true); /* before there is another oldest block */
    }
    atomic_store(&c->order.position[w->claims.slot], SMRF_EXEC_NO_POSITION);
    if (!c->enough) {
        atomic_store(&c->order.oldest, index + 1);
    }
}

/* Listeners get the ends of blocks in order. */
static void report_end_(struct worker *w, uint64_t index)
{
    struct team *c = w->team;
    const struct smrf_exec_listener *listener = w->runner->listener;
    if (listener == NULL) {
        return;
    }
    for (unsigned rounds = 0; atomic_load(&c->reported) != index;) {
        smrf_claims_pause(&rounds);
    }
    if (atomic_load(&c->report_rc) == 0 && listener->block_end != NULL) {
        const int rc = listener->block_end(listener->ctx);
        if (rc < 0) {
            c->unreported = w->runner;
            w->runner = NULL;
            atomic_store(&c->report_rc, rc);
            atomic_store(&c->order.closing, true);
        }
    }
    atomic_store(&c->reported, index + 1);
}

static void work_(struct worker *w)
{
    struct team *c = w->team;
    while (w->runner != NULL && !atomic_load(&c->order.closing)) {
        const uint64_t index = atomic_fetch_add(&c->next, 1);
        if (index >= c->grid->blocks) {
            break;
        }
        bool ended = run_block_(w, index);
        while (!ended && !atomic_load(&c->order.closing)) {
            ended = run_block_(w, index);
        }
        if (ended && w->runner != NULL) {
            commit_(w, index);
            report_end_(w, index);
        }
    }
    (void)atomic_fetch_sub(&c->order.active, 1);
}

static void *thread_(void *ctx)
{
    work_(ctx);
    return NULL;
}

static bool prepare_(struct worker *w, struct team *c, unsigned slot)
{
    const struct smrf_exec_launch *l = c->grid->launch;
    w->team = c;
    w->claims.order = &c->order;
    w->claims.slot = slot;
    w->view = smrf_claims_view(l->space, &w->claims);
    w->runner = calloc(1, sizeof *w->runner);
    if (w->view == NULL || w->runner == NULL ||
        smrf_exec_prepare_(w->runner, l, c->grid->error) < 0) {
        return false;
    }
    if (l->listener != NULL) {
        w->runner->listener = l->listener->on_thread(l->listener->ctx, slot);
    }
    return l->listener == NULL || w->runner->listener != NULL;
}

static void start_(struct worker *w, unsigned threads)
{
    struct team *c = w->team;
    sigset_t all, before;
    unsigned started = 1;
    atomic_store(&c->order.active, threads);
    (void)sigfillset(&all); /* signals are the program's own threads' */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < threads &&
           pthread_create(&w[started].thread, NULL, thread_, &w[started]) == 0) {
        started++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)atomic_fetch_sub(&c->order.active, threads - started);
    work_(w);
    for (unsigned i = 1; i < started; i++) {
        (void)pthread_join(w[i].thread, NULL);
    }
}

/* The launch ends with this block. */
static int fail_(struct smrf_exec_grid *g, struct smrf_exec_runner *r, int rc)
{
    g->open[g->count++] = r;
    smrf_exec_describe_(r, rc, g->error);
    return rc;
}

/* The grid goes on where the threads have stopped. */
static int resume_(struct team *c)
{
    struct smrf_exec_grid *g = c->grid;
    struct smrf_exec_runner *left = c->left;
    int rc = atomic_load(&c->report_rc);
    g->next = atomic_load(&c->order.oldest);
    g->threads = 1;
    if (rc < 0) {
        smrf_exec_free_(left);
        return fail_(g, c->unreported, rc);
    }
    if (left == NULL) {
        return 0;
    }
    rc = c->failed;
    if (rc >= 0 && left->block.live_threads == 0) {
        rc = smrf_exec_end_(left);
    }
    if (rc < 0) {
        return fail_(g, left, rc);
    }
    g->open[g->count++] = left;
    g->next++;
    g->clock = left->block.clock;
    return 0;
}

int smrf_exec_parallel_(struct smrf_exec_grid *g)
{
    const unsigned most = g->threads < SMRF_EXEC_MOST_THREADS ? g->threads : SMRF_EXEC_MOST_THREADS;
    struct team c = {.grid = g};
    struct worker worker[SMRF_EXEC_MOST_THREADS] = {0};
    unsigned threads = 0;
    atomic_store(&c.order.oldest, g->next);
    atomic_store(&c.order.clock, g->clock);
    atomic_store(&c.next, g->next);
    atomic_store(&c.reported, g->next);
    for (unsigned i = 0; i < SMRF_EXEC_MOST_THREADS; i++) {
        atomic_store(&c.order.position[i], SMRF_EXEC_NO_POSITION);
        atomic_store(&c.order.undo[i], SMRF_EXEC_NO_POSITION);
    }
    if (smrf_claims_prepare(g->launch->space)) {
        while (threads < most && prepare_(&worker[threads], &c, threads)) {
            threads++;
        }
    }
    g->error[0] = '\0';
    if (threads > 1) {
        start_(worker, threads);
    }
    const int rc = resume_(&c);
    for (unsigned i = 0; i < SMRF_EXEC_MOST_THREADS; i++) {
        smrf_exec_free_(worker[i].runner);
        smrf_claims_view_free(worker[i].view);
        smrf_claims_free(&worker[i].claims);
    }
    return rc;
}
