/* SPDX-License-Identifier: Apache-2.0 */
/* Seams of the register file: collectors, who takes one, where registers lie. Warps are warp slots
 * of the SM. */
#ifndef SMRF_OPERAND_SEAMS_H
#define SMRF_OPERAND_SEAMS_H

#include "models/common/smrf_rng.h"
#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seam: what a collector unit is. Baseline: an operand collector unit that reads every operand. */
struct smrf_collector_seam {
    /* An instruction enters collector `unit`. Returns the operands (bit i: source i) that must be
     * read from the banks; for every other one the mechanism has written its value to data[i]
     * (32 lanes) and its version to version[i]. */
    uint32_t (*allocate)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                         uint32_t (*data)[SMRF_LANES], uint32_t *version);
    /* Source i has arrived from its bank on port S. */
    void (*arrive)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f, unsigned i,
                   const uint32_t *data, uint32_t version);
    /* The instruction leaves the collector for its execution unit. */
    void (*dispatch)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f);
    /* Destination i is being written to its bank (port D may take a copy). lanes: written lanes.
     * row: the whole register after the write. Returns whether a copy was kept. */
    bool (*write)(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                  const uint32_t *row, uint32_t lanes, uint64_t cycle);
    /* The mechanism's copy of a warp's register [32], NULL: none. Under sim.check it is compared
     * with the bank after every write of the register, whether or not it is ever read. */
    const uint32_t *(*copy)(const void *m, unsigned sub, unsigned warp, unsigned reg);
};

/* What pick returns where it has no collector for the warp. */
enum smrf_pick_none {
    SMRF_PICK_NEXT = -1,      /* another warp may be asked about in this cycle */
    SMRF_PICK_NONE = -2,      /* none may */
    SMRF_PICK_NEXT_WAIT = -3, /* as NEXT; something counts, so that the next cycle is not skipped */
    SMRF_PICK_NONE_WAIT = -4  /* as NONE; the same */
};

/* Seam: which warps the scheduler prefers, and which collector a warp may take. */
struct smrf_allocation_seam {
    /* Warps (bit k of the sub-core) that go before others, after the last issued one. */
    uint64_t (*preferred)(void *m, unsigned sub);
    /* Collector of free_units (bit mask, not empty) for warp slot `warp` of the SM, which the
     * scheduler has chosen, or enum smrf_pick_none. With issue.latches it may be asked several
     * times a cycle. rng: the SM's. */
    int (*pick)(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng,
                uint64_t cycle);
    /* Those of the warps `ready` (bit k) that may be considered while free_units are free. Not
     * asked with issue.latches. */
    uint64_t (*eligible)(void *m, unsigned sub, uint32_t free_units, uint64_t ready);
    /* "key=value" under which a warp gets any free collector; NULL: no option does that. */
    const char *gives_any;
};

/* Seam: where registers lie. Baseline: architectural register r of a warp is the r-th of those that
 * it was allotted. With this seam the mechanism alone says which registers have a place. */
struct smrf_rename_seam {
    /* The place of source i of an instruction that issues; row SMRF_ROW_NONE: it has none, the read
     * takes the bank's port and nothing else. f: its record; the lanes of f->mask are read. Sources
     * are asked about in order, before destinations, after the control-flow seam was told. */
    struct smrf_register_place (*source)(void *m, const struct smrf_flight *f, unsigned i);
    /* The same of destination i, whose lanes f->mask are written. It may be a new register. Of one
     * that takes the place of an older, the lanes that f leaves alone are the older one's: if
     * *carry, whose row is SMRF_ROW_NONE on entry, is set to that, it is collected as one source
     * more (the counter merge_reads), and the whole new register is written. */
    struct smrf_register_place (*destination)(void *m, const struct smrf_flight *f, unsigned i,
                                              struct smrf_register_place *carry);
    /* Can the registers of the warp's next instruction be renamed now? Asked again after wake, and
     * last in the moment of the choice: what this says yes to may issue in the same cycle. NULL: as
     * soon as the warp has registers of its own. */
    bool (*ready)(void *m, unsigned warp, const struct smrf_inst *inst);
    /* No instruction in flight has still to collect the register at `at` of a sub-core: told
     * whenever the last of them has. It may be freed here, and who waits for one woken. NULL: not
     * told. */
    void (*last_read)(void *m, unsigned sub, struct smrf_register_place at);
    /* Where a register of a resident warp lies now, for debuggers. */
    struct smrf_register_place (*probe)(const void *m, unsigned warp, unsigned reg);
    /* The registers of an instruction of the trace, if it names any, have been renamed; inst: with
     * what is known of its program. Names that nobody needs after it may go. NULL: not told. */
    void (*issued)(void *m, const struct smrf_flight *f, const struct smrf_inst *inst);
    /* The result of register reg of an instruction in flight is where its destination lies, or was
     * found there. NULL: not told. */
    void (*written)(void *m, const struct smrf_flight *f, unsigned reg);
};

enum smrf_write_verdict {
    SMRF_WRITE_BANK, /* to its bank; the collector seam may keep a copy */
    SMRF_WRITE_COPY  /* to the mechanism alone: no bank, and no port of one */
};

/* Seam: where results go. What the mechanism alone holds is read from it (collector seam) until it
 * has gone to its bank: an eviction queues for the bank's port like any write (service `evict`). */
struct smrf_write_seam {
    /* Destination i of an instruction is due. Asked again in later cycles if its bank was taken. */
    enum smrf_write_verdict (*where)(void *m, const struct smrf_flight *f, unsigned i);
    /* COPY: the lanes of data [32] are the mechanism's. */
    void (*keep)(void *m, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                 uint32_t lanes, uint32_t version);
    /* The bank takes an eviction now, of which `token` was given: fill in data [32]. Returns the
     * lanes that are written, 0: none, the register is no longer wanted. From here on the register
     * is read from its bank. */
    uint32_t (*evict)(void *m, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version);
};

#ifdef __cplusplus
}
#endif

#endif
