/* SPDX-License-Identifier: Apache-2.0 */
/* Locality-aware register file: warps share loaded registers. The mapping controller looks a load's
 * addresses up in the address mapping table: the destination gets the register that holds them (perfect
 * sharing), or, if the L1 does not have them, is put together from two (partial sharing).
 * Source: LARF 2 and 3. */
#include "coherence.h"
#include "larf.h"

#include "models/collector/collector.h"
#include "models/common/smrf_assert.h"
#include "models/seam/mechanism_stats.h"
#include "models/sm/sm_stats.h"

#include <string.h>

/* --- state ------------------------------------------------------------------------------------------ */

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static uint32_t registers_of_(const struct smrf_mechanism_setup *setup)
{
    return setup->sm.subcores * smrf_vrf_physical(setup, setup->options);
}

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    const uint32_t registers = registers_of_(setup);
    return aligned_(sizeof(struct smrf_larf)) +
           aligned_(smrf_vrf_bytes(setup, setup->options)) +
           aligned_(smrf_amt_capacity(setup->options, registers) * sizeof(struct smrf_amt_entry)) +
           aligned_(registers * sizeof(uint16_t)) + sizeof(struct smrf_larf_log);
}

static void lost_(void *ctx, unsigned sub, unsigned phys)
{
    struct smrf_larf *l = ctx;
    smrf_amt_remove(&l->table, smrf_amt_of(&l->table, sub, phys));
    l->stats.deaths++;
}

static int init_(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
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
    memset(l->waits_for, 0xff, sizeof l->waits_for);
    return SMRF_OK;
}

static const char *check_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_larf_params *o = setup->options;
    if (o->table && setup->rf.collector_slots > 1) {
        return "a unit that merges holds one instruction: use rf.collector_slots=1";
    }
    if (o->table && o->partial && setup->rf.collectors < 2) {
        return "partial sharing takes a collector unit of its own: use rf.collectors of 2 or more, "
               "or larf.partial=off";
    }
    return smrf_larf_check_file(setup);
}

/* --- entries --------------------------------------------------------------------------------------- */

static void remove_(struct smrf_larf *l, struct smrf_amt_entry *e)
{
    smrf_vrf_at(&l->v, e->sub, e->phys)->listed = false;
    smrf_amt_remove(&l->table, e);
}

static void empty_(struct smrf_larf *l, uint64_t *counter)
{
    for (uint32_t i = 0; l->table.count; i++) {
        if (l->table.entry[i].taken) {
            remove_(l, &l->table.entry[i]);
            ++*counter;
        }
    }
}

/* A load's registers get entries, as far as they are still named. */
static void remember_(struct smrf_larf *l, const struct smrf_memory_request *r,
                      struct smrf_amt_bytes bytes)
{
    const struct smrf_flight *f = r->f;
    for (unsigned i = 0; i < f->num_dst; i++) {
        struct smrf_amt_entry out;
        if (!smrf_vrf_holds(&l->v, f, i)) {
            continue;
        }
        const unsigned phys = smrf_vrf_number(&l->v, f->dst[i]);
        if (!smrf_amt_insert(&l->table, f->sub, phys, smrf_amt_word(bytes, i), r->flight, r->cycle,
                             &out)) {
            l->stats.no_room++;
            continue;
        }
        smrf_vrf_at(&l->v, f->sub, phys)->listed = true;
        l->stats.inserted++;
        if (out.taken) {
            smrf_vrf_at(&l->v, out.sub, out.phys)->listed = false;
            l->stats.replaced++;
        }
    }
}

/* --- look-up ----------------------------------------------------------------------------------------- */

/* Does the table have anything to do with the load? */
static bool qualifies_(struct smrf_larf *l, const struct smrf_memory_request *r,
                       struct smrf_amt_bytes *bytes)
{
    const struct smrf_static_inst *op = r->inst->op;
    const unsigned words = op->access_bytes / 4u;
    const bool whole = op->access_bytes >= 4 && op->access_bytes % 4 == 0 && words == r->f->num_dst;
    if (!l->v.options.table || r->space != SMRF_SPACE_GLOBAL) {
        return false;
    }
    if (op->flags & SMRF_INST_BYPASS_L1) {
        l->stats.exempt++;
        return false;
    }
    if (!whole || (words > 1 && !l->v.options.wide) ||
        !smrf_amt_describe(&l->table, r->inst, bytes)) {
        l->stats.shapeless++;
        return false;
    }
    return true;
}

