/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's own stack of calls, and what becomes of registers where a mechanism answers for
 * instructions that are not issued. */
#include "oracle_internal.h"

/* --- frames ----------------------------------------------------------------------------------- */

void smrf_oracle_called(struct smrf_oracle *o, unsigned warp, uint32_t lanes)
{
    struct smrf_oracle_calls *c = &o->calls[warp];
    if (!o->active) {
        return;
    }
    if (c->depth == SMRF_ORACLE_CALLS) {
        c->lost = true; /* returns no longer tell whose frame they leave */
        return;
    }
    c->frame[c->depth++] = (struct smrf_oracle_frame){.lanes = lanes, .number = ++c->next_number};
}

/* A frame has no lanes left: what it saved is over. f: who left last, NULL: by exit. */
static struct smrf_finding *close_(struct smrf_oracle *o, struct smrf_oracle_calls *c,
                                   const struct smrf_oracle_frame *frame,
                                   const struct smrf_flight *f)
{
    struct smrf_finding *wrong = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct smrf_oracle_save *s = &c->save[i];
        if (s->frame != frame->number) {
            c->save[kept++] = *s;
            continue;
        }
        uint32_t lanes = c->lost ? 0 : s->pending & frame->returned;
        o->stats.oracle_unrestored += lanes != 0;
        if (lanes && f && !wrong) {
            const struct smrf_oracle_warp *w = &o->warp[f->warp];
            wrong = smrf_oracle_find_(o, SMRF_FINDING_FRAME, f, s->reg, lanes);
            wrong->expected = smrf_oracle_found_(s->version, s->value[wrong->lane]);
            wrong->expected.known = s->known >> wrong->lane & 1;
            wrong->found.version =
                w->reg[s->reg].version == SMRF_ORACLE_ANY ? 0 : w->reg[s->reg].version;
        }
    }
    c->count = kept;
    return wrong;
}

/* Frames without lanes are closed. */
static struct smrf_finding *close_empty_(struct smrf_oracle *o, struct smrf_oracle_calls *c,
                                         const struct smrf_flight *f)
{
    struct smrf_finding *wrong = NULL;
    uint32_t open = 0;
    for (uint32_t d = 0; d < c->depth; d++) {
        if (c->frame[d].lanes) {
            c->frame[open++] = c->frame[d];
            continue;
        }
        struct smrf_finding *now = close_(o, c, &c->frame[d], f);
        wrong = wrong ? wrong : now;
    }
    c->depth = open;
    return wrong;
}

struct smrf_finding *smrf_oracle_returned(struct smrf_oracle *o, const struct smrf_flight *f)
{
    struct smrf_oracle_calls *c = &o->calls[f->warp];
    uint32_t lanes = f->mask;
    if (!o->active) {
        return NULL;
    }
    for (uint32_t d = c->depth; lanes && d-- > 0;) {
        uint32_t leave = c->frame[d].lanes & lanes;
        c->frame[d].lanes &= ~leave;
        c->frame[d].returned |= leave;
        lanes &= ~leave;
    }
    return close_empty_(o, c, f);
}

/* Nothing that issues from now on reads what these lanes have in their registers. */
static void forget_lanes_(struct smrf_oracle_warp *w, uint32_t lanes)
{
    for (unsigned reg = 0; lanes && reg < SMRF_ORACLE_REGISTERS; reg++) {
        if (w->reg[reg].version) {
            smrf_oracle_drop_(w, reg, lanes);
        }
    }
}

void smrf_oracle_exited(struct smrf_oracle *o, unsigned warp, uint32_t lanes)
{
    struct smrf_oracle_calls *c = &o->calls[warp];
    if (!o->active) {
        return;
    }
    for (uint32_t d = 0; d < c->depth; d++) {
        c->frame[d].lanes &= ~lanes;
    }
    close_empty_(o, c, NULL);
    if (lanes != UINT32_MAX) {
        forget_lanes_(&o->warp[warp], lanes);
    }
}

/* Number of the newest frame with any of the lanes, 0: the kernel. */
static uint32_t frame_of_(const struct smrf_oracle_calls *c, uint32_t lanes)
{
    for (uint32_t d = c->depth; d-- > 0;) {
        if (c->frame[d].lanes & lanes) {
            return c->frame[d].number;
        }
    }
    return 0;
}

