/* SPDX-License-Identifier: Apache-2.0 */
#include "renaming.h"

#include "models/common/smrf_assert.h"
#include "models/issue/dependence.h"

#include <string.h>

#define NONE SMRF_PHYS_NONE

uint32_t smrf_vrf_physical(const struct smrf_mechanism_setup *setup,
                           const struct smrf_larf_params *options)
{
    struct smrf_sm_params sm = setup->sm;
    if (options->file_bytes) {
        sm.registers = options->file_bytes / 4;
    }
    return smrf_physical_registers(&sm);
}

size_t smrf_vrf_bytes(const struct smrf_mechanism_setup *setup,
                      const struct smrf_larf_params *options)
{
    return sizeof(struct smrf_vrf_register) * setup->sm.subcores *
           smrf_vrf_physical(setup, options);
}

static void give_(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_sub *s = &v->sub[sub];
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    const unsigned bank = phys % v->rf.banks;
    r->free = true;
    r->next = s->head[bank];
    s->head[bank] = (uint16_t)phys;
    s->count[bank]++;
    s->free++;
}

void smrf_vrf_init(struct smrf_vrf *v, const struct smrf_mechanism_setup *setup,
                   const struct smrf_larf_params *options)
{
    v->options = *options;
    v->rf = setup->rf;
    v->sm = setup->sm;
    v->physical = smrf_vrf_physical(setup, options);
    for (unsigned sub = 0; sub < v->sm.subcores; sub++) {
        memset(v->sub[sub].head, 0xff, sizeof v->sub[sub].head);
        for (unsigned n = v->physical; n-- > 0;) {
            *smrf_vrf_at(v, sub, n) = (struct smrf_vrf_register){0};
            give_(v, sub, n);
        }
    }
    for (unsigned w = 0; w < SMRF_MAX_WARPS; w++) {
        memset(v->warp[w].phys, 0xff, sizeof v->warp[w].phys);
    }
}

void smrf_vrf_attach(void *m, const struct smrf_services *services)
{
    ((struct smrf_vrf *)m)->services = *services;
}

static unsigned sub_of_(const struct smrf_vrf *v, unsigned warp)
{
    return warp & (v->sm.subcores - 1);
}

static void mark_(uint64_t *mark, uint64_t now)
{
    *mark = now > *mark ? now : *mark;
}

/* --- free registers --------------------------------------------------------------------------------- */

/* Whoever was refused registers may ask again. */
static void wake_(struct smrf_vrf *v, unsigned sub)
{
    const uint64_t waiting = v->sub[sub].waiting;
    v->sub[sub].waiting = 0;
    for (uint64_t m = waiting; m; m &= m - 1) {
        v->services.wake(v->services.ctx, (unsigned)__builtin_ctzll(m));
    }
}

/* The bank whose free register is taken for an architectural one. */
static unsigned bank_for_(const struct smrf_vrf *v, unsigned sub, unsigned warp, unsigned reg)
{
    const struct smrf_vrf_sub *s = &v->sub[sub];
    const unsigned turn = v->options.bank == SMRF_LARF_BANK_TURN ? warp : 0;
    unsigned best = (reg + turn) % v->rf.banks;
    if (s->count[best] && v->options.bank != SMRF_LARF_BANK_FULLEST) {
        return best;
    }
    for (unsigned b = 0; b < v->rf.banks; b++) {
        best = s->count[b] > s->count[best] ? b : best;
    }
    return best;
}

static void use_(struct smrf_vrf *v)
{
    v->stats.allocated++;
    mark_(&v->stats.peak_registers, ++v->in_use);
}

static unsigned take_(struct smrf_vrf *v, unsigned sub, unsigned warp, unsigned reg, bool reserved)
{
    struct smrf_vrf_sub *s = &v->sub[sub];
    const unsigned bank = bank_for_(v, sub, warp, reg);
    const unsigned phys = s->head[bank];
    SMRF_ASSERT(phys != NONE);
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    s->head[bank] = r->next;
    s->count[bank]--;
    s->free--;
    *r = (struct smrf_vrf_register){.warp = (uint8_t)warp, .reserved = reserved};
    if (!reserved) {
        use_(v);
    }
    return phys;
}

