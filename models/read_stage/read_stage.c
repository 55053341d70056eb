/* SPDX-License-Identifier: Apache-2.0 */
#include "read_stage_internal.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

#include <string.h>

#define NONE SMRF_READ_STAGE_ENTRIES

int smrf_read_stage_init(struct smrf_read_stage *r, struct smrf_read_stage_store *store,
                         const struct smrf_read_stage_config *cfg, struct smrf_flights *flights,
                         const struct smrf_wires *wires)
{
    if (cfg->rf.window == 0 || cfg->rf.window > 6 || cfg->rf.unit_queue == 0 ||
        cfg->rf.unit_queue > SMRF_READ_STAGE_QUEUE) {
        return SMRF_ERR_INVAL;
    }
    r->wires = wires;
    r->flights = flights;
    r->latches = store->latches;
    r->cfg = *cfg;
    smrf_read_stage_reset(r);
    return SMRF_OK;
}

void smrf_read_stage_reset(struct smrf_read_stage *r)
{
    r->free = 1;
    r->queued = 0;
    r->held = 0;
    r->coming = r->control = r->allocate = NONE;
    r->used = r->reading = 0;
    r->units_full = r->written = 0;
    r->base = 0;
    memset(r->unit_next, 0, sizeof r->unit_next);
    memset(r->last_read, 0, sizeof r->last_read);
    memset(r->busy, 0, sizeof r->busy);
    memset(r->results, 0, sizeof r->results);
    memset(r->last_number, 0, sizeof r->last_number);
    memset(r->queue, 0, sizeof r->queue);
    memset(&r->reuse, 0, sizeof r->reuse);
    r->stats = (struct smrf_collector_stats){0};
}

/* --- what comes in ---------------------------------------------------------------------------- */

/* An instruction takes an entry, whose number is returned. */
static unsigned enter_(struct smrf_read_stage *r, uint32_t flight, uint64_t cycle)
{
    const unsigned e = (unsigned)__builtin_ctzll(~r->used);
    SMRF_ASSERT(e < NONE);
    r->used |= UINT64_C(1) << e;
    r->entry[e] = (struct smrf_read_entry){
        .flight = flight,
        .missing = smrf_collectors_sources(&r->flights->record[flight]),
        .issued = cycle,
    };
    return e;
}

void smrf_read_stage_enter(struct smrf_read_stage *r, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &r->flights->record[flight];
    SMRF_ASSERT(r->free && r->coming == NONE);
    if (f->number <= r->last_number[f->warp]) {
        smrf_reuse_cache_forget_warp(&r->reuse, f->warp);
    }
    r->last_number[f->warp] = f->number;
    r->coming = (uint8_t)enter_(r, flight, cycle);
    r->free = 0;
}

static void append_(struct smrf_read_queue *q, unsigned e)
{
    q->entry[(q->head + q->count++) % SMRF_READ_STAGE_QUEUE] = (uint8_t)e;
}

void smrf_read_stage_merge(struct smrf_read_stage *r, uint32_t flight, uint64_t cycle)
{
    SMRF_ASSERT(smrf_read_stage_vacant(r));
    append_(&r->queue[SMRF_UNIT_MERGE], enter_(r, flight, cycle));
}

/* Sources that no bank delivers. */
static uint32_t cached_(const struct smrf_read_entry *entry)
{
    return entry->reuse.hits | entry->held;
}

/* Entries that read, or have been looked up and wait in Allocate. */
static uint64_t reading_(const struct smrf_read_stage *r)
{
    const bool waits = r->allocate != NONE && r->entry[r->allocate].looked_up;
    return r->reading | (waits ? UINT64_C(1) << r->allocate : 0);
}

/* An older instruction's result comes to one that has read the register before: lanes of source i.
 */
static void bypass_(struct smrf_read_stage *r, unsigned e, unsigned i, const struct smrf_write *w)
{
    struct smrf_operand_latches *l = &r->latches[e];
    for (uint32_t m = w->lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        l->data[i][lane] = w->data[lane];
    }
    l->version[i] = w->lanes ? w->version : l->version[i];
}

