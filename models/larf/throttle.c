/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions get registers: what blocks and warps may demand, and the banker's rule
 * (renaming.h). */
#include "renaming_internal.h"

#include "models/common/smrf_apart.h"
#include "models/issue/dependence.h"

#include <string.h>

/* --- the life of blocks and warps ------------------------------------------------------------- */

uint32_t smrf_vrf_registers(void *m, const struct smrf_sm_kernel *kernel)
{
    struct smrf_vrf *v = m;
    const uint32_t own = kernel->registers ? kernel->registers : 1;
    if (!v) {
        return own;
    }
    const uint32_t unit = v->sm.register_unit;
    const uint32_t rounded = (own + unit - 1) / unit * unit;
    v->demand = rounded > SMRF_REG_ZERO ? SMRF_REG_ZERO : rounded;
    const uint32_t warps = (kernel->warps_per_block + v->sm.subcores - 1) / v->sm.subcores;
    if (warps * v->demand > v->physical) {
        return v->sm.registers; /* of a thread: not even a block of one warp */
    }
    const uint32_t threads = kernel->warps_per_block * SMRF_LANES;
    const uint32_t fit = v->sm.registers / (threads * rounded);
    if (v->options.extra_blocks == 0 || fit == 0) {
        return own;
    }
    const uint32_t fewer =
        v->sm.registers / (threads * (fit + v->options.extra_blocks)) / unit * unit;
    return fewer > unit ? fewer : unit;
}

void smrf_vrf_placed(void *m, const struct smrf_block_record *block)
{
    struct smrf_vrf *v = m;
    struct smrf_vrf_block *b = &v->block[block->slot];
    *b = (struct smrf_vrf_block){.warps = block->warps};
    for (uint64_t rest = block->warps; rest; rest &= rest - 1) {
        const unsigned warp = (unsigned)__builtin_ctzll(rest);
        v->warp[warp].block = (uint8_t)block->slot;
        v->warp[warp].alone = 0;
        b->need[smrf_vrf_sub_of_(v, warp)] += v->demand;
        v->resident_warps++;
    }
    v->order[v->blocks++] = (uint8_t)block->slot;
    smrf_vrf_mark_(&v->stats.peak_blocks, v->blocks);
    smrf_vrf_mark_(&v->stats.peak_demand, (uint64_t)v->resident_warps * v->demand);
}

void smrf_vrf_finished(void *m, const struct smrf_block_record *block)
{
    struct smrf_vrf *v = m;
    unsigned at = 0;
    while (v->order[at] != block->slot) {
        at++;
    }
    memmove(v->order + at, v->order + at + 1, --v->blocks - at);
    for (unsigned sub = 0; sub < v->sm.subcores; sub++) {
        smrf_vrf_wake_(v, sub);
    }
}

void smrf_vrf_start(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_vrf *v = m;
    (void)base;
    (void)registers;
    memset(v->warp[warp].phys, 0xff, sizeof v->warp[warp].phys);
    memset(v->warp[warp].mapped, 0, sizeof v->warp[warp].mapped);
    v->warp[warp].lanes = 0;
}

/* Does every register have as many names as there are of it? */
static void audit_(struct smrf_vrf *v)
{
    uint64_t mapped = 0, counted = 0;
    for (unsigned w = 0; w < v->sm.warps; w++) {
        for (unsigned i = 0; i < SMRF_VRF_WORDS; i++) {
            mapped += smrf_count_bits((uint32_t)v->warp[w].mapped[i]) +
                      smrf_count_bits((uint32_t)(v->warp[w].mapped[i] >> 32));
        }
    }
    for (unsigned n = 0; n < v->sm.subcores * v->physical; n++) {
        counted += v->reg[n].names;
        mapped += v->reg[n].free && v->reg[n].names;
    }
    v->stats.faults_names += mapped != counted || mapped != v->names;
}