/* Entries of all registers of a load. Returns false: not all have one that may be taken. */
static bool find_all_(struct smrf_larf *l, const struct smrf_memory_request *r,
                      struct smrf_amt_bytes bytes, struct smrf_amt_entry **e)
{
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        e[i] = smrf_amt_find(&l->table, r->f->sub, smrf_amt_word(bytes, i));
        if (!e[i] || (e[i]->flight != SMRF_NO_FLIGHT && !l->v.options.pending)) {
            return false;
        }
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        if (!smrf_vrf_replaceable(&l->v, r->f, i)) {
            l->stats.lanes_live++;
            return false;
        }
    }
    return true;
}

/* The load `waiter` ends when `load` has. */
static void wait_(struct smrf_larf *l, uint32_t waiter, unsigned i, uint32_t load)
{
    const uint16_t node = (uint16_t)(waiter * SMRF_MERGE_DST + i);
    l->next[node] = l->waits_for[load];
    l->waits_for[load] = node;
    l->awaited[waiter]++;
}

static void share_(struct smrf_larf *l, const struct smrf_memory_request *r,
                   struct smrf_amt_bytes bytes, struct smrf_amt_entry **e,
                   struct smrf_memory_answer *answer)
{
    const struct smrf_flight *f = r->f;
    l->awaited[r->flight] = 0;
    for (unsigned i = 0; i < f->num_dst; i++) {
        smrf_amt_use(&l->table, e[i]);
        smrf_larf_log_use(l->log, e[i], smrf_amt_word(bytes, i), r->cycle);
        if (e[i]->flight != SMRF_NO_FLIGHT) {
            wait_(l, r->flight, i, e[i]->flight);
        }
        answer->at[i] = smrf_vrf_share(&l->v, f, i, e[i]->phys);
    }
    answer->delay = l->awaited[r->flight] ? SMRF_MEMORY_WAIT : l->v.options.lookup_cycles;
    l->stats.perfect_shares++;
    l->stats.perfect_registers += f->num_dst;
    l->stats.pending_shares += l->awaited[r->flight] != 0;
}

static enum smrf_memory_verdict address_(void *m, const struct smrf_memory_request *r,
                                         struct smrf_memory_answer *answer)
{
    struct smrf_larf *l = m;
    struct smrf_amt_entry *e[SMRF_MERGE_DST];
    struct smrf_amt_bytes bytes;
    l->stats.loads++;
    if (!qualifies_(l, r, &bytes)) {
        l->stats.issued++;
        return SMRF_MEMORY_ISSUE;
    }
    l->stats.lookups++;
    if (find_all_(l, r, bytes, e)) {
        share_(l, r, bytes, e, answer);
        return SMRF_MEMORY_SHARE;
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        smrf_vrf_use(&l->v, r->f, i);
    }
    remember_(l, r, bytes);
    l->stats.issued++;
    return SMRF_MEMORY_ISSUE;
}

/* --- partial sharing ---------------------------------------------------------------------------------- */

static void take_part_(struct smrf_larf *l, const struct smrf_memory_request *r,
                       struct smrf_amt_bytes bytes, const struct smrf_amt_pair *pair,
                       struct smrf_merge_part *part)
{
    for (unsigned p = 0; p < 2; p++) {
        struct smrf_amt_entry *e = pair->entry[p];
        part[p] = (struct smrf_merge_part){smrf_vrf_place(&l->v, e->phys), pair->lanes[p],
                                           pair->shift[p]};
        smrf_vrf_pin(&l->v, e->sub, e->phys); /* until it has been merged */
        smrf_amt_use(&l->table, e);
        bytes.lanes = pair->lanes[p];
        if (bytes.lanes) {
            smrf_larf_log_use(l->log, e, bytes, r->cycle);
        }
    }
}

