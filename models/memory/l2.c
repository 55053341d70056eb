/* SPDX-License-Identifier: Apache-2.0 */
/* A slice: its accesses, sectors from DRAM and answers. When they come: l2_channel.c. */
#include "models/memory/l2_internal.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"
#include "models/common/smrf_prefetch.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

size_t smrf_l2_bytes(const struct smrf_memory_config *cfg)
{
    size_t cache = smrf_cache_bytes(cfg->l2.sets, cfg->l2.ways);
    size_t mshr = smrf_mshr_bytes(cfg->l2.mshrs, cfg->l2.mshr_merge);

    if (cache == 0 || mshr == 0) {
        return 0;
    }
    return round_up_(cfg->l2.slices * sizeof(struct smrf_l2_slice)) +
           cfg->l2.slices * (round_up_(cache) + round_up_(mshr)) +
           round_up_(cfg->l2.slices * sizeof(struct smrf_l2_door)) +
           round_up_(cfg->l2.slices * SMRF_L2_DOOR_RINGS * smrf_l2_door_words(cfg) *
                     sizeof(uint64_t)) +
           round_up_(cfg->l2.slices * sizeof(uint64_t)) +
           round_up_(cfg->dram.channels * (sizeof(uint64_t) + sizeof(uint32_t)));
}

/* A read's tag at the DRAM: the line, its sector and the packet that it is for. */
static uint64_t tag_(uint32_t line, uint64_t local, uint32_t p)
{
    return (uint64_t)p << 32 | smrf_cache_sector_of(local) << 24 | line;
}

static uint32_t line_of_(uint64_t tag)
{
    return (uint32_t)tag & (SMRF_CACHE_MAX_LINES - 1);
}

/* A sector for slice s is on its way: prefetch what it fills. */
static void expect_fill_(void *ctx, uint32_t s, uint64_t tag)
{
    const struct smrf_l2 *l = ctx;

    smrf_cache_expect_fill(&l->slice[s].cache, line_of_(tag));
    if (tag >> 32 != SMRF_NOC_NONE) {
        smrf_prefetch(&l->packet[tag >> 32]);
    }
}

void smrf_l2_init(struct smrf_l2 *l, void *storage, const struct smrf_memory_config *cfg,
                  const struct smrf_map *map, struct smrf_noc *reply, struct smrf_dram *dram)
{
    size_t cache = round_up_(smrf_cache_bytes(cfg->l2.sets, cfg->l2.ways));
    size_t mshr = round_up_(smrf_mshr_bytes(cfg->l2.mshrs, cfg->l2.mshr_merge));
    unsigned char *p = storage;

    *l = (struct smrf_l2){.cfg = cfg,
                          .map = map,
                          .packet = reply->packet,
                          .reply = reply,
                          .dram = dram,
                          .door_words = smrf_l2_door_words(cfg),
                          .within = cfg->noc.latency + cfg->l2.latency - 1};
    smrf_dram_tell_ahead(dram, l, expect_fill_);
    l->slice = (struct smrf_l2_slice *)(void *)p;
    p += round_up_(cfg->l2.slices * sizeof(*l->slice));
    for (uint32_t s = 0; s < cfg->l2.slices; s++) {
        int cache_result = smrf_cache_init(&l->slice[s].cache, p, cfg->l2.sets, cfg->l2.ways);
        int mshr_result =
            smrf_mshr_init(&l->slice[s].mshr, p + cache, cfg->l2.mshrs, cfg->l2.mshr_merge);

        SMRF_ASSERT(cache_result == SMRF_OK);
        SMRF_ASSERT(mshr_result == SMRF_OK);
        p += cache + mshr;
    }
    l->door = (struct smrf_l2_door *)(void *)p;
    p += round_up_(cfg->l2.slices * sizeof(*l->door));
    for (uint32_t s = 0; s < cfg->l2.slices; s++) {
        l->door[s].shut = (uint64_t *)(void *)p + (size_t)s * SMRF_L2_DOOR_RINGS * l->door_words;
        l->door[s].entered = l->door[s].shut + l->door_words;
    }
    p += round_up_(cfg->l2.slices * SMRF_L2_DOOR_RINGS * l->door_words * sizeof(uint64_t));
    l->access = (uint64_t *)(void *)p;
    p += round_up_(cfg->l2.slices * sizeof(*l->access));
    l->next = (uint64_t *)(void *)p;
    l->held = (uint32_t *)(void *)(l->next + cfg->dram.channels);
    smrf_l2_reset(l);
}