/* --- removed instructions --------------------------------------------------------------------- */

/* The j-th register of a local store is saved. */
static void save_(struct smrf_oracle *o, unsigned warp, const struct smrf_inst *inst, unsigned reg,
                  unsigned j)
{
    struct smrf_oracle_calls *c = &o->calls[warp];
    struct smrf_oracle_warp *w = &o->warp[warp];
    if (c->count == SMRF_ORACLE_SAVES) {
        o->stats.oracle_lost_saves++;
        return;
    }
    struct smrf_oracle_save *s = &c->save[c->count++];
    smrf_oracle_store_(w, reg);
    s->frame = frame_of_(c, inst->mask);
    s->version = w->reg[reg].version;
    s->lanes = inst->mask;
    s->known = inst->mask & w->lanes[reg];
    s->pending = inst->mask;
    s->apart = false;
    s->reg = reg;
    smrf_oracle_copy_lanes_(s->value, w->value[reg], s->known);
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        s->address[l] = (uint32_t)smrf_inst_address(inst, l) + 4 * j;
    }
}

/* Lanes of the mask that the save holds at these addresses. */
static uint32_t held_(const struct smrf_oracle_save *s, const uint32_t *address, uint32_t lanes)
{
    return (s->lanes & lanes) & ~smrf_oracle_differing_(s->address, address, s->lanes & lanes);
}

/* The j-th register of a local load is what was last saved at its addresses. */
static void restore_(struct smrf_oracle *o, unsigned warp, const struct smrf_inst *inst,
                     unsigned reg, unsigned j)
{
    struct smrf_oracle_calls *c = &o->calls[warp];
    struct smrf_oracle_warp *w = &o->warp[warp];
    uint32_t address[SMRF_LANES] = {0}, left = inst->mask;
    for (uint32_t m = left; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        address[l] = (uint32_t)smrf_inst_address(inst, l) + 4 * j;
    }
    smrf_oracle_store_(w, reg);
    smrf_oracle_change_(w, reg, inst->mask);
    w->traced[reg] &= ~inst->mask;
    for (uint32_t n = c->count; left && n-- > 0;) {
        struct smrf_oracle_save *s = &c->save[n];
        uint32_t lanes = held_(s, address, left);
        if (!lanes) {
            continue;
        }
        left &= ~lanes;
        s->pending &= ~lanes;
        smrf_oracle_copy_lanes_(w->value[reg], s->value, lanes & s->known);
        w->lanes[reg] = (w->lanes[reg] & ~lanes) | (lanes & s->known);
        w->reg[reg].version = s->apart || w->lanes[reg] & ~lanes ? SMRF_ORACLE_ANY : s->version;
    }
    smrf_oracle_forget_(w, reg, left);
    smrf_oracle_unstore_(w, reg);
}

static void save_all_(struct smrf_oracle *o, unsigned warp, const struct smrf_inst *inst)
{
    unsigned j = 0;
    for (unsigned i = 0; i < inst->op->num_src; i++) {
        if (inst->op->src_slot[i] > 0) { /* the address stands first */
            save_(o, warp, inst, inst->op->src[i], j++);
        }
    }
}

void smrf_oracle_removed(struct smrf_oracle *o, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_static_inst *op = inst->op;
    bool local = op->space == SMRF_SPACE_LOCAL && inst->addr_kind != SMRF_ADDR_NONE;
    o->stats.removed_insts++;
    o->stats.removed_threads += (unsigned)__builtin_popcount(inst->mask);
    if (!o->active) {
        return;
    }
    if (local && op->op_class == SMRF_CLASS_STORE) {
        save_all_(o, warp, inst);
    }
    for (unsigned i = 0; i < op->num_dst; i++) {
        if (local && op->op_class == SMRF_CLASS_LOAD) {
            restore_(o, warp, inst, op->dst[i], i);
        } else {
            smrf_oracle_forget_(&o->warp[warp], op->dst[i], inst->mask);
        }
    }
}

void smrf_oracle_injected(struct smrf_oracle *o, const struct smrf_flight *f)
{
    o->stats.injected_insts++;
    o->stats.injected_threads += (unsigned)__builtin_popcount(f->mask);
}
