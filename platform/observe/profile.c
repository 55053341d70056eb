/* SPDX-License-Identifier: Apache-2.0 */
/* Counting, a table an SM, so that SMs share nothing; and folding the tables together by kernel. */
#define _POSIX_C_SOURCE 200809L
#include "profile.h"

#include "models/ldst/coalesce.h"
#include "models/read_stage/read_look.h"
#include "models/sm/sm.h"
#include "traces/files/hash_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN 0   /* entry of the mechanism's operations; instruction i: i + 1 */
#define FIRST 1 /* what a warp stands at that has issued nothing: a launch's first line */
#define NOBODY UINT32_MAX
#define PAIRS_FIRST 256

struct entry {
    const struct smrf_static_inst *op; /* NULL: not seen */
    uint32_t line;
    struct smrf_profile_counts counts;
};

/* Which instruction waited behind which; keys are loser << 32 | winner. */
struct pair {
    uint64_t key, cycles;
};

struct watcher {
    struct smrf_profile *profile;
    const struct smrf_sm *sm; /* that it listens to */
    uint32_t windows;         /* its sub-cores, if they have read stages; otherwise 0 */
    struct smrf_listener listener;
    struct entry *entry;
    size_t num_entries;
    struct pair *pair;
    uint32_t pairs, room;
    struct smrf_hash_index known;         /* pairs by key */
    uint64_t issued[SMRF_MAX_WARPS / 64]; /* slots, in the present cycle */
    uint32_t last[SMRF_MAX_WARPS];        /* entry that a slot's warp issued last */
    bool out_of_memory;
};

struct smrf_profile {
    struct watcher *watcher; /* [sms] */
    uint32_t sms;
    uint64_t local_window, launch_latency;
    size_t only, launch; /* the launch that counts, 0: all do; that runs, from 1 */
    char *running;       /* name of the launch that runs, NULL: none */
    struct smrf_profile_kernel *kernel;
    size_t num_kernels;
    bool out_of_memory;
};

/* --- in an SM --------------------------------------------------------------------------------- */

static struct entry *entry_at_(struct watcher *w, uint32_t index)
{
    if (index >= w->num_entries) {
        size_t room = w->num_entries ? w->num_entries : 64;
        while (room <= index) {
            room *= 2;
        }
        struct entry *grown = realloc(w->entry, room * sizeof *grown);
        if (!grown) {
            w->out_of_memory = true;
            return NULL;
        }
        memset(grown + w->num_entries, 0, (room - w->num_entries) * sizeof *grown);
        w->entry = grown;
        w->num_entries = room;
    }
    return &w->entry[index];
}

/* The entry of an instruction, or of one that this is a step of, made where there is none. NULL:
 * out of memory. */
static struct entry *entry_of_(struct watcher *w, const struct smrf_static_inst *op, bool own)
{
    struct entry *e = entry_at_(w, own ? OWN : op->index - op->step + 1);
    if (e && !e->op) {
        e->op = op;
    }
    return e;
}

static uint32_t index_of_flight_(const struct smrf_flight *f)
{
    return f->micro ? OWN : f->op->index - f->op->step + 1;
}

static bool is_global_(const struct smrf_static_inst *op)
{
    return op->space == SMRF_SPACE_GLOBAL || op->space == SMRF_SPACE_GENERIC;
}

static uint32_t sectors_(const struct watcher *w, const struct smrf_inst *inst)
{
    struct smrf_sector sector[SMRF_MAX_SECTORS];
    const uint32_t bytes = inst->op->access_bytes;
    if (!inst->mask || !bytes || inst->addr_kind == SMRF_ADDR_NONE) {
        return 0;
    }
    if (inst->op->space == SMRF_SPACE_LOCAL) {
        /* Any warp's: where a thread lies does not change their number. */
        const struct smrf_local_map map = {w->profile->local_window, 0, SMRF_LANES * 1024,
                                           SMRF_LOCAL_BASE};
        return smrf_coalesce_local(inst, bytes, &map, sector);
    }
    if (!is_global_(inst->op)) {
        return 0;
    }
    return inst->op->op_class == SMRF_CLASS_ATOMIC ? smrf_coalesce_atomic(inst, bytes, sector)
                                                   : smrf_coalesce_global(inst, bytes, sector);
}

