/* SPDX-License-Identifier: Apache-2.0 */
#include "models/cache/cache.h"

#include "models/common/smrf_assert.h"

#include <string.h>

#define ALL_BYTES UINT32_MAX /* a sector has 32 bytes */

/* What stands in a bucket, or behind a line of it: a line, and a mark of its number's hash, as a
 * rule another one for another number. Neither is SMRF_CACHE_NO_LINE. */
#define MARK_BITS 7u
#define MARK_SHIFT 24u
#define LINE_MASK (SMRF_CACHE_MAX_LINES - 1)

#define NO_NUMBER UINT64_MAX /* of a way that is free, between lines that were kept */

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

/* Buckets of a set: a power of two, at least twice as many as its lines, so that a chain seldom has
 * a second one: how far to look is nothing that the host could predict. They lie together: who
 * looks for a line, and replaces another one of its set, finds both ways in one place. */
static uint32_t bucket_bits_(uint32_t ways)
{
    uint32_t bits = 1;

    while ((UINT32_C(1) << bits) < 2 * (uint64_t)ways) {
        bits++;
    }
    return bits;
}

static bool too_many_(uint32_t sets, uint32_t ways)
{
    return sets > SMRF_CACHE_MAX_SETS || (uint64_t)sets * ways > SMRF_CACHE_MAX_LINES;
}

size_t smrf_cache_bytes(uint32_t sets, uint32_t ways)
{
    uint32_t lines;

    if (sets == 0 || ways == 0 || too_many_(sets, ways)) {
        return 0;
    }
    lines = sets * ways;
    return round_up_(sets * sizeof(struct smrf_cache_set)) +
           round_up_((sets * sizeof(uint32_t)) << bucket_bits_(ways)) +
           round_up_(lines * sizeof(uint32_t)) + round_up_(lines * sizeof(struct smrf_cache_line)) +
           round_up_(lines * sizeof(struct smrf_cache_state)) +
           round_up_(lines * sizeof(struct smrf_cache_links)) +
           round_up_(lines * sizeof(struct smrf_cache_notes)) +
           round_up_(lines * sizeof(struct smrf_cache_written));
}

int smrf_cache_init(struct smrf_cache *c, void *storage, uint32_t sets, uint32_t ways)
{
    unsigned char *p = storage;
    uint32_t bits;

    if (sets == 0 || ways == 0) {
        return SMRF_ERR_INVAL;
    }
    if (too_many_(sets, ways)) {
        return SMRF_ERR_LIMIT;
    }
    bits = bucket_bits_(ways);
    *c = (struct smrf_cache){
        .sets = sets, .ways_allocated = ways, .ways = ways, .bucket_bits = bits};
    c->sets_a_line = smrf_cache_sets_a_line(ways);
    c->set = (struct smrf_cache_set *)(void *)p;
    p += round_up_(sets * sizeof(struct smrf_cache_set));
    c->bucket = (uint32_t *)(void *)p;
    p += round_up_((sets * sizeof(uint32_t)) << bits);
    c->chain = (uint32_t *)(void *)p;
    p += round_up_(sets * ways * sizeof(uint32_t));
    c->line = (struct smrf_cache_line *)(void *)p;
    p += round_up_(sets * ways * sizeof(struct smrf_cache_line));
    c->state = (struct smrf_cache_state *)(void *)p;
    p += round_up_(sets * ways * sizeof(struct smrf_cache_state));
    c->links = (struct smrf_cache_links *)(void *)p;
    p += round_up_(sets * ways * sizeof(struct smrf_cache_links));
    c->notes = (struct smrf_cache_notes *)(void *)p;
    p += round_up_(sets * ways * sizeof(struct smrf_cache_notes));
    c->written = (struct smrf_cache_written *)(void *)p;
    smrf_cache_reset(c);
    return SMRF_OK;
}

void smrf_cache_reset(struct smrf_cache *c)
{
    c->ways = c->ways_allocated;
    smrf_cache_invalidate_all(c);
}

/* No way of a set from here on is in use. */
static inline uint32_t reached_(const struct smrf_cache_set *s)
{
    return s->used > s->kept ? s->used : s->kept;
}

