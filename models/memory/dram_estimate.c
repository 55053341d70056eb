/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/dram_estimate.h"

#include <string.h>

size_t smrf_dram_estimate_bytes(const struct smrf_memory_config *cfg)
{
    return cfg->dram.channels * sizeof(struct smrf_channel_times);
}

void smrf_dram_estimate_init(struct smrf_dram_estimate *e, void *storage, struct smrf_dram *dram)
{
    e->dram = dram;
    e->channel = storage;
    e->window =
        dram->cfg->dram.queue < SMRF_UNDER_WAY_MOST ? dram->cfg->dram.queue : SMRF_UNDER_WAY_MOST;
    e->latency = dram->cfg->dram.latency * dram->dram_khz / dram->core_khz;
}

void smrf_dram_estimate_reset(struct smrf_dram_estimate *e)
{
    memset(e->channel, 0, smrf_dram_estimate_bytes(e->dram->cfg));
    for (uint32_t c = 0; c < e->dram->cfg->dram.channels; c++) {
        for (uint32_t b = 0; b < SMRF_DRAM_MAX_BANKS; b++) {
            for (uint32_t r = 0; r < SMRF_DRAM_ROWS; r++) {
                e->channel[c].bank[b].row[r].row = SMRF_NEVER;
            }
        }
    }
}

static inline uint64_t later_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The row that a request which comes in cycle n finds open, or joins because others wait for it
 * still, as FR-FCFS would have it. NULL: none. */
static inline struct smrf_row_times *join_(struct smrf_bank_times *bank, uint64_t row, uint64_t n)
{
    for (uint32_t i = 0; i < SMRF_DRAM_ROWS; i++) {
        struct smrf_row_times *r = &bank->row[(bank->newest - i) % SMRF_DRAM_ROWS];

        if (r->row == row && (i == 0 || r->pending >= n)) {
            return r;
        }
    }
    return NULL;
}

/* First cycle for a row's precharge. */
static inline uint64_t closes_(const struct smrf_dram_params *t, const struct smrf_row_times *row)
{
    return later_(row->opened + t->ras, row->last + row->tail);
}

/* A bank opens another row for a request that comes in cycle n: it closes the one before first,
 * behind what it has to do there. */
static struct smrf_row_times *open_(struct smrf_dram_estimate *e, struct smrf_channel_times *ch,
                                    struct smrf_bank_times *bank, uint64_t row, uint64_t n,
                                    bool writes)
{
    struct smrf_dram *d = e->dram;
    const struct smrf_dram_params *t = &d->cfg->dram;
    const struct smrf_row_times *before = &bank->row[bank->newest];
    const uint64_t turn = later_(ch->activate, n);
    uint64_t at = turn;

    if (before->row != SMRF_NEVER) {
        at = later_(later_(later_(closes_(t, before), n) + t->rp, before->opened + t->rc), turn);
        d->stats.precharges++;
    }
    d->stats.activations++;
    ch->activate = turn + t->rrd;
    ch->column += SMRF_DRAM_BUBBLE;
    bank->newest = (bank->newest + 1) % SMRF_DRAM_ROWS;
    bank->row[bank->newest] = (struct smrf_row_times){
        .row = row, .opened = at, .column = at + (writes ? d->activate_to_write : t->rcd)};
    return &bank->row[bank->newest];
}

/* Rows of the bank that are opened behind this one wait for it. */
static void push_(const struct smrf_dram *d, struct smrf_bank_times *bank,
                  const struct smrf_row_times *row)
{
    const struct smrf_dram_params *t = &d->cfg->dram;

    for (uint32_t i = (uint32_t)(row - bank->row); i != bank->newest;) {
        const uint64_t opens = closes_(t, &bank->row[i]) + t->rp;
        i = (i + 1) % SMRF_DRAM_ROWS;
        struct smrf_row_times *next = &bank->row[i];
        if (opens <= next->opened) {
            return;
        }
        next->column += opens - next->opened;
        next->opened = opens;
        next->last = later_(next->last, next->column + (next->commands - 1) * d->group_spacing);
    }
}

/* Another request of a direction: once there are enough of both for a batch of each, the data bus
 * has changed its direction and back. */
static inline void turn_(const struct smrf_dram *d, struct smrf_channel_times *ch, bool writes)
{
    const uint32_t batch = SMRF_DRAM_BATCH * d->cfg->dram.banks;

    ch->reads += !writes;
    ch->writes += writes;
    if (ch->reads >= batch && ch->writes >= batch) {
        ch->reads = ch->writes = 0;
        ch->column += d->read_to_write + d->write_to_read;
    }
}

/* A slice asks in core cycle `cycle`. Returns the DRAM cycle of the last column command for it. */
static uint64_t serve_(struct smrf_dram_estimate *e, uint32_t slice, uint64_t local,
                       uint32_t sectors, bool writes, uint64_t cycle)
{
    struct smrf_dram *d = e->dram;
    const struct smrf_dram_place place = smrf_map_dram(d->map, slice, local);
    struct smrf_channel_times *ch = &e->channel[place.channel];
    struct smrf_bank_times *bank = &ch->bank[place.bank];
    uint64_t *group = &ch->group[place.bank % d->cfg->dram.bank_groups];
    const uint32_t commands = d->commands[sectors];
    const uint64_t asked = smrf_dram_after(d, cycle + 2);
    const uint64_t taken = later_(ch->taken, asked);
    ch->taken = taken + 1;
    const uint64_t n = smrf_under_way_room(&ch->window, e->window, taken + e->latency + 1);
    struct smrf_row_times *row = join_(bank, place.row, n);

    *(row ? &d->stats.row_hits : &d->stats.row_misses) += sectors;
    row = row ? row : open_(e, ch, bank, place.row, n, writes);
    turn_(d, ch, writes);
    const uint64_t bus = later_(ch->column, n), own = later_(*group, n);
    const uint64_t in_row = later_(n, row->column + row->commands * d->group_spacing);
    const uint64_t all = (uint64_t)(commands - 1) * d->group_spacing;
    ch->column = bus + (uint64_t)commands * d->spacing;
    *group = own + (uint64_t)commands * d->group_spacing;
    const uint64_t last = later_(later_(bus, own), in_row) + all;
    row->last = later_(row->last, in_row + all);
    row->pending = later_(row->pending, last);
    row->commands += commands;
    row->tail =
        later_(row->tail, writes ? d->write_to_precharge : later_(d->data, d->cfg->dram.rtpl));
    smrf_under_way_note(&ch->window, e->window, n, last + 1);
    push_(d, bank, row);
    return last;
}

uint64_t smrf_dram_estimate_read(struct smrf_dram_estimate *e, uint32_t slice, uint64_t local,
                                 uint64_t cycle)
{
    const uint64_t last = serve_(e, slice, local, 1, false, cycle);
    e->dram->stats.reads++;
    return smrf_dram_seen(e->dram, last + e->dram->cfg->dram.cl + 1);
}

uint64_t smrf_dram_estimate_write(struct smrf_dram_estimate *e, uint32_t slice, uint64_t local,
                                  uint32_t sectors, uint64_t cycle)
{
    const uint64_t last = serve_(e, slice, local, sectors, true, cycle);
    e->dram->stats.writes += sectors;
    return smrf_dram_seen(e->dram, last + e->dram->cfg->dram.wl);
}
