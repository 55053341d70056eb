/* SPDX-License-Identifier: Apache-2.0 */
/* From the sidecar's rows to instructions: what each reads and writes, and what it does to the flow
 * of control. The decoder is the trace reader's, so that the program is the one that is
 * replayed. */
#include "firmware/flow/internal.h"

#include <string.h>

static bool root_is_(const struct smrf_operands *row, const char *root)
{
    const size_t n = strlen(root);
    return strncmp(row->opcode, root, n) == 0 && (row->opcode[n] == '\0' || row->opcode[n] == '.');
}

bool smrf_flow_comes_back(const struct smrf_operands *row, const struct smrf_flow_inst *inst)
{
    return inst->role == SMRF_FLOW_JUMP && inst->op.flow == SMRF_FLOW_CALL &&
           strstr(row->opcode, ".NOINC") == NULL;
}

static uint8_t role_(const struct smrf_operands *row, const struct smrf_static_inst *op)
{
    if (op->op_class == SMRF_CLASS_BARRIER || root_is_(row, "NANOSLEEP")) {
        return SMRF_FLOW_GIVES_WAY;
    }
    if (root_is_(row, "KILL")) {
        return SMRF_FLOW_ENDS;
    }
    switch ((enum smrf_flow)op->flow) {
    case SMRF_FLOW_BRANCH:
        return SMRF_FLOW_JUMP;
    case SMRF_FLOW_CALL:
        return SMRF_FLOW_CALLS;
    case SMRF_FLOW_RET:
        return SMRF_FLOW_RETURNS;
    case SMRF_FLOW_EXIT:
        return SMRF_FLOW_ENDS;
    case SMRF_FLOW_BSYNC:
        return SMRF_FLOW_MEETS;
    case SMRF_FLOW_WARPSYNC:
    case SMRF_FLOW_YIELD:
        return SMRF_FLOW_GIVES_WAY;
    case SMRF_FLOW_NONE:
    case SMRF_FLOW_BSSY:
    case SMRF_FLOW_BREAK:
    case SMRF_FLOW_SSY:
    case SMRF_FLOW_SYNC:
        break;
    }
    return SMRF_FLOW_STEP;
}

static const struct smrf_operand *of_kind_(const struct smrf_operands *row, uint8_t kind)
{
    for (unsigned i = 0; i < row->num; i++) {
        if (row->operand[i].kind == kind) {
            return &row->operand[i];
        }
    }
    return NULL;
}

/* IADD3 R1, R1, n, RZ */
static bool moves_stack_(const struct smrf_operands *row)
{
    const struct smrf_operand *o = row->operand;
    return root_is_(row, "IADD3") && row->num == 4 && row->guard == SMRF_NO_PREDICATE &&
           o[0].kind == SMRF_OPERAND_REG && o[0].reg == SMRF_FLOW_STACK_POINTER &&
           o[1].kind == SMRF_OPERAND_REG && o[1].reg == SMRF_FLOW_STACK_POINTER &&
           o[2].kind == SMRF_OPERAND_INT && o[3].kind == SMRF_OPERAND_REG &&
           o[3].reg == SMRF_REG_ZERO;
}

static void about_memory_(const struct smrf_operands *row, struct smrf_flow_inst *inst)
{
    const struct smrf_operand *address = of_kind_(row, SMRF_OPERAND_MEM);
    if (moves_stack_(row)) {
        inst->moves_stack = true;
        inst->offset = (int32_t)row->operand[2].imm;
    } else if (inst->op.space == SMRF_SPACE_LOCAL && address != NULL &&
               address->reg == SMRF_FLOW_STACK_POINTER && address->ureg == SMRF_UREG_ZERO) {
        inst->local = true;
        inst->offset = (int32_t)address->imm;
    }
}

static bool is_register_(const struct smrf_operand *o, bool zero)
{
    return o->kind == SMRF_OPERAND_REG && (o->reg == SMRF_REG_ZERO) == zero;
}

/* ISETP.NE.AND Pd, PT, R, RZ, PT */
static bool tests_zero_(const struct smrf_operands *row)
{
    const struct smrf_operand *o = row->operand;
    return (strcmp(row->opcode, "ISETP.NE.AND") == 0 ||
            strcmp(row->opcode, "ISETP.NE.U32.AND") == 0) &&
           row->num == 5 && o[0].kind == SMRF_OPERAND_P && o[1].kind == SMRF_OPERAND_P &&
           o[1].reg == SMRF_NO_PREDICATE && is_register_(&o[2], false) &&
           is_register_(&o[3], true) && o[4].kind == SMRF_OPERAND_P &&
           o[4].reg == SMRF_NO_PREDICATE && !o[4].inverted;
}

