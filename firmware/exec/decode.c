/* SPDX-License-Identifier: Apache-2.0 */
/* From parsed instructions to decoded ones: what an entry can reach is bound to its handlers, the
 * rest fails should it ever be jumped to. */
#include "firmware/exec/flow.h"
#include "firmware/exec/operands.h"
#include "firmware/exec/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int bind_fn(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);

static bind_fn *const families[] = {
    smrf_exec_bind_integer, smrf_exec_bind_float,  smrf_exec_bind_mbarrier, smrf_exec_bind_memory,
    smrf_exec_bind_control, smrf_exec_bind_half,   smrf_exec_bind_double,   smrf_exec_bind_convert,
    smrf_exec_bind_uniform, smrf_exec_bind_tensor, smrf_exec_bind_warp,     smrf_exec_bind_texture,
    smrf_exec_bind_surface,
};

enum reach { UNREACHED, MAYBE, REACHED };

struct decoder {
    const struct smrf_sass_module *module;
    struct smrf_exec_op *op;
    uint8_t *reach; /* [num_functions] enum reach */
    uint32_t *list; /* functions to look at */
    uint32_t count;
    const struct smrf_sass_function *entry;
    char *error;
};

static int not_decoded_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    return smrf_exec_fail(w, -1, SMRF_ERR_UNKNOWN,
                          "this instruction is not supported, or no call of the kernel leads to "
                          "its function");
}

static int runs_off_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    return smrf_exec_fail(w, -1, SMRF_ERR_LIMIT, "control runs past the function's end");
}

static int fails_(struct decoder *d, const struct smrf_sass_inst *inst, int code, const char *why)
{
    char reason[300];
    (void)snprintf(reason, sizeof reason, "%.299s", why);
    (void)snprintf(d->error, SMRF_SASS_ERROR_BYTES, "%.100s:%u: %.90s: %s", d->module->file,
                   inst->line, inst->text, reason);
    return code;
}

/* Binds one instruction. 0, or a negative error with why filled. */
static int bind_(struct smrf_exec_op *op, char why[SMRF_SASS_ERROR_BYTES])
{
    const struct smrf_sass_inst *inst = op->inst;
    for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++) {
        memset(op, 0, sizeof *op);
        op->inst = inst;
        op->guard = inst->guard;
        op->guard_inverted = inst->guard_inverted;
        op->guard_uniform = inst->guard_uniform;
        why[0] = '\0';
        int rc = families[i](op, why);
        if (rc != 0) {
            return rc < 0 ? rc : 0;
        }
    }
    (void)snprintf(why, SMRF_SASS_ERROR_BYTES, "opcode %.40s is not supported%s", inst->opcode,
                   smrf_exec_advice(inst->opcode));
    return SMRF_ERR_UNKNOWN;
}

/* Constants of the function's own banks do not change: fold them. A function inside a kernel's
 * section uses the kernel's. */
static void fold_(const struct decoder *d, struct smrf_exec_op *op)
{
    const struct smrf_sass_function *own = &d->module->function[op->inst->function];
    for (unsigned i = 0; i < op->num_src; i++) {
        struct smrf_exec_src *src = &op->src[i];
        if (src->kind != SMRF_SASS_CONST || src->bank >= SMRF_SASS_CONST_BANKS || src->bank == 0 ||
            src->ureg != 63) {
            continue;
        }
        const struct smrf_sass_function *from = own;
        if (from->const_data[src->bank] == NULL && d->entry != NULL) {
            from = d->entry;
        }
        if (from->const_data[src->bank] != NULL && src->imm < from->const_bytes[src->bank]) {
            smrf_exec_fold_const(src, from->const_data[src->bank], from->const_bytes[src->bank]);
        }
    }
}

static struct smrf_exec_op *op_at_(struct decoder *d, uint64_t address)
{
    const struct smrf_sass_inst *inst = smrf_sass_at(d->module, address);
    return inst == NULL ? NULL : &d->op[inst - d->module->inst];
}

static int unknown_callee_(const char *name, char *why)
{
    bool launches =
        strncmp(name, "cuda", 4) == 0; /* cudaGetParameterBufferV2, cudaLaunchDevice.. */
    (void)snprintf(why, SMRF_SASS_ERROR_BYTES, "%.80s is not in the module%s", name,
                   launches ? ", and kernels that launch kernels are not supported" : "");
    return SMRF_ERR_UNKNOWN;
}

