/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the virtual register file and by nothing else. */
#ifndef SMRF_RENAMING_INTERNAL_H
#define SMRF_RENAMING_INTERNAL_H

#include "renaming.h"

static inline unsigned smrf_vrf_sub_of_(const struct smrf_vrf *v, unsigned warp)
{
    return warp & (v->sm.subcores - 1);
}

static inline void smrf_vrf_mark_(uint64_t *mark, uint64_t now)
{
    *mark = now > *mark ? now : *mark;
}

/* Does the register mean a physical one? */
static inline bool smrf_vrf_has_(const struct smrf_vrf_warp *w, unsigned reg)
{
    return w->mapped[reg / 64] >> reg % 64 & 1;
}

/* Refused warps may request registers again. */
void smrf_vrf_wake_(struct smrf_vrf *v, unsigned sub);
/* A free physical register for an architectural one. Precondition: there is one. reserved: it
 * counts as in use later (smrf_vrf_use). */
unsigned smrf_vrf_take_(struct smrf_vrf *v, unsigned sub, unsigned warp, unsigned reg,
                        bool reserved);
/* The register has no name: frees it, if no read or write of it is pending. */
void smrf_vrf_free_(struct smrf_vrf *v, unsigned sub, unsigned phys);
void smrf_vrf_name_(struct smrf_vrf *v, unsigned warp, unsigned reg, unsigned phys);
/* keep: a read of it follows. */
void smrf_vrf_unname_(struct smrf_vrf *v, unsigned warp, unsigned reg, bool keep);
/* May a result take the place of the value before? own: reads of the writer's own instruction. */
bool smrf_vrf_in_place_(const struct smrf_vrf *v, unsigned sub, unsigned phys, uint32_t own);
/* May other lanes' values live on in destination i of the warp's next instruction, with that mask?
 */
bool smrf_vrf_carries_(const struct smrf_vrf *v, unsigned warp, unsigned i, uint32_t mask);

#endif
