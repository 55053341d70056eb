/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include "models/common/smrf_err.h"

#include <string.h>

#define STEP_LIMIT 1000000 /* instructions of a warp before it counts as endless */
#define NO_LANES 0u

struct machine {
    const struct machine_program *program;
    uint32_t reg[256][SMRF_LANES];
    uint32_t predicate[MACHINE_PREDICATES]; /* a bit a lane */
    uint32_t carry;
    uint32_t barrier[MACHINE_BARRIERS]; /* lanes that take part */
    uint32_t pc[SMRF_LANES];            /* index of each lane's next instruction */
    uint32_t alive, waiting;            /* waiting: at a BSYNC */
    uint32_t group;                     /* lanes that run together now */
    struct smrf_dim3 block;
    uint32_t warp;
};

static uint32_t lane_bit_(unsigned lane)
{
    return UINT32_C(1) << lane;
}

/* What memory holds at an address: a fixed mixture of its bits. */
static uint32_t memory_(uint64_t address)
{
    uint64_t z = address * UINT64_C(0x9E3779B97F4A7C15);
    z ^= z >> 29;
    z *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(z >> 32);
}

static uint32_t special_(const struct machine *m, uint64_t which, unsigned lane)
{
    uint32_t thread = m->warp * SMRF_LANES + lane;
    switch ((enum machine_special)which) {
    case TID_X:
        return thread % m->program->block.x;
    case TID_Y:
        return thread / m->program->block.x % m->program->block.y;
    case CTAID_X:
        return m->block.x;
    case CTAID_Y:
        return m->block.y;
    }
    return 0;
}

static uint64_t operand_(const struct machine *m, const struct machine_operand *o, unsigned lane,
                         bool pair)
{
    switch ((enum machine_operand_kind)o->kind) {
    case OPERAND_NONE:
        return 0;
    case OPERAND_REG:
    case OPERAND_HIDDEN_REG:
        if (o->value == SMRF_REG_ZERO) {
            return 0;
        }
        return m->reg[o->value][lane] |
               (pair ? (uint64_t)m->reg[o->value + 1][lane] << 32 : UINT64_C(0));
    case OPERAND_IMM:
    case OPERAND_CONST:
        return o->value;
    case OPERAND_SPECIAL:
        return special_(m, o->value, lane);
    }
    return 0;
}

static void set_(struct machine *m, unsigned reg, unsigned lane, uint64_t value, bool pair)
{
    if (reg == SMRF_REG_ZERO) {
        return;
    }
    m->reg[reg][lane] = (uint32_t)value;
    if (pair) {
        m->reg[reg + 1][lane] = (uint32_t)(value >> 32);
    }
}

static void set_bit_(uint32_t *bits, unsigned lane, bool value)
{
    *bits = (*bits & ~lane_bit_(lane)) | (value ? lane_bit_(lane) : 0);
}

static uint64_t address_(const struct machine *m, const struct machine_op *op, unsigned lane)
{
    uint64_t base = operand_(m, &op->src[0], lane, op->wide_address);
    return base + (uint64_t)(int64_t)op->offset; /* shared addresses count from 0, as traced */
}

static void load_(struct machine *m, const struct machine_op *op, unsigned lane)
{
    for (unsigned i = 0; i < op->mem_width / 4u; i++) {
        set_(m, op->dst + i, lane, memory_(address_(m, op, lane) + 4 * i), false);
    }
}

/* Arithmetic of one lane. */
static void compute_(struct machine *m, const struct machine_op *op, unsigned lane)
{
    bool wide = op->semantics == DO_WIDE;
    uint64_t a = operand_(m, &op->src[0], lane, false);
    uint64_t b = operand_(m, &op->src[1], lane, false);
    uint64_t c = operand_(m, &op->src[2], lane, wide);
    switch ((enum machine_semantics)op->semantics) {
    case DO_MOV:
        set_(m, op->dst, lane, a, false);
        break;
    case DO_MAD:
    case DO_WIDE:
        set_(m, op->dst, lane, a * b + c, wide);
        break;
    case DO_ADD_CARRY:
        set_bit_(&m->carry, lane, ((a & UINT32_MAX) + (b & UINT32_MAX)) >> 32 != 0);
        set_(m, op->dst, lane, a + b + c, false);
        break;
    case DO_ADD:
        set_(m, op->dst, lane, a + b + c, false);
        break;
    case DO_ADD_X:
        set_(m, op->dst, lane, a + b + (m->carry >> lane & 1), false);
        break;
    case DO_SHL_ADD:
        set_(m, op->dst, lane, (a << c) + b, false);
        break;
    case DO_AND:
        set_(m, op->dst, lane, a & b, false);
        break;
    case DO_SHR:
        set_(m, op->dst, lane, (uint32_t)a >> (b & 31), false);
        break;
    case DO_XOR:
        set_(m, op->dst, lane, a ^ b, false);
        break;
    case DO_LESS:
        set_bit_(&m->predicate[op->dst], lane, (int32_t)(uint32_t)a < (int32_t)(uint32_t)b);
        break;
    case DO_NONZERO:
        set_bit_(&m->predicate[op->dst], lane, (b & c) != 0);
        break;
    case DO_LOAD:
        load_(m, op, lane);
        break;
    default:
        break;
    }
}

