/* SPDX-License-Identifier: Apache-2.0 */
/* Scoreboard of a sub-core: which registers of a warp wait for a result (RAW, WAW), which of those
 * for a long operation (global, local, texture load), and which have readers that have not
 * collected them yet (WAR). Register numbers: 0..255 vector, 256..319 uniform.
 * Source: Accel-Sim scoreboard (RAW and WAW at issue); WAR: proposed, scoreboard.war. */
#ifndef SMRF_SCOREBOARD_H
#define SMRF_SCOREBOARD_H

#include "dependence.h"
#include "issue_params.h"

#include "models/common/smrf_aligned.h"
#include "models/common/smrf_reg_set.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SB_REGS 320
#define SMRF_SB_WORDS (SMRF_SB_REGS / 64)

struct SMRF_LINE_ALIGNED smrf_scoreboard_warp {
    uint64_t writes[SMRF_SB_WORDS];   /* bit r: register r waits for a result */
    uint32_t pending;                 /* registers waiting for a result */
    uint64_t long_ops[SMRF_SB_WORDS]; /* subset of writes: the result of a long operation */
};

/* Uncollected reads of the vector registers of a warp. */
struct smrf_scoreboard_readers {
    uint8_t of[SMRF_SB_REGS - 64];
};

struct smrf_scoreboard {
    bool war;     /* readers are counted */
    bool uniform; /* uniform registers are waited for */
    uint32_t warps;
    struct smrf_scoreboard_readers *readers; /* [SMRF_MAX_SUB_WARPS]; only where they are counted */
    struct smrf_scoreboard_warp warp[SMRF_MAX_SUB_WARPS];
};

/* The dependence check by scoreboard; its functions take a struct smrf_scoreboard. */
extern const struct smrf_dependence_ops smrf_scoreboard_ops;

/* Forget everything. readers: [SMRF_MAX_SUB_WARPS], its own, touched where they are counted. warps:
 * at most SMRF_MAX_SUB_WARPS; what lies behind them stays untouched. */
void smrf_scoreboard_init(struct smrf_scoreboard *s, struct smrf_scoreboard_readers *readers,
                          const struct smrf_scoreboard_params *params, uint32_t warps);

/* Forget a warp's registers (a new warp takes the slot). */
static inline void smrf_scoreboard_reset_warp(struct smrf_scoreboard *s, unsigned k)
{
    memset(&s->warp[k], 0, sizeof s->warp[k]);
    if (s->war) {
        memset(&s->readers[k], 0, sizeof s->readers[k]);
    }
}

static inline bool smrf_scoreboard_waits(const struct smrf_scoreboard *s, unsigned k, unsigned reg)
{
    return smrf_reg_set_has(s->warp[k].writes, reg);
}

/* Destination reg of an instruction that issues; long_op: its result comes from memory. */
static inline void smrf_scoreboard_reserve(struct smrf_scoreboard *s, unsigned k, unsigned reg,
                                           bool long_op)
{
    struct smrf_scoreboard_warp *w = &s->warp[k];
    smrf_reg_set_add(w->writes, reg);
    if (long_op) {
        smrf_reg_set_add(w->long_ops, reg);
    }
    w->pending++;
}

