/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/dram.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_prefetch.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Requests of a channel from its slices' queues to their end. The rest of what is under way waits in
 * the queues, or to be fetched. */
static uint32_t taken_(const struct smrf_memory_config *cfg)
{
    return cfg->dram.queue + SMRF_DRAM_RETURN_QUEUE + 1;
}

static size_t requests_(const struct smrf_memory_config *cfg)
{
    return (size_t)cfg->l2.slices *
               (cfg->l2.mshrs + SMRF_DRAM_SLICE_QUEUE + SMRF_DRAM_SLICE_MARGIN) +
           (size_t)cfg->dram.channels * taken_(cfg);
}

size_t smrf_dram_bytes(const struct smrf_memory_config *cfg)
{
    return round_up_(requests_(cfg) * sizeof(struct smrf_dram_request)) +
           round_up_(cfg->l2.slices * sizeof(struct smrf_dram_port)) +
           round_up_(cfg->dram.channels * sizeof(struct smrf_dram_channel)) + smrf_wheel_bytes(1);
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
    d->bursts = (SMRF_SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    d->sectors = burst_bytes < SMRF_SECTOR_BYTES ? 1 : burst_bytes / SMRF_SECTOR_BYTES;
    d->data = (cfg->dram.burst + cfg->dram.data_rate - 1) / cfg->dram.data_rate;
    d->spacing = (uint32_t)max_(cfg->dram.ccd, d->data);
    d->group_spacing = (uint32_t)max_(cfg->dram.ccdl, d->spacing);
    d->most = taken_(cfg);
    d->read_to_write =
        cfg->dram.cl + d->data + 2 > cfg->dram.wl ? cfg->dram.cl + d->data + 2 - cfg->dram.wl : 1;
    d->write_to_read = cfg->dram.wl + d->data + cfg->dram.cdlr;
    d->write_to_precharge = cfg->dram.wl + d->data + cfg->dram.wr;
    d->activate_to_write =
        cfg->dram.rcd > cfg->dram.wl + 1 ? cfg->dram.rcd - (cfg->dram.wl + 1) : 1;
}

void smrf_dram_init(struct smrf_dram *d, void *storage, const struct smrf_memory_config *cfg,
                    const struct smrf_map *map, struct smrf_wheel *slices)
{
    unsigned char *p = storage;

    *d = (struct smrf_dram){.cfg = cfg, .map = map, .slices = slices};
    derive_(d);
    d->all_banks = ~UINT64_C(0) >> (64 - cfg->dram.banks);
    for (uint32_t b = 0; b < SMRF_DRAM_MAX_BANKS; b++) {
        d->group[b] = (uint8_t)(b % cfg->dram.bank_groups);
    }
    d->request = (struct smrf_dram_request *)(void *)p;
    p += round_up_(requests_(cfg) * sizeof(*d->request));
    d->port = (struct smrf_dram_port *)(void *)p;
    p += round_up_(cfg->l2.slices * sizeof(*d->port));
    d->channel = (struct smrf_dram_channel *)(void *)p;
    p += round_up_(cfg->dram.channels * sizeof(*d->channel));
    smrf_wheel_init(&d->wheel, p, 1);
    smrf_dram_reset(d);
}

void smrf_dram_reset(struct smrf_dram *d)
{
    const struct smrf_dram_list empty = {SMRF_DRAM_NONE, SMRF_DRAM_NONE};

    for (uint32_t s = 0; s < d->cfg->l2.slices; s++) {
        d->port[s] = (struct smrf_dram_port){.queue = empty, .filled = empty};
    }
    for (uint32_t c = 0; c < d->cfg->dram.channels; c++) {
        struct smrf_dram_channel *ch = &d->channel[c];

        *ch = (struct smrf_dram_channel){.wake = SMRF_NEVER,
                                         .asked = SMRF_NEVER,
                                         .entering = SMRF_NEVER,
                                         .command = SMRF_NEVER,
                                         .latency = empty};
        for (uint32_t b = 0; b < SMRF_DRAM_MAX_BANKS; b++) {
            ch->bank[b].current = SMRF_DRAM_NONE;
            ch->bank[b].waiting = empty;
        }
    }
    d->free = SMRF_DRAM_NONE;
    d->fresh = 0;
    d->stats = (struct smrf_dram_stats){0};
    smrf_wheel_reset(&d->wheel);
}

static uint32_t take_free_(struct smrf_dram *d)
{
    uint32_t r = d->free;

    if (r == SMRF_DRAM_NONE) {
        SMRF_ASSERT(d->fresh < requests_(d->cfg));
        return d->fresh++;
    }
    d->free = d->request[r].next;
    if (d->free != SMRF_DRAM_NONE) {
        smrf_prefetch(&d->request[d->free]);
    }
    return r;
}

static void push_(struct smrf_dram *d, uint32_t slice, uint64_t local,
                  const struct smrf_dram_request *request, uint64_t cycle)
{
    struct smrf_dram_place place = smrf_map_dram(d->map, slice, local);
    struct smrf_dram_channel *ch = &d->channel[place.channel];
    struct smrf_dram_port *port = &d->port[slice];
    uint32_t r = take_free_(d);
    uint64_t wake;

    /* One a core cycle, from the next one on. */
    port->entered = max_(port->entered + 1, cycle + 2);
    port->queued++;
    d->request[r] = *request;
    d->request[r].cycle = smrf_dram_after(d, port->entered);
    d->request[r].row = place.row;
    d->request[r].slice = (uint8_t)slice;
    d->request[r].bank = (uint8_t)place.bank;
    d->request[r].commands =
        (uint8_t)((request->sectors * d->bursts + d->sectors - 1) / d->sectors);
    if (port->queue.head == SMRF_DRAM_NONE && d->request[r].cycle < ch->asked) {
        ch->asked = d->request[r].cycle;
    }
    smrf_dram_append(d, &port->queue, r);
    wake = smrf_dram_seen(d, d->request[r].cycle);
    if (wake < ch->wake) {
        ch->wake = wake;
        smrf_wheel_add(&d->wheel, wake, place.channel);
    }
}

void smrf_dram_read(struct smrf_dram *d, uint32_t slice, uint64_t local, uint64_t tag,
                    uint64_t cycle)
{
    const struct smrf_dram_request read = {.tag = tag, .sectors = 1};
    push_(d, slice, local, &read, cycle);
}

void smrf_dram_write(struct smrf_dram *d, uint32_t slice, uint64_t local, uint32_t sectors,
                     uint64_t cycle)
{
    const struct smrf_dram_request write = {.sectors = sectors & 0x7fu, .write = true};
    push_(d, slice, local, &write, cycle);
}

void smrf_dram_cycle(struct smrf_dram *d, uint64_t cycle)
{
    uint64_t due, end;

    if (!smrf_wheel_take(&d->wheel, cycle, &due)) {
        return;
    }
    end = smrf_dram_after(d, cycle + 1);
    for (; due; due &= due - 1) {
        smrf_dram_run_channel(d, (uint32_t)__builtin_ctzll(due), end);
    }
}

bool smrf_dram_filled(struct smrf_dram *d, uint32_t slice, uint64_t cycle, uint64_t *tag)
{
    struct smrf_dram_list *filled = &d->port[slice].filled;

    if (filled->head == SMRF_DRAM_NONE || d->request[filled->head].cycle > cycle) {
        return false;
    }
    *tag = d->request[filled->head].tag;
    smrf_dram_give_back(d, smrf_dram_pop(d, filled));
    return true;
}
