/* SPDX-License-Identifier: Apache-2.0 */
/* How long a piece takes by itself, and what it takes. */
#include "piece.h"

#include "models/common/smrf_reg_set.h"
#include "models/flight/unit_of_class.h"

#include <string.h>

#define WORDS ((SMRF_PIECE_REGISTERS + 63) / 64)

/* A set of registers. */
struct set_ {
    uint64_t bit[WORDS];
};

/* The idle sub-core on which a piece is timed, from its start on. */
struct alone_ {
    struct smrf_piece *p;
    struct smrf_piece_room *room; /* with its lists */
    const struct smrf_piece_machine *m;
    uint64_t next;                           /* issues the next instruction */
    uint64_t latch[SMRF_UNIT_COUNT];         /* before a unit: free from */
    uint64_t unit[SMRF_UNIT_COUNT];          /* takes another from */
    uint64_t collector[SMRF_MAX_COLLECTING]; /* free from */
    uint64_t bank[SMRF_MAX_BANKS];           /* in steps: reads another from */
    uint64_t held;                           /* cycles of collectors */
    uint32_t taken[SMRF_RESOURCES];          /* parts */
    struct set_ needed;                      /* registers among `in` */
    struct set_ brought;                     /* .. `out` */
    struct set_ awaited;                     /* its first instruction brings them from memory */
    struct set_ noted;                       /* that have entries here: */
    uint64_t ready[SMRF_PIECE_REGISTERS];    /* of those that are brought */
    uint64_t read[SMRF_PIECE_REGISTERS];     /* in collectors from here on */
};

static inline bool has_(const struct set_ *s, unsigned reg)
{
    return s->bit[reg / 64] >> reg % 64 & 1;
}

static inline void put_(struct set_ *s, unsigned reg)
{
    s->bit[reg / 64] |= UINT64_C(1) << reg % 64;
}

static struct smrf_reg_set set_of_(const struct smrf_piece_machine *m,
                                   const struct smrf_static_inst *op)
{
    return smrf_reg_set_of_inst(op, m->rf.base_registers_only, m->rf.banks);
}

/* Does an instruction end its piece, because it does more than registers show? */
static bool stands_alone_(const struct smrf_static_inst *op, unsigned needs)
{
    return smrf_unit_of_class(op->op_class) == SMRF_UNIT_MEM || needs & SMRF_NEED_FENCE ||
           op->op_class == SMRF_CLASS_BARRIER || op->op_class == SMRF_CLASS_EXIT;
}

/* Can others follow it in its piece, though it is for the load/store unit? Its warp goes on behind
 * it, up to where its result is asked for. */
static bool leads_(const struct smrf_static_inst *op, unsigned needs)
{
    return (op->op_class == SMRF_CLASS_LOAD || op->op_class == SMRF_CLASS_STORE) &&
           !(needs & SMRF_NEED_FENCE) && !(op->flags & SMRF_INST_COPIES);
}

/* --- registers -------------------------------------------------------------------------------- */

static void need_(struct alone_ *a, unsigned reg)
{
    a->next = has_(&a->brought, reg) && a->ready[reg] > a->next ? a->ready[reg] : a->next;
}

/* A register is asked for at the issue of an instruction, whose cycle is a->next. */
static void note_in_(struct alone_ *a, unsigned reg, bool written)
{
    struct smrf_piece *p = a->p;
    if (!has_(&a->brought, reg) && !has_(&a->needed, reg)) {
        a->room->in[p->num_in++] = (struct smrf_piece_need){(uint16_t)reg, (uint16_t)a->next,
                                                            (uint8_t)(p->insts - 1), written};
        put_(&a->needed, reg);
    }
}

static void note_(struct alone_ *a, unsigned reg)
{
    if (!has_(&a->noted, reg)) {
        put_(&a->noted, reg);
        a->ready[reg] = a->read[reg] = 0;
    }
}

static void note_out_(struct alone_ *a, unsigned reg, uint64_t at)
{
    note_(a, reg);
    if (reg != SMRF_PIECE_UREG + SMRF_UREG_ZERO) {
        put_(&a->brought, reg);
    }
    a->ready[reg] = at;
}

/* A register that an instruction asks for at its issue. */
struct asked_ {
    uint16_t reg;
    bool written;
};

#define ASKED (SMRF_MAX_SRC + SMRF_MAX_DST + SMRF_MAX_USRC + SMRF_MAX_UDST)

