/* SPDX-License-Identifier: Apache-2.0 */
#include "cached_values.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_value.h"

#include <string.h>

static void keep_lanes_(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        smrf_value_keep(to, from);
        return;
    }
    for (uint32_t m = from ? lanes : 0; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        to[l] = from[l];
    }
}

/* The newest of a list with the register, -1: none. */
static int newest_(const struct smrf_cached_value *list, unsigned count, unsigned reg)
{
    int n = (int)count - 1;
    while (n >= 0 && list[n].reg != reg) {
        n--;
    }
    return n;
}

static uint8_t take_row_(struct smrf_cached_values *e)
{
    SMRF_ASSERT(~e->rows_used);
    const unsigned row = (unsigned)__builtin_ctz(~e->rows_used);
    e->rows_used |= UINT32_C(1) << row;
    return (uint8_t)row;
}

void smrf_cached_clear(struct smrf_cached_values *e)
{
    e->count = e->leaving = e->parted = 0;
    e->rows_used = 0;
    memset(e->entries, 0, sizeof e->entries);
}

int smrf_cached_find(const struct smrf_cached_values *e, uint32_t slot, unsigned reg)
{
    if (!smrf_cached_has(e, reg)) {
        return -1;
    }
    int n = (int)e->count - 1;
    while (n >= 0 && (e->queue[n].reg != reg || e->queue[n].slot != slot)) {
        n--;
    }
    return n;
}

enum smrf_cached_location smrf_cached_locate(const struct smrf_cached_values *e, unsigned reg,
                                             uint32_t lanes, const struct smrf_cached_value **entry)
{
    const bool any = smrf_cached_has(e, reg);
    const int queued = any ? newest_(e->queue, e->count, reg) : -1;
    const int out = any ? newest_(e->out, e->leaving, reg) : -1;
    if (queued < 0 && out < 0) {
        return SMRF_CACHED_BANK;
    }
    *entry = queued >= 0 ? &e->queue[queued] : &e->out[out];
    return lanes & ~(*entry)->lanes ? SMRF_CACHED_BOTH : SMRF_CACHED_ENTRY;
}

static void set_lanes_(struct smrf_cached_values *e, struct smrf_cached_value *v, uint32_t lanes)
{
    e->parted = (uint8_t)(e->parted - (v->lanes != UINT32_MAX) + (lanes != UINT32_MAX));
    v->lanes = lanes;
}

bool smrf_cached_put(struct smrf_cached_values *e, const struct smrf_cached_result *put,
                     const uint32_t *data)
{
    const int queued = smrf_cached_find(e, put->slot, put->reg);
    SMRF_ASSERT(queued >= 0 || e->count < SMRF_CACHED_MAX);
    struct smrf_cached_value *q = &e->queue[queued >= 0 ? queued : e->count++];
    if (queued < 0) {
        q->at = put->at;
        q->reg = put->reg;
        q->slot = put->slot;
        q->lanes = q->dirty = q->token = 0;
        q->row = take_row_(e);
        e->parted++;
        e->entries[put->reg]++;
    }
    set_lanes_(e, q, q->lanes | put->lanes);
    q->dirty = put->clean ? q->dirty & ~put->lanes : q->dirty | put->lanes;
    q->version = put->version;
    keep_lanes_(e->data[q->row], data, put->lanes);
    return queued >= 0;
}

void smrf_cached_lose(struct smrf_cached_values *e, unsigned n, uint32_t lanes)
{
    struct smrf_cached_value *v = &e->queue[n];
    set_lanes_(e, v, v->lanes & ~lanes);
    v->dirty &= ~lanes;
}

/* The n-th of one of the lists is gone; its data stays. */
static void take_out_(struct smrf_cached_values *e, struct smrf_cached_value *list, uint8_t *count,
                      unsigned n)
{
    SMRF_ASSERT(n < *count);
    e->parted = (uint8_t)(e->parted - (list[n].lanes != UINT32_MAX));
    e->entries[list[n].reg]--;
    memmove(&list[n], &list[n + 1], (*count - n - 1u) * sizeof *list);
    --*count;
}

static void remove_(struct smrf_cached_values *e, struct smrf_cached_value *list, uint8_t *count,
                    unsigned n)
{
    e->rows_used &= ~(UINT32_C(1) << list[n].row);
    take_out_(e, list, count, n);
}

void smrf_cached_drop(struct smrf_cached_values *e, unsigned n)
{
    remove_(e, e->queue, &e->count, n);
}

/* A copy of the n-th of the queue, with the same data, is the last that leaves. */
static struct smrf_cached_value *put_out_(struct smrf_cached_values *e, unsigned n, uint32_t token)
{
    SMRF_ASSERT(smrf_cached_may_leave(e));
    struct smrf_cached_value *out = &e->out[e->leaving++];
    *out = e->queue[n];
    out->token = token;
    e->entries[out->reg]++;
    e->parted = (uint8_t)(e->parted + (out->lanes != UINT32_MAX));
    return out;
}

const struct smrf_cached_value *smrf_cached_write_back(struct smrf_cached_values *e, unsigned n,
                                                       uint32_t token)
{
    struct smrf_cached_value *out = put_out_(e, n, token);
    out->row = take_row_(e);
    memcpy(e->data[out->row], e->data[e->queue[n].row], sizeof e->data[out->row]);
    e->queue[n].dirty = 0;
    return out;
}

const struct smrf_cached_value *smrf_cached_leave(struct smrf_cached_values *e, unsigned n,
                                                  uint32_t token)
{
    const struct smrf_cached_value *out = put_out_(e, n, token);
    take_out_(e, e->queue, &e->count, n);
    return out;
}

void smrf_cached_copy(const struct smrf_cached_values *e, const struct smrf_cached_value *v,
                      uint32_t *data, uint32_t *version)
{
    if (data) {
        memcpy(data, e->data[v->row], sizeof e->data[v->row]);
    }
    *version = v->version;
}

uint32_t smrf_cached_gone(struct smrf_cached_values *e, uint32_t token, uint32_t *data,
                          uint32_t *version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].token == token) {
            const uint32_t lanes = e->out[n].dirty;
            smrf_cached_copy(e, &e->out[n], data, version);
            remove_(e, e->out, &e->leaving, n);
            return lanes;
        }
    }
    return 0;
}

void smrf_cached_outdated(struct smrf_cached_values *e, unsigned reg, uint32_t lanes,
                          uint32_t version)
{
    if (!smrf_cached_has(e, reg)) {
        return;
    }
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].reg == reg) {
            set_lanes_(e, &e->out[n], e->out[n].lanes & ~lanes);
            e->out[n].dirty &= ~lanes;
            e->out[n].version = version; /* the register's, whichever lanes it wrote */
        }
    }
}

void smrf_cached_renew(struct smrf_cached_values *e, unsigned reg, uint32_t version)
{
    if (!smrf_cached_has(e, reg)) {
        return;
    }
    for (unsigned n = 0; n < e->count; n++) {
        e->queue[n].version = e->queue[n].reg == reg ? version : e->queue[n].version;
    }
    for (unsigned n = 0; n < e->leaving; n++) {
        e->out[n].version = e->out[n].reg == reg ? version : e->out[n].version;
    }
}