static void clear_set_(struct smrf_cache *c, uint32_t set)
{
    const struct smrf_cache_order empty = {SMRF_CACHE_NO_LINE, SMRF_CACHE_NO_LINE};

    memset(&c->bucket[(size_t)set << c->bucket_bits], 0xff, sizeof(*c->bucket) << c->bucket_bits);
    c->set[set] = (struct smrf_cache_set){.order = {empty, empty}};
}

static void forget_recent_(struct smrf_cache *c)
{
    c->dirty_lines = 0;
    c->recent_number = NO_NUMBER;
    c->recent = SMRF_CACHE_NO_LINE;
}

void smrf_cache_invalidate_all(struct smrf_cache *c)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        clear_set_(c, s);
    }
    forget_recent_(c);
}

void smrf_cache_give_up(struct smrf_cache *c, uint32_t set)
{
    const uint32_t first = set * c->ways_allocated;

    for (uint32_t i = first; i < first + reached_(&c->set[set]); i++) {
        const bool before = smrf_cache_is_dirty(&c->state[i]);

        c->state[i].pending = c->state[i].noted = 0;
        c->dirty_lines += !before && smrf_cache_is_dirty(&c->state[i]);
    }
    c->set[set].pending = 0;
}

int smrf_cache_set_ways(struct smrf_cache *c, uint32_t ways)
{
    if (ways == 0 || ways > c->ways_allocated) {
        return SMRF_ERR_INVAL;
    }
    if (ways != c->ways) {
        c->ways = ways;
        smrf_cache_invalidate_all(c);
    }
    return SMRF_OK;
}

void smrf_cache_keep_dirty(struct smrf_cache *c, uint32_t percent)
{
    c->keep_percent = percent;
}

/* Fibonacci hashing: neighbouring lines, and lines a power of two apart, spread evenly. The bits of
 * the bucket in its set, then those of the mark. */
static inline uint32_t hash_(const struct smrf_cache *c, uint64_t number)
{
    return (uint32_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - c->bucket_bits - MARK_BITS));
}

static inline uint32_t *bucket_(const struct smrf_cache *c, uint32_t set, uint32_t hash)
{
    return &c->bucket[((size_t)set << c->bucket_bits) + (hash >> MARK_BITS)];
}

static inline uint32_t mark_(uint32_t hash)
{
    return hash & ((1u << MARK_BITS) - 1);
}

uint32_t smrf_cache_search(const struct smrf_cache *c, uint64_t number, uint32_t set)
{
    const uint32_t hash = hash_(c, number);
    uint32_t at = *bucket_(c, set, hash);

    while (at != SMRF_CACHE_NO_LINE) {
        const uint32_t i = at & LINE_MASK;

        if (at >> MARK_SHIFT == mark_(hash) && c->line[i].number == number) {
            return i;
        }
        at = c->chain[i];
    }
    return SMRF_CACHE_NO_LINE;
}

/* Oldest line of an order without pending sectors. Pending lines are recent, so that the walk from
 * the old end seldom takes a second step. */
static uint32_t oldest_(const struct smrf_cache *c, const struct smrf_cache_order *o)
{
    uint32_t i = o->oldest;

    while (i != SMRF_CACHE_NO_LINE && c->state[i].pending) {
        i = c->links[i].newer;
    }
    return i;
}

static bool is_older_(const struct smrf_cache *c, uint32_t i, uint32_t than)
{
    const uint64_t stamp = c->line[i].stamp, other = c->line[than].stamp;

    return stamp < other || (stamp == other && i > than);
}

static bool keeps_dirty_(const struct smrf_cache *c)
{
    return (uint64_t)c->dirty_lines * 100 < (uint64_t)c->keep_percent * c->sets * c->ways;
}

/* An unused way, else the oldest that may be replaced. */
uint32_t smrf_cache_choose(const struct smrf_cache *c, uint32_t set)
{
    const struct smrf_cache_set *s = &c->set[set];
    uint32_t clean, dirty;

    if (s->used < c->ways) {
        return set * c->ways_allocated + s->used;
    }
    if (s->pending == c->ways) {
        return SMRF_CACHE_NO_LINE;
    }
    clean = oldest_(c, &s->order[0]);
    if (keeps_dirty_(c) && (clean != SMRF_CACHE_NO_LINE || s->pending > 0)) {
        return clean; /* none: a fill will bring one, or leave only dirty lines */
    }
    dirty = oldest_(c, &s->order[1]);
    if (clean == SMRF_CACHE_NO_LINE || dirty == SMRF_CACHE_NO_LINE) {
        return clean == SMRF_CACHE_NO_LINE ? dirty : clean;
    }
    return is_older_(c, clean, dirty) ? clean : dirty;
}

