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

static uint32_t slice_requests_(const struct smrf_memory_config *cfg)
{
    return cfg->l2.mshrs + SMRF_DRAM_SLICE_WRITES;
}

size_t smrf_dram_bytes(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->l2.slices * slice_requests_(cfg) *
                     sizeof(struct smrf_dram_request)) +
           round_up_(cfg->l2.slices * sizeof(struct smrf_dram_port)) +
           round_up_(cfg->dram.channels * sizeof(struct smrf_dram_channel)) + smrf_wheel_bytes(1);
}

/* Derived timings (Accel-Sim: dram_timing_opt parsing). A sector is as many bursts as it needs. */
static void derive_(struct smrf_dram *d)
{
    const struct smrf_memory_config *cfg = d->cfg;
    uint32_t burst_bytes = cfg->dram.burst * cfg->dram.bus_bytes;
    uint32_t bursts = (SMRF_SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    uint32_t beat_cycles = (cfg->dram.burst + cfg->dram.data_rate - 1) / cfg->dram.data_rate;
    uint32_t spacing = (uint32_t)max_(cfg->dram.ccd, beat_cycles);
    uint64_t a = cfg->gpu.core_khz, b = cfg->dram.khz;

    while (b) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    d->core_khz = cfg->gpu.core_khz / a;
    d->dram_khz = cfg->dram.khz / a;
    d->data = (bursts - 1) * spacing + beat_cycles;
    d->spacing = bursts * spacing;
    d->group_spacing = (bursts - 1) * spacing + (uint32_t)max_(cfg->dram.ccdl, spacing);
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
    p += round_up_((size_t)cfg->l2.slices * slice_requests_(cfg) * sizeof(*d->request));
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
        d->port[s] = (struct smrf_dram_port){.filled = empty, .stored = empty};
    }
    for (uint32_t c = 0; c < d->cfg->dram.channels; c++) {
        struct smrf_dram_channel *ch = &d->channel[c];

        *ch = (struct smrf_dram_channel){.wake = SMRF_NEVER, .input = empty};
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
        SMRF_ASSERT(d->fresh < d->cfg->l2.slices * slice_requests_(d->cfg));
        return d->fresh++;
    }
    d->free = d->request[r].next;
    return r;
}

static void give_back_(struct smrf_dram *d, uint32_t r)
{
    d->request[r].next = d->free;
    d->free = r;
}

/* First DRAM cycle that does not begin before core cycle `core`. */
static uint64_t to_dram_(const struct smrf_dram *d, uint64_t core)
{
    return (core * d->dram_khz + d->core_khz - 1) / d->core_khz;
}

void smrf_dram_push(struct smrf_dram *d, uint32_t slice, uint64_t local, bool write, uint64_t cycle)
{
    struct smrf_dram_place place = smrf_map_dram(d->map, slice, local);
    struct smrf_dram_channel *ch = &d->channel[place.channel];
    uint32_t r = take_free_(d);
    uint64_t arrival = cycle + 1 + d->cfg->dram.latency;

    SMRF_ASSERT(!write || d->port[slice].writes < SMRF_DRAM_SLICE_WRITES);
    d->port[slice].writes += write;
    d->request[r] = (struct smrf_dram_request){.address = local,
                                               .row = place.row,
                                               .cycle = to_dram_(d, arrival),
                                               .slice = (uint8_t)slice,
                                               .bank = (uint8_t)place.bank,
                                               .write = write};
    smrf_dram_append(d, &ch->input, r);
    if (arrival < ch->wake) {
        ch->wake = arrival;
        smrf_wheel_add(&d->wheel, arrival, place.channel);
    }
}

void smrf_dram_cycle(struct smrf_dram *d, uint64_t cycle)
{
    uint64_t due, end;

    if (!smrf_wheel_take(&d->wheel, cycle, &due)) {
        return;
    }
    end = to_dram_(d, cycle + 1 + d->cfg->dram.latency);
    for (; due; due &= due - 1) {
        smrf_dram_run_channel(d, (uint32_t)__builtin_ctzll(due), end);
    }
}

bool smrf_dram_filled(struct smrf_dram *d, uint32_t slice, uint64_t cycle, uint64_t *local)
{
    struct smrf_dram_list *filled = &d->port[slice].filled;

    if (filled->head == SMRF_DRAM_NONE || d->request[filled->head].cycle > cycle) {
        return false;
    }
    *local = d->request[filled->head].address;
    give_back_(d, smrf_dram_pop(d, filled));
    return true;
}

uint32_t smrf_dram_writes(struct smrf_dram *d, uint32_t slice, uint64_t cycle)
{
    struct smrf_dram_port *port = &d->port[slice];

    while (port->stored.head != SMRF_DRAM_NONE && d->request[port->stored.head].cycle <= cycle) {
        give_back_(d, smrf_dram_pop(d, &port->stored));
        port->writes--;
    }
    return port->writes;
}
