/* SPDX-License-Identifier: Apache-2.0 */
#include "writeback.h"

#include "models/bank/bank.h"
#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

#include <string.h>

void smrf_writeback_init(struct smrf_writeback *w, struct smrf_writeback_store *store,
                         const struct smrf_rf_params *rf, struct smrf_flights *flights,
                         const struct smrf_wires *wires)
{
    for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES; sub++) {
        w->sub[sub].queue = store->queue[sub];
    }
    w->wires = wires;
    w->flights = flights;
    w->depth = rf->write_queue;
    w->drop = rf->drop_conflicting_writes;
    w->straight = false;
    smrf_writeback_reset(w);
}

void smrf_writeback_reset(struct smrf_writeback *w)
{
    memset(&w->stats, 0, sizeof w->stats);
    w->waiting = w->written = 0;
    memset(w->taken, 0, sizeof w->taken);
    for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES; sub++) {
        struct smrf_writeback_sub *s = &w->sub[sub];
        s->waiting = 0;
        memset(s->head, 0, sizeof s->head);
        memset(s->count, 0, sizeof s->count);
    }
}

void smrf_writeback_look_away(struct smrf_writeback *w, const struct smrf_write_ports *ports)
{
    memcpy(w->ports, ports, sizeof w->ports);
    w->straight = !w->wires->cached && !*w->wires->values;
}

void smrf_writeback_look(struct smrf_writeback *w)
{
    w->straight = false;
}

/* --- a result and its instruction ------------------------------------------------------------ */

/* A result and the lanes that were carried to it: the whole register, in row. */
static const uint32_t *compose_(const struct smrf_writeback *w, uint32_t flight, unsigned i,
                                const uint32_t *result, uint32_t *row)
{
    const uint32_t mask = w->flights->record[flight].mask;
    const uint32_t *carried = w->flights->carried[flight][i];
    for (unsigned l = 0; l < SMRF_LANES; l++) {
        row[l] = mask >> l & 1 ? result[l] : carried[l];
    }
    return row;
}

/* Where nobody looks at values. */
static const uint32_t no_values_[SMRF_LANES];

/* Destination i without its value. */
static inline struct smrf_write bare_(const struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    const struct smrf_write write = {
        .data = no_values_,
        .lanes = f->carries >> i & 1 ? UINT32_MAX : f->mask,
        .version = f->version,
        .flight = flight,
        .at = f->dst[i],
        .sub = f->sub,
        .destination = (uint8_t)i,
    };
    return write;
}

/* Destination i, as its bank or the mechanism takes it; scratch, row: [32]. */
static struct smrf_write result_(const struct smrf_writeback *w, uint32_t flight, unsigned i,
                                 uint32_t *scratch, uint32_t *row)
{
    struct smrf_write write = bare_(w, flight, i);
    if (*w->wires->values) {
        const bool carries = w->flights->record[flight].carries >> i & 1;
        write.data = w->wires->value(w->wires->ctx, flight, i, scratch, &write.version);
        write.data = carries ? compose_(w, flight, i, write.data, row) : write.data;
    }
    return write;
}

/* The same where somebody looks at values, or keeps results. */
static SMRF_APART void write_seen_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    uint32_t scratch[SMRF_LANES], row[SMRF_LANES];
    const struct smrf_write write = result_(w, flight, i, scratch, row);
    w->wires->write(w->wires->ctx, &write);
    if (w->wires->cached) {
        w->stats.cache_writes += w->wires->result(w->wires->ctx, &write);
    }
}

/* Write destination i into its bank. The port is the caller's business. */
static inline void write_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    w->stats.bank_writes++;
    if (*w->wires->values || w->wires->cached) {
        write_seen_(w, flight, i);
    } else {
        const struct smrf_write write = bare_(w, flight, i);
        w->wires->write(w->wires->ctx, &write);
    }
}

static bool keep_alone_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    uint32_t scratch[SMRF_LANES], row[SMRF_LANES];
    if (!w->wires->alone(w->wires->ctx, flight, i)) {
        return false;
    }
    const struct smrf_write write = result_(w, flight, i, scratch, row);
    w->wires->keep(w->wires->ctx, &write);
    return true;
}

/* Does the mechanism alone take destination i? Then it has. */
static inline bool keep_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    return w->wires->cached && keep_alone_(w, flight, i);
}

