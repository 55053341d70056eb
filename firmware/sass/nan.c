/* SPDX-License-Identifier: Apache-2.0 */
/* FSEL selects floats and the upper words of doubles, and a text without encodings prints every
 * constant with a float's NaN exponent alike: +QNAN is a float's NaN, a double's infinity or a
 * double's NaN. Where the code around leaves no doubt, the constant gets its bits here:
 *  - log(x) of CUDA's library: x is no positive number, and what is not x * inf + inf is log(0);
 *  - exp, exp2, cosh, ..: the argument is beyond all bounds and not a NaN;
 *  - the result goes into an operation on floats, where one NaN is as good as another.
 * What is left without bits is an error where a lane selects it. */
#include "firmware/sass/internal.h"

#include <math.h>
#include <string.h>

#define WINDOW 32 /* instructions looked at in either direction */

#define UPPER_INFINITY INT64_C(0x7ff00000) /* upper word of a double */
#define FLOAT_NAN INT64_C(0x7fffffff)
#define SIGN INT64_C(0x80000000)

struct window {
    const struct smrf_sass_inst *first, *end; /* the function's */
};

static bool is_(const struct smrf_sass_inst *inst, const char *opcode)
{
    return strcmp(inst->opcode, opcode) == 0;
}

static bool has_(const struct smrf_sass_inst *inst, const char *modifier)
{
    for (unsigned i = 0; i < inst->num_modifiers; i++) {
        if (strcmp(inst->modifier[i], modifier) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_reg_(const struct smrf_sass_operand *o, unsigned reg)
{
    return o->kind == SMRF_SASS_REG && o->reg == reg;
}

/* Registers from operand 0 on that the instruction writes. */
static unsigned width_(const struct smrf_sass_inst *inst)
{
    if (has_(inst, "128")) {
        return 4;
    }
    bool pair = has_(inst, "64") || has_(inst, "WIDE") || has_(inst, "F64") || has_(inst, "U64") ||
                has_(inst, "S64") || is_(inst, "DADD") || is_(inst, "DMUL") || is_(inst, "DFMA");
    return pair ? 2 : 1;
}

static bool writes_(const struct smrf_sass_inst *inst, unsigned reg)
{
    const struct smrf_sass_operand *to = &inst->operand[0];
    return inst->num_operands != 0 && to->kind == SMRF_SASS_REG && to->reg != 255 &&
           reg >= to->reg && reg - to->reg < width_(inst);
}

/* Where straight code ends, calls included: registers may be others there. */
static bool leaves_(const struct smrf_sass_inst *inst)
{
    static const char *const names[] = {"BRA", "BRX", "CALL", "RET", "EXIT", "JMP", "JMX"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_(inst, names[i])) {
            return true;
        }
    }
    return false;
}

/* The last writer of a register before `at`, or the last one that sets a predicate first. NULL if
 * it is not near. */
static const struct smrf_sass_inst *writer_(const struct window *w, const struct smrf_sass_inst *at,
                                            unsigned kind, unsigned number)
{
    for (unsigned n = 0; n < WINDOW && at > w->first && !leaves_(at - 1); n++) {
        at--;
        const struct smrf_sass_operand *to = at->num_operands ? &at->operand[0] : NULL;
        if (kind == SMRF_SASS_REG ? writes_(at, number)
                                  : to && to->kind == SMRF_SASS_PRED && to->reg == number) {
            return at;
        }
    }
    return NULL;
}

static bool is_infinity_(const struct smrf_sass_operand *o)
{
    return o->kind == SMRF_SASS_FLOAT && isinf(o->number);
}

/* x * inf + inf, upper word. */
static bool is_logarithm_(const struct window *w, const struct smrf_sass_inst *at,
                          const struct smrf_sass_operand *other)
{
    if (other->kind != SMRF_SASS_REG || other->reg == 255) {
        return false;
    }
    const struct smrf_sass_inst *from = writer_(w, at, SMRF_SASS_REG, other->reg);
    return from && is_(from, "DFMA") && from->operand[0].reg + 1 == other->reg &&
           is_infinity_(&from->operand[from->num_operands - 1]);
}

/* DSETP.GTU x, +INF: x is a NaN. Returns x's register, -1 = something else. */
static int nan_test_(const struct smrf_sass_inst *inst)
{
    if (!is_(inst, "DSETP") || !has_(inst, "GTU") || inst->num_operands < 4 ||
        inst->operand[2].kind != SMRF_SASS_REG || !is_infinity_(&inst->operand[3])) {
        return -1;
    }
    return inst->operand[2].reg;
}

/* The constant, operand k, is taken where x is no NaN, or by x's sign behind a test of x. */
static bool is_overflow_(const struct window *w, const struct smrf_sass_inst *at, unsigned k)
{
    const struct smrf_sass_operand *choice = &at->operand[3];
    const struct smrf_sass_inst *test = writer_(w, at, SMRF_SASS_PRED, choice->reg);
    if (!test) {
        return false;
    }
    if (nan_test_(test) >= 0) {
        return choice->inverted == (k == 1);
    }
    if (!is_(test, "ISETP") || !has_(test, "GE") || test->num_operands < 4 ||
        test->operand[2].kind != SMRF_SASS_REG || !is_reg_(&test->operand[3], 255)) {
        return false;
    }
    int upper = test->operand[2].reg;
    for (unsigned n = 0; n < WINDOW && test > w->first && !leaves_(test - 1); n++) {
        if (nan_test_(--test) == upper - 1) {
            return true;
        }
    }
    return false;
}

/* Operations that read nothing but floats. FSETP, FSEL and FFMA with RZ also serve the upper words
 * of doubles. */
static bool reads_floats_(const struct smrf_sass_inst *inst)
{
    static const char *const names[] = {"FADD", "FMUL", "FMNMX", "FRND", "FCHK", "F2F", "F2I"};
    if (is_(inst, "MUFU")) {
        return !has_(inst, "RCP64H") && !has_(inst, "RSQ64H");
    }
    if (is_(inst, "STG")) {
        return inst->num_modifiers > 0 && width_(inst) == 1;
    }
    if (is_(inst, "FFMA")) {
        for (unsigned i = 1; i < inst->num_operands; i++) {
            if (is_reg_(&inst->operand[i], 255)) {
                return false;
            }
        }
        return true;
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_(inst, names[i])) {
            return width_(inst) == 1 || has_(inst, "F32");
        }
    }
    return false;
}

static bool reads_(const struct smrf_sass_inst *inst, unsigned reg)
{
    unsigned from = inst->num_operands && inst->operand[0].kind == SMRF_SASS_REG ? 1 : 0;
    for (unsigned i = from; i < inst->num_operands; i++) {
        if (is_reg_(&inst->operand[i], reg)) {
            return true;
        }
    }
    return false;
}

/* Whether the selected value goes on as a float. */
static bool is_float_(const struct window *w, const struct smrf_sass_inst *at)
{
    unsigned reg = at->operand[0].reg;
    for (unsigned n = 0; n < WINDOW && ++at < w->end; n++) {
        if (reads_(at, reg) && reads_floats_(at)) {
            return true;
        }
        bool kept = is_(at, "FSEL") && reads_(at, reg); /* selected again */
        if ((writes_(at, reg) && at->guard == 7 && !kept) || (leaves_(at) && at->guard == 7)) {
            return false;
        }
    }
    return false;
}

static void settle_(const struct window *w, struct smrf_sass_inst *inst)
{
    for (unsigned i = 1; i <= 2; i++) {
        struct smrf_sass_operand *nan = &inst->operand[i];
        if (nan->kind != SMRF_SASS_FLOAT || !isnan(nan->number) || nan->imm != 0) {
            continue;
        }
        int64_t bits = 0;
        if (is_logarithm_(w, inst, &inst->operand[3 - i]) || is_overflow_(w, inst, i)) {
            bits = UPPER_INFINITY;
        } else if (is_float_(w, inst)) {
            bits = FLOAT_NAN;
        }
        if (bits != 0) {
            nan->imm = bits | (signbit(nan->number) ? SIGN : 0);
        }
    }
}

void smrf_sass_settle_nans(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    for (uint32_t i = 0; i < module->num_functions; i++) {
        const struct smrf_sass_function *f = &module->function[i];
        struct window w = {module->inst + f->first, module->inst + f->first + f->count};
        for (uint32_t k = f->first; k < f->first + f->count; k++) {
            if (is_(&module->inst[k], "FSEL") && module->inst[k].num_operands == 4) {
                settle_(&w, &module->inst[k]);
            }
        }
    }
}
