/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/memory_estimate.h"

#include "models/common/smrf_apart.h"
#include "models/memory/l2_internal.h"
#include "models/memory/memory_internal.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint32_t words_(const struct smrf_memory_config *cfg)
{
    return (cfg->gpu.sms + 63) / 64;
}

size_t smrf_memory_estimate_bytes(const struct smrf_memory_config *cfg)
{
    return round_up_(cfg->gpu.sms * sizeof(struct smrf_sm_times)) +
           cfg->l2.slices * sizeof(struct smrf_slice_times) +
           round_up_(sizeof(struct smrf_calendar)) + round_up_(smrf_wheel_bytes(words_(cfg))) +
           smrf_dram_estimate_bytes(cfg);
}

void smrf_memory_estimate_init(struct smrf_memory *m, void *storage)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_memory_config *cfg = &m->cfg;
    unsigned char *p = storage;

    e->words = words_(cfg);
    e->sm = (struct smrf_sm_times *)(void *)p;
    p += round_up_(cfg->gpu.sms * sizeof *e->sm);
    e->slice = (struct smrf_slice_times *)(void *)p;
    p += cfg->l2.slices * sizeof *e->slice;
    e->replies = (struct smrf_calendar *)(void *)p;
    p += round_up_(sizeof *e->replies);
    smrf_wheel_init(&e->entries, p, e->words);
    p += round_up_(smrf_wheel_bytes(e->words));
    smrf_dram_estimate_init(&e->dram, p, &m->dram);
    smrf_memory_estimate_reset(m);
}

void smrf_memory_estimate_reset(struct smrf_memory *m)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_packets none = {SMRF_NOC_NONE, SMRF_NOC_NONE};

    for (uint32_t i = 0; i < m->cfg.gpu.sms; i++) {
        e->sm[i] = (struct smrf_sm_times){.requests = none, .replies = none};
    }
    for (uint32_t s = 0; s < m->cfg.l2.slices; s++) {
        e->slice[s] = (struct smrf_slice_times){0};
    }
    smrf_wheel_reset(&e->entries, e->words);
    smrf_calendar_reset(e->replies);
    memset(e->waiting, 0, sizeof e->waiting);
    e->until = m->delay;
    smrf_dram_estimate_reset(&e->dram);
}

static inline uint64_t later_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- requests --------------------------------------------------------------------------------- */

/* The first request of an SM, which there is, has entered the network with its last flit. */
static inline uint64_t entered_(const struct smrf_memory *m, const struct smrf_sm_times *sm)
{
    const struct smrf_packet *packet = &m->packet[sm->requests.first];

    return later_(packet->ready, sm->sends) + m->request.flits[packet->kind] - 1;
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

/* A sector of a line that misses comes from DRAM. Returns when it is there. */
static uint64_t fetch_(struct smrf_memory *m, uint32_t s, uint32_t line, uint64_t local,
                       uint64_t cycle)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];
    const uint64_t there = smrf_dram_estimate_read(&m->estimate.dram, s, local, cycle) + 1;
    uint16_t note;

    (void)smrf_cache_fill_line(&m->l2.slice[s].cache, line, smrf_cache_sector_of(local), &note);
    m->l2.stats.fills++;
    *recent_(t, local) = (struct smrf_recent_sector){local / SMRF_SECTOR_BYTES, there};
    t->latest = later_(t->latest, there);
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
    smrf_dram_estimate_write(&m->estimate.dram, s, victim->address, sectors, cycle);
    m->l2.stats.write_backs += sectors;
    return sectors;
}

/* A read or an atomic that hits, in `cycle`. Returns when it can be answered: behind the slice's
 * earlier hits, or when its sector is there. */
static inline uint64_t hit_(struct smrf_memory *m, uint32_t s, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    struct smrf_slice_times *t = &m->estimate.slice[s];
    const struct smrf_recent_sector *r = recent_(t, packet->address);

    if (t->latest > cycle && r->there > cycle && r->sector == packet->address / SMRF_SECTOR_BYTES) {
        m->l2.stats.merges[packet->kind]++;
        return r->there;
    }
    m->l2.stats.hits[packet->kind]++;
    t->reply = later_(t->reply,
                      packet->kind == SMRF_MEM_ATOMIC ? smrf_l2_add(&m->l2, s, p, cycle) : cycle) +
               1;
    return t->reply - 1;
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
    t->reply = later_(t->reply, cycle) + 1;
    return t->reply - 1;
}

