/* SPDX-License-Identifier: Apache-2.0 */
#include "models/ldst/ldst_estimate_internal.h"

void smrf_ldst_estimate_init(struct smrf_ldst_estimate *q, struct smrf_ldst *unit)
{
    q->unit = unit;
    smrf_ldst_estimate_reset(q);
}

void smrf_ldst_estimate_reset(struct smrf_ldst_estimate *q)
{
    q->free = q->missed = q->written = q->held[0] = q->held[1] = q->sent = q->open[0] = q->open[1] =
        0;
    q->head = q->count = q->fills = 0;
    smrf_ldst_estimate_reset_waiting(q);
    q->join_free = q->joins_used = 0;
    q->joins_known = 1;
}

bool smrf_ldst_estimate_room(const struct smrf_ldst_estimate *q)
{
    const struct smrf_ldst *l = q->unit;

    return q->waiting + SMRF_MAX_SECTORS <= SMRF_LDST_WAITING &&
           q->count + SMRF_MAX_SECTORS <= SMRF_LDST_SENDS &&
           q->joins_used + SMRF_MAX_SECTORS < SMRF_LDST_JOINS && l->entry_free != SMRF_LDST_NONE;
}

/* --- requests --------------------------------------------------------------------------------- */

void smrf_ldst_estimate_send(struct smrf_ldst_estimate *q, uint64_t until)
{
    while (q->count) {
        const struct smrf_ldst_planned *p = smrf_ldst_planned_at(q, 0);
        const uint64_t open = q->open[p->past] > q->sent ? q->open[p->past] : q->sent;
        struct smrf_mem_request r = {.address = p->address,
                                     .cycle = open > p->cycle ? open : p->cycle,
                                     .byte_mask = p->bytes,
                                     .kind = p->kind};

        if (r.cycle >= until) {
            return;
        }
        q->sent = r.cycle;
        q->open[p->past] = r.cycle + 1;
        const bool past = p->past;
        if (smrf_ldst_send(q->unit, &r, p->what, p->owner)) {
            q->head = --q->count ? (q->head + 1) % SMRF_LDST_SENDS : 0;
        }
        if (!past && q->missed <= r.cycle + q->count) { /* those behind it are late, too */
            q->missed = r.cycle + q->count + 1;
        }
    }
}

uint64_t smrf_ldst_estimate_sends(const struct smrf_ldst_estimate *q)
{
    const struct smrf_ldst_planned *p = &q->planned[q->head];
    const uint64_t open = q->open[p->past] > q->sent ? q->open[p->past] : q->sent;

    return q->count == 0 ? SMRF_NEVER : open > p->cycle ? open : p->cycle;
}

/* --- an instruction --------------------------------------------------------------------------- */

/* Past the L1D, a sector a cycle. */
static inline struct smrf_ldst_outlook pass_(struct smrf_ldst_estimate *q,
                                             const struct smrf_ldst_inst *in, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint16_t owner = d->is_store ? d->warp : smrf_ldst_estimate_take_entry(l, in, d->left);
    struct smrf_ldst_planned p = {.cycle = cycle,
                                  .what = d->is_store ? SMRF_LDST_REQ_WRITE : SMRF_LDST_REQ_DIRECT,
                                  .owner = owner,
                                  .kind = d->is_atomic  ? SMRF_MEM_ATOMIC
                                          : d->is_store ? SMRF_MEM_WRITE
                                                        : SMRF_MEM_READ,
                                  .past = true};

    for (uint32_t i = d->left; i > 0; i--) {
        p.cycle++;
        p.address = d->sector[i - 1].address;
        p.bytes = p.kind == SMRF_MEM_READ ? UINT32_MAX : d->sector[i - 1].bytes;
        smrf_ldst_plan(q, &p);
    }
    q->hit[d->is_store ? 0 : owner] = 0;
    return (struct smrf_ldst_outlook){p.cycle, d->is_store ? p.cycle : SMRF_NEVER,
                                      d->is_store ? d->left : 0};
}

/* A shared access without a destination ends when it leaves. */
static inline struct smrf_ldst_outlook
share_(struct smrf_ldst_estimate *q, const struct smrf_ldst_inst *in, uint64_t now, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const uint64_t left = cycle + l->dispatch.passes;
    const bool writes =
        !l->dispatch.is_store && smrf_ldst_entry_flags(l, in->inst) & SMRF_LDST_HAS_DST;
    l->stats.write_backs += writes;
    if (!writes) {
        return (struct smrf_ldst_outlook){left, left, 0};
    }
    const uint64_t end =
        smrf_ldst_estimate_hold(q, true, left + l->cfg.ldst.shared_latency - 1, now);
    const uint64_t room = end - SMRF_LDST_WRITE_BACK - l->cfg.ldst.shared_latency + 1;
    return (struct smrf_ldst_outlook){room > left ? room : left, end, 0};
}

