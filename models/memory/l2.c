/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/l2.h"

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
           smrf_wheel_bytes((cfg->l2.slices + 63) / 64);
}

/* A read's tag at the DRAM: the line and the MSHR that it is for. */
static uint64_t tag_(uint32_t line, uint32_t mshr)
{
    return (uint64_t)mshr << 32 | line;
}

/* A sector for slice s is on its way: what it fills is asked for. */
static void expect_fill_(void *ctx, uint32_t s, uint64_t tag)
{
    const struct smrf_l2 *l = ctx;

    smrf_cache_expect_fill(&l->slice[s].cache, (uint32_t)tag);
    smrf_mshr_expect_ready(&l->slice[s].mshr, (uint32_t)(tag >> 32));
}

void smrf_l2_init(struct smrf_l2 *l, void *storage, const struct smrf_memory_config *cfg,
                  const struct smrf_map *map, struct smrf_noc *reply, struct smrf_dram *dram)
{
    size_t cache = round_up_(smrf_cache_bytes(cfg->l2.sets, cfg->l2.ways));
    size_t mshr = round_up_(smrf_mshr_bytes(cfg->l2.mshrs, cfg->l2.mshr_merge));
    unsigned char *p = storage;

    *l = (struct smrf_l2){
        .cfg = cfg, .map = map, .packet = reply->packet, .reply = reply, .dram = dram};
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
    smrf_wheel_init(&l->wheel, p, (cfg->l2.slices + 63) / 64);
    smrf_l2_reset(l);
}

void smrf_l2_reset(struct smrf_l2 *l)
{
    for (uint32_t s = 0; s < l->cfg->l2.slices; s++) {
        struct smrf_l2_slice *slice = &l->slice[s];

        smrf_cache_reset(&slice->cache);
        smrf_mshr_reset(&slice->mshr);
        slice->head = slice->tail = SMRF_NOC_NONE;
        slice->free = slice->held_since = 0;
        slice->hold = SMRF_L2_HOLD_NONE;
        slice->atomics = 0;
    }
    smrf_wheel_reset(&l->wheel);
    l->stats = (struct smrf_l2_stats){0};
}

/* A packet's access is on its way; it is the next one of its slice. */
static void approach_(const struct smrf_l2 *l, const struct smrf_packet *packet)
{
    const struct smrf_l2_slice *slice = &l->slice[packet->slice];

    smrf_cache_approach(&slice->cache, packet->address, smrf_map_set(l->map, packet->address));
}

static void expect_access_(const struct smrf_l2 *l, const struct smrf_packet *packet)
{
    const struct smrf_l2_slice *slice = &l->slice[packet->slice];

    smrf_cache_expect_access(&slice->cache, packet->address, smrf_map_set(l->map, packet->address));
    if (packet->next != SMRF_NOC_NONE) {
        smrf_prefetch(&l->packet[packet->next]);
    }
}

void smrf_l2_push(struct smrf_l2 *l, uint32_t p, uint64_t cycle)
{
    struct smrf_packet *packet = &l->packet[p];
    struct smrf_l2_slice *slice = &l->slice[packet->slice];

    packet->ready = cycle;
    packet->next = SMRF_NOC_NONE;
    if (slice->head == SMRF_NOC_NONE) {
        slice->head = p;
        smrf_wheel_add(&l->wheel, cycle > slice->free ? cycle : slice->free, packet->slice);
    } else {
        l->packet[slice->tail].next = p;
    }
    slice->tail = p;
    approach_(l, packet);
}

static void reply_(struct smrf_l2 *l, uint32_t s, uint32_t p, uint64_t cycle)
{
    smrf_noc_push(l->reply, s, p, cycle + 1);
}

/* One of the requests whose sector came before this cycle. */
static void answer_(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_mshr *mshr = &l->slice[s].mshr;

    if (smrf_mshr_any_ready(mshr)) {
        reply_(l, s, smrf_mshr_take(mshr), cycle);
    }
}

/* A sector that has come from DRAM. */
static void fill_(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    uint64_t tag, local;
    uint32_t waiting;
    bool awaited;

    if (!smrf_dram_filled(l->dram, s, cycle, &tag)) {
        return;
    }
    local = smrf_mshr_address(&slice->mshr, (uint32_t)(tag >> 32));
    awaited = smrf_cache_fill_line(&slice->cache, (uint32_t)tag, local);
    SMRF_ASSERT(awaited);
    l->stats.fills++;
    waiting = smrf_mshr_ready(&slice->mshr, (uint32_t)(tag >> 32));
    smrf_prefetch(&l->packet[smrf_mshr_arrived(&slice->mshr, 0)]);
    for (uint32_t n = waiting; n > 0 && slice->atomics > 0; n--) {
        const struct smrf_packet *packet = &l->packet[smrf_mshr_arrived(&slice->mshr, n - 1)];

        if (packet->kind == SMRF_MEM_ATOMIC) {
            (void)smrf_cache_mark_dirty(&slice->cache, local, packet->bytes);
            slice->atomics--;
        }
    }
}

