/* SPDX-License-Identifier: Apache-2.0 */
/* Which operands of a strand live in a small file beside the register file (Gebhart et al., "A
 * Compile-Time Managed Multi-Level Register File Hierarchy", MICRO 2011). A value that is made and
 * read in one strand goes to a last-result file of one entry if only the private units (integer,
 * single precision) touch it, else to an operand file of a few entries. A value that is needed
 * after the strand also goes to the register file. A register that a strand reads several times and
 * did not write comes to the operand file with its first read. A web is the reads of one value and
 * all values that may reach one of these reads; it has one place. Webs that save the most accesses
 * for their length come first. A web that does not fit gives up its last reads, which then go to
 * the register file. Assumptions: a value that comes with a read serves only the reads that this
 * one dominates; the result of a long operation goes to the register file; a web occupies its entry
 * along every path of its strand. */
#include "firmware/flow/internal.h"

#include <stdlib.h>
#include <string.h>

#define BANK 0u /* the web of all that the register file must hold */
/* The first of the webs of what each register holds when a strand begins. */
#define COME (BANK + 1)
#define MADE (COME + SMRF_REG_ZERO) /* .. of its results */
#define NONE UINT32_MAX

struct web {
    uint32_t parent;
    uint32_t first, last; /* positions in the strand: of its first result, of its last read */
    uint32_t reads;       /* that the file can serve */
    uint32_t brings;      /* COME: instruction with whose read it comes, NONE: none yet */
    bool needed_later,
        shared; /* behind the strand; by a unit that has no way to the last results */
    uint8_t place;
};

struct use {
    uint32_t web, position, inst;
    uint8_t k, dst;
};

struct busy {
    uint32_t first, last;
};

struct placement {
    struct smrf_flow_program *p;
    unsigned entries;
    bool last_result, read_operands;
    uint32_t *order;        /* [num_insts], by strand, then as control flows */
    uint32_t *begin;        /* [num_strands + 1] in order */
    uint32_t (*state)[256]; /* [num_blocks]: web of each register where a block is left */
    struct web *web;
    struct use *use;
    struct busy *busy;  /* [num_webs][places] in use, by place */
    uint32_t *num_busy; /* [places] */
    uint32_t *by_worth; /* webs */
    uint32_t num_webs, num_uses;
};

static uint32_t find_(struct placement *a, uint32_t w)
{
    while (a->web[w].parent != w) {
        w = a->web[w].parent = a->web[a->web[w].parent].parent;
    }
    return w;
}

/* The lower number stays: the register file's swallows all. */
static void unite_(struct placement *a, uint32_t x, uint32_t y)
{
    x = find_(a, x);
    y = find_(a, y);
    a->web[x > y ? x : y].parent = x > y ? y : x;
}

static bool came_(uint32_t w)
{
    return w >= COME && w < MADE;
}

/* A register that holds one of two values. A value from before the strand is in the register file,
 * so the value that it is mixed with must be there, too. A read of the mixture is no read of the
 * old value. */
static uint32_t mix_(struct placement *a, uint32_t x, uint32_t y)
{
    if (x == y) {
        return x;
    }
    x = came_(x) ? BANK : x;
    y = came_(y) ? BANK : y;
    unite_(a, x, y);
    return x < y ? x : y;
}

/* --- the webs of a strand --------------------------------------------------------------------- */

static struct smrf_regset live_before_(const struct smrf_flow_program *p, uint32_t i)
{
    const struct smrf_flow_block *block = &p->block[p->inst[i].block];
    return i == block->first ? block->live_in : p->inst[i - 1].live_out;
}

/* Does control get from a block to another one within a strand? */
static bool within_(const struct smrf_flow_program *p, uint32_t from, uint32_t to)
{
    return p->block[from].order < p->block[to].order &&
           smrf_flow_last(p, &p->block[from])->strand == p->inst[p->block[to].first].strand;
}

/* What each register holds where the strand comes to instruction i. */
static void arrive_(struct placement *a, uint32_t i, bool first, uint32_t *now)
{
    const struct smrf_flow_program *p = a->p;
    const struct smrf_flow_block *block = &p->block[p->inst[i].block];
    bool any = false;
    for (unsigned r = 0; r < 256; r++) {
        now[r] = !first ? NONE : r < SMRF_REG_ZERO ? COME + r : BANK;
    }
    for (uint32_t k = 0; !first && k < block->num_pred; k++) {
        if (!within_(p, block->pred[k], p->inst[i].block)) {
            continue;
        }
        const uint32_t *from = a->state[block->pred[k]];
        for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
            if (!smrf_regset_has(&block->live_in, r)) {
                continue;
            }
            now[r] = any ? mix_(a, now[r], from[r]) : from[r];
        }
        any = true;
    }
}

