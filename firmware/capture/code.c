/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "code.h"

#include "stream.h"
#include "traces/stand_in.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t smrf_capture_pc(const struct smrf_capture_code *code, uint64_t address)
{
    const struct smrf_sass_module *m = code->code->module;
    for (uint32_t f = 0; f < m->num_functions; f++) {
        const struct smrf_sass_function *fn = &m->function[f];
        const uint32_t size = fn->external ? SMRF_SASS_INST_BYTES : fn->size;
        if (address >= fn->address && address - fn->address < size &&
            code->function_pc[f] != UINT32_MAX) {
            return code->function_pc[f] + (uint32_t)(address - fn->address);
        }
    }
    return 0;
}

/* Index of the i-th function from the kernel on, the text taken as a ring. */
static uint32_t from_entry_(const struct smrf_capture_code *c, uint32_t i)
{
    const struct smrf_sass_module *m = c->code->module;
    return (uint32_t)(((uint64_t)(c->entry - m->function) + i) % m->num_functions);
}

/* The kernel at 0; then what it may call, first what follows it in the text: subroutines in the
 * kernel's own section keep their offsets. Another kernel is never called. */
static void place_(struct smrf_capture_code *c)
{
    const struct smrf_sass_module *m = c->code->module;
    uint32_t at = c->entry->size;
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const uint32_t f = from_entry_(c, i);
        const struct smrf_sass_function *fn = &m->function[f];
        c->function_pc[f] = fn == c->entry ? 0 : fn->entry ? UINT32_MAX : at;
        if (!fn->entry) {
            at +=
                (fn->size + SMRF_SASS_INST_BYTES - 1) / SMRF_SASS_INST_BYTES * SMRF_SASS_INST_BYTES;
        }
    }
    for (uint32_t f = 0; f < m->num_functions; f++) { /* no code here, but calls name them */
        if (m->function[f].external) {
            c->function_pc[f] = at;
            at += SMRF_SASS_INST_BYTES;
        }
    }
}

/* What the kernel may call, at any depth. */
static void reach_(struct smrf_capture_code *c)
{
    const struct smrf_sass_module *m = c->code->module;
    bool grown = true;
    c->reached[c->entry - m->function] = true;
    while (grown) {
        grown = false;
        for (uint32_t i = 0; i < m->num_calls; i++) {
            const struct smrf_sass_call *e = &m->call[i];
            if (e->caller < m->num_functions && e->callee < m->num_functions &&
                c->reached[e->caller] && !c->reached[e->callee]) {
                c->reached[e->callee] = grown = true;
            }
        }
    }
}

/* The most registers of the kernel and what it calls: separately compiled functions are allocated
 * for together. */
static uint32_t registers_(const struct smrf_capture_code *c)
{
    const struct smrf_sass_module *m = c->code->module;
    uint32_t most = 0;
    for (uint32_t f = 0; f < m->num_functions; f++) {
        if (c->reached[f] && m->function[f].registers > most) {
            most = m->function[f].registers;
        }
    }
    return most;
}

/* What Accel-Sim 1.x needs to finish: opcodes that it knows; a DEPBAR that waits for no group of
 * copies, as nothing forms any on Turing (shader.cc: issue_warp looks past the end of none). */
static void suit_accel_sim_(struct smrf_capture_op *op)
{
    if (strncmp(op->opcode, "DEPBAR", 6) == 0) {
        op->line.imm[0] = 0;
    }
    (void)smrf_stand_in(op->opcode, sizeof op->opcode);
    op->ends = strncmp(op->opcode, "EXIT", 4) == 0;
}

/* Everything about one instruction follows from its line in the sidecar, so that the two agree. */
static int fill_(const struct smrf_capture_code *c, struct smrf_capture_op *op,
                 const struct smrf_sass_inst *inst, uint32_t version, bool exact,
                 char error[SMRF_SASS_ERROR_BYTES])
{
    char text[SMRF_CAPTURE_TEXT_MAX];
    struct smrf_operands o;
    const char *reason = "the line is too long";
    if (!smrf_capture_text(c, inst, text) ||
        smrf_operands_parse(text, SMRF_OPERANDS_VERSION, &o, op->opcode, sizeof op->opcode,
                            &reason) != 0) {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%s:%" PRIu32 ": cannot be traced: %s: %s",
                 c->code->module->file, inst->line, inst->text, reason);
        return SMRF_ERR_LIMIT;
    }
    struct smrf_listed_inst in = {.binary_version = c->code->module->arch};
    struct smrf_static_inst s;
    bool memory = false;
    for (unsigned i = 0; i < inst->num_operands; i++) {
        memory |= inst->operand[i].kind == SMRF_SASS_MEM;
    }
    memory = memory && c->code->op[inst - c->code->module->inst].control == SMRF_EXEC_MEMORY;
    smrf_operands_list(&o, 6, &in, &op->line.imm[1]);
    (void)smrf_opcode_decode(&in, &s, &op->map);
    op->line.mem_width = memory ? s.access_bytes != 0 ? s.access_bytes : 4 : 0;
    op->memory = op->line.mem_width != 0;
    op->op_class = s.op_class;
    op->num_dst = s.num_dst;
    op->num_src = s.num_src;
    memcpy(op->dst, s.dst, sizeof op->dst);
    memcpy(op->src, s.src, sizeof op->src);
    if (version < 6) {
        smrf_operands_list(&o, version, &in, &op->line.imm[1]);
    }
    op->line.pc = o.pc;
    op->line.opcode = op->opcode;
    op->line.imm[0] = in.imm;
    op->line.map = &op->map;
    op->line.num_dst = in.num_dst;
    op->line.num_src = in.num_src;
    memcpy(op->line.dst, in.dst, sizeof op->line.dst);
    memcpy(op->line.src, in.src, sizeof op->line.src);
    if (!exact) {
        suit_accel_sim_(op);
    }
    smrf_trace_line_list(&op->listed, &op->line, version);
    op->line.listed = &op->listed;
    return 0;
}

