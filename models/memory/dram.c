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

static uint32_t slice_requests_(const struct smrf_config *cfg)
{
    return cfg->l2_mshrs + SMRF_DRAM_SLICE_WRITES;
}

size_t smrf_dram_bytes(const struct smrf_config *cfg)
{
    return round_up_((size_t)cfg->l2_slices * slice_requests_(cfg) *
                     sizeof(struct smrf_dram_request)) +
           round_up_(cfg->l2_slices * sizeof(struct smrf_dram_port)) +
           round_up_(cfg->dram_channels * sizeof(struct smrf_dram_channel)) + smrf_wheel_bytes(1);
}

/* Derived timings (Accel-Sim: dram_timing_opt parsing). A sector is as many bursts as it needs. */
static void derive_(struct smrf_dram *d)
{
    const struct smrf_config *cfg = d->cfg;
    uint32_t burst_bytes = cfg->dram_burst * cfg->dram_bus_bytes;
    uint32_t bursts = (SMRF_SECTOR_BYTES + burst_bytes - 1) / burst_bytes;
    uint32_t beat_cycles = (cfg->dram_burst + cfg->dram_data_rate - 1) / cfg->dram_data_rate;
    uint32_t spacing = (uint32_t)max_(cfg->dram_ccd, beat_cycles);
    uint64_t a = cfg->gpu_core_khz, b = cfg->dram_khz;

    while (b) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    d->core_khz = cfg->gpu_core_khz / a;
    d->dram_khz = cfg->dram_khz / a;
    d->data = (bursts - 1) * spacing + beat_cycles;
    d->spacing = bursts * spacing;
    d->group_spacing = (bursts - 1) * spacing + (uint32_t)max_(cfg->dram_ccdl, spacing);
    d->read_to_write =
        cfg->dram_cl + d->data + 2 > cfg->dram_wl ? cfg->dram_cl + d->data + 2 - cfg->dram_wl : 1;
    d->write_to_read = cfg->dram_wl + d->data + cfg->dram_cdlr;
    d->write_to_precharge = cfg->dram_wl + d->data + cfg->dram_wr;
    d->activate_to_write =
        cfg->dram_rcd > cfg->dram_wl + 1 ? cfg->dram_rcd - (cfg->dram_wl + 1) : 1;
}

void smrf_dram_init(struct smrf_dram *d, void *storage, const struct smrf_config *cfg,
                    const struct smrf_map *map, struct smrf_wheel *slices)
{
    unsigned char *p = storage;

    *d = (struct smrf_dram){.cfg = cfg, .map = map, .slices = slices};
    derive_(d);
    d->request = (struct smrf_dram_request *)(void *)p;
    p += round_up_((size_t)cfg->l2_slices * slice_requests_(cfg) * sizeof(*d->request));
    d->port = (struct smrf_dram_port *)(void *)p;
    p += round_up_(cfg->l2_slices * sizeof(*d->port));
    d->channel = (struct smrf_dram_channel *)(void *)p;
    p += round_up_(cfg->dram_channels * sizeof(*d->channel));
    smrf_wheel_init(&d->wheel, p, 1);
    smrf_dram_reset(d);
}