static void issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    struct watcher *w = ctx;
    const struct smrf_flight *f = &smrf_sm_flights(w->sm)->record[flight];
    struct entry *e = entry_of_(w, f->op, f->micro);
    w->issued[f->warp / 64] |= UINT64_C(1) << f->warp % 64;
    w->last[f->warp] = index_of_flight_(f);
    if (!e) {
        return;
    }
    e->counts.issued += f->op->step == 0;
    e->counts.lanes += f->op->step == 0 ? (uint64_t)__builtin_popcount(f->mask) : 0;
    e->counts.reads += f->num_src;
    e->counts.state[SMRF_WARP_issued]++;
    if (inst) {
        e->line = inst->line ? inst->line : e->line;
        e->counts.sectors += sectors_(w, inst);
    }
}

static void injected_(void *ctx, uint32_t flight)
{
    issued_(ctx, flight, NULL);
}

static void wait_(struct watcher *w, unsigned warp, uint64_t n)
{
    const struct smrf_warp_look look = smrf_sm_probe_warp(w->sm, warp);
    if (look.state == SMRF_WARP_STATE_COUNT) {
        w->last[warp] = FIRST; /* the next warp in this slot has issued nothing */
        return;
    }
    struct entry *e = look.head ? entry_of_(w, look.head, look.own) : entry_at_(w, w->last[warp]);
    if (e) {
        e->counts.state[look.state] += n;
    }
}

static void read_(void *ctx, uint32_t flight, uint32_t sources)
{
    struct watcher *w = ctx;
    struct entry *e = entry_at_(w, index_of_flight_(&smrf_sm_flights(w->sm)->record[flight]));
    if (e) {
        e->counts.bank_reads += (uint64_t)__builtin_popcount(sources);
    }
}

static void cycles_(void *ctx, uint64_t cycle, uint64_t n)
{
    struct watcher *w = ctx;
    for (unsigned sub = 0; sub < w->windows; sub++) {
        smrf_read_stage_look(smrf_sm_blocks(w->sm, sub)->reading.state, cycle + 1, w, read_);
    }
    for (unsigned warp = 0; warp < SMRF_MAX_WARPS; warp++) {
        if (!(w->issued[warp / 64] >> warp % 64 & 1)) {
            wait_(w, warp, n);
        }
    }
    memset(w->issued, 0, sizeof w->issued);
}

/* --- which waits behind which ----------------------------------------------------------------- */

/* A pair that is looked up. */
struct wanted_pair {
    const struct pair *pair;
    uint64_t key;
};

static bool is_pair_(const void *ctx, uint32_t item)
{
    const struct wanted_pair *w = ctx;
    return w->pair[item].key == w->key;
}

