/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: guard, mnemonic, operands up to ';'. */
#include "firmware/sass/internal.h"

#include <math.h>
#include <string.h>

/* @P0, @!UPT */
static int parse_guard(struct sass_parser *p, struct smrf_sass_inst *inst)
{
    char buffer[48];
    inst->guard = 7;
    if (!sass_accept(p, '@'))
        return 0;
    inst->guard_inverted = sass_accept(p, '!');
    inst->guard_uniform = sass_accept_word(p, "U");
    if (p->end - p->at >= 2 && p->at[0] == 'P' &&
        ((p->at[1] >= '0' && p->at[1] <= '6') || p->at[1] == 'T') &&
        (p->end - p->at == 2 || !sass_is_name(p->at[2]))) {
        inst->guard = p->at[1] == 'T' ? 7 : (uint8_t)(p->at[1] - '0');
        p->at += 2;
        return 0;
    }
    return sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected a predicate after '@' at %s",
                     sass_here(p, buffer));
}

/* Cuts the line at ';', and at the remark before it: (*"BRANCH_TARGETS .."*). What follows may
 * only be a comment (the encoding). */
static int find_end(struct sass_parser *p, const char **end)
{
    char buffer[48];
    const char *stop = memchr(p->at, ';', (size_t)(p->end - p->at));
    if (!stop)
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "the instruction does not end in ';'");
    const char *start = p->at;
    *end = p->end;
    p->at = stop + 1;
    sass_skip_space(p);
    if (!sass_at_end(p) && !sass_starts(p, "/*") && !sass_starts(p, "//"))
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "%s after the instruction",
                         sass_here(p, buffer));
    p->at = start;
    p->end = stop;
    for (const char *at = start; at + 1 < stop; at++)
        if (at[0] == '(' && at[1] == '*') {
            p->end = at;
            break;
        }
    while (p->end > p->at && (p->end[-1] == ' ' || p->end[-1] == '\t'))
        p->end--;
    return 0;
}

/* Operands are parted by commas; a target follows its register without one. */
static int parse_operands(struct sass_parser *p, struct smrf_sass_inst *inst, unsigned branch)
{
    char buffer[48];
    sass_skip_space(p);
    if (sass_at_end(p))
        return 0;
    for (;;) {
        if (inst->num_operands == SMRF_SASS_MAX_OPERANDS)
            return sass_fail(p, SMRF_ERR_LIMIT, p->line, "more than %d operands",
                             SMRF_SASS_MAX_OPERANDS);
        int rc = sass_parse_operand(p, inst, branch);
        if (rc < 0)
            return rc;
        sass_skip_space(p);
        if (sass_at_end(p))
            return 0;
        bool target = branch != SASS_NO_BRANCH &&
                      inst->operand[inst->num_operands - 1].kind != SMRF_SASS_CODE;
        if (!sass_accept(p, ',') && !target)
            return sass_fail(p, SMRF_ERR_FORMAT, p->line, "',' or ';' expected at %s",
                             sass_here(p, buffer));
    }
}

static int parse_body(struct sass_parser *p, struct smrf_sass_inst *inst)
{
    char buffer[48];
    const char *start = p->at;
    int rc = parse_guard(p, inst);
    if (rc < 0)
        return rc;
    sass_skip_space(p);
    size_t length = sass_name_length(p);
    if (length == 0 || !((*p->at >= 'A' && *p->at <= 'Z') || (*p->at >= 'a' && *p->at <= 'z')))
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected an instruction at %s",
                         sass_here(p, buffer));
    uint32_t index;
    rc = sass_mnemonic_of(p, p->at, length, &index);
    if (rc < 0)
        return rc;
    p->at += length;
    if (!sass_at_end(p) && *p->at != ' ' && *p->at != '\t')
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "space expected after the mnemonic at %s",
                         sass_here(p, buffer));
    const struct sass_mnemonic *m = &p->mnemonics[index];
    inst->mnemonic = m->text;
    inst->opcode = m->opcode;
    inst->num_modifiers = m->num_modifiers;
    memcpy(inst->modifier, m->modifier, sizeof inst->modifier);
    inst->text = sass_copy(p->store, start, (size_t)(p->end - start));
    if (!inst->text)
        return sass_nomem(p);
    return parse_operands(p, inst, m->branch);
}

/* A NaN is printed without its payload; the encoding, where it follows, has it in its upper word.
 */
static void take_nans(struct sass_parser *p, struct smrf_sass_inst *inst, const char *end)
{
    struct sass_parser rest = *p;
    rest.at = memchr(p->at, ';', (size_t)(end - p->at));
    rest.end = end;
    uint64_t encoding;
    if (!rest.at)
        return;
    rest.at++;
    sass_skip_space(&rest);
    if (!sass_accept_word(&rest, "/* ") || !sass_unsigned(&rest, &encoding))
        return;
    for (unsigned i = 0; i < inst->num_operands; i++) {
        struct smrf_sass_operand *operand = &inst->operand[i];
        if (operand->kind == SMRF_SASS_FLOAT && isnan(operand->number))
            operand->imm = (int64_t)(encoding >> 32);
    }
}

int sass_parse_inst(struct sass_parser *p, uint64_t offset)
{
    struct sass_section *section = &p->sections[p->section];
    if (offset != section->size)
        return sass_fail(p, SMRF_ERR_CORRUPT, p->line,
                         "the instruction's address is 0x%llx, but 0x%llx is next: lines are "
                         "missing or twice there",
                         (unsigned long long)offset, (unsigned long long)section->size);
    if (section->size > (UINT64_C(1) << 30))
        return sass_fail(p, SMRF_ERR_LIMIT, p->line, "a function of more than 1 GiB");
    if (!sass_grow((void **)&p->insts, p->num_insts, &p->cap_insts, sizeof *p->insts))
        return sass_nomem(p);
    struct smrf_sass_inst *inst = &p->insts[p->num_insts];
    *inst = (struct smrf_sass_inst){.address = offset, .line = p->line, .function = p->section};
    const char *end = p->end;
    sass_skip_space(p);
    int rc = find_end(p, &end);
    if (rc < 0)
        return rc;
    rc = parse_body(p, inst);
    p->end = end;
    if (rc >= 0)
        take_nans(p, inst, end);
    if (rc < 0)
        return rc;
    if (section->num_insts == 0)
        section->first_inst = p->num_insts;
    section->num_insts++;
    section->size += SMRF_SASS_INST_BYTES;
    p->num_insts++;
    return 0;
}
