/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a part of the machine: an SM, a sub-core, a bank. */
#include "counters.h"

#include "models/subcore/counters.h"
#include "platform/config/smrf_config.h"
#include "platform/gpu/machine.h"

#include <strings.h>

#define WORDS (sizeof(struct smrf_counters) / sizeof(uint64_t))

static const char *const names[SMRF_PARTS] = {"gpu", "sm", "subcore", "bank"};

const char *smrf_part_name(enum smrf_part part)
{
    return names[part];
}

enum smrf_part smrf_part_find(const char *name)
{
    unsigned part = 0;
    while (part < SMRF_PARTS && strcasecmp(names[part], name) != 0) {
        part++;
    }
    return (enum smrf_part)part;
}

size_t smrf_part_count(enum smrf_part part, const struct smrf_config *cfg)
{
    const size_t sms = part >= SMRF_PART_SM ? cfg->gpu.sms : 1;
    const size_t subs = part >= SMRF_PART_SUBCORE ? cfg->sm.subcores : 1;
    return sms * subs * (part >= SMRF_PART_BANK ? cfg->rf.banks : 1);
}

struct smrf_place smrf_part_place(enum smrf_part part, const struct smrf_config *cfg, size_t index)
{
    struct smrf_place at = {0, 0, 0};
    uint32_t i = (uint32_t)index;
    if (part == SMRF_PART_BANK) {
        at.bank = i % cfg->rf.banks;
        i /= cfg->rf.banks;
    }
    if (part >= SMRF_PART_SUBCORE) {
        at.sub = i % cfg->sm.subcores;
        i /= cfg->sm.subcores;
    }
    at.sm = i;
    return at;
}

static void of_bank_(struct smrf_counters *c, const struct smrf_subcore_blocks *blocks,
                     unsigned bank, uint32_t steps)
{
    c->bank_reads = c->sm.bank_reads = blocks->bank[bank]->reads;
    c->bank_writes = c->sm.bank_writes = blocks->bank[bank]->writes;
    c->sm.bank_conflict_cycles = smrf_arbiter_probe_waited(blocks->arbiter, bank);
    c->bank_slots = blocks->issue->stats.scheduler_cycles * steps;
}

void smrf_counters_of_part(struct smrf_counters *c, const struct smrf_machine *machine,
                           enum smrf_part part, struct smrf_place at)
{
    *c = (struct smrf_counters){0};
    switch (part) {
    case SMRF_PART_SM:
        smrf_counters_add_sm(c, machine, at.sm);
        break;
    case SMRF_PART_SUBCORE:
        smrf_sm_stats_of_sub(machine->sm[at.sm], at.sub, &c->sm);
        smrf_counters_add_banks(c, machine, at.sm, at.sub);
        smrf_counters_add_slots(c, machine->cfg, c->sm.scheduler_cycles);
        break;
    case SMRF_PART_BANK:
        of_bank_(c, smrf_sm_blocks(machine->sm[at.sm], at.sub), at.bank, machine->cfg->rf.steps);
        break;
    default:
        smrf_counters_collect(c, machine);
    }
}

void smrf_counters_kept(struct smrf_counters *kept, enum smrf_part part)
{
    uint64_t *word = (uint64_t *)kept;
    for (size_t i = 0; i < WORDS; i++) {
        word[i] = part <= SMRF_PART_SM;
    }
    if (part == SMRF_PART_SM) {
        memset(&kept->memory, 0, sizeof kept->memory);
    } else if (part == SMRF_PART_SUBCORE) {
        smrf_subcore_counters(&kept->sm);
    } else if (part == SMRF_PART_BANK) {
        kept->sm.bank_reads = kept->sm.bank_writes = kept->sm.bank_conflict_cycles = 1;
    }
    kept->cycles = kept->bank_reads = kept->bank_writes = kept->bank_slots = 1;
    kept->port_slots = kept->collector_slots = part < SMRF_PART_BANK;
}

/* What is not kept may be anything without the statistic's noticing. */
bool smrf_stat_needs_only(const struct smrf_stat *stat, const struct smrf_counters *kept)
{
    struct smrf_counters some;
    const uint64_t *keep = (const uint64_t *)kept;
    uint64_t *word = (uint64_t *)&some;
    double value = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < WORDS; i++) {
            const uint64_t any = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 34; /* below 2^30 */
            word[i] = keep[i] ? any : turn ? (any >> turn) + turn : 0;
        }
        const double now = smrf_stat_value(stat, &some);
        if (turn && now != value) {
            return false;
        }
        value = now;
    }
    return true;
}

bool smrf_stat_is_of(const struct smrf_stat *stat, enum smrf_part part)
{
    struct smrf_counters kept;
    smrf_counters_kept(&kept, part);
    return smrf_stat_needs_only(stat, &kept);
}
