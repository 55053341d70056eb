/* SPDX-License-Identifier: Apache-2.0 */
/* A DRAM channel, cycle by cycle: queues, window, banks, and which commands go when. Cycles in which
 * nothing can happen are left out. */
#include "models/memory/dram.h"

#include "models/common/smrf_prefetch.h"

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool column_next_(const struct smrf_dram *d, const struct smrf_dram_bank *bank)
{
    return bank->open && bank->row == d->request[bank->current].row;
}

/* Note and return the command that bank b's request needs, and when the bank itself allows it. */
static enum smrf_dram_need note_need_(const struct smrf_dram *d, struct smrf_dram_channel *ch,
                                      uint32_t b)
{
    const struct smrf_dram_bank *bank = &ch->bank[b];
    const uint64_t allows[] = {bank->activate, bank->precharge, bank->read, bank->write};
    const enum smrf_dram_need need = !bank->open                       ? SMRF_DRAM_ACTIVATE
                                     : !column_next_(d, bank)          ? SMRF_DRAM_PRECHARGE
                                     : d->request[bank->current].write ? SMRF_DRAM_WRITE
                                                                       : SMRF_DRAM_READ;

    ch->ready[b] = allows[need];
    ch->need[need] |= UINT64_C(1) << b;
    return need;
}

static uint64_t columns_(const struct smrf_dram_channel *ch)
{
    return ch->need[SMRF_DRAM_READ] | ch->need[SMRF_DRAM_WRITE];
}

/* First cycle, not before `from`, in which the channel allows a command that it gives to one bank at
 * a time. */
static uint64_t channel_allows_(const struct smrf_dram_channel *ch, enum smrf_dram_need need,
                                uint64_t from)
{
    switch (need) {
    case SMRF_DRAM_ACTIVATE:
        return max_(from, ch->activate);
    case SMRF_DRAM_READ:
        return max_(max_(from, ch->column), ch->read);
    case SMRF_DRAM_WRITE:
        return max_(max_(from, ch->column), ch->write);
    default:
        return from;
    }
}

/* Banks of `banks`, all of which need the same, may have their command from `from` on: enter the first
 * of them for ch->command. */
static void enter_commands_(const struct smrf_dram *d, struct smrf_dram_channel *ch,
                            enum smrf_dram_need need, uint64_t banks, uint64_t from)
{
    from = channel_allows_(ch, need, from);
    if (from > ch->command) {
        return;
    }
    for (; banks; banks &= banks - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(banks);
        const struct smrf_dram_group *group = &ch->group[d->group[b]];
        uint64_t at = max_(from, ch->ready[b]);

        if (need != SMRF_DRAM_ACTIVATE) {
            at = max_(at, need == SMRF_DRAM_PRECHARGE ? group->precharge : group->column);
        }
        if (at < ch->command) {
            ch->command = at;
            ch->due = 0;
        }
        ch->due |= (uint64_t)(at == ch->command) << b;
    }
}

/* Every bank anew: a command has moved what the others wait for. */
static void find_commands_(const struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t from)
{
    ch->command = SMRF_NEVER;
    ch->due = 0;
    for (uint32_t need = 0; need < SMRF_DRAM_NEEDS; need++) {
        if (ch->need[need]) {
            enter_commands_(d, ch, (enum smrf_dram_need)need, ch->need[need], from);
        }
    }
}

/* --- from the slices to the window ------------------------------------------------------------ */

static bool full_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    return ch->count >= d->cfg->dram.queue;
}

/* The first of `list` may go on in this cycle. */
static uint64_t first_(const struct smrf_dram *d, const struct smrf_dram_list *list)
{
    return list->head != SMRF_DRAM_NONE ? d->request[list->head].cycle : SMRF_NEVER;
}

static struct smrf_dram_port *ports_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    return &d->port[(uint32_t)(ch - d->channel) * d->map->per_channel];
}

static void find_asked_(const struct smrf_dram *d, struct smrf_dram_channel *ch)
{
    const struct smrf_dram_port *port = ports_(d, ch);

    ch->asked = SMRF_NEVER;
    for (uint32_t s = 0; s < d->map->per_channel; s++) {
        const uint64_t at = first_(d, &port[s].queue);
        ch->asked = at < ch->asked ? at : ch->asked;
    }
}

/* One request leaves its slice's queue: of the slice that was not served last, if it has one. There is
 * one. */
