/* SPDX-License-Identifier: Apache-2.0 */
/* The value oracle: program order's own view of every warp's registers, filled at issue, compared
 * with what the collectors receive. Where the trace has no values, a write's value is made from its
 * warp, register and version, so that two writes never look alike. */
#include "sm_state.h"

#include <string.h>

/* Value of lane l of a write. */
static void make_value_(uint32_t *lane, uint32_t warp, uint32_t reg, uint32_t version)
{
    uint32_t seed = version * UINT32_C(2654435761) ^ (reg << 24 | warp << 16);
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        lane[l] = seed + l * UINT32_C(0x01000193);
    }
}

/* Sources of the trace must carry the values that its own earlier writes left. */
static void compare_trace_(struct smrf_sm *sm, const struct smrf_flight *f,
                           const struct smrf_inst *inst)
{
    const struct smrf_sm_shadow *shadow = &sm->shadow[f->warp];
    for (unsigned i = 0; i < inst->values->num_src && i < inst->op->num_src; i++) {
        unsigned reg = inst->op->src[i];
        uint32_t lanes = inst->mask & shadow->lanes[reg];
        sm->stats.oracle_trace_values++;
        for (; lanes; lanes &= lanes - 1) {
            unsigned l = (unsigned)__builtin_ctz(lanes);
            if (shadow->value[reg][l] != inst->values->src[i][l]) {
                sm->stats.oracle_trace_mismatches++;
                break;
            }
        }
    }
}

void smrf_sm_oracle_issue(struct smrf_sm *sm, struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_sm_shadow *shadow = &sm->shadow[f->warp];
    for (unsigned i = 0; i < f->num_src; i++) {
        f->src_version[i] = shadow->writer[f->src_reg[i]];
    }
    if (inst->values) {
        compare_trace_(sm, f, inst);
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        unsigned reg = f->dst_reg[i];
        uint32_t scratch[SMRF_LANES];
        const uint32_t *value = scratch;
        if (inst->values && i < inst->values->num_dst) {
            value = inst->values->dst[i];
        } else {
            make_value_(scratch, f->warp, reg, f->version);
        }
        shadow->writer[reg] = f->version;
        shadow->lanes[reg] |= f->mask;
        if (f->mask == UINT32_MAX) {
            memcpy(shadow->value[reg], value, sizeof scratch);
            continue;
        }
        for (uint32_t m = f->mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            shadow->value[reg][l] = value[l];
        }
    }
}

static bool lanes_equal_(const uint32_t *a, const uint32_t *b, uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        return memcmp(a, b, SMRF_WARP_REG_BYTES) == 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        if (a[l] != b[l]) {
            return false;
        }
    }
    return true;
}

void smrf_sm_oracle_operand(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i,
                            const uint32_t *data, uint32_t version)
{
    const struct smrf_sm_shadow *shadow = &sm->shadow[f->warp];
    unsigned reg = f->src_reg[i];
    uint32_t expected = f->src_version[i];

    if (expected == 0 || f->src_phys[i] == SMRF_PHYS_NONE) {
        return; /* never written by this warp, or without storage: nothing to hold it to */
    }
    sm->stats.oracle_checked++;
    if (shadow->writer[reg] != expected && !sm->cfg.scoreboard.war && version > expected) {
        sm->stats.oracle_overtaken++; /* what the option allows, and what it costs */
        return;
    }
    bool right = version == expected;
    if (right && shadow->writer[reg] == expected) {
        right = lanes_equal_(data, shadow->value[reg], f->mask & shadow->lanes[reg]);
    }
    sm->stats.oracle_violations += !right;
}

const uint32_t *smrf_sm_result(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i,
                               uint32_t *scratch)
{
    if (sm->keep_values) {
        return sm->shadow[f->warp].value[f->dst_reg[i]];
    }
    make_value_(scratch, f->warp, f->dst_reg[i], f->version);
    return scratch;
}