void smrf_read_stage_forward(struct smrf_read_stage *r, const struct smrf_write *w)
{
    const uint64_t uid = r->flights->record[w->flight].uid;
    r->results[w->at.bank]++;
    if (!*r->wires->values || w->at.row == SMRF_ROW_NONE) {
        return;
    }
    for (uint64_t m = reading_(r); m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(m);
        const struct smrf_read_entry *entry = &r->entry[e];
        const struct smrf_flight *f = &r->flights->record[entry->flight];
        for (unsigned i = 0; uid < f->uid && i < f->num_src; i++) {
            if (!(entry->missing >> i & 1) && f->src[i].row == w->at.row &&
                f->src[i].bank == w->at.bank) {
                bypass_(r, e, i, w);
            }
        }
    }
}

bool smrf_read_stage_port(struct smrf_read_stage *r, unsigned bank)
{
    const uint32_t bit = UINT32_C(1) << bank;
    if (r->results[bank] || r->written & bit) {
        return false;
    }
    r->written |= bit;
    return true;
}

void smrf_read_stage_drained(struct smrf_read_stage *r, unsigned unit)
{
    struct smrf_read_queue *q = &r->queue[unit];
    r->units_full &= ~(UINT32_C(1) << unit);
    if (smrf_unit_queues(unit)) {
        SMRF_ASSERT(q->count && q->started);
        q->head = (uint8_t)((q->head + 1) % SMRF_READ_STAGE_QUEUE);
        q->count--;
        q->started = false;
        q->next = unit == SMRF_UNIT_MEM ? *r->wires->cycle + r->cfg.exec.address_interval - 1 : 0;
    }
}

/* --- reads ------------------------------------------------------------------------------------ */

static void read_(struct smrf_read_stage *r, unsigned e, unsigned i)
{
    struct smrf_read_entry *entry = &r->entry[e];
    const struct smrf_wires *w = r->wires;
    const uint32_t word = smrf_read_word(r->flights->record[entry->flight].src[i], 0, i);
    w->read(w->ctx, r->cfg.sub, 0, &word, 1, *w->values ? &r->latches[e] : NULL);
    entry->missing &= ~(UINT32_C(1) << i);
    r->stats.bank_reads++;
}

/* Operands from the cache; operands that it keeps. */
static void take_values_(struct smrf_read_stage *r, unsigned e, const struct smrf_flight *f)
{
    const struct smrf_read_entry *entry = &r->entry[e];
    struct smrf_operand_latches *l = &r->latches[e];
    for (uint32_t m = entry->reuse.hits; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        const struct smrf_reuse_cache_entry *from =
            &r->reuse.entry[f->src[i].bank][entry->reuse.from[i]];
        memcpy(l->data[i], from->data, sizeof from->data);
        l->version[i] = from->version;
    }
    for (uint32_t m = entry->reuse.kept; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned slots = entry->reuse.to[i]; slots; slots &= slots - 1) {
            struct smrf_reuse_cache_entry *to =
                &r->reuse.entry[f->src[i].bank][(unsigned)__builtin_ctz(slots)];
            memcpy(to->data, l->data[i], sizeof to->data);
            to->version = l->version[i];
        }
    }
}

/* Lanes of sources that go on into destinations leave with their instruction. */
static void carry_(const struct smrf_read_stage *r, unsigned e, const struct smrf_flight *f)
{
    const struct smrf_read_entry *entry = &r->entry[e];
    for (uint32_t m = f->carries; m; m &= m - 1) {
        const unsigned d = (unsigned)__builtin_ctz(m);
        memcpy(r->flights->carried[entry->flight][d], r->latches[e].data[f->carry[d]],
               SMRF_WARP_REG_BYTES);
    }
}

/* All parts of a merge are there. */
static SMRF_APART void report_parts_(struct smrf_read_stage *r, unsigned e)
{
    const uint32_t flight = r->entry[e].flight;
    const struct smrf_flight *f = &r->flights->record[flight];
    r->stats.part_reads += f->num_src;
    for (unsigned i = 0; i < f->num_src; i++) {
        r->wires->part(r->wires->ctx, r->cfg.sub, flight, i, r->latches[e].data[i]);
    }
}

/* All sources of an instruction are there. */
static void report_(struct smrf_read_stage *r, unsigned e)
{
    struct smrf_read_entry *entry = &r->entry[e];
    const struct smrf_wires *w = r->wires;
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    const uint32_t all = smrf_collectors_sources(f), cached = cached_(entry), read = all & ~cached;
    SMRF_ASSERT(!entry->missing);
    entry->reported = true;
    if (f->unit == SMRF_UNIT_MERGE) {
        report_parts_(r, e);
        return;
    }
    if (*w->values) {
        take_values_(r, e, f);
        carry_(r, e, f);
    }
    if (*w->values || (w->operations && f->micro)) {
        if (read) {
            w->operands(w->ctx, entry->flight, read, &r->latches[e], false);
        }
        if (cached) {
            w->operands(w->ctx, entry->flight, cached, &r->latches[e], true);
        }
    }
    w->collected(w->ctx, entry->flight, all);
}