static void take_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    struct smrf_dram_port *port;
    uint32_t s = ch->last, r;
    uint64_t core;

    do {
        s = s + 1 < d->map->per_channel ? s + 1 : 0;
        port = &ports_(d, ch)[s];
    } while (first_(d, &port->queue) > n);
    r = smrf_dram_pop(d, &port->queue);
    port->queued--;
    if (port->awaits_room) {
        smrf_wheel_add(d->slices, smrf_dram_seen(d, n), (uint32_t)(port - d->port));
    }
    core = smrf_dram_core(d, n) + d->cfg->dram.latency;
    d->request[r].cycle = core ? max_(n, smrf_dram_after(d, core - 1)) : n;
    smrf_dram_append(d, &ch->latency, r);
    ch->entering = first_(d, &ch->latency);
    ch->taken++;
    ch->last = s;
    find_asked_(d, ch);
}

static void enter_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t r = smrf_dram_pop(d, &ch->latency);
    const uint32_t b = d->request[r].bank;

    ch->entering = first_(d, &ch->latency);
    if (ch->latency.head != SMRF_DRAM_NONE && d->request[ch->latency.head].next != SMRF_DRAM_NONE) {
        smrf_prefetch(&d->request[d->request[ch->latency.head].next]);
    }
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
        const uint64_t from = max_(ch->entering, ch->full_from);
        d->stats.queue_full_cycles += n > from ? n - from : 0;
    }
    ch->count--;
    ch->turn = behind_(d, ch->turn, 1);
    ch->pending &= ~(UINT64_C(1) << b);
    bank->current = r;
    bank->hit = bank->open && d->request[r].row == bank->row;
    enter_commands_(d, ch, note_need_(d, ch, b), UINT64_C(1) << b, n);
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
    ch->need[request->write ? SMRF_DRAM_WRITE : SMRF_DRAM_READ] &= ~(UINT64_C(1) << b);
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
    if (d->expect) {
        d->expect(d->expect_ctx, request->slice, request->tag);
    }
    smrf_wheel_add(d->slices, request->cycle, request->slice);
}

static void column_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t n)
{
    const struct smrf_dram_params *p = &d->cfg->dram;
    struct smrf_dram_bank *bank = &ch->bank[b];
    struct smrf_dram_group *group = &ch->group[d->group[b]];
    const bool write = ch->need[SMRF_DRAM_WRITE] >> b & 1;

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

    ch->need[bank->open ? SMRF_DRAM_PRECHARGE : SMRF_DRAM_ACTIVATE] &= ~(UINT64_C(1) << b);
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
    enter_commands_(d, ch, note_need_(d, ch, b), UINT64_C(1) << b, n);
}

/* The banks that are due, in turn: a column command ends the search. The first row command moves the
 * turn, from which the search goes on, as many banks behind as it had come. */
static void commands_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t distance = (uint32_t)__builtin_ctzll(in_turn_(d, ch->due, ch->turn));
    uint64_t columns = ch->due & columns_(ch);
    uint32_t b = behind_(d, ch->turn, distance);

    if (!(columns >> b & 1)) {
        uint64_t left;

        ch->command = SMRF_NEVER;
        row_(d, ch, b, n);
        columns |= ch->command == n ? UINT64_C(1) << b & columns_(ch) : 0;
        left = in_turn_(d, columns, ch->turn) & ~((UINT64_C(2) << distance) - 1);
        if (!left) {
            find_commands_(d, ch, n + 1);
            return;
        }
        b = behind_(d, ch->turn, (uint32_t)__builtin_ctzll(left));
    }
    column_(d, ch, b, n);
    find_commands_(d, ch, n + 1);
}

/* --- a channel's time ------------------------------------------------------------------------------ */

static uint64_t next_(const struct smrf_dram *d, const struct smrf_dram_channel *ch)
{
    uint64_t next = ch->command;

    if (ch->pending) {
        return ch->now;
    }
    if (!full_(d, ch)) {
        next = ch->entering < next ? ch->entering : next;
        next = ch->asked < next && ch->taken < d->most ? ch->asked : next;
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
        if (ch->command == next) {
            commands_(d, ch, next);
        }
        if (!full_(d, ch)) {
            if (ch->asked <= next && ch->taken < d->most) {
                take_(d, ch, next);
            }
            if (ch->entering <= next) {
                enter_(d, ch, next);
            }
        }
        ch->now = next + 1;
    }
    ch->wake = SMRF_NEVER;
    if (next != SMRF_NEVER) {
        ch->wake = smrf_dram_seen(d, next);
        smrf_wheel_add(&d->wheel, ch->wake, c);
    }
}
