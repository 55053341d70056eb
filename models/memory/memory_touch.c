/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that take no time: those of loosely timed SMs, and copies from the host. */
#include "models/common/smrf_bits.h"
#include "models/memory/memory_internal.h"

bool smrf_memory_touch(struct smrf_memory *m, const struct smrf_mem_request *r)
{
    struct smrf_l2 *l = &m->l2;
    const struct smrf_place place = smrf_map_slice(&m->map, r->address);
    struct smrf_cache *cache = &l->slice[place.slice].cache;
    const bool write = r->kind == SMRF_MEM_WRITE;
    const uint32_t set = smrf_map_set(&m->map, place.local);
    const struct smrf_cache_found found = smrf_cache_probe(cache, place.local, set, write);
    const bool hit = found.result == SMRF_CACHE_HIT;
    struct smrf_cache_victim victim = {.evicted = false};

    m->port[r->sm].requests++;
    m->responses++;
    l->stats.accesses[r->kind]++;
    l->stats.hits[r->kind] += hit;
    if (write) {
        smrf_cache_write(cache, &found, r->byte_mask, &victim);
    } else {
        smrf_cache_read(cache, &found, &victim);
        (void)smrf_cache_fill(cache, place.local, set);
        l->stats.fills += !hit;
        m->dram.stats.reads += !hit;
    }
    if (r->kind == SMRF_MEM_ATOMIC) {
        (void)smrf_cache_mark_dirty(cache, place.local, set, r->byte_mask);
    }
    if (victim.evicted) {
        const uint32_t sectors = smrf_count_bits(victim.dirty);
        l->stats.evictions++;
        l->stats.write_backs += sectors;
        m->dram.stats.writes += sectors;
    }
    return hit;
}

void smrf_memory_warm(struct smrf_memory *m, uint64_t address, uint64_t bytes)
{
    /* Any 3 x L2 consecutive bytes hold at least l2.ways lines of every set: a set gets one line of
     * each `sets` lines of its slice, and at most two of 3 x ways such groups are incomplete. What
     * lies before them would not stay. */
    uint64_t most = 3 * (uint64_t)m->cfg.l2.slices * m->cfg.l2.sets * m->cfg.l2.ways *
                    (SMRF_LINE_BYTES / SMRF_SECTOR_BYTES);
    uint64_t first = address / SMRF_SECTOR_BYTES;
    uint64_t last;

    if (!m->cfg.l2.copies_warm || bytes == 0) {
        return;
    }
    last = (address + (bytes - 1)) / SMRF_SECTOR_BYTES;
    if (last - first >= most) {
        first = last - most + 1;
    }
    for (uint64_t sector = first; sector <= last; sector++) {
        struct smrf_place place = smrf_map_slice(&m->map, sector * SMRF_SECTOR_BYTES);

        smrf_l2_warm(&m->l2, place.slice, place.local);
    }
}