static bool add_pair_(struct watcher *w, uint32_t hash, uint64_t key)
{
    if (w->pairs == w->room) {
        const uint32_t room = w->room ? 2 * w->room : PAIRS_FIRST;
        struct pair *grown = realloc(w->pair, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        w->pair = grown;
        w->room = room;
    }
    if (!smrf_hash_add(&w->known, hash, w->pairs)) {
        return false;
    }
    w->pair[w->pairs++] = (struct pair){key, 1};
    return true;
}

static void lose_(struct watcher *w, uint32_t loser, uint32_t winner)
{
    const struct wanted_pair wanted = {w->pair, (uint64_t)loser << 32 | winner};
    const uint32_t hash = smrf_hash_number(wanted.key);
    const uint32_t at = smrf_hash_find(&w->known, hash, is_pair_, &wanted);
    if (at != SMRF_HASH_NONE) {
        w->pair[at].cycles++;
    } else if (!add_pair_(w, hash, wanted.key)) {
        w->out_of_memory = true;
    }
}

/* Every read that still waits has lost its bank: to a write, or to the read that the bank served.
 * If the bank served no read, it lost its collector's port to another operand. */
static void arbitrated_(void *ctx, unsigned sub, const struct smrf_arbitration *before)
{
    struct watcher *w = ctx;
    const struct smrf_arbiter *a = smrf_sm_blocks(w->sm, sub)->arbiter;
    const struct smrf_flights *flights = smrf_sm_flights(w->sm);
    for (unsigned b = 0; b < a->num_banks; b++) {
        const unsigned left = smrf_arbiter_probe_count(a, b), granted = before->count[b] - left;
        const bool write = before->write_mask >> b & 1;
        uint32_t first = NOBODY;
        for (unsigned i = 0; i < granted; i++) {
            const uint32_t flight = smrf_arbiter_at(a, b, before->head[b] + i)->flight;
            const uint32_t index = index_of_flight_(&flights->record[flight]);
            struct entry *winner = entry_at_(w, index);
            first = i == 0 ? index : first;
            if (winner) {
                winner->counts.bank_reads++;
            }
        }
        for (unsigned i = 0; i < left; i++) {
            const struct smrf_flight *f = &flights->record[smrf_arbiter_entry(a, b, i)->flight];
            struct entry *loser = entry_of_(w, f->op, f->micro);
            if (!loser) {
                return;
            }
            loser->counts.conflicts++;
            loser->counts.conflicts_write += !granted && write;
            loser->counts.conflicts_port += !granted && !write;
            if (granted) {
                lose_(w, index_of_flight_(f), first);
            }
        }
    }
}

/* --- folding ---------------------------------------------------------------------------------- */

static struct smrf_profile_kernel *kernel_(struct smrf_profile *p, const char *name)
{
    for (size_t i = 0; i < p->num_kernels; i++) {
        if (strcmp(p->kernel[i].name, name) == 0) {
            return &p->kernel[i];
        }
    }
    struct smrf_profile_kernel *grown = realloc(p->kernel, (p->num_kernels + 1) * sizeof *grown);
    char *copy = strdup(name);
    if (grown) {
        p->kernel = grown;
    }
    if (!grown || !copy) {
        free(copy);
        p->out_of_memory = true;
        return NULL;
    }
    struct smrf_profile_kernel *k = &p->kernel[p->num_kernels++];
    *k = (struct smrf_profile_kernel){.name = copy};
    return k;
}

/* Opcode, destinations, sources: registers as the trace lists them. */
static char *text_of_(const struct smrf_static_inst *op)
{
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", op->text ? op->text : "?");
    for (unsigned i = 0; i < op->num_dst_base + op->num_src_base && n + 8 < sizeof text; i++) {
        const unsigned reg =
            i < op->num_dst_base ? op->dst_base[i] : op->src_base[i - op->num_dst_base];
        const char *gap = i == 0 ? " " : i == op->num_dst_base ? " <- " : ", ";
        gap = i == 0 && op->num_dst_base == 0 ? " <- " : gap;
        n += reg == SMRF_REG_ZERO ? (size_t)snprintf(text + n, sizeof text - n, "%sRZ", gap)
                                  : (size_t)snprintf(text + n, sizeof text - n, "%sR%u", gap, reg);
    }
    return strdup(text);
}

/* Where it stands in the order of PCs, or would. */
static size_t rank_(const struct smrf_profile_kernel *k, uint32_t pc, bool own)
{
    size_t low = 0, high = k->num_inst;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct smrf_profile_inst *i = &k->inst[k->by_pc[mid]];
        const bool before = i->own != own ? own : !own && i->pc < pc;
        low = before ? mid + 1 : low;
        high = before ? high : mid;
    }
    return low;
}

/* Room for one more. */
static bool room_(struct smrf_profile_kernel *k)
{
    struct smrf_profile_inst *inst = realloc(k->inst, (k->num_inst + 1) * sizeof *inst);
    k->inst = inst ? inst : k->inst;
    uint32_t *by_pc = realloc(k->by_pc, (k->num_inst + 1) * sizeof *by_pc);
    k->by_pc = by_pc ? by_pc : k->by_pc;
    return inst && by_pc;
}

