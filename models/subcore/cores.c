/* SPDX-License-Identifier: Apache-2.0 */
#include "cores.h"

static int init_banks_(struct smrf_subcore_cores *c, const struct smrf_subcore_setup *s)
{
    int err = SMRF_OK;
    for (size_t b = 0; b < s->issue.rf.banks && !err; b++) {
        err = smrf_bank_init(&c->bank[b], s->row + b * s->rows, s->tags + b * s->rows, s->rows);
    }
    return err;
}

static int init_reading_(struct smrf_subcore_cores *c, struct smrf_subcore_store *store,
                         const struct smrf_subcore_setup *s)
{
    const struct smrf_read_stage_config cfg = {s->issue.rf, s->issue.exec, s->issue.sub};
    c->reading = s->reading ? *s->reading : (struct smrf_reading){0};
    if (c->reading.ops) {
        c->reading.ops->reset(c->reading.state);
        return SMRF_OK;
    }
    if (s->issue.rf.read == SMRF_READ_COLLECTORS) {
        return SMRF_OK;
    }
    c->reading = smrf_read_stage_reading(&c->read_stage);
    return smrf_read_stage_init(&c->read_stage, &store->read_stage, &cfg, s->flights, s->wires);
}

int smrf_subcore_cores_init(struct smrf_subcore_cores *c, struct smrf_subcore_store *store,
                            const struct smrf_subcore_setup *s, struct smrf_subcore_blocks *blocks)
{
    const struct smrf_rf_params *rf = &s->issue.rf;
    const unsigned sub = s->issue.sub;
    int err = init_reading_(c, store, s);
    *blocks = (struct smrf_subcore_blocks){&c->issue, &c->collectors, c->reading,
                                           &c->cache, &c->arbiter,    &c->xbar,
                                           {NULL},    &c->l0,         &c->constants};
    for (unsigned b = 0; b < rf->banks; b++) {
        blocks->bank[b] = &c->bank[b];
    }
    smrf_operand_cache_init(&c->cache, s->mechanism, s->mechanism_state, sub, s->flights, s->wires);
    err = err ? err
              : smrf_l0_init(&c->l0, store->l0_line, &s->frontend, sub, s->issue.sm.subcores,
                             s->wires);
    err = err ? err : smrf_constant_l0_init(&c->constants, store->constant_line, &s->frontend);
    err = err ? err : smrf_issue_init(&c->issue, &store->issue, &s->issue, s->issue_parts);
    err = err ? err
              : smrf_collectors_init(&c->collectors, &store->collectors, rf, sub, s->flights,
                                     s->wires);
    err = err ? err : smrf_arbiter_init(&c->arbiter, &store->arbiter, &s->arbiter, sub, s->wires);
    err = err ? err : smrf_xbar_init(&c->xbar, rf->banks, s->rows);
    return err ? err : init_banks_(c, s);
}
