/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/memory_estimate.h"

#include "models/common/smrf_apart.h"
#include "models/memory/l2_internal.h"
#include "models/memory/memory_internal.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint32_t words_(uint32_t members)
{
    return (members + 63) / 64;
}

size_t smrf_memory_estimate_bytes(const struct smrf_memory_config *cfg)
{
    return round_up_(cfg->gpu.sms * sizeof(struct smrf_sm_times)) +
           cfg->l2.slices * sizeof(struct smrf_slice_times) +
           round_up_(sizeof(struct smrf_reply_calendars)) +
           round_up_(smrf_wheel_bytes(words_(cfg->gpu.sms))) +
           round_up_(smrf_wheel_bytes(words_(cfg->l2.slices))) + smrf_dram_estimate_bytes(cfg);
}

void smrf_memory_estimate_init(struct smrf_memory *m, void *storage)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_memory_config *cfg = &m->cfg;
    unsigned char *p = storage;

    e->words = words_(cfg->gpu.sms);
    e->slice_words = words_(cfg->l2.slices);
    e->most = cfg->l2.mshrs < SMRF_MEMORY_UNDER_WAY ? cfg->l2.mshrs : SMRF_MEMORY_UNDER_WAY;
    e->sm = (struct smrf_sm_times *)(void *)p;
    p += round_up_(cfg->gpu.sms * sizeof *e->sm);
    e->slice = (struct smrf_slice_times *)(void *)p;
    p += cfg->l2.slices * sizeof *e->slice;
    e->calendar = (struct smrf_reply_calendars *)(void *)p;
    p += round_up_(sizeof *e->calendar);
    smrf_wheel_init(&e->entries, p, e->words);
    p += round_up_(smrf_wheel_bytes(e->words));
    smrf_wheel_init(&e->exits, p, e->slice_words);
    p += round_up_(smrf_wheel_bytes(e->slice_words));
    smrf_dram_estimate_init(&e->dram, p, &m->dram);
}

void smrf_memory_estimate_reset(struct smrf_memory *m)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_packets none = {SMRF_NOC_NONE, SMRF_NOC_NONE};

    for (uint32_t i = 0; i < m->cfg.gpu.sms; i++) {
        e->sm[i] = (struct smrf_sm_times){.requests = none};
    }
    for (uint32_t s = 0; s < m->cfg.l2.slices; s++) {
        e->slice[s] = (struct smrf_slice_times){.replies = none};
    }
    smrf_wheel_reset(&e->entries, e->words);
    smrf_wheel_reset(&e->exits, e->slice_words);
    smrf_calendar_reset(&e->calendar->ready);
    smrf_calendar_reset(&e->calendar->left);
    e->until = m->delay;
    smrf_dram_estimate_reset(&e->dram);
}

/* --- requests --------------------------------------------------------------------------------- */

/* The first request of an SM, which there is, has entered the network with its last flit. */
static inline uint64_t entered_(const struct smrf_memory *m, const struct smrf_sm_times *sm)
{
    const struct smrf_packet *packet = &m->packet[sm->requests.first];

    return smrf_l2_later(packet->ready, sm->sends) + m->request.flits[packet->kind] - 1;
}

void smrf_memory_estimate_append(struct smrf_memory *m, uint32_t i, struct smrf_packets more)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_sm_times *sm = &e->sm[i];

    if (sm->requests.first == SMRF_NOC_NONE) {
        sm->requests = more;
        smrf_wheel_add(&e->entries, e->words, entered_(m, sm), i);
    } else {
        m->packet[sm->requests.last].next = more.first;
        sm->requests.last = more.last;
    }
}

/* --- a slice ---------------------------------------------------------------------------------- */

static inline struct smrf_recent_sector *recent_(struct smrf_slice_times *t, uint64_t local)
{
    return &t->recent[local / SMRF_SECTOR_BYTES % SMRF_MEMORY_RECENT];
}

/* The first to end of all that a slice has under way comes to the place of the ring that is used
 * next. */
static SMRF_APART void bring_first_(struct smrf_memory *m, struct smrf_slice_times *t)
{
    uint64_t *ring = t->under_way, *first = &ring[t->place];
    const uint64_t last = *first;

    for (uint32_t i = 0; i < m->estimate.most; i++) {
        first = ring[i] < *first ? &ring[i] : first;
    }
    ring[t->place] = *first;
    *first = last;
}

/* The slice has room for something more under way to or from DRAM, in `cycle` or later. */
static inline uint64_t room_(struct smrf_memory *m, struct smrf_slice_times *t, uint64_t cycle)
{
    if (t->under_way[t->place] > cycle) {
        bring_first_(m, t);
    }
    return smrf_l2_later(t->under_way[t->place], cycle);
}