/* A merged register is as old as its older part. */
static void age_(struct smrf_larf *l, const struct smrf_flight *f, unsigned i,
                 const struct smrf_amt_pair *pair)
{
    struct smrf_amt_entry *own =
        smrf_amt_of(&l->table, f->sub, smrf_vrf_number(&l->v, f->dst[i]));
    for (unsigned p = 0; own && p < 2; p++) {
        own->loaded = pair->entry[p]->loaded < own->loaded ? pair->entry[p]->loaded : own->loaded;
        own->stale_local |= pair->entry[p]->stale_local;
        own->stale_remote |= pair->entry[p]->stale_remote;
    }
}

static enum smrf_memory_verdict l1_(void *m, const struct smrf_memory_request *r, bool readable,
                                    struct smrf_memory_answer *answer)
{
    struct smrf_larf *l = m;
    struct smrf_amt_pair pair[SMRF_MERGE_DST];
    struct smrf_amt_bytes bytes;
    if (readable || !l->v.options.partial || !l->v.options.table ||
        r->space != SMRF_SPACE_GLOBAL || r->f->num_dst > SMRF_MERGE_DST ||
        r->inst->op->access_bytes != 4 * r->f->num_dst ||
        (r->f->num_dst > 1 && !l->v.options.wide) ||
        !smrf_amt_describe(&l->table, r->inst, &bytes)) {
        return SMRF_MEMORY_ISSUE;
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        if (r->f->dst[i].row == SMRF_ROW_NONE ||
            !smrf_amt_cover(&l->table, r->f->sub, smrf_amt_word(bytes, i), &pair[i])) {
            return SMRF_MEMORY_ISSUE;
        }
    }
    for (unsigned i = 0; i < r->f->num_dst; i++) {
        take_part_(l, r, smrf_amt_word(bytes, i), &pair[i], answer->part[i]);
        age_(l, r->f, i, &pair[i]);
        struct smrf_amt_entry *own =
            smrf_amt_of(&l->table, r->f->sub, smrf_vrf_number(&l->v, r->f->dst[i]));
        if (own && !l->v.options.record_merged) {
            remove_(l, own);
            l->stats.unrecorded++;
        }
    }
    answer->collector = (uint8_t)l->merger;
    l->stats.issued--;
    l->stats.partial_shares++;
    return SMRF_MEMORY_MERGE;
}

/* --- ends of loads ------------------------------------------------------------------------------------- */

static void loaded_(void *m, const struct smrf_flight *f, uint32_t flight)
{
    struct smrf_larf *l = m;
    if (f->unit == SMRF_UNIT_MERGE) {
        for (unsigned i = 0; i < f->num_src; i++) {
            smrf_vrf_unpin(&l->v, f->sub, smrf_vrf_number(&l->v, f->src[i]));
        }
    }
    for (unsigned i = 0; i < f->num_dst && !f->shared; i++) {
        struct smrf_amt_entry *e =
            f->dst[i].row == SMRF_ROW_NONE
                ? NULL
                : smrf_amt_of(&l->table, f->sub, smrf_vrf_number(&l->v, f->dst[i]));
        if (e && e->flight == flight) {
            e->flight = SMRF_NO_FLIGHT;
        }
    }
    while (l->waits_for[flight] != SMRF_AMT_NONE) {
        const uint16_t node = l->waits_for[flight];
        const uint32_t waiter = node / SMRF_MERGE_DST;
        l->waits_for[flight] = l->next[node];
        if (--l->awaited[waiter] == 0) {
            l->v.services.finish(l->v.services.ctx, waiter);
        }
    }
}

/* --- stores and fences -------------------------------------------------------------------------------- */

static void store_(void *m, const struct smrf_memory_request *r)
{
    struct smrf_larf *l = m;
    const bool bytes = l->v.options.match == SMRF_LARF_MATCH_BYTES;
    smrf_larf_log_store(l->log, r->inst, r->cycle);
    if (r->f->op->op_class == SMRF_CLASS_ATOMIC && l->v.options.fence_empties) {
        empty_(l, &l->stats.emptied);
        return;
    }
    for (uint32_t i = 0, left = l->table.count; left; i++) {
        struct smrf_amt_entry *e = &l->table.entry[i];
        if (!e->taken) {
            continue;
        }
        left--;
        if (bytes ? smrf_amt_overlaps(&e->bytes, r->inst) : smrf_amt_in_range(&e->bytes, r->inst)) {
            remove_(l, e);
            l->stats.invalidated++;
        }
    }
}

