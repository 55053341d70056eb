/* SPDX-License-Identifier: Apache-2.0 */
/* The dependence check of a sub-core: do the registers of earlier instructions let the next
 * instruction of a warp issue? The issue stage reaches it through a table of functions only, so
 * that another check can replace the scoreboard. Warps are numbered k = 0.. within the
 * sub-core. Register numbers: 0..255 vector, 256.. uniform. */
#ifndef SMRF_DEPENDENCE_H
#define SMRF_DEPENDENCE_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DEPEND_UNIFORM 256 /* number of UR0 */

/* What holds an instruction back; a set. */
enum smrf_hazard {
    SMRF_HAZARD_DATA = 1u << 0,   /* a source or destination waits for a result (RAW, WAW) */
    SMRF_HAZARD_WAR = 1u << 1,    /* a destination has readers that have not read it */
    SMRF_HAZARD_LONG = 1u << 2,   /* with DATA: a source waits for a long operation */
    SMRF_HAZARD_COUNT = 1u << 6,  /* with DATA: it is the stall count before it that waits */
    SMRF_HAZARD_COUNTER = 1u << 7 /* with DATA: it waits for counters, not for registers */
};

/* An instruction and its register lists as the configuration sees them. */
struct smrf_operands {
    const struct smrf_static_inst *op;
    const uint8_t *src, *dst;
    unsigned num_src, num_dst;
};

/* base_only: only the registers that a trace line lists (rf.base_registers_only). */
static inline struct smrf_operands smrf_operands_of(const struct smrf_static_inst *op,
                                                    bool base_only)
{
    struct smrf_operands o = {op, op->src, op->dst, op->num_src, op->num_dst};
    if (base_only) {
        o.src = op->src_listed;
        o.dst = op->dst_listed;
        o.num_src = op->num_src_listed;
        o.num_dst = op->num_dst_listed;
    }
    return o;
}

struct smrf_dependence_ops {
    /* As after init. */
    void (*reset)(void *d);
    /* A warp starts in slot k. */
    void (*start)(void *d, unsigned k);
    /* Hazards (enum smrf_hazard) of the next instruction of warp k. It is asked again when an
     * instruction has issued, when collected or released has said so, and in cycle *again
     * (SMRF_NEVER on entry). */
    unsigned (*check)(const void *d, unsigned k, const struct smrf_operands *next, uint64_t cycle,
                      uint64_t *again);
    /* The instruction issues. */
    void (*issued)(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle);
    /* Source i of an instruction in flight has been read. Returns whether a hazard may have
     * gone. */
    bool (*collected)(void *d, unsigned k, const struct smrf_flight *f, unsigned i);
    /* The result of reg of an instruction in flight is usable. Returns the same. */
    bool (*released)(void *d, unsigned k, const struct smrf_flight *f, unsigned reg);
    /* Does no result of the warp stand out? A memory fence waits for it. */
    bool (*quiet)(const void *d, unsigned k);
    /* First register of the instruction that has the hazard, for reports; SMRF_REG_ZERO: none. */
    unsigned (*culprit)(const void *d, unsigned k, const struct smrf_operands *next,
                        enum smrf_hazard hazard);
    /* All sources of an instruction have been read; it has left the SM with all its results. Return
     * whether a hazard may have gone, or goes in the next cycle. NULL: not called. */
    bool (*read)(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle);
    bool (*retired)(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle);
    /* A mechanism removes the warp's next instruction. What is behind it may rely on what it would
     * have waited for. NULL: not called. */
    void (*removed)(void *d, unsigned k, const struct smrf_static_inst *op, uint64_t cycle);
};

#ifdef __cplusplus
}
#endif

#endif