/* P2R R, PR, RZ, bit */
static uint8_t saves_pred_(const struct smrf_operands *row)
{
    const struct smrf_operand *o = row->operand;
    const bool good = strcmp(row->opcode, "P2R") == 0 && row->num == 4 &&
                      is_register_(&o[0], false) && is_register_(&o[2], true) &&
                      o[3].kind == SMRF_OPERAND_INT && o[3].imm > 0 && o[3].imm < 0x80 &&
                      (o[3].imm & (o[3].imm - 1)) == 0;
    return good ? (uint8_t)o[3].imm : 0;
}

/* Targets are PCs so far. */
static void about_flow_(const struct smrf_operands *row, struct smrf_flow_inst *inst)
{
    const struct smrf_operand *barrier = of_kind_(row, SMRF_OPERAND_BARRIER);
    bool second = false; /* a predicate that decides besides the guard */
    for (unsigned i = 0; i < row->num; i++) {
        const struct smrf_operand *o = &row->operand[i];
        second |= o->role == SMRF_OPERAND_PRED &&
                  (o->reg != SMRF_NO_PREDICATE || o->kind == SMRF_OPERAND_UP);
    }
    inst->role = role_(row, &inst->op);
    inst->conditional = row->guard != SMRF_NO_PREDICATE || row->guard_inverted ||
                        (inst->role != SMRF_FLOW_STEP && second) || root_is_(row, "BRA.DIV") ||
                        root_is_(row, "BRA.CONV");
    inst->barrier = 255;
    if (barrier != NULL && (barrier->role == SMRF_OPERAND_DST || inst->op.flow == SMRF_FLOW_BSYNC ||
                            inst->op.flow == SMRF_FLOW_BREAK)) {
        inst->barrier = barrier->reg;
    }
    inst->target = SMRF_FLOW_NOWHERE;
    if (inst->role == SMRF_FLOW_JUMP || inst->role == SMRF_FLOW_CALLS) {
        const struct smrf_operand *to = of_kind_(row, SMRF_OPERAND_INT);
        inst->indirect = of_kind_(row, SMRF_OPERAND_REG) != NULL ||
                         of_kind_(row, SMRF_OPERAND_UREG) != NULL || to == NULL;
        if (!inst->indirect) {
            inst->target = (uint32_t)to->imm;
        }
    }
    const struct smrf_operand *special = of_kind_(row, SMRF_OPERAND_SPECIAL);
    inst->uniform_source = special != NULL && special->uniform;
}

static struct smrf_regset set_of_(const uint8_t *reg, unsigned count)
{
    struct smrf_regset set = {{0}};
    for (unsigned i = 0; i < count; i++) {
        smrf_regset_add(&set, reg[i]);
    }
    return set;
}

/* The registers of a list but RZ. Returns how many. */
static uint8_t copy_named_(uint8_t *to, const uint8_t *from, unsigned count)
{
    uint8_t n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (from[i] != SMRF_REG_ZERO) {
            to[n++] = from[i];
        }
    }
    return n;
}

void smrf_flow_list_only(struct smrf_flow_program *p)
{
    for (uint32_t i = 0; i < p->num_insts; i++) {
        struct smrf_flow_inst *inst = &p->inst[i];
        struct smrf_static_inst *op = &inst->op;
        op->num_src = copy_named_(op->src, op->src_listed, op->num_src_listed);
        op->num_dst = copy_named_(op->dst, op->dst_listed, op->num_dst_listed);
        inst->reads = set_of_(op->src, op->num_src);
        inst->writes = set_of_(op->dst, op->num_dst);
    }
}

static void decode_(const struct smrf_operands *row, uint32_t binary_version,
                    struct smrf_flow_inst *inst)
{
    struct smrf_listed_inst in = {.binary_version = binary_version};
    struct smrf_operand_map map;
    smrf_operands_list(row, 6, &in, NULL);
    (void)smrf_opcode_decode(&in, &inst->op, &map);
    smrf_operands_apply(row, &map, &inst->op);
    inst->op.pc = row->pc;
    inst->op.text = NULL; /* the table's, which may be closed */
    inst->reads = inst->all_reads = set_of_(inst->op.src, inst->op.num_src);
    inst->writes = inst->all_writes = set_of_(inst->op.dst, inst->op.num_dst);
    inst->tests_zero = tests_zero_(row);
    inst->saves_pred = saves_pred_(row);
    about_memory_(row, inst);
    about_flow_(row, inst);
}