/* Nobody names it: free it, if nobody has still to read or write it. */
static void free_(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    const uint32_t readers = v->services.readers(v->services.ctx, sub, smrf_vrf_place(v, phys));
    if (r->names || r->pins || r->free || readers) {
        return;
    }
    v->sub[sub].dying--;
    if (!r->reserved) {
        v->stats.freed++;
        v->in_use--;
    }
    give_(v, sub, phys);
    wake_(v, sub);
}

/* --- names -------------------------------------------------------------------------------------------- */

/* The register counts, or does not any more, as what the warp has of its demand. */
static void count_alone_(struct smrf_vrf *v, unsigned warp, int by)
{
    uint32_t *need = &v->block[v->warp[warp].block].need[sub_of_(v, warp)];
    v->warp[warp].alone = (uint16_t)(v->warp[warp].alone + by);
    *need = (uint32_t)((int64_t)*need - by);
}

static void name_(struct smrf_vrf *v, unsigned warp, unsigned reg, unsigned phys)
{
    struct smrf_vrf_warp *w = &v->warp[warp];
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub_of_(v, warp), phys);
    if (r->names == 0) {
        r->warp = (uint8_t)warp;
        count_alone_(v, warp, 1);
    } else if (!r->mixed && r->warp != warp) {
        r->mixed = true;
        count_alone_(v, r->warp, -1);
    }
    r->names++;
    w->phys[reg] = (uint16_t)phys;
    w->mapped[reg / 64] |= UINT64_C(1) << reg % 64;
    v->stats.named++;
    mark_(&v->stats.peak_names, ++v->names);
}

/* keep: somebody is about to read it. */
static void unname_(struct smrf_vrf *v, unsigned warp, unsigned reg, bool keep)
{
    struct smrf_vrf_warp *w = &v->warp[warp];
    const unsigned sub = sub_of_(v, warp), phys = w->phys[reg];
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    w->phys[reg] = NONE;
    w->mapped[reg / 64] &= ~(UINT64_C(1) << reg % 64);
    v->names--;
    v->stats.unnamed++;
    if (--r->names) {
        return;
    }
    if (!r->mixed) {
        count_alone_(v, r->warp, -1);
    }
    if (r->listed) {
        r->listed = false;
        v->lost(v->ctx, sub, phys);
    }
    v->sub[sub].dying++;
    if (!keep) {
        free_(v, sub, phys);
    }
}

/* --- the life of blocks and warps ------------------------------------------------------------------- */

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
        b->need[sub_of_(v, warp)] += v->demand;
        v->resident_warps++;
    }
    v->order[v->blocks++] = (uint8_t)block->slot;
    mark_(&v->stats.peak_blocks, v->blocks);
    mark_(&v->stats.peak_demand, (uint64_t)v->resident_warps * v->demand);
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
        wake_(v, sub);
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
            mapped += (unsigned)__builtin_popcountll(v->warp[w].mapped[i]);
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
    audit_(v);
    for (unsigned i = 0; i < SMRF_VRF_WORDS; i++) {
        for (uint64_t names = w->mapped[i]; names; names &= names - 1) {
            unname_(v, warp, i * 64 + (unsigned)__builtin_ctzll(names), false);
        }
    }
    v->resident_warps--;
    v->sub[sub_of_(v, warp)].waiting &= ~(UINT64_C(1) << warp);
    wake_(v, sub_of_(v, warp));
}

/* --- renaming ------------------------------------------------------------------------------------------- */

static bool has_(const struct smrf_vrf_warp *w, unsigned reg)
{
    return w->mapped[reg / 64] >> reg % 64 & 1;
}

/* May a result take the place of the value before? own: reads of the writer's own instruction. */
static bool in_place_(const struct smrf_vrf *v, unsigned sub, unsigned phys, uint32_t own)
{
    const struct smrf_vrf_register *r = &v->reg[sub * v->physical + phys];
    if (r->names != 1 || r->pins ||
        (r->listed && v->options.overwrite == SMRF_LARF_OVERWRITE_NEW)) {
        return false;
    }
    return v->services.readers(v->services.ctx, sub, smrf_vrf_place(v, phys)) == own;
}

