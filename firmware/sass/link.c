/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations: every expression gets its value and goes where it was printed. */
#include "firmware/sass/internal.h"

#include <stdlib.h>

static bool is_code_(const struct smrf_sass_parser *p, uint64_t address)
{
    const struct smrf_sass_module *module = &p->store->module;
    return address % SMRF_SASS_INST_BYTES == 0 && address >= module->code_base &&
           address - module->code_base <=
               module->code_bytes + (uint64_t)SMRF_SASS_INST_BYTES * module->num_functions;
}

/* c[`(symbol)]: the symbol's section says which bank. */
static int link_const_(struct smrf_sass_parser *p, const struct smrf_sass_fixup *fixup,
                       struct smrf_sass_operand *operand)
{
    const struct smrf_sass_section *section = NULL;
    for (unsigned t = 0; t < fixup->expr.terms && !section; t++) {
        uint32_t index = p->symbols[fixup->expr.symbol[t]].section;
        if (index != SMRF_SASS_NO_INDEX && p->sections[index].kind == SASS_CONST) {
            section = &p->sections[index];
        }
    }
    if (!section) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, fixup->line,
                              "the constant's symbol does not lie in a constant bank");
    }
    operand->bank = section->bank;
    return 0;
}

static int link_operand_(struct smrf_sass_parser *p, const struct smrf_sass_fixup *fixup)
{
    struct smrf_sass_inst *inst = &p->store->module.inst[fixup->where];
    struct smrf_sass_operand *operand = &inst->operand[fixup->operand];
    int64_t value;
    int rc = smrf_sass_eval(p, &fixup->expr, fixup->line, inst->address, &value);
    if (rc < 0) {
        return rc;
    }
    if (fixup->target == SASS_TO_CODE) { /* an offset in the section */
        value = (int64_t)((uint64_t)value + p->sections[fixup->offset].base);
    }
    if (fixup->target == SASS_TO_BRX && !(fixup->expr.terms && fixup->expr.here == 0)) {
        value = (int64_t)((uint64_t)value + inst->address + SMRF_SASS_INST_BYTES);
    }
    operand->imm = (int64_t)((uint64_t)operand->imm + (uint64_t)value);
    if (fixup->target == SASS_TO_CONST) {
        return link_const_(p, fixup, operand);
    }
    if (operand->kind == SMRF_SASS_CODE && !is_code_(p, (uint64_t)operand->imm)) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, fixup->line,
                              "the target 0x%llx is outside the code",
                              (unsigned long long)operand->imm);
    }
    return 0;
}

static int link_bytes_(struct smrf_sass_parser *p, const struct smrf_sass_fixup *fixup)
{
    struct smrf_sass_section *section = &p->sections[fixup->where];
    int64_t value;
    int rc = smrf_sass_eval(p, &fixup->expr, fixup->line, section->base + fixup->offset, &value);
    if (rc < 0) {
        return rc;
    }
    unsigned bits = fixup->bytes * 8;
    if (bits < 64 && (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << bits)) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, fixup->line,
                              "the value 0x%llx does not fit %u bits", (unsigned long long)value,
                              bits);
    }
    for (unsigned i = 0; i < fixup->bytes; i++) {
        section->bytes[fixup->offset + i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
    return 0;
}

/* A branch one of whose targets the text does not have counts as one without any. */
static int link_jumps_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    module->jump = malloc((p->num_jumps + (size_t)1) * sizeof *module->jump);
    if (!module->jump) {
        return smrf_sass_nomem(p);
    }
    for (uint32_t i = 0; i < p->num_jumps;) {
        const uint32_t inst = p->jumps[i].inst, first = module->num_jumps;
        bool known = true;
        for (; i < p->num_jumps && p->jumps[i].inst == inst; i++) {
            const struct smrf_sass_label *label = &p->symbols[p->jumps[i].symbol];
            known = known && label->section != SMRF_SASS_NO_INDEX && is_code_(p, label->value);
            module->jump[module->num_jumps++] = (struct smrf_sass_jump){inst, label->value};
        }
        module->num_jumps = known ? module->num_jumps : first;
    }
    return 0;
}

int smrf_sass_link(struct smrf_sass_parser *p)
{
    for (uint32_t i = 0; i < p->num_fixups; i++) {
        const struct smrf_sass_fixup *fixup = &p->fixups[i];
        int rc = fixup->target == SASS_TO_BYTES ? link_bytes_(p, fixup) : link_operand_(p, fixup);
        if (rc < 0) {
            return rc;
        }
    }
    return link_jumps_(p);
}
