/* SPDX-License-Identifier: Apache-2.0 */
/* Which warp goes first and which CCU it gets. Source: Malekeh (long) IV-B1, IV-B2, Fig. 6, whose
 * circles the comments name. */
#include "malekeh.h"

#include "models/collector/collector.h"
#include "models/common/smrf_bits.h"

uint64_t smrf_malekeh_preferred(void *state, unsigned sub)
{
    const struct smrf_malekeh *m = state;
    return m->options->priority == SMRF_MALEKEH_GTO ? 0 : m->sub[sub].with_data;
}

/* Warps that own a unit which is not free. */
static uint64_t stuck_(const struct smrf_malekeh *m, const struct smrf_malekeh_sub *s,
                       uint32_t free_units)
{
    uint32_t busy = (uint32_t)((UINT64_C(1) << m->units) - 1) & ~free_units;
    uint64_t stuck = 0;
    for (; busy; busy &= busy - 1) {
        const struct smrf_ccu *c = &s->ccu[__builtin_ctz(busy)];
        stuck |= c->warp == SMRF_CCU_NO_WARP ? 0 : UINT64_C(1) << c->warp;
    }
    return stuck & s->owners;
}

uint64_t smrf_malekeh_eligible(void *state, unsigned sub, uint32_t free_units, uint64_t ready)
{
    const struct smrf_malekeh *m = state;
    const struct smrf_malekeh_sub *s = &m->sub[sub];
    const struct smrf_malekeh_params *o = m->options;
    if (o->allocation == SMRF_MALEKEH_ANY || o->strict_top_warp) {
        return ready;
    }
    uint64_t stuck =
        o->allocation == SMRF_MALEKEH_PRIVATE ? ~(uint64_t)free_units : stuck_(m, s, free_units);
    ready &= ~stuck;
    uint64_t resident = ready & s->with_data;
    return o->priority == SMRF_MALEKEH_RESIDENT_FIRST && resident ? resident : ready;
}

/* Near values of a unit first, values then: what a flush would lose. */
static unsigned contents_(const struct smrf_ccu *c)
{
    unsigned near = smrf_count_bits(c->valid & c->near);
    return near * (SMRF_CCU_MAX_ENTRIES + 1) + smrf_count_bits(c->valid);
}

static unsigned choose_(struct smrf_malekeh_sub *s, uint32_t units, uint32_t choice)
{
    if (choice != SMRF_MALEKEH_CHOICE_FEWEST) {
        uint32_t pick = choice == SMRF_MALEKEH_CHOICE_FIRST ? SMRF_PICK_FIRST : SMRF_PICK_RANDOM;
        return smrf_collectors_choose(units, pick, &s->rng);
    }
    unsigned best = (unsigned)__builtin_ctz(units);
    for (uint32_t m = units & (units - 1); m; m &= m - 1) {
        unsigned u = (unsigned)__builtin_ctz(m);
        if (contents_(&s->ccu[u]) < contents_(&s->ccu[best])) {
            best = u;
        }
    }
    return best;
}

/* May a unit with near values be taken now? Circles 7 to 9; the counter takes one step a cycle. */
static bool wait_is_over_(struct smrf_malekeh *m, unsigned counter, uint64_t cycle)
{
    uint32_t waited = m->waited[counter];
    if (m->options->wait_inclusive ? waited > m->sthld : waited >= m->sthld) {
        return true;
    }
    if (m->waited_at[counter] != cycle) {
        m->waited_at[counter] = cycle;
        m->waited[counter]++;
        m->stats.waits++;
    }
    return false;
}

static int pick_for_newcomer_(struct smrf_malekeh *m, unsigned sub, uint32_t free_units,
                              uint64_t cycle)
{
    struct smrf_malekeh_sub *s = &m->sub[sub];
    const struct smrf_malekeh_params *o = m->options;
    unsigned counter = o->wait_counter == SMRF_MALEKEH_PER_SM ? 0 : sub;
    uint32_t far = free_units & ~s->near;
    if (far || o->allocation == SMRF_MALEKEH_OWN) { /* circle 5 */
        m->stats.far_allocations += far != 0;
        m->stats.forced_allocations += far == 0;
        if (o->wait_clear == SMRF_MALEKEH_CLEAR_ANY) {
            m->waited[counter] = 0;
        }
        bool own = o->allocation == SMRF_MALEKEH_OWN;
        return (int)choose_(s, own ? free_units : far, o->far_choice);
    }
    if (!wait_is_over_(m, counter, cycle)) {
        /* No later warp has a CCU either, unless the order of warps ignores that. */
        bool residents_went = o->priority != SMRF_MALEKEH_GTO;
        return residents_went || o->strict_top_warp ? SMRF_PICK_NONE_WAIT : SMRF_PICK_NEXT_WAIT;
    }
    m->waited[counter] = 0; /* circle 9 */
    m->stats.forced_allocations++;
    return (int)choose_(s, free_units, o->forced_choice);
}

int smrf_malekeh_pick(void *state, unsigned sub, unsigned warp, uint32_t free_units,
                      struct smrf_rng *rng, uint64_t cycle)
{
    struct smrf_malekeh *m = state;
    const struct smrf_malekeh_sub *s = &m->sub[sub];
    unsigned k = warp >> m->sub_shift;
    bool owner = s->owners >> k & 1;
    if (m->options->allocation == SMRF_MALEKEH_ANY) {
        return (int)smrf_collectors_choose(free_units, m->setup.rf.collector_pick, rng);
    }
    if (owner || m->options->allocation == SMRF_MALEKEH_PRIVATE) {
        unsigned unit = m->options->allocation == SMRF_MALEKEH_PRIVATE ? k : s->unit_of[k];
        if (free_units >> unit & 1) { /* circle 3 */
            m->stats.own_allocations++;
            return (int)unit;
        }
        return m->options->strict_top_warp ? SMRF_PICK_NONE : SMRF_PICK_NEXT; /* circle 4 */
    }
    return pick_for_newcomer_(m, sub, free_units, cycle);
}
