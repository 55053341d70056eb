/* SPDX-License-Identifier: Apache-2.0 */
#include "scoreboard.h"

static void reset_(void *d)
{
    struct smrf_scoreboard *s = d;
    memset(s->warp, 0, sizeof s->warp);
}

void smrf_scoreboard_init(struct smrf_scoreboard *s, const struct smrf_scoreboard_params *params)
{
    reset_(s);
    s->war = params->war;
    s->uniform = params->uniform;
}

static void start_(void *d, unsigned k)
{
    smrf_scoreboard_reset_warp(d, k);
}

static bool uniform_waits_(const struct smrf_scoreboard *s, unsigned k,
                           const struct smrf_static_inst *op)
{
    for (unsigned i = 0; i < op->num_usrc; i++) {
        if (smrf_scoreboard_waits(s, k, SMRF_DEPEND_UNIFORM + op->usrc[i])) {
            return true;
        }
    }
    for (unsigned i = 0; i < op->num_udst; i++) {
        if (smrf_scoreboard_waits(s, k, SMRF_DEPEND_UNIFORM + op->udst[i])) {
            return true;
        }
    }
    return false;
}

static bool long_op_waits_(const struct smrf_scoreboard *s, unsigned k,
                           const struct smrf_operands *next)
{
    for (unsigned i = 0; i < next->num_src; i++) {
        if (smrf_scoreboard_bit(s->warp[k].long_ops, next->src[i])) {
            return true;
        }
    }
    return false;
}

static unsigned check_(const void *d, unsigned k, const struct smrf_operands *next, uint64_t cycle,
                       uint64_t *again)
{
    const struct smrf_scoreboard *s = d;
    unsigned hazards = 0;
    (void)cycle;
    (void)again;
    if (s->warp[k].pending &&
        (smrf_scoreboard_any_waits(s, k, next->src, next->num_src) ||
         smrf_scoreboard_any_waits(s, k, next->dst, next->num_dst) ||
         ((next->op->num_usrc || next->op->num_udst) && uniform_waits_(s, k, next->op)))) {
        hazards = SMRF_HAZARD_DATA | (long_op_waits_(s, k, next) ? SMRF_HAZARD_LONG : 0u);
    }
    if (s->war && smrf_scoreboard_any_readers(s, k, next->dst, next->num_dst)) {
        hazards |= SMRF_HAZARD_WAR;
    }
    return hazards;
}

static void issued_(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle)
{
    struct smrf_scoreboard *s = d;
    bool long_op = f->op->op_class == SMRF_CLASS_TEX ||
                   (f->op->op_class == SMRF_CLASS_LOAD && f->op->space != SMRF_SPACE_SHARED);
    (void)cycle;
    for (unsigned i = 0; i < f->num_dst; i++) {
        smrf_scoreboard_reserve(s, k, f->dst_reg[i], long_op);
    }
    for (unsigned i = 0; s->uniform && i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            smrf_scoreboard_reserve(s, k, SMRF_DEPEND_UNIFORM + f->op->udst[i], false);
        }
    }
    for (unsigned i = 0; s->war && i < f->num_src; i++) {
        s->warp[k].readers[f->src_reg[i]]++;
    }
}

static bool collected_(void *d, unsigned k, const struct smrf_flight *f, unsigned i)
{
    struct smrf_scoreboard *s = d;
    return s->war && --s->warp[k].readers[f->src_reg[i]] == 0;
}

static bool released_(void *d, unsigned k, const struct smrf_flight *f, unsigned reg)
{
    const struct smrf_scoreboard *s = d;
    (void)f;
    if (reg >= SMRF_DEPEND_UNIFORM && !s->uniform) {
        return false;
    }
    smrf_scoreboard_release(d, k, reg);
    return true;
}

static bool quiet_(const void *d, unsigned k)
{
    return ((const struct smrf_scoreboard *)d)->warp[k].pending == 0;
}

static unsigned waiting_register_(const struct smrf_scoreboard *s, unsigned k,
                                  const struct smrf_operands *next)
{
    const struct smrf_static_inst *op = next->op;
    for (unsigned i = 0; i < next->num_src + next->num_dst; i++) {
        unsigned reg = i < next->num_src ? next->src[i] : next->dst[i - next->num_src];
        if (smrf_scoreboard_waits(s, k, reg)) {
            return reg;
        }
    }
    for (unsigned i = 0; i < (unsigned)op->num_usrc + op->num_udst; i++) {
        unsigned reg =
            SMRF_DEPEND_UNIFORM + (i < op->num_usrc ? op->usrc[i] : op->udst[i - op->num_usrc]);
        if (smrf_scoreboard_waits(s, k, reg)) {
            return reg;
        }
    }
    return SMRF_REG_ZERO;
}

static unsigned culprit_(const void *d, unsigned k, const struct smrf_operands *next,
                         enum smrf_hazard hazard)
{
    const struct smrf_scoreboard *s = d;
    if (hazard != SMRF_HAZARD_WAR) {
        return waiting_register_(s, k, next);
    }
    for (unsigned i = 0; i < next->num_dst; i++) {
        if (s->warp[k].readers[next->dst[i]]) {
            return next->dst[i];
        }
    }
    return SMRF_REG_ZERO;
}

const struct smrf_dependence_ops smrf_scoreboard_ops = {
    reset_, start_, check_, issued_, collected_, released_, quiet_, culprit_,
};
