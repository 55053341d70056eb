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

/* The newest of a list with the register, NULL: none. */
static const struct smrf_cached_value *newest_(const struct smrf_cached_values *e,
                                               const uint8_t *list, unsigned count, unsigned reg)
{
    while (count > 0 && e->value[list[count - 1]].reg != reg) {
        count--;
    }
    return count > 0 ? &e->value[list[count - 1]] : NULL;
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
    while (n >= 0 && (smrf_cached_queued(e, (unsigned)n)->reg != reg ||
                      smrf_cached_queued(e, (unsigned)n)->slot != slot)) {
        n--;
    }
    return n;
}

enum smrf_cached_location smrf_cached_locate(const struct smrf_cached_values *e, unsigned reg,
                                             uint32_t lanes, const struct smrf_cached_value **entry)
{
    const struct smrf_cached_value *v = NULL;
    if (smrf_cached_has(e, reg)) {
        v = newest_(e, e->queue, e->count, reg);
        v = v ? v : newest_(e, e->out, e->leaving, reg);
    }
    if (!v) {
        return SMRF_CACHED_BANK;
    }
    *entry = v;
    return lanes & ~v->lanes ? SMRF_CACHED_BOTH : SMRF_CACHED_ENTRY;
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
    const uint8_t row = queued >= 0 ? e->queue[queued] : take_row_(e);
    struct smrf_cached_value *v = &e->value[row];
    if (queued < 0) {
        e->queue[e->count++] = row;
        *v = (struct smrf_cached_value){.at = put->at, .slot = put->slot, .reg = put->reg};
        e->parted++;
        e->entries[put->reg]++;
    }
    set_lanes_(e, v, v->lanes | put->lanes);
    v->dirty = put->clean ? v->dirty & ~put->lanes : v->dirty | put->lanes;
    v->version = put->version;
    keep_lanes_(e->data[row], data, put->lanes);
    return queued >= 0;
}

void smrf_cached_lose(struct smrf_cached_values *e, unsigned n, uint32_t lanes)
{
    struct smrf_cached_value *v = &e->value[e->queue[n]];
    set_lanes_(e, v, v->lanes & ~lanes);
    v->dirty &= ~lanes;
}

/* Takes the n-th out of a list. Returns its row. */
static uint8_t take_out_(uint8_t *list, uint8_t *count, unsigned n)
{
    SMRF_ASSERT(n < *count);
    const uint8_t row = list[n];
    --*count;
    for (; n < *count; n++) {
        list[n] = list[n + 1];
    }
    return row;
}

/* A row that is in none of the lists any more is free. */
static void free_row_(struct smrf_cached_values *e, uint8_t row)
{
    e->parted = (uint8_t)(e->parted - (e->value[row].lanes != UINT32_MAX));
    e->entries[e->value[row].reg]--;
    e->rows_used &= ~(UINT32_C(1) << row);
}

void smrf_cached_drop(struct smrf_cached_values *e, unsigned n)
{
    free_row_(e, take_out_(e->queue, &e->count, n));
}

/* A row is the last that leaves. */
static const struct smrf_cached_value *put_out_(struct smrf_cached_values *e, uint8_t row,
                                                uint32_t token)
{
    SMRF_ASSERT(smrf_cached_may_leave(e));
    e->out[e->leaving++] = row;
    e->value[row].token = token;
    return &e->value[row];
}

const struct smrf_cached_value *smrf_cached_write_back(struct smrf_cached_values *e, unsigned n,
                                                       uint32_t token)
{
    const uint8_t from = e->queue[n], to = take_row_(e);
    e->value[to] = e->value[from];
    e->entries[e->value[to].reg]++;
    e->parted = (uint8_t)(e->parted + (e->value[to].lanes != UINT32_MAX));
    memcpy(e->data[to], e->data[from], sizeof e->data[to]);
    e->value[from].dirty = 0;
    return put_out_(e, to, token);
}

const struct smrf_cached_value *smrf_cached_leave(struct smrf_cached_values *e, unsigned n,
                                                  uint32_t token)
{
    return put_out_(e, take_out_(e->queue, &e->count, n), token);
}

void smrf_cached_copy(const struct smrf_cached_values *e, const struct smrf_cached_value *v,
                      uint32_t *data, uint32_t *version)
{
    if (data) {
        memcpy(data, e->data[v - e->value], sizeof *e->data);
    }
    *version = v->version;
}

uint32_t smrf_cached_gone(struct smrf_cached_values *e, uint32_t token, uint32_t *data,
                          uint32_t *version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        const struct smrf_cached_value *v = smrf_cached_leaving(e, n);
        if (v->token == token) {
            smrf_cached_copy(e, v, data, version);
            free_row_(e, take_out_(e->out, &e->leaving, n));
            return v->dirty;
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
        struct smrf_cached_value *v = &e->value[e->out[n]];
        if (v->reg == reg) {
            set_lanes_(e, v, v->lanes & ~lanes);
            v->dirty &= ~lanes;
            v->version = version; /* the register's, whichever lanes it wrote */
        }
    }
}

void smrf_cached_renew(struct smrf_cached_values *e, unsigned reg, uint32_t version)
{
    if (!smrf_cached_has(e, reg)) {
        return;
    }
    for (uint32_t m = e->rows_used; m; m &= m - 1) {
        struct smrf_cached_value *v = &e->value[__builtin_ctz(m)];
        v->version = v->reg == reg ? version : v->version;
    }
}