/* It has something under way from `cycle` on, until then. */
static inline void note_under_way_(struct smrf_memory *m, uint32_t s, uint64_t cycle,
                                   uint64_t until)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];

    (void)room_(m, t, cycle);
    t->under_way[t->place] = until;
    t->place = t->place + 1 < m->estimate.most ? t->place + 1 : 0;
}

/* A sector of a line that misses comes from DRAM. Returns when it is there. */
static uint64_t fetch_(struct smrf_memory *m, uint32_t s, uint32_t line, uint64_t local,
                       uint64_t cycle)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];
    const uint64_t there = smrf_dram_estimate_read(&m->estimate.dram, s, local, cycle) + 1;
    uint16_t note;

    (void)smrf_cache_fill_line(&m->l2.slice[s].cache, line, smrf_cache_sector_of(local), &note);
    m->l2.stats.fills++;
    note_under_way_(m, s, cycle, there);
    *recent_(t, local) = (struct smrf_recent_sector){local / SMRF_SECTOR_BYTES, there, 1};
    t->latest = smrf_l2_later(t->latest, there);
    return there;
}

/* l2.fetch_bytes: sectors around one that misses. */
static SMRF_APART void fetch_beside_(struct smrf_memory *m, uint32_t s,
                                     const struct smrf_cache_found *found, uint64_t cycle)
{
    struct smrf_cache *cache = &m->l2.slice[s].cache;
    const uint64_t bytes = m->cfg.l2.fetch_bytes, first = found->address / bytes * bytes;
    struct smrf_cache_found beside = *found;
    struct smrf_cache_victim none;

    beside.result = SMRF_CACHE_SECTOR_MISS;
    for (uint64_t at = first; at < first + bytes; at += SMRF_SECTOR_BYTES) {
        if (!smrf_cache_known(cache, found->line, smrf_cache_sector(at))) {
            beside.address = at;
            smrf_cache_read(cache, &beside, &none);
            (void)fetch_(m, s, found->line, at, cycle);
        }
    }
}

/* Returns the dirty sectors. */
static inline uint32_t write_back_(struct smrf_memory *m, uint32_t s,
                                   const struct smrf_cache_victim *victim, uint64_t cycle)
{
    m->l2.stats.evictions += victim->evicted;
    if (!victim->dirty) {
        return 0;
    }
    const uint32_t sectors = smrf_count_bits(victim->dirty);
    note_under_way_(
        m, s, cycle,
        smrf_dram_estimate_write(&m->estimate.dram, s, victim->address, sectors, cycle));
    m->l2.stats.write_backs += sectors;
    return sectors;
}

/* What a slice has, it answers one after the other. */
static inline uint64_t in_turn_(struct smrf_slice_times *t, uint64_t cycle)
{
    const uint64_t at = smrf_l2_later(t->reply, cycle);

    t->reply = at + 1;
    return at;
}

/* A read or an atomic that hits, in `cycle`. Returns when it can be answered: behind the slice's
 * earlier hits, or when its sector is there. As many as an MSHR merges wait for a sector; another
 * one holds the slice until then. */
static inline uint64_t hit_(struct smrf_memory *m, uint32_t s, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    struct smrf_slice_times *t = &m->estimate.slice[s];
    struct smrf_recent_sector *r = recent_(t, packet->address);

    if (t->latest > cycle && r->there > cycle && r->sector == packet->address / SMRF_SECTOR_BYTES) {
        if (r->merged < m->cfg.l2.mshr_merge) {
            r->merged++;
            m->l2.stats.merges[packet->kind]++;
            return r->there;
        }
        cycle = r->there;
        t->access = cycle + 1;
    }
    m->l2.stats.hits[packet->kind]++;
    return in_turn_(t, packet->kind == SMRF_MEM_ATOMIC ? smrf_l2_add(&m->l2, s, p, cycle) : cycle);
}

static inline uint64_t read_(struct smrf_memory *m, uint32_t s, uint32_t p,
                             const struct smrf_cache_found *found, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    struct smrf_cache *cache = &m->l2.slice[s].cache;
    struct smrf_cache_victim victim = {.evicted = false};
    uint64_t there;

    smrf_cache_read(cache, found, &victim);
    if (found->result == SMRF_CACHE_HIT) {
        there = hit_(m, s, p, cycle);
    } else {
        there = fetch_(m, s, found->line, packet->address, cycle);
        if (m->cfg.l2.fetch_bytes > SMRF_SECTOR_BYTES) {
            fetch_beside_(m, s, found, cycle);
        }
        (void)write_back_(m, s, &victim, cycle);
    }
    if (packet->kind == SMRF_MEM_ATOMIC) {
        (void)smrf_cache_mark_dirty(cache, packet->address, found->set, packet->bytes);
    }
    return there;
}

