/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: guard, mnemonic, operands up to ';'. */
#include "firmware/sass/internal.h"

#include <math.h>
#include <string.h>

/* @P0, @!UPT */
static int parse_guard_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst)
{
    char buffer[48];
    inst->guard = 7;
    if (!smrf_sass_accept(p, '@')) {
        return 0;
    }
    inst->guard_inverted = smrf_sass_accept(p, '!');
    inst->guard_uniform = smrf_sass_accept_word(p, "U");
    if (p->end - p->at >= 2 && p->at[0] == 'P' &&
        ((p->at[1] >= '0' && p->at[1] <= '6') || p->at[1] == 'T') &&
        (p->end - p->at == 2 || !smrf_sass_is_name(p->at[2]))) {
        inst->guard = p->at[1] == 'T' ? 7 : (uint8_t)(p->at[1] - '0');
        p->at += 2;
        return 0;
    }
    return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected a predicate after '@' at %s",
                          smrf_sass_here(p, buffer));
}

/* Cuts the line at ';', and at the remark before it: (*"BRANCH_TARGETS .."*). What follows may
 * only be a comment (the encoding). remark: what stands between '(*' and ';', NULL = nothing. */
static int find_end_(struct smrf_sass_parser *p, const char **end, const char **remark)
{
    char buffer[48];
    const char *stop = memchr(p->at, ';', (size_t)(p->end - p->at));
    if (!stop) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "the instruction does not end in ';'");
    }
    const char *start = p->at;
    *end = p->end;
    p->at = stop + 1;
    smrf_sass_skip_space(p);
    if (!smrf_sass_at_end(p) && !smrf_sass_starts(p, "/*") && !smrf_sass_starts(p, "//")) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "%s after the instruction",
                              smrf_sass_here(p, buffer));
    }
    p->at = start;
    p->end = stop;
    for (const char *at = start; at + 1 < stop; at++) {
        if (at[0] == '(' && at[1] == '*') {
            p->end = at;
            *remark = at + 2;
            break;
        }
    }
    while (p->end > p->at && (p->end[-1] == ' ' || p->end[-1] == '\t')) {
        p->end--;
    }
    return 0;
}

/* Operands are parted by commas; a target follows its register without one. */
static int parse_operands_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst, unsigned branch)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    if (smrf_sass_at_end(p)) {
        return 0;
    }
    for (;;) {
        if (inst->num_operands == SMRF_SASS_MAX_OPERANDS) {
            return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "more than %d operands",
                                  SMRF_SASS_MAX_OPERANDS);
        }
        int rc = smrf_sass_parse_operand(p, inst, branch);
        if (rc < 0) {
            return rc;
        }
        smrf_sass_skip_space(p);
        if (smrf_sass_at_end(p)) {
            return 0;
        }
        bool target = branch != SASS_NO_BRANCH &&
                      inst->operand[inst->num_operands - 1].kind != SMRF_SASS_CODE;
        if (!smrf_sass_accept(p, ',') && !target) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "',' or ';' expected at %s",
                                  smrf_sass_here(p, buffer));
        }
    }
}

static int parse_body_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst)
{
    char buffer[48];
    const char *start = p->at;
    int rc = parse_guard_(p, inst);
    if (rc < 0) {
        return rc;
    }
    smrf_sass_skip_space(p);
    size_t length = smrf_sass_name_length(p);
    if (length == 0 || !((*p->at >= 'A' && *p->at <= 'Z') || (*p->at >= 'a' && *p->at <= 'z'))) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected an instruction at %s",
                              smrf_sass_here(p, buffer));
    }
    uint32_t index;
    rc = smrf_sass_mnemonic_of(p, p->at, length, &index);
    if (rc < 0) {
        return rc;
    }
    p->at += length;
    if (!smrf_sass_at_end(p) && *p->at != ' ' && *p->at != '\t') {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                              "space expected after the mnemonic at %s", smrf_sass_here(p, buffer));
    }
    const struct smrf_sass_mnemonic *m = &p->mnemonics[index];
    inst->mnemonic = m->text;
    inst->opcode = m->opcode;
    inst->num_modifiers = m->num_modifiers;
    memcpy(inst->modifier, m->modifier, sizeof inst->modifier);
    inst->text = smrf_sass_copy(p->store, start, (size_t)(p->end - start));
    if (!inst->text) {
        return smrf_sass_nomem(p);
    }
    return parse_operands_(p, inst, m->branch);
}

