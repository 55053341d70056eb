/* SPDX-License-Identifier: Apache-2.0 */
/* A slice of the memory without cycles: what a request finds in it, and when it is answered. */
#include "models/common/smrf_apart.h"
#include "models/memory/l2_internal.h"
#include "models/memory/memory_internal.h"

static inline struct smrf_recent_sector *recent_(struct smrf_slice_times *t, uint64_t local)
{
    return &t->recent[local / SMRF_SECTOR_BYTES % SMRF_MEMORY_RECENT];
}

static inline void note_under_way_(struct smrf_memory *m, uint32_t s, uint64_t cycle,
                                   uint64_t until)
{
    smrf_under_way_note(&m->estimate.slice[s].under_way, m->estimate.most, cycle, until);
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

/* The access of a request in `cycle`, with room for what a miss takes. Returns when it can be
 * answered. */
static inline uint64_t access_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &m->packet[p];
    const uint32_t s = packet->slice;
    struct smrf_l2_slice *slice = &m->l2.slice[s];
    const bool write = packet->kind == SMRF_MEM_WRITE;
    uint32_t cycles = 1;

    const uint32_t set = smrf_l2_set(&m->l2, slice, packet->address);
    const struct smrf_cache_found found =
        smrf_cache_probe(&slice->cache, packet->address, set, write);
    const uint64_t there =
        write ? write_(m, s, p, &found, cycle, &cycles) : read_(m, s, p, &found, cycle);

    m->l2.stats.accesses[packet->kind]++;
    m->estimate.slice[s].access = smrf_l2_later(m->estimate.slice[s].access, cycle + cycles);
    return there;
}

uint64_t smrf_slice_estimate_free(struct smrf_memory *m, uint32_t s, uint64_t cycle)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];

    return smrf_under_way_room(&t->under_way, m->estimate.most, smrf_l2_later(t->access, cycle));
}

void smrf_slice_estimate_use(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    struct smrf_packet *packet = &m->packet[p];

    packet->ready = access_(m, p, cycle) + m->reply.flits[packet->kind];
    smrf_calendar_add(&m->estimate.calendar->ready, m->packet, p);
}