/* What a mechanism held alone goes to its bank. */
static void write_eviction_(struct smrf_writeback *w, unsigned sub, unsigned bank,
                            const struct smrf_waiting_result *r)
{
    uint32_t data[SMRF_LANES] = {0};
    struct smrf_write write = {
        .data = data,
        .flight = SMRF_NO_FLIGHT,
        .at = {r->row, (uint8_t)bank},
        .sub = (uint8_t)sub,
    };
    write.lanes = w->wires->evict(w->wires->ctx, sub, r->destination, data, &write.version);
    if (write.lanes == 0) {
        return; /* its warp has ended meanwhile */
    }
    w->wires->write(w->wires->ctx, &write);
    w->stats.bank_writes++;
    w->stats.evictions++;
}

/* Release destination i and, if it was the last, the instruction. */
static inline void finish_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    struct smrf_flight *f = &w->flights->record[flight];
    w->wires->released(w->wires->ctx, flight, smrf_flight_destination(f, i));
    f->dst_left &= (uint16_t) ~(1u << i);
    if (f->dst_left == 0) {
        w->wires->retired(w->wires->ctx, flight);
    }
}

static bool take_port_(struct smrf_writeback *w, unsigned sub, unsigned bank)
{
    w->written |= UINT32_C(1) << sub;
    if (!w->straight) {
        return w->wires->port(w->wires->ctx, sub, bank);
    }
    const uint64_t before = w->taken[sub];
    w->taken[sub] |= w->ports[sub].bit[bank];
    return w->taken[sub] != before;
}

/* Its bank's port, if no older result waits for it. */
static bool take_free_port_(struct smrf_writeback *w, unsigned sub, unsigned bank)
{
    return !(w->sub[sub].waiting >> bank & 1) && take_port_(w, sub, bank);
}

/* --- queues ---------------------------------------------------------------------------------- */

static void queue_(struct smrf_writeback *w, unsigned sub, unsigned bank, uint32_t flight,
                   unsigned i, uint16_t row)
{
    struct smrf_writeback_sub *s = &w->sub[sub];
    SMRF_ASSERT(s->count[bank] < SMRF_WRITEBACK_QUEUE);
    const unsigned tail = (s->head[bank] + s->count[bank]++) % SMRF_WRITEBACK_QUEUE;
    s->queue[bank][tail] = (struct smrf_waiting_result){flight, i, row};
    s->waiting |= UINT32_C(1) << bank;
    w->waiting |= UINT32_C(1) << sub;
}

bool smrf_writeback_drain(struct smrf_writeback *w, unsigned sub)
{
    struct smrf_writeback_sub *s = &w->sub[sub];
    bool moved = false;
    for (uint32_t m = s->waiting; m; m &= m - 1) {
        const unsigned bank = (unsigned)__builtin_ctz(m);
        if (!take_port_(w, sub, bank)) {
            continue;
        }
        const struct smrf_waiting_result r = s->queue[bank][s->head[bank]];
        s->head[bank] = (uint16_t)((s->head[bank] + 1) % SMRF_WRITEBACK_QUEUE);
        if (--s->count[bank] == 0) {
            s->waiting &= ~(UINT32_C(1) << bank);
            w->waiting &= s->waiting ? UINT32_MAX : ~(UINT32_C(1) << sub);
        }
        if (r.flight == SMRF_NO_FLIGHT) {
            write_eviction_(w, sub, bank, &r);
        } else {
            write_(w, r.flight, r.destination);
            finish_(w, r.flight, r.destination);
        }
        moved = true;
    }
    return moved;
}

bool smrf_writeback_evict(struct smrf_writeback *w, unsigned sub, struct smrf_register_place at,
                          uint32_t token)
{
    if (w->sub[sub].count[at.bank] == SMRF_WRITEBACK_QUEUE) {
        return false;
    }
    queue_(w, sub, at.bank, SMRF_NO_FLIGHT, token, at.row);
    return true;
}

bool smrf_writeback_room(const struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    const struct smrf_writeback_sub *s = &w->sub[f->sub];
    if (!s->waiting || w->drop) {
        return true;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        const unsigned count = s->count[f->dst[i].bank];
        if (count > 0 && count >= w->depth) {
            return false;
        }
    }
    return true;
}

int smrf_writeback_probe(const struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_writeback_sub *s = &w->sub[w->flights->record[flight].sub];
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        for (unsigned i = 0; i < s->count[b]; i++) {
            if (s->queue[b][(s->head[b] + i) % SMRF_WRITEBACK_QUEUE].flight == flight) {
                return (int)b;
            }
        }
    }
    return -1;
}

/* --- what is due ----------------------------------------------------------------------------- */