/* The access of a request in `cycle`. Returns when it can be answered. */
static inline uint64_t access_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    const uint32_t s = packet->slice;
    struct smrf_l2_slice *slice = &m->l2.slice[s];
    const bool write = packet->kind == SMRF_MEM_WRITE;
    uint32_t cycles = 1;

    if (packet->address / SMRF_LINE_BYTES != slice->line) {
        slice->line = packet->address / SMRF_LINE_BYTES;
        slice->set = smrf_map_set(&m->map, packet->address);
    }
    const struct smrf_cache_found found =
        smrf_cache_probe(&slice->cache, packet->address, slice->set, write);
    const uint64_t there =
        write ? write_(m, s, p, &found, cycle, &cycles) : read_(m, s, p, &found, cycle);

    m->l2.stats.accesses[packet->kind]++;
    m->estimate.slice[s].access = cycle + cycles;
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
    const uint64_t taken = later_(t->link, cycle);

    t->link = taken + flits;
    sm->sends = taken + 1;
    sm->requests.first = packet->next;
    if (packet->next != SMRF_NOC_NONE) {
        smrf_wheel_add(&e->entries, e->words, entered_(m, sm), i);
    }
    m->request.flit_count += flits;
    m->moved[i]++;
    packet->ready =
        access_(m, p, later_(taken + m->delay, t->access)) + m->reply.flits[packet->kind];
    smrf_calendar_add(e->replies, m->packet, p);
}

/* --- replies ---------------------------------------------------------------------------------- */

/* An SM takes one reply. Returns whether another waits. */
static inline bool receive_(struct smrf_memory *m, uint32_t i, uint64_t cycle)
{
    struct smrf_sm_times *sm = &m->estimate.sm[i];
    const uint32_t p = sm->replies.first;
    struct smrf_packet *packet = &m->packet[p];
    const uint32_t flits = m->reply.flits[packet->kind];

    if (sm->receives > cycle) {
        return true;
    }
    sm->receives = cycle + flits;
    sm->replies.first = packet->next;
    m->reply.flit_count += flits;
    packet->ready = cycle + m->reply.way;
    m->answer[m->answers++] = p;
    return sm->replies.first != SMRF_NOC_NONE;
}

/* Replies that are ready wait for their SMs. */
static inline void leave_(struct smrf_memory *m, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint32_t next;

    for (uint32_t p = smrf_calendar_take(e->replies, m->packet, cycle); p != SMRF_NOC_NONE;
         p = next) {
        const uint32_t i = m->packet[p].sm;

        next = m->packet[p].next;
        smrf_packets_append(&e->sm[i].replies, m->packet, p);
        e->waiting[i / 64] |= UINT64_C(1) << i % 64;
    }
}

/* SMs take replies. Returns whether others wait. */
static inline bool receive_all_(struct smrf_memory *m, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t more = 0;

    for (uint32_t w = 0; w < e->words; w++) {
        for (uint64_t left = e->waiting[w]; left; left &= left - 1) {
            const bool stays = receive_(m, w * 64 + (uint32_t)__builtin_ctzll(left), cycle);

            e->waiting[w] &= ~(stays ? 0 : left & -left);
        }
        more |= e->waiting[w];
    }
    return more != 0;
}

static bool any_waits_(const struct smrf_memory_estimate *e)
{
    uint64_t any = 0;

    for (uint32_t w = 0; w < e->words; w++) {
        any |= e->waiting[w];
    }
    return any != 0;
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

static void reply_all_(struct smrf_memory *m, uint64_t end)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t cycle = e->until;

    for (bool waits = any_waits_(e);; cycle++) {
        cycle = waits ? cycle : smrf_calendar_next(e->replies, cycle);
        if (cycle >= end) {
            break;
        }
        leave_(m, cycle);
        waits = receive_all_(m, cycle);
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

    return any_waits_(e) ? e->until : smrf_calendar_next(e->replies, e->until);
}

void smrf_memory_estimate_kept(struct smrf_memory_stats *kept)
{
    kept->noc_request_wait_cycles = kept->noc_reply_wait_cycles = 0;
    kept->l2_mshr_full_cycles = kept->l2_merge_full_cycles = kept->l2_set_full_cycles = 0;
    kept->l2_write_full_cycles = kept->l2_reply_full_cycles = kept->l2_door_cycles = 0;
    kept->dram_turnarounds = kept->dram_queue_full_cycles = 0;
}