void smrf_dram_reset(struct smrf_dram *d)
{
    const struct smrf_dram_list empty = {SMRF_DRAM_NONE, SMRF_DRAM_NONE};

    for (uint32_t s = 0; s < d->cfg->l2_slices; s++) {
        d->port[s] = (struct smrf_dram_port){.filled = empty, .stored = empty};
    }
    for (uint32_t c = 0; c < d->cfg->dram_channels; c++) {
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

static void append_(struct smrf_dram *d, struct smrf_dram_list *list, uint32_t r)
{
    d->request[r].next = SMRF_DRAM_NONE;
    if (list->head == SMRF_DRAM_NONE) {
        list->head = r;
    } else {
        d->request[list->tail].next = r;
    }
    list->tail = r;
}

static uint32_t pop_(struct smrf_dram *d, struct smrf_dram_list *list)
{
    uint32_t r = list->head;

    list->head = d->request[r].next;
    return r;
}

static uint32_t take_free_(struct smrf_dram *d)
{
    uint32_t r = d->free;

    if (r == SMRF_DRAM_NONE) {
        SMRF_ASSERT(d->fresh < d->cfg->l2_slices * slice_requests_(d->cfg));
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
    uint64_t arrival = cycle + 1 + d->cfg->dram_latency;

    SMRF_ASSERT(!write || d->port[slice].writes < SMRF_DRAM_SLICE_WRITES);
    d->port[slice].writes += write;
    d->request[r] = (struct smrf_dram_request){.address = local,
                                               .row = place.row,
                                               .cycle = to_dram_(d, arrival),
                                               .slice = (uint8_t)slice,
                                               .bank = (uint8_t)place.bank,
                                               .write = write};
    append_(d, &ch->input, r);
    if (arrival < ch->wake) {
        ch->wake = arrival;
        smrf_wheel_add(&d->wheel, arrival, place.channel);
    }
}

/* An idle bank takes the oldest request for its open row, else its oldest. */
static void commit_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b)
{
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint32_t before = SMRF_DRAM_NONE;
    uint32_t r = bank->waiting.head;

    while (bank->open && r != SMRF_DRAM_NONE && d->request[r].row != bank->row) {
        before = r;
        r = d->request[r].next;
    }
    if (r == SMRF_DRAM_NONE || before == SMRF_DRAM_NONE) {
        r = pop_(d, &bank->waiting);
    } else {
        d->request[before].next = d->request[r].next;
        if (bank->waiting.tail == r) {
            bank->waiting.tail = before;
        }
    }
    bank->current = r;
    bank->hit = bank->open && d->request[r].row == bank->row;
    ch->busy |= UINT64_C(1) << b;
}

/* Requests that have arrived by ch->now enter the window while there is room. */
static void admit_(struct smrf_dram *d, struct smrf_dram_channel *ch)
{
    while (ch->input.head != SMRF_DRAM_NONE && d->request[ch->input.head].cycle <= ch->now &&
           ch->count < d->cfg->dram_queue) {
        uint32_t r = pop_(d, &ch->input);
        uint32_t b = d->request[r].bank;

        append_(d, &ch->bank[b].waiting, r);
        if (++ch->count == d->cfg->dram_queue) {
            ch->full_from = ch->now;
        }
        if (ch->bank[b].current == SMRF_DRAM_NONE) {
            commit_(d, ch, b);
        }
    }
}

/* A command that a channel could give. The smaller key goes first: cycle, then column before row
 * command, then the bank's distance from the one whose turn it is. */
#define KEY_NEVER UINT64_MAX

static uint64_t key_(uint64_t cycle, bool row_command, uint32_t distance)
{
    return cycle << 7 | (uint64_t)row_command << 6 | distance;
}

/* The next command: its key, and in *b its bank. KEY_NEVER if every bank is idle. */
static uint64_t next_command_(const struct smrf_dram *d, const struct smrf_dram_channel *ch,
                              uint32_t *b)
{
    uint64_t best[3] = {KEY_NEVER, KEY_NEVER, KEY_NEVER}; /* row, this direction, the other */
    uint32_t banks = d->cfg->dram_banks;

    for (uint64_t left = ch->busy; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        const struct smrf_dram_bank *bank = &ch->bank[i];
        const struct smrf_dram_group *group = &ch->group[i % d->cfg->dram_bank_groups];
        const struct smrf_dram_request *r = &d->request[bank->current];
        uint32_t distance = (i + banks - ch->turn) & (banks - 1);
        uint32_t class = 0;
        uint64_t cycle, key;

        if (bank->open && bank->row == r->row) {
            cycle = max_(max_(ch->column, group->column),
                         r->write ? max_(bank->write, ch->write) : max_(bank->read, ch->read));
            class = r->write == ch->writing ? 1 : 2;
        } else if (bank->open) {
            cycle = max_(bank->precharge, group->precharge);
        } else {
            cycle = max_(bank->activate, ch->activate);
        }
        key = key_(max_(cycle, ch->now), class == 0, distance);
        if (key < best[class]) {
            best[class] = key;
        }
    }
    if (best[2] < best[1] || (ch->run >= d->cfg->dram_queue && best[2] != KEY_NEVER)) {
        best[1] = best[2];
    }
    if (best[0] < best[1]) {
        best[1] = best[0];
    }
    *b = ((uint32_t)best[1] % 64 + ch->turn) & (banks - 1);
    return best[1];
}

/* A request has been served: tell its slice when the data, or the room of a write, is there. */
static void done_(struct smrf_dram *d, uint32_t r, uint64_t dram_cycle)
{
    struct smrf_dram_request *request = &d->request[r];
    struct smrf_dram_port *port = &d->port[request->slice];

    request->cycle = (dram_cycle * d->core_khz + d->dram_khz - 1) / d->dram_khz;
    if (request->write) {
        append_(d, &port->stored, r);
        if (port->awaits_store) {
            smrf_wheel_add(d->slices, request->cycle, request->slice);
        }
    } else {
        request->cycle += SMRF_DRAM_RETURN;
        append_(d, &port->filled, r);
        smrf_wheel_add(d->slices, request->cycle, request->slice);
    }
}

/* Read or write the current request of bank b in cycle t. */
static void column_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t t)
{
    const struct smrf_config *cfg = d->cfg;
    struct smrf_dram_bank *bank = &ch->bank[b];
    struct smrf_dram_group *group = &ch->group[b % cfg->dram_bank_groups];
    uint32_t r = bank->current;
    bool write = d->request[r].write;

    ch->column = t + d->spacing;
    group->column = t + d->group_spacing;
    ch->run = write == ch->writing ? ch->run + 1 : 1;
    d->stats.turnarounds += write != ch->writing;
    ch->writing = write;
    if (write) {
        ch->read = t + d->write_to_read;
        bank->precharge = max_(bank->precharge, t + d->write_to_precharge);
        d->stats.writes++;
    } else {
        ch->write = t + d->read_to_write;
        bank->precharge = max_(bank->precharge, t + d->data);
        group->precharge = t + cfg->dram_rtpl;
        d->stats.reads++;
    }
    d->stats.row_hits += bank->hit;
    d->stats.row_misses += !bank->hit;
    bank->current = SMRF_DRAM_NONE;
    ch->busy &= ~(UINT64_C(1) << b);
    if (ch->count-- == cfg->dram_queue && ch->input.head != SMRF_DRAM_NONE &&
        d->request[ch->input.head].cycle <= t) {
        d->stats.queue_full_cycles += t + 1 - max_(d->request[ch->input.head].cycle, ch->full_from);
    }
    done_(d, r, write ? t : t + cfg->dram_cl + d->data);
    if (bank->waiting.head != SMRF_DRAM_NONE) {
        commit_(d, ch, b);
    }
}

/* Give the command that bank b needs next, in cycle t. */
static void command_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t t)
{
    const struct smrf_config *cfg = d->cfg;
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint64_t row = d->request[bank->current].row;

    ch->turn = (b + 1) & (cfg->dram_banks - 1);
    ch->now = t + 1;
    if (bank->open && bank->row == row) {
        column_(d, ch, b, t);
    } else if (bank->open) {
        bank->open = false;
        bank->activate = max_(bank->activate, t + cfg->dram_rp);
        d->stats.precharges++;
    } else {
        bank->open = true;
        bank->row = row;
        bank->activate = t + cfg->dram_rc;
        bank->read = t + cfg->dram_rcd;
        bank->write = t + d->activate_to_write;
        bank->precharge = max_(bank->precharge, t + cfg->dram_ras);
        ch->activate = t + cfg->dram_rrd;
    }
}

