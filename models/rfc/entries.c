/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

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
static int newest_(const struct smrf_rfc_entry *list, unsigned count, unsigned reg)
{
    int n = (int)count - 1;
    while (n >= 0 && list[n].reg != reg) {
        n--;
    }
    return n;
}

int smrf_rfc_find(const struct smrf_rfc_entries *e, unsigned reg)
{
    return newest_(e->queue, e->held, reg);
}

enum smrf_rfc_where smrf_rfc_look(const struct smrf_rfc_entries *e, unsigned reg, uint32_t lanes,
                                  const struct smrf_rfc_entry **entry)
{
    const int held = smrf_rfc_find(e, reg), out = newest_(e->out, e->leaving, reg);
    if (held < 0 && out < 0) {
        return SMRF_RFC_BANK;
    }
    *entry = held >= 0 ? &e->queue[held] : &e->out[out];
    return lanes & ~(*entry)->lanes ? SMRF_RFC_BOTH : SMRF_RFC_ENTRY;
}

bool smrf_rfc_put(struct smrf_rfc_entries *e, unsigned reg, struct smrf_register_place at,
                  const uint32_t *data, uint32_t lanes, uint32_t version)
{
    const int held = smrf_rfc_find(e, reg);
    SMRF_ASSERT(held >= 0 || e->held < SMRF_RFC_MAX_ENTRIES);
    struct smrf_rfc_entry *q = &e->queue[held >= 0 ? held : e->held++];
    if (held < 0) {
        q->at = at;
        q->reg = (uint8_t)reg;
        q->lanes = 0;
        memset(q->data, 0, sizeof q->data);
    }
    q->lanes |= lanes;
    q->version = version;
    copy_lanes_(q->data, data, lanes);
    return held >= 0;
}

static void remove_(struct smrf_rfc_entry *list, uint8_t *count, unsigned n)
{
    SMRF_ASSERT(n < *count);
    memmove(&list[n], &list[n + 1], (*count - n - 1u) * sizeof *list);
    --*count;
}

void smrf_rfc_drop(struct smrf_rfc_entries *e, unsigned n)
{
    remove_(e->queue, &e->held, n);
}

const struct smrf_rfc_entry *smrf_rfc_leave(struct smrf_rfc_entries *e, unsigned n, uint32_t token)
{
    SMRF_ASSERT(smrf_rfc_may_leave(e));
    struct smrf_rfc_entry *out = &e->out[e->leaving++];
    *out = e->queue[n];
    out->token = token;
    remove_(e->queue, &e->held, n);
    return out;
}

uint32_t smrf_rfc_gone(struct smrf_rfc_entries *e, uint32_t token, uint32_t *data,
                       uint32_t *version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].token == token) {
            const uint32_t lanes = e->out[n].lanes;
            memcpy(data, e->out[n].data, sizeof e->out[n].data);
            *version = e->out[n].version;
            remove_(e->out, &e->leaving, n);
            return lanes;
        }
    }
    return 0;
}

void smrf_rfc_outdated(struct smrf_rfc_entries *e, unsigned reg, uint32_t lanes, uint32_t version)
{
    for (unsigned n = 0; n < e->leaving; n++) {
        if (e->out[n].reg == reg) {
            e->out[n].lanes &= ~lanes;
            e->out[n].version = version; /* the register's, whichever lanes it wrote */
        }
    }
}
