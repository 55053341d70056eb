/* SPDX-License-Identifier: Apache-2.0 */
#include "operands.h"

#include "texture_operands.h"

#include "models/common/smrf_err.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static bool digit_(char c)
{
    return c >= '0' && c <= '9';
}

static bool ends_(char c)
{
    return c == '\0' || c == ' ';
}

/* A number of a register file below `zero`, or Z or T for that itself. NULL: neither. */
static const char *number_(const char *p, char none, unsigned zero, uint8_t *out)
{
    unsigned n = 0;
    if (*p == none) {
        *out = (uint8_t)zero;
        return p + 1;
    }
    const char *start = p;
    while (digit_(*p) && n <= zero) {
        n = 10 * n + (unsigned)(*p++ - '0');
    }
    *out = (uint8_t)n;
    return p > start && n <= zero ? p : NULL;
}

/* What may follow a register's name: parts and widths (.H0_H0, .64, .X4, .reuse), a closing bar. */
static const char *suffixes_(const char *p, bool *reuse)
{
    if (*p == '|') {
        p++;
    }
    while (*p == '.') {
        const char *q = ++p;
        while (!ends_(*p) && *p != '.' && *p != '+' && *p != ']' && *p != '|') {
            p++;
        }
        if (p == q) {
            return NULL;
        }
        *reuse |= p - q == 5 && memcmp(q, "reuse", 5) == 0;
        if (*p == '|') {
            p++;
        }
    }
    return p;
}

static const char *integer_(const char *p, bool negative, struct smrf_operand *o)
{
    uint64_t v = 0;
    const char *start = p;
    for (;; p++) {
        unsigned d = digit_(*p)               ? (unsigned)(*p - '0')
                     : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10
                                              : 16;
        if (d == 16) {
            break;
        }
        v = v << 4 | d;
    }
    o->imm = (int64_t)(negative ? 0 - v : v);
    return p > start && p - start <= 16 ? p : NULL;
}

/* Terms of an address up to its bracket: registers and one offset, joined by '+'. */
static const char *address_(const char *p, struct smrf_operand *o)
{
    bool ignored = false;
    while (*p != ']') {
        if (*p == '+') {
            p++;
        }
        if (p[0] == 'U' && p[1] == 'R') {
            p = number_(p + 2, 'Z', SMRF_UREG_ZERO, &o->ureg);
        } else if (p[0] == 'R') {
            p = number_(p + 1, 'Z', SMRF_REG_ZERO, &o->reg);
        } else {
            const bool negative = *p == '-';
            p += negative;
            p = p[0] == '0' && p[1] == 'x' ? integer_(p + 2, negative, o) : NULL;
        }
        p = p != NULL ? suffixes_(p, &ignored) : NULL;
        if (p == NULL || (*p != '+' && *p != ']' && *p != '-')) {
            return NULL;
        }
    }
    return p + 1;
}

/* Special registers that all lanes of a warp see alike. */
static bool same_for_all_(const char *name, size_t n)
{
    static const char *const names[] = {"SR_CTAID.X",  "SR_CTAID.Y",  "SR_CTAID.Z",  "SR_NTID",
                                        "SR_NCTAID.X", "SR_NCTAID.Y", "SR_NCTAID.Z", "SR_VIRTID",
                                        "SR_SWINHI",   "SR_LWINHI",   "SRZ"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0) {
            return true;
        }
    }
    return false;
}

/* "2,3}": counters that must be 0. */
static const char *counters_(const char *p, struct smrf_operand *o)
{
    o->kind = SMRF_OPERAND_SPECIAL;
    o->counter = true;
    o->reg = 7;
    for (; *p >= '0' && *p <= '5'; p += p[1] == ',' ? 2 : 1) {
        o->imm |= INT64_C(1) << (*p - '0');
    }
    return *p == '}' ? p + 1 : NULL;
}

/* The bank of a constant. */
static uint8_t bank_(const char *p)
{
    unsigned bank = 0;
    for (p += p[0] == '0' && p[1] == 'x' ? 2 : 0; *p != ']'; p++) {
        const int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                          : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                                                   : -1;
        bank = digit < 0 ? SMRF_BANK_UNKNOWN : bank * 16 + (unsigned)digit;
        if (bank >= SMRF_BANK_UNKNOWN) {
            return SMRF_BANK_UNKNOWN;
        }
    }
    return (uint8_t)bank;
}