struct smrf_ldst_outlook smrf_ldst_estimate_enter(struct smrf_ldst_estimate *q,
                                                  const struct smrf_ldst_inst *in, uint64_t now,
                                                  uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t tags = now + l->cfg.l1d.latency + 1;
    struct smrf_ldst_outlook o;

    q->missed = q->missed > tags || q->waiting ? q->missed : tags;
    smrf_ldst_generate(l, in);
    smrf_ldst_count(l, in->inst);
    if (d->route == SMRF_LDST_ROUTE_SHARED) {
        o = share_(q, in, now, cycle);
    } else if (d->route == SMRF_LDST_ROUTE_DONE) {
        o = (struct smrf_ldst_outlook){cycle + 1, cycle + 1, 0};
    } else if (d->route == SMRF_LDST_ROUTE_PORT) {
        o = pass_(q, in, cycle);
    } else {
        o = d->is_store ? smrf_ldst_estimate_store(q, cycle)
                        : smrf_ldst_estimate_load(q, in, now, cycle);
    }
    q->free = (q->free > now ? q->free : now) + (o.left - cycle);
    return o;
}

/* --- answers ---------------------------------------------------------------------------------- */

uint64_t smrf_ldst_estimate_next(const struct smrf_ldst_estimate *q)
{
    return q->unit->answer_due < q->retry ? q->unit->answer_due : q->retry;
}

/* A sector for an entry has arrived. Results of the memory are written one a cycle. */
static inline void arrive_(struct smrf_ldst_estimate *q, uint16_t i, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    struct smrf_ldst_entry *e = &l->entry[i];
    const bool last = --e->pending == 0;
    const uint64_t end = (q->written > cycle + 1 ? q->written : cycle + 1) + 1;

    q->written = end;
    if (last && e->flags & SMRF_LDST_ATOMIC) {
        l->events.answered(l->events.ctx, e->slot);
    }
    smrf_ldst_estimate_write(q, i, last, end);
}

static inline void fill_(struct smrf_ldst_estimate *q, uint32_t what, uint16_t owner,
                         uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    uint16_t at;
    const bool filled =
        smrf_cache_fill_line(&l->tags, smrf_ldst_line_of(what), smrf_ldst_sector_of(what), &at);

    SMRF_ASSERT(filled);
    l->stats.l1d_fills++;
    q->fills--;
    arrive_(q, owner, cycle);
    while (at) {
        struct smrf_ldst_join *join = &q->join[at];
        const uint16_t next = join->next;

        if ((int32_t)(join->tags - (uint32_t)cycle) > 0) {
            smrf_ldst_estimate_found(q, join->entry, cycle + (join->tags - (uint32_t)cycle));
        } else {
            arrive_(q, join->entry, cycle);
        }
        join->next = q->join_free;
        q->join_free = at;
        q->joins_used--;
        at = next;
    }
}

void smrf_ldst_estimate_take(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const bool filled = l->answer_due <= cycle;

    while (l->answer_due <= cycle) {
        const uint16_t i = (uint16_t)smrf_ldst_answer(l, l->answer_head)->id;
        const uint32_t what = l->request[i].what;
        const uint16_t owner = l->request[i].owner;

        l->stats.answers++;
        smrf_ldst_request_release(l, i);
        l->answer_head = --l->answers ? (l->answer_head + 1) % SMRF_LDST_REQUESTS : 0;
        l->answer_due = l->answers ? smrf_ldst_answer(l, l->answer_head)->arrival : SMRF_NEVER;
        switch (smrf_ldst_kind_of(what)) {
        case SMRF_LDST_REQ_WRITE:
            l->events.stores(l->events.ctx, owner, -1);
            break;
        case SMRF_LDST_REQ_DIRECT:
            arrive_(q, owner, cycle);
            break;
        default:
            fill_(q, what, owner, cycle);
        }
    }
    if (q->waiting) {
        smrf_ldst_estimate_retry(q, cycle, filled);
    }
}

void smrf_ldst_estimate_kept(struct smrf_ldst_stats *kept)
{
    kept->bank_conflict_stalls = kept->port_stalls = kept->shared_full_stalls = 0;
    kept->mshr_stalls = kept->merge_stalls = kept->miss_queue_stalls = kept->way_stalls = 0;
    kept->write_back_retries = 0;
}