static void fence_(void *m, const struct smrf_flight *f)
{
    struct smrf_larf *l = m;
    (void)f;
    if (l->v.options.fence_empties) {
        empty_(l, &l->stats.emptied);
    }
}

static void issued_(void *m, const struct smrf_flight *f, const struct smrf_inst *inst)
{
    struct smrf_larf *l = m;
    if (f->op->op_class == SMRF_CLASS_BARRIER && l->v.options.barrier_empties) {
        empty_(l, &l->stats.emptied);
    }
    smrf_vrf_issued(&l->v, f, inst);
}

/* --- the merge's collector ------------------------------------------------------------------------------ */

static uint32_t others_(const struct smrf_larf *l, uint32_t units)
{
    const bool apart = l->v.options.table && l->v.options.partial;
    return apart ? units & ~(UINT32_C(1) << l->merger) : units;
}

static int pick_(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng,
                 uint64_t cycle)
{
    const struct smrf_larf *l = m;
    const uint32_t units = others_(l, free_units);
    (void)sub;
    (void)warp;
    (void)cycle;
    return units ? (int)smrf_collectors_choose(units, l->v.rf.collector_pick, rng)
                 : SMRF_PICK_NONE;
}

static uint64_t eligible_(void *m, unsigned sub, uint32_t free_units, uint64_t ready)
{
    (void)sub;
    return others_(m, free_units) ? ready : 0;
}

/* --- the GPU: coherence ---------------------------------------------------------------------------------- */

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

/* --- audits ------------------------------------------------------------------------------------------------ */

/* Does every entry point to a register that somebody names, and that knows of it? */
static void exit_(void *m, unsigned warp)
{
    struct smrf_larf *l = m;
    for (uint32_t i = 0, left = l->table.count; left && i < l->table.capacity; i++) {
        const struct smrf_amt_entry *e = &l->table.entry[i];
        if (!e->taken) {
            continue;
        }
        const struct smrf_vrf_register *r = smrf_vrf_at(&l->v, e->sub, e->phys);
        left--;
        l->stats.faults_entries += !r->names || !r->listed;
    }
    smrf_vrf_exit(&l->v, warp);
}

/* --- statistics and laws ------------------------------------------------------------------------------------ */

enum index {
    SMRF_VRF_STATS(SMRF_MECHANISM_INDEX) SMRF_LARF_STATS(SMRF_MECHANISM_INDEX) COUNTERS
};
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");
_Static_assert(offsetof(struct smrf_larf, stats) ==
                   offsetof(struct smrf_larf, v) + offsetof(struct smrf_vrf, stats) +
                       sizeof(struct smrf_vrf_stats),
               "the counters are one array");

static const struct smrf_mechanism_stat stats[] = {
    {"perfect_ratio", "", "perfect_shares / loads", INDEX_perfect_shares, INDEX_loads},
    {"partial_ratio", "", "partial_shares / loads", INDEX_partial_shares, INDEX_loads},
    {"register_ratio", "", "peak_registers / peak_names: 1 - this is what sharing saves",
     INDEX_peak_registers, INDEX_peak_names},
    SMRF_LARF_STATS(SMRF_MECHANISM_ROW) SMRF_VRF_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_larf *)m)->v.stats;
}

