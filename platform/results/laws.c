/* SPDX-License-Identifier: Apache-2.0 */
#include "laws.h"

#include "platform/config/registry.h"

#include <inttypes.h>
#include <stdio.h>

struct law {
    const char *name;
    const char *left_text, *right_text;
    uint64_t (*left)(const struct smrf_audit *a);
    uint64_t (*right)(const struct smrf_audit *a);
};

#define SIDE(name, expression)                                                                     \
    static uint64_t name(const struct smrf_audit *a)                                               \
    {                                                                                              \
        return expression;                                                                         \
    }

static uint64_t sum_(const uint64_t *values, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum;
}

SIDE(operand_reads_, a->counters->sm.operand_reads)
SIDE(reads_and_hits_,
     a->counters->sm.bank_reads - a->counters->sm.part_reads + a->counters->sm.cache_hits)
SIDE(results_,
     a->counters->sm.operand_writes + a->counters->sm.round_writes + a->counters->sm.evictions)
SIDE(written_,
     a->counters->sm.bank_writes + a->counters->sm.copy_writes + a->counters->sm.shared_writes)
SIDE(bank_reads_, a->counters->sm.bank_reads)
SIDE(banks_read_, a->counters->bank_reads)
SIDE(bank_writes_, a->counters->sm.bank_writes)
SIDE(banks_written_, a->counters->bank_writes)
SIDE(transfers_, a->counters->sm.crossbar_transfers)
SIDE(issued_, a->counters->sm.warp_insts)
SIDE(issued_threads_, a->counters->sm.thread_insts)
SIDE(completed_, a->counters->sm.completed)
SIDE(issued_steps_, a->counters->sm.warp_insts + a->counters->sm.further_steps)
SIDE(traced_, a->trace->warp_insts)
SIDE(altered_,
     a->trace->warp_insts - a->counters->sm.removed_insts + a->counters->sm.injected_insts)
SIDE(altered_threads_,
     a->trace->thread_insts - a->counters->sm.removed_threads + a->counters->sm.injected_threads)
SIDE(by_class_, sum_(a->counters->sm.warp_insts_by_class, SMRF_CLASS_COUNT))
SIDE(threads_by_class_, sum_(a->counters->sm.thread_insts_by_class, SMRF_CLASS_COUNT))
SIDE(scheduler_cycles_, a->counters->sm.scheduler_cycles)
SIDE(conflicts_, a->counters->sm.bank_conflict_cycles)
SIDE(conflict_causes_,
     a->counters->sm.waits_read + a->counters->sm.waits_write + a->counters->sm.waits_port)
SIDE(collected_, a->counters->sm.collector_busy)
SIDE(read_or_ready_, a->counters->sm.collector_reading + a->counters->sm.collector_ready)
SIDE(issued_or_not_, a->counters->sm.cycles_issued + sum_(a->counters->sm.stall, SMRF_STALL_COUNT))
SIDE(blocks_, a->counters->sm.blocks)
SIDE(traced_blocks_, a->trace->blocks)
SIDE(launches_, a->launches_ended)
SIDE(traced_launches_, a->trace->kernels)
SIDE(simt_lines_, a->counters->simt.insts)
SIDE(simt_masks_, a->counters->simt.exact + a->counters->simt.subset + a->counters->simt.empty)
SIDE(simt_mismatches_, a->counters->simt.mismatches)
SIDE(simt_mismatch_kinds_, a->counters->simt.mismatch_pc + a->counters->simt.mismatch_converge +
                               a->counters->simt.mismatch_barrier +
                               a->counters->simt.mismatch_dead +
                               a->counters->simt.mismatch_condition)
SIDE(requests_,
     a->counters->ldst.reads_sent + a->counters->ldst.writes_sent + a->counters->ldst.atomics_sent)
SIDE(answers_, a->counters->ldst.answers)
SIDE(memory_requests_, a->machine->memory ? a->counters->memory.requests : requests_(a))
SIDE(memory_responses_, a->machine->memory ? a->counters->memory.responses : answers_(a))
SIDE(bus_errors_, a->counters->bus.errors)
SIDE(payloads_, a->machine->payloads_in_use)
SIDE(protocol_, a->machine->protocol_violations)
SIDE(violations_, smrf_mechanism_unsound(a->machine->cfg, a->machine->mechanism)
                      ? 0
                      : smrf_counters_violations(a->counters))
SIDE(stale_copies_, a->counters->sm.oracle_stale_copies)
SIDE(early_reads_, a->counters->sm.early_reads)
SIDE(zero_, ((void)a, UINT64_C(0)))

