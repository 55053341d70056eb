/* SPDX-License-Identifier: Apache-2.0 */
/* Stores between issue and the load/store unit. Collectors deliver memory instructions as their
 * operands come, so that a load can arrive before an older store to its bytes, even one of its own
 * warp. It must not then see what the register holds. (The paper's machine issues a warp's memory
 * instructions in order; the paper does not discuss this.) */
#include "larf.h"

#define WINDOW_BYTES (UINT64_C(16) << 20) /* of a generic-address window */

static bool in_window_(uint64_t address, uint64_t window)
{
    return window && address - window < WINDOW_BYTES;
}

/* Does it go to the global memory? As the load/store unit resolves it. */
static bool global_(const struct smrf_larf *l, const struct smrf_inst *inst)
{
    if (inst->mask == 0 || inst->op->access_bytes == 0 || inst->addr_kind == SMRF_ADDR_NONE) {
        return false;
    }
    const uint64_t first = smrf_inst_address(inst, (unsigned)__builtin_ctz(inst->mask));
    return inst->op->space == SMRF_SPACE_GLOBAL ||
           (inst->op->space == SMRF_SPACE_GENERIC && !in_window_(first, l->shared_window) &&
            !in_window_(first, l->local_window));
}

void smrf_larf_ahead_issued(struct smrf_larf *l, const struct smrf_flight *f,
                            const struct smrf_inst *inst)
{
    const bool stores = f->op->op_class == SMRF_CLASS_STORE || f->op->op_class == SMRF_CLASS_ATOMIC;
    struct smrf_larf_store_ahead s = {f->version, f->warp, UINT64_MAX, 0};
    if (!stores || f->micro || !l->v.options.table || !global_(l, inst) ||
        l->num_ahead == SMRF_FLIGHTS) {
        return;
    }
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(inst, (unsigned)__builtin_ctz(m));
        s.first = at < s.first ? at : s.first;
        s.last = at > s.last ? at : s.last;
    }
    s.last += inst->op->access_bytes - 1u;
    l->ahead[l->num_ahead++] = s;
}

void smrf_larf_ahead_arrived(struct smrf_larf *l, uint32_t version)
{
    for (uint32_t i = 0; i < l->num_ahead; i++) {
        if (l->ahead[i].version == version) {
            l->ahead[i] = l->ahead[--l->num_ahead];
            return;
        }
    }
}

void smrf_larf_ahead_exit(struct smrf_larf *l, unsigned warp)
{
    for (uint32_t i = l->num_ahead; i-- > 0;) {
        if (l->ahead[i].warp == warp) {
            l->ahead[i] = l->ahead[--l->num_ahead];
        }
    }
}

bool smrf_larf_ahead_meets(const struct smrf_larf *l, const struct smrf_flight *f, uint64_t first,
                           uint64_t last)
{
    for (uint32_t i = 0; i < l->num_ahead; i++) {
        const struct smrf_larf_store_ahead *s = &l->ahead[i];
        if ((int32_t)(s->version - f->version) < 0 && s->first <= last && first <= s->last) {
            return true;
        }
    }
    return false;
}