void smrf_l2_reset(struct smrf_l2 *l)
{
    for (uint32_t s = 0; s < l->cfg->l2.slices; s++) {
        struct smrf_l2_slice *slice = &l->slice[s];

        smrf_cache_reset(&slice->cache);
        smrf_mshr_reset(&slice->mshr);
        slice->head = slice->tail = SMRF_NOC_NONE;
        slice->free = slice->held_since = slice->filled = slice->answer = slice->replied = 0;
        slice->line = SMRF_NEVER;
        slice->leaving = 0;
        l->access[s] = SMRF_NEVER;
        slice->hold = SMRF_L2_HOLD_NONE;
        slice->atomics = 0;
        smrf_l2_adding_reset(slice);
        smrf_l2_door_reset(l, s);
    }
    for (uint32_t c = 0; c < l->cfg->dram.channels; c++) {
        l->next[c] = SMRF_NEVER;
        l->held[c] = 0;
    }
    l->last = l->until = 0;
    l->stats = (struct smrf_l2_stats){0};
}

static void expect_access_(const struct smrf_l2 *l, struct smrf_l2_slice *slice,
                           const struct smrf_packet *packet)
{
    if (packet->address / SMRF_LINE_BYTES != slice->line) {
        smrf_cache_expect_access(&slice->cache, packet->address,
                                 smrf_l2_set(l, slice, packet->address));
    }
    if (packet->next != SMRF_NOC_NONE) {
        smrf_prefetch(&l->packet[packet->next]);
    }
}

void smrf_l2_push(struct smrf_l2 *l, uint32_t p)
{
    struct smrf_packet *packet = &l->packet[p];
    const uint32_t s = packet->slice;
    struct smrf_l2_slice *slice = &l->slice[s];
    struct smrf_l2_door *door = &l->door[s];

    packet->next = SMRF_NOC_NONE;
    if (slice->head == SMRF_NOC_NONE) {
        slice->head = p;
    } else {
        l->packet[slice->tail].next = p;
    }
    slice->tail = p;
    door->waiting++;
    if (door->outside == SMRF_NOC_NONE) {
        door->outside = p;
        (void)smrf_l2_door_enter(l, s, l->until);
    }
    if (slice->head == p) {
        uint64_t *next = &l->next[s / l->map->per_channel];

        l->access[s] = smrf_l2_access_of(l, s);
        *next = l->access[s] < *next ? l->access[s] : *next;
    }
    smrf_cache_approach(&slice->cache, packet->address, smrf_map_set(l->map, packet->address));
}

/* From the queue of replies one goes to the network in a cycle, from the next one on. */
static void reply_(struct smrf_l2 *l, uint32_t s, uint32_t p, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];

    slice->replied = smrf_l2_later(slice->replied, cycle) + 1;
    slice->leaving++;
    smrf_noc_push(l->reply, s, p, slice->replied);
}

void smrf_l2_hold_back(struct smrf_l2 *l, uint64_t cycle)
{
    for (uint32_t s = 0; s < l->cfg->l2.slices; s++) {
        struct smrf_l2_slice *slice = &l->slice[s];

        if (slice->replied >= cycle) {
            const uint32_t waiting = (uint32_t)(slice->replied - cycle) + 1;

            if (slice->leaving >= waiting + l->cfg->noc.input_queue) {
                slice->replied++;
                smrf_noc_delay(l->reply, s, slice->leaving - waiting);
            }
        }
    }
}

/* Of n that wait for a sector and are ready now, atomics write it. */
static SMRF_APART void mark_atomics_(struct smrf_l2 *l, uint32_t s, uint64_t local, uint32_t n)
{
    struct smrf_l2_slice *slice = &l->slice[s];

    for (; n > 0 && slice->atomics > 0; n--) {
        const struct smrf_packet *packet = &l->packet[smrf_mshr_arrived(&slice->mshr, n - 1)];

        if (packet->kind == SMRF_MEM_ATOMIC) {
            (void)smrf_cache_mark_dirty(&slice->cache, local, smrf_map_set(l->map, local),
                                        packet->bytes);
            slice->atomics--;
        }
    }
}