/* Returns when it can be answered, and for how long it occupies the slice: *cycles. */
static inline uint64_t write_(struct smrf_memory *m, uint32_t s, uint32_t p,
                              const struct smrf_cache_found *found, uint64_t cycle,
                              uint32_t *cycles)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];
    struct smrf_cache_victim victim;

    smrf_cache_write(&m->l2.slice[s].cache, found, m->packet[p].bytes, &victim);
    m->l2.stats.hits[SMRF_MEM_WRITE] += found->result == SMRF_CACHE_HIT;
    const uint32_t sectors = write_back_(m, s, &victim, cycle);
    *cycles = sectors ? sectors : 1;
    return in_turn_(t, cycle);
}

/* The access of a request in `cycle`, or as soon as there is room for what a miss takes. Returns
 * when it can be answered. */
static inline uint64_t access_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    const uint32_t s = packet->slice;
    struct smrf_l2_slice *slice = &m->l2.slice[s];
    const bool write = packet->kind == SMRF_MEM_WRITE;
    uint32_t cycles = 1;

    cycle = room_(m, &m->estimate.slice[s], cycle);
    const uint32_t set = smrf_l2_set(&m->l2, slice, packet->address);
    const struct smrf_cache_found found =
        smrf_cache_probe(&slice->cache, packet->address, set, write);
    const uint64_t there =
        write ? write_(m, s, p, &found, cycle, &cycles) : read_(m, s, p, &found, cycle);

    m->l2.stats.accesses[packet->kind]++;
    m->estimate.slice[s].access = smrf_l2_later(m->estimate.slice[s].access, cycle + cycles);
    return there;
}

/* The first request of an SM goes to its slice in `cycle`, or when the network's link to there is
 * free; those behind it wait. */
static inline void serve_(struct smrf_memory *m, uint32_t i, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_sm_times *sm = &e->sm[i];
    const uint32_t p = sm->requests.first;
    struct smrf_packet *packet = &m->packet[p];
    struct smrf_slice_times *t = &e->slice[packet->slice];
    const uint32_t flits = m->request.flits[packet->kind];
    const uint64_t taken = smrf_l2_later(t->link, cycle);

    t->link = taken + flits;
    sm->sends = taken + 1;
    sm->requests.first = packet->next;
    if (packet->next != SMRF_NOC_NONE) {
        smrf_wheel_add(&e->entries, e->words, entered_(m, sm), i);
    }
    m->request.flit_count += flits;
    m->moved[i]++;
    packet->ready =
        access_(m, p, smrf_l2_later(taken + m->delay, t->access)) + m->reply.flits[packet->kind];
    smrf_calendar_add(&e->calendar->ready, m->packet, p);
}

/* --- replies ---------------------------------------------------------------------------------- */

/* A reply leaves its slice in `cycle`, or when the link to its SM is free; those behind it wait. */
static inline void leave_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_packet *packet = &m->packet[p];
    struct smrf_sm_times *sm = &e->sm[packet->sm];
    const uint32_t flits = m->reply.flits[packet->kind];

    packet->ready = smrf_l2_later(sm->receives, cycle);
    e->slice[packet->slice].leaves = packet->ready + 1;
    sm->receives = packet->ready + flits;
    m->reply.flit_count += flits;
    smrf_calendar_add(&e->calendar->left, m->packet, p);
}

/* A reply that is ready in `cycle` leaves, or waits for its slice's earlier ones. */
static inline void come_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const uint32_t s = m->packet[p].slice;
    struct smrf_slice_times *t = &e->slice[s];
    const bool first = t->replies.first == SMRF_NOC_NONE;

    if (first && t->leaves <= cycle) {
        leave_(m, p, cycle);
        return;
    }
    smrf_packets_append(&t->replies, m->packet, p);
    if (first) {
        smrf_wheel_add(&e->exits, e->slice_words, t->leaves, s);
    }
}

/* The first of the replies that wait in a slice leaves in `cycle`. */
static void go_on_(struct smrf_memory *m, uint32_t s, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_slice_times *t = &e->slice[s];
    const uint32_t p = t->replies.first;

    if (t->leaves <= cycle) { /* else it lay too far ahead */
        t->replies.first = m->packet[p].next;
        leave_(m, p, cycle);
    }
    if (t->replies.first != SMRF_NOC_NONE) {
        smrf_wheel_add(&e->exits, e->slice_words, t->leaves, s);
    }
}

