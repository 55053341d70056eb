/* SPDX-License-Identifier: Apache-2.0 */
/* Issue stage of a sub-core: it checks the next instruction of every warp for hazards, selects a
 * warp whose instruction has none, and fills in the record of the instruction that issues. The
 * instruction leaves for a collector unit, or for the issue latch of its execution unit
 * (issue.latches). Source: Accel-Sim scheduler_unit::cycle, shader_core_ctx::issue_warp.
 *
 * Files: issue (a cycle), head (the next instruction of a warp and its hazards), events (what other
 * blocks report), record (of an instruction in flight), reservation (of units); scheduler
 * (selection) and scoreboard or control_bits (dependence check) can each be replaced whole. Warps
 * are numbered k = 0.. within the sub-core: warp slot k x subcores + sub of the SM; masks have bit
 * k for warp k. */
#ifndef SMRF_ISSUE_H
#define SMRF_ISSUE_H

#include "control_bits.h"
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
#include "models/units/intervals.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_issue_config {
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    uint32_t sub;                 /* which sub-core */
    struct smrf_exec_params exec; /* with rf.read=window: how long an instruction takes its unit */
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

/* Calls from the stage to the blocks around it. warp: warp slot of the SM. */
struct smrf_issue_links {
    struct smrf_flights *flights;
    void *ctx;                       /* of the functions */
    uint16_t *readers;               /* [smrf_readers_size], for its use */
    const uint32_t *free_collectors; /* bit u: collector unit u can take an instruction */
    /* Cycles so far in which the read stages held an instruction; NULL: they never do. */
    const uint64_t *held_cycles;
    const uint32_t *queued; /* as of a reading (models/collector/reading.h); NULL: collectors */
    /* Bit sub is set when this stage wakes and cleared when it falls asleep. NULL: not needed. */
    uint32_t *awake;
    struct smrf_issue_seams seams;
    /* Warps that go before others (bit k). NULL: none. */
    uint64_t (*preferred)(void *ctx, unsigned sub);
    /* A free collector unit for the warp, or enum smrf_pick_none. */
    int (*pick)(void *ctx, unsigned sub, unsigned warp);
    void (*to_collector)(void *ctx, unsigned sub, unsigned unit, uint32_t flight);
    /* An instruction of the trace issues; none of its registers is renamed yet. Returns the cycles
     * from the next on in which its warp cannot issue. */
    uint32_t (*control)(void *ctx, unsigned warp, const struct smrf_inst *inst);
    /* It has issued, its record is filled in: it leaves the instruction buffer. Returns the warp's
     * next instruction, NULL: none for now. */
    const struct smrf_inst *(*issued)(void *ctx, uint32_t flight, const struct smrf_inst *inst);
    /* An operation of the mechanism's own has issued. */
    void (*injected)(void *ctx, uint32_t flight);
    /* An instruction of the trace does not issue: the mechanism removes it. Returns as issued. */
    const struct smrf_inst *(*removed)(void *ctx, unsigned warp, const struct smrf_inst *inst);
    void (*reach_barrier)(void *ctx, unsigned warp);
    /* A memory barrier of the warp is over. */
    void (*fence_over)(void *ctx, unsigned warp);
    /* The warp has ended, nothing of it is in flight and its stores are answered. */
    void (*drained)(void *ctx, unsigned warp, uint64_t cycle);
    /* Are instructions on their way to the buffers? */
    bool (*fetching)(void *ctx);
    /* The cycle from which the constant at an address is there. NULL: all are. */
    uint64_t (*constant)(void *ctx, unsigned sub, uint32_t address);
    /* Cycles in which no warp issues while one for the warp that issued last is on its way. */
    uint32_t constant_switch;
};

struct SMRF_LINE_ALIGNED smrf_issue_warp {
    /* its next instruction */
    const struct smrf_inst *head;   /* what issues next, NULL: nothing */
    const struct smrf_inst *trace;  /* next instruction of the trace, NULL: none */
    const struct smrf_reg_set *set; /* registers of head; of the one before, where there is none */
    uint8_t head_unit;              /* execution unit of head */
    uint8_t hazards;                /* of head: enum smrf_hazard and enum smrf_issue_hazard */
    /* its registers */
    uint8_t slot;       /* warp slot of the SM */
    uint16_t base;      /* first physical register of the sub-core */
    uint16_t registers; /* physical registers held */
    /* what it waits for besides registers */
    bool membar;          /* a memory barrier has issued and is not over */
    bool copies;          /* asynchronous copies */
    uint16_t atomics;     /* atomics that are not answered */
    uint16_t inflight;    /* instructions that are not retired */
    int32_t stores;       /* write answers */
    uint16_t own;         /* operations of the mechanism's own that are not retired */
    uint32_t issued;      /* instructions so far */
    uint64_t held_until;  /* no issue before this cycle */
    uint64_t check_again; /* the dependence check asks to be repeated in this cycle */
};

