/* SPDX-License-Identifier: Apache-2.0 */
#include "register_cache.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"
#include "models/counters/sm_stats.h"
#include "models/issue/dependence.h"

#include <string.h>

enum index { SMRF_REGISTER_CACHE_STATS(SMRF_MECHANISM_INDEX) COUNTERS };

const char *const smrf_register_cache_defaults[] = {"issue.scheduler=two_level",
                                                    "scoreboard.war=on", NULL};

const char *smrf_register_cache_check(const struct smrf_mechanism_setup *setup)
{
    return setup->war ? NULL : "the newest value may be in one place only: use scoreboard.war=on";
}

int smrf_register_cache_init(void *state, size_t bytes, const struct smrf_mechanism_setup *setup,
                             uint64_t *count)
{
    struct smrf_register_cache *c = state;
    if (smrf_register_cache_check(setup)) {
        return SMRF_ERR_INVAL;
    }
    memset(state, 0, bytes);
    c->setup = *setup;
    c->count = count;
    c->active = setup->two_level ? 0 : UINT64_MAX;
    return SMRF_OK;
}

void smrf_register_cache_attach(void *state, const struct smrf_services *services)
{
    ((struct smrf_register_cache *)state)->services = *services;
}

const uint64_t *smrf_register_cache_counters(const void *state)
{
    return ((const struct smrf_register_cache *)state)->count;
}

static unsigned sub_of_(const struct smrf_register_cache *c, unsigned warp)
{
    return warp & (c->setup.sm.subcores - 1);
}

void smrf_register_cache_wake(struct smrf_register_cache *c, unsigned warp)
{
    if (c->waits & smrf_cached_bit(warp)) {
        c->waits &= ~smrf_cached_bit(warp);
        c->services.wake(c->services.ctx, warp);
    }
}

/* --- what a warp has -------------------------------------------------------------------------- */

static void clear_(struct smrf_register_cache *c, unsigned warp)
{
    smrf_cached_clear(&c->warp[warp].values);
    c->holding &= ~smrf_cached_bit(warp);
}

/* One of its values has gone. */
static inline void lost_(struct smrf_register_cache *c, unsigned warp)
{
    const struct smrf_cached_values *e = &c->warp[warp].values;
    c->holding &= ~((uint64_t) !(e->count | e->leaving) << warp);
}

bool smrf_register_cache_put(struct smrf_register_cache *c, unsigned warp,
                             const struct smrf_cached_result *put, const uint32_t *data)
{
    c->holding |= smrf_cached_bit(warp);
    return smrf_cached_put(&c->warp[warp].values, put, data);
}

void smrf_register_cache_drop(struct smrf_register_cache *c, unsigned warp, unsigned n)
{
    smrf_cached_drop(&c->warp[warp].values, n);
    lost_(c, warp);
}

/* --- the life of a warp ----------------------------------------------------------------------- */

void smrf_register_cache_start(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_register_cache *c = state;
    struct smrf_cached_warp *w = &c->warp[warp];
    w->base = base;
    w->registers = registers;
    w->known = true; /* nothing is live before its first instruction */
    w->live = (struct smrf_program_set){0};
    clear_(c, warp);
    c->leaving &= ~smrf_cached_bit(warp);
    c->waits &= ~smrf_cached_bit(warp);
}

void smrf_register_cache_exit(struct smrf_register_cache *c, unsigned warp, uint64_t results)
{
    c->count[INDEX_ended] += results;
    c->count[INDEX_resident] -= results;
    clear_(c, warp);
}

void smrf_register_cache_issued(struct smrf_register_cache *c, const struct smrf_flight *f,
                                const struct smrf_inst_facts *facts)
{
    struct smrf_cached_warp *w = &c->warp[f->warp];
    c->leaving &= ~smrf_cached_bit(f->warp);
    c->count[f->facts ? INDEX_by_program : INDEX_by_nobody]++;
    w->known = facts != NULL;
    if (facts) {
        w->live = facts->live;
    }
}

bool smrf_register_cache_holds(const struct smrf_register_cache *c, unsigned warp)
{
    return (c->active & ~c->leaving) >> warp & 1;
}

bool smrf_register_cache_move_freely(struct smrf_register_cache *c, unsigned sub, uint64_t warps,
                                     uint64_t bound)
{
    const unsigned shift = (unsigned)__builtin_ctz(c->setup.sm.subcores);
    const uint64_t slots = smrf_spread_bits(warps, shift) << sub;
    const bool freely = !(slots & (c->holding | c->leaving | bound));
    c->late |= (uint64_t)freely << sub;
    return freely;
}

bool smrf_register_cache_gone(struct smrf_register_cache *c, unsigned warp)
{
    const struct smrf_cached_values *e = &c->warp[warp].values;
    if (e->count || e->leaving) {
        return false;
    }
    c->active &= ~smrf_cached_bit(warp);
    c->leaving &= ~smrf_cached_bit(warp);
    return true;
}