static unsigned list_asked_(struct asked_ *to, const struct alone_ *a,
                            const struct smrf_static_inst *op, const struct smrf_reg_set *set)
{
    const bool uniform = a->m->scoreboard.uniform;
    unsigned n = 0;
    for (unsigned i = 0; i < set->num_src; i++) {
        to[n++] = (struct asked_){set->src[i], false};
    }
    for (unsigned i = 0; i < set->num_dst; i++) {
        to[n++] = (struct asked_){set->dst[i], a->m->scoreboard.war != 0};
    }
    for (unsigned i = 0; uniform && i < op->num_usrc; i++) {
        to[n++] = (struct asked_){(uint16_t)(SMRF_PIECE_UREG + op->usrc[i]), false};
    }
    for (unsigned i = 0; uniform && i < op->num_udst; i++) {
        to[n++] = (struct asked_){(uint16_t)(SMRF_PIECE_UREG + op->udst[i]), false};
    }
    return n;
}

/* The instruction issues when its registers are there and no earlier one has them still to read. */
static void issue_(struct alone_ *a, const struct smrf_static_inst *op,
                   const struct smrf_reg_set *set)
{
    struct asked_ asked[ASKED];
    const unsigned n = list_asked_(asked, a, op, set);
    for (unsigned i = 0; i < n; i++) {
        const bool reads = asked[i].written && has_(&a->noted, asked[i].reg);
        const uint64_t read = reads ? a->read[asked[i].reg] : 0;
        need_(a, asked[i].reg);
        a->next = read > a->next ? read : a->next;
    }
    for (unsigned i = 0; i < n; i++) {
        note_in_(a, asked[i].reg, asked[i].written);
    }
}

/* --- resources -------------------------------------------------------------------------------- */

static uint32_t parts_(uint64_t cycles)
{
    return (uint32_t)(cycles * SMRF_PIECE_PARTS);
}

static void take_bank_(struct alone_ *a, unsigned reg)
{
    a->taken[SMRF_RESOURCE_BANK + reg % a->m->rf.banks] += SMRF_PIECE_PARTS / a->m->rf.steps;
}

/* The collector that is free first: the instruction enters it. */
static uint64_t *collector_(struct alone_ *a)
{
    uint64_t *best = &a->collector[0];
    for (unsigned c = 1; c < a->m->rf.collectors; c++) {
        best = a->collector[c] < *best ? &a->collector[c] : best;
    }
    a->next = *best > a->next ? *best : a->next;
    return best;
}

/* Its operands are read from cycle `from` on, of each bank and through the collector's port one a
 * step. Returns the cycle in which they are there. */
static uint64_t read_(struct alone_ *a, const struct smrf_reg_set *set, uint64_t from)
{
    const struct smrf_rf_params *rf = &a->m->rf;
    const uint32_t ports = rf->collector_ports ? rf->collector_ports : SMRF_MAX_SRC;
    uint64_t last = from * rf->steps + (set->num_src + ports - 1) / ports;
    if (rf->perfect) {
        return from + (set->num_src > 0);
    }
    for (unsigned i = 0; i < set->num_src; i++) {
        uint64_t *bank = &a->bank[set->src[i] % rf->banks];
        *bank = (*bank > from * rf->steps ? *bank : from * rf->steps) + 1;
        last = *bank > last ? *bank : last;
        take_bank_(a, set->src[i]);
    }
    return (last + rf->steps - 1) / rf->steps;
}

/* From its collector to its unit and out of it: the cycle of its results. */
static uint64_t execute_(struct alone_ *a, const struct smrf_static_inst *op, uint64_t *collector,
                         uint64_t collected)
{
    const unsigned unit = smrf_unit_of_class(op->op_class);
    const struct smrf_unit_timing t = smrf_units_timing_of(a->m->units, op);
    const uint64_t at = a->latch[unit] > collected ? a->latch[unit] : collected;
    const uint64_t start = a->unit[unit] > at + 1 ? a->unit[unit] : at + 1;
    a->latch[unit] = start;
    a->unit[unit] = start + t.interval;
    a->held += at - a->next;
    *collector = at;
    a->taken[SMRF_RESOURCE_UNIT + unit] += parts_(t.interval);
    return start + t.delay;
}

/* --- an instruction --------------------------------------------------------------------------- */

static void count_(struct smrf_piece *p, const struct smrf_static_inst *op,
                   const struct smrf_reg_set *set)
{
    unsigned c = 0;
    p->insts++;
    p->steps = (uint16_t)(p->steps + (op->step != 0));
    p->reads = (uint16_t)(p->reads + set->num_read);
    p->writes = (uint16_t)(p->writes + set->num_dst);
    for (; c < p->num_class && p->op_class[c] != op->op_class; c++) {
    }
    if (op->step == 0) {
        p->num_class = (uint8_t)(c == p->num_class ? c + 1 : p->num_class);
        p->op_class[c] = op->op_class;
        p->of_class[c]++;
    }
}

