/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction enters the load/store unit: its space, its sectors or passes, its table entry. */
#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"
#include "models/ldst/ldst_internal.h"

bool smrf_ldst_free(const struct smrf_ldst *l)
{
    return !l->dispatch.busy && l->entry_free != SMRF_LDST_NONE;
}

static bool in_window_(uint64_t address, uint64_t window)
{
    return window && address - window < (UINT64_C(16) << 20);
}

/* The space that the instruction accesses; the first active lane decides for generic addresses
 * (Accel-Sim: trace_warp_inst_t::parse_from_trace_struct). */
static enum smrf_space space_(const struct smrf_ldst_inst *in)
{
    enum smrf_space space = (enum smrf_space)in->inst->op->space;
    uint64_t address;

    if (in->inst->mask == 0 || in->inst->op->access_bytes == 0 ||
        in->inst->addr_kind == SMRF_ADDR_NONE) {
        return SMRF_SPACE_NONE;
    }
    if (in->inst->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        return SMRF_SPACE_GLOBAL;
    }
    if (space != SMRF_SPACE_GENERIC) {
        return space;
    }
    address = smrf_first_address(in->inst);
    if (in_window_(address, in->shared_window)) {
        return SMRF_SPACE_SHARED;
    }
    return in_window_(address, in->local_window) ? SMRF_SPACE_LOCAL : SMRF_SPACE_GLOBAL;
}

/* Where the local memory of a warp lies. */
static struct smrf_local_map local_map_(const struct smrf_ldst *l, const struct smrf_ldst_inst *in)
{
    const bool apart = l->cfg.ldst.generic_local == SMRF_GENERIC_LOCAL_ACCELSIM;
    const uint64_t window = apart ? 0 : in->local_window;
    const uint64_t slots = l->cfg.sm.warps;

    if (l->block_warps) {
        const uint64_t block = l->sm + l->cfg.gpu.sms * (in->warp / l->block_warps);
        const uint64_t warp = block * l->block_warps + in->warp % l->block_warps;
        return (struct smrf_local_map){.window = window,
                                       .thread = warp * SMRF_LANES,
                                       .threads = (uint64_t)l->block_warps * l->blocks *
                                                  l->cfg.gpu.sms * SMRF_LANES,
                                       .base = SMRF_LOCAL_BASE_ACCELSIM};
    }
    return (struct smrf_local_map){.window = window,
                                   .thread = (l->sm * slots + in->warp) * SMRF_LANES,
                                   .threads = l->cfg.gpu.sms * slots * SMRF_LANES,
                                   .base = SMRF_LOCAL_BASE};
}

/* Local accesses that are taken for hits without a look at the tags. */
static bool always_hits_(const struct smrf_ldst *l, unsigned access)
{
    return l->cfg.l1d.always_hit_local ||
           (access & SMRF_LDST_SPILL && l->cfg.l1d.always_hit_spills);
}

static void generate_local_(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint32_t bytes)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const struct smrf_local_map map = local_map_(l, in);

    d->route = SMRF_LDST_ROUTE_L1D;
    d->access |= SMRF_LDST_LOCAL;
    d->access |= in->inst->op->flags & SMRF_INST_SPILL ? SMRF_LDST_SPILL : 0;
    d->access |= always_hits_(l, d->access) ? SMRF_LDST_ALWAYS_HITS : 0;
    d->left = smrf_coalesce_local(in->inst, bytes, &map, d->sector);
}

static void generate_global_(struct smrf_ldst *l, const struct smrf_inst *inst, uint32_t bytes)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const unsigned marked = l->cfg.l1d.bypass_by == SMRF_BYPASS_BY_OPCODE
                                ? SMRF_INST_BYPASS_L1
                                : SMRF_INST_BYPASS_ACCELSIM;
    bool bypass = l->cfg.l1d.bypass || (inst->op->flags & marked);

    d->is_atomic = inst->op->op_class == SMRF_CLASS_ATOMIC;
    d->route = bypass || d->is_atomic ? SMRF_LDST_ROUTE_PORT : SMRF_LDST_ROUTE_L1D;
    d->left = d->is_atomic ? smrf_coalesce_atomic(inst, bytes, d->sector)
                           : smrf_coalesce_global(inst, bytes, d->sector);
}

void smrf_ldst_generate(struct smrf_ldst *l, const struct smrf_ldst_inst *in)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const struct smrf_inst *inst = in->inst;
    uint32_t bytes = inst->op->access_bytes;

    SMRF_ASSERT(smrf_ldst_free(l));
    SMRF_ASSERT(in->warp < l->cfg.sm.warps);
    bytes = bytes > SMRF_MAX_ACCESS_BYTES ? SMRF_MAX_ACCESS_BYTES : bytes;
    d->route = SMRF_LDST_ROUTE_DONE;
    d->space = (uint8_t)space_(in);
    d->warp = (uint8_t)in->warp;
    d->is_store = inst->op->op_class == SMRF_CLASS_STORE;
    d->access = d->is_store ? SMRF_LDST_STORE : 0;
    d->is_atomic = false;
    d->holds = inst->op->op_class == SMRF_CLASS_ATOMIC && inst->mask;
    d->slot = in->slot;
    d->left = 0;
    switch (d->space) {
    case SMRF_SPACE_SHARED:
        d->route = SMRF_LDST_ROUTE_SHARED;
        d->passes = smrf_shared_passes_known(&l->passes, inst, bytes, l->cfg.ldst.shared_banks);
        if (l->cfg.ldst.shared_atomic > 0 && inst->op->op_class == SMRF_CLASS_ATOMIC) {
            d->passes = l->cfg.ldst.shared_atomic *
                        (inst->op->flags & SMRF_INST_COUNTS_LANES
                             ? d->passes
                             : smrf_shared_atomic_passes(inst, l->cfg.ldst.shared_banks));
        }
        break;
    case SMRF_SPACE_LOCAL:
        generate_local_(l, in, bytes);
        break;
    case SMRF_SPACE_GLOBAL:
        generate_global_(l, inst, bytes);
        break;
    default: /* constant and texture memory are ideal; no active lane */
        if (inst->op->space == SMRF_SPACE_SHARED && inst->mask == 0 && !d->is_store) {
            d->route = SMRF_LDST_ROUTE_SHARED; /* without a destination, yet through the pipe
                                                  (Accel-Sim) */
            d->passes = 1;
        }
        break;
    }
    d->sectors = d->left;
    d->lanes = smrf_count_bits(inst->mask);
}