/* Used by few runs, and therefore apart. */
struct smrf_issue_store {
    struct smrf_scoreboard_readers readers[SMRF_MAX_SUB_WARPS];
    struct smrf_copies copies[SMRF_MAX_SUB_WARPS];
    struct smrf_micro micro[SMRF_MAX_SUB_WARPS]; /* the mechanism's own operation, if it is next */
    struct smrf_reg_set set[SMRF_MAX_SUB_WARPS]; /* of a head whose static instruction has none */
    struct smrf_control_bits control;            /* with issue.dependence other than scoreboard */
};

/* Hot: the first two groups are two lines of a data cache, used in every cycle. */
struct smrf_issue {
    /* warps that can issue: has_inst without has_hazard, stopped and latch_busy */
    uint64_t has_inst;
    uint64_t has_hazard;
    uint64_t stopped;    /* at a barrier, or held */
    uint64_t latch_busy; /* the issue latch of the unit of its next instruction is occupied */
    /* sleep: nothing changes before this cycle, unless another block reports something */
    uint64_t asleep_until;
    uint32_t *awake;  /* of the links, or own_awake */
    uint32_t sub_bit; /* of this sub-core in it */
    uint32_t own_awake;
    /* why warps cannot issue; the hazards one by one */
    uint64_t data;     /* a register waits for a result */
    uint64_t long_op;  /* this result comes from memory */
    uint64_t war;      /* a destination has readers */
    uint64_t rename;   /* registers are not there */
    uint64_t membar;   /* a fence, an atomic or copies before it */
    uint64_t timed;    /* the dependence check is repeated in a given cycle */
    uint64_t held;     /* until a given cycle */
    uint64_t barrier;  /* as the front end reports */
    uint64_t leaving;  /* held for a while, since its barrier is over */
    uint64_t refill;   /* held, since the next instruction is on its way from a cache */
    uint64_t constant; /* held, since a constant is on its way */
    uint64_t came;     /* the constant of the next instruction has been on its way, and is there */
    uint64_t slips;    /* one instruction may issue all the same */
    uint64_t count;    /* with data: of those, for the stall count of the instruction before */
    uint64_t counter;  /* with data: of those, for a counter of the control bits */
    uint64_t own;      /* the next instruction is an operation of the mechanism's own */
    /* issue latches */
    uint64_t head_unit[SMRF_UNIT_COUNT]; /* warps whose next instruction needs the unit */
    uint32_t latch[SMRF_UNIT_COUNT];     /* flight in the issue latch */
    /* Bit u: the issue latch of unit u is occupied, or (rf.read=window) the unit itself will be. */
    uint32_t latch_full;
    uint32_t reserved; /* units that will be free from unit_free[u] on, in the read stages' time */
    /* residency, as the front end reports */
    uint32_t residents;       /* warps of `resident` */
    uint64_t resident, ended; /* ended: its trace is issued */
    uint64_t copied;          /* whose record of copies has been written to */
    /* the last step */
    uint64_t now;                       /* its cycle, where the scheduler's lists are reported */
    struct smrf_scheduler_view ordered; /* what a scheduler with lists ordered them by */
    bool outdated;                      /* they are to be ordered again, whatever that says */
    uint8_t stall;                      /* enum smrf_stall of the last cycle without issue */
    bool issued;                        /* in the last cycle */
    uint8_t last;                       /* warp that issued last */
    /* constants of a run */
    uint8_t sub;               /* number of the sub-core */
    uint8_t sub_shift;         /* log2(subcores) */
    bool reads_window;         /* read stages take an instruction as it issues */
    uint16_t made_for;         /* kind of register sets that are used as they are */
    uint8_t banks_shift;       /* log2 of the register banks' number, if it is a power of two */
    uint64_t banks_reciprocal; /* of that number */
    struct smrf_issue_config cfg;
    struct smrf_issue_links links;
    struct smrf_issue_parts parts;
    struct smrf_issue_store *store;

    struct smrf_issue_stats stats;
    struct smrf_readers readers; /* kept where the renaming needs the last reads */
    const uint64_t *held_cycles; /* of the links, or none_held */
    uint64_t none_held;
    uint64_t unit_free[SMRF_UNIT_COUNT];
    struct smrf_scheduler own_scheduler;
    struct smrf_issue_warp warp[SMRF_MAX_SUB_WARPS];
    struct smrf_scoreboard own_scoreboard;
};

/* store: its own, for as long as it is in use, zeroed. parts: NULL = the stage's own. Returns 0 or
 * SMRF_ERR_INVAL: too many warps, or none. */