/* Direct branches and calls get the distance to their target. */
static int link_target_(struct decoder *d, struct smrf_exec_op *op, char *why)
{
    const char *name = op->inst->opcode;
    bool calls = strcmp(name, "CALL") == 0;
    if (op->control != SMRF_EXEC_CONTROL || op->num_src != 0 ||
        !(calls || strcmp(name, "BRA") == 0 || strcmp(name, "JMP") == 0)) {
        return 0;
    }
    const struct smrf_exec_op *to = op_at_(d, op->target);
    if (to != NULL) {
        op->sub2 = (uint32_t)(int32_t)(to - op);
        return 0;
    }
    if (calls) { /* a function outside the module */
        for (uint32_t i = 0; i < d->module->num_functions; i++) {
            const struct smrf_sass_function *f = &d->module->function[i];
            if (f->address != op->target || !f->external) {
                continue;
            }
            return smrf_exec_builtin_known(f->name) ? 0 : unknown_callee_(f->name, why);
        }
        if (op->inst->operand[0].kind == SMRF_SASS_INT && op->inst->operand[0].imm == 0) {
            (void)snprintf(why, SMRF_SASS_ERROR_BYTES,
                           "the text does not say what is called; give the output of nvdisasm "
                           "instead of cuobjdump's");
            return SMRF_ERR_UNKNOWN;
        }
    }
    (void)snprintf(why, SMRF_SASS_ERROR_BYTES, "there is no code at the target 0x%llx",
                   (unsigned long long)op->target);
    return SMRF_ERR_UNKNOWN;
}

static void mark_(struct decoder *d, uint32_t function, enum reach how)
{
    if (function >= d->module->num_functions || d->reach[function] >= how) {
        return;
    }
    d->reach[function] = (uint8_t)how;
    d->list[d->count++] = function;
}

static const struct smrf_sass_function *function_at_(const struct smrf_sass_module *m,
                                                     uint64_t address)
{
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (m->function[i].address == address) {
            return &m->function[i];
        }
    }
    return NULL;
}

/* Words of a table that are code addresses. */
static void mark_table_(struct decoder *d, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t at = 0; bytes != NULL && size >= 8 && at <= size - 8; at += 4) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word - d->module->code_base >= d->module->code_bytes) {
            continue;
        }
        const struct smrf_sass_function *f = function_at_(d->module, word);
        if (f != NULL) {
            mark_(d, (uint32_t)(f - d->module->function), REACHED);
        }
    }
}

/* Every function whose address a table holds, and, less certainly, any other. */
static void mark_indirect_(struct decoder *d)
{
    const struct smrf_sass_module *m = d->module;
    for (uint32_t i = 0; i < m->num_data; i++) {
        mark_table_(d, m->data[i].bytes, m->data[i].size);
    }
    for (unsigned bank = 1; bank < SMRF_SASS_CONST_BANKS; bank++) {
        mark_table_(d, m->const_data[bank], m->const_bytes[bank]);
    }
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (!m->function[i].entry) {
            mark_(d, i, MAYBE);
        }
    }
}

static bool is_indirect_(const struct smrf_sass_inst *inst)
{
    if (strcmp(inst->opcode, "CALL") != 0 && strncmp(inst->opcode, "JMX", 3) != 0) {
        return false; /* BRX stays in its function */
    }
    for (unsigned i = 0; i < inst->num_operands; i++) {
        if (inst->operand[i].kind == SMRF_SASS_REG || inst->operand[i].kind == SMRF_SASS_UREG) {
            return true;
        }
    }
    return false;
}

/* Functions that an instruction refers to. */
static void mark_referred_(struct decoder *d, const struct smrf_sass_inst *inst, enum reach how)
{
    for (unsigned i = 0; i < inst->num_operands; i++) {
        const struct smrf_sass_operand *o = &inst->operand[i];
        const struct smrf_sass_inst *to =
            o->kind == SMRF_SASS_CODE ? smrf_sass_at(d->module, (uint64_t)o->imm) : NULL;
        if (to != NULL) {
            mark_(d, to->function, how);
        }
    }
}

