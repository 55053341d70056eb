/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/dram.h"

#include "models/common/smrf_assert.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Credits of a channel: a request holds one from when it leaves its slice's queue until its data
 * arrive. Other requests under way wait in the queues, or to be fetched. */
static uint32_t credits_(const struct smrf_memory_config *cfg)
{
    return cfg->dram.queue + SMRF_DRAM_RETURN_QUEUE + 1;
}

/* .. that its slices share: each has one of its own. */
static uint32_t shared_(const struct smrf_memory_config *cfg)
{
    const uint32_t own = cfg->l2.slices / cfg->dram.channels;

    return credits_(cfg) > own ? credits_(cfg) - own : 0;
}

/* Requests of a channel and of its slices. */
static uint32_t requests_(const struct smrf_memory_config *cfg)
{
    return cfg->l2.slices / cfg->dram.channels *
               (cfg->l2.mshrs + SMRF_DRAM_SLICE_QUEUE + SMRF_DRAM_MISS_QUEUE + 2) +
           shared_(cfg) + cfg->l2.slices / cfg->dram.channels;
}

static size_t requests_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->dram.channels * requests_(cfg) *
                     sizeof(struct smrf_dram_request));
}

/* Numbers of all requests. */
static size_t numbers_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->dram.channels * requests_(cfg) * sizeof(uint32_t));
}

/* Credits of a channel that may have been given back and come later, a power of two: one every
 * column spacing, as long as data need. */
static uint32_t backs_(const struct smrf_memory_config *cfg)
{
    const uint32_t data = (cfg->dram.burst + cfg->dram.data_rate - 1) / cfg->dram.data_rate;
    const uint32_t spacing = cfg->dram.ccd > data ? cfg->dram.ccd : data;
    const uint32_t most = (cfg->dram.cl > cfg->dram.wl ? cfg->dram.cl : cfg->dram.wl) / spacing + 3;
    uint32_t backs = 4;

    while (backs < most) {
        backs *= 2;
    }
    return backs;
}

static size_t backs_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->dram.channels * backs_(cfg) * sizeof(struct smrf_dram_back));
}

size_t smrf_dram_bytes(const struct smrf_memory_config *cfg)
{
    return requests_bytes_(cfg) + numbers_bytes_(cfg) + backs_bytes_(cfg) +
           round_up_(cfg->l2.slices * sizeof(struct smrf_dram_port)) +
           round_up_(cfg->dram.channels * sizeof(struct smrf_dram_channel));
}