/* Index of the instruction in the kernel's list, put there if it is not; NOBODY: out of memory. */
static uint32_t place_(struct smrf_profile *p, struct smrf_profile_kernel *k,
                       const struct smrf_static_inst *op, bool own)
{
    const uint32_t pc = own ? 0 : op->pc;
    const size_t rank = rank_(k, pc, own);
    if (rank < k->num_inst) {
        const struct smrf_profile_inst *there = &k->inst[k->by_pc[rank]];
        if (there->own == own && there->pc == pc) {
            return k->by_pc[rank];
        }
    }
    const bool known = !own && op->source;
    char *text = own ? strdup("(the mechanism's own)") : text_of_(op);
    char *file = known ? strdup(op->source) : NULL;
    if (!text || (known && !file) || !room_(k)) {
        free(text);
        free(file);
        p->out_of_memory = true;
        return NOBODY;
    }
    memmove(k->by_pc + rank + 1, k->by_pc + rank, (k->num_inst - rank) * sizeof *k->by_pc);
    k->by_pc[rank] = (uint32_t)k->num_inst;
    k->inst[k->num_inst] = (struct smrf_profile_inst){
        .pc = pc, .line = known ? op->source_line : 0, .own = own, .file = file, .text = text};
    return (uint32_t)k->num_inst++;
}

static void add_(struct smrf_profile_counts *sum, const struct smrf_profile_counts *c)
{
#define ADD(name, unit, meaning) sum->name += c->name;
    SMRF_PROFILE_COUNTS(ADD)
#undef ADD
    for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
        sum->state[s] += c->state[s];
    }
}

static void add_rival_(struct smrf_profile *p, struct smrf_profile_inst *loser, uint32_t winner,
                       uint64_t cycles)
{
    for (size_t i = 0; i < loser->num_rivals; i++) {
        if (loser->rival[i].inst == winner) {
            loser->rival[i].cycles += cycles;
            return;
        }
    }
    struct smrf_profile_rival *grown =
        realloc(loser->rival, (loser->num_rivals + 1) * sizeof *grown);
    if (!grown) {
        p->out_of_memory = true;
        return;
    }
    loser->rival = grown;
    loser->rival[loser->num_rivals++] = (struct smrf_profile_rival){winner, cycles};
}

/* The table of an SM is empty afterwards. */
static void forget_(struct smrf_profile *p, struct watcher *w)
{
    if (w->num_entries) {
        memset(w->entry, 0, w->num_entries * sizeof *w->entry);
    }
    smrf_hash_clear(&w->known);
    w->pairs = 0;
    p->out_of_memory |= w->out_of_memory;
}

/* Take what an SM has seen. */
static void take_(struct smrf_profile *p, struct smrf_profile_kernel *k, struct watcher *w)
{
    uint32_t *place = malloc((w->num_entries + 1) * sizeof *place);
    p->out_of_memory |= !place;
    for (size_t i = 0; place && i < w->num_entries; i++) {
        const struct entry *e = &w->entry[i];
        /* A warp may have waited before anything was seen of the first instruction. */
        place[i] = e->op ? place_(p, k, e->op, i == OWN) : NOBODY;
        if (place[i] != NOBODY) {
            struct smrf_profile_inst *inst = &k->inst[place[i]];
            inst->line = e->line ? e->line : inst->line;
            add_(&inst->counts, &e->counts);
        }
    }
    for (uint32_t i = 0; place && i < w->pairs; i++) {
        const struct pair *pair = &w->pair[i];
        add_rival_(p, &k->inst[place[pair->key >> 32]], place[(uint32_t)pair->key], pair->cycles);
    }
    free(place);
    forget_(p, w);
}

static bool counts_(const struct smrf_profile *p)
{
    return !p->only || p->launch == p->only;
}

static void fold_(struct smrf_profile *p)
{
    struct smrf_profile_kernel *k = p->running && counts_(p) ? kernel_(p, p->running) : NULL;
    for (uint32_t i = 0; i < p->sms; i++) {
        if (k) {
            take_(p, k, &p->watcher[i]);
        } else {
            forget_(p, &p->watcher[i]);
        }
    }
}

