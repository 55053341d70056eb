/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms that rename registers: the virtual register file, and the sharing of loaded registers
 * between warps. */
#ifndef SMRF_LARF_H
#define SMRF_LARF_H

#include "coherence.h"
#include "renaming.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LARF_STATS(X)                                                                         \
    X(loads, "instructions", "loads that reach the mapping controller")                            \
    X(perfect_shares, "instructions", "loads whose data a register holds, or will hold soon")      \
    X(partial_shares, "instructions", "loads whose data is combined from two registers")           \
    X(issued, "instructions", "loads that went to the memory")                                     \
    X(lookups, "instructions", "loads that were looked up in the address mapping table")           \
    X(exempt, "instructions",                                                                      \
      "loads that bypass the L1 (volatile, .STRONG, .CG); they are never shared")                  \
    X(shapeless, "instructions",                                                                   \
      "global loads whose addresses, lanes or width no entry can describe")                        \
    X(lanes_live, "instructions",                                                                  \
      "not shared: other lanes keep their values, or the register has no name")                    \
    X(overtaking, "instructions", "not shared: an older store to their bytes is still on its way") \
    X(pending_shares, "instructions", "perfect shares that waited for a load")                     \
    X(pending_merges, "instructions", "partial shares that waited for a load")                     \
    X(perfect_registers, "registers", "registers that perfect shares saved writing")               \
    X(inserted, "entries", "entries made")                                                         \
    X(no_room, "registers", "registers without an entry because the table was full")               \
    X(replaced, "entries", "entries that were replaced")                                           \
    X(invalidated, "entries", "entries that a store overlapped")                                   \
    X(emptied, "entries", "entries removed at fences, atomics and barriers")                       \
    X(deaths, "entries", "entries whose register was overwritten or lost its last name")           \
    X(unrecorded, "entries",                                                                       \
      "entries removed because their load became a merge (larf.record_merged=off)")                \
    X(stale_local, "uses", "uses of bytes that a store of the same SM had changed (an error)")     \
    X(stale_remote, "uses",                                                                        \
      "uses of bytes that a store of another SM had changed (LARF accepts this)")                  \
    X(entry_bits, "bits", "size of an entry of the address mapping table")                         \
    X(storage_table, "bytes/SM", "storage of the address mapping table")                           \
    X(faults_entries, "entries", "entries that point to a register without a name (a fault)")

#define SMRF_LARF_FIELD(name, unit, meaning) uint64_t name;
struct smrf_larf_stats {
    SMRF_LARF_STATS(SMRF_LARF_FIELD)
};
#undef SMRF_LARF_FIELD

#define SMRF_LARF_ADDRESS_BITS 48            /* of a whole address */
#define SMRF_LARF_PARTS (2 * SMRF_MERGE_DST) /* of a merge */
/* Shift, join, and the way to write-back; the paper gives none. */
#define SMRF_LARF_MERGE_CYCLES 4

/* A store that has been issued and is still on its way to the load/store unit, where a younger load
 * may arrive before it. */
struct smrf_larf_store_ahead {
    uint32_t version; /* of its flight: the order of issue */
    uint8_t warp;
    uint64_t first, last; /* byte that it may write */
};

/* The sharing of loaded registers: state of an SM. */
struct smrf_larf {
    struct smrf_vrf v; /* its counters come last in it, and the next ones follow them */
    struct smrf_larf_stats stats;
    struct smrf_amt table;
    struct smrf_larf_log *log;
    uint64_t shared_window, local_window; /* generic-address windows of the kernel */
    uint32_t num_ahead;
    struct smrf_larf_store_ahead ahead[SMRF_FLIGHTS];
    unsigned merger;   /* collector unit of merges, the last of a sub-core; */
    bool keeps_merger; /* instructions do not enter it. Read stages have a place for merges */
    /* Shares and merges that wait for a load: node = flight x SMRF_LARF_PARTS + 2 x destination +
     * part. */
    uint16_t waits_for[SMRF_FLIGHTS];
    uint16_t next[SMRF_FLIGHTS * SMRF_LARF_PARTS];
    uint8_t
        awaited[SMRF_FLIGHTS]; /* registers of a share, parts of a merge, that are not there yet */
};

size_t smrf_larf_bytes(const struct smrf_mechanism_setup *setup);
int smrf_larf_init(void *m, const struct smrf_mechanism_setup *setup, unsigned sm);
uint32_t smrf_larf_registers(void *m, const struct smrf_sm_kernel *kernel);
void smrf_larf_exit(void *m, unsigned warp);
void smrf_larf_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst);
/* An instruction of the trace is issued: is it a store that loads might overtake? */
void smrf_larf_ahead_issued(struct smrf_larf *l, const struct smrf_flight *f,
                            const struct smrf_inst *inst);
/* The load's data have arrived; a warp has exited; all warps have. */
void smrf_larf_ahead_arrived(struct smrf_larf *l, uint32_t version);
void smrf_larf_ahead_exit(struct smrf_larf *l, unsigned warp);
/* Is one that is older than the flight on its way to bytes [first, last]? */
bool smrf_larf_ahead_meets(const struct smrf_larf *l, const struct smrf_flight *f, uint64_t first,
                           uint64_t last);
extern const struct smrf_memory_seam smrf_larf_memory_seam;
extern const struct smrf_allocation_seam smrf_larf_allocation_seam;
extern const struct smrf_gpu_seam smrf_larf_gpu_seam;

extern const struct smrf_mechanism smrf_virtual_rf, smrf_larf_mechanism;
extern const struct smrf_family smrf_larf_family;

#ifdef __cplusplus
}
#endif

#endif
