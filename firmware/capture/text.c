/* SPDX-License-Identifier: Apache-2.0 */
/* From a parsed instruction to its line in the sidecar: which operands are destinations, which
 * positions the sources have. */
#include "code.h"

#include "traces/texture_operands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct line {
    char *text;
    size_t have;
    bool full;
};

static void put_bytes_(struct line *l, const char *bytes, size_t n)
{
    l->full = l->full || n >= SMRF_CAPTURE_TEXT_MAX - l->have;
    if (!l->full) {
        memcpy(l->text + l->have, bytes, n);
        l->have += n;
        l->text[l->have] = '\0';
    }
}

static void put_(struct line *l, const char *text)
{
    put_bytes_(l, text, strlen(text));
}

/* With at least so many digits. */
static void put_number_(struct line *l, uint64_t v, unsigned base, unsigned least)
{
    char digits[24];
    unsigned at = sizeof digits;
    while (v != 0 || sizeof digits - at < least) {
        digits[--at] = "0123456789abcdef"[v % base];
        v /= base;
    }
    put_bytes_(l, digits + at, sizeof digits - at);
}

/* R12 */
static void put_numbered_(struct line *l, const char *letters, unsigned number)
{
    put_(l, letters);
    put_number_(l, number, 10, 1);
}

static void put_hex_(struct line *l, uint64_t v)
{
    put_(l, "0x");
    put_number_(l, v, 16, 1);
}

/* ---- roles ----------------------------------------------------------------------------------- */

static bool is_register_(const struct smrf_sass_operand *o)
{
    return o->kind == SMRF_SASS_REG || o->kind == SMRF_SASS_UREG;
}

static bool is_predicate_(const struct smrf_sass_operand *o)
{
    return o->kind == SMRF_SASS_PRED || o->kind == SMRF_SASS_UPRED;
}

