/* SPDX-License-Identifier: Apache-2.0 */
#include "sthld.h"

#include <string.h>

/* States: 1 start, 2 climbing the flat region, 3 judge the speculative step, 4 discard the
 * comparison with the bad interval, 5 descend to the flat region, 6 hold at the knee. */
void smrf_sthld_default_table(struct smrf_sthld_table *table, int climb, int back, int fine)
{
    const int16_t up = (int16_t)climb, down = (int16_t)-fine;
    *table = (struct smrf_sthld_table){
        .start = 1,
        .edge =
            {
                [1] = {{2, up}, {2, up}},
                [2] = {{2, up}, {3, up}},
                [3] = {{2, up}, {4, (int16_t)-back}},
                [4] = {{5, down}, {5, down}},
                [5] = {{6, SMRF_STHLD_UNDO}, {5, down}},
                [6] = {{6, 0}, {3, up}},
            },
    };
}

int smrf_sthld_config_check(const struct smrf_sthld_config *cfg)
{
    const struct smrf_sthld_table *t = &cfg->table;
    if (t->start < 1 || t->start > SMRF_STHLD_STATES || cfg->first > cfg->max ||
        cfg->max > INT16_MAX) {
        return SMRF_ERR_INVAL;
    }
    uint32_t seen = UINT32_C(1) << t->start, open = seen;
    while (open) {
        unsigned state = (unsigned)__builtin_ctz(open);
        open &= open - 1;
        for (unsigned c = 0; c < SMRF_STHLD_CHANGES; c++) {
            unsigned next = t->edge[state][c].next;
            if (next < 1 || next > SMRF_STHLD_STATES) {
                return SMRF_ERR_INVAL;
            }
            if (!(seen >> next & 1)) {
                seen |= UINT32_C(1) << next;
                open |= UINT32_C(1) << next;
            }
        }
    }
    return SMRF_OK;
}

int smrf_sthld_init(struct smrf_sthld *s, const struct smrf_sthld_config *cfg)
{
    int err = smrf_sthld_config_check(cfg);
    if (err) {
        return err;
    }
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->value = cfg->first;
    smrf_sthld_reset(s);
    return SMRF_OK;
}

void smrf_sthld_reset(struct smrf_sthld *s)
{
    s->state = s->cfg->table.start;
    s->before = 0;
    s->decrement = 0;
    s->large = false;
}

/* |now - before| / before > threshold; against nothing, any change is large. */
static bool large_(const struct smrf_sthld *s, uint64_t now)
{
    uint64_t before = s->before;
    if (now >= before && s->cfg->only_drops) {
        return false;
    }
    uint64_t change = now > before ? now - before : before - now;
    return change * 10000 > before * s->cfg->threshold;
}

bool smrf_sthld_step(struct smrf_sthld *s, uint64_t insts)
{
    if (insts == 0 && !s->cfg->count_idle) {
        return false;
    }
    s->large = large_(s, insts);
    struct smrf_sthld_edge edge = s->cfg->table.edge[s->state][s->large];
    int32_t delta = edge.delta == SMRF_STHLD_UNDO ? (int32_t)s->decrement : edge.delta;
    int32_t value = (int32_t)s->value + delta;
    value = value < 0 ? 0 : value > (int32_t)s->cfg->max ? (int32_t)s->cfg->max : value;
    s->decrement = (uint32_t)value < s->value ? s->value - (uint32_t)value : 0;
    s->value = (uint32_t)value;
    s->state = edge.next;
    s->before = insts;
    return true;
}