/* Returns the dirty sectors. */
static uint32_t write_back_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_victim *victim,
                            uint64_t cycle)
{
    const uint32_t sectors = smrf_count_bits(victim->dirty);

    l->stats.evictions += victim->evicted;
    if (sectors) {
        smrf_dram_write(l->dram, s, victim->address, sectors, cycle);
        l->stats.write_backs += sectors;
    }
    return sectors;
}

/* What stands against packet p's access, that `probe` found. If nothing does, a read of an awaited
 * sector waits with the others. */
static uint32_t obstacle_(struct smrf_l2 *l, uint32_t s, const struct smrf_cache_found *probe,
                          uint32_t p)
{
    struct smrf_l2_slice *slice = &l->slice[s];

    if (!smrf_dram_room(l->dram, s)) {
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
        const uint16_t mshr = *smrf_cache_mshr(&slice->cache, probe->line, probe->address);

        return smrf_mshr_merge(&slice->mshr, mshr, p) ? SMRF_L2_HOLD_NONE : SMRF_L2_HOLD_MERGE;
    }
    return smrf_mshr_full(&slice->mshr) ? SMRF_L2_HOLD_MSHR : SMRF_L2_HOLD_NONE;
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
            (void)smrf_cache_mark_dirty(&slice->cache, packet->address, packet->bytes);
        }
        return true;
    }
    slice->atomics += packet->kind == SMRF_MEM_ATOMIC;
    if (probe->result == SMRF_CACHE_HIT_PENDING) {
        l->stats.merges[packet->kind]++;
    } else {
        const uint16_t mshr = smrf_mshr_add(&slice->mshr, packet->address, p);

        *smrf_cache_mshr(&slice->cache, probe->line, packet->address) = mshr;
        smrf_dram_read(l->dram, s, packet->address, tag_(probe->line, mshr), cycle);
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

/* Access of the oldest request, which has arrived. */
static void access_(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_slice *slice = &l->slice[s];
    uint32_t p = slice->head;
    struct smrf_packet *packet = &l->packet[p];
    bool write = packet->kind == SMRF_MEM_WRITE;
    struct smrf_cache_found probe = smrf_cache_probe(&slice->cache, packet->address,
                                                     smrf_map_set(l->map, packet->address), write);
    uint32_t hold = obstacle_(l, s, &probe, p);

    if (slice->hold != hold) {
        if (slice->hold != SMRF_L2_HOLD_NONE) {
            l->stats.held_cycles[slice->hold] += cycle - slice->held_since;
        }
        slice->hold = hold;
        slice->held_since = cycle;
        l->dram->port[s].awaits_room = hold == SMRF_L2_HOLD_WRITES;
    }
    if (hold != SMRF_L2_HOLD_NONE) {
        return;
    }
    slice->head = packet->next;
    if (slice->head != SMRF_NOC_NONE) {
        expect_access_(l, &l->packet[slice->head]);
    }
    slice->free = cycle + (packet->kind == SMRF_MEM_ATOMIC ? 2 : 1);
    l->stats.accesses[packet->kind]++;
    if (write) {
        slice->free = cycle + write_(l, s, &probe, p, cycle);
        reply_(l, s, p, cycle);
    } else if (read_(l, s, &probe, p, cycle)) {
        reply_(l, s, p, cycle);
    }
}

/* Enter slice s in the calendar for what it waits for first: then it looks at the rest again. */
static void sleep_(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    const struct smrf_l2_slice *slice = &l->slice[s];
    const struct smrf_dram_list *filled = &l->dram->port[s].filled;
    uint64_t wake = SMRF_NEVER;

    if (smrf_mshr_any_ready(&slice->mshr)) {
        wake = cycle + 1;
    } else {
        if (filled->head != SMRF_DRAM_NONE) {
            wake = l->dram->request[filled->head].cycle;
        }
        if (slice->head != SMRF_NOC_NONE && slice->hold == SMRF_L2_HOLD_NONE) {
            const uint64_t arrival = l->packet[slice->head].ready;
            const uint64_t access = arrival > slice->free ? arrival : slice->free;

            wake = access < wake ? access : wake;
        }
    }
    if (wake != SMRF_NEVER) {
        smrf_wheel_add(&l->wheel, wake, s);
    }
}

void smrf_l2_cycle(struct smrf_l2 *l, uint64_t cycle)
{
    uint64_t due[SMRF_WHEEL_MAX_WORDS];

    if (!smrf_wheel_take(&l->wheel, cycle, due)) {
        return;
    }
    for (uint32_t w = 0; w < l->wheel.words; w++) {
        for (; due[w]; due[w] &= due[w] - 1) {
            uint32_t s = w * 64 + (uint32_t)__builtin_ctzll(due[w]);
            struct smrf_l2_slice *slice = &l->slice[s];

            answer_(l, s, cycle);
            fill_(l, s, cycle);
            if (slice->head != SMRF_NOC_NONE && slice->free <= cycle &&
                l->packet[slice->head].ready <= cycle) {
                access_(l, s, cycle);
            }
            sleep_(l, s, cycle);
        }
    }
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
        (void)smrf_cache_fill(cache, local);
    }
}