static bool ends_(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Replaces RZ and URZ. Was there one? */
static bool name_registers_(uint16_t *list, unsigned num)
{
    bool any = false;
    for (unsigned i = 0; i < num; i++) {
        if (list[i] == SMRF_REG_ZERO || list[i] == SMRF_LISTED_UREG + SMRF_UREG_ZERO) {
            list[i] = list[i] >= SMRF_LISTED_UREG ? SMRF_LISTED_UREG : 0;
            any = true;
        }
    }
    return any;
}

/* Which register operand is the destination: the trace reader's knowledge of the opcode decides.
 * -1: none. */
static int register_dst_(unsigned arch, const struct smrf_sass_inst *inst, uint8_t *op_class)
{
    struct smrf_operands o = {.opcode = inst->mnemonic};
    struct smrf_listed_inst in = {.binary_version = arch};
    struct smrf_static_inst out;
    int first = -1; /* register that a tracer lists first */
    for (unsigned i = 0; i < inst->num_operands; i++) {
        const struct smrf_sass_operand *s = &inst->operand[i];
        struct smrf_operand *a = &o.operand[o.num++];
        a->reg = s->reg;
        a->kind = s->kind == SMRF_SASS_REG    ? SMRF_OPERAND_REG
                  : s->kind == SMRF_SASS_UREG ? SMRF_OPERAND_UREG
                  : s->kind == SMRF_SASS_MEM  ? SMRF_OPERAND_MEM
                                              : SMRF_OPERAND_SPECIAL;
        if (a->kind != SMRF_OPERAND_SPECIAL && first < 0) {
            first = (int)i;
        }
    }
    smrf_operands_list(&o, 6, &in, NULL);
    (void)smrf_opcode_decode(&in, &out, NULL);
    *op_class = out.op_class;
    /* RZ and URZ are in no list of registers, so ask with registers that are. */
    const bool absent = name_registers_(in.dst, in.num_dst);
    if (name_registers_(in.src, in.num_src) || absent) {
        (void)smrf_opcode_decode(&in, &out, NULL);
    }
    return out.num_dst + out.num_udst > 0 ? first : -1;
}

static unsigned predicates_from_(const struct smrf_sass_inst *inst, unsigned i)
{
    unsigned n = 0;
    while (i + n < inst->num_operands && is_predicate_(&inst->operand[i + n])) {
        n++;
    }
    return n;
}

/* Destinations, as a bit mask of operands. Predicates that are written stand in front of the
 * register destination (SHFL, LOP3, ATOM), right behind it (the carries of IADD3 and LEA, VOTE),
 * or, without one, first (comparisons: two). */
static uint32_t destinations_(unsigned arch, const struct smrf_sass_inst *inst)
{
    uint8_t op_class;
    unsigned leading = predicates_from_(inst, 0);
    if (smrf_texture_fetches(inst->mnemonic)) { /* two vectors of results */
        return (UINT32_C(1) << (leading + 2)) - 1;
    }
    int dst = register_dst_(arch, inst, &op_class);
    const char *root = inst->opcode;
    if (dst >= 0) {
        unsigned behind = predicates_from_(inst, (unsigned)dst + 1);
        unsigned most = strncmp(root, "VOTE", 4) == 0 ? 1 : 2;
        behind = behind < most ? behind : most;
        return (UINT32_C(1) << ((unsigned)dst + 1 + behind)) - 1;
    }
    if (inst->num_operands == 0 || op_class == SMRF_CLASS_EXIT || op_class == SMRF_CLASS_BARRIER ||
        op_class == SMRF_CLASS_STORE || op_class == SMRF_CLASS_MEMBAR) {
        return 0;
    }
    if (inst->operand[0].kind == SMRF_SASS_BARRIER) {
        return strcmp(root, "BSSY") == 0 || strcmp(root, "BMOV") == 0;
    }
    if (inst->operand[0].kind == SMRF_SASS_SPECIAL) {
        return strcmp(root, "R2P") == 0;
    }
    if (op_class == SMRF_CLASS_BRANCH || leading == 0) {
        return 0;
    }
    bool two = ends_(root, "SETP") || ends_(root, "SETP2") || ends_(root, "PLOP3");
    return two && leading > 1 ? 3 : 1;
}

/* ---- operands -------------------------------------------------------------------------------- */

static const char *part_(uint8_t part)
{
    static const char *const names[] = {
        [SMRF_SASS_WHOLE] = "",       [SMRF_SASS_H0_H0] = ".H0_H0",   [SMRF_SASS_H1_H1] = ".H1_H1",
        [SMRF_SASS_H1_H0] = ".H1_H0", [SMRF_SASS_H0_NH1] = ".H0_NH1", [SMRF_SASS_H0] = ".H0",
        [SMRF_SASS_H1] = ".H1",       [SMRF_SASS_B0] = ".B0",         [SMRF_SASS_B1] = ".B1",
        [SMRF_SASS_B2] = ".B2",       [SMRF_SASS_B3] = ".B3",         [SMRF_SASS_ROW] = ".ROW",
        [SMRF_SASS_COL] = ".COL",     [SMRF_SASS_LOW24] = ".24",      [SMRF_SASS_LOW28] = ".28"};
    return part < sizeof names / sizeof names[0] && names[part] != NULL ? names[part] : "";
}

static void put_name_(struct line *l, const char *letters, unsigned reg, unsigned none,
                      const char *none_name)
{
    if (reg == none) {
        put_(l, letters);
        put_(l, none_name);
    } else {
        put_numbered_(l, letters, reg);
    }
}

static void put_integer_(struct line *l, int64_t v)
{
    put_(l, v < 0 ? "-" : "");
    put_hex_(l, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The inside of an address: [R2.64.reuse+UR4+0x10]. */
static void put_address_(struct line *l, const struct smrf_sass_operand *o)
{
    const char *plus = "";
    put_(l, "[");
    if (o->reg != SMRF_REG_ZERO) {
        put_numbered_(l, "R", o->reg);
        if (o->scale > 1) {
            put_numbered_(l, ".X", o->scale);
        }
        put_(l, o->wide ? ".64" : "");
        put_(l, o->u32 ? ".U32" : "");
        put_(l, o->reuse ? ".reuse" : "");
        plus = "+";
    }
    if (o->ureg != SMRF_UREG_ZERO) {
        put_(l, plus);
        put_numbered_(l, "UR", o->ureg);
        plus = "+";
    }
    if (o->imm != 0 || plus[0] == '\0') {
        put_(l, o->imm < 0 ? "" : plus);
        put_integer_(l, o->imm);
    }
    put_(l, "]");
}

static void put_float_(struct line *l, double v)
{
    if (isnan(v)) {
        put_(l, "QNAN");
    } else if (isinf(v)) {
        put_(l, v < 0 ? "-INF" : "+INF");
    } else {
        char text[32];
        (void)snprintf(text, sizeof text, "%.17g", v);
        put_(l, text);
    }
}

static void put_operand_(struct line *l, const struct smrf_capture_code *code,
                         const struct smrf_sass_operand *o)
{
    if (o->inverted) {
        put_(l, is_predicate_(o) ? "!" : "~");
    }
    put_(l, o->negated ? "-" : "");
    put_(l, o->absolute ? "|" : "");
    switch ((enum smrf_sass_kind)o->kind) {
    case SMRF_SASS_REG:
        put_name_(l, "R", o->reg, SMRF_REG_ZERO, "Z");
        break;
    case SMRF_SASS_UREG:
        put_name_(l, "UR", o->reg, SMRF_UREG_ZERO, "Z");
        break;
    case SMRF_SASS_PRED:
        put_name_(l, "P", o->reg, SMRF_NO_PREDICATE, "T");
        break;
    case SMRF_SASS_UPRED:
        put_name_(l, "UP", o->reg, SMRF_NO_PREDICATE, "T");
        break;
    case SMRF_SASS_BARRIER:
        put_numbered_(l, "B", o->reg);
        break;
    case SMRF_SASS_SPECIAL:
        put_(l, o->name);
        break;
    case SMRF_SASS_INT:
        put_integer_(l, o->imm);
        break;
    case SMRF_SASS_CODE:
        put_hex_(l, smrf_capture_pc(code, (uint64_t)o->imm));
        break;
    case SMRF_SASS_FLOAT:
        put_float_(l, o->number);
        break;
    case SMRF_SASS_CONST:
        put_(l, "c[");
        put_hex_(l, o->bank);
        put_(l, "]");
        put_address_(l, o);
        break;
    case SMRF_SASS_MEM:
        put_address_(l, o);
        break;
    case SMRF_SASS_NONE:
        break;
    }
    if (is_register_(o) || o->kind == SMRF_SASS_CONST) {
        put_(l, part_(o->part));
    }
    const bool reuse = o->reuse && o->kind != SMRF_SASS_MEM && o->kind != SMRF_SASS_CONST;
    put_(l, o->absolute ? "|" : "");
    put_(l, reuse ? ".reuse" : "");
}

bool smrf_capture_text(const struct smrf_capture_code *code, const struct smrf_sass_inst *inst,
                       char text[SMRF_CAPTURE_TEXT_MAX])
{
    struct line l = {.text = text};
    uint32_t dst = destinations_(code->code->module->arch, inst);
    unsigned slot = 0;
    put_number_(&l, smrf_capture_pc(code, inst->address), 16, 4);
    put_(&l, inst->guard_inverted ? " !" : " ");
    put_(&l, inst->guard_uniform ? "U" : "");
    put_name_(&l, "P", inst->guard, SMRF_NO_PREDICATE, "T");
    if (inst->control == SMRF_SASS_NO_CONTROL) {
        put_(&l, " -");
    } else {
        put_(&l, " ");
        put_number_(&l, inst->control, 16, 6);
    }
    put_(&l, " ");
    put_(&l, inst->mnemonic);
    for (unsigned i = 0; i < inst->num_operands; i++) {
        const struct smrf_sass_operand *o = &inst->operand[i];
        if (dst >> i & 1) {
            put_(&l, " =");
        } else if (is_predicate_(o)) {
            put_(&l, " ?");
        } else {
            const char position[] = {' ', (char)('A' + (int)slot++), ':'};
            put_bytes_(&l, position, sizeof position);
        }
        put_operand_(&l, code, o);
    }
    return !l.full;
}