/* Decide the commands of a channel before DRAM cycle `end`, and enter it for the next one. */
static void run_channel_(struct smrf_dram *d, uint32_t c, uint64_t end)
{
    struct smrf_dram_channel *ch = &d->channel[c];
    uint64_t next;

    for (;;) {
        uint32_t b = 0;
        uint64_t key = next_command_(d, ch, &b);
        uint64_t command = key == KEY_NEVER ? SMRF_NEVER : key >> 7;
        uint64_t admit = SMRF_NEVER;

        if (ch->input.head != SMRF_DRAM_NONE && ch->count < d->cfg->dram_queue) {
            admit = max_(d->request[ch->input.head].cycle, ch->now);
        }
        next = admit < command ? admit : command;
        if (next >= end) {
            break;
        }
        if (admit <= command) {
            ch->now = admit;
            admit_(d, ch);
        } else {
            command_(d, ch, b, command);
        }
    }
    ch->wake = SMRF_NEVER;
    if (next != SMRF_NEVER) {
        ch->wake = next * d->core_khz / d->dram_khz;
        smrf_wheel_add(&d->wheel, ch->wake, c);
    }
}

void smrf_dram_cycle(struct smrf_dram *d, uint64_t cycle)
{
    uint64_t due, end;

    if (!smrf_wheel_take(&d->wheel, cycle, &due)) {
        return;
    }
    end = to_dram_(d, cycle + 1 + d->cfg->dram_latency);
    for (; due; due &= due - 1) {
        run_channel_(d, (uint32_t)__builtin_ctzll(due), end);
    }
}

bool smrf_dram_filled(struct smrf_dram *d, uint32_t slice, uint64_t cycle, uint64_t *local)
{
    struct smrf_dram_list *filled = &d->port[slice].filled;

    if (filled->head == SMRF_DRAM_NONE || d->request[filled->head].cycle > cycle) {
        return false;
    }
    *local = d->request[filled->head].address;
    give_back_(d, pop_(d, filled));
    return true;
}

uint32_t smrf_dram_writes(struct smrf_dram *d, uint32_t slice, uint64_t cycle)
{
    struct smrf_dram_port *port = &d->port[slice];

    while (port->stored.head != SMRF_DRAM_NONE && d->request[port->stored.head].cycle <= cycle) {
        give_back_(d, pop_(d, &port->stored));
        port->writes--;
    }
    return port->writes;
}
