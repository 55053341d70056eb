/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "firmware/exec/claims.h"
#include "firmware/exec/space_internal.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A claim is on 32 bytes. Four of them share a word of 64 bits: of 16 bits each, the lower 8 say
 * which threads have read, the upper 8 which have written. */
#define PART UINT64_C(32)
#define WORD (4 * PART)
#define WRITTEN 8U
/* What most ranges are in a launch is only read. A block that reads one claims all of it, in
 * `readers` with the bit of its thread, until a block writes to the range: from then on parts are
 * claimed. */
#define IN_PARTS (UINT64_C(1) << SMRF_EXEC_MOST_THREADS)
#define ALL_READERS (IN_PARTS - 1)

struct smrf_exec_claimed {
    _Atomic uint64_t *word;
    uint64_t bits;
};

struct smrf_exec_saved {
    uint8_t *at, bytes;
    uint8_t before[PART];
};

bool smrf_claims_prepare(struct smrf_memory_space *space)
{
    bool ok = space->backing.read == NULL;
    for (size_t i = 0; ok && i < space->count; i++) {
        struct smrf_space_range *r = &space->range[i];
        if (r->claim == NULL && r->bytes != 0) { /* zeros, which take no memory until used */
            r->claim = calloc((size_t)((r->bytes + WORD - 1) / WORD), sizeof *r->claim);
            ok = r->claim != NULL;
        }
        r->readers = 0;
    }
    return ok;
}

struct smrf_memory_space *smrf_claims_view(struct smrf_memory_space *space,
                                           struct smrf_exec_claims *claims)
{
    struct smrf_memory_space *view = malloc(sizeof *view);
    if (view != NULL) {
        *view = *space;
        view->origin = space;
        view->claims = claims;
    }
    return view;
}

void smrf_claims_view_free(struct smrf_memory_space *view)
{
    free(view);
}

void smrf_claims_begin(struct smrf_exec_claims *c, uint64_t position)
{
    c->position = position;
    c->undone = false;
    atomic_store(&c->order->undo[c->slot], SMRF_EXEC_NO_POSITION);
    atomic_store(&c->order->position[c->slot], position);
}

void smrf_claims_pause(unsigned *rounds)
{
    if (++*rounds < 64) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    } else if (*rounds < 96) {
        (void)sched_yield();
    } else {
        (void)usleep(50);
    }
}

static bool is_oldest_(const struct smrf_exec_claims *c)
{
    return atomic_load(&c->order->oldest) == c->position;
}

/* The oldest is not undone any more: its claims need not be saved. A request that it has not seen
 * before it became the oldest is over, since whoever made it has ended. */
bool smrf_claims_undone(struct smrf_exec_claims *c)
{
    const struct smrf_exec_order *o = c->order;
    if (!c->undone && !is_oldest_(c)) {
        c->undone = atomic_load(&o->undo[c->slot]) == c->position || atomic_load(&o->closing);
    }
    return c->undone;
}

/* Waits until every block up to `position` has ended. */
static bool wait_for_(struct smrf_exec_claims *c, uint64_t position)
{
    for (unsigned rounds = 0; atomic_load(&c->order->oldest) <= position;) {
        if (smrf_claims_undone(c)) {
            return false;
        }
        smrf_claims_pause(&rounds);
    }
    return !smrf_claims_undone(c);
}

bool smrf_claims_wait(struct smrf_exec_claims *c)
{
    return c->position == 0 ? !smrf_claims_undone(c) : wait_for_(c, c->position - 1);
}

bool smrf_claims_settle(struct smrf_exec_block *b)
{
    if (b->claims != NULL && !smrf_claims_wait(b->claims)) {
        return false;
    }
    b->clock_base = b->claims != NULL ? atomic_load(&b->claims->order->clock) : b->clock_base;
    return true;
}

static void close_(const struct smrf_exec_claims *c)
{
    atomic_store(&c->order->closing, true);
    for (unsigned rounds = 0; atomic_load(&c->order->active) > 1;) {
        smrf_claims_pause(&rounds);
    }
}

bool smrf_claims_alone(struct smrf_exec_block *b)
{
    struct smrf_exec_claims *c = b->claims;
    if (!smrf_claims_settle(b) || c == NULL) {
        return c == NULL;
    }
    close_(c);
    smrf_claims_release(c);
    b->space = b->space->origin;
    b->claims = NULL;
    return true;
}

/* ---- a word of claims ------------------------------------------------------------------------ */

