/* SPDX-License-Identifier: Apache-2.0 */
/* Issue stage of a sub-core: what holds the next instruction of every warp back, the choice among
 * those that nothing holds, and the record of the instruction that issues. It leaves for a
 * collector unit, or for the latch of its execution unit (issue.latches).
 * Source: Accel-Sim scheduler_unit::cycle, shader_core_ctx::issue_warp.
 *
 * Files: scheduler (selection), scoreboard (dependence check): each replaceable whole; facts (what
 * it is told, hazards), record (of an instruction in flight), issue (a cycle). Warps are numbered k
 * = 0.. within the sub-core: warp slot k x subcores + sub of the SM; masks have bit k for warp
 * k. */
#ifndef SMRF_ISSUE_H
#define SMRF_ISSUE_H

#include "copies.h"
#include "issue_stats.h"
#include "scheduler.h"
#include "scoreboard.h"

#include "models/common/sm_params.h"
#include "models/flight/flight.h"
#include "models/register_file/readers.h"
#include "models/register_file/rf_params.h"
#include "models/seam/front_seams.h"
#include "models/seam/operand_seams.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_issue_config {
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    uint32_t sub; /* which sub-core */
};

/* What takes the place of the stage's own scheduler and scoreboard; ops NULL: its own. State is the
 * caller's, one a sub-core, and initialised. */
struct smrf_issue_parts {
    const struct smrf_scheduler_ops *scheduler_ops;
    void *scheduler;
    const struct smrf_dependence_ops *dependence_ops;
    void *dependence;
};

/* Where a mechanism plugs in; NULL: nowhere. */
struct smrf_issue_seams {
    void *state; /* the mechanism's */
    const struct smrf_allocation_seam *allocation;
    const struct smrf_rename_seam *rename;
    const struct smrf_micro_seam *micro;
    const struct smrf_schedule_seam *schedule;
};

/* What the stage asks and tells the blocks around it. warp: warp slot of the SM. */
struct smrf_issue_links {
    struct smrf_flights *flights;
    void *ctx; /* of the functions */
    /* Where nobody renames, an instruction of the trace issues, and has issued: `control` and
     * `issued` at once. NULL: one after the other. */
    const struct smrf_inst *(*passed)(void *ctx, uint32_t flight, const struct smrf_inst *inst);
    uint16_t *readers;               /* [smrf_readers_size], for its use */
    const uint32_t *free_collectors; /* status: bit u: collector unit u takes an instruction */
    /* status, for whoever steps the stages: bit sub is set when this one is told something and
     * cleared when it falls asleep. NULL: nobody asks. */
    uint32_t *stirred;
    struct smrf_issue_seams seams;
    /* Warps that go before others (bit k). NULL: none. */
    uint64_t (*preferred)(void *ctx, unsigned sub);
    /* A free collector unit for the warp, or enum smrf_pick_none. */
    int (*pick)(void *ctx, unsigned sub, unsigned warp);
    void (*to_collector)(void *ctx, unsigned sub, unsigned unit, uint32_t flight);
    /* An instruction of the trace issues; nothing of it is renamed yet. */
    void (*control)(void *ctx, unsigned warp, const struct smrf_inst *inst);
    /* .. and has issued, its record is filled: it leaves the instruction buffer. Returns the warp's
     * next, NULL: none for now. */
    const struct smrf_inst *(*issued)(void *ctx, uint32_t flight, const struct smrf_inst *inst);
    /* An operation of the mechanism's own has issued. */
    void (*injected)(void *ctx, uint32_t flight);
    /* An instruction of the trace does not issue: the mechanism removes it. Returns as issued. */
    const struct smrf_inst *(*removed)(void *ctx, unsigned warp, const struct smrf_inst *inst);
    void (*reach_barrier)(void *ctx, unsigned warp);
    /* The warp has ended, nothing of it is in flight and its stores are answered. */
    void (*drained)(void *ctx, unsigned warp, uint64_t cycle);
    /* Are instructions on their way to the buffers? */
    bool (*fetching)(void *ctx);
};