/* The operand after its role. NULL: it is none. */
static const char *operand_(const char *p, struct smrf_operand *o)
{
    bool negative = false;
    o->reg = SMRF_REG_ZERO;
    o->ureg = SMRF_UREG_ZERO;
    o->inverted = *p == '!';
    while (*p == '-' || *p == '~' || *p == '!' || *p == '|' || *p == '+') {
        negative |= *p++ == '-';
    }
    if (p[0] == 'c' && p[1] == '[') {
        o->kind = SMRF_OPERAND_CONST;
        p += 2;
        o->bank = bank_(p);
        while (!ends_(*p) && *p != ']') {
            p++;
        }
        p = p[0] == ']' && p[1] == '[' ? address_(p + 2, o) : NULL;
        return p != NULL ? suffixes_(p, &o->reuse) : NULL;
    }
    if (*p == '[') {
        o->kind = SMRF_OPERAND_MEM;
        return address_(p + 1, o);
    }
    if (p[0] == '0' && p[1] == 'x') {
        o->kind = SMRF_OPERAND_INT;
        return integer_(p + 2, negative, o);
    }
    bool uniform = p[0] == 'U' && (p[1] == 'R' || p[1] == 'P');
    const char *q = p + uniform;
    if (*q == 'R' && (digit_(q[1]) || q[1] == 'Z')) {
        o->kind = uniform ? SMRF_OPERAND_UREG : SMRF_OPERAND_REG;
        p = number_(q + 1, 'Z', uniform ? SMRF_UREG_ZERO : SMRF_REG_ZERO, &o->reg);
        return p != NULL ? suffixes_(p, &o->reuse) : NULL;
    }
    if (*q == 'P' && (digit_(q[1]) || q[1] == 'T')) {
        o->kind = uniform ? SMRF_OPERAND_UP : SMRF_OPERAND_P;
        return number_(q + 1, 'T', SMRF_NO_PREDICATE, &o->reg);
    }
    if (*p == 'B' && digit_(p[1])) {
        o->kind = SMRF_OPERAND_BARRIER;
        return number_(p + 1, '\0', 15, &o->reg);
    }
    if (p[0] == 'S' && p[1] == 'B' && digit_(p[2])) {
        o->kind = SMRF_OPERAND_SPECIAL;
        o->counter = true;
        return number_(p + 2, '\0', 5, &o->reg);
    }
    if (*p == '{') {
        return counters_(p + 1, o);
    }
    const char *start = p;
    o->kind = digit_(*p) || *p == '.' || strncmp(p, "INF", 3) == 0 || strncmp(p, "QNAN", 4) == 0 ||
                      strncmp(p, "SNAN", 4) == 0
                  ? SMRF_OPERAND_FLOAT
                  : SMRF_OPERAND_SPECIAL;
    while (!ends_(*p)) {
        p++;
    }
    o->dims = (uint8_t)smrf_texture_coordinates(start, (size_t)(p - start));
    o->kind = o->dims != 0 ? SMRF_OPERAND_SPECIAL : o->kind; /* 2D */
    o->uniform = o->kind == SMRF_OPERAND_SPECIAL && same_for_all_(start, (size_t)(p - start));
    return p > start ? p : NULL;
}

static const char *role_(const char *p, struct smrf_operand *o)
{
    if (*p == '=' || *p == '?') {
        o->role = *p == '=' ? SMRF_OPERAND_DST : SMRF_OPERAND_PRED;
        return p + 1;
    }
    if (*p < 'A' || *p >= 'A' + SMRF_OPERANDS_MAX || p[1] != ':') {
        return NULL;
    }
    o->role = SMRF_OPERAND_SRC;
    o->slot = (uint8_t)(*p - 'A');
    return p + 2;
}

static const char *guard_(const char *p, struct smrf_operands *out)
{
    out->guard_inverted = *p == '!';
    p += out->guard_inverted;
    out->guard_uniform = *p == 'U';
    p += out->guard_uniform;
    p = *p == 'P' ? number_(p + 1, 'T', SMRF_NO_PREDICATE, &out->guard) : NULL;
    return p != NULL && *p == ' ' ? p + 1 : NULL;
}

