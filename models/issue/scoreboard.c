/* SPDX-License-Identifier: Apache-2.0 */
#include "scoreboard.h"

static void reset_(void *d)
{
    struct smrf_scoreboard *s = d;
    for (unsigned k = 0; k < s->warps; k++) {
        smrf_scoreboard_reset_warp(s, k);
    }
}

void smrf_scoreboard_init(struct smrf_scoreboard *s, struct smrf_scoreboard_readers *readers,
                          const struct smrf_scoreboard_params *params, uint32_t warps)
{
    s->warps = warps;
    s->readers = readers;
    s->war = params->war;
    s->uniform = params->uniform;
    reset_(s);
}

static void start_(void *d, unsigned k)
{
    smrf_scoreboard_reset_warp(d, k);
}

static unsigned check_(const void *d, unsigned k, const struct smrf_operands *next, uint64_t cycle,
                       uint64_t *again)
{
    (void)cycle;
    (void)again;
    struct smrf_reg_set set = smrf_reg_set_of(NULL, 0, next->dst, next->num_dst, 0);
    set.needs = smrf_inst_needs(next->op);
    for (unsigned i = 0; i < next->num_src; i++) { /* any number: it may wait without reading */
        smrf_reg_set_wait(&set, next->src[i]);
    }
    return smrf_scoreboard_check(d, k, next->op, &set);
}

static void issued_(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle)
{
    (void)cycle;
    struct smrf_reg_set set = smrf_reg_set_of(NULL, 0, f->dst_reg, f->num_dst, 0);
    set.needs = smrf_inst_needs(f->op);
    smrf_scoreboard_issued(d, k, f, &set);
}

static bool collected_(void *d, unsigned k, const struct smrf_flight *f, unsigned i)
{
    return smrf_scoreboard_collected(d, k, f->src_reg[i]);
}

static bool released_(void *d, unsigned k, const struct smrf_flight *f, unsigned reg)
{
    (void)f;
    return smrf_scoreboard_released(d, k, reg);
}

void smrf_scoreboard_reserve_uniform(struct smrf_scoreboard *s, unsigned k,
                                     const struct smrf_static_inst *op)
{
    for (unsigned i = 0; i < op->num_udst; i++) {
        if (op->udst[i] != SMRF_UREG_ZERO) {
            smrf_scoreboard_reserve(s, k, SMRF_DEPEND_UNIFORM + op->udst[i], false);
        }
    }
}

void smrf_scoreboard_add_readers(struct smrf_scoreboard *s, unsigned k, const struct smrf_flight *f)
{
    for (unsigned i = 0; i < f->num_src; i++) {
        s->readers[k].of[f->src_reg[i]]++;
    }
}

bool smrf_scoreboard_uniform_waits(const struct smrf_scoreboard *s, unsigned k,
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
        if (s->readers[k].of[next->dst[i]]) {
            return next->dst[i];
        }
    }
    return SMRF_REG_ZERO;
}

const struct smrf_dependence_ops smrf_scoreboard_ops = {
    reset_, start_, check_, issued_, collected_, released_, quiet_, culprit_, NULL, NULL, NULL,
};