static void unlink_order_(struct smrf_cache *c, struct smrf_cache_order *o, uint32_t i)
{
    const struct smrf_cache_links l = c->links[i];

    *(l.newer == SMRF_CACHE_NO_LINE ? &o->newest : &c->links[l.newer].older) = l.older;
    *(l.older == SMRF_CACHE_NO_LINE ? &o->oldest : &c->links[l.older].newer) = l.newer;
}

/* Put line i between its neighbours. */
static inline void link_between_(struct smrf_cache *c, struct smrf_cache_order *o, uint32_t i,
                                 uint32_t newer, uint32_t older)
{
    c->links[i].newer = newer;
    c->links[i].older = older;
    *(older == SMRF_CACHE_NO_LINE ? &o->oldest : &c->links[older].newer) = i;
    *(newer == SMRF_CACHE_NO_LINE ? &o->newest : &c->links[newer].older) = i;
}

/* Put line i where its stamp belongs; that is nearly always the new end. */
static void link_order_(struct smrf_cache *c, struct smrf_cache_order *o, uint32_t i)
{
    uint32_t newer = SMRF_CACHE_NO_LINE, older = o->newest;

    while (older != SMRF_CACHE_NO_LINE && is_older_(c, i, older)) {
        newer = older;
        older = c->links[older].older;
    }
    link_between_(c, o, i, newer, older);
}

static void unlink_bucket_(struct smrf_cache *c, uint32_t i, uint32_t set)
{
    uint32_t *link = bucket_(c, set, hash_(c, c->line[i].number));

    while ((*link & LINE_MASK) != i) {
        link = &c->chain[*link & LINE_MASK];
    }
    *link = c->chain[i];
}

static inline void link_bucket_(struct smrf_cache *c, uint32_t i, uint64_t number, uint32_t set)
{
    const uint32_t hash = hash_(c, number);
    uint32_t *first = bucket_(c, set, hash);

    c->chain[i] = *first;
    *first = mark_(hash) << MARK_SHIFT | i;
}

void smrf_cache_renew(struct smrf_cache *c, struct smrf_cache_order *o, uint32_t line)
{
    unlink_order_(c, o, line);
    link_order_(c, o, line);
}

/* The next way to be taken into use, behind those that were kept. */
static void skip_kept_(struct smrf_cache *c, uint32_t set)
{
    struct smrf_cache_set *s = &c->set[set];
    const struct smrf_cache_line *line = &c->line[set * c->ways_allocated];

    while (s->used < s->kept && line[s->used].number != NO_NUMBER) {
        s->used++;
    }
}

void smrf_cache_allocate(struct smrf_cache *c, const struct smrf_cache_found *p,
                         struct smrf_cache_victim *victim)
{
    struct smrf_cache_set *s = &c->set[p->set];
    struct smrf_cache_state *l = &c->state[p->line];

    if (p->line == p->set * c->ways_allocated + s->used) {
        s->used++;
        skip_kept_(c, p->set);
    } else {
        SMRF_ASSERT(!l->pending);
        victim->evicted = true;
        victim->dirty = l->dirty;
        victim->address = c->line[p->line].number * SMRF_LINE_BYTES;
        if (l->dirty) {
            memcpy(victim->written, c->written[p->line].bytes, sizeof(victim->written));
        }
        unlink_order_(c, &s->order[l->dirty != 0], p->line);
        unlink_bucket_(c, p->line, p->set);
        c->dirty_lines -= smrf_cache_is_dirty(l);
    }
    *l = (struct smrf_cache_state){0};
    c->line[p->line].number = p->address / SMRF_LINE_BYTES;
    c->line[p->line].stamp = smrf_cache_stamp(c);
    link_bucket_(c, p->line, p->address / SMRF_LINE_BYTES, p->set);
    link_order_(c, &s->order[0], p->line);
}

