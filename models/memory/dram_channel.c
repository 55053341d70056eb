/* SPDX-License-Identifier: Apache-2.0 */
/* A DRAM channel, cycle by cycle: queues, window, banks, and which commands go when. Cycles in which
 * nothing can happen are left out. */
#include "models/memory/dram.h"

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool column_next_(const struct smrf_dram *d, const struct smrf_dram_bank *bank)
{
    return bank->open && bank->row == d->request[bank->current].row;
}

/* When bank b may give the command that its request needs, as far as the bank itself is concerned. */
static void note_ready_(const struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b)
{
    const struct smrf_dram_bank *bank = &ch->bank[b];

    ch->ready[b] = !bank->open                       ? bank->activate
                   : !column_next_(d, bank)          ? bank->precharge
                   : d->request[bank->current].write ? bank->write
                                                     : bank->read;
}

/* The same with its group and the channel. */
static uint64_t earliest_(const struct smrf_dram *d, const struct smrf_dram_channel *ch, uint32_t b)
{
    const struct smrf_dram_bank *bank = &ch->bank[b];
    const struct smrf_dram_group *group = &ch->group[d->group[b]];

    if (!bank->open) {
        return max_(ch->ready[b], ch->activate);
    }
    if (!column_next_(d, bank)) {
        return max_(ch->ready[b], group->precharge);
    }
    return max_(max_(ch->ready[b], group->column),
                max_(ch->column, d->request[bank->current].write ? ch->write : ch->read));
}

/* --- from the slices to the window ------------------------------------------------------------ */

static bool full_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    return ch->count >= d->cfg->dram.queue;
}

/* One request leaves its slice's queue: of the slice that was not served last, if it has one. */
static void take_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t slices = d->map->per_channel;
    const uint32_t first = (uint32_t)(ch - d->channel) * slices;

    for (uint32_t i = 1; i <= slices; i++) {
        const uint32_t s = (ch->last + i) % slices;
        struct smrf_dram_port *port = &d->port[first + s];
        uint32_t r = port->queue.head;
        uint64_t core;

        if (r == SMRF_DRAM_NONE || d->request[r].cycle > n) {
            continue;
        }
        (void)smrf_dram_pop(d, &port->queue);
        port->queued--;
        if (port->awaits_room) {
            smrf_wheel_add(d->slices, smrf_dram_seen(d, n), first + s);
        }
        core = smrf_dram_core(d, n) + d->cfg->dram.latency;
        d->request[r].cycle = core ? max_(n, smrf_dram_after(d, core - 1)) : n;
        smrf_dram_append(d, &ch->latency, r);
        ch->taken++;
        ch->last = s;
        return;
    }
}

static void enter_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    uint32_t r = ch->latency.head;
    uint32_t b;

    if (r == SMRF_DRAM_NONE || d->request[r].cycle > n) {
        return;
    }
    (void)smrf_dram_pop(d, &ch->latency);
    b = d->request[r].bank;
    smrf_dram_append(d, &ch->bank[b].waiting, r);
    if (ch->bank[b].current == SMRF_DRAM_NONE) {
        ch->pending |= UINT64_C(1) << b;
    }
    if (++ch->count == d->cfg->dram.queue) {
        ch->full_from = n + 1;
    }
}

/* --- from the window to the banks -------------------------------------------------------------- */

/* Banks of `mask`, turned so that bit 0 is the bank whose turn it is. */
static uint64_t in_turn_(const struct smrf_dram *d, uint64_t mask, uint32_t turn)
{
    return (mask >> turn | mask << ((d->cfg->dram.banks - turn) & 63)) & d->all_banks;
}

static uint32_t behind_(const struct smrf_dram *d, uint32_t bank, uint32_t distance)
{
    return (bank + distance) & (d->cfg->dram.banks - 1);
}

/* The first idle bank in turn takes the oldest request for its row, else its oldest. */
static void commit_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint64_t turned = in_turn_(d, ch->pending, ch->turn);
    const uint32_t b = behind_(d, ch->turn, (uint32_t)__builtin_ctzll(turned));
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint32_t before = SMRF_DRAM_NONE;
    uint32_t r = bank->waiting.head;

    while (r != SMRF_DRAM_NONE && d->request[r].row != bank->row) {
        before = r;
        r = d->request[r].next;
    }
    if (r == SMRF_DRAM_NONE || before == SMRF_DRAM_NONE) {
        r = smrf_dram_pop(d, &bank->waiting);
    } else {
        d->request[before].next = d->request[r].next;
        if (bank->waiting.tail == r) {
            bank->waiting.tail = before;
        }
    }
    if (full_(d, ch) && ch->latency.head != SMRF_DRAM_NONE) {
        const uint64_t from = max_(d->request[ch->latency.head].cycle, ch->full_from);
        d->stats.queue_full_cycles += n > from ? n - from : 0;
    }
    ch->count--;
    ch->turn = behind_(d, ch->turn, 1);
    ch->pending &= ~(UINT64_C(1) << b);
    ch->busy |= UINT64_C(1) << b;
    bank->current = r;
    bank->hit = bank->open && d->request[r].row == bank->row;
    note_ready_(d, ch, b);
}