/* Physical registers that an instruction takes. */
static unsigned wanted_(const struct smrf_vrf *v, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_operands o = smrf_operands_of(inst->op, v->rf.base_registers_only);
    const struct smrf_vrf_warp *w = &v->warp[warp];
    const unsigned sub = sub_of_(v, warp);
    uint64_t seen[SMRF_VRF_WORDS] = {0};
    unsigned wanted = 0;
    for (unsigned i = 0; i < o.num_src + o.num_dst; i++) {
        const bool written = i >= o.num_src;
        const unsigned reg = written ? o.dst[i - o.num_src] : o.src[i];
        if (reg >= v->demand || seen[reg / 64] >> reg % 64 & 1) {
            continue;
        }
        if (!has_(w, reg)) {
            wanted++;
            seen[reg / 64] |= UINT64_C(1) << reg % 64;
        } else if (written && !in_place_(v, sub, w->phys[reg], 0)) {
            wanted++;
            seen[reg / 64] |= UINT64_C(1) << reg % 64;
        }
    }
    return wanted;
}

bool smrf_vrf_ready(void *m, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_vrf *v = m;
    const unsigned sub = sub_of_(v, warp), wanted = wanted_(v, warp, inst);
    struct smrf_vrf_sub *s = &v->sub[sub];
    const bool first = v->warp[warp].block == v->order[0];
    const uint32_t need = v->block[v->order[0]].need[sub];
    const bool safe = first || s->free + s->dying >= wanted + need;
    if (wanted == 0 || (s->free >= wanted && safe)) {
        s->waiting &= ~(UINT64_C(1) << warp);
        return true;
    }
    v->stats.throttled++;
    s->waiting |= UINT64_C(1) << warp;
    return false;
}

static struct smrf_register_place nowhere_(const struct smrf_vrf *v, unsigned warp, unsigned reg)
{
    return smrf_place_of(&v->rf, warp, reg, NONE);
}

/* A register that is read before it was written has come with the warp. */
struct smrf_register_place smrf_vrf_source(void *m, const struct smrf_flight *f, unsigned i)
{
    struct smrf_vrf *v = m;
    const unsigned reg = f->src_reg[i];
    if (reg >= v->demand) {
        return nowhere_(v, f->warp, reg);
    }
    if (!has_(&v->warp[f->warp], reg)) {
        name_(v, f->warp, reg, take_(v, f->sub, f->warp, reg, false));
    }
    return smrf_vrf_place(v, v->warp[f->warp].phys[reg]);
}

static bool same_(struct smrf_register_place a, struct smrf_register_place b)
{
    return a.row == b.row && a.bank == b.bank;
}

/* Reads of the place by the instruction itself. */
static uint32_t own_reads_(const struct smrf_flight *f, struct smrf_register_place at)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < f->num_src; i++) {
        n += same_(f->src[i], at);
    }
    return n;
}

/* A load whose register is used only when the look-up of its addresses has failed. */
static bool late_(const struct smrf_vrf *v, const struct smrf_flight *f)
{
    return v->options.allocate == SMRF_LARF_AT_LOOKUP && f->op->op_class == SMRF_CLASS_LOAD &&
           (f->op->space == SMRF_SPACE_GLOBAL || f->op->space == SMRF_SPACE_GENERIC);
}

struct smrf_register_place smrf_vrf_destination(void *m, const struct smrf_flight *f, unsigned i,
                                                struct smrf_register_place *carry)
{
    struct smrf_vrf *v = m;
    const unsigned reg = f->dst_reg[i], old = v->warp[f->warp].phys[reg];
    const uint32_t others = v->warp[f->warp].lanes & ~f->mask; /* whose value may live on */
    if (reg >= v->demand) {
        return nowhere_(v, f->warp, reg);
    }
    for (unsigned k = 0; k < i; k++) {
        if (f->dst_reg[k] == reg) { /* named twice */
            smrf_vrf_pin(v, f->sub, smrf_vrf_number(v, f->dst[k]));
            return f->dst[k];
        }
    }
    if (old != NONE && in_place_(v, f->sub, old, own_reads_(f, smrf_vrf_place(v, old)))) {
        struct smrf_vrf_register *r = smrf_vrf_at(v, f->sub, old);
        v->stats.overwritten++;
        if (r->listed) {
            r->listed = false;
            v->lost(v->ctx, f->sub, old);
        }
        r->fresh = others == 0;
        r->pins++;
        return smrf_vrf_place(v, old);
    }
    const bool carries = old != NONE && others;
    const unsigned now = take_(v, f->sub, f->warp, reg, late_(v, f) && !carries);
    if (old != NONE) {
        unname_(v, f->warp, reg, carries);
    }
    if (carries) {
        *carry = smrf_vrf_place(v, old);
        v->stats.carried++;
    }
    name_(v, f->warp, reg, now);
    smrf_vrf_at(v, f->sub, now)->fresh = !carries;
    smrf_vrf_at(v, f->sub, now)->pins++;
    return smrf_vrf_place(v, now);
}

