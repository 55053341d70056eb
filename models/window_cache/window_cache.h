/* SPDX-License-Identifier: Apache-2.0 */
/* Register caches where operands are read in fixed stages (rf.read=window): a table of registers in
 * the Allocate stage, in the place of the compiler's register file cache (rf.reuse_cache). A hit
 * saves a read port and the energy of a bank, never latency. Instructions of fixed latency take
 * part, as in the compiler's cache; the others read from their queues. Results pass by and replace
 * or drop the older value; the bypass is the read stages' own.
 *
 * The mechanisms differ in what enters, what makes room, and who shares a table: a larger register
 * file cache (least recently used, or the compiler's marks kept longer), the policies of Malekeh
 * (near and far reuse), BOW's window of instructions, and RFC's results of a warp.
 * Source: Huerta MICRO 2025 5.3 for the place; the policies' papers for what enters. */
#ifndef SMRF_WINDOW_CACHE_H
#define SMRF_WINDOW_CACHE_H

#include "value_table.h"

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_WINDOW_CACHE_STATS(X)                                                                 \
    X(entered, "instructions", "instructions of fixed latency that passed Allocate")               \
    X(sources, "operands", "distinct source registers of these instructions")                      \
    X(hits, "operands", "sources that the table held")                                             \
    X(misses, "operands", "sources that the banks delivered")                                      \
    X(values, "values", "values that entered the table: read from a bank, or results kept")        \
    X(results, "accesses", "register writes seen")                                                 \
    X(kept, "accesses", "results that the table holds after them")                                 \
    X(dropped, "accesses", "results that dropped the older value of their register")               \
    X(storage_values, "bytes/SM", "storage of the tables' values")                                 \
    X(storage_tags, "bytes/SM", "storage of their tags {warp, register}")

#define SMRF_WINDOW_CACHE_FIELD(name, unit, meaning) uint64_t name;
struct smrf_window_cache_stats {
    SMRF_WINDOW_CACHE_STATS(SMRF_WINDOW_CACHE_FIELD)
};
#undef SMRF_WINDOW_CACHE_FIELD

struct smrf_window_cache {
    struct smrf_window_cache_stats stats; /* first: the published counters */
    struct smrf_mechanism_setup setup;
    struct smrf_value_table_config config;
    bool per_warp;
    uint32_t sub_mask;              /* sub-cores - 1 */
    uint32_t last[SMRF_MAX_WARPS];  /* of a warp's instructions that passed Allocate: its number */
    struct smrf_value_table *table; /* [sub-cores] or [warps], behind this struct */
};

extern const struct smrf_family smrf_window_cache_family;

#ifdef __cplusplus
}
#endif

#endif