static const struct law laws[] = {
    {"operands read", "operand reads", "bank reads of operands + cache hits", operand_reads_,
     reads_and_hits_},
    {"bank reads", "reads that the SMs requested", "reads that the banks did", bank_reads_,
     banks_read_},
    {"results", "destinations, earlier rounds of loads, evictions",
     "bank writes, results that a mechanism keeps alone or that were there already", results_,
     written_},
    {"bank writes", "writes that the SMs requested", "writes that the banks did", bank_writes_,
     banks_written_},
    {"crossbar", "operands that crossed", "bank reads", transfers_, bank_reads_},
    {"instructions replayed", "issued", "instructions of the trace - removed + injected", issued_,
     altered_},
    {"threads replayed", "issued", "thread instructions of the trace - removed + injected",
     issued_threads_, altered_threads_},
    {"instructions completed", "completed", "issued, further steps included", completed_,
     issued_steps_},
    {"classes", "sum over classes", "issued", by_class_, issued_},
    {"thread classes", "sum over classes", "thread instructions issued", threads_by_class_,
     issued_threads_},
    {"scheduler cycles", "issuing + stalled, by cause", "scheduler cycles", issued_or_not_,
     scheduler_cycles_},
    {"waits", "of operands, by cause", "operands that waited for a bank or a port",
     conflict_causes_, conflicts_},
    {"collectors", "reading + ready", "collector cycles occupied", read_or_ready_, collected_},
    {"blocks", "finished", "blocks of the trace", blocks_, traced_blocks_},
    {"launches", "finished", "launches of the trace", launches_, traced_launches_},
    {"SIMT stack", "lines checked", "instructions of the trace", simt_lines_, traced_},
    {"SIMT masks", "whole, part and empty masks", "lines checked", simt_masks_, simt_lines_},
    {"SIMT mismatches", "sum over kinds", "traced masks that differ from the predicted ones",
     simt_mismatch_kinds_, simt_mismatches_},
    {"answers", "answers taken by the SMs", "requests sent by them", answers_, requests_},
    {"memory requests", "taken by the memory", "sent by the SMs", memory_requests_, requests_},
    {"memory responses", "sent by the memory", "taken by the SMs", memory_responses_, answers_},
    {"memory errors", "accesses answered with an error", "none", bus_errors_, zero_},
    {"payloads", "TLM payloads in use", "none", payloads_, zero_},
    {"protocol", "violations of the TLM base protocol", "none", protocol_, zero_},
    {"value oracle", "operands and registers that differ from program order", "none", violations_,
     zero_},
    {"copies", "writes after which a mechanism's copy differed from its bank", "none",
     stale_copies_, zero_},
    {"early reads", "registers read before their result is there, by control bits", "none",
     early_reads_, zero_},
};

size_t smrf_laws_count(const struct smrf_mechanism *mechanism)
{
    return sizeof laws / sizeof *laws + mechanism->num_laws;
}

/* Are both sides made of counters that the run's view has? What is not kept may be anything without
 * their noticing. */
static bool applies_(const struct law *l, const struct smrf_audit *audit)
{
    struct smrf_counters kept, some = *audit->counters;
    const uint64_t *keep = (const uint64_t *)&kept;
    uint64_t *word = (uint64_t *)&some;
    const struct smrf_audit other = {&some, audit->machine, audit->trace, audit->launches_ended};
    if (smrf_view_is_exact(audit->machine->cfg)) {
        return true;
    }
    smrf_counters_of_view(&kept, audit->machine->cfg);
    for (size_t i = 0; i < sizeof some / sizeof *word; i++) {
        word[i] += keep[i] ? 0 : (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return l->left(&other) == l->left(audit) && l->right(&other) == l->right(audit);
}

size_t smrf_laws_applied(const struct smrf_audit *audit)
{
    size_t count = audit->machine->mechanism->num_laws;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        count += applies_(&laws[i], audit);
    }
    return count;
}

struct report {
    char *text;
    size_t size, used;
    unsigned broken;
};

static void compare_(struct report *r, const char *name, const char *left_text, uint64_t left,
                     const char *right_text, uint64_t right)
{
    if (left == right) {
        return;
    }
    r->broken++;
    if (r->used < r->size) {
        r->used += (size_t)snprintf(r->text + r->used, r->size - r->used,
                                    "%s%s: %s (%" PRIu64 ") differ from %s (%" PRIu64 ")",
                                    r->used ? "; " : "", name, left_text, left, right_text, right);
    }
}

int smrf_laws_check(const struct smrf_audit *audit, char *text, size_t size)
{
    const struct smrf_mechanism *mechanism = audit->machine->mechanism;
    const uint64_t *own = audit->counters->mechanism;
    const struct smrf_sm_stats *sm = &audit->counters->sm;
    struct report r = {text, size, 0, 0};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const struct law *l = &laws[i];
        if (applies_(l, audit)) {
            compare_(&r, l->name, l->left_text, l->left(audit), l->right_text, l->right(audit));
        }
    }
    for (size_t i = 0; i < mechanism->num_laws; i++) {
        const struct smrf_mechanism_law *l = &mechanism->laws[i];
        compare_(&r, l->name, l->left_text, l->left(own, sm), l->right_text, l->right(own, sm));
    }
    return r.broken ? SMRF_ERR_CHECK : SMRF_OK;
}
