/* SPDX-License-Identifier: Apache-2.0 */
/* A DRAM channel, cycle by cycle: queues, window, banks, and which commands go when. Cycles in
 * which nothing can happen are left out. */
#include "models/memory/dram_take.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_inlined.h"
#include "models/common/smrf_prefetch.h"
#include "models/common/smrf_turn.h"

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Note and return the command that bank b's request needs, and when the bank itself allows it. */
static inline enum smrf_dram_need note_need_(const struct smrf_dram *d,
                                             struct smrf_dram_channel *ch, uint32_t b)
{
    struct smrf_dram_bank *bank = &ch->bank[b];
    enum smrf_dram_need need = SMRF_DRAM_READ;
    uint64_t ready = bank->read;

    if (!bank->open) {
        need = SMRF_DRAM_ACTIVATE;
        ready = bank->activate;
    } else if (bank->row != d->request[bank->current].row) {
        need = SMRF_DRAM_PRECHARGE;
        ready = bank->precharge;
    } else if (d->request[bank->current].sectors & SMRF_DRAM_WRITES) {
        need = SMRF_DRAM_WRITE;
        ready = bank->write;
    }
    bank->ready = ready;
    ch->need[need] |= UINT64_C(1) << b;
    ch->ripe &= ~(UINT64_C(1) << b);
    return need;
}

static uint64_t columns_(const struct smrf_dram_channel *ch)
{
    return ch->need[SMRF_DRAM_READ] | ch->need[SMRF_DRAM_WRITE];
}

/* First cycle, not before `from`, in which the channel allows a command that it gives to one bank
 * at a time. */
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

/* Banks may have their command in cycle `at`. */
static void enter_commands_(struct smrf_dram_channel *ch, uint64_t at, uint64_t banks)
{
    if (at < ch->command) {
        ch->command = at;
        ch->due = banks;
    } else if (at == ch->command) {
        ch->due |= banks;
    }
}

/* Bank b may have the command that it needs as soon as itself and its group allow it, from `from`
 * on. */
static void enter_command_(struct smrf_dram_channel *ch, enum smrf_dram_need need, uint32_t b,
                           uint64_t from)
{
    const struct smrf_dram_bank *bank = &ch->bank[b];
    const struct smrf_dram_group *group = &ch->group[bank->group];
    uint64_t at = max_(from, bank->ready);

    if (need != SMRF_DRAM_ACTIVATE) {
        at = max_(at, need == SMRF_DRAM_PRECHARGE ? group->precharge : group->column);
    }
    enter_commands_(ch, at, UINT64_C(1) << b);
}

/* Banks whose group may keep them from what they need in cycle `at`. Two column commands ago is too
 * long for a group to be kept from its next one, unless its spacing is more than two of the
 * channel's. */
static uint64_t kept_(const struct smrf_dram *d, const struct smrf_dram_channel *ch,
                      enum smrf_dram_need need, uint64_t at)
{
    if (need == SMRF_DRAM_ACTIVATE) {
        return 0;
    }
    if (need == SMRF_DRAM_PRECHARGE || d->group_spacing > 2 * d->spacing) {
        return d->all_banks;
    }
    return ch->group[ch->column_group].column > at ? d->banks_of[ch->column_group] : 0;
}

/* Banks that all need the same, from cycle `from` on. Those that are ready, and not kept, come at
 * once, and the others later. */
static inline void find_(const struct smrf_dram *d, struct smrf_dram_channel *ch,
                         enum smrf_dram_need need, uint64_t from)
{
    const uint64_t at = channel_allows_(ch, need, from);
    uint64_t banks = ch->need[need], at_once;

    if (at > ch->command) {
        return;
    }
    at_once = banks & ch->ripe & ~kept_(d, ch, need, at);
    if (at_once) {
        enter_commands_(ch, at, at_once);
        banks &= ~ch->ripe;
    }
    for (; banks; banks &= banks - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(banks);

        ch->ripe |= (uint64_t)(ch->bank[b].ready <= from) << b;
        enter_command_(ch, need, b, at);
    }
}

/* Every bank anew: a command has moved what the others wait for. */
static void find_commands_(const struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t from)
{
    ch->command = SMRF_NEVER;
    ch->due = 0;
    if (ch->need[SMRF_DRAM_READ]) {
        find_(d, ch, SMRF_DRAM_READ, from);
    }
    if (ch->need[SMRF_DRAM_WRITE]) {
        find_(d, ch, SMRF_DRAM_WRITE, from);
    }
    if (ch->need[SMRF_DRAM_ACTIVATE]) {
        find_(d, ch, SMRF_DRAM_ACTIVATE, from);
    }
    if (ch->need[SMRF_DRAM_PRECHARGE]) {
        find_(d, ch, SMRF_DRAM_PRECHARGE, from);
    }
}

/* --- to the window -----------------------------------------------------------------------------
 */

/* Request r is the first of the latency list now: the one behind it is prefetched into the host's
 * cache. */
static inline void expect_(const struct smrf_dram *d, uint32_t r)
{
    if (d->request[r].next != SMRF_DRAM_NONE) {
        smrf_prefetch(&d->request[d->request[r].next]);
    }
}

