/* SPDX-License-Identifier: Apache-2.0 */
/* Operand reading of a sub-core: the way of an instruction from its issue latch to the latch before
 * its unit, with all its operands. This table replaces the collectors and the arbiter, one per
 * sub-core; read stages that reserve the banks' ports are an example. The implementation reads
 * banks, reports operands and dispatches through the wires of the collectors (`read`, `operands`,
 * `collected`, `part`, `dispatch`: models/wires/wires.h). */
#ifndef SMRF_READING_H
#define SMRF_READING_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_collector_stats;
struct smrf_wires;
struct smrf_write;

struct smrf_reading_ops {
    /* As after init. */
    void (*reset)(void *r);
    /* Does the instruction get in now? Asked again in every cycle until it does; changes
     * nothing. */
    bool (*probe)(const void *r, const struct smrf_flight *f, uint64_t cycle);
    /* It gets in: probe has just said so. */
    void (*commit)(void *r, uint32_t flight, uint64_t cycle);
    /* A cycle's reads and dispatches, after results have taken their ports. Returns whether
     * anything moved. */
    bool (*step)(void *r, uint64_t cycle);
    /* First cycle from `cycle` on in which step has work; SMRF_NEVER: none. */
    uint64_t (*next)(const void *r, uint64_t cycle);
    /* The latch before an execution unit is free again. */
    void (*drained)(void *r, unsigned unit);
    /* Take a bank for a result in this cycle. Returns false if it is taken. */
    bool (*port)(void *r, unsigned bank);
    /* The collectors' counters that apply to read stages, too: every operand's bank read does. */
    const struct smrf_collector_stats *(*stats)(const void *r);
    /* The bypass: a result of fixed latency is due, which takes no port by `port`. NULL: there is
     * none. */
    void (*forward)(void *r, const struct smrf_write *w);
    /* The stage of an instruction in flight, for reports; NULL: it is not here. A NULL function:
     * not known. */
    const char *(*place)(const void *r, uint32_t flight);
    /* Is there room for a merge of a load's registers, and one enters. Each source is a part, and
     * goes to the wire `part`; nothing is reported as collected. NULL: no merge can come, and
     * mechanisms that merge are refused. */
    bool (*vacant)(const void *r);
    void (*merge)(void *r, uint32_t flight, uint64_t cycle);
};

struct smrf_reading {
    const struct smrf_reading_ops *ops; /* NULL: the collectors */
    void *state;
    /* Bit 0: it takes an instruction as it issues, by the wire `allocate`, which commits it; then
     * there are no issue latches, and probe is not called. NULL: it takes them from the latches. */
    const uint32_t *free;
    const uint64_t *held_cycles; /* cycles in which it held an instruction; NULL: it never does */
    /* While it takes none: bit 0: the instruction in front waits for the queue of its unit,
     * otherwise for its banks' ports. NULL with free. */
    const uint32_t *queued;
};

#ifdef __cplusplus
}
#endif

#endif