void smrf_vrf_exit(void *m, unsigned warp)
{
    struct smrf_vrf *v = m;
    struct smrf_vrf_warp *w = &v->warp[warp];
    if (v->audited) {
        audit_(v);
    }
    for (unsigned i = 0; i < SMRF_VRF_WORDS; i++) {
        for (uint64_t names = w->mapped[i]; names; names &= names - 1) {
            smrf_vrf_unname_(v, warp, i * 64 + (unsigned)__builtin_ctzll(names), false);
        }
    }
    v->resident_warps--;
    v->sub[smrf_vrf_sub_of_(v, warp)].waiting &= ~(UINT64_C(1) << warp);
    smrf_vrf_wake_(v, smrf_vrf_sub_of_(v, warp));
}

/* --- who gets registers --- */

/* Physical registers that an instruction takes. */
static unsigned wanted_(const struct smrf_vrf *v, unsigned warp, const struct smrf_operands *o)
{
    const struct smrf_vrf_warp *w = &v->warp[warp];
    const unsigned sub = smrf_vrf_sub_of_(v, warp);
    uint64_t seen[SMRF_VRF_WORDS] = {0};
    unsigned wanted = 0;
    for (unsigned i = 0; i < o->num_src + o->num_dst; i++) {
        const bool written = i >= o->num_src;
        const unsigned reg = written ? o->dst[i - o->num_src] : o->src[i];
        if (reg >= v->demand ||
            (smrf_vrf_has_(w, reg) && (!written || smrf_vrf_in_place_(v, sub, w->phys[reg], 0)))) {
            continue; /* it has one */
        }
        wanted += !(seen[reg / 64] >> reg % 64 & 1);
        seen[reg / 64] |= UINT64_C(1) << reg % 64;
    }
    return wanted;
}

/* May a warp take so many registers? */
static inline bool may_take_(const struct smrf_vrf *v, unsigned warp, unsigned wanted)
{
    const unsigned sub = smrf_vrf_sub_of_(v, warp);
    const struct smrf_vrf_sub *s = &v->sub[sub];
    const bool first = v->warp[warp].block == v->order[0];
    const uint32_t need = v->block[v->order[0]].need[sub];
    const bool safe = first || s->free + s->dying >= wanted + need;
    return wanted == 0 || (s->free >= wanted && safe);
}

/* Lanes are copied from the older register when the instruction reads its sources. Control bits do
 * not wait for results of other paths: is one still on its way to it? */
static bool comes_late_(const struct smrf_vrf *v, unsigned warp, const struct smrf_operands *o,
                        uint32_t mask)
{
    const struct smrf_vrf_warp *w = &v->warp[warp];
    const struct smrf_vrf_register *reg = &v->reg[smrf_vrf_sub_of_(v, warp) * v->physical];
    bool late = false;
    for (unsigned i = 0; v->ordered && mask && i < o->num_dst; i++) {
        const unsigned phys = w->phys[o->dst[i]];
        late |= phys != SMRF_PHYS_NONE && reg[phys].pins && smrf_vrf_carries_(v, warp, i, mask);
    }
    return late;
}

/* Exactly as many registers as the instruction takes are asked for. Returns whether it gets them.
 */
static SMRF_APART bool is_ready_(struct smrf_vrf *v, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_operands o = smrf_operands_of(inst->op, v->rf.base_registers_only);
    const bool late = comes_late_(v, warp, &o, inst->mask);
    const bool room = may_take_(v, warp, wanted_(v, warp, &o));
    v->stats.throttled += !room;
    v->sub[smrf_vrf_sub_of_(v, warp)].waiting |= (uint64_t)(late || !room) << warp;
    return room && !late;
}

bool smrf_vrf_ready(void *m, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_vrf *v = m;
    const bool told = inst->facts && v->options.release == SMRF_LARF_RELEASE_DEATH;
    const unsigned most = inst->op->num_src + inst->op->num_dst; /* mostly there is room for all */
    v->warp[warp].unmerged = told ? inst->facts->unmerged_dst : 0;
    v->sub[smrf_vrf_sub_of_(v, warp)].waiting &= ~(UINT64_C(1) << warp);
    return (!v->ordered && may_take_(v, warp, most)) || is_ready_(v, warp, inst);
}