struct SMRF_LINE_ALIGNED smrf_issue_warp {
    const struct smrf_inst *head;  /* what issues next, NULL: nothing */
    const struct smrf_inst *trace; /* next instruction of the trace, NULL: none */
    const struct smrf_reg_set
        *set;           /* registers of its head; of the one before, where there is none */
    uint32_t issued;    /* instructions so far */
    int32_t stores;     /* write answers awaited */
    uint16_t inflight;  /* instructions that are not retired */
    uint16_t base;      /* first physical register of the sub-core */
    uint16_t registers; /* physical registers held */
    uint16_t atomics;   /* atomics that are not answered */
    uint8_t head_unit;  /* unit that its head needs */
    uint8_t slot;       /* warp slot of the SM */
    bool membar;
    bool copies; /* it waits for asynchronous copies */
    bool lone; /* its registers are there and there is no fence: nothing but results holds its head
                */
    uint8_t held_by;      /* data .. timed, together: enum smrf_issue_held */
    uint8_t turned;       /* bits from a bank's field to that of the one where register 0 lies .. */
    uint8_t backed;       /* .. as do those below this, at least, where theirs say so */
    uint64_t held_until;  /* no issue before this cycle */
    uint64_t check_again; /* the dependence check asks to be repeated in this cycle */
};

/* What few runs use much of, apart. */
struct smrf_issue_store {
    struct smrf_scoreboard_readers readers[SMRF_MAX_SUB_WARPS];
    struct smrf_copies copies[SMRF_MAX_SUB_WARPS];
    struct smrf_micro micro[SMRF_MAX_SUB_WARPS]; /* the mechanism's own operation, if it is next */
    struct smrf_reg_set set[SMRF_MAX_SUB_WARPS]; /* of a head of which nobody has told it */
};

/* What every cycle looks at stands first, in as few lines of a data cache as can be. */
struct smrf_issue {
    uint64_t has_inst;
    uint64_t hindered;     /* the head has a hazard, or a fence before it */
    uint64_t obstructed;   /* the issue latch of its unit is occupied */
    uint64_t stands;       /* at a barrier, or held; see smrf_issue_stand() */
    uint64_t data, membar; /* hazards of the head: a result, a fence */
    uint64_t held;         /* until a given cycle */
    uint64_t timed;        /* its hazards are looked at again in a given cycle */

    uint64_t asleep_until; /* no step does anything before, untold */
    uint32_t *stirred;     /* the links', or own_stirred */
    uint64_t ended;        /* as the front end tells */
    uint32_t residents;    /* warps of `resident` */
    uint32_t latch_full;   /* bit u: issue latch of unit u occupied */
    uint32_t sub_bit;      /* of which sub-core it is */
    uint8_t sub;           /* its number */
    uint8_t sub_shift;     /* log2(subcores) */
    uint8_t banks_shift;   /* log2 of the register banks' number, if it is a power of two */
    uint8_t stall;         /* enum smrf_stall of the last cycle without issue */
    uint16_t made_for;     /* whose sets of registers it takes as they are */
    bool issued;           /* in the last cycle */
    bool hears_reads;      /* smrf_issue_collected() is of use */
    bool bare;             /* nobody renames, and the dependence check is its own scoreboard */
    bool straight; /* .. and the scheduler its own, with no list; an instruction a cycle, to a latch
                    */
    bool unseen;   /* nobody looks at records of instructions in flight */
    bool rotates;  /* the scheduler's lists go round while it sleeps */
    uint64_t own;  /* the next is an operation of the mechanism's own */
    uint64_t now;  /* cycle of the last step, where lists are told of it */

    uint64_t head_unit[SMRF_UNIT_COUNT]; /* unit that the head needs */
    uint32_t latch[SMRF_UNIT_COUNT];     /* flight in the issue latch */
    uint32_t own_stirred;
    struct smrf_issue_stats stats;
    struct smrf_scheduler own_scheduler;
    struct smrf_issue_links links;
    struct smrf_issue_warp warp[SMRF_MAX_SUB_WARPS];
    struct smrf_scoreboard own_scoreboard;
    uint64_t resident, barrier; /* as the front end tells */
    uint64_t war, rename;       /* other hazards of the head */
    uint64_t long_op;           /* its operand comes from memory; unless straight */
    uint64_t banks_reciprocal;  /* of the register banks' number */
    struct smrf_issue_config cfg;
    struct smrf_issue_parts parts;
    struct smrf_readers readers; /* kept where the renaming is told of last reads */
    uint64_t copied;             /* whose record of copies has been written to */
    struct smrf_issue_store *store;
};

/* store: its own, for as long as it is in use, zeroed. parts: NULL = the stage's own. Returns 0 or
 * SMRF_ERR_INVAL: too many warps, or none. */
int smrf_issue_init(struct smrf_issue *s, struct smrf_issue_store *store,
                    const struct smrf_issue_config *cfg, const struct smrf_issue_parts *parts);
void smrf_issue_connect(struct smrf_issue *s, const struct smrf_issue_links *links);
/* As after init; links stay. */
void smrf_issue_reset(struct smrf_issue *s);

/* Nobody looks at records of instructions that issue from now on, or somebody may again. Where the
 * banks of a stage that goes straight can be counted, they are brief. */