/* The registers of a load hold already what it loads. */
static void share_(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        if (*w->wires->values) {
            w->wires->held(w->wires->ctx, flight, i);
        }
        w->stats.shared_writes++;
        finish_(w, flight, i);
    }
}

/* Destination i of a pipeline's result. */
static void settle_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    const unsigned bank = f->dst[i].bank;
    if (keep_(w, flight, i)) {
        w->stats.copy_writes++;
    } else if (take_free_port_(w, f->sub, bank)) {
        write_(w, flight, i);
    } else {
        w->stats.write_conflicts++;
        if (!w->drop) {
            queue_(w, f->sub, bank, flight, i, f->dst[i].row);
            return;
        }
        w->stats.portless_writes++;
        write_(w, flight, i);
    }
    finish_(w, flight, i);
}

/* Destinations from `first` on take their banks' ports and are written, up to one whose bank is not
 * free: a result that waited for it would have taken it before. Returns its number. */
static inline unsigned put_(struct smrf_writeback *w, const struct smrf_flight *f, unsigned first,
                            unsigned end)
{
    const unsigned sub = f->sub;
    const struct smrf_write_ports *to = &w->ports[sub];
    uint64_t taken = w->taken[sub];
    unsigned i = first;
    for (; i < end; i++) {
        const unsigned bank = f->dst[i].bank;
        const uint64_t bit = to->bit[bank];
        if (taken & bit) {
            break;
        }
        taken |= bit;
        smrf_bank_count_write(to->bank[bank]);
    }
    w->taken[sub] = taken;
    w->written |= (uint32_t)(taken != 0) << sub;
    w->stats.bank_writes += i - first;
    return i;
}

/* Those before `first` are written; it found its bank taken. */
static SMRF_APART void put_rest_(struct smrf_writeback *w, uint32_t flight, unsigned first)
{
    for (unsigned i = 0; i < first; i++) {
        finish_(w, flight, i);
    }
    for (unsigned i = first, n = w->flights->record[flight].num_dst; i < n; i++) {
        settle_(w, flight, i);
    }
}

bool smrf_writeback_put(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    if (!w->straight || f->shared) {
        smrf_writeback_results(w, flight);
        return false;
    }
    const unsigned put = put_(w, f, 0, f->num_dst);
    if (put < f->num_dst) {
        put_rest_(w, flight, put);
        return false;
    }
    return true;
}

void smrf_writeback_results(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    if (f->num_dst == 0) {
        w->wires->retired(w->wires->ctx, flight);
    } else if (f->shared) {
        share_(w, flight);
    } else {
        for (unsigned i = 0, n = f->num_dst; i < n; i++) {
            settle_(w, flight, i);
        }
    }
}

void smrf_writeback_portless(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    if (f->num_dst == 0) {
        w->wires->retired(w->wires->ctx, flight);
        return;
    }
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        if (keep_(w, flight, i)) {
            w->stats.copy_writes++;
        } else {
            w->stats.portless_writes++;
            write_(w, flight, i);
        }
        finish_(w, flight, i);
    }
}

/* Destination i of a load. Returns whether it has been taken in this round. */
static bool offer_(struct smrf_writeback *w, uint32_t flight, unsigned i, bool last)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    if (keep_(w, flight, i)) {
        w->stats.copy_writes += last;
        return true;
    }
    if (!take_free_port_(w, f->sub, f->dst[i].bank)) {
        return false;
    }
    write_(w, flight, i);
    w->stats.round_writes += !last;
    return true;
}

/* The same where nobody looks at its value. */
static inline bool put_round_(struct smrf_writeback *w, uint32_t flight, unsigned i, bool last)
{
    const bool taken = put_(w, &w->flights->record[flight], i, i + 1) > i;
    w->stats.round_writes += taken && !last;
    return taken;
}

bool smrf_writeback_offer(struct smrf_writeback *w, uint32_t flight, bool last)
{
    struct smrf_flight *f = &w->flights->record[flight];
    const bool straight = w->straight;
    uint32_t left = 0;
    for (uint32_t m = f->dst_left; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (!(straight ? put_round_(w, flight, i, last) : offer_(w, flight, i, last))) {
            w->stats.write_conflicts++;
            left |= UINT32_C(1) << i;
        }
    }
    f->dst_left = (uint16_t)left;
    if (left) {
        return false;
    }
    if (last) {
        w->wires->settled(w->wires->ctx, flight);
    } else {
        f->dst_left = (uint16_t)((1u << f->num_dst) - 1);
    }
    return true;
}
