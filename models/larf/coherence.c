/* SPDX-License-Identifier: Apache-2.0 */
#include "coherence.h"

#include "models/common/smrf_assert.h"

#include <stddef.h>
#include <string.h>

void smrf_larf_log_store(struct smrf_larf_log *log, const struct smrf_inst *inst, uint32_t version,
                         uint64_t cycle)
{
    SMRF_ASSERT(log->num_stores < SMRF_LARF_STORES);
    struct smrf_larf_store *s = &log->store[log->num_stores++];
    s->cycle = cycle;
    s->version = version;
    s->op.access_bytes = inst->op->access_bytes;
    memcpy(&s->inst, inst, offsetof(struct smrf_inst, lane));
    s->inst.op = NULL; /* the instruction may be gone at the edge */
    if (inst->addr_kind == SMRF_ADDR_LIST) {
        uint64_t room[SMRF_LANES];
        memcpy(s->inst.lane, smrf_inst_list(inst, room), sizeof s->inst.lane);
        s->inst.list = NULL;
    }
}

void smrf_larf_log_use(struct smrf_larf_log *log, const struct smrf_amt_entry *e,
                       struct smrf_amt_bytes bytes, uint32_t version, uint64_t cycle)
{
    SMRF_ASSERT(log->num_uses < SMRF_LARF_USES);
    log->use[log->num_uses++] = (struct smrf_larf_use){
        e->since, e->loaded, cycle, version, bytes, e->stale_local, e->stale_remote};
}

/* --- lines ------------------------------------------------------------------------------------ */

#define LINE_SHIFT 7
#define LINES 1024 /* a power of two */

/* Lines of memory that the entries and uses of an SM have bytes of, by the lowest bits of their
 * numbers. Most stores are to lines that no other SM has anything of. */
struct lines_ {
    uint64_t bit[LINES / 64];
};

static bool is_wide_(struct smrf_amt_span span)
{
    return (span.high - span.low) >> LINE_SHIFT >= 16;
}

static void add_(struct lines_ *l, const struct smrf_amt_bytes *bytes)
{
    const struct smrf_amt_span span = smrf_amt_span_of(bytes);
    if (is_wide_(span)) {
        memset(l, 0xff, sizeof *l);
        return;
    }
    for (uint64_t n = span.low >> LINE_SHIFT; n <= (span.high + 3) >> LINE_SHIFT; n++) {
        l->bit[n % LINES / 64] |= UINT64_C(1) << n % 64;
    }
}

static void add_all_(struct lines_ *l, const struct smrf_larf_view *user)
{
    const struct smrf_amt *t = user->table;
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0, left = t->count; left; i++) {
        if (t->entry[i].taken) {
            add_(l, &t->entry[i].bytes);
            left--;
        }
    }
    for (uint32_t i = 0; i < user->log->num_uses; i++) {
        add_(l, &user->log->use[i].bytes);
    }
}

/* May a store be to a line of them? */
static bool may_meet_(const struct lines_ *l, const struct smrf_amt_store *store)
{
    const uint64_t last = store->span.high + store->inst->op->access_bytes - 1;
    bool may = is_wide_(store->span);
    for (uint64_t n = store->span.low >> LINE_SHIFT; !may && n <= last >> LINE_SHIFT; n++) {
        may = l->bit[n % LINES / 64] >> n % 64 & 1;
    }
    return may;
}

/* --- comparison ------------------------------------------------------------------------------- */

/* Uses in an SM that a store, by this SM or another, has made stale. */
static void mark_uses_(const struct smrf_larf_view *user, const struct smrf_larf_store *s,
                       const struct smrf_amt_store *bytes, bool own)
{
    for (uint32_t i = 0; i < user->log->num_uses; i++) {
        struct smrf_larf_use *u = &user->log->use[i];
        bool *stale = own ? &u->stale_local : &u->stale_remote;
        const uint64_t from = own ? u->since : u->loaded;
        const bool between = from < s->cycle && s->cycle < u->used;
        const bool overtaken = own && u->used <= s->cycle && (int32_t)(s->version - u->version) < 0;
        if ((between || overtaken) && !*stale) {
            *stale = smrf_amt_overlaps(&u->bytes, bytes);
        }
    }
}

/* Entries that have survived a store: later uses read stale bytes. */
static void mark_entries_(const struct smrf_larf_view *user, const struct smrf_larf_store *s,
                          const struct smrf_amt_store *bytes, bool own)
{
    struct smrf_amt *t = user->table;
    for (uint32_t i = 0, left = t->count; left; i++) {
        struct smrf_amt_entry *e = &t->entry[i];
        if (!e->taken) {
            continue;
        }
        left--;
        bool *stale = own ? &e->stale_local : &e->stale_remote;
        if ((own ? e->since : e->loaded) < s->cycle && !*stale) {
            *stale = smrf_amt_overlaps(&e->bytes, bytes);
        }
    }
}

static bool any_stores_(const struct smrf_larf_view *sm, unsigned sms)
{
    unsigned by = 0;
    while (by < sms && sm[by].log->num_stores == 0) {
        by++;
    }
    return by < sms;
}

/* All stores with what all SMs have. */
static void mark_(const struct smrf_larf_view *sm, unsigned sms)
{
    struct lines_ lines[SMRF_MAX_SMS];
    for (unsigned user = 0; user < sms; user++) {
        add_all_(&lines[user], &sm[user]);
    }
    for (unsigned by = 0; by < sms; by++) {
        for (uint32_t i = 0; i < sm[by].log->num_stores; i++) {
            struct smrf_larf_store *s = &sm[by].log->store[i];
            s->inst.op = &s->op;
            const struct smrf_amt_store bytes = smrf_amt_store_of(&s->inst);
            for (unsigned user = 0; user < sms; user++) {
                if (may_meet_(&lines[user], &bytes)) {
                    mark_uses_(&sm[user], s, &bytes, user == by);
                    mark_entries_(&sm[user], s, &bytes, user == by);
                }
            }
        }
    }
}

void smrf_larf_compare(const struct smrf_larf_view *sm, unsigned sms)
{
    if (any_stores_(sm, sms)) {
        mark_(sm, sms);
    }
    for (unsigned user = 0; user < sms; user++) {
        struct smrf_larf_log *log = sm[user].log;
        for (uint32_t i = 0; i < log->num_uses; i++) {
            *sm[user].stale_local += log->use[i].stale_local;
            *sm[user].stale_remote += log->use[i].stale_remote;
        }
        log->num_uses = 0;
        log->num_stores = 0;
    }
}