int smrf_issue_init(struct smrf_issue *s, struct smrf_issue_store *store,
                    const struct smrf_issue_config *cfg, const struct smrf_issue_parts *parts);
void smrf_issue_connect(struct smrf_issue *s, const struct smrf_issue_links *links);
/* As after init; links stay. */
void smrf_issue_reset(struct smrf_issue *s);

/* Does smrf_issue_collected() have any effect? A constant of a run. */
bool smrf_issue_uses_reads(const struct smrf_issue *s);

/* --- reports of the front end ----------------------------------------------------------------- */

/* A warp starts in slot k; age: its order of launch; registers: physical ones of the sub-core from
 * base on. */
void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age, uint16_t base,
                      uint16_t registers);
/* Its next instruction, NULL: none for now. It stays where it is until it is taken. */
void smrf_issue_head(struct smrf_issue *s, unsigned k, const struct smrf_inst *head,
                     uint64_t cycle);
void smrf_issue_barrier(struct smrf_issue *s, unsigned k, bool waits, uint64_t cycle);
void smrf_issue_ended(struct smrf_issue *s, unsigned k);
void smrf_issue_exit(struct smrf_issue *s, unsigned k);
/* Warp k does not issue before cycle `until`. The mechanism says so, too. */
void smrf_issue_hold(struct smrf_issue *s, unsigned k, uint64_t until);
/* The same: its next instruction comes from a cache. */
void smrf_issue_refill(struct smrf_issue *s, unsigned k, uint64_t until);

/* It has been given physical registers after its start. */
void smrf_issue_allotted(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers,
                         uint64_t cycle);
/* What the mechanism held warp k back for may be over, or it has operations for the warp. */
void smrf_issue_wake(struct smrf_issue *s, unsigned k, uint64_t cycle);

/* --- reports of operand collection and execution ---------------------------------------------- */

/* Sources (bit i) of a flight have been read. Needed where smrf_issue_uses_reads(). */
void smrf_issue_collected(struct smrf_issue *s, const struct smrf_flight *f, uint32_t sources,
                          uint64_t cycle);
/* In the last cycle without issue: was no collector free, or did the read stages take nothing? */
static inline bool smrf_issue_probe_no_way(const struct smrf_issue *s)
{
    return s->stall == SMRF_STALL_collector || s->stall == SMRF_STALL_port ||
           s->stall == SMRF_STALL_queue;
}
/* A collector unit is free again. */
static inline void smrf_issue_collector_freed(struct smrf_issue *s)
{
    if (smrf_issue_probe_no_way(s) || s->stall == SMRF_STALL_withheld) {
        s->asleep_until = 0;
        *s->awake |= s->sub_bit;
    }
}
/* The result of a register (or SMRF_DEPEND_UNIFORM + u) is usable. */
void smrf_issue_released(struct smrf_issue *s, const struct smrf_flight *f, unsigned reg,
                         uint64_t cycle);
/* A flight has left the SM; its number is free. */
void smrf_issue_retired(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* All results of a flight are usable. */
void smrf_issue_usable(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* The same, and it has left. */
void smrf_issue_settled(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* An atomic is answered. */
void smrf_issue_answered(struct smrf_issue *s, const struct smrf_flight *f, uint64_t cycle);
/* The warp waits for the answers of further stores. */
void smrf_issue_stores(struct smrf_issue *s, unsigned k, int32_t delta, uint64_t cycle);
/* Takes the flight out of the issue latch of a unit. */
uint32_t smrf_issue_unlatch(struct smrf_issue *s, unsigned unit);

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Issue what can. Returns whether anything moved. */
bool smrf_issue_step(struct smrf_issue *s, uint64_t cycle);
/* n cycles in which nothing changes. */
void smrf_issue_skip(struct smrf_issue *s, uint64_t n);
/* Something depends on the scheduler's lists now: they are as they are in this cycle before its
 * step, and the stage sleeps on only if they stay so. */
void smrf_issue_settle_lists(struct smrf_issue *s);
/* Would a step find what the last one found: nothing to issue, and why? Then a skip does. */
static inline bool smrf_issue_probe_asleep(const struct smrf_issue *s, uint64_t cycle)
{
    return cycle < s->asleep_until;
}
/* May time alone let a warp issue? Otherwise a stage sleeps until another block reports something.
 */
static inline bool smrf_issue_probe_timed(const struct smrf_issue *s)
{
    return (s->held | s->timed | s->reserved) != 0;
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
/* What its dependence check counts, where control bits or latencies rule; NULL: elsewhere. */
const struct smrf_control_stats *smrf_issue_control_stats(const struct smrf_issue *s);
/* The first register that was read early; NULL: none. */
const struct smrf_early_read *smrf_issue_early_read(const struct smrf_issue *s);
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