bool smrf_ldst_probe_readable(const struct smrf_ldst *l)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    bool readable = true;

    for (uint32_t i = 0; i < d->left && readable; i++) {
        const uint64_t at = d->sector[i].address;
        readable =
            d->access & SMRF_LDST_ALWAYS_HITS ||
            smrf_cache_probe(&l->tags, at, smrf_cache_linear_set(&l->tags, at), false).result ==
                SMRF_CACHE_HIT;
    }
    return readable;
}

bool smrf_ldst_probe_to_l1(const struct smrf_ldst *l)
{
    return l->dispatch.route == SMRF_LDST_ROUTE_L1D;
}

bool smrf_ldst_probe_past_l1(const struct smrf_ldst *l)
{
    return l->dispatch.route == SMRF_LDST_ROUTE_PORT;
}

enum smrf_space smrf_ldst_probe_sectors(const struct smrf_ldst *l,
                                        const struct smrf_sector **sectors, uint32_t *count)
{
    *sectors = l->dispatch.sector;
    *count = l->dispatch.left;
    return (enum smrf_space)l->dispatch.space;
}

void smrf_ldst_count(struct smrf_ldst *l, const struct smrf_inst *inst)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    struct smrf_ldst_stats *s = &l->stats;

    switch (d->space) {
    case SMRF_SPACE_SHARED:
        s->shared_conflict_cycles += d->passes - 1;
        ++*(d->is_store ? &s->shared_stores : &s->shared_loads);
        break;
    case SMRF_SPACE_LOCAL:
        s->local_sectors += d->left;
        if (inst->op->flags & SMRF_INST_SPILL) {
            s->spills++;
            s->spill_sectors += d->left;
        }
        ++*(d->is_store ? &s->local_stores : &s->local_loads);
        break;
    case SMRF_SPACE_GLOBAL:
        s->global_sectors += d->left;
        if (d->is_atomic) {
            s->atomics++;
            break;
        }
        s->bypass_sectors += d->route == SMRF_LDST_ROUTE_PORT ? d->left : 0;
        ++*(d->is_store ? &s->global_stores : &s->global_loads);
        break;
    default:
        s->others++;
        break;
    }
}

uint8_t smrf_ldst_entry_flags(const struct smrf_ldst *l, const struct smrf_inst *inst)
{
    bool dst = inst->op->num_dst > 0 || (l->cfg.rf.rz_is_register && inst->op->num_dst_base > 0);
    bool waits = dst || l->dispatch.route != SMRF_LDST_ROUTE_SHARED;

    return (uint8_t)((dst ? SMRF_LDST_HAS_DST : 0) | (waits ? SMRF_LDST_WAITS : 0) |
                     (waits && l->dispatch.holds ? SMRF_LDST_ATOMIC : 0));
}

/* The lines of the sectors in the dispatch register are on their way to the L1D. */
static void approach_(const struct smrf_ldst *l)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t last = d->left ? d->sector[d->left - 1].address / SMRF_LINE_BYTES : 0;
    uint64_t line = UINT64_MAX;

    if (d->access & SMRF_LDST_ALWAYS_HITS) {
        return;
    }
    for (uint32_t i = 0; i < d->left && line != last; i++) {
        const uint64_t at = d->sector[i].address;

        if (at / SMRF_LINE_BYTES != line) {
            line = at / SMRF_LINE_BYTES;
            smrf_cache_approach(&l->tags, at, smrf_cache_linear_set(&l->tags, at));
        }
    }
}

void smrf_ldst_enter(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    uint64_t due;

    SMRF_ASSERT(smrf_ldst_free(l) && d->slot == in->slot);
    d->busy = true;
    d->ready = cycle + d->passes; /* of a shared access */
    d->entry = SMRF_LDST_NONE;
    d->stall_stat = &d->no_stall;
    smrf_ldst_count(l, in->inst);
    if (d->route != SMRF_LDST_ROUTE_DONE && !d->is_store) {
        d->entry = smrf_ldst_entry_take(l);
        l->entry[d->entry] = (struct smrf_ldst_entry){.slot = in->slot,
                                                      .pending = (uint16_t)d->left,
                                                      .flags = smrf_ldst_entry_flags(l, in->inst)};
    }
    if (d->route == SMRF_LDST_ROUTE_L1D) {
        approach_(l);
    }
    due = d->route == SMRF_LDST_ROUTE_SHARED ? d->ready : cycle + 1;
    l->due = due < l->due ? due : l->due;
}

void smrf_ldst_accept(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle)
{
    smrf_ldst_generate(l, in);
    smrf_ldst_enter(l, in, cycle);
}