static void add_(struct alone_ *a, const struct smrf_static_inst *op,
                 const struct smrf_reg_set *set)
{
    struct smrf_piece *p = a->p;
    const bool memory = smrf_unit_of_class(op->op_class) == SMRF_UNIT_MEM;
    const bool writes = !a->m->rf.perfect && !a->m->rf.drop_conflicting_writes;
    count_(p, op, set);
    uint64_t *collector = collector_(a);
    issue_(a, op, set);
    const uint64_t from = a->next + a->m->issue.latches + 1;
    const uint64_t collected = read_(a, set, from);
    for (unsigned i = 0; i < set->num_src; i++) {
        note_(a, set->src[i]);
        a->read[set->src[i]] = collected - 1;
    }
    p->collected = p->insts == 1 ? (uint16_t)collected : p->collected;
    if (memory) { /* its results come from the load/store unit */
        *collector = collected;
        for (unsigned i = 0; i < set->num_dst; i++) {
            put_(&a->awaited, set->dst[i]);
        }
    } else {
        const uint64_t end = execute_(a, op, collector, collected);
        for (unsigned i = 0; i < set->num_dst; i++) {
            note_out_(a, set->dst[i], end);
        }
        for (unsigned i = 0; a->m->scoreboard.uniform && i < op->num_udst; i++) {
            note_out_(a, SMRF_PIECE_UREG + op->udst[i], end);
        }
        for (unsigned i = 0; writes && i < set->num_dst; i++) {
            take_bank_(a, set->dst[i]);
        }
        p->end = end > p->end ? (uint16_t)end : p->end;
    }
    a->next++;
}

/* Does an instruction read or write what the first brings from memory? */
static bool waits_(const struct alone_ *a, const struct smrf_reg_set *set)
{
    bool waits = false;
    for (unsigned i = 0; i < set->num_src; i++) {
        waits |= has_(&a->awaited, set->src[i]);
    }
    for (unsigned i = 0; i < set->num_dst; i++) {
        waits |= has_(&a->awaited, set->dst[i]);
    }
    return waits;
}

/* Does an instruction take its unit for long? It then has pieces of its own, with others of the
 * kind: its unit may be busy, and what is around it does not wait for that. */
static inline bool takes_long_(const struct smrf_piece_machine *m,
                               const struct smrf_static_inst *op)
{
    return smrf_units_timing_of(m->units, op).interval > SMRF_PIECE_INSTS;
}

/* Is there room for another? */
static bool room_(const struct smrf_piece *p, const struct smrf_static_inst *op,
                  const struct smrf_reg_set *set)
{
    const unsigned more = (unsigned)set->num_src + set->num_dst + op->num_usrc + op->num_udst;
    bool known = op->step != 0 || p->num_class < SMRF_PIECE_CLASSES;
    for (unsigned c = 0; c < p->num_class; c++) {
        known = known || p->op_class[c] == op->op_class;
    }
    return known && p->insts < SMRF_PIECE_INSTS && p->num_in + more <= SMRF_PIECE_LIMIT &&
           p->end < UINT16_MAX / 4;
}

/* --- a piece ---------------------------------------------------------------------------------- */

static void list_register_(const struct alone_ *a, unsigned reg)
{
    struct smrf_piece *p = a->p;
    if (has_(&a->brought, reg)) {
        a->room->out[p->num_out++] = (struct smrf_piece_register){(uint16_t)reg, //
                                                                  (uint16_t)a->ready[reg]};
    }
    if (a->m->scoreboard.war && a->read[reg] > a->next) {
        a->room->late[p->num_late++] = (struct smrf_piece_register){(uint16_t)reg, //
                                                                    (uint16_t)a->read[reg]};
    }
}

static void list_out_(const struct alone_ *a)
{
    for (unsigned i = 0; i < WORDS; i++) {
        for (uint64_t m = a->noted.bit[i]; m; m &= m - 1) {
            list_register_(a, i * 64 + (unsigned)__builtin_ctzll(m));
        }
    }
}

/* Instructions that a sub-core issues, and sends to its units, in a cycle. */
static uint32_t rate_(const struct smrf_piece_machine *m)
{
    const uint32_t sent = m->rf.dispatch * m->rf.steps;
    return m->issue.width < sent ? m->issue.width : sent;
}

static void list_uses_(struct alone_ *a)
{
    struct smrf_piece *p = a->p;
    const uint32_t span = parts_(a->next);
    a->taken[SMRF_RESOURCE_ISSUE] = parts_(p->insts) / rate_(a->m);
    a->taken[SMRF_RESOURCE_COLLECTORS] = parts_(a->held) / a->m->rf.collectors;
    for (unsigned r = 0; r < SMRF_RESOURCES; r++) {
        const uint32_t taken = a->taken[r], slack = taken < span ? span - taken : 0;
        if (taken) {
            p->num_bank = (uint8_t)(p->num_bank + (r >= SMRF_RESOURCE_BANK));
            a->room->use[p->num_use++] = (struct smrf_piece_use){
                (uint16_t)r, (uint16_t)(slack < UINT16_MAX ? slack : UINT16_MAX), taken};
        }
    }
}