/* The trace line of an instruction, before it takes effect. */
static void record_(const struct machine *m, const struct machine_op *op, uint32_t index,
                    uint32_t mask, struct smrf_trace_line *line)
{
    *line = (struct smrf_trace_line){.pc = index * MACHINE_PC_STEP,
                                     .mask = mask,
                                     .opcode = op->text,
                                     .mem_width = op->mem_width};
    if (op->lists_dst) {
        line->dst[line->num_dst++] = op->dst;
    }
    for (unsigned k = 0; k < 3; k++) {
        if (op->src[k].kind == OPERAND_REG) {
            line->src[line->num_src++] = (uint16_t)op->src[k].value;
        } else if (op->src[k].kind == OPERAND_IMM) {
            line->imm[0] = op->src[k].value;
        }
    }
    if (op->lists_target) {
        line->imm[0] = op->target * MACHINE_PC_STEP;
    }
    for (unsigned lane = 0; op->mem_width != 0 && lane < SMRF_LANES; lane++) {
        if (mask & lane_bit_(lane)) {
            line->lane[lane] = address_(m, op, lane);
        }
    }
}

/* Lanes of a barrier that have all arrived run on together. */
static void release_(struct machine *m)
{
    for (unsigned b = 0; b < MACHINE_BARRIERS; b++) {
        uint32_t members = m->barrier[b] & m->alive;
        if (members == 0 || (members & ~m->waiting) != 0) {
            continue;
        }
        unsigned first = (unsigned)__builtin_ctz(members);
        const struct machine_op *op = &m->program->op[m->pc[first]];
        if (op->semantics != DO_BSYNC || op->barrier != b) {
            continue;
        }
        for (uint32_t l = members; l != 0; l &= l - 1) {
            m->pc[__builtin_ctz(l)]++;
        }
        m->waiting &= ~members;
        m->barrier[b] = 0;
        m->group = members;
    }
}

/* Choose who runs: the present group, else the runnable lanes with the lowest program counter. */
static void schedule_(struct machine *m)
{
    release_(m);
    uint32_t runnable = m->alive & ~m->waiting;
    if ((m->group & runnable) != 0) {
        m->group &= runnable;
        return;
    }
    uint32_t lowest = UINT32_MAX;
    m->group = NO_LANES;
    for (uint32_t l = runnable; l != 0; l &= l - 1) {
        unsigned lane = (unsigned)__builtin_ctz(l);
        if (m->pc[lane] < lowest) {
            lowest = m->pc[lane];
            m->group = NO_LANES;
        }
        if (m->pc[lane] == lowest) {
            m->group |= lane_bit_(lane);
        }
    }
}

static void jump_(struct machine *m, uint32_t lanes, uint32_t target)
{
    for (uint32_t l = lanes; l != 0; l &= l - 1) {
        m->pc[__builtin_ctz(l)] = target;
    }
}

/* Control flow of the group; mask: the lanes whose guard holds. */
static void control_(struct machine *m, const struct machine_op *op, uint32_t index, uint32_t mask)
{
    uint32_t group = m->group;
    if (op->semantics != DO_BSYNC) {
        jump_(m, group, index + 1);
    }
    switch ((enum machine_semantics)op->semantics) {
    case DO_BRANCH:
        jump_(m, mask, op->target);
        if (mask != group && mask != 0) {
            m->group = group & ~mask; /* who falls through goes on first */
        }
        break;
    case DO_CALL:
        jump_(m, mask, op->target);
        break;
    case DO_RETURN:
        for (uint32_t l = mask; l != 0; l &= l - 1) {
            unsigned lane = (unsigned)__builtin_ctz(l);
            m->pc[lane] = (uint32_t)operand_(m, &op->src[0], lane, false) / MACHINE_PC_STEP;
        }
        break;
    case DO_BSSY:
        m->barrier[op->barrier] = group;
        break;
    case DO_BSYNC:
        m->waiting |= mask;
        break;
    case DO_EXIT:
        m->alive &= ~mask;
        break;
    default:
        break;
    }
}

static uint32_t guarded_(const struct machine *m, const struct machine_op *op)
{
    if (op->guard > 0) {
        return m->group & m->predicate[op->guard - 1];
    }
    if (op->guard < 0) {
        return m->group & ~m->predicate[-op->guard - 1];
    }
    return m->group;
}

int64_t smrf_machine_run_warp(const struct machine_program *program, struct smrf_dim3 block,
                              uint32_t warp,
                              int (*line)(void *context, const struct smrf_trace_line *line),
                              void *context)
{
    struct machine m = {.program = program, .block = block, .warp = warp};
    uint32_t threads = program->block.x * program->block.y * program->block.z;
    uint32_t lanes = threads - warp * SMRF_LANES;
    int64_t steps = 0;
    m.alive = m.group = lanes >= SMRF_LANES ? UINT32_MAX : lane_bit_(lanes) - 1;
    for (schedule_(&m); m.group != NO_LANES; schedule_(&m)) {
        uint32_t index = m.pc[__builtin_ctz(m.group)];
        if (++steps > STEP_LIMIT || index >= program->count) {
            return SMRF_ERR_LIMIT;
        }
        const struct machine_op *op = &program->op[index];
        uint32_t mask = guarded_(&m, op);
        struct smrf_trace_line text;
        record_(&m, op, index, mask, &text);
        int rc = line(context, &text);
        if (rc < 0) {
            return rc;
        }
        for (uint32_t l = mask; l != 0; l &= l - 1) {
            compute_(&m, op, (unsigned)__builtin_ctz(l));
        }
        control_(&m, op, index, mask);
    }
    return m.alive == 0 ? steps : SMRF_ERR_LIMIT;
}