static void dirty_(struct smrf_cache *c, uint32_t i, uint64_t address, uint32_t bytes)
{
    struct smrf_cache_state *l = &c->state[i];
    uint32_t *written = &c->written[i].bytes[smrf_cache_sector_of(address)];
    const unsigned bit = smrf_cache_sector(address);
    const bool before = smrf_cache_is_dirty(l);

    if (!l->dirty) {
        struct smrf_cache_set *s = &c->set[smrf_cache_set_of(c, i)];

        c->written[i] = (struct smrf_cache_written){0};
        unlink_order_(c, &s->order[0], i);
        link_order_(c, &s->order[1], i);
    }
    *written |= bytes;
    l->dirty = (uint8_t)(l->dirty | bit);
    if (*written == ALL_BYTES) {
        l->valid = (uint8_t)(l->valid | bit);
    }
    c->dirty_lines += !before && smrf_cache_is_dirty(l);
}

void smrf_cache_write(struct smrf_cache *c, const struct smrf_cache_found *p, uint32_t bytes,
                      struct smrf_cache_victim *victim)
{
    smrf_cache_use(c, p, victim);
    dirty_(c, p->line, p->address, bytes);
}

bool smrf_cache_fill(struct smrf_cache *c, uint64_t address, uint32_t set)
{
    const uint32_t i = smrf_cache_find(c, address / SMRF_LINE_BYTES, set);
    uint16_t note;

    return i != SMRF_CACHE_NO_LINE &&
           smrf_cache_fill_line(c, i, smrf_cache_sector_of(address), &note);
}

/* Lines with a pending sector stay where they are; the ways between them are free. */
static void empty_around_pending_(struct smrf_cache *c, uint32_t set)
{
    const struct smrf_cache_set before = c->set[set];
    const uint32_t first = set * c->ways_allocated;
    struct smrf_cache_set *s = &c->set[set];

    clear_set_(c, set);
    s->pending = before.pending;
    s->kept = reached_(&before);
    for (uint32_t i = first; i < first + s->kept; i++) {
        struct smrf_cache_state *l = &c->state[i];

        if (l->pending) {
            l->valid = l->dirty = 0;
            link_bucket_(c, i, c->line[i].number, set);
            link_order_(c, &s->order[0], i);
        } else {
            c->line[i].number = NO_NUMBER;
        }
    }
    skip_kept_(c, set);
}

void smrf_cache_empty(struct smrf_cache *c)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        if (c->set[s].pending) {
            empty_around_pending_(c, s);
        } else {
            clear_set_(c, s);
        }
    }
    forget_recent_(c);
}

void smrf_cache_approach(const struct smrf_cache *c, uint64_t address, uint32_t set)
{
    smrf_prefetch(bucket_(c, set, hash_(c, address / SMRF_LINE_BYTES)));
    smrf_prefetch(&c->set[set]);
}

void smrf_cache_expect_access(const struct smrf_cache *c, uint64_t address, uint32_t set)
{
    const struct smrf_cache_set *s = &c->set[set];
    const struct smrf_cache_order *o = &s->order[0];
    const uint32_t hash = hash_(c, address / SMRF_LINE_BYTES), at = *bucket_(c, set, hash);

    if (at != SMRF_CACHE_NO_LINE) {
        if (at >> MARK_SHIFT == mark_(hash)) {
            smrf_prefetch(&c->line[at & LINE_MASK]);
            return;
        }
        smrf_prefetch(&c->chain[at & LINE_MASK]);
    }
    if (s->used < c->ways) {
        smrf_prefetch(&c->line[set * c->ways_allocated + s->used]);
    } else if (o->oldest != SMRF_CACHE_NO_LINE) {
        smrf_prefetch(&c->line[o->oldest]);
        smrf_prefetch(&c->links[o->oldest]);
    }
}

bool smrf_cache_mark_dirty(struct smrf_cache *c, uint64_t address, uint32_t set, uint32_t bytes)
{
    uint32_t i = smrf_cache_find(c, address / SMRF_LINE_BYTES, set);

    if (i == SMRF_CACHE_NO_LINE) {
        return false;
    }
    dirty_(c, i, address, bytes);
    return true;
}

bool smrf_cache_probe_valid(const struct smrf_cache *c, uint64_t address, uint32_t set)
{
    uint32_t i = smrf_cache_find(c, address / SMRF_LINE_BYTES, set);

    return i != SMRF_CACHE_NO_LINE && (c->state[i].valid & smrf_cache_sector(address));
}