/* The result of reg is usable from now on. */
static inline void smrf_scoreboard_release(struct smrf_scoreboard *s, unsigned k, unsigned reg)
{
    struct smrf_scoreboard_warp *w = &s->warp[k];
    w->writes[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
    w->long_ops[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
    w->pending--;
}

/* Does any register of a list have uncollected readers? */
static inline bool smrf_scoreboard_any_readers(const struct smrf_scoreboard *s, unsigned k,
                                               const uint8_t *regs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (s->readers[k].of[regs[i]]) {
            return true;
        }
    }
    return false;
}

/* Uniform destinations of an instruction that issues; its sources, which will be read. */
void smrf_scoreboard_reserve_uniform(struct smrf_scoreboard *s, unsigned k,
                                     const struct smrf_static_inst *op);
void smrf_scoreboard_add_readers(struct smrf_scoreboard *s, unsigned k,
                                 const struct smrf_flight *f);

/* Does any uniform register of an instruction wait for a result? */
bool smrf_scoreboard_uniform_waits(const struct smrf_scoreboard *s, unsigned k,
                                   const struct smrf_static_inst *op);

/* --- what its table offers, for the stage whose own it is ------------------------------------- */

/* Does any register of an instruction wait for a result? */
static inline bool smrf_scoreboard_any_waits(const struct smrf_scoreboard *s, unsigned k,
                                             const struct smrf_reg_set *set)
{
    return smrf_reg_set_meet(s->warp[k].writes, set->named);
}

/* Does any source of an instruction wait for a long operation? */
static inline bool smrf_scoreboard_any_long(const struct smrf_scoreboard *s, unsigned k,
                                            const struct smrf_reg_set *set)
{
    return smrf_reg_set_meet(s->warp[k].long_ops, set->read);
}

/* May a register's result be what an instruction waits for? */
static inline bool smrf_scoreboard_concerns(const struct smrf_reg_set *set, unsigned reg)
{
    return reg >= SMRF_DEPEND_UNIFORM || smrf_reg_set_has(set->named, reg);
}

/* Does the next instruction of warp k wait for a result? set: its registers. */
static inline bool smrf_scoreboard_holds(const struct smrf_scoreboard *s, unsigned k,
                                         const struct smrf_static_inst *op,
                                         const struct smrf_reg_set *set)
{
    return smrf_scoreboard_any_waits(s, k, set) ||
           (set->needs & SMRF_NEED_UNIFORM && smrf_scoreboard_uniform_waits(s, k, op));
}

/* enum smrf_hazard of it. */
static inline unsigned smrf_scoreboard_check(const struct smrf_scoreboard *s, unsigned k,
                                             const struct smrf_static_inst *op,
                                             const struct smrf_reg_set *set)
{
    unsigned hazards = 0;
    if (smrf_scoreboard_holds(s, k, op, set)) {
        hazards = SMRF_HAZARD_DATA;
        hazards |= smrf_scoreboard_any_long(s, k, set) ? SMRF_HAZARD_LONG : 0;
    }
    if (s->war && smrf_scoreboard_any_readers(s, k, set->dst, set->num_dst)) {
        hazards |= SMRF_HAZARD_WAR;
    }
    return hazards;
}

/* The destinations of an instruction that issues. */
static inline void smrf_scoreboard_reserve_all(struct smrf_scoreboard *s, unsigned k,
                                               const struct smrf_reg_set *set)
{
    struct smrf_scoreboard_warp *w = &s->warp[k];
    uint64_t written[4]; /* a copy: of nothing that is written here */
    memcpy(written, set->written, sizeof written);
    w->pending += set->num_dst;
    for (unsigned i = 0; i < 4; i++) {
        w->writes[i] |= written[i];
    }
    for (unsigned i = 0; set->needs & SMRF_NEED_LONG && i <= set->highest >> 6; i++) {
        w->long_ops[i] |= set->written[i]; /* words that it has none in are left alone */
    }
}

/* The instruction issues; set: its registers. */
static inline void smrf_scoreboard_issued(struct smrf_scoreboard *s, unsigned k,
                                          const struct smrf_flight *f,
                                          const struct smrf_reg_set *set)
{
    smrf_scoreboard_reserve_all(s, k, set);
    if (set->needs & SMRF_NEED_END && s->uniform) {
        smrf_scoreboard_reserve_uniform(s, k, f->op);
    }
    if (s->war) {
        smrf_scoreboard_add_readers(s, k, f);
    }
}

/* All registers of an instruction are usable, which has ended. set: as it issued with. */
static inline void smrf_scoreboard_settled(struct smrf_scoreboard *s, unsigned k,
                                           const struct smrf_reg_set *set)
{
    struct smrf_scoreboard_warp *w = &s->warp[k];
    uint64_t written[4];
    memcpy(written, set->written, sizeof written);
    w->pending -= set->num_dst;
    for (unsigned i = 0; i < 4; i++) {
        w->writes[i] &= ~written[i];
    }
    for (unsigned i = 0; set->needs & SMRF_NEED_ISSUE && i <= set->highest >> 6; i++) {
        w->long_ops[i] &= ~set->written[i];
    }
}

/* The result of reg is usable. Returns whether a hazard may have gone. */
static inline bool smrf_scoreboard_released(struct smrf_scoreboard *s, unsigned k, unsigned reg)
{
    if (reg >= SMRF_DEPEND_UNIFORM && !s->uniform) {
        return false;
    }
    smrf_scoreboard_release(s, k, reg);
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
