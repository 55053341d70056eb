/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the model counts, summed over the machine. A launch's counters are the difference of
 * two such sums. */
#ifndef SMRF_COUNTERS_H
#define SMRF_COUNTERS_H

#include "models/counters/sm_stats.h"
#include "models/ldst/ldst.h"
#include "models/memory/memory.h"
#include "models/seam/mechanism.h"
#include "models/simt_stack/simt_stack.h"
#include "models/tlm/bus_params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing but uint64_t, so that sums and differences run over it as an array. */
struct smrf_counters {
    uint64_t cycles;
    struct smrf_sm_stats sm;
    struct smrf_ldst_stats ldst;
    struct smrf_simt_stats simt;
    struct smrf_memory_stats memory;
    struct smrf_bus_stats bus;
    uint64_t bank_reads, bank_writes; /* as the banks themselves counted */
    /* What could have been done while SMs were active: accesses of banks, operands through ports of
     * collectors, cycles of collectors. */
    uint64_t bank_slots, port_slots, collector_slots;
    uint64_t mechanism[SMRF_MECHANISM_STATS]; /* as the mechanism numbers them */
};

struct smrf_machine;
struct smrf_config;

/* Sum over the machine; `cycles` is left 0. */
void smrf_counters_collect(struct smrf_counters *sum, const struct smrf_machine *machine);

/* Add what an SM counts; what the banks of one of its sub-cores do. */
void smrf_counters_add_sm(struct smrf_counters *sum, const struct smrf_machine *machine,
                          uint32_t sm);
void smrf_counters_add_slots(struct smrf_counters *sum, const struct smrf_config *cfg,
                             uint64_t scheduler_cycles);
void smrf_counters_add_banks(struct smrf_counters *sum, const struct smrf_machine *machine,
                             uint32_t sm, unsigned sub);

/* --- parts of the machine: what some of the counters are kept of on their own ---------------- */

enum smrf_part { SMRF_PART_GPU, SMRF_PART_SM, SMRF_PART_SUBCORE, SMRF_PART_BANK, SMRF_PARTS };

struct smrf_place {
    uint32_t sm, sub, bank; /* those that the part has */
};

/* "gpu", "sm", "subcore", "bank"; SMRF_PARTS: no such word. */
const char *smrf_part_name(enum smrf_part part);
enum smrf_part smrf_part_find(const char *name);
size_t smrf_part_count(enum smrf_part part, const struct smrf_config *cfg);
struct smrf_place smrf_part_place(enum smrf_part part, const struct smrf_config *cfg, size_t index);
/* Counters of a part, 0 where none are kept of such parts; `cycles` is left 0. */
void smrf_counters_of_part(struct smrf_counters *c, const struct smrf_machine *machine,
                           enum smrf_part part, struct smrf_place place);
/* 1 for each that is kept of parts like this, else 0. */
void smrf_counters_kept(struct smrf_counters *kept, enum smrf_part part);

/* Faults that the value oracle found: operands, registers that a callee did not restore, registers
 * that were shared with a load they do not fit. */
uint64_t smrf_counters_violations(const struct smrf_counters *c);

/* after - before; high-water marks (simt.max_*, and bit i of `marks`: counter i of the mechanism)
 * keep the value of `after`. */
void smrf_counters_difference(struct smrf_counters *difference, const struct smrf_counters *after,
                              const struct smrf_counters *before, uint64_t marks);

/* --- statistics: the counters and what follows from them, under their published names ------- */

struct smrf_stat {
    const char *name, *unit, *meaning;
    size_t offset; /* of the counter, if neither is given */
    uint64_t (*count)(const struct smrf_counters *c);
    double (*ratio)(const struct smrf_counters *c);
};

extern const struct smrf_stat smrf_stats[];
extern const size_t smrf_stats_count;

/* NULL: no counter has this name. */
const struct smrf_stat *smrf_stat_find(const char *name);
/* Name nearest in spelling, NULL if none is near. */
const char *smrf_stat_nearest(const char *name);

/* Statistic of the mechanism under its published name, "mechanism.<name>"; NULL if it has none of
 * that name. */
const struct smrf_mechanism_stat *smrf_mechanism_stat_find(const struct smrf_mechanism *mechanism,
                                                           const char *name);
double smrf_mechanism_stat_value(const struct smrf_mechanism_stat *stat,
                                 const struct smrf_counters *c);

uint64_t smrf_stat_count(const struct smrf_stat *stat, const struct smrf_counters *c);
double smrf_stat_value(const struct smrf_stat *stat, const struct smrf_counters *c);
/* Does nothing but counters that are kept (1 in *kept) go into it? The same of such parts. */
bool smrf_stat_needs_only(const struct smrf_stat *stat, const struct smrf_counters *kept);
bool smrf_stat_is_of(const struct smrf_stat *stat, enum smrf_part part);

/* --- what a view has -------------------------------------------------------------------------- */

/* Are all counters exact? Not in the view scoreboard: its cycles are an estimate. */
bool smrf_view_is_exact(const struct smrf_config *cfg);
/* 1 for each counter that a run in this view has, else 0. */
void smrf_counters_of_view(struct smrf_counters *kept, const struct smrf_config *cfg);
/* Has a run in this view the statistic? */
bool smrf_stat_is_known(const struct smrf_stat *stat, const struct smrf_config *cfg);

#ifdef __cplusplus
}
#endif

#endif