void smrf_issue_look_away(struct smrf_issue *s, bool away);
/* Make up for it: the record of a flight whose warp is still resident. */
void smrf_issue_fill_in(const struct smrf_issue *s, struct smrf_flight *f);

/* --- what the front end tells ----------------------------------------------------------------- */

/* A warp starts in slot k; age: its order of launch; registers: physical ones of the sub-core from
 * base on. */
void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age, uint16_t base,
                      uint16_t registers);
/* Its next instruction, NULL: none for now. It stays where it is until it is taken. */
void smrf_issue_head(struct smrf_issue *s, unsigned k, const struct smrf_inst *head,
                     uint64_t cycle);
void smrf_issue_barrier(struct smrf_issue *s, unsigned k, bool waits);
void smrf_issue_ended(struct smrf_issue *s, unsigned k);
void smrf_issue_exit(struct smrf_issue *s, unsigned k);
/* Warp k does not issue before cycle `until`. The mechanism says so, too. */
void smrf_issue_hold(struct smrf_issue *s, unsigned k, uint64_t until);

/* It has been given physical registers after its start. */
void smrf_issue_allotted(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers,
                         uint64_t cycle);
/* The mechanism says that something it held warp k back by has gone, or that it has operations. */
void smrf_issue_wake(struct smrf_issue *s, unsigned k, uint64_t cycle);

/* --- what operand collection and execution tell ----------------------------------------------- */

/* Sources (bit i) of a flight have been read. Needed where hears_reads says so. */
void smrf_issue_collected(struct smrf_issue *s, const struct smrf_flight *f, uint32_t sources,
                          uint64_t cycle);
/* The result of a register (or SMRF_DEPEND_UNIFORM + u) is usable. */
void smrf_issue_released(struct smrf_issue *s, const struct smrf_flight *f, unsigned reg,
                         uint64_t cycle);
/* A flight has left the SM; its number is free. */
void smrf_issue_retired(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* Both at once: all its results are usable, and it has left. */
void smrf_issue_settled(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* An atomic is answered. */
void smrf_issue_answered(struct smrf_issue *s, const struct smrf_flight *f, uint64_t cycle);
/* The answers to so many more stores of warp k are awaited. */
void smrf_issue_stores(struct smrf_issue *s, unsigned k, int32_t delta, uint64_t cycle);
/* The flight in the issue latch of a unit, which is free then. */
uint32_t smrf_issue_unlatch(struct smrf_issue *s, unsigned unit);

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Issue what can. Returns whether anything moved. */
bool smrf_issue_step(struct smrf_issue *s, uint64_t cycle);
/* n cycles in which nothing changes. */
void smrf_issue_skip(struct smrf_issue *s, uint64_t n);
/* Would a step find what the last one found: nothing to issue, and why? Then a skip does. */
static inline bool smrf_issue_probe_asleep(const struct smrf_issue *s, uint64_t cycle)
{
    return cycle < s->asleep_until &&
           (s->stall != SMRF_STALL_collector || !*s->links.free_collectors);
}
/* May time alone let a warp issue? Seldom; else a stage that falls asleep does so until it is told
 * something. */
static inline bool smrf_issue_probe_timed(const struct smrf_issue *s)
{
    return (s->held | s->timed) != 0;
}
/* Do the scheduler's lists go round while the stage sleeps? Then a cycle is skipped while the warps
 * are as they were in it, not later. */
static inline bool smrf_issue_probe_rotates(const struct smrf_issue *s)
{
    return s->rotates;
}
/* First cycle in which a warp may issue without outside help; SMRF_NEVER: none. */
uint64_t smrf_issue_next(const struct smrf_issue *s);

/* --- questions -------------------------------------------------------------------------------- */

/* Warps that the scheduler lets issue at all. */
uint64_t smrf_issue_probe_allowed(const struct smrf_issue *s);
/* Warps whose next instruction waits for a result that comes from memory. */
uint64_t smrf_issue_probe_long(const struct smrf_issue *s);
/* Where a register of warp k lies. */
struct smrf_register_place smrf_issue_probe_place(const struct smrf_issue *s, unsigned k,
                                                  unsigned reg);
/* First register of the head of warp k that has the hazard; SMRF_REG_ZERO: none. */
unsigned smrf_issue_probe_culprit(const struct smrf_issue *s, unsigned k, enum smrf_hazard hazard);

static inline unsigned smrf_issue_warp_of(const struct smrf_issue *s, unsigned k)
{
    return (k << s->sub_shift) | s->sub;
}

#ifdef __cplusplus
}
#endif

#endif