/* "BRANCH_TARGETS .L_x_1,.L_x_2" */
static int take_targets_(struct smrf_sass_parser *p, const char *remark)
{
    struct smrf_sass_parser rest = *p;
    rest.at = remark;
    rest.end = memchr(remark, ';', (size_t)(p->end - remark)); /* find_end_ has seen it */
    if (!smrf_sass_accept_word(&rest, "\"BRANCH_TARGETS ")) {
        return 0;
    }
    for (size_t length; (length = smrf_sass_name_length(&rest)) != 0;) {
        uint32_t symbol;
        int rc = smrf_sass_symbol_of(p, rest.at, length, &symbol);
        if (rc < 0) {
            return rc;
        }
        if (!smrf_sass_grow((void **)&p->jumps, p->num_jumps, &p->cap_jumps, sizeof *p->jumps)) {
            return smrf_sass_nomem(p);
        }
        p->jumps[p->num_jumps++] = (struct smrf_sass_label_use){p->num_insts, symbol};
        rest.at += length;
        (void)smrf_sass_accept(&rest, ',');
    }
    return 0;
}

void smrf_sass_parse_upper_word(struct smrf_sass_parser *p)
{
    uint64_t upper;
    const bool of_code =
        p->section != SMRF_SASS_NO_INDEX && p->sections[p->section].num_insts != 0 && p->num_insts;
    if (!of_code || p->insts[p->num_insts - 1].line + 1 != p->line ||
        !smrf_sass_unsigned(p, &upper)) {
        return;
    }
    p->insts[p->num_insts - 1].control = (uint32_t)(upper >> (105 - 64)) & UINT32_C(0x1fffff);
}

/* A NaN is printed without its payload; the encoding, where it follows, has it in its upper word.
 */
static void take_nans_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst, const char *end)
{
    struct smrf_sass_parser rest = *p;
    rest.at = memchr(p->at, ';', (size_t)(end - p->at));
    rest.end = end;
    uint64_t encoding;
    if (!rest.at) {
        return;
    }
    rest.at++;
    smrf_sass_skip_space(&rest);
    if (!smrf_sass_accept_word(&rest, "/* ") || !smrf_sass_unsigned(&rest, &encoding)) {
        return;
    }
    for (unsigned i = 0; i < inst->num_operands; i++) {
        struct smrf_sass_operand *operand = &inst->operand[i];
        if (operand->kind == SMRF_SASS_FLOAT && isnan(operand->number)) {
            operand->imm = (int64_t)(encoding >> 32);
        }
    }
}

int smrf_sass_parse_source(struct smrf_sass_parser *p)
{
    const char *name = p->at;
    const bool again = p->source && p->source_inst == p->num_insts; /* what it is inlined into */
    uint64_t line;
    uint32_t string;
    while (p->at < p->end && !smrf_sass_starts(p, "\", line ")) {
        p->at++;
    }
    const char *stop = p->at;
    if (again || stop == name || stop - name > SMRF_SASS_MAX_SOURCE_NAME ||
        !smrf_sass_accept_word(p, "\", line ") || !smrf_sass_unsigned(p, &line) ||
        line > UINT32_MAX) {
        return 0; /* a remark */
    }
    int rc = smrf_sass_string_of(p, name, (size_t)(stop - name), &string);
    if (rc >= 0) {
        p->source = line ? p->strings[string].text : NULL;
        p->source_line = (uint32_t)line;
        p->source_inst = p->num_insts;
    }
    return rc;
}

int smrf_sass_parse_inst(struct smrf_sass_parser *p, uint64_t offset)
{
    struct smrf_sass_section *section = &p->sections[p->section];
    if (offset != section->size) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, p->line,
                              "the instruction's address is 0x%llx, but 0x%llx is next: lines are "
                              "missing or twice there",
                              (unsigned long long)offset, (unsigned long long)section->size);
    }
    if (section->size > (UINT64_C(1) << 30)) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "a function of more than 1 GiB");
    }
    if (!smrf_sass_grow((void **)&p->insts, p->num_insts, &p->cap_insts, sizeof *p->insts)) {
        return smrf_sass_nomem(p);
    }
    struct smrf_sass_inst *inst = &p->insts[p->num_insts];
    *inst = (struct smrf_sass_inst){.address = offset,
                                    .control = SMRF_SASS_NO_CONTROL,
                                    .line = p->line,
                                    .source_line = p->source_line,
                                    .source = p->source,
                                    .function = p->section};
    const char *end = p->end, *remark = NULL;
    smrf_sass_skip_space(p);
    int rc = find_end_(p, &end, &remark);
    if (rc < 0) {
        return rc;
    }
    rc = parse_body_(p, inst);
    p->end = end;
    if (rc >= 0 && remark) {
        rc = take_targets_(p, remark);
    }
    if (rc < 0) {
        return rc;
    }
    take_nans_(p, inst, end);
    if (section->num_insts == 0) {
        section->first_inst = p->num_insts;
    }
    section->num_insts++;
    section->size += SMRF_SASS_INST_BYTES;
    p->num_insts++;
    return 0;
}