static bool dispatch_(struct smrf_read_stage *r, unsigned e)
{
    const struct smrf_read_entry *entry = &r->entry[e];
    const unsigned unit = r->flights->record[entry->flight].unit;
    if (r->units_full >> unit & 1) {
        return false;
    }
    r->units_full |= UINT32_C(1) << unit;
    r->reading &= ~(UINT64_C(1) << e);
    r->used &= ~(UINT64_C(1) << e);
    if (entry->looked_up) {
        r->wires->leave(r->wires->ctx, r->cfg.sub, 0, entry->flight);
    }
    r->wires->dispatch(r->wires->ctx, r->cfg.sub, entry->flight);
    return true;
}

static void read_operands_(struct smrf_read_stage *r, uint64_t cycle)
{
    for (uint64_t m = r->reading; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(m);
        for (uint32_t s = r->entry[e].missing; s; s &= s - 1) {
            const unsigned i = (unsigned)__builtin_ctz(s);
            if (r->entry[e].at[i] == cycle) {
                read_(r, e, i);
            }
        }
    }
}

/* The reads, reports and dispatches of a cycle. */
static void go_through_(struct smrf_read_stage *r, uint64_t cycle)
{
    read_operands_(r, cycle);
    if (r->wires->cached) {
        smrf_read_stage_fill_cache(r, cycle);
    }
    for (uint64_t m = r->reading; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(m);
        struct smrf_read_entry *entry = &r->entry[e];
        if (!entry->reported && entry->collected <= cycle) {
            report_(r, e);
        }
        if (entry->leaves <= cycle) {
            (void)dispatch_(r, e);
        }
    }
}

/* --- Allocate --------------------------------------------------------------------------------- */

/* May a mechanism give registers other places behind it? The cache's names are the program's. */
static bool changes_frame_(const struct smrf_static_inst *op)
{
    return op->flow == SMRF_FLOW_CALL || op->flow == SMRF_FLOW_RET;
}

/* The instruction leaves Allocate in this cycle, if the ports and its unit allow. */
static bool leave_allocate_(struct smrf_read_stage *r, uint64_t cycle)
{
    struct smrf_read_entry *entry = &r->entry[r->allocate];
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    const bool takes_part = f->unit == SMRF_UNIT_SP || f->unit == SMRF_UNIT_INT;
    const bool caches = r->cfg.rf.reuse_cache && takes_part;
    if (r->wires->operations && (f->micro || changes_frame_(f->op))) {
        smrf_reuse_cache_forget_warp(&r->reuse, f->warp);
    }
    if (caches) {
        smrf_reuse_cache_look_up(&r->reuse, f, &entry->reuse);
    }
    if (r->wires->cached && takes_part) {
        smrf_read_stage_look_up(r, r->allocate);
    }
    const uint32_t missing = smrf_collectors_sources(f) & ~cached_(entry);
    const unsigned length = smrf_read_stage_length(r, f, missing);
    if (cycle + length < r->unit_next[f->unit]) {
        return false;
    }
    if (!smrf_read_stage_plan(r, entry, missing, cycle, length)) {
        r->stats.port_held++;
        return false;
    }
    if (caches) {
        smrf_reuse_cache_take(&r->reuse, f, &entry->reuse);
    }
    if (r->cfg.rf.reuse_cache) {
        smrf_reuse_cache_forget_results(&r->reuse, r->cfg.rf.banks, f);
    }
    r->stats.cache_hits += smrf_count_bits(cached_(entry));
    entry->missing = missing;
    entry->collected = entry->leaves = cycle + length;
    r->unit_next[f->unit] = entry->leaves + smrf_unit_interval(&r->cfg.exec, f);
    r->reading |= UINT64_C(1) << r->allocate;
    r->allocate = NONE;
    return true;
}

/* --- Control and queues ----------------------------------------------------------------------- */

static unsigned unit_in_control_(const struct smrf_read_stage *r)
{
    return r->flights->record[r->entry[r->control].flight].unit;
}