static bool allocate_(struct smrf_capture_code *c, const struct smrf_sass_module *m)
{
    c->function_pc = calloc(m->num_functions, sizeof *c->function_pc);
    c->reached = calloc(m->num_functions, sizeof *c->reached);
    c->op = calloc(m->num_insts, sizeof(struct smrf_capture_op *));
    c->tally = calloc(m->num_insts, sizeof *c->tally);
    if (c->function_pc == NULL || c->reached == NULL || c->op == NULL || c->tally == NULL) {
        return false;
    }
    place_(c);
    reach_(c);
    c->registers = registers_(c);
    for (uint32_t f = 0; f < m->num_functions; f++) {
        if (c->function_pc[f] != UINT32_MAX) {
            c->num += m->function[f].count;
        }
    }
    c->store = calloc(c->num, sizeof *c->store);
    return c->store != NULL;
}

int smrf_capture_code_make(struct smrf_capture_code **out, const struct smrf_exec_code *code,
                           const struct smrf_sass_function *entry, uint32_t version, bool exact,
                           char error[SMRF_SASS_ERROR_BYTES])
{
    const struct smrf_sass_module *m = code->module;
    struct smrf_capture_code *c = calloc(1, sizeof *c);
    int rc = SMRF_ERR_NOMEM;
    *out = NULL;
    if (m->num_insts > SMRF_STREAM_INDEX_MAX) {
        free(c);
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%s: more than %u instructions", m->file,
                 SMRF_STREAM_INDEX_MAX);
        return SMRF_ERR_LIMIT;
    }
    if (c != NULL) {
        c->code = code;
        c->entry = entry;
        rc = allocate_(c, m) ? 0 : SMRF_ERR_NOMEM;
    }
    struct smrf_capture_op *next = c != NULL ? c->store : NULL;
    for (uint32_t f = 0; rc == 0 && f < m->num_functions; f++) {
        const struct smrf_sass_function *fn = &m->function[f];
        for (uint32_t i = 0; rc == 0 && c->function_pc[f] != UINT32_MAX && i < fn->count; i++) {
            c->op[fn->first + i] = next;
            rc = fill_(c, next++, &m->inst[fn->first + i], version, exact, error);
        }
    }
    if (rc == SMRF_ERR_NOMEM) {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "out of memory");
    }
    if (rc != 0) {
        smrf_capture_code_free(c);
        return rc;
    }
    *out = c;
    return 0;
}

void smrf_capture_code_free(struct smrf_capture_code *code)
{
    if (code == NULL) {
        return;
    }
    free(code->op);
    free(code->tally);
    free(code->store);
    free(code->function_pc);
    free(code->reached);
    free(code);
}

/* ---- the sidecar ----------------------------------------------------------------------------- */

#define TARGETS_PER_LINE 16

static bool executed_(const struct smrf_capture_code *c, const struct smrf_sass_function *fn)
{
    for (uint32_t i = 0; i < fn->count; i++) {
        if (c->tally[fn->first + i].count != 0) {
            return true;
        }
    }
    return false;
}

/* Without a call graph in the text, a callee may be known from its execution alone. */
static bool told_(const struct smrf_capture_code *c, uint32_t f)
{
    return c->function_pc[f] != UINT32_MAX &&
           (c->reached[f] || executed_(c, &c->code->module->function[f]));
}

/* PCs after a statement's name and subject, some a line. */
static void write_target_(FILE *out, const char *statement, uint32_t subject, uint32_t i,
                          uint32_t target)
{
    if (i % TARGETS_PER_LINE == 0) {
        fprintf(out, "%s%s %04" PRIx32, i != 0 ? "\n" : "", statement, subject);
    }
    fprintf(out, " %04" PRIx32, target);
}