static void enter_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t r = ch->latency.head, b = d->request[r].bank;

    if (ch->room == 1) {
        smrf_dram_take_asked(d, ch, n + 1);
        ch->full_from = n + 1;
    }
    ch->room--;
    (void)smrf_dram_pop(d, &ch->latency);
    if (ch->latency.head != SMRF_DRAM_NONE) {
        expect_(d, ch->latency.head);
    }
    ch->entering = ch->room ? smrf_dram_first(d, &ch->latency) : SMRF_NEVER;
    smrf_dram_append(d, &ch->bank[b].waiting, r);
    ch->pending |= (uint64_t)(ch->bank[b].current == SMRF_DRAM_NONE) << b;
}

/* --- from the window to the banks ------------------------------------------------------------- */

static uint32_t behind_(const struct smrf_dram *d, uint32_t bank, uint32_t distance)
{
    return (bank + distance) & (d->cfg->dram.banks - 1);
}

/* Take the oldest request for the bank's row out of those that wait for it, else the oldest, which
 * is for another one. */
static SMRF_APART uint32_t choose_(struct smrf_dram *d, struct smrf_dram_bank *bank)
{
    struct smrf_dram_list *waiting = &bank->waiting;
    uint32_t before = waiting->head, r = before;

    do {
        before = r;
        r = d->request[r].next;
    } while (r != SMRF_DRAM_NONE && d->request[r].row != bank->row);
    if (r == SMRF_DRAM_NONE) {
        return smrf_dram_pop(d, waiting);
    }
    d->request[before].next = d->request[r].next;
    waiting->tail = waiting->tail == r ? before : waiting->tail;
    return r;
}

/* The first idle bank in turn takes a request, in cycle n. Returns the bank. */
static SMRF_INLINED uint32_t commit_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t b = smrf_turn_first(ch->pending, ch->turn);
    struct smrf_dram_bank *bank = &ch->bank[b];

    if (d->request[bank->waiting.head].row == bank->row) {
        bank->current = smrf_dram_pop(d, &bank->waiting);
        bank->hit = bank->open;
    } else {
        bank->current = choose_(d, bank);
        bank->hit = bank->open && d->request[bank->current].row == bank->row;
    }
    ch->turn = behind_(d, ch->turn, 1);
    ch->pending &= ~(UINT64_C(1) << b);
    if (ch->room++ == 0) {
        uint64_t from;

        ch->entering = smrf_dram_first(d, &ch->latency);
        ch->take_from = max_(ch->take_from, n);
        from = max_(ch->entering, ch->full_from);
        d->stats.queue_full_cycles += n > from ? n - from : 0;
    }
    return b;
}

/* What bank b's request needs next, from cycle n on. */
static void ask_for_command_(const struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b,
                             uint64_t n)
{
    const enum smrf_dram_need need = note_need_(d, ch, b);
    enter_command_(ch, need, b, channel_allows_(ch, need, n));
}

/* --- commands --------------------------------------------------------------------------------- */

/* A request has had its last command, in cycle n. */
static inline void done_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b, uint64_t n)
{
    struct smrf_dram_bank *bank = &ch->bank[b];
    uint32_t r = bank->current;
    struct smrf_dram_request *request = &d->request[r];
    struct smrf_dram_port *port = &d->port[request->slice];
    uint32_t sectors;

    bank->current = SMRF_DRAM_NONE;
    ch->pending |= (uint64_t)(bank->waiting.head != SMRF_DRAM_NONE) << b;
    sectors = request->sectors & ~SMRF_DRAM_WRITES;
    *(bank->hit ? &d->stats.row_hits : &d->stats.row_misses) += sectors;
    if (request->sectors & SMRF_DRAM_WRITES) {
        ch->need[SMRF_DRAM_WRITE] &= ~(UINT64_C(1) << b);
        d->stats.writes += sectors;
        smrf_dram_give_credit(d, ch, (uint32_t)(port - ch->port), n + d->cfg->dram.wl);
        smrf_dram_give_back(ch, r);
        return;
    }
    ch->need[SMRF_DRAM_READ] &= ~(UINT64_C(1) << b);
    d->stats.reads += sectors;
    /* Data come `cl` cycles later, and go on in the cycle behind. */
    smrf_dram_give_credit(d, ch, (uint32_t)(port - ch->port), n + d->cfg->dram.cl + 1);
    request->cycle = smrf_dram_seen(d, n + d->cfg->dram.cl + 1);
    if (port->filled.head == SMRF_DRAM_NONE) {
        port->arrival = request->cycle;
    }
    smrf_dram_append(d, &port->filled, r);
    if (d->expect) {
        d->expect(d->expect_ctx, request->slice, request->tag);
    }
}