/* A sector arrives that was fetched beside another one. A request that came for it meanwhile is
 * answered; SMRF_NOC_NONE: there is none. */
static SMRF_APART uint32_t fill_beside_(struct smrf_l2_slice *slice, uint16_t *merged)
{
    if (*merged == SMRF_MSHR_ALONE) {
        smrf_mshr_take_alone(&slice->mshr);
        return SMRF_NOC_NONE;
    }
    return smrf_mshr_promote(&slice->mshr, merged);
}

/* A sector arrives from DRAM in `cycle`: its waiting requests are answered from the next cycle on,
 * up to and including `until`. Returns the last cycle in which something happened. */
static inline uint64_t fill_(struct smrf_l2 *l, uint32_t s, uint64_t cycle, uint64_t until)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    const uint64_t tag = smrf_dram_fetch(l->dram, s);
    uint32_t p = (uint32_t)(tag >> 32);
    uint16_t merged;
    const bool awaited =
        smrf_cache_fill_line(&slice->cache, line_of_(tag), (uint32_t)tag >> 24, &merged);
    uint32_t waiting;

    SMRF_ASSERT(awaited);
    slice->filled = cycle + 1;
    l->stats.fills++;
    if (p == SMRF_NOC_NONE) {
        p = fill_beside_(slice, &merged);
        if (p == SMRF_NOC_NONE) {
            return cycle;
        }
    }
    if (!smrf_mshr_any_ready(&slice->mshr)) {
        slice->answer = cycle + 1;
        if (cycle < until && slice->atomics == 0 && merged == SMRF_MSHR_ALONE &&
            smrf_l2_reply_room(slice) <= cycle + 1) {
            smrf_mshr_take_alone(&slice->mshr);
            reply_(l, s, p, cycle + 1);
            slice->answer = cycle + 2;
            return cycle + 1;
        }
    }
    waiting = smrf_mshr_arrive(&slice->mshr, p, merged);
    if (slice->atomics > 0) {
        mark_atomics_(l, s, l->packet[p].address, waiting);
    }
    return cycle;
}

bool smrf_l2_catch_up(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    uint64_t last = 0;

    for (;;) {
        const uint64_t fill = smrf_l2_next_fill(l, s);

        const uint64_t answer = smrf_l2_next_answer(slice);

        if (answer <= fill && answer <= cycle) {
            last = answer;
            slice->answer = answer + 1;
            reply_(l, s, smrf_mshr_take(&slice->mshr), answer);
        } else if (fill <= cycle) {
            last = fill_(l, s, fill, cycle);
        } else {
            break;
        }
    }
    l->last = smrf_l2_later(l->last, last);
    return last != 0;
}

/* Returns the dirty sectors. */
static uint32_t write_back_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_victim *victim,
                            uint64_t cycle)
{
    uint32_t sectors;

    l->stats.evictions += victim->evicted;
    if (!victim->dirty) {
        return 0;
    }
    sectors = smrf_count_bits(victim->dirty);
    smrf_dram_write(l->dram, s, victim->address, sectors, cycle);
    l->stats.write_backs += sectors;
    return sectors;
}

/* What stands against packet p's access, that `probe` found. If nothing does, a read of an awaited
 * sector waits with the others. */
static uint32_t obstacle_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_found *probe,
                          uint32_t p, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];

    if (!smrf_dram_room(l->dram, s, cycle)) {
        smrf_dram_wait(l->dram, s, cycle);
        return SMRF_L2_HOLD_WRITES;
    }
    if (probe->result == SMRF_CACHE_HIT) {
        return SMRF_L2_HOLD_NONE;
    }
    if (probe->result == SMRF_CACHE_FULL) {
        return SMRF_L2_HOLD_SET;
    }
    if (l->packet[p].kind == SMRF_MEM_WRITE) {
        return SMRF_L2_HOLD_NONE;
    }
    if (probe->result == SMRF_CACHE_HIT_PENDING) {
        uint16_t *merged = smrf_cache_note(&slice->cache, probe->line, probe->address);

        return smrf_mshr_merge(&slice->mshr, merged, p) ? SMRF_L2_HOLD_NONE : SMRF_L2_HOLD_MERGE;
    }
    return smrf_mshr_full(&slice->mshr) ? SMRF_L2_HOLD_MSHR : SMRF_L2_HOLD_NONE;
}