void smrf_piece_find(struct smrf_piece_room *r, const struct smrf_piece_machine *m,
                     const struct smrf_static_inst *op, const struct smrf_inst *next,
                     unsigned ahead)
{
    struct alone_ a;
    struct smrf_piece *const p = &r->piece;
    struct smrf_reg_set set = set_of_(m, op);
    const bool takes_long = takes_long_(m, op);
    memset(&a, 0, offsetof(struct alone_, ready));
    a.p = p;
    a.room = r;
    a.m = m;
    *p = (struct smrf_piece){
        .first = op,
        .next = next,
        .behind = next,
        .in = r->in,
        .use = r->use,
        .ahead = (uint16_t)ahead,
        .unit = (uint8_t)smrf_unit_of_class(op->op_class),
        .needs = set.needs,
        .barrier = op->op_class == SMRF_CLASS_BARRIER,
        .out = r->out,
        .late = r->late,
    };
    for (bool alone = stands_alone_(op, set.needs) && !leads_(op, set.needs);;
         ahead--, alone = false) {
        add_(&a, op, &set);
        if (alone || ahead == 0) {
            break;
        }
        op = p->behind->op;
        set = set_of_(m, op);
        if (stands_alone_(op, set.needs) || takes_long_(m, op) != takes_long || waits_(&a, &set) ||
            !room_(p, op, &set)) {
            break;
        }
        p->behind = p->behind->after;
    }
    p->span = (uint16_t)a.next;
    list_out_(&a);
    list_uses_(&a);
}

/* --- those that are kept ---------------------------------------------------------------------- */

void smrf_pieces_forget(struct smrf_pieces *pieces)
{
    pieces->count = pieces->lines = 0;
    memset(pieces->way, 0, sizeof pieces->way);
}

/* A list is copied to *end, behind what has been copied before. Returns its place. */
static const void *append_(unsigned char **end, const void *list, size_t bytes)
{
    unsigned char *const at = *end;
    memcpy(at, list, bytes);
    *end = at + bytes;
    return at;
}

/* A piece and its lists, behind each other; lists of the widest parts come first. */
static void pack_(unsigned char *to, const struct smrf_piece *p)
{
    struct smrf_piece *const packed = (struct smrf_piece *)(void *)to;
    unsigned char *end = to + sizeof *packed;
    *packed = *p;
    packed->use = append_(&end, p->use, p->num_use * sizeof *p->use);
    packed->out = append_(&end, p->out, p->num_out * sizeof *p->out);
    packed->late = append_(&end, p->late, p->num_late * sizeof *p->late);
    packed->in = append_(&end, p->in, p->num_in * sizeof *p->in);
}

static uint32_t lines_of_(const struct smrf_piece *p)
{
    const size_t bytes = sizeof *p + p->num_use * sizeof *p->use + p->num_out * sizeof *p->out +
                         p->num_late * sizeof *p->late + p->num_in * sizeof *p->in;
    return (uint32_t)((bytes + sizeof(struct smrf_piece_line) - 1) /
                      sizeof(struct smrf_piece_line));
}

/* So many more; `more` are taken in any case. Returns the first of them; `most`: there is no
 * room. */
static uint32_t reserve_(uint32_t *taken, uint32_t more, uint32_t most)
{
    const bool full = __atomic_load_n(taken, __ATOMIC_RELAXED) + more > most;
    const uint32_t first = full ? most : __atomic_fetch_add(taken, more, __ATOMIC_RELAXED);
    return first + more <= most ? first : most;
}

struct smrf_piece *smrf_pieces_add(struct smrf_pieces *pieces, unsigned way,
                                   struct smrf_piece_room *own, const struct smrf_piece_machine *m,
                                   const struct smrf_static_inst *op, const struct smrf_inst *next,
                                   unsigned ahead)
{
    smrf_piece_find(own, m, op, next, ahead);
    const uint32_t lines = lines_of_(&own->piece);
    if (reserve_(&pieces->count, 1, SMRF_PIECES) == SMRF_PIECES) {
        return &own->piece;
    }
    const uint32_t first = reserve_(&pieces->lines, lines, SMRF_PIECE_LINES);
    if (first == SMRF_PIECE_LINES) {
        return &own->piece;
    }
    pack_(pieces->line[first].byte, &own->piece);
    for (uint32_t none = 0; !__atomic_compare_exchange_n(&pieces->way[way], &none, first + 1, false,
                                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED);
         none = 0) {
        way = (way + 1) % SMRF_PIECE_WAYS;
    }
    return (struct smrf_piece *)(void *)pieces->line[first].byte;
}