static const char *pc_(const char *p, uint32_t *pc)
{
    struct smrf_operand o = {0};
    p = integer_(p, false, &o);
    *pc = (uint32_t)o.imm;
    return p != NULL && *p == ' ' && (uint64_t)o.imm <= UINT32_MAX ? p + 1 : NULL;
}

/* "-", or the 21 bits in hexadecimal. */
static const char *control_(const char *p, uint32_t *control)
{
    struct smrf_operand o = {0};
    if (p[0] == '-' && p[1] == ' ') {
        return p + 2;
    }
    p = integer_(p, false, &o);
    *control = (uint32_t)o.imm;
    return p != NULL && *p == ' ' && (uint64_t)o.imm >> SMRF_CONTROL_BITS == 0 ? p + 1 : NULL;
}

int smrf_operands_parse(const char *text, unsigned version, struct smrf_operands *out, char *name,
                        size_t name_room, const char **reason)
{
    *out = (struct smrf_operands){.opcode = name, .control = SMRF_NO_CONTROL};
    *reason = "a line must begin with a hexadecimal PC";
    const char *p = pc_(text, &out->pc);
    if (p == NULL) {
        return SMRF_ERR_FORMAT;
    }
    *reason = "a guard (PT, P0, !P0, UP0, ..) must follow the PC";
    p = guard_(p, out);
    if (p == NULL) {
        return SMRF_ERR_FORMAT;
    }
    if (version >= 2) {
        *reason = "the control bits (21, hexadecimal) or '-' must follow the guard";
        p = control_(p, &out->control);
        if (p == NULL) {
            return SMRF_ERR_FORMAT;
        }
    }
    *reason = "an opcode must follow";
    size_t n = 0;
    while (!ends_(p[n])) {
        n++;
    }
    if (n == 0 || n >= name_room || *p < 'A' || *p > 'Z') {
        return SMRF_ERR_FORMAT;
    }
    memcpy(name, p, n);
    name[n] = '\0';
    for (p += n; *p == ' ';) {
        if (*++p == '\0') {
            break;
        }
        *reason = "more than 12 operands";
        if (out->num == SMRF_OPERANDS_MAX) {
            return SMRF_ERR_FORMAT;
        }
        struct smrf_operand *o = &out->operand[out->num++];
        *reason = "an operand must begin with '=' (destination), a slot 'A:' or '?' (predicate)";
        p = role_(p, o);
        if (p == NULL) {
            return SMRF_ERR_FORMAT;
        }
        *reason = "an operand is no register, predicate, immediate, constant or address";
        p = operand_(p, o);
        if (p == NULL || !ends_(*p)) {
            return SMRF_ERR_FORMAT;
        }
    }
    return 0;
}

/* ---- what follows from it -------------------------------------------------------------------- */

/* Lists `count` registers from reg on; RZ once. */
static void list_(uint16_t *list, uint8_t *slot, uint8_t *num, unsigned most,
                  const struct smrf_operand *a, unsigned count)
{
    for (unsigned k = 0; k < count && *num < most; k++) {
        const bool none =
            a->kind == SMRF_OPERAND_UREG ? a->reg == SMRF_UREG_ZERO : a->reg == SMRF_REG_ZERO;
        if (none && k > 0) {
            break;
        }
        slot[*num] = a->slot;
        list[(*num)++] =
            (uint16_t)(a->reg + k + (a->kind == SMRF_OPERAND_UREG ? SMRF_LISTED_UREG : 0));
    }
}

/* Every register counts, because the line does not give their number elsewhere. Before version 6
 * there is one destination. Destinations that come first hold the third and fourth result. */