/* Derived timings (Accel-Sim: dram_timing_opt parsing). A sector is as many bursts as it needs. */
static void derive_(struct smrf_dram *d)
{
    const struct smrf_memory_config *cfg = d->cfg;
    uint32_t burst_bytes = cfg->dram.burst * cfg->dram.bus_bytes;
    uint64_t a = cfg->gpu.core_khz, b = cfg->dram.khz;

    while (b) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    d->core_khz = cfg->gpu.core_khz / a;
    d->dram_khz = cfg->dram.khz / a;
    if (cfg->dram.summed_clocks) {
        smrf_clock_sum_init(&d->core_sum, cfg->gpu.core_khz);
        smrf_clock_sum_init(&d->dram_sum, cfg->dram.khz);
    }
    d->bursts = (SMRF_SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    d->sectors = burst_bytes < SMRF_SECTOR_BYTES ? 1 : burst_bytes / SMRF_SECTOR_BYTES;
    d->data = (cfg->dram.burst + cfg->dram.data_rate - 1) / cfg->dram.data_rate;
    d->spacing = (uint32_t)max_(cfg->dram.ccd, d->data);
    d->group_spacing = (uint32_t)max_(cfg->dram.ccdl, d->spacing);
    for (uint32_t sectors = 1; sectors <= SMRF_LINE_BYTES / SMRF_SECTOR_BYTES; sectors++) {
        d->commands[sectors] = (uint8_t)((sectors * d->bursts + d->sectors - 1) / d->sectors);
    }
    d->shared = shared_(cfg);
    d->backs = backs_(cfg) - 1;
    d->requests = requests_(cfg);
    d->read_to_write =
        cfg->dram.cl + d->data + 2 > cfg->dram.wl ? cfg->dram.cl + d->data + 2 - cfg->dram.wl : 1;
    d->write_to_read = cfg->dram.wl + d->data + cfg->dram.cdlr;
    d->write_to_precharge = cfg->dram.wl + d->data + cfg->dram.wr;
    d->activate_to_write =
        cfg->dram.rcd > cfg->dram.wl + 1 ? cfg->dram.rcd - (cfg->dram.wl + 1) : 1;
}

bool smrf_dram_late(const struct smrf_dram *d, uint64_t core)
{
    return smrf_clock_sum_later(&d->dram_sum, core / d->core_khz * d->dram_khz, &d->core_sum, core);
}

void smrf_dram_init(struct smrf_dram *d, void *storage, const struct smrf_memory_config *cfg,
                    const struct smrf_map *map)
{
    unsigned char *p = storage;

    *d = (struct smrf_dram){.cfg = cfg, .map = map};
    derive_(d);
    d->all_banks = ~UINT64_C(0) >> (64 - cfg->dram.banks);
    for (uint32_t b = 0; b < SMRF_DRAM_MAX_BANKS; b++) {
        d->banks_of[b % cfg->dram.bank_groups] |= UINT64_C(1) << b;
    }
    d->request = (struct smrf_dram_request *)(void *)p;
    p += requests_bytes_(cfg);
    d->free = (uint32_t *)(void *)p;
    p += numbers_bytes_(cfg);
    d->back = (struct smrf_dram_back *)(void *)p;
    p += backs_bytes_(cfg);
    d->port = (struct smrf_dram_port *)(void *)p;
    p += round_up_(cfg->l2.slices * sizeof(*d->port));
    d->channel = (struct smrf_dram_channel *)(void *)p;
    smrf_dram_reset(d);
}

void smrf_dram_reset(struct smrf_dram *d)
{
    const struct smrf_dram_list empty = {SMRF_DRAM_NONE, SMRF_DRAM_NONE};

    for (uint32_t s = 0; s < d->cfg->l2.slices; s++) {
        d->port[s] = (struct smrf_dram_port){.queue = empty,
                                             .asked = SMRF_NEVER,
                                             .filled = empty,
                                             .arrival = SMRF_NEVER,
                                             .line = SMRF_NEVER,
                                             .channel = s / d->map->per_channel};
    }
    for (uint32_t c = 0; c < d->cfg->dram.channels; c++) {
        struct smrf_dram_channel *ch = &d->channel[c];

        *ch = (struct smrf_dram_channel){.asked = SMRF_NEVER,
                                         .entering = SMRF_NEVER,
                                         .command = SMRF_NEVER,
                                         .room = d->cfg->dram.queue,
                                         .served = d->map->per_channel - 1,
                                         .free = d->free + (size_t)c * d->requests,
                                         .back = d->back + (size_t)c * (d->backs + 1),
                                         .latency = empty,
                                         .port = d->port + (size_t)c * d->map->per_channel};
        for (uint32_t b = 0; b < SMRF_DRAM_MAX_BANKS; b++) {
            ch->bank[b].current = SMRF_DRAM_NONE;
            ch->bank[b].waiting = empty;
            ch->bank[b].group = (uint8_t)(b % d->cfg->dram.bank_groups);
        }
    }
    d->stats = (struct smrf_dram_stats){0};
}

static uint32_t take_free_(struct smrf_dram *d, struct smrf_dram_channel *ch)
{
    if (ch->frees == 0) {
        SMRF_ASSERT(ch->fresh < d->requests);
        return (uint32_t)(ch - d->channel) * d->requests + ch->fresh++;
    }
    return ch->free[--ch->frees];
}

/* A request of a slice's, one a core cycle, from the next one on. */
static struct smrf_dram_request *push_(struct smrf_dram *d, uint32_t slice, uint64_t local,
                                       uint32_t sectors, unsigned writes, uint64_t cycle)
{
    struct smrf_dram_port *port = &d->port[slice];
    struct smrf_dram_channel *ch = &d->channel[port->channel];
    const uint32_t r = take_free_(d, ch);
    struct smrf_dram_request *request = &d->request[r];
    struct smrf_dram_place place;

    if (local / SMRF_LINE_BYTES != port->line) {
        port->line = local / SMRF_LINE_BYTES;
        place = smrf_map_dram(d->map, slice, local);
        port->row = place.row;
        port->bank = (uint16_t)place.bank;
    }
    port->entered = max_(port->entered + 1, cycle + 2);
    port->queued++;
    request->cycle = smrf_dram_after(d, port->entered);
    request->row = port->row;
    request->slice = (uint8_t)slice;
    request->bank = (uint8_t)port->bank;
    request->sectors = (uint8_t)(sectors | writes);
    request->commands = d->commands[sectors];
    if (port->queue.head == SMRF_DRAM_NONE) {
        port->asked = request->cycle;
        ch->asked = request->cycle < ch->asked ? request->cycle : ch->asked;
    }
    smrf_dram_append(d, &port->queue, r);
    return request;
}

void smrf_dram_read(struct smrf_dram *d, uint32_t slice, uint64_t local, uint64_t tag,
                    uint64_t cycle)
{
    push_(d, slice, local, 1, 0, cycle)->tag = tag;
}

void smrf_dram_write(struct smrf_dram *d, uint32_t slice, uint64_t local, uint32_t sectors,
                     uint64_t cycle)
{
    (void)push_(d, slice, local, sectors, SMRF_DRAM_WRITES, cycle);
}

uint64_t smrf_dram_fetch(struct smrf_dram *d, uint32_t slice)
{
    struct smrf_dram_port *port = &d->port[slice];
    const uint32_t r = smrf_dram_pop(d, &port->filled);

    port->arrival = smrf_dram_first(d, &port->filled);
    smrf_dram_give_back(&d->channel[port->channel], r);
    return d->request[r].tag;
}