/* A read has missed, as `probe` found: the missing sectors of the l2.fetch_bytes around it are
 * fetched while MSHRs and the queue to DRAM have room. */
static SMRF_APART void fetch_beside_(struct smrf_l2 *l, uint32_t s,
                                     const struct smrf_cache_found *probe, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    const uint64_t first = probe->address / l->cfg->l2.fetch_bytes * l->cfg->l2.fetch_bytes;
    struct smrf_cache_found beside = *probe;
    struct smrf_cache_victim none;

    beside.result = SMRF_CACHE_SECTOR_MISS;
    for (uint32_t at = 0; at < l->cfg->l2.fetch_bytes; at += SMRF_SECTOR_BYTES) {
        beside.address = first + at;
        if (smrf_cache_known(&slice->cache, probe->line, smrf_cache_sector(beside.address)) ||
            smrf_mshr_full(&slice->mshr) || !smrf_dram_room(l->dram, s, cycle)) {
            continue;
        }
        smrf_cache_read(&slice->cache, &beside, &none);
        smrf_mshr_add(&slice->mshr, 1);
        smrf_dram_read(l->dram, s, beside.address, tag_(probe->line, beside.address, SMRF_NOC_NONE),
                       cycle);
    }
}

/* A read or an atomic that nothing stands against. Returns true if it is answered at once. */
static bool read_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_found *probe, uint32_t p,
                  uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    const struct smrf_packet *packet = &l->packet[p];
    struct smrf_cache_victim victim;

    smrf_cache_read(&slice->cache, probe, &victim);
    if (probe->result == SMRF_CACHE_HIT) {
        l->stats.hits[packet->kind]++;
        if (packet->kind == SMRF_MEM_ATOMIC) {
            (void)smrf_cache_mark_dirty(&slice->cache, packet->address, probe->set, packet->bytes);
        }
        return true;
    }
    slice->atomics += packet->kind == SMRF_MEM_ATOMIC;
    if (probe->result == SMRF_CACHE_HIT_PENDING) {
        l->stats.merges[packet->kind]++;
    } else {
        smrf_mshr_add(&slice->mshr, 1);
        smrf_dram_read(l->dram, s, packet->address, tag_(probe->line, packet->address, p), cycle);
        if (l->cfg->l2.fetch_bytes > SMRF_SECTOR_BYTES) {
            fetch_beside_(l, s, probe, cycle);
        }
    }
    (void)write_back_(l, s, &victim, cycle);
    return false;
}

/* A write that nothing stands against. Returns the cycles for which it occupies the slice. */
static uint64_t write_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_found *probe,
                       uint32_t p, uint64_t cycle)
{
    struct smrf_cache_victim victim;

    smrf_cache_write(&l->slice[s].cache, probe, l->packet[p].bytes, &victim);
    if (probe->result == SMRF_CACHE_HIT || probe->result == SMRF_CACHE_HIT_PENDING) {
        l->stats.hits[SMRF_MEM_WRITE]++;
    }
    const uint32_t sectors = write_back_(l, s, &victim, cycle);
    return sectors ? sectors : 1;
}

/* From `cycle` on a slice is held, for another reason than before, or no longer. */
static void hold_(struct smrf_l2 *l, uint32_t s, uint32_t hold, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    uint32_t *held = &l->held[s / l->map->per_channel];

    if (slice->hold != SMRF_L2_HOLD_NONE) {
        l->stats.held_cycles[slice->hold] += cycle - slice->held_since;
        (*held)--;
    }
    if (hold != SMRF_L2_HOLD_NONE) {
        (*held)++;
        l->access[s] = SMRF_NEVER;
    }
    slice->hold = hold;
    slice->held_since = cycle;
}