/* Can the instruction in Control go on? */
static bool control_moves_(const struct smrf_read_stage *r)
{
    const unsigned unit = unit_in_control_(r);
    return smrf_unit_queues(unit) ? r->queue[unit].count < r->cfg.rf.unit_queue
                                  : r->allocate == NONE;
}

static void leave_control_(struct smrf_read_stage *r)
{
    const unsigned unit = unit_in_control_(r);
    if (smrf_unit_queues(unit)) {
        struct smrf_read_queue *q = &r->queue[unit];
        append_(q, r->control);
        if (r->cfg.rf.reuse_cache) {
            smrf_reuse_cache_forget_results(&r->reuse, r->cfg.rf.banks,
                                            &r->flights->record[r->entry[r->control].flight]);
        }
    } else {
        r->allocate = r->control;
    }
    r->control = NONE;
}

/* The first of a queue begins to read. Its address, or its unit, sets when it leaves. */
static void start_(struct smrf_read_stage *r, unsigned unit, uint64_t cycle)
{
    struct smrf_read_queue *q = &r->queue[unit];
    const unsigned e = q->entry[q->head];
    struct smrf_read_entry *entry = &r->entry[e];
    const uint64_t read = smrf_read_stage_reserve(r, entry, cycle);
    entry->collected = entry->leaves = read;
    if (unit == SMRF_UNIT_MEM) {
        const uint64_t address = entry->issued + r->cfg.exec.address_delay - 1;
        const uint64_t leaves = address > q->next ? address : q->next;
        const uint64_t step = read + (r->cfg.exec.address_interval > 2); /* read, then leave */
        entry->leaves = leaves > step ? leaves : step;
        entry->collected = entry->leaves - 2 > read ? entry->leaves - 2 : read;
    }
    q->started = true;
    r->reading |= UINT64_C(1) << e;
}

static void start_queues_(struct smrf_read_stage *r, uint64_t cycle)
{
    static const uint8_t units[] = {SMRF_UNIT_MEM, SMRF_UNIT_SFU, SMRF_UNIT_DP, SMRF_UNIT_TEX,
                                    SMRF_UNIT_MERGE};
    for (unsigned n = 0; n < sizeof units; n++) {
        const struct smrf_read_queue *q = &r->queue[units[n]];
        if (q->count && !q->started) {
            start_(r, units[n], cycle);
        }
    }
}

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Write ports: what has been taken in this cycle, and results that wait. */
static void end_writes_(struct smrf_read_stage *r)
{
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        r->results[b] -= r->results[b] && !(r->written >> b & 1);
    }
    r->written = 0;
}

static bool holds_(const struct smrf_read_stage *r)
{
    return r->coming != NONE || r->control != NONE || r->allocate != NONE || r->reading ||
           r->queue[SMRF_UNIT_MERGE].count;
}

static bool writes_(const struct smrf_read_stage *r)
{
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        if (r->results[b]) {
            return true;
        }
    }
    return r->written != 0;
}

bool smrf_read_stage_step(struct smrf_read_stage *r, uint64_t cycle)
{
    const bool moved = holds_(r);
    go_through_(r, cycle);
    if (r->control != NONE && control_moves_(r)) {
        leave_control_(r);
    }
    if (r->allocate != NONE) {
        const bool held = !leave_allocate_(r, cycle);
        r->held += held;
        r->stats.allocate_held += held;
    }
    if (r->control == NONE) {
        r->control = r->coming;
        r->coming = NONE;
    }
    start_queues_(r, cycle);
    end_writes_(r);
    r->free = r->coming == NONE && (r->control == NONE || control_moves_(r));
    r->queued = r->control != NONE && smrf_unit_queues(unit_in_control_(r));
    return moved;
}

uint64_t smrf_read_stage_next(const struct smrf_read_stage *r, uint64_t cycle)
{
    return holds_(r) || writes_(r) ? cycle : SMRF_NEVER;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool is_(const struct smrf_read_stage *r, unsigned e, uint32_t flight)
{
    return e != NONE && r->entry[e].flight == flight;
}

const char *smrf_read_stage_place(const struct smrf_read_stage *r, uint32_t flight)
{
    for (uint64_t m = r->used; m; m &= m - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(m);
        if (is_(r, e, flight)) {
            return e == r->coming || e == r->control ? "Control stage"
                   : e == r->allocate                ? "Allocate stage"
                   : r->reading >> e & 1             ? "read stages"
                                                     : "queue before its unit";
        }
    }
    return NULL;
}