static bool note_(struct smrf_exec_claims *c, _Atomic uint64_t *word, uint64_t bits)
{
    if (c->num_claimed == c->claimed_room) {
        const size_t room = 2 * c->claimed_room + 1024;
        struct smrf_exec_claimed *grown = realloc(c->claimed, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        c->claimed = grown;
        c->claimed_room = room;
    }
    c->claimed[c->num_claimed++] = (struct smrf_exec_claimed){.word = word, .bits = bits};
    return true;
}

static bool save_(struct smrf_exec_claims *c, uint8_t *at, uint64_t bytes)
{
    if (c->num_saved == c->saved_room) {
        const size_t room = 2 * c->saved_room + 1024;
        struct smrf_exec_saved *grown = realloc(c->saved, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        c->saved = grown;
        c->saved_room = room;
    }
    struct smrf_exec_saved *s = &c->saved[c->num_saved++];
    s->at = at;
    s->bytes = (uint8_t)(bytes < PART ? bytes : PART);
    memcpy(s->before, at, s->bytes);
    return true;
}

/* The latest older block that a conflicting claim is of; younger ones are told to undo. */
static bool older_(const struct smrf_exec_claims *c, uint64_t conflict, uint64_t *latest)
{
    struct smrf_exec_order *o = c->order;
    bool any = false;
    conflict |= conflict >> 32;
    conflict |= conflict >> 16;
    conflict |= conflict >> 8;
    for (unsigned s = 0; s < SMRF_EXEC_MOST_THREADS; s++) {
        const uint64_t position = atomic_load(&o->position[s]);
        if ((conflict >> s & 1) == 0 || s == c->slot) {
            continue;
        }
        if (position > c->position) {
            atomic_store(&o->undo[s], position);
        } else if (!any || position > *latest) {
            any = true;
            *latest = position;
        }
    }
    return any;
}

/* Adds bits that the block has not yet to a word, once no other block has any of `foreign`. Bits
 * that wait for a younger block stay, so that it cannot claim the same again before. */
static bool take_(struct smrf_exec_claims *c, _Atomic uint64_t *word, uint64_t bits,
                  uint64_t foreign)
{
    unsigned rounds = 0;
    for (;;) {
        const uint64_t old = atomic_fetch_or(word, bits);
        uint64_t latest = 0;
        if ((old & foreign) == 0) {
            return true;
        }
        if (older_(c, old & foreign, &latest)) {
            (void)atomic_fetch_and(word, ~bits);
            if (!wait_for_(c, latest)) {
                return false;
            }
            continue;
        }
        if (smrf_claims_undone(c)) {
            (void)atomic_fetch_and(word, ~bits);
            return false;
        }
        smrf_claims_pause(&rounds);
    }
}

/* There is no room to note what the block does. Whether it may do it all the same: the oldest one
 * may when it is alone. */
static bool lacks_memory_(struct smrf_exec_claims *c)
{
    if (is_oldest_(c)) {
        close_(c);
        return true;
    }
    c->undone = true;
    atomic_store(&c->order->closing, true);
    return false;
}

/* parts: bit 16 i = the word's i-th 32 bytes. data: where the word's bytes lie, of which there are
 * `bytes` to the end of the range. */
static bool claim_word_(struct smrf_exec_claims *c, uint64_t *claim, uint64_t parts, bool write,
                        uint8_t *data, uint64_t bytes)
{
    _Atomic uint64_t *word = (_Atomic uint64_t *)claim;
    const uint64_t held = atomic_load_explicit(word, memory_order_relaxed);
    const uint64_t has = (write ? held >> WRITTEN : held | held >> WRITTEN) >> c->slot;
    const uint64_t missing = parts & ~has;
    if (missing == 0) {
        return true;
    }
    const uint64_t bits = missing << (write ? c->slot + WRITTEN : c->slot);
    const uint64_t all = missing * 0xff, own = (missing | missing << WRITTEN) << c->slot;
    const uint64_t foreign = (all << WRITTEN | (write ? all : 0)) & ~own;
    if (!take_(c, word, bits, foreign)) {
        return false;
    }
    if (!note_(c, word, bits)) {
        (void)atomic_fetch_and(word, ~bits);
        return lacks_memory_(c);
    }
    for (unsigned i = 0; i < 4 && write && !is_oldest_(c); i++) {
        if ((missing >> 16 * i & 1) != 0 && !save_(c, data + i * PART, bytes - i * PART)) {
            return lacks_memory_(c);
        }
    }
    return true;
}

/* Claims all of a range for reading, unless blocks write to it. */
static bool read_all_(struct smrf_exec_claims *c, struct smrf_space_range *r)
{
    _Atomic uint64_t *readers = (_Atomic uint64_t *)&r->readers;
    const uint64_t own = UINT64_C(1) << c->slot;
    const uint64_t now = atomic_load(readers);
    if ((now & IN_PARTS) != 0 || (now & own) != 0) {
        return (now & IN_PARTS) == 0;
    }
    if (!note_(c, readers, own)) {
        return false;
    }
    if ((atomic_fetch_or(readers, own) & IN_PARTS) == 0) {
        return true;
    }
    (void)atomic_fetch_and(readers, ~own); /* a block has begun to write meanwhile */
    return false;
}

/* From now on the range is claimed in parts. False: the block is to be undone. */
static bool begin_to_write_(struct smrf_exec_claims *c, struct smrf_space_range *r)
{
    _Atomic uint64_t *readers = (_Atomic uint64_t *)&r->readers;
    const uint64_t others = ALL_READERS & ~(UINT64_C(1) << c->slot);
    unsigned rounds = 0;
    uint64_t now = atomic_load(readers);
    while ((now & (others | IN_PARTS)) != IN_PARTS) {
        uint64_t latest = 0;
        now = atomic_fetch_or(readers, IN_PARTS) | IN_PARTS;
        if ((now & others) == 0) {
            break;
        }
        if (older_(c, now & others, &latest) ? !wait_for_(c, latest) : smrf_claims_undone(c)) {
            return false;
        }
        smrf_claims_pause(&rounds);
    }
    return true;
}

/* Bytes [from, end) of a range. */
static bool claim_(struct smrf_exec_claims *c, struct smrf_space_range *r, uint64_t from,
                   uint64_t end, bool write)
{
    if (write ? !begin_to_write_(c, r) : read_all_(c, r)) {
        return !write;
    }
    for (uint64_t word = from / WORD; word <= (end - 1) / WORD; word++) {
        const uint64_t base = word * WORD;
        const unsigned first = from > base ? (unsigned)((from - base) / PART) : 0;
        const unsigned last = end - base < WORD ? (unsigned)((end - base - 1) / PART) : 3;
        uint64_t parts = 0;
        for (unsigned i = first; i <= last; i++) {
            parts |= UINT64_C(1) << 16 * i;
        }
        if (!claim_word_(c, &r->claim[word], parts, write, r->data + base, r->bytes - base)) {
            return false;
        }
    }
    return true;
}

/* The process's own memory is only touched by a block that is not going to be undone. */
static bool may_touch_(struct smrf_exec_claims *c, const struct smrf_space_range *r)
{
    return !smrf_claims_undone(c) && (!r->host || smrf_claims_wait(c));
}

void *smrf_claims_lanes(struct smrf_exec_block *b, uint32_t mask, uint64_t low, uint64_t high,
                        uint32_t bytes, bool write)
{
    struct smrf_space_range *r = smrf_space_range_of(b->space, low);
    const uint64_t span = high - low + bytes;
    if (r == NULL || r->bytes - (low - r->address) < span || !may_touch_(b->claims, r)) {
        return NULL;
    }
    const uint64_t from = low - r->address;
    if (span <= (uint64_t)(unsigned)__builtin_popcount(mask) * bytes) { /* no gaps, most likely */
        return claim_(b->claims, r, from, from + span, write) ? r->data + from : NULL;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const uint64_t at = b->address[__builtin_ctz(rest)] - r->address;
        if (!claim_(b->claims, r, at, at + bytes, write)) {
            return NULL;
        }
    }
    return r->data + from;
}

void *smrf_space_use(struct smrf_memory_space *space, uint64_t address, uint64_t bytes, bool write)
{
    if (space->claims == NULL) {
        return smrf_space_at(space, address, bytes);
    }
    struct smrf_space_range *r = smrf_space_range_of(space, address);
    if (r == NULL || r->bytes - (address - r->address) < bytes || bytes == 0 ||
        !may_touch_(space->claims, r)) {
        return NULL;
    }
    const uint64_t from = address - r->address;
    return claim_(space->claims, r, from, from + bytes, write) ? r->data + from : NULL;
}

/* ---- a block's end --------------------------------------------------------------------------- */

void smrf_claims_release(struct smrf_exec_claims *c)
{
    for (size_t i = 0; i < c->num_claimed; i++) {
        (void)atomic_fetch_and(c->claimed[i].word, ~c->claimed[i].bits);
    }
    c->num_claimed = c->num_saved = 0;
}

void smrf_claims_undo(struct smrf_exec_claims *c)
{
    for (size_t i = 0; i < c->num_saved; i++) {
        memcpy(c->saved[i].at, c->saved[i].before, c->saved[i].bytes);
    }
    smrf_claims_release(c);
}

void smrf_claims_free(struct smrf_exec_claims *c)
{
    free(c->claimed);
    free(c->saved);
}
