/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of a DRAM channel: window, banks, and which command goes when. */
#include "models/memory/dram.h"

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Enter bank b among those that wait for the same kind of command as it now does. */
static void sort_in_(const struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b)
{
    const struct smrf_dram_bank *bank = &ch->bank[b];
    const struct smrf_dram_request *r = &d->request[bank->current];
    uint64_t bit = UINT64_C(1) << b;

    ch->to_precharge &= ~bit;
    ch->to_activate &= ~bit;
    if (!bank->open) {
        ch->to_activate |= bit;
        ch->ready[b] = bank->activate;
    } else if (bank->row != r->row) {
        ch->to_precharge |= bit;
        ch->ready[b] = bank->precharge;
    } else if (r->write) {
        ch->to_write |= bit;
        ch->ready[b] = bank->write;
    } else {
        ch->to_read |= bit;
        ch->ready[b] = bank->read;
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
        r = smrf_dram_pop(d, &bank->waiting);
    } else {
        d->request[before].next = d->request[r].next;
        if (bank->waiting.tail == r) {
            bank->waiting.tail = before;
        }
    }
    bank->current = r;
    bank->hit = bank->open && d->request[r].row == bank->row;
    sort_in_(d, ch, b);
}

/* Requests that have arrived by ch->now enter the window while there is room. */
static void admit_(struct smrf_dram *d, struct smrf_dram_channel *ch)
{
    while (ch->input.head != SMRF_DRAM_NONE && d->request[ch->input.head].cycle <= ch->now &&
           ch->count < d->cfg->dram.queue) {
        uint32_t r = smrf_dram_pop(d, &ch->input);
        uint32_t b = d->request[r].bank;

        smrf_dram_append(d, &ch->bank[b].waiting, r);
        if (++ch->count == d->cfg->dram.queue) {
            ch->full_from = ch->now;
        }
        if (ch->bank[b].current == SMRF_DRAM_NONE) {
            commit_(d, ch, b);
        }
    }
}

/* Banks of `mask`, turned so that bit 0 is the bank whose turn it is: bit i is bank_(d, ch, i). */
static uint64_t in_turn_(const struct smrf_dram *d, const struct smrf_dram_channel *ch,
                         uint64_t mask)
{
    return (mask >> ch->turn | mask << ((d->cfg->dram.banks - ch->turn) & 63)) & d->all_banks;
}

static uint32_t bank_(const struct smrf_dram *d, const struct smrf_dram_channel *ch, uint32_t bit)
{
    return (bit + ch->turn) & (d->cfg->dram.banks - 1);
}

/* A command that a channel could give: when, and how far its bank is from the one in turn. */
struct command {
    uint64_t cycle;
    uint32_t distance;
};

/* First read or write. If one direction has had its share, only the other where that can go. */
static struct command first_column_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    struct command best = {SMRF_NEVER, 0};
    uint64_t earliest = max_(ch->now, ch->column);
    uint64_t other = ch->writing ? ch->to_read : ch->to_write;
    uint64_t mask = ch->run >= d->cfg->dram.queue && other ? other : ch->to_read | ch->to_write;

    for (uint64_t left = in_turn_(d, ch, mask); left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = bank_(d, ch, i);
        uint64_t direction = ch->to_write >> b & 1 ? ch->write : ch->read;
        uint64_t cycle =
            max_(max_(earliest, direction), max_(ch->ready[b], ch->group[d->group[b]].column));

        if (cycle < best.cycle) {
            best = (struct command){cycle, i};
            if (cycle == earliest) {
                break;
            }
        }
    }
    return best;
}

/* First activation, if it can come before cycle `limit`. */
static struct command first_activation_(const struct smrf_dram *d,
                                        const struct smrf_dram_channel *ch, uint64_t limit)
{
    struct command best = {SMRF_NEVER, 0};
    uint64_t earliest = max_(ch->now, ch->activate);

    if (earliest >= limit) {
        return best;
    }
    for (uint64_t left = in_turn_(d, ch, ch->to_activate); left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint64_t cycle = max_(earliest, ch->ready[bank_(d, ch, i)]);

        if (cycle < best.cycle) {
            best = (struct command){cycle, i};
            if (cycle == earliest) {
                break;
            }
        }
    }
    return best;
}

/* First precharge. */
static struct command first_precharge_(const struct smrf_dram *d,
                                       const struct smrf_dram_channel *ch)
{
    struct command best = {SMRF_NEVER, 0};

    for (uint64_t left = in_turn_(d, ch, ch->to_precharge); left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = bank_(d, ch, i);
        uint64_t cycle = max_(max_(ch->now, ch->ready[b]), ch->group[d->group[b]].precharge);

        if (cycle < best.cycle) {
            best = (struct command){cycle, i};
            if (cycle == ch->now) {
                break;
            }
        }
    }
    return best;
}