static SMRF_INLINED void column_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b,
                                 uint64_t n)
{
    const struct smrf_dram_params *p = &d->cfg->dram;
    struct smrf_dram_bank *bank = &ch->bank[b];
    struct smrf_dram_group *group = &ch->group[bank->group];
    const bool write = ch->need[SMRF_DRAM_WRITE] >> b & 1;

    ch->column = n + d->spacing;
    ch->column_group = bank->group;
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
        d->stats.activations++;
        bank->row = d->request[bank->current].row;
        bank->activate = n + p->rc;
        bank->read = n + p->rcd;
        bank->write = n + d->activate_to_write;
        bank->precharge = max_(bank->precharge, n + p->ras);
        ch->activate = n + p->rrd;
    }
    ch->turn = behind_(d, b, 1);
    ask_for_command_(d, ch, b, n);
}

/* Bank b, the first in turn, has a row command, `columns` may have a column command. The row
 * command moves the turn, from which the search for one of these goes on, as many banks behind as
 * it had come. Returns them, a bit each; none or one. */
static SMRF_APART uint64_t row_first_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint32_t b,
                                      uint64_t columns, uint64_t n)
{
    const uint32_t banks = d->cfg->dram.banks, turn = ch->turn;
    uint64_t left = 0;

    ch->command = SMRF_NEVER;
    row_(d, ch, b, n);
    columns |= ch->command == n ? UINT64_C(1) << b & columns_(ch) : 0;
    for (uint32_t i = ((b - turn) & (banks - 1)) + 1; i < banks && !left; i++) {
        left = columns & UINT64_C(1) << behind_(d, ch->turn, i);
    }
    return left;
}

/* dram.dual_bus: the first bank in turn that is due for a column command has it, and so has the
 * first one for a row command, unless that column command keeps it. */
static SMRF_APART void commands_of_both_(struct smrf_dram *d, struct smrf_dram_channel *ch,
                                         uint64_t n)
{
    const uint64_t columns = ch->due & columns_(ch);
    const uint32_t turn = ch->turn;
    uint64_t rows = ch->due & ~columns;

    if (columns) {
        column_(d, ch, smrf_turn_first(columns, turn), n);
        rows &= ch->group[ch->column_group].precharge > n
                    ? ~(ch->need[SMRF_DRAM_PRECHARGE] & d->banks_of[ch->column_group])
                    : ~UINT64_C(0);
    }
    if (rows) {
        row_(d, ch, smrf_turn_first(rows, turn), n);
    }
}

/* The banks that are due, in turn: a column command ends the search. */
static inline void commands_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint64_t columns = ch->due & columns_(ch);
    uint32_t b = smrf_turn_first(ch->due, ch->turn);

    if (d->cfg->dram.dual_bus) {
        commands_of_both_(d, ch, n);
        return;
    }
    if (!(columns >> b & 1)) {
        const uint64_t left = row_first_(d, ch, b, columns, n);

        if (!left) {
            return;
        }
        b = (uint32_t)__builtin_ctzll(left);
    }
    column_(d, ch, b, n);
}

/* --- a channel's time ------------------------------------------------------------------------- */

/* The next cycle with something to do, but for requests that leave the queues. */
static inline uint64_t next_(const struct smrf_dram_channel *ch)
{
    const uint64_t next = ch->entering < ch->command ? ch->entering : ch->command;

    return ch->pending ? ch->now : max_(next, ch->now);
}

uint64_t smrf_dram_next(const struct smrf_dram *d, uint32_t c)
{
    const struct smrf_dram_channel *ch = &d->channel[c];
    const uint64_t take = max_(smrf_dram_next_take(d, ch), ch->now), next = next_(ch);

    return take < next ? take : next;
}

/* Carry out cycle n. What begins the next one, if that is before `end`, goes with it where it is
 * certain: one bank alone takes a request. */
static void cycle_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n, uint64_t end)
{
    bool command;

    if (ch->pending) {
        ask_for_command_(d, ch, commit_(d, ch, n), n);
    }
    command = ch->command == n;
    if (command) {
        commands_(d, ch, n);
    }
    if (ch->latency.head == SMRF_DRAM_NONE) {
        smrf_dram_take_asked(d, ch, n + 1);
    }
    if (ch->entering <= n) {
        enter_(d, ch, n);
    }
    ch->last = n;
    ch->now = n + 1;
    if (command) {
        if (ch->pending && !(ch->pending & (ch->pending - 1)) && n + 1 < end) {
            note_need_(d, ch, commit_(d, ch, n + 1));
            ch->last = n + 1;
        }
        find_commands_(d, ch, n + 1);
    }
}

void smrf_dram_run(struct smrf_dram *d, uint32_t c, uint64_t end)
{
    struct smrf_dram_channel *ch = &d->channel[c];
    uint64_t next;

    for (;;) {
        next = next_(ch);
        if (ch->latency.head == SMRF_DRAM_NONE && ch->asked < end) {
            const uint64_t take =
                smrf_dram_next_take(d, ch); /* nothing can come to the window before it */

            if (take < end && take <= next) {
                smrf_dram_take_asked(d, ch, take + 1);
                next = next_(ch);
            }
        }
        if (next >= end) {
            break;
        }
        cycle_(d, ch, next, end);
    }
    smrf_dram_take_asked(d, ch, end);
    ch->now = max_(ch->now, end);
    ch->known = smrf_dram_seen(d, ch->now + d->cfg->dram.cl + 1);
}