static bool is_private_(const struct smrf_static_inst *op)
{
    return op->op_class <= SMRF_CLASS_HALF; /* integer and single precision */
}

static void use_(struct placement *a, uint32_t web, uint32_t position, uint32_t i, unsigned k,
                 bool dst)
{
    a->use[a->num_uses++] = (struct use){web, position, i, (uint8_t)k, dst};
}

static void read_(struct placement *a, uint32_t position, uint32_t i, const uint32_t *now)
{
    const struct smrf_static_inst *op = &a->p->inst[i].op;
    for (unsigned k = 0; k < op->num_src; k++) {
        if (now[op->src[k]] != NONE) {
            use_(a, now[op->src[k]], position, i, k, false);
        }
    }
}

static void write_(struct placement *a, uint32_t position, uint32_t i, uint32_t *now)
{
    const struct smrf_flow_inst *inst = &a->p->inst[i];
    const struct smrf_regset before = live_before_(a->p, i);
    for (unsigned k = 0; k < inst->op.num_dst; k++) {
        const unsigned r = inst->op.dst[k];
        const uint32_t n = a->num_webs++;
        a->web[n] = (struct web){.parent = n, .first = position, .last = position};
        use_(a, n, position, i, k, true);
        /* Lanes that do not write keep the old value, which may still be needed. */
        if (inst->conditional && now[r] != NONE && smrf_regset_has(&before, r) &&
            smrf_regset_has(&inst->live_out, r)) {
            (void)mix_(a, n, now[r]);
        }
        if (smrf_flow_is_long(&inst->op)) {
            unite_(a, n, BANK);
        }
        now[r] = n;
    }
}

/* What is needed where the strand is left behind instruction i. */
static struct smrf_regset wanted_(const struct smrf_flow_program *p, uint32_t i)
{
    const struct smrf_flow_inst *inst = &p->inst[i];
    const struct smrf_flow_block *block = &p->block[inst->block];
    struct smrf_regset wanted = {{0}};
    if (inst != smrf_flow_last(p, block)) {
        return p->inst[i + 1].strand != inst->strand ? inst->live_out : wanted;
    }
    if (inst->role == SMRF_FLOW_CALLS || inst->role == SMRF_FLOW_TAIL ||
        inst->role == SMRF_FLOW_RETURNS || inst->indirect) {
        return inst->live_out;
    }
    for (uint32_t k = 0; k < block->num_succ; k++) {
        if (!within_(p, inst->block, block->succ[k])) {
            (void)smrf_regset_unite(&wanted, &p->block[block->succ[k]].live_in);
        }
    }
    return wanted;
}

static void leave_(struct placement *a, uint32_t i, const uint32_t *now)
{
    const struct smrf_regset wanted = wanted_(a->p, i);
    for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
        if (now[r] != NONE && smrf_regset_has(&wanted, r)) {
            a->web[now[r]].needed_later = true;
        }
    }
    if (&a->p->inst[i] == smrf_flow_last(a->p, &a->p->block[a->p->inst[i].block])) {
        memcpy(a->state[a->p->inst[i].block], now, 256 * sizeof *now);
    }
}

static void webs_(struct placement *a, uint32_t strand)
{
    const uint32_t *order = a->order + a->begin[strand];
    const uint32_t count = a->begin[strand + 1] - a->begin[strand];
    uint32_t now[256];
    a->num_uses = 0;
    a->num_webs = MADE;
    for (uint32_t w = BANK; w < MADE; w++) {
        a->web[w] = (struct web){.parent = w, .needed_later = true, .brings = NONE};
    }
    for (uint32_t n = 0; n < count; n++) {
        if (n == 0 || order[n] != order[n - 1] + 1 ||
            a->p->inst[order[n]].block != a->p->inst[order[n - 1]].block) {
            arrive_(a, order[n], n == 0, now);
        }
        read_(a, n, order[n], now);
        write_(a, n, order[n], now);
        leave_(a, order[n], now);
    }
}

/* --- who gets a place ------------------------------------------------------------------------- */

