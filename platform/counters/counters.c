/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "platform/config/smrf_config.h"
#include "platform/gpu/machine.h"

#include <string.h>

#define WORDS(type) (sizeof(type) / sizeof(uint64_t))

static void add_(void *sum, const void *part, size_t words)
{
    uint64_t *a = sum;
    const uint64_t *b = part;
    for (size_t i = 0; i < words; i++) {
        a[i] += b[i];
    }
}

/* SIMT counters that are high-water marks, not sums. */
#define SMRF_SIMT_MARKS(X) X(max_depth) X(max_frames) X(max_splits)

static void add_simt_(struct smrf_simt_stats *sum, const struct smrf_simt_stats *part)
{
    struct smrf_simt_stats before = *sum;
    add_(sum, part, WORDS(*sum));
#define X(name) sum->name = before.name > part->name ? before.name : part->name;
    SMRF_SIMT_MARKS(X)
#undef X
}

static void add_mechanism_(uint64_t *sum, const struct smrf_machine *machine, uint32_t sm)
{
    const struct smrf_mechanism *mech = machine->mechanism;
    const uint64_t *own = mech->counters ? mech->counters(machine->mechanism_state[sm]) : NULL;
    for (unsigned i = 0; own && i < mech->num_counters; i++) {
        const bool mark = mech->marks >> i & 1;
        sum[i] = mark && sum[i] > own[i] ? sum[i] : mark ? own[i] : sum[i] + own[i];
    }
}

/* As the banks of a sub-core count. */
void smrf_counters_add_banks(struct smrf_counters *sum, const struct smrf_machine *machine,
                             uint32_t sm, unsigned sub)
{
    const struct smrf_subcore_blocks *blocks = smrf_sm_blocks(machine->sm[sm], sub);
    for (unsigned b = 0; b < machine->cfg->rf.banks; b++) {
        sum->bank_reads += blocks->bank[b]->reads;
        sum->bank_writes += blocks->bank[b]->writes;
    }
}

/* A collector takes no more operands in a step than there are banks. */
void smrf_counters_add_slots(struct smrf_counters *sum, const struct smrf_config *cfg,
                             uint64_t scheduler_cycles)
{
    const uint64_t banks = cfg->rf.banks, ports = cfg->rf.collector_ports;
    sum->bank_slots += scheduler_cycles * cfg->rf.steps * banks;
    sum->port_slots += scheduler_cycles * cfg->rf.steps * cfg->rf.collectors *
                       (ports && ports < banks ? ports : banks);
    sum->collector_slots += scheduler_cycles * cfg->rf.collectors;
}

/* What an SM counts, added to a sum. */
void smrf_counters_add_sm(struct smrf_counters *sum, const struct smrf_machine *machine, uint32_t i)
{
    struct smrf_sm *sm = machine->sm[i];
    const struct smrf_sm_stats *stats = smrf_sm_stats_get(sm);
    add_(&sum->sm, stats, WORDS(sum->sm));
    smrf_counters_add_slots(sum, machine->cfg, stats->scheduler_cycles);
    add_(&sum->ldst, smrf_ldst_statistics(smrf_sm_ldst(sm)), WORDS(sum->ldst));
    add_simt_(&sum->simt, &machine->simt[i]->stats);
    add_mechanism_(sum->mechanism, machine, i);
    if (machine->bus[i]) {
        add_(&sum->bus, machine->bus[i], WORDS(sum->bus));
    }
    for (unsigned s = 0; s < machine->cfg->sm.subcores; s++) {
        smrf_counters_add_banks(sum, machine, i, s);
    }
}

void smrf_counters_collect(struct smrf_counters *sum, const struct smrf_machine *machine)
{
    *sum = (struct smrf_counters){0};
    for (uint32_t i = 0; i < machine->cfg->gpu.sms; i++) {
        smrf_counters_add_sm(sum, machine, i);
    }
    if (machine->memory) {
        smrf_memory_stats_get(machine->memory, &sum->memory);
    }
}

uint64_t smrf_counters_violations(const struct smrf_counters *c)
{
    return c->sm.oracle_violations + c->sm.oracle_unrestored + c->sm.oracle_wrong_shares;
}

void smrf_counters_difference(struct smrf_counters *difference, const struct smrf_counters *after,
                              const struct smrf_counters *before, uint64_t marks)
{
    *difference = *after;
    uint64_t *d = (uint64_t *)difference;
    const uint64_t *b = (const uint64_t *)before;
    for (size_t i = 0; i < WORDS(*difference); i++) {
        d[i] -= b[i];
    }
#define X(name) difference->simt.name = after->simt.name;
    SMRF_SIMT_MARKS(X)
#undef X
    for (; marks; marks &= marks - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(marks);
        difference->mechanism[i] = after->mechanism[i];
    }
}
