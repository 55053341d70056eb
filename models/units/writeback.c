/* SPDX-License-Identifier: Apache-2.0 */
#include "writeback.h"

#include "intervals.h"

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
    smrf_writeback_reset(w);
}

void smrf_writeback_reset(struct smrf_writeback *w)
{
    memset(&w->stats, 0, sizeof w->stats);
    w->waiting = w->written = 0;
    for (unsigned sub = 0; sub < SMRF_MAX_SUBCORES; sub++) {
        struct smrf_writeback_sub *s = &w->sub[sub];
        s->waiting = 0;
        memset(s->head, 0, sizeof s->head);
        memset(s->count, 0, sizeof s->count);
    }
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

static const uint32_t no_values_[SMRF_LANES];

/* Destination i, as its bank or the mechanism takes it. scratch, row: [32], for a value that is put
 * together. */
static inline struct smrf_write result_(const struct smrf_writeback *w, uint32_t flight, unsigned i,
                                        uint32_t *scratch, uint32_t *row)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    const bool carries = f->carries >> i & 1;
    struct smrf_write write = {
        .data = no_values_,
        .lanes = carries ? UINT32_MAX : f->mask,
        .version = f->version,
        .flight = flight,
        .at = f->dst[i],
        .sub = f->sub,
        .destination = (uint8_t)i,
    };
    if (*w->wires->values) {
        write.data = w->wires->value(w->wires->ctx, flight, i, scratch, &write.version);
        write.data = carries ? compose_(w, flight, i, write.data, row) : write.data;
    }
    return write;
}

/* Writes destination i into its bank. The caller has taken the port. */
static inline void write_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    uint32_t scratch[SMRF_LANES], row[SMRF_LANES];
    const struct smrf_write write = result_(w, flight, i, scratch, row);
    w->stats.bank_writes++;
    w->wires->write(w->wires->ctx, &write);
    if (w->wires->cached) {
        w->stats.cache_writes += w->wires->result(w->wires->ctx, &write);
    }
}

/* Destination i has a fixed latency: it is usable now, even if its bank is busy. */
static SMRF_APART void forward_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    uint32_t scratch[SMRF_LANES], row[SMRF_LANES];
    const struct smrf_write write = result_(w, flight, i, scratch, row);
    w->wires->forward(w->wires->ctx, &write);
    w->stats.bank_writes++;
    w->wires->write(w->wires->ctx, &write);
    if (w->wires->cached) {
        w->stats.cache_writes += w->wires->result(w->wires->ctx, &write);
    }
}

/* Do results of this unit come after a fixed time, and is there a bypass for them? */
static inline bool forwards_(const struct smrf_writeback *w, const struct smrf_flight *f)
{
    return w->wires->forwarded && !smrf_unit_queues(f->unit);
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
    w->wires->released(w->wires->ctx, flight, f->dst_reg[i]);
    f->dst_left &= (uint16_t) ~(1u << i);
    if (f->dst_left == 0) {
        w->wires->retired(w->wires->ctx, flight);
    }
}

/* Destinations of an instruction (bit i) are usable: reports it to the issue stage, in one message
 * if they are all. */
static inline void finish_all_(struct smrf_writeback *w, uint32_t flight, uint32_t usable)
{
    if (usable == w->flights->record[flight].dst_left) {
        w->wires->settled(w->wires->ctx, flight);
        return;
    }
    for (uint32_t m = usable; m; m &= m - 1) {
        finish_(w, flight, (unsigned)__builtin_ctz(m));
    }
}

static inline bool take_port_(struct smrf_writeback *w, unsigned sub, unsigned bank)
{
    w->written |= UINT32_C(1) << sub;
    return w->wires->port(w->wires->ctx, sub, bank);
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
            w->wires->shared(w->wires->ctx, flight, i);
        }
        w->stats.shared_writes++;
    }
    finish_all_(w, flight, f->dst_left);
}

/* Destination i of a pipeline's result is written, kept or queued. Returns whether it is usable
 * now. */
static inline bool settle_(struct smrf_writeback *w, uint32_t flight, unsigned i)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    const unsigned bank = f->dst[i].bank;
    if (keep_(w, flight, i)) {
        w->stats.copy_writes++;
        return true;
    }
    if (forwards_(w, f)) {
        forward_(w, flight, i);
        return true;
    }
    if (!take_free_port_(w, f->sub, bank)) {
        w->stats.write_conflicts++;
        if (!w->drop) {
            queue_(w, f->sub, bank, flight, i, f->dst[i].row);
            return false;
        }
        w->stats.portless_writes++;
    }
    write_(w, flight, i);
    return true;
}

void smrf_writeback_results(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    uint32_t usable = 0;
    if (f->shared) {
        share_(w, flight);
        return;
    }
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        usable |= (uint32_t)settle_(w, flight, i) << i;
    }
    finish_all_(w, flight, usable);
}

void smrf_writeback_portless(struct smrf_writeback *w, uint32_t flight)
{
    const struct smrf_flight *f = &w->flights->record[flight];
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        if (keep_(w, flight, i)) {
            w->stats.copy_writes++;
        } else {
            w->stats.portless_writes++;
            write_(w, flight, i);
        }
    }
    finish_all_(w, flight, f->dst_left);
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

bool smrf_writeback_offer(struct smrf_writeback *w, uint32_t flight, bool last)
{
    struct smrf_flight *f = &w->flights->record[flight];
    uint32_t left = 0;
    for (uint32_t m = f->dst_left; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (!offer_(w, flight, i, last)) {
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