/* An unconditional transfer: nothing follows it. */
static bool is_last_(const struct smrf_sass_inst *inst)
{
    static const char *const names[] = {"BRA", "EXIT", "RET",  "JMP", "JMX",
                                        "BRX", "BRXU", "JMXU", "KILL"};
    if (inst->guard != 7 || inst->guard_inverted || strstr(inst->mnemonic, ".DIV") != NULL ||
        strstr(inst->mnemonic, ".CONV") != NULL) {
        return false;
    }
    for (unsigned i = 0; i < inst->num_operands; i++) {
        if (inst->operand[i].kind == SMRF_SASS_PRED || inst->operand[i].kind == SMRF_SASS_UPRED) {
            return false;
        }
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(inst->opcode, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Handlers go from an instruction to the next one in the array: see that the next one is there. */
static int close_function_(struct decoder *d, const struct smrf_sass_function *f)
{
    struct smrf_exec_op *first = &d->op[f->first], *last = first + f->count - 1;
    for (struct smrf_exec_op *op = first; op < last; op++) {
        if (op[1].inst->address != op->inst->address + SMRF_SASS_INST_BYTES) {
            return fails_(d, op[1].inst, SMRF_ERR_FORMAT,
                          "does not follow the instruction before it: 16 bytes apart are expected");
        }
    }
    if (is_last_(last->inst) && last->fn != NULL) {
        return 0;
    }
    /* Padding, or a text that ends too early. */
    last->fn = runs_off_;
    last->guard = 7;
    last->guard_inverted = last->guard_uniform = false;
    last->control = SMRF_EXEC_CONTROL;
    return 0;
}

static int decode_function_(struct decoder *d, uint32_t index)
{
    const struct smrf_sass_module *m = d->module;
    const struct smrf_sass_function *f = &m->function[index];
    char why[SMRF_SASS_ERROR_BYTES];
    bool certain = d->reach[index] == REACHED;
    bool indirect = false;
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        struct smrf_exec_op *op = &d->op[i];
        int rc = bind_(op, why);
        if (rc == 0) {
            rc = link_target_(d, op, why);
        }
        if (rc < 0 && certain) {
            return fails_(d, op->inst, rc, why);
        }
        if (rc < 0) {
            op->fn = not_decoded_;
            op->control = SMRF_EXEC_CONTROL;
        }
        fold_(d, op);
        mark_referred_(d, op->inst, certain ? REACHED : MAYBE);
        indirect = indirect || is_indirect_(op->inst);
    }
    if (indirect) {
        mark_indirect_(d);
    }
    int rc = f->count == 0 ? 0 : close_function_(d, f);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t i = 0; i < m->num_calls; i++) {
        if (m->call[i].caller == index) {
            mark_(d, m->call[i].callee, certain ? REACHED : MAYBE);
        }
    }
    return 0;
}

static int decode_all_(struct decoder *d)
{
    const struct smrf_sass_module *m = d->module;
    for (uint32_t i = 0; i < m->num_insts; i++) {
        d->op[i].inst = &m->inst[i];
        d->op[i].guard = 7;
        d->op[i].fn = not_decoded_;
        d->op[i].control = SMRF_EXEC_CONTROL;
    }
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (d->entry == NULL || d->entry == &m->function[i]) {
            mark_(d, i, REACHED);
        }
    }
    while (d->count != 0) {
        int rc = decode_function_(d, d->list[--d->count]);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static uint32_t named_rows_(const struct smrf_sass_module *m)
{
    uint32_t rows = 24; /* the ABI's registers, which built-in callees use */
    for (uint32_t i = 0; i < m->num_insts; i++) {
        const struct smrf_sass_inst *inst = &m->inst[i];
        for (unsigned k = 0; k < inst->num_operands; k++) {
            const struct smrf_sass_operand *o = &inst->operand[k];
            uint32_t end = o->reg + 8U; /* vectors are shorter */
            if ((o->kind == SMRF_SASS_REG || o->kind == SMRF_SASS_MEM) && o->reg != SMRF_EXEC_RZ &&
                end > rows) {
                rows = end;
            }
        }
    }
    return rows < SMRF_EXEC_RZ ? rows : SMRF_EXEC_RZ;
}

int smrf_exec_decode(struct smrf_exec_code *code, const struct smrf_sass_module *module,
                     const struct smrf_sass_function *entry, char error[SMRF_SASS_ERROR_BYTES])
{
    struct decoder d = {.module = module, .entry = entry, .error = error};
    error[0] = '\0';
    code->module = module;
    code->op = NULL;
    code->rows = named_rows_(module);
    d.op = calloc(module->num_insts + 1U, sizeof *d.op);
    d.reach = calloc(module->num_functions + 1U, 1);
    d.list =
        calloc(2 * (size_t)module->num_functions + 1, sizeof *d.list); /* MAYBE, then REACHED */
    int rc = SMRF_ERR_NOMEM;
    if (d.op == NULL || d.reach == NULL || d.list == NULL) {
        (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "%.100s: out of memory", module->file);
    } else {
        rc = decode_all_(&d);
    }
    free(d.reach);
    free(d.list);
    if (rc < 0) {
        free(d.op);
    } else {
        code->op = d.op;
    }
    return rc;
}

void smrf_exec_code_free(struct smrf_exec_code *code)
{
    free(code->op);
    code->op = NULL;
}
