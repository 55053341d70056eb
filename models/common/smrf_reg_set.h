/* SPDX-License-Identifier: Apache-2.0 */
/* What the register lists of an instruction come to. Whoever reads a trace tells it of every static
 * instruction, and the issue stage makes it for itself where nobody has. */
#ifndef SMRF_REG_SET_H
#define SMRF_REG_SET_H

#include "smrf_inst.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void smrf_reg_set_add(uint64_t *words, unsigned reg)
{
    words[reg >> 6] |= UINT64_C(1) << (reg & 63);
}

static inline bool smrf_reg_set_has(const uint64_t *words, unsigned reg)
{
    return words[reg >> 6] >> (reg & 63) & 1;
}

/* src: [at most SMRF_MAX_SRC], dst: [at most SMRF_MAX_DST]. */
static inline struct smrf_reg_set smrf_reg_set_of(const uint8_t *src, unsigned num_src,
                                                  const uint8_t *dst, unsigned num_dst)
{
    struct smrf_reg_set set;
    memset(&set, 0, sizeof set);
    set.told = true;
    set.num_dst = (uint8_t)num_dst;
    for (unsigned i = 0; i < num_src; i++) {
        if (!smrf_reg_set_has(set.read, src[i])) {
            smrf_reg_set_add(set.read, src[i]);
            set.src[set.num_src++] = src[i];
        }
        set.highest = src[i] > set.highest ? src[i] : set.highest;
    }
    for (unsigned i = 0; i < num_dst; i++) {
        smrf_reg_set_add(set.written, dst[i]);
        set.dst[i] = dst[i];
        set.highest = dst[i] > set.highest ? dst[i] : set.highest;
    }
    return set;
}

#ifdef __cplusplus
}
#endif

#endif