/* The next command: the earliest; a column command before others; then the bank next in turn. */
static struct command next_command_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    struct command column = first_column_(d, ch);
    struct command row, precharge;

    if (column.cycle == ch->now) {
        return column;
    }
    row = first_activation_(d, ch, column.cycle);
    precharge = first_precharge_(d, ch);
    if (precharge.cycle < row.cycle ||
        (precharge.cycle == row.cycle && precharge.distance < row.distance)) {
        row = precharge;
    }
    return row.cycle < column.cycle ? row : column;
}

/* A request has been served: tell its slice when the data, or the room of a write, is there. */
static void done_(struct smrf_dram *d, uint32_t r, uint64_t dram_cycle)
{
    struct smrf_dram_request *request = &d->request[r];
    struct smrf_dram_port *port = &d->port[request->slice];

    request->cycle = (dram_cycle * d->core_khz + d->dram_khz - 1) / d->dram_khz;
    if (request->write) {
        smrf_dram_append(d, &port->stored, r);
        if (port->awaits_store) {
            smrf_wheel_add(d->slices, request->cycle, request->slice);
        }
    } else {
        request->cycle += SMRF_DRAM_RETURN;
        smrf_dram_append(d, &port->filled, r);
        smrf_wheel_add(d->slices, request->cycle, request->slice);
    }
}

/* Read or write the current request of bank b in cycle t. */
static void column_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t t)
{
    const struct smrf_memory_config *cfg = d->cfg;
    struct smrf_dram_bank *bank = &ch->bank[b];
    struct smrf_dram_group *group = &ch->group[d->group[b]];
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
        group->precharge = t + cfg->dram.rtpl;
        d->stats.reads++;
    }
    d->stats.row_hits += bank->hit;
    d->stats.row_misses += !bank->hit;
    bank->current = SMRF_DRAM_NONE;
    ch->to_read &= ~(UINT64_C(1) << b);
    ch->to_write &= ~(UINT64_C(1) << b);
    if (ch->count-- == cfg->dram.queue && ch->input.head != SMRF_DRAM_NONE &&
        d->request[ch->input.head].cycle <= t) {
        d->stats.queue_full_cycles += t + 1 - max_(d->request[ch->input.head].cycle, ch->full_from);
    }
    done_(d, r, write ? t : t + cfg->dram.cl + d->data);
    if (bank->waiting.head != SMRF_DRAM_NONE) {
        commit_(d, ch, b);
    }
}

/* Give the command that bank b needs next, in cycle t. */
static void command_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t t)
{
    const struct smrf_memory_config *cfg = d->cfg;
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint64_t row = d->request[bank->current].row;

    ch->turn = (b + 1) & (cfg->dram.banks - 1);
    ch->now = t + 1;
    if (bank->open && bank->row == row) {
        column_(d, ch, b, t);
        return;
    }
    if (bank->open) {
        bank->open = false;
        bank->activate = max_(bank->activate, t + cfg->dram.rp);
        d->stats.precharges++;
    } else {
        bank->open = true;
        bank->row = row;
        bank->activate = t + cfg->dram.rc;
        bank->read = t + cfg->dram.rcd;
        bank->write = t + d->activate_to_write;
        bank->precharge = max_(bank->precharge, t + cfg->dram.ras);
        ch->activate = t + cfg->dram.rrd;
    }
    sort_in_(d, ch, b);
}

void smrf_dram_run_channel(struct smrf_dram *d, uint32_t c, uint64_t end)
{
    struct smrf_dram_channel *ch = &d->channel[c];
    uint64_t next;

    for (;;) {
        struct command command;
        uint64_t admit = SMRF_NEVER;

        admit_(d, ch);
        command = next_command_(d, ch);
        if (ch->input.head != SMRF_DRAM_NONE && ch->count < d->cfg->dram.queue) {
            admit = max_(d->request[ch->input.head].cycle, ch->now);
        }
        next = admit < command.cycle ? admit : command.cycle;
        if (next >= end) {
            break;
        }
        if (admit <= command.cycle) {
            ch->now = admit;
        } else {
            command_(d, ch, bank_(d, ch, command.distance), command.cycle);
        }
    }
    ch->wake = SMRF_NEVER;
    if (next != SMRF_NEVER) {
        ch->wake = next * d->core_khz / d->dram_khz;
        smrf_wheel_add(&d->wheel, ch->wake, c);
    }
}