static void list_texture_(const struct smrf_operands *o, uint32_t version,
                          struct smrf_listed_inst *out)
{
    const unsigned most_dst = version < 6 ? 1 : SMRF_MAX_BASE,
                   most = version < 6 ? 4 : SMRF_MAX_BASE;
    int high = -1;
    for (unsigned i = 0; i < o->num; i++) {
        const struct smrf_operand *a = &o->operand[i];
        const unsigned count = smrf_texture_registers(o, i);
        if (a->kind == SMRF_OPERAND_UREG && version < 6) {
            continue;
        }
        if (a->role != SMRF_OPERAND_DST) {
            list_(out->src, out->src_slot, &out->num_src, most, a, count);
        } else if (a->kind == SMRF_OPERAND_REG && high < 0) {
            high = (int)i;
        } else {
            list_(out->dst, out->dst_slot, &out->num_dst, most_dst, a, count);
        }
    }
    if (high >= 0 && o->operand[high].reg != SMRF_REG_ZERO) {
        list_(out->dst, out->dst_slot, &out->num_dst, most_dst, &o->operand[high],
              smrf_texture_registers(o, (unsigned)high));
    }
}

/* As Accel-Sim's tracer (tracer_tool.cu, instrument_function_if_needed): the first operand is the
 * destination if it is a register; of an address the base register counts; constants, predicates
 * and, before version 6, uniform registers are left out. */
void smrf_operands_list(const struct smrf_operands *o, uint32_t version,
                        struct smrf_listed_inst *out, uint64_t *imm2)
{
    unsigned immediates = 0;
    uint64_t imm[2] = {0, 0};
    out->pc = o->pc;
    out->opcode = o->opcode;
    out->num_dst = out->num_src = 0;
    out->has_slots = true;
    const bool texture = smrf_texture_fetches(o->opcode);
    if (texture) {
        list_texture_(o, version, out);
    }
    for (unsigned i = 0; i < o->num; i++) {
        const struct smrf_operand *a = &o->operand[i];
        uint16_t reg = a->reg;
        if (a->kind == SMRF_OPERAND_INT) {
            if (version < 6) {
                imm[0] = (uint64_t)a->imm;
            } else if (immediates < 2) {
                imm[immediates++] = (uint64_t)a->imm;
            }
            continue;
        }
        if (a->kind == SMRF_OPERAND_UREG) {
            reg = (uint16_t)(reg + SMRF_LISTED_UREG);
        }
        bool listed = !texture && (a->kind == SMRF_OPERAND_REG || a->kind == SMRF_OPERAND_MEM ||
                                   (a->kind == SMRF_OPERAND_UREG && version >= 6));
        if (!listed) {
            continue;
        }
        if (i == 0 && a->kind != SMRF_OPERAND_MEM) {
            out->dst_slot[out->num_dst] = a->slot;
            out->dst[out->num_dst++] = reg;
        } else if (out->num_src < SMRF_MAX_BASE) {
            out->src_slot[out->num_src] = a->slot;
            out->src[out->num_src++] = reg;
        }
    }
    out->imm = imm[0];
    if (imm2 != NULL) {
        *imm2 = imm[1];
    }
}

static void add_uniform_(const struct smrf_operand *a, struct smrf_static_inst *inst)
{
    if (a->ureg != SMRF_UREG_ZERO && inst->num_usrc < SMRF_MAX_USRC) {
        inst->usrc[inst->num_usrc++] = a->ureg;
    }
}

/* As struct smrf_static_inst has it. */
static uint32_t constant_(const struct smrf_operand *a)
{
    const bool known = a->reg == SMRF_REG_ZERO && a->ureg == SMRF_UREG_ZERO &&
                       a->bank != SMRF_BANK_UNKNOWN && a->imm >= 0 && a->imm < 65536;
    return known ? 1 + ((uint32_t)a->bank << 16) + (uint32_t)a->imm : 0;
}

static void apply_predicate_(const struct smrf_operand *a, struct smrf_static_inst *inst)
{
    if (a->reg == SMRF_NO_PREDICATE) {
        return;
    }
    uint8_t bit = (uint8_t)(1u << a->reg);
    bool uniform = a->kind == SMRF_OPERAND_UP, dst = a->role == SMRF_OPERAND_DST;
    uint8_t *set = uniform ? (dst ? &inst->upred_dst : &inst->upred_src)
                           : (dst ? &inst->pred_dst : &inst->pred_src);
    *set |= bit;
}