SMRF_LAW_SIDE(allocated_, OWN(allocated))
SMRF_LAW_SIDE(freed_, OWN(freed))
SMRF_LAW_SIDE(named_, OWN(named))
SMRF_LAW_SIDE(unnamed_, OWN(unnamed))
SMRF_LAW_SIDE(told_, OWN(by_program) + OWN(by_lookahead) + OWN(by_nobody))
SMRF_LAW_SIDE(warp_insts_, sm->warp_insts)
SMRF_LAW_SIDE(loads_, OWN(loads))
SMRF_LAW_SIDE(fates_, OWN(issued) + OWN(perfect_shares) + OWN(partial_shares))
SMRF_LAW_SIDE(perfect_, OWN(perfect_shares))
SMRF_LAW_SIDE(shared_loads_, sm->shared_loads)
SMRF_LAW_SIDE(registers_, OWN(perfect_registers))
SMRF_LAW_SIDE(shared_writes_, sm->shared_writes)
SMRF_LAW_SIDE(partial_, OWN(partial_shares))
SMRF_LAW_SIDE(merged_loads_, sm->merged_loads)
SMRF_LAW_SIDE(inserted_, OWN(inserted))
SMRF_LAW_SIDE(gone_, OWN(replaced) + OWN(invalidated) + OWN(emptied) + OWN(deaths) +
                         OWN(unrecorded))
SMRF_LAW_SIDE(faults_freed_, OWN(faults_freed))
SMRF_LAW_SIDE(faults_names_, OWN(faults_names))
SMRF_LAW_SIDE(faults_entries_, OWN(faults_entries))
SMRF_LAW_SIDE(stale_local_, OWN(stale_local))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"physical registers", "taken", "given back", allocated_, freed_},
    {"names", "given to physical registers", "taken from them", named_, unnamed_},
    {"facts", "instructions of known and of unknown program", "issued", told_, warp_insts_},
    {"loads", "looked at", "issued + shared + merged", loads_, fates_},
    {"shared loads", "perfect shares", "loads that the load/store unit shared", perfect_,
     shared_loads_},
    {"bank writes", "registers shared", "results that no bank was written", registers_,
     shared_writes_},
    {"merged loads", "partial shares", "loads that the load/store unit merged", partial_,
     merged_loads_},
    {"entries", "made", "replaced, invalidated, emptied, dead, not recorded", inserted_, gone_},
    {"readers", "registers freed while somebody had to read them", "none", faults_freed_, zero_},
    {"references", "audits that found other than the counted names", "none", faults_names_, zero_},
    {"mapped entries", "entries of registers that nobody names", "none", faults_entries_, zero_},
    {"coherence", "uses of bytes that a store of the same SM had changed", "none", stale_local_,
     zero_},
};

/* --- the mechanism --------------------------------------------------------------------------------------------- */

static const struct smrf_warp_seam warp = {.start = smrf_vrf_start, .exit = exit_};
static const struct smrf_rename_seam rename = {
    .source = smrf_vrf_source,
    .destination = smrf_vrf_destination,
    .ready = smrf_vrf_ready,
    .last_read = smrf_vrf_last_read,
    .probe = smrf_vrf_probe,
    .issued = issued_,
    .written = smrf_vrf_written,
};
static const struct smrf_allocation_seam allocation = {.pick = pick_, .eligible = eligible_};
static const struct smrf_memory_seam memory = {
    .address = address_,
    .l1 = l1_,
    .store = store_,
    .loaded = loaded_,
    .merge_cycles = SMRF_LARF_MERGE_CYCLES,
    .logs = true,
    .fence = fence_,
};
static const struct smrf_gpu_seam gpu = {
    .bytes = gpu_bytes_,
    .init = gpu_init_,
    .kernel_end = kernel_end_,
    .interval = interval_,
    .edge = edge_,
};

static const char *const defaults[] = {"rf.swizzle=off", "scoreboard.war=on", NULL};

const struct smrf_mechanism smrf_larf_mechanism = {
    .name = "larf",
    .summary = "virtual-rf, and warps share the registers of equal and of overlapping loads",
    .family = &smrf_larf_family,
    .wants_program = true,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = smrf_vrf_attach,
    .rename = &rename,
    .memory = &memory,
    .allocation = &allocation,
    .warp = &warp,
    .allotment = &smrf_vrf_allotment_seam,
    .block = &smrf_vrf_block_seam,
    .gpu = &gpu,
    .check = check_,
    .counters = counters_,
    .num_counters = COUNTERS,
    .marks = SMRF_VRF_MARKS,
    .stats = stats,
    .num_stats = sizeof stats / sizeof *stats,
    .laws = laws,
    .num_laws = sizeof laws / sizeof *laws,
};