void smrf_register_cache_promote(void *state, unsigned warp, uint64_t cycle)
{
    struct smrf_register_cache *c = state;
    const struct smrf_cached_values *e = &c->warp[warp].values;
    (void)cycle;
    c->count[INDEX_faults_resident] += e->count || e->leaving;
    c->active |= smrf_cached_bit(warp);
}

/* --- names ------------------------------------------------------------------------------------ */

void smrf_register_cache_last_read(void *state, unsigned sub, struct smrf_register_place at)
{
    (void)state;
    (void)sub;
    (void)at;
}

/* --- values that leave ------------------------------------------------------------------------ */

bool smrf_register_cache_is_dead(const struct smrf_register_cache *c, unsigned warp,
                                 const struct smrf_cached_value *v)
{
    const struct smrf_cached_warp *w = &c->warp[warp];
    return w->known && !smrf_program_set_has(&w->live, v->reg) &&
           !c->services.readers(c->services.ctx, sub_of_(c, warp), v->at);
}

void smrf_register_cache_leave(struct smrf_register_cache *c, unsigned warp, unsigned n, bool stays)
{
    struct smrf_cached_values *e = &c->warp[warp].values;
    /* A warp's tokens are its own. */
    const uint32_t token = c->tokens++ * SMRF_MAX_WARPS + warp;
    const struct smrf_cached_value *out =
        stays ? smrf_cached_write_back(e, n, token) : smrf_cached_leave(e, n, token);
    const bool queued = c->services.evict(c->services.ctx, sub_of_(c, warp), out->at, token);
    SMRF_ASSERT(queued); /* fewer leave than can wait for a bank */
}

uint32_t smrf_register_cache_evict(void *state, unsigned sub, uint32_t token, uint32_t *data,
                                   uint32_t *version)
{
    struct smrf_register_cache *c = state;
    const unsigned warp = token % SMRF_MAX_WARPS;
    struct smrf_cached_values *e = &c->warp[warp].values;
    const unsigned before = e->leaving;
    const uint32_t lanes = smrf_cached_gone(e, token, data, version);
    (void)sub;
    if (e->leaving == before) {
        return 0; /* its warp has ended */
    }
    lost_(c, warp);
    c->count[INDEX_resident]--;
    c->count[lanes ? INDEX_evicted : INDEX_outdated]++;
    smrf_register_cache_wake(c, warp);
    return lanes;
}

/* --- reads ------------------------------------------------------------------------------------ */

unsigned smrf_register_cache_parted(const struct smrf_register_cache *c, unsigned warp,
                                    const struct smrf_inst *inst, uint8_t reg[SMRF_MAX_SRC])
{
    const struct smrf_operands o = smrf_operands_of(inst->op, c->setup.rf.base_registers_only);
    const struct smrf_cached_value *v;
    unsigned count = 0;
    for (unsigned i = 0; c->warp[warp].values.parted && i < o.num_src; i++) {
        if (smrf_cached_locate(&c->warp[warp].values, o.src[i], inst->mask, &v) ==
            SMRF_CACHED_BOTH) {
            reg[count++] = o.src[i];
        }
    }
    return count;
}

uint32_t smrf_register_cache_collect(const struct smrf_register_cache *c,
                                     const struct smrf_flight *f, uint32_t (*data)[SMRF_LANES],
                                     uint32_t *version)
{
    const struct smrf_cached_values *e = &c->warp[f->warp].values;
    uint32_t missing = 0;
    for (unsigned i = 0; i < f->num_src; i++) {
        const uint32_t lanes = f->micro ? UINT32_MAX : smrf_flight_lanes(f, i);
        const struct smrf_cached_value *v;
        if (smrf_cached_locate(e, f->src_reg[i], lanes, &v) == SMRF_CACHED_ENTRY) {
            smrf_cached_copy(e, v, data ? data[i] : NULL, &version[i]);
        } else {
            missing |= UINT32_C(1) << i;
        }
    }
    return missing;
}

/* --- laws ------------------------------------------------------------------------------------- */

#define SIDE(name, expression)                                                                     \
    uint64_t smrf_register_cache_law_##name(const uint64_t *own, const struct smrf_sm_stats *sm)   \
    {                                                                                              \
        (void)own;                                                                                 \
        (void)sm;                                                                                  \
        return expression;                                                                         \
    }
SIDE(none, 0)
SIDE(sources, OWN(sources))
SIDE(operand_reads, sm->operand_reads)
SIDE(hits_and_misses, OWN(hits) + OWN(misses))
SIDE(misses, OWN(misses))
SIDE(bank_reads, sm->bank_reads)
SIDE(kept, OWN(kept))
SIDE(direct_and_evicted, OWN(direct) + OWN(evicted))
SIDE(bank_writes, sm->bank_writes)
SIDE(resident, OWN(resident))
SIDE(faults_resident, OWN(faults_resident))