void smrf_vrf_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_vrf *v = m;
    struct smrf_vrf_warp *w = &v->warp[f->warp];
    const struct smrf_inst_facts *facts = inst->facts;
    w->lanes |= f->mask;
    if (f->op->op_class == SMRF_CLASS_EXIT) {
        w->lanes &= ~f->mask;
    }
    if (!facts || v->options.release == SMRF_LARF_RELEASE_OVERWRITE) {
        v->stats.by_nobody++;
        return;
    }
    v->stats.by_lookahead += facts->exact;
    v->stats.by_program += !facts->exact;
    for (unsigned i = 0; i < SMRF_VRF_WORDS; i++) {
        for (uint64_t dead = w->mapped[i] & ~facts->live.w[i]; dead; dead &= dead - 1) {
            unname_(v, f->warp, i * 64 + (unsigned)__builtin_ctzll(dead), false);
            v->stats.released++;
        }
    }
}

void smrf_vrf_pin(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    smrf_vrf_at(v, sub, phys)->pins++;
}

void smrf_vrf_unpin(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    SMRF_ASSERT(r->pins);
    if (--r->pins) {
        return;
    }
    if (r->names) {
        wake_(v, sub); /* it may be written in place now */
    } else {
        free_(v, sub, phys);
    }
}

void smrf_vrf_written(void *m, const struct smrf_flight *f, unsigned reg)
{
    struct smrf_vrf *v = m;
    for (unsigned i = 0; i < f->num_dst; i++) {
        if (f->dst_reg[i] == reg && f->dst[i].row != SMRF_ROW_NONE) {
            smrf_vrf_use(v, f, i);
            smrf_vrf_unpin(v, f->sub, smrf_vrf_number(v, f->dst[i]));
            return;
        }
    }
}

void smrf_vrf_last_read(void *m, unsigned sub, struct smrf_register_place at)
{
    struct smrf_vrf *v = m;
    const unsigned phys = smrf_vrf_number(v, at);
    const struct smrf_vrf_register *r = smrf_vrf_at(v, sub, phys);
    v->stats.faults_freed += r->free;
    if (r->names) {
        wake_(v, sub);
    } else {
        free_(v, sub, phys);
    }
}

struct smrf_register_place smrf_vrf_probe(const void *m, unsigned warp, unsigned reg)
{
    const struct smrf_vrf *v = m;
    const unsigned phys = reg < 256 ? v->warp[warp].phys[reg] : NONE;
    return phys == NONE ? nowhere_(v, warp, reg) : smrf_vrf_place(v, phys);
}

/* --- sharing ------------------------------------------------------------------------------------------------ */

bool smrf_vrf_holds(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    const unsigned phys = v->warp[f->warp].phys[f->dst_reg[i]];
    return phys != NONE && same_(smrf_vrf_place(v, phys), f->dst[i]);
}

bool smrf_vrf_replaceable(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    if (!smrf_vrf_holds(v, f, i)) {
        return false;
    }
    const unsigned phys = v->warp[f->warp].phys[f->dst_reg[i]];
    const struct smrf_vrf_register *r = &v->reg[f->sub * v->physical + phys];
    return r->names == 1 && r->pins == 1 && r->fresh;
}

struct smrf_register_place smrf_vrf_share(struct smrf_vrf *v, const struct smrf_flight *f,
                                          unsigned i, unsigned phys)
{
    const unsigned reg = f->dst_reg[i], own = v->warp[f->warp].phys[reg];
    smrf_vrf_pin(v, f->sub, phys); /* until the load has ended */
    unname_(v, f->warp, reg, true);
    name_(v, f->warp, reg, phys);
    smrf_vrf_unpin(v, f->sub, own);
    return smrf_vrf_place(v, phys);
}

void smrf_vrf_use(struct smrf_vrf *v, const struct smrf_flight *f, unsigned i)
{
    struct smrf_vrf_register *r = smrf_vrf_at(v, f->sub, smrf_vrf_number(v, f->dst[i]));
    if (r->reserved) {
        r->reserved = false;
        use_(v);
    }
}