/* Has every lane that reads here what came with the strand read it before with `brings`, too? */
static bool brought_(const struct placement *a, const struct web *w, const struct use *use)
{
    const uint32_t from = a->p->inst[w->brings].block, to = a->p->inst[use->inst].block;
    return use->position > w->first && (from == to || smrf_flow_dominates(a->p, from, to));
}

/* Can the file serve a read of a value from before the strand? The first read without a guard
 * brings such a value into the file. Uses are asked about in the order of their positions. */
static bool serves_(struct placement *a, struct web *w, const struct use *use)
{
    if (w->brings != NONE) {
        return brought_(a, w, use);
    }
    if (a->read_operands && !a->p->inst[use->inst].conditional) {
        w->brings = use->inst;
        w->first = w->last = use->position;
    }
    return false;
}

/* What the members of a web are together. */
static void sum_up_(struct placement *a)
{
    for (uint32_t w = 1; w < a->num_webs; w++) {
        struct web *root = &a->web[find_(a, w)];
        root->needed_later |= a->web[w].needed_later;
        root->first = a->web[w].first < root->first ? a->web[w].first : root->first;
    }
    for (uint32_t u = 0; u < a->num_uses; u++) {
        struct use *use = &a->use[u];
        struct web *root = &a->web[use->web = find_(a, use->web)];
        root->shared |= !is_private_(&a->p->inst[use->inst].op);
        if (use->dst || (came_(use->web) && !serves_(a, root, use))) {
            continue;
        }
        root->reads++;
        root->last = use->position > root->last ? use->position : root->last;
    }
}

static bool is_free_(const struct placement *a, unsigned place, uint32_t first, uint32_t last)
{
    const struct busy *busy = a->busy + (size_t)place * a->num_webs;
    for (uint32_t n = 0; n < a->num_busy[place]; n++) {
        if (first < busy[n].last && busy[n].first < last) {
            return false;
        }
    }
    return true;
}

static bool take_(struct placement *a, struct web *w, unsigned place, uint32_t last)
{
    if (!is_free_(a, place, w->first, last)) {
        return false;
    }
    a->busy[(size_t)place * a->num_webs + a->num_busy[place]++] = (struct busy){w->first, last};
    w->place = (uint8_t)place;
    w->needed_later |= last < w->last;
    w->last = last;
    return true;
}

/* The last read of a web before a position, NONE: there is none. */
static uint32_t read_before_(const struct placement *a, uint32_t web, uint32_t position)
{
    uint32_t last = NONE;
    for (uint32_t u = 0; u < a->num_uses && a->use[u].position < position; u++) {
        last = a->use[u].web == web && !a->use[u].dst ? a->use[u].position : last;
    }
    return last;
}

static void place_(struct placement *a, uint32_t n)
{
    struct web *w = &a->web[n];
    if (a->last_result && !w->shared && !came_(n) && take_(a, w, SMRF_FLOW_LAST_RESULT, w->last)) {
        return;
    }
    for (uint32_t last = w->last; last != NONE && last > w->first;
         last = read_before_(a, n, last)) {
        for (unsigned place = 1; place <= a->entries; place++) {
            if (take_(a, w, place, last)) {
                return;
            }
        }
    }
}

static uint32_t worth_(const struct web *w)
{
    return w->reads + !w->needed_later;
}

/* Before: more accesses spared an instruction of its length; then the earlier. */
static bool before_(const struct placement *a, uint32_t x, uint32_t y)
{
    const struct web *u = &a->web[x], *v = &a->web[y];
    const uint64_t p = (uint64_t)worth_(u) * (v->last - v->first),
                   q = (uint64_t)worth_(v) * (u->last - u->first);
    return p != q ? p > q : x < y;
}

static void sort_(const struct placement *a, uint32_t *list, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t x = list[i];
            uint32_t k = i;
            for (; k >= gap && before_(a, x, list[k - gap]); k -= gap) {
                list[k] = list[k - gap];
            }
            list[k] = x;
        }
    }
}

static void mark_(const struct placement *a)
{
    for (uint32_t u = 0; u < a->num_uses; u++) {
        const struct use *use = &a->use[u];
        const struct web *w = &a->web[use->web];
        struct smrf_flow_inst *inst = &a->p->inst[use->inst];
        if (use->dst && w->place && use->position < w->last) {
            inst->dst_place[use->k] =
                (uint8_t)(w->place | (w->needed_later ? SMRF_FLOW_ALSO_BANK : 0));
        } else if (!use->dst && w->place && came_(use->web) && w->brings == use->inst) {
            inst->src_place[use->k] = w->place | SMRF_FLOW_FROM_BANK;
        } else if (!use->dst && w->place && use->position <= w->last &&
                   (!came_(use->web) || brought_(a, w, use))) {
            inst->src_place[use->k] = w->place;
        }
    }
}

