/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks read before they are asked for. One thread reads blocks and puts them at the end of
 * a ring; another takes them from its front. Each writes its own end only. A block carries the
 * state of the trace that may be shown once it has been handed out. Apart from that, the reading
 * thread owns what reading needs, and the other thread owns what has been handed out. */
#include "trace_internal.h"

#include <stdlib.h>

static uint32_t waiting_(const struct smrf_trace_ahead *a)
{
    return __atomic_load_n(&a->put, __ATOMIC_ACQUIRE) -
           __atomic_load_n(&a->taken, __ATOMIC_ACQUIRE);
}

static void see_(struct smrf_trace *t, struct smrf_trace_seen *seen)
{
    smrf_text_hash(&t->text);
    *seen = (struct smrf_trace_seen){t->totals, t->digest, t->warnings.count};
}

static void free_list_(struct smrf_trace_block **list)
{
    while (*list != NULL) {
        struct smrf_trace_block *next = (*list)->next;
        smrf_trace_free_block(*list);
        *list = next;
    }
}

void smrf_trace_ahead_room(struct smrf_trace *t, uint32_t blocks)
{
    struct smrf_trace_ahead *a = &t->ahead;
    free(a->ring);
    a->ring = blocks != 0 ? calloc(blocks, sizeof *a->ring) : NULL;
    a->room = a->ring != NULL ? blocks : 0;
    a->put = a->taken = 0;
}

/* Is there a block to read, and memory for it? Half of the memory for waiting instructions is left
 * to blocks that are asked for, so that reading early sends none of them to the temporary file. The
 * blocks before tell how much memory one takes. */
static bool wanted_(const struct smrf_trace *t)
{
    const struct smrf_trace_ahead *a = &t->ahead;
    return !a->ended && a->largest != 0 && waiting_(a) < a->room &&
           a->largest <= t->store.budget / 2 &&
           t->store.resident <= t->store.budget / 2 - a->largest;
}

/* Of fewer instructions another thread is hardly awake when they have been read. */
#define WORTH_WAKING 4096

/* .. and that of blocks that are likely to be there, and as long as those before. */
static bool worth_(const struct smrf_trace *t)
{
    const struct smrf_dim3 grid = t->header.info.grid;
    const uint64_t plane = (uint64_t)grid.x * grid.y, read = t->census.blocks;
    const uint32_t room = t->ahead.room - waiting_(&t->ahead);
    uint64_t blocks;
    blocks = __builtin_mul_overflow(plane, grid.z, &blocks) ? UINT64_MAX : blocks;
    blocks = blocks > read ? blocks - read : 0;
    blocks = blocks < room ? blocks : room;
    return blocks * (t->totals.warp_insts / t->totals.blocks) >= WORTH_WAKING;
}

bool smrf_trace_ahead_begin(struct smrf_trace *t)
{
    struct smrf_trace_ahead *a = &t->ahead;
    if (!t->open || !wanted_(t) || !worth_(t)) {
        smrf_trace_ahead_end(t);
        return false;
    }
    if (!a->hides) {
        see_(t, &a->seen);
        a->hides = true;
    }
    a->drop = a->back;
    a->back = NULL;
    a->under_way = true;
    __atomic_store_n(&a->stop, false, __ATOMIC_RELAXED);
    return true;
}

void smrf_trace_ahead_read(struct smrf_trace *t)
{
    struct smrf_trace_ahead *a = &t->ahead;
    free_list_(&a->drop);
    while (!__atomic_load_n(&a->stop, __ATOMIC_RELAXED) && wanted_(t)) {
        struct smrf_trace_waiting *w = &a->ring[a->put % a->room];
        w->rc = smrf_trace_read_block(t, &w->block);
        a->ended = w->rc <= 0;
        see_(t, &w->seen);
        __atomic_store_n(&a->put, a->put + 1, __ATOMIC_RELEASE);
    }
}

void smrf_trace_ahead_stop(struct smrf_trace *t)
{
    __atomic_store_n(&t->ahead.stop, true, __ATOMIC_RELAXED);
}

void smrf_trace_ahead_end(struct smrf_trace *t)
{
    struct smrf_trace_ahead *a = &t->ahead;
    a->under_way = false;
    free_list_(&a->drop); /* if no thread came to read */
    free_list_(&a->back);
}

bool smrf_trace_ahead_ready(const struct smrf_trace *t)
{
    return waiting_(&t->ahead) != 0;
}

int smrf_trace_ahead_take(struct smrf_trace *t, struct smrf_trace_block **block)
{
    struct smrf_trace_ahead *a = &t->ahead;
    const struct smrf_trace_waiting *w = &a->ring[a->taken % a->room];
    const int rc = w->rc;
    *block = w->block;
    a->seen = w->seen;
    __atomic_store_n(&a->taken, a->taken + 1, __ATOMIC_RELEASE);
    return rc;
}

void smrf_trace_ahead_clear(struct smrf_trace *t)
{
    struct smrf_trace_ahead *a = &t->ahead;
    struct smrf_trace_block *block;
    smrf_trace_ahead_end(t);
    while (smrf_trace_ahead_ready(t)) {
        if (smrf_trace_ahead_take(t, &block) > 0) {
            smrf_trace_free_block(block);
        }
    }
    a->hides = a->ended = false;
    a->largest = 0;
}