/* When the request that is the oldest now tries its access. */
static inline void go_on_(struct smrf_l2 *l, uint32_t s)
{
    struct smrf_l2_slice *slice = &l->slice[s];

    l->access[s] = smrf_l2_access_of(l, s);
    if (slice->head != SMRF_NOC_NONE) {
        expect_access_(l, slice, &l->packet[slice->head]);
    }
}

void smrf_l2_access(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    uint32_t p = slice->head;
    struct smrf_packet *packet = &l->packet[p];
    bool write = packet->kind == SMRF_MEM_WRITE;
    const uint64_t room = smrf_l2_reply_room(slice);
    struct smrf_cache_found probe;
    uint32_t hold;

    l->last = smrf_l2_later(l->last, cycle);
    if (room > cycle) {
        l->stats.reply_full_cycles += room - cycle;
        hold_(l, s, SMRF_L2_HOLD_NONE, cycle);
        l->access[s] = room;
        return;
    }
    probe = smrf_cache_probe(&slice->cache, packet->address, smrf_l2_set(l, slice, packet->address),
                             write);
    hold = obstacle_(l, s, &probe, p, cycle);
    if (slice->hold != hold) {
        hold_(l, s, hold, cycle);
    }
    if (hold != SMRF_L2_HOLD_NONE) {
        return;
    }
    slice->free = cycle + 1;
    slice->head = packet->next;
    smrf_l2_door_leave(l, s, cycle);
    l->stats.accesses[packet->kind]++;
    if (write) {
        slice->free = cycle + write_(l, s, &probe, p, cycle);
        reply_(l, s, p, cycle);
    } else if (read_(l, s, &probe, p, cycle)) {
        reply_(l, s, p, packet->kind == SMRF_MEM_ATOMIC ? smrf_l2_add(l, s, p, cycle) : cycle);
    }
    go_on_(l, s);
}

/* Has a slice's queue of replies room in `cycle`, even if the cycles up to then are not yet
 * simulated? Answers of the MSHRs do not lengthen it, because the network takes one each cycle. */
static bool few_replies_(const struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    const struct smrf_l2_slice *slice = &l->slice[s];
    const bool behind = smrf_mshr_any_ready(&slice->mshr) || smrf_l2_next_fill(l, s) <= cycle;
    const uint64_t from = smrf_l2_later(slice->answer, slice->filled);

    return slice->replied < smrf_l2_later(from, behind ? 0 : cycle) + SMRF_L2_REPLIES / 2;
}

bool smrf_l2_read_on(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    const uint32_t p = slice->head;
    const struct smrf_packet *packet = &l->packet[p];
    uint32_t line;

    if (packet->kind != SMRF_MEM_READ || l->cfg->l2.fetch_bytes > SMRF_SECTOR_BYTES ||
        smrf_mshr_full(&slice->mshr) || !few_replies_(l, s, cycle) ||
        !smrf_cache_read_on(&slice->cache, packet->address, &line)) {
        return false;
    }
    smrf_mshr_add(&slice->mshr, 1);
    smrf_dram_read(l->dram, s, packet->address, tag_(line, packet->address, p), cycle);
    slice->free = cycle + 1;
    slice->head = packet->next;
    smrf_l2_door_leave(l, s, cycle);
    l->stats.accesses[SMRF_MEM_READ]++;
    l->last = smrf_l2_later(l->last, cycle);
    go_on_(l, s);
    return true;
}

void smrf_l2_warm(struct smrf_l2 *l, uint32_t slice, uint64_t local)
{
    struct smrf_cache *cache = &l->slice[slice].cache;
    struct smrf_cache_found probe =
        smrf_cache_probe(cache, local, smrf_map_set(l->map, local), false);
    struct smrf_cache_victim victim;

    if (probe.result == SMRF_CACHE_FULL || probe.result == SMRF_CACHE_HIT_PENDING) {
        return;
    }
    l->stats.warm_lines += probe.result == SMRF_CACHE_LINE_MISS;
    smrf_cache_read(cache, &probe, &victim);
    if (probe.result != SMRF_CACHE_HIT) {
        (void)smrf_cache_fill(cache, local, probe.set);
    }
}