static void strand_(struct placement *a, uint32_t strand)
{
    uint32_t count = 0;
    webs_(a, strand);
    sum_up_(a);
    for (uint32_t w = 1; w < a->num_webs; w++) {
        if (find_(a, w) == w && a->web[w].reads) {
            a->by_worth[count++] = w;
        }
    }
    sort_(a, a->by_worth, count);
    memset(a->num_busy, 0, (SMRF_FLOW_LAST_RESULT + 1) * sizeof *a->num_busy);
    for (uint32_t n = 0; n < count; n++) {
        place_(a, a->by_worth[n]);
    }
    mark_(a);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool goes_on_(const struct smrf_flow_program *p, uint32_t i)
{
    const struct smrf_flow_block *block = &p->block[p->inst[i].block];
    if (&p->inst[i] != smrf_flow_last(p, block)) {
        return p->inst[i + 1].strand == p->inst[i].strand;
    }
    for (uint32_t k = 0; k < block->num_succ; k++) {
        if (within_(p, p->inst[i].block, block->succ[k])) {
            return true;
        }
    }
    return false;
}

/* Instructions by strand, in each as control flows. sorted: [num_blocks], scratch. */
static void order_(struct placement *a, uint32_t *sorted)
{
    const struct smrf_flow_program *p = a->p;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        a->begin[p->inst[i].strand + 1]++;
        p->inst[i].ends_strand = !goes_on_(p, i);
    }
    for (uint32_t s = 0; s < p->num_strands; s++) {
        a->begin[s + 1] += a->begin[s];
    }
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        uint32_t unreached = fn->num_blocks;
        for (uint32_t b = fn->first_block + fn->num_blocks; b-- > fn->first_block;) {
            sorted[p->block[b].order != SMRF_FLOW_NOWHERE ? p->block[b].order : --unreached] = b;
        }
        for (uint32_t n = 0; n < fn->num_blocks; n++) {
            const struct smrf_flow_block *block = &p->block[sorted[n]];
            for (uint32_t i = block->first; i < block->first + block->count; i++) {
                a->order[a->begin[p->inst[i].strand]++] = i;
            }
        }
    }
    for (uint32_t s = p->num_strands; s > 0; s--) {
        a->begin[s] = a->begin[s - 1];
    }
    a->begin[0] = 0;
}

/* Most of anything in a strand. */
static size_t largest_(const struct smrf_flow_program *p, bool uses)
{
    size_t sum = MADE;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        sum += p->inst[i].op.num_dst + (uses ? p->inst[i].op.num_src : 0u);
    }
    return sum;
}

int smrf_flow_placement(struct smrf_flow_program *p, const struct smrf_flow_options *options)
{
    const size_t webs = largest_(p, false), uses = largest_(p, true);
    struct placement a = {
        .p = p,
        .entries = options->operand_entries,
        .last_result = options->last_result,
        .read_operands = options->read_operands,
        .order = malloc((p->num_insts + (size_t)1) * sizeof *a.order),
        .begin = calloc(p->num_strands + (size_t)2, sizeof *a.begin),
        .state = malloc((p->num_blocks + (size_t)1) * sizeof *a.state),
        .web = malloc(webs * sizeof *a.web),
        .use = malloc(uses * sizeof *a.use),
        .busy = malloc(webs * (SMRF_FLOW_LAST_RESULT + 1) * sizeof *a.busy),
        .num_busy = malloc((SMRF_FLOW_LAST_RESULT + 1) * sizeof *a.num_busy),
        .by_worth = malloc((webs + p->num_blocks) * sizeof *a.by_worth),
    };
    const bool got =
        a.order && a.begin && a.state && a.web && a.use && a.busy && a.num_busy && a.by_worth;
    if (got) {
        order_(&a, a.by_worth);
    }
    for (uint32_t s = 0; got && s < p->num_strands; s++) {
        strand_(&a, s);
    }
    free(a.order);
    free(a.begin);
    free(a.state);
    free(a.web);
    free(a.use);
    free(a.busy);
    free(a.num_busy);
    free(a.by_worth);
    return got ? 0 : SMRF_ERR_NOMEM;
}