/* --- commands ------------------------------------------------------------------------------------ */

/* A request has had its last command, in cycle n. */
static void done_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t n)
{
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint32_t r = bank->current;
    struct smrf_dram_request *request = &d->request[r];

    *(request->write ? &d->stats.writes : &d->stats.reads) += request->sectors;
    *(bank->hit ? &d->stats.row_hits : &d->stats.row_misses) += request->sectors;
    bank->current = SMRF_DRAM_NONE;
    ch->busy &= ~(UINT64_C(1) << b);
    if (bank->waiting.head != SMRF_DRAM_NONE) {
        ch->pending |= UINT64_C(1) << b;
    }
    ch->taken--;
    if (request->write) {
        smrf_dram_give_back(d, r);
        return;
    }
    /* Data come `cl` cycles later, and go on in the cycle behind. */
    request->cycle = smrf_dram_seen(d, n + d->cfg->dram.cl + 1);
    smrf_dram_append(d, &d->port[request->slice].filled, r);
    smrf_wheel_add(d->slices, request->cycle, request->slice);
}

static void column_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t n)
{
    const struct smrf_dram_params *p = &d->cfg->dram;
    struct smrf_dram_bank *bank = &ch->bank[b];
    struct smrf_dram_group *group = &ch->group[d->group[b]];
    const bool write = d->request[bank->current].write;

    ch->column = n + d->spacing;
    group->column = n + d->group_spacing;
    d->stats.turnarounds += write != ch->writing;
    ch->writing = write;
    if (write) {
        ch->read = n + d->write_to_read;
        bank->precharge = max_(bank->precharge, n + d->write_to_precharge);
    } else {
        ch->write = n + d->read_to_write;
        bank->precharge = max_(bank->precharge, n + d->data);
        group->precharge = n + p->rtpl;
    }
    if (--d->request[bank->current].commands == 0) {
        done_(d, ch, b, n);
    }
}

static void row_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t n)
{
    const struct smrf_dram_params *p = &d->cfg->dram;
    struct smrf_dram_bank *bank = &ch->bank[b];

    if (bank->open) {
        bank->open = false;
        bank->activate = max_(bank->activate, n + p->rp);
        d->stats.precharges++;
    } else {
        bank->open = true;
        bank->row = d->request[bank->current].row;
        bank->activate = n + p->rc;
        bank->read = n + p->rcd;
        bank->write = n + d->activate_to_write;
        bank->precharge = max_(bank->precharge, n + p->ras);
        ch->activate = n + p->rrd;
    }
    ch->turn = behind_(d, b, 1);
    note_ready_(d, ch, b);
}

static void commands_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    bool row = false;

    for (uint32_t i = 0; i < d->cfg->dram.banks; i++) {
        const uint32_t b = behind_(d, ch->turn, i);

        if (!(ch->busy >> b & 1) || earliest_(d, ch, b) > n) {
            continue;
        }
        if (column_next_(d, &ch->bank[b])) {
            column_(d, ch, b, n);
            return; /* no row command follows one of these */
        }
        if (!row) {
            row_(d, ch, b, n);
            row = true;
        }
    }
}

/* --- a channel's time ------------------------------------------------------------------------------ */

static uint64_t next_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    const uint32_t slices = d->map->per_channel;
    const uint32_t first = (uint32_t)(ch - d->channel) * slices;
    uint64_t next = SMRF_NEVER;

    if (ch->pending) {
        return ch->now;
    }
    for (uint64_t m = ch->busy; m; m &= m - 1) {
        const uint64_t at = earliest_(d, ch, (uint32_t)__builtin_ctzll(m));
        next = at < next ? at : next;
    }
    if (!full_(d, ch)) {
        if (ch->latency.head != SMRF_DRAM_NONE) {
            const uint64_t at = d->request[ch->latency.head].cycle;
            next = at < next ? at : next;
        }
        for (uint32_t s = 0; s < slices && ch->taken < d->most; s++) {
            const uint32_t r = d->port[first + s].queue.head;
            if (r != SMRF_DRAM_NONE && d->request[r].cycle < next) {
                next = d->request[r].cycle;
            }
        }
    }
    return max_(next, ch->now);
}

void smrf_dram_run_channel(struct smrf_dram *d, uint32_t c, uint64_t end)
{
    struct smrf_dram_channel *ch = &d->channel[c];
    uint64_t next;

    while ((next = next_(d, ch)) < end) {
        if (ch->pending) {
            commit_(d, ch, next);
        }
        commands_(d, ch, next);
        if (!full_(d, ch)) {
            if (ch->taken < d->most) {
                take_(d, ch, next);
            }
            enter_(d, ch, next);
        }
        ch->now = next + 1;
    }
    ch->wake = SMRF_NEVER;
    if (next != SMRF_NEVER) {
        ch->wake = smrf_dram_seen(d, next);
        smrf_wheel_add(&d->wheel, ch->wake, c);
    }
}
