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

/* Does any register of a list have uncollected readers? */
static inline bool smrf_scoreboard_any_readers(const struct smrf_scoreboard *s, unsigned k,
                                               const uint8_t *regs, unsigned count)
{
    unsigned readers = 0;
    for (unsigned i = 0; i < count; i++) {
        readers |= s->readers[k].of[regs[i]];
    }
    return readers != 0;
}

/* May a register's result be what an instruction waits for? */
static inline bool smrf_scoreboard_concerns(const struct smrf_reg_set *set, unsigned reg)
{
    return reg >= SMRF_DEPEND_UNIFORM || smrf_reg_set_has(set->named, reg);
}

/* enum smrf_hazard of the next instruction of warp k. set: its registers. */
static inline unsigned smrf_scoreboard_check(const struct smrf_scoreboard *s, unsigned k,
                                             const struct smrf_static_inst *op,
                                             const struct smrf_reg_set *set)
{
    bool waits = smrf_scoreboard_any_waits(s, k, set);
    if (set->needs & SMRF_NEED_UNIFORM) {
        waits |= smrf_scoreboard_uniform_waits(s, k, op);
    }
    const bool of_long = waits & smrf_scoreboard_any_long(s, k, set);
    unsigned hazards = waits * SMRF_HAZARD_DATA | of_long * SMRF_HAZARD_LONG;
    if (s->war) {
        hazards |= smrf_scoreboard_any_readers(s, k, set->dst, set->num_dst) * SMRF_HAZARD_WAR;
    }
    return hazards;
}

/* The instruction issues; set: its registers. */
static inline void smrf_scoreboard_issued(struct smrf_scoreboard *s, unsigned k,
                                          const struct smrf_flight *f,
                                          const struct smrf_reg_set *set)
{
    const bool long_op = set->needs & SMRF_NEED_LONG;
    for (unsigned i = 0, n = set->num_dst; i < n; i++) {
        smrf_scoreboard_reserve(s, k, set->dst[i], long_op);
    }
    if (set->needs & SMRF_NEED_END && s->uniform) {
        smrf_scoreboard_reserve_uniform(s, k, f->op);
    }
    if (s->war) {
        smrf_scoreboard_add_readers(s, k, f);
    }
}

/* Source reg of an instruction has been read. Returns whether a hazard may have gone. */
static inline bool smrf_scoreboard_collected(struct smrf_scoreboard *s, unsigned k, unsigned reg)
{
    return s->war && --s->readers[k].of[reg] == 0;
}

/* The result of reg is usable. Returns the same. */
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