static void kernel_begin_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_profile *p = ctx;
    p->launch++;
    p->running = strdup(kernel->info.name);
    p->local_window = kernel->info.local_window;
    p->out_of_memory |= !p->running;
    for (uint32_t i = 0; i < p->sms; i++) {
        for (unsigned warp = 0; warp < SMRF_MAX_WARPS; warp++) {
            p->watcher[i].last[warp] = FIRST;
        }
    }
    struct smrf_profile_kernel *k = p->running && counts_(p) ? kernel_(p, p->running) : NULL;
    if (k) {
        k->launches++;
    }
}

static void kernel_end_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_profile *p = ctx;
    struct smrf_profile_kernel *k = p->running && counts_(p) ? kernel_(p, p->running) : NULL;
    if (k) {
        k->cycles += kernel->end - kernel->start + 1 + p->launch_latency;
    }
    fold_(p);
    free(p->running);
    p->running = NULL;
}

/* --- life ------------------------------------------------------------------------------------- */

static int attach_(void *ctx, const struct smrf_machine *machine, char *text, size_t size)
{
    struct smrf_profile *p = ctx;
    p->sms = machine->cfg->gpu.sms;
    p->launch_latency = machine->cfg->gpu.launch_latency;
    p->watcher = calloc(p->sms, sizeof *p->watcher);
    if (!p->watcher) {
        p->sms = 0;
        snprintf(text, size, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < p->sms; i++) {
        struct watcher *w = &p->watcher[i];
        w->profile = p;
        w->sm = machine->sm[i];
        w->windows = machine->cfg->rf.read == SMRF_READ_WINDOW ? machine->cfg->sm.subcores : 0;
        w->listener = (struct smrf_listener){
            .ctx = w,
            .issued = issued_,
            .injected = injected_,
            .arbitrated = arbitrated_,
            .cycles = cycles_,
        };
        smrf_sm_listen(machine->sm[i], &w->listener);
    }
    return SMRF_OK;
}

struct smrf_profile *smrf_profile_create(void)
{
    return calloc(1, sizeof(struct smrf_profile));
}

void smrf_profile_only(struct smrf_profile *p, size_t launch)
{
    p->only = launch;
}

void smrf_profile_free(struct smrf_profile *p)
{
    if (!p) {
        return;
    }
    for (uint32_t i = 0; i < p->sms; i++) {
        free(p->watcher[i].entry);
        free(p->watcher[i].pair);
        smrf_hash_free(&p->watcher[i].known);
    }
    for (size_t k = 0; k < p->num_kernels; k++) {
        for (size_t i = 0; i < p->kernel[k].num_inst; i++) {
            free(p->kernel[k].inst[i].file);
            free(p->kernel[k].inst[i].text);
            free(p->kernel[k].inst[i].rival);
        }
        free(p->kernel[k].inst);
        free(p->kernel[k].by_pc);
        free(p->kernel[k].name);
    }
    free(p->kernel);
    free(p->watcher);
    free(p->running);
    free(p);
}

struct smrf_observer smrf_profile_observer(struct smrf_profile *profile)
{
    return (struct smrf_observer){profile, attach_, kernel_begin_, kernel_end_};
}

static int most_first_(const void *a, const void *b)
{
    const struct smrf_profile_rival *x = a, *y = b;
    return x->cycles != y->cycles ? (x->cycles < y->cycles) - (x->cycles > y->cycles)
                                  : (x->inst > y->inst) - (x->inst < y->inst);
}

int smrf_profile_get(struct smrf_profile *p, const struct smrf_profile_kernel **kernels)
{
    fold_(p);
    for (size_t k = 0; k < p->num_kernels; k++) {
        for (size_t i = 0; i < p->kernel[k].num_inst; i++) {
            struct smrf_profile_inst *inst = &p->kernel[k].inst[i];
            if (inst->num_rivals) {
                qsort(inst->rival, inst->num_rivals, sizeof *inst->rival, most_first_);
            }
        }
    }
    *kernels = p->kernel;
    return p->out_of_memory ? SMRF_ERR_NOMEM : (int)p->num_kernels;
}

uint64_t smrf_profile_cycles(const struct smrf_profile_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
        sum += counts->state[s];
    }
    return sum;
}
