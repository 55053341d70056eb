/* SPDX-License-Identifier: Apache-2.0 */
/* Seams of the register file: the collectors, their allocation, the places of registers. Warps are
 * warp slots of the SM. */
#ifndef SMRF_OPERAND_SEAMS_H
#define SMRF_OPERAND_SEAMS_H

#include "models/common/smrf_rng.h"
#include "models/common/smrf_value.h"
#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seam: the behaviour of a collector unit. Baseline: an operand collector unit that reads every
 * operand from the banks. */
struct smrf_collector_seam {
    /* An instruction enters collector `unit`. Returns the operands (bit i: source i) that must be
     * read from the banks. For every other operand the mechanism writes the value to data[i] (32
     * lanes) and its version to version[i]. data NULL: values are not carried (this holds for all
     * of a run; smrf_value.h). */
    uint32_t (*allocate)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                         uint32_t (*data)[SMRF_LANES], uint32_t *version);
    /* Source i has arrived from its bank on port S. data NULL: values are not carried. */
    void (*arrive)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f, unsigned i,
                   const uint32_t *data, uint32_t version);
    /* The instruction leaves the collector for its execution unit. */
    void (*dispatch)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f);
    /* Destination i is being written to its bank (port D may take a copy). lanes: written lanes.
     * row: the whole register after the write; NULL: values are not carried. Returns whether a copy
     * was kept. */
    bool (*write)(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                  const uint32_t *row, uint32_t lanes, uint64_t cycle);
    /* The mechanism's copy of a warp's register [32], NULL: none. Under sim.check it is compared
     * with the bank after every write of the register, even if it is never read. */
    const uint32_t *(*copy)(const void *m, unsigned sub, unsigned warp, unsigned reg);
};

/* Returned by pick if the warp gets no collector. */
enum smrf_pick_none {
    SMRF_PICK_NEXT = -1,      /* try another warp in this cycle */
    SMRF_PICK_NONE = -2,      /* try no other warp in this cycle */
    SMRF_PICK_NEXT_WAIT = -3, /* as NEXT; a counter moves, so the next cycle must not be skipped */
    SMRF_PICK_NONE_WAIT = -4  /* as NONE; a counter moves, so the next cycle must not be skipped */
};

/* Seam: the warps that the scheduler prefers, and the collectors that a warp may take. */
struct smrf_allocation_seam {
    /* Warps (bit k of the sub-core) that issue before others, after the last issued one. */
    uint64_t (*preferred)(void *m, unsigned sub);
    /* Chooses a collector of free_units (bit mask, not empty) for warp slot `warp` of the SM, which
     * the scheduler has chosen. Returns it, or an enum smrf_pick_none. With issue.latches it may be
     * called several times a cycle. rng: the SM's. */
    int (*pick)(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng,
                uint64_t cycle);
    /* The warps of `ready` (bit k) that may be considered while free_units are free. If there is
     * none, there is none until a collector becomes free, a warp starts or exits, or another warp
     * is ready: the issue stage does not ask before. Not called with issue.latches. */
    uint64_t (*eligible)(void *m, unsigned sub, uint32_t free_units, uint64_t ready);
    /* "key=value" that lets a warp take any free collector; NULL: no option does that. */
    const char *gives_any;
};

/* Seam: the places of registers. Baseline: architectural register r of a warp is the r-th of its
 * allotted registers. With this seam the mechanism alone decides which registers have a place. If
 * source, destination and probe are all NULL, registers lie as in the baseline, and the mechanism
 * only follows them. */
struct smrf_rename_seam {
    /* The place of source i of an instruction that issues. Row SMRF_ROW_NONE: no place; the read
     * takes the bank's port and nothing else. f: its record; the lanes of f->mask are read. Called
     * for the sources in order, before the destinations, and after the control-flow seam. */
    struct smrf_register_place (*source)(void *m, const struct smrf_flight *f, unsigned i);
    /* The place of destination i, whose lanes f->mask are written. It may be a new register. If it
     * replaces an older register, the lanes that f does not write must come from the older one: set
     * *carry to that (its row is SMRF_ROW_NONE on entry). The older register is then collected as
     * an additional source (counter merge_reads), and the whole new register is written. */
    struct smrf_register_place (*destination)(void *m, const struct smrf_flight *f, unsigned i,
                                              struct smrf_register_place *carry);
    /* Can the registers of the warp's next instruction be renamed now? Called again after wake,
     * and, where `source` names registers that other warps may have taken meanwhile, once more when
     * the warp is chosen: if it says yes, the instruction may issue in the same cycle. NULL: yes,
     * as soon as the warp has registers of its own. */
    bool (*ready)(void *m, unsigned warp, const struct smrf_inst *inst);
    /* The last pending read of the register at `at` of a sub-core has been collected. The register
     * may be freed here, and a warp that waits for one may be woken. NULL: not called. */
    void (*last_read)(void *m, unsigned sub, struct smrf_register_place at);
    /* The present place of a register of a resident warp, for debuggers. */
    struct smrf_register_place (*probe)(const void *m, unsigned warp, unsigned reg);
    /* All registers of an instruction of the trace have been renamed. inst: the instruction, with
     * the facts of its program. Names that are dead after it may be dropped. NULL: not called. */
    void (*issued)(void *m, const struct smrf_flight *f, const struct smrf_inst *inst);
    /* The result of register reg of an instruction in flight has been written to its place, or was
     * found there. NULL: not called. */
    void (*written)(void *m, const struct smrf_flight *f, unsigned reg);
};

enum smrf_write_verdict {
    SMRF_WRITE_BANK, /* to its bank; the collector seam may keep a copy */
    SMRF_WRITE_COPY  /* to the mechanism alone: no bank and no bank port */
};

/* Seam: the way of results. A value that only the mechanism holds is read from it (collector seam)
 * until it has been evicted to its bank. An eviction queues for the bank's port like any write
 * (service `evict`). */
struct smrf_write_seam {
    /* Decides on destination i of an instruction that is due. Called again in later cycles if the
     * bank was busy. */
    enum smrf_write_verdict (*where)(void *m, const struct smrf_flight *f, unsigned i);
    /* COPY: the mechanism stores the lanes of data [32]; NULL: values are not carried. */
    void (*keep)(void *m, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                 uint32_t lanes, uint32_t version);
    /* The bank takes the eviction with this `token` now: fill in data [32] (NULL: values are not
     * carried). Returns the lanes that are written; 0: the register is no longer needed. From now
     * on the register is read from its bank. */
    uint32_t (*evict)(void *m, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version);
};

#ifdef __cplusplus
}
#endif

#endif
