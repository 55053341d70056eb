/* SPDX-License-Identifier: Apache-2.0 */
/* The sub-cores of an SM: which of their blocks are stepped in a cycle, in which order, and which
 * of them sleep. Each sub-core has an issue stage, collectors, an arbiter, a crossbar and banks;
 * between the issue latches and the collectors lies the entry, which all sub-cores share.
 *
 * An issue stage that finds nothing to issue sleeps until another block reports something to it, or
 * until a time that it knows. Collectors and arbiters are stepped while they hold something.
 * Source: order of the steps: Accel-Sim opndcoll_rfu_t::step, shader_core_ctx::issue. */
#ifndef SMRF_SUBCORE_H
#define SMRF_SUBCORE_H

#include "models/arbiter/arbiter.h"
#include "models/bank/bank.h"
#include "models/collector/collector.h"
#include "models/collector/entry.h"
#include "models/collector/reading.h"
#include "models/frontend/constant_l0.h"
#include "models/frontend/frontend.h"
#include "models/frontend/l0.h"
#include "models/hooks/hooks.h"
#include "models/issue/issue.h"
#include "models/seam/mechanism.h"
#include "models/seam/operand_cache.h"
#include "models/simt_stack/simt_stack.h"
#include "models/units/units.h"
#include "models/units/writeback.h"
#include "models/xbar/xbar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The blocks of a sub-core, owned by the builder of the SM. */
struct smrf_subcore_blocks {
    struct smrf_issue *issue;
    struct smrf_collectors *collectors;
    struct smrf_reading reading; /* in place of collectors and arbiter; ops NULL: those */
    struct smrf_operand_cache *cache;
    struct smrf_arbiter *arbiter;
    struct smrf_xbar *xbar;
    struct smrf_bank *bank[SMRF_MAX_BANKS];
    struct smrf_l0 *l0;
    struct smrf_icache *constants;
};

/* The blocks around them. */
struct smrf_subcores_links {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    struct smrf_units *units;
    struct smrf_writeback *writeback;
    struct smrf_simt_stacks *simt;
    struct smrf_frontend *front;
    const struct smrf_hooks *hooks;
    uint16_t *readers; /* [subs][smrf_readers_size] */
    const struct smrf_mechanism *mechanism;
    void *mechanism_state;
    const struct smrf_frontend_params *caches; /* used while they are connected */
};

struct smrf_subcores {
    uint64_t wake_at;      /* first cycle in which time alone wakes an issue stage */
    uint64_t active;       /* cycles so far in which thread blocks were resident */
    uint64_t last_issue;   /* cycle of the last instruction that issued */
    uint32_t awake;        /* bit s: the issue stage of sub-core s is awake */
    uint32_t requested;    /* bit s: reads wait at its arbiter */
    uint32_t reading;      /* bit s: its operands are read by something else than collectors */
    uint32_t count, shift; /* sub-cores; log2 of it */
    uint32_t turns; /* issue stages whose turn in this cycle has come, until all have had it */
    uint32_t steps; /* of operand collection in a cycle */
    struct smrf_collectors_status collecting;
    uint64_t counted[SMRF_MAX_SUBCORES]; /* active cycles that an issue stage has counted */
    struct smrf_simt_out line;           /* of the instruction that issues */
    struct smrf_subcores_links links;
    struct smrf_subcore_blocks sub[SMRF_MAX_SUBCORES];
    struct smrf_entry entry;
};

/* blocks: one a sub-core, initialised and not yet connected to each other. Returns 0, or
 * SMRF_ERR_INVAL: count is no power of two, or something else than collectors reads operands in
 * more than one step a cycle, or without the issue latches that it needs, or with latches that it
 * does not take from. */
int smrf_subcores_init(struct smrf_subcores *s, const struct smrf_sm_params *sm,
                       const struct smrf_issue_params *issue, const struct smrf_rf_params *rf,
                       const struct smrf_subcore_blocks *blocks,
                       const struct smrf_subcores_links *links);

/* All blocks as after their init, all issue stages awake. The entry's random numbers stay. */
void smrf_subcores_reset(struct smrf_subcores *s);

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Has operand collection anything to do? */
static inline bool smrf_subcores_probe_collects(const struct smrf_subcores *s)
{
    return (s->collecting.going | s->requested | s->entry.open | s->reading |
            s->links.writeback->written) != 0;
}

/* A cycle's steps of operand collection. Each dispatches what was ready before it, then reads, then
 * fills free collectors from the issue latches. Returns whether anything moved.
 * Source: Accel-Sim opndcoll_rfu_t::step; Malekeh (long) II. */
bool smrf_subcores_collect(struct smrf_subcores *s, uint64_t cycle);

/* May an issue stage have anything to do in this cycle? */
static inline bool smrf_subcores_probe_issues(const struct smrf_subcores *s, uint64_t cycle)
{
    return s->awake || s->wake_at <= cycle;
}

/* The issue stages have their turns. Returns whether anything moved. */
bool smrf_subcores_issue(struct smrf_subcores *s, uint64_t cycle);

/* Issue stages that slept count their cycles: all of `active`. Call it before
 * warps start or exit and before counters are read. */
void smrf_subcores_settle(struct smrf_subcores *s);

/* Something depends on the lists of a warp's scheduler now (smrf_issue_settle_lists). Returns
 * whether this has woken its issue stage. */
bool smrf_subcores_settle_lists(struct smrf_subcores *s, unsigned warp);

/* n cycles are over in which thread blocks were resident. */
static inline void smrf_subcores_pass(struct smrf_subcores *s, uint64_t n)
{
    s->active += n;
}

/* First cycle from `cycle` on in which time alone brings work to a sub-core; SMRF_NEVER: none. */
uint64_t smrf_subcores_next(struct smrf_subcores *s, uint64_t cycle);

/* The latches before execution units of these sub-cores (bit s) may be free again. */
static inline void smrf_subcores_latches_freed(struct smrf_subcores *s, uint32_t subs)
{
    s->collecting.going |= s->collecting.blocked & subs;
}

/* What the front end reports about warps, to be connected to it. */
struct smrf_frontend_wires smrf_subcores_frontend_wires(struct smrf_subcores *s);

/* --- warps ------------------------------------------------------------------------------------ */

/* Sub-core of a warp slot, and its number there. */
static inline unsigned smrf_subcores_of(const struct smrf_subcores *s, unsigned warp)
{
    return warp & (s->count - 1);
}

static inline unsigned smrf_subcores_k_of(const struct smrf_subcores *s, unsigned warp)
{
    return warp >> s->shift;
}

static inline struct smrf_issue *smrf_subcores_issue_of(const struct smrf_subcores *s,
                                                        unsigned warp)
{
    return s->sub[smrf_subcores_of(s, warp)].issue;
}

/* Register of a resident warp, as its bank holds it: [32]. Returns 0 or SMRF_ERR_UNKNOWN: it lies
 * in no bank. */
int smrf_subcores_read_register(const struct smrf_subcores *s, unsigned warp, unsigned reg,
                                uint32_t *data);

#ifdef __cplusplus
}
#endif

#endif