/* DEPBAR names counters, and what the first may be. */
static void apply_counter_(const struct smrf_operands *o, unsigned i, struct smrf_static_inst *inst)
{
    const struct smrf_operand *a = &o->operand[i];
    if (!a->counter || !(inst->flags & SMRF_INST_COPIES_WAIT)) {
        return;
    }
    if (a->reg == 7) {
        inst->depbar_list |= (uint8_t)a->imm;
        return;
    }
    const bool least = i + 1u < o->num && o->operand[i + 1].kind == SMRF_OPERAND_INT;
    const int64_t most = least ? o->operand[i + 1].imm : 0;
    inst->depbar = (uint8_t)((a->reg + 1u) | (unsigned)(most < 31 ? most : 31) << 3);
}

/* So does a number of DEPBAR's, bit by bit, but for that behind a counter, which says how high it
 * may be: a tracer writes {2,1} as 0x6. */
static void apply_counter_set_(const struct smrf_operands *o, unsigned i,
                               struct smrf_static_inst *inst)
{
    const bool limit = i > 0 && o->operand[i - 1].counter;
    if (inst->flags & SMRF_INST_COPIES_WAIT && !limit) {
        inst->depbar_list |= (uint8_t)(o->operand[i].imm & 0x3f);
    }
}

/* Marks of the operand's registers in the full list. */
static void apply_reuse_(const struct smrf_operand_place *place, struct smrf_static_inst *inst)
{
    if (!place->vector || place->is_dst) {
        return;
    }
    for (unsigned r = place->first; r < (unsigned)place->first + place->regs; r++) {
        inst->src_reuse |= UINT32_C(1) << r;
    }
}

void smrf_operands_apply(const struct smrf_operands *o, const struct smrf_operand_map *map,
                         struct smrf_static_inst *inst)
{
    unsigned dst = 0, src = 0;
    inst->has_operands = 1;
    inst->source = o->source;
    inst->source_line = o->source_line;
    inst->has_control = o->control != SMRF_NO_CONTROL;
    inst->control = inst->has_control ? o->control : 0;
    inst->guard = o->guard;
    inst->guard_inverted = o->guard_inverted;
    inst->guard_uniform = o->guard_uniform;
    const bool texture = smrf_texture_fetches(o->opcode); /* it has no marks of reuse */
    for (unsigned i = 0; i < o->num; i++) {
        const struct smrf_operand *a = &o->operand[i];
        uint16_t slot = (uint16_t)(1u << a->slot);
        const struct smrf_operand_place *place = NULL;
        if (texture && (a->kind == SMRF_OPERAND_REG || a->kind == SMRF_OPERAND_UREG ||
                        a->kind == SMRF_OPERAND_MEM)) {
            continue;
        }
        switch ((enum smrf_operand_kind)a->kind) {
        case SMRF_OPERAND_REG:
        case SMRF_OPERAND_UREG:
            place = i == 0 ? &map->dst[dst++] : src < SMRF_MAX_BASE ? &map->src[src++] : NULL;
            break;
        case SMRF_OPERAND_MEM:
            place = src < SMRF_MAX_BASE ? &map->src[src++] : NULL;
            add_uniform_(a, inst);
            break;
        case SMRF_OPERAND_CONST:
            inst->const_slots = (uint16_t)(inst->const_slots | slot);
            inst->constant = constant_(a);
            add_uniform_(a, inst);
            if (a->reg != SMRF_REG_ZERO && inst->num_src < SMRF_MAX_SRC) {
                inst->src_slot[inst->num_src] = a->slot;
                inst->src[inst->num_src++] = a->reg;
            }
            break;
        case SMRF_OPERAND_INT:
            apply_counter_set_(o, i, inst);
            inst->imm_slots = (uint16_t)(inst->imm_slots | slot);
            break;
        case SMRF_OPERAND_FLOAT:
            inst->imm_slots = (uint16_t)(inst->imm_slots | slot);
            break;
        case SMRF_OPERAND_P:
        case SMRF_OPERAND_UP:
            apply_predicate_(a, inst);
            break;
        case SMRF_OPERAND_SPECIAL:
            apply_counter_(o, i, inst);
            break;
        case SMRF_OPERAND_BARRIER:
            break;
        }
        if (a->reuse && place != NULL) {
            apply_reuse_(place, inst);
        }
    }
}