/* Replies that have left in one cycle arrive, in the order of their SMs. */
static inline void arrive_(struct smrf_memory *m, uint32_t p)
{
    const uint32_t before = m->answers;
    uint32_t next;

    for (; p != SMRF_NOC_NONE; p = next) {
        uint32_t at = m->answers++;

        next = m->packet[p].next;
        m->packet[p].ready += m->reply.way;
        for (; at > before && m->packet[m->answer[at - 1]].sm > m->packet[p].sm; at--) {
            m->answer[at] = m->answer[at - 1];
        }
        m->answer[at] = p;
    }
}

/* --- time ------------------------------------------------------------------------------------- */

static void serve_all_(struct smrf_memory *m, uint64_t now)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t woken[SMRF_WHEEL_MAX_WORDS], cycle;

    while ((cycle = smrf_wheel_next(&e->entries)) < now) {
        (void)smrf_wheel_take(&e->entries, e->words, cycle, woken);
        for (uint32_t w = 0; w < e->words; w++) {
            for (; woken[w]; woken[w] &= woken[w] - 1) {
                const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(woken[w]);
                const uint64_t at = entered_(m, &e->sm[i]);

                if (at > cycle) { /* it lay too far ahead */
                    smrf_wheel_add(&e->entries, e->words, at, i);
                } else {
                    serve_(m, i, cycle);
                    m->request.last = cycle;
                }
            }
        }
    }
    smrf_wheel_skip(&e->entries, now);
}

/* Replies that are ready before `end` go to their slices' queues, and leave these. */
static void leave_all_(struct smrf_memory *m, uint64_t end)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t woken[SMRF_WHEEL_MAX_WORDS], ready = smrf_calendar_next(&e->calendar->ready, e->until);
    uint32_t next;

    for (;;) {
        const uint64_t exits = smrf_wheel_next(&e->exits), cycle = ready < exits ? ready : exits;

        if (cycle >= end) {
            break;
        }
        if (ready == cycle) {
            for (uint32_t p = smrf_calendar_take(&e->calendar->ready, m->packet, cycle);
                 p != SMRF_NOC_NONE; p = next) {
                next = m->packet[p].next;
                come_(m, p, cycle);
            }
            ready = smrf_calendar_next(&e->calendar->ready, cycle + 1);
        }
        if (smrf_wheel_take(&e->exits, e->slice_words, cycle, woken)) {
            for (uint32_t w = 0; w < e->slice_words; w++) {
                for (; woken[w]; woken[w] &= woken[w] - 1) {
                    go_on_(m, w * 64 + (uint32_t)__builtin_ctzll(woken[w]), cycle);
                }
            }
        }
    }
    smrf_wheel_skip(&e->exits, end);
}

static void reply_all_(struct smrf_memory *m, uint64_t end)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_calendar *left = &e->calendar->left;
    uint64_t cycle;

    leave_all_(m, end);
    for (cycle = e->until; (cycle = smrf_calendar_next(left, cycle)) < end; cycle++) {
        arrive_(m, smrf_calendar_take(left, m->packet, cycle));
        m->reply.last = cycle;
    }
    e->until = end;
}

void smrf_memory_estimate_advance(struct smrf_memory *m, uint64_t now)
{
    serve_all_(m, now);
    reply_all_(m, now + m->delay);
    m->ahead = now;
}

uint64_t smrf_memory_estimate_enters(const struct smrf_memory *m)
{
    return smrf_wheel_next(&m->estimate.entries);
}

uint64_t smrf_memory_estimate_replies(const struct smrf_memory *m)
{
    const struct smrf_memory_estimate *e = &m->estimate;
    const uint64_t ready = smrf_calendar_next(&e->calendar->ready, e->until);
    const uint64_t left = smrf_calendar_next(&e->calendar->left, e->until);
    const uint64_t exits = smrf_wheel_next(&e->exits), first = left < ready ? left : ready;

    return exits < first ? exits : first;
}

void smrf_memory_estimate_kept(struct smrf_memory_stats *kept)
{
    kept->noc_request_wait_cycles = kept->noc_reply_wait_cycles = 0;
    kept->l2_mshr_full_cycles = kept->l2_merge_full_cycles = kept->l2_set_full_cycles = 0;
    kept->l2_write_full_cycles = kept->l2_reply_full_cycles = kept->l2_door_cycles = 0;
    kept->dram_turnarounds = kept->dram_queue_full_cycles = 0;
}
