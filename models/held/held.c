/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include "models/common/smrf_assert.h"

#include <string.h>

static void copy_lanes_(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        to[l] = from[l];
    }
}

/* The newest of a list with the register, -1: none. */
static int newest_(const struct smrf_held_value *list, unsigned count, unsigned reg)
{
    int n = (int)count - 1;
    while (n >= 0 && list[n].reg != reg) {
        n--;
    }
    return n;
}

int smrf_held_find(const struct smrf_held *e, uint32_t slot, unsigned reg)
{
    int n = (int)e->held - 1;
    while (n >= 0 && (e->queue[n].reg != reg || e->queue[n].slot != slot)) {
        n--;
    }
    return n;
}

enum smrf_held_where smrf_held_look(const struct smrf_held *e, unsigned reg, uint32_t lanes,
                                    const struct smrf_held_value **entry)
{
    const int held = newest_(e->queue, e->held, reg), out = newest_(e->out, e->leaving, reg);
    if (held < 0 && out < 0) {
        return SMRF_HELD_BANK;
    }
    *entry = held >= 0 ? &e->queue[held] : &e->out[out];
    return lanes & ~(*entry)->lanes ? SMRF_HELD_BOTH : SMRF_HELD_ENTRY;
}

bool smrf_held_put(struct smrf_held *e, const struct smrf_held_result *put, const uint32_t *data)
{
    const int held = smrf_held_find(e, put->slot, put->reg);
    SMRF_ASSERT(held >= 0 || e->held < SMRF_HELD_MAX);
    struct smrf_held_value *q = &e->queue[held >= 0 ? held : e->held++];
    if (held < 0) {
        *q = (struct smrf_held_value){.at = put->at, .reg = put->reg, .slot = put->slot};
    }
    q->lanes |= put->lanes;
    q->dirty = put->clean ? q->dirty & ~put->lanes : q->dirty | put->lanes;
    q->version = put->version;
    copy_lanes_(q->data, data, put->lanes);
    return held >= 0;
}

static void remove_(struct smrf_held_value *list, uint8_t *count, unsigned n)
{
    SMRF_ASSERT(n < *count);
    memmove(&list[n], &list[n + 1], (*count - n - 1u) * sizeof *list);
    --*count;
}

void smrf_held_drop(struct smrf_held *e, unsigned n)
{
    remove_(e->queue, &e->held, n);
}

const struct smrf_held_value *smrf_held_write_back(struct smrf_held *e, unsigned n, uint32_t token)
{
    SMRF_ASSERT(smrf_held_may_leave(e));
    struct smrf_held_value *out = &e->out[e->leaving++];
    *out = e->queue[n];
    out->token = token;
    e->queue[n].dirty = 0;
    return out;
}

const struct smrf_held_value *smrf_held_leave(struct smrf_held *e, unsigned n, uint32_t token)
{
    const struct smrf_held_value *out = smrf_held_write_back(e, n, token);
    remove_(e->queue, &e->held, n);
    return out;
}

uint32_t smrf_held_gone(struct smrf_held *e, uint32_t token, uint32_t *data, uint32_t *version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].token == token) {
            const uint32_t lanes = e->out[n].dirty;
            memcpy(data, e->out[n].data, sizeof e->out[n].data);
            *version = e->out[n].version;
            remove_(e->out, &e->leaving, n);
            return lanes;
        }
    }
    return 0;
}

void smrf_held_outdated(struct smrf_held *e, unsigned reg, uint32_t lanes, uint32_t version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].reg == reg) {
            e->out[n].lanes &= ~lanes;
            e->out[n].dirty &= ~lanes;
            e->out[n].version = version; /* the register's, whichever lanes it wrote */
        }
    }
}

void smrf_held_renew(struct smrf_held *e, unsigned reg, uint32_t version)
{
    for (unsigned n = 0; n < e->held; n++) {
        e->queue[n].version = e->queue[n].reg == reg ? version : e->queue[n].version;
    }
    for (unsigned n = 0; n < e->leaving; n++) {
        e->out[n].version = e->out[n].reg == reg ? version : e->out[n].version;
    }
}