static int functions_(struct smrf_flow_program *p, const struct smrf_operand_table *t,
                      const char **reason)
{
    uint32_t at = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < t->num_functions; i++) {
        bytes += strlen(t->function[i].name) + 1;
    }
    p->function = smrf_flow_alloc(p, t->num_functions, sizeof *p->function);
    char *name = smrf_flow_alloc(p, bytes, 1);
    if (p->function == NULL || name == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < t->num_functions; i++) {
        const struct smrf_operand_function *from = &t->function[i];
        struct smrf_flow_function *f = &p->function[p->num_functions++];
        const size_t n = strlen(from->name) + 1;
        *f = (struct smrf_flow_function){.name = memcpy(name, from->name, n),
                                         .pc = from->pc,
                                         .first = at,
                                         .kind = from->kind,
                                         .registers = from->registers};
        name += n;
        while (at < t->num && t->row[at].pc < from->pc + from->bytes) {
            if (t->row[at].pc < from->pc) {
                break;
            }
            at++;
        }
        f->count = at - f->first;
        *reason = "a function without instructions";
        if (f->count == 0 && f->kind != SMRF_CODE_EXTERNAL) {
            return SMRF_ERR_FORMAT;
        }
    }
    *reason = "the program does not begin with a kernel at PC 0, or instructions belong to none";
    return at == t->num && p->num_functions != 0 && p->function[0].pc == 0 &&
                   p->function[0].kind == SMRF_CODE_KERNEL
               ? 0
               : SMRF_ERR_FORMAT;
}

/* A call to a label inside its own function without .NOINC comes back to what follows it, and the
 * function's returns go there. With it, as the compiler leaves some loops on sm_86, it does not:
 * it is a jump. */
static void find_inner_calls_(struct smrf_flow_program *p, const struct smrf_operand_table *t)
{
    for (uint32_t f = 0; f < p->num_functions; f++) {
        struct smrf_flow_function *fn = &p->function[f];
        bool comes_back = false;
        for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
            struct smrf_flow_inst *inst = &p->inst[i];
            if (inst->role == SMRF_FLOW_CALLS && inst->target != SMRF_FLOW_NOWHERE &&
                inst->target != fn->first && inst->target - fn->first < fn->count) {
                inst->role = SMRF_FLOW_JUMP;
                comes_back = comes_back || smrf_flow_comes_back(&t->row[i], inst);
            }
        }
        for (uint32_t i = fn->first; comes_back && i < fn->first + fn->count; i++) {
            if (p->inst[i].role == SMRF_FLOW_RETURNS) {
                p->inst[i].role = SMRF_FLOW_JUMP;
                p->inst[i].indirect = true;
            }
        }
    }
}

int smrf_flow_load(struct smrf_flow_program *p, const struct smrf_operand_table *t,
                   uint32_t binary_version, const char **reason)
{
    *reason = "the sidecar is of version 1, which does not tell the program";
    if (t->version < 2) {
        return SMRF_ERR_INVAL;
    }
    int rc = functions_(p, t, reason);
    if (rc != 0) {
        return rc;
    }
    *reason = "no memory left";
    p->inst = smrf_flow_alloc(p, t->num, sizeof *p->inst);
    if (p->inst == NULL) {
        return SMRF_ERR_NOMEM;
    }
    p->num_insts = t->num;
    for (uint32_t i = 0; i < t->num; i++) {
        decode_(&t->row[i], binary_version, &p->inst[i]);
    }
    *reason = "a jump or call leads where there is no instruction";
    for (uint32_t i = 0; i < p->num_insts; i++) {
        struct smrf_flow_inst *inst = &p->inst[i];
        const uint32_t pc = inst->target;
        if (pc == SMRF_FLOW_NOWHERE) {
            continue;
        }
        inst->target = smrf_flow_at(p, pc);
        if (inst->target == SMRF_FLOW_NOWHERE && inst->role != SMRF_FLOW_CALLS) {
            return SMRF_ERR_FORMAT;
        }
    }
    find_inner_calls_(p, t);
    *reason = "no memory left";
    return 0;
}