static void write_calls_(const struct smrf_capture_code *c, uint32_t f, bool indirect, FILE *out)
{
    const struct smrf_sass_module *m = c->code->module;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->num_calls; i++) {
        const struct smrf_sass_call *e = &m->call[i];
        if (e->caller == f && (indirect ? e->indirect : e->direct) &&
            c->function_pc[e->callee] != UINT32_MAX) {
            write_target_(out, indirect ? ".indirect" : ".call", c->function_pc[f], n++,
                          c->function_pc[e->callee]);
        }
    }
    if (n != 0) {
        fputc('\n', out);
    }
}

static void write_jumps_(const struct smrf_capture_code *c, const struct smrf_sass_function *fn,
                         FILE *out)
{
    const struct smrf_sass_module *m = c->code->module;
    for (uint32_t i = 0; i < m->num_jumps;) {
        const uint32_t inst = m->jump[i].inst;
        const bool own = inst >= fn->first && inst - fn->first < fn->count;
        for (uint32_t n = 0; i < m->num_jumps && m->jump[i].inst == inst; i++, n++) {
            if (own) {
                write_target_(out, ".branch", smrf_capture_pc(c, m->inst[inst].address), n,
                              smrf_capture_pc(c, m->jump[i].target));
            }
        }
        if (own) {
            fputc('\n', out);
        }
    }
}

/* Where the instructions that follow come from; nothing where it is the same. */
static void write_source_(const struct smrf_sass_inst *inst, const struct smrf_sass_inst **last,
                          FILE *out)
{
    const struct smrf_sass_inst *before = *last;
    const char *source = before ? before->source : NULL;
    *last = inst;
    if (inst->source == source && (!source || inst->source_line == before->source_line)) {
        return;
    }
    if (inst->source) {
        fprintf(out, SMRF_OPERANDS_LINE "%" PRIu32 " \"%s\"\n", inst->source_line, inst->source);
    } else {
        fputs(SMRF_OPERANDS_LINE "0\n", out);
    }
}

static void write_function_(const struct smrf_capture_code *c, uint32_t f,
                            const struct smrf_sass_inst **last, FILE *out)
{
    const struct smrf_sass_module *m = c->code->module;
    const struct smrf_sass_function *fn = &m->function[f];
    char text[SMRF_CAPTURE_TEXT_MAX];
    fprintf(out, ".function %04" PRIx32 " %04" PRIx32 " %" PRIu32 " %s %s\n", c->function_pc[f],
            fn->size, fn->registers,
            fn->entry      ? "kernel"
            : fn->external ? "external"
                           : "device",
            fn->name);
    write_calls_(c, f, false, out);
    write_calls_(c, f, true, out);
    write_jumps_(c, fn, out);
    for (uint32_t i = 0; i < fn->count; i++) {
        const struct smrf_sass_inst *inst = &m->inst[fn->first + i];
        write_source_(inst, last, out);
        if (smrf_capture_text(c, inst, text)) {
            fprintf(out, "%s\n", text);
        }
    }
}

static void write_program_(const struct smrf_capture_code *code, FILE *out)
{
    const struct smrf_sass_module *m = code->code->module;
    const struct smrf_sass_inst *last = NULL;
    fputs(SMRF_OPERANDS_FIRST_LINE "\n", out);
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const uint32_t f = from_entry_(code, i);
        if (!m->function[f].external && told_(code, f)) {
            write_function_(code, f, &last, out);
        }
    }
    for (uint32_t f = 0; f < m->num_functions; f++) {
        if (m->function[f].external && code->reached[f]) {
            write_function_(code, f, &last, out);
        }
    }
}

int smrf_capture_code_text(const struct smrf_capture_code *code, char **text, size_t *bytes)
{
    size_t lines = 0;
    *text = NULL;
    FILE *out = open_memstream(text, bytes);
    if (out == NULL) {
        return SMRF_ERR_NOMEM;
    }
    write_program_(code, out);
    bool whole = fflush(out) == 0;
    for (const char *p = *text; whole && (p = strchr(p, '\n')) != NULL; p++) {
        lines++;
    }
    fprintf(out, SMRF_OPERANDS_END "%zu\n", lines);
    whole = fclose(out) == 0 && whole;
    if (!whole) {
        free(*text);
        *text = NULL;
    }
    return whole ? 0 : errno == ENOMEM ? SMRF_ERR_NOMEM : SMRF_ERR_IO;
}

int smrf_capture_code_table(const struct smrf_capture_code *code, struct smrf_operand_table *table,
                            struct smrf_trace_error_text *error)
{
    char *text;
    size_t bytes;
    if (smrf_capture_code_text(code, &text, &bytes) != 0) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "no memory left for a program's text");
    }
    const int rc = smrf_operand_table_read(table, code->code->module->file, text, bytes, error);
    free(text);
    return rc;
}
