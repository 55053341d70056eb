/* SPDX-License-Identifier: Apache-2.0 */
/* From a parsed instruction to its line in the sidecar: which operands are destinations, which
 * positions the sources have. */
#include "code.h"

#include "traces/texture_operands.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

struct line {
    char *text;
    size_t have;
    bool full;
};

__attribute__((format(printf, 2, 3))) static void put_(struct line *l, const char *format, ...)
{
    va_list args;
    if (l->full) {
        return;
    }
    va_start(args, format);
    int n = vsnprintf(l->text + l->have, SMRF_CAPTURE_TEXT_MAX - l->have, format, args);
    va_end(args);
    l->full = n < 0 || (size_t)n >= SMRF_CAPTURE_TEXT_MAX - l->have;
    if (!l->full) {
        l->have += (size_t)n;
    }
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
    for (unsigned i = 0; i < in.num_dst; i++) {
        in.dst[i] = in.dst[i] >= SMRF_LISTED_UREG ? SMRF_LISTED_UREG : 0;
    }
    for (unsigned i = 0; i < in.num_src; i++) {
        in.src[i] = in.src[i] >= SMRF_LISTED_UREG ? SMRF_LISTED_UREG : 0;
    }
    (void)smrf_opcode_decode(&in, &out, NULL);
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
        put_(l, "%s%s", letters, none_name);
    } else {
        put_(l, "%s%u", letters, reg);
    }
}

static void put_integer_(struct line *l, int64_t v)
{
    uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    put_(l, "%s0x%" PRIx64, v < 0 ? "-" : "", magnitude);
}

/* The inside of an address: [R2.64.reuse+UR4+0x10]. */
static void put_address_(struct line *l, const struct smrf_sass_operand *o)
{
    const char *plus = "";
    put_(l, "[");
    if (o->reg != SMRF_REG_ZERO) {
        put_(l, "R%u", o->reg);
        if (o->scale > 1) {
            put_(l, ".X%u", o->scale);
        }
        put_(l, "%s%s%s", o->wide ? ".64" : "", o->u32 ? ".U32" : "", o->reuse ? ".reuse" : "");
        plus = "+";
    }
    if (o->ureg != SMRF_UREG_ZERO) {
        put_(l, "%sUR%u", plus, o->ureg);
        plus = "+";
    }
    if (o->imm != 0 || plus[0] == '\0') {
        put_(l, "%s", o->imm < 0 ? "" : plus);
        put_integer_(l, o->imm);
    }
    put_(l, "]");
}

static void put_float_(struct line *l, double v)
{
    if (isnan(v)) {
        put_(l, "QNAN");
    } else if (isinf(v)) {
        put_(l, "%sINF", v < 0 ? "-" : "+");
    } else {
        put_(l, "%.17g", v);
    }
}

static void put_operand_(struct line *l, const struct smrf_capture_code *code,
                         const struct smrf_sass_operand *o)
{
    put_(l, "%s%s%s%s", o->inverted && !is_predicate_(o) ? "~" : "",
         o->inverted && is_predicate_(o) ? "!" : "", o->negated ? "-" : "", o->absolute ? "|" : "");
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
        put_(l, "B%u", o->reg);
        break;
    case SMRF_SASS_SPECIAL:
        put_(l, "%s", o->name);
        break;
    case SMRF_SASS_INT:
        put_integer_(l, o->imm);
        break;
    case SMRF_SASS_CODE:
        put_(l, "0x%" PRIx32, smrf_capture_pc(code, (uint64_t)o->imm));
        break;
    case SMRF_SASS_FLOAT:
        put_float_(l, o->number);
        break;
    case SMRF_SASS_CONST:
        put_(l, "c[0x%x]", o->bank);
        put_address_(l, o);
        break;
    case SMRF_SASS_MEM:
        put_address_(l, o);
        break;
    case SMRF_SASS_NONE:
        break;
    }
    if (is_register_(o) || o->kind == SMRF_SASS_CONST) {
        put_(l, "%s", part_(o->part));
    }
    const bool reuse = o->reuse && o->kind != SMRF_SASS_MEM && o->kind != SMRF_SASS_CONST;
    put_(l, "%s%s", o->absolute ? "|" : "", reuse ? ".reuse" : "");
}

bool smrf_capture_text(const struct smrf_capture_code *code, const struct smrf_sass_inst *inst,
                       char text[SMRF_CAPTURE_TEXT_MAX])
{
    struct line l = {.text = text};
    uint32_t dst = destinations_(code->code->module->arch, inst);
    unsigned slot = 0;
    put_(&l, "%04" PRIx32 " %s%s", smrf_capture_pc(code, inst->address),
         inst->guard_inverted ? "!" : "", inst->guard_uniform ? "U" : "");
    put_name_(&l, "P", inst->guard, SMRF_NO_PREDICATE, "T");
    if (inst->control == SMRF_SASS_NO_CONTROL) {
        put_(&l, " -");
    } else {
        put_(&l, " %06" PRIx32, inst->control);
    }
    put_(&l, " %s", inst->mnemonic);
    for (unsigned i = 0; i < inst->num_operands; i++) {
        const struct smrf_sass_operand *o = &inst->operand[i];
        if (dst >> i & 1) {
            put_(&l, " =");
        } else if (is_predicate_(o)) {
            put_(&l, " ?");
        } else {
            put_(&l, " %c:", 'A' + (int)slot++);
        }
        put_operand_(&l, code, o);
    }
    return !l.full;
}
