/* SPDX-License-Identifier: Apache-2.0 */
/* Locality-aware register file: what it keeps beside the virtual register file and its mapping
 * controller (controller.c).
 * Source: LARF 2 and 3. */
#include "larf.h"

#include "models/collector/collector.h"

#include <string.h>

/* --- state ------------------------------------------------------------------------------------ */

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static uint32_t registers_of_(const struct smrf_mechanism_setup *setup)
{
    return setup->sm.subcores * smrf_vrf_physical(setup, setup->options);
}

size_t smrf_larf_bytes(const struct smrf_mechanism_setup *setup)
{
    const uint32_t registers = registers_of_(setup);
    return aligned_(sizeof(struct smrf_larf)) + aligned_(smrf_vrf_bytes(setup, setup->options)) +
           aligned_(smrf_amt_capacity(setup->options, registers) * sizeof(struct smrf_amt_entry)) +
           aligned_(registers * sizeof(uint16_t)) + sizeof(struct smrf_larf_log);
}

static void lost_(void *ctx, unsigned sub, unsigned phys)
{
    struct smrf_larf *l = ctx;
    smrf_amt_remove(&l->table, smrf_amt_of(&l->table, sub, phys));
    l->stats.deaths++;
}

/* What the table takes: LARF 4.2 has base, stride and lanes; an entry also names its register, and
 * a stride may be down. */
static void count_storage_(struct smrf_larf *l, uint32_t registers)
{
    static const uint8_t lane_bits[] = {
        [SMRF_LARF_LANES_RUN] = 5 + 5, /* the first, and how many follow */
        [SMRF_LARF_LANES_FIRST] = 5,
        [SMRF_LARF_LANES_ANY] = SMRF_LANES,
    };
    const struct smrf_larf_params *o = &l->v.options;
    const uint32_t base = o->base_bits ? o->base_bits : SMRF_LARF_ADDRESS_BITS;
    const uint32_t stride = o->stride_max ? smrf_bits_of(o->stride_max) + 1 : base;
    if (o->table) {
        l->stats.entry_bits = base + stride + lane_bits[o->lanes] + smrf_bits_of(registers - 1);
        l->stats.storage_table = (l->table.capacity * l->stats.entry_bits + 7) / 8;
    }
}

int smrf_larf_init(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_larf *l = m;
    const uint32_t registers = registers_of_(setup);
    char *at = (char *)m + aligned_(sizeof *l);
    (void)sm;
    l->v.reg = (struct smrf_vrf_register *)at;
    at += aligned_(smrf_vrf_bytes(setup, setup->options));
    l->table.entry = (struct smrf_amt_entry *)at;
    at += aligned_(smrf_amt_capacity(setup->options, registers) * sizeof *l->table.entry);
    l->table.of_register = (uint16_t *)at;
    at += aligned_(registers * sizeof *l->table.of_register);
    l->log = (struct smrf_larf_log *)at;
    smrf_vrf_init(&l->v, setup, setup->options);
    smrf_amt_init(&l->table, setup->options, setup->sm.subcores, l->v.physical);
    l->v.lost = lost_;
    l->v.ctx = l;
    l->merger = setup->rf.collectors - 1;
    l->keeps_merger =
        l->v.options.table && l->v.options.partial && setup->rf.read != SMRF_READ_WINDOW;
    memset(l->waits_for, 0xff, sizeof l->waits_for);
    count_storage_(l, registers);
    return SMRF_OK;
}

uint32_t smrf_larf_registers(void *m, const struct smrf_sm_kernel *kernel)
{
    struct smrf_larf *l = m;
    if (l) {
        l->shared_window = kernel->shared_window;
        l->local_window = kernel->local_window;
    }
    return smrf_vrf_registers(m, kernel);
}

/* --- the merge's collector -------------------------------------------------------------------- */

static uint32_t others_(const struct smrf_larf *l, uint32_t units)
{
    return l->keeps_merger ? units & ~(UINT32_C(1) << l->merger) : units;
}

static int pick_(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng,
                 uint64_t cycle)
{
    const struct smrf_larf *l = m;
    const uint32_t units = others_(l, free_units);
    (void)sub;
    (void)warp;
    (void)cycle;
    return units ? (int)smrf_collectors_choose(units, l->v.rf.collector_pick, rng) : SMRF_PICK_NONE;
}

static uint64_t eligible_(void *m, unsigned sub, uint32_t free_units, uint64_t ready)
{
    (void)sub;
    return others_(m, free_units) ? ready : 0;
}

/* --- the GPU: coherence ----------------------------------------------------------------------- */

struct larf_gpu {
    unsigned sms;
};

static size_t gpu_bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct larf_gpu);
}

static int gpu_init_(void *g, const struct smrf_mechanism_setup *setup)
{
    ((struct larf_gpu *)g)->sms = setup->gpu.sms;
    return SMRF_OK;
}

static uint64_t interval_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_larf_params *o = setup->options;
    return o->table ? SMRF_LARF_EDGE : 0;
}

static void compare_(void *g, void *const *sm)
{
    struct smrf_larf_view view[SMRF_MAX_SMS];
    const unsigned sms = ((struct larf_gpu *)g)->sms;
    for (unsigned i = 0; i < sms; i++) {
        struct smrf_larf *l = sm[i];
        view[i] = (struct smrf_larf_view){l->log, &l->table, &l->stats.stale_local,
                                          &l->stats.stale_remote};
    }
    smrf_larf_compare(view, sms);
}

static bool edge_(void *g, void *const *sm, uint64_t cycle, uint64_t thread_insts,
                  uint64_t launches, uint64_t *row)
{
    (void)cycle;
    (void)thread_insts;
    (void)launches;
    (void)row;
    compare_(g, sm);
    return false;
}

static void kernel_end_(void *g, void *const *sm, const struct smrf_gpu_launch *launch,
                        uint64_t cycle)
{
    (void)launch;
    (void)cycle;
    compare_(g, sm);
}

const struct smrf_allocation_seam smrf_larf_allocation_seam = {
    .pick = pick_, .eligible = eligible_, .gives_any = "larf.partial=off"};
const struct smrf_gpu_seam smrf_larf_gpu_seam = {
    .bytes = gpu_bytes_,
    .init = gpu_init_,
    .kernel_end = kernel_end_,
    .interval = interval_,
    .edge = edge_,
};

/* --- audits ----------------------------------------------------------------------------------- */

/* Does every entry point to a register that a name uses, and that counts the entry? */
static void audit_(struct smrf_larf *l)
{
    for (uint32_t i = 0, left = l->table.count; left && i < l->table.capacity; i++) {
        const struct smrf_amt_entry *e = &l->table.entry[i];
        if (!e->taken) {
            continue;
        }
        const struct smrf_vrf_register *r = smrf_vrf_at(&l->v, e->sub, e->phys);
        left--;
        l->stats.faults_entries += !r->names || !r->listed;
    }
}

void smrf_larf_exit(void *m, unsigned warp)
{
    struct smrf_larf *l = m;
    if (l->v.audited) {
        audit_(l);
    }
    smrf_larf_ahead_exit(l, warp);
    smrf_vrf_exit(&l->v, warp);
}
