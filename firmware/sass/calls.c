/* SPDX-License-Identifier: Apache-2.0 */
/* Who may call whom: .nv.callgraph, and the calls that the code itself shows. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

/* A zero word and one of these begin a part of .nv.callgraph. */
#define PART_DIRECT UINT32_C(0xffffffff)    /* caller, callee */
#define PART_PROTOTYPE UINT32_C(0xfffffffe) /* function whose address is taken, prototype */
#define PART_INDIRECT UINT32_C(0xfffffffd)  /* caller through a pointer, prototype */

struct pair {
    uint32_t function, prototype;
};

struct pairs {
    struct pair *item;
    uint32_t count, capacity;
};

struct calls {
    struct smrf_sass_call *item;
    uint32_t count, capacity;
    struct smrf_hash_index known;
};

/* A call that is looked up among the known ones. */
struct wanted_call {
    const struct calls *calls;
    uint32_t caller, callee;
};

static bool is_call_(const void *ctx, uint32_t item)
{
    const struct wanted_call *w = ctx;
    return w->calls->item[item].caller == w->caller && w->calls->item[item].callee == w->callee;
}

static int add_call_(struct smrf_sass_parser *p, struct calls *calls, uint32_t caller,
                     uint32_t callee, bool indirect)
{
    const struct wanted_call wanted = {calls, caller, callee};
    const uint32_t hash = smrf_hash_number((uint64_t)caller << 32 | callee);
    const uint32_t at = smrf_hash_find(&calls->known, hash, is_call_, &wanted);
    if (at != SMRF_HASH_NONE) {
        calls->item[at].direct |= !indirect;
        calls->item[at].indirect |= indirect;
        return 0;
    }
    if (calls->count == SMRF_SASS_MAX_CALLS) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, 0, "more than %u possible calls",
                              (unsigned)SMRF_SASS_MAX_CALLS);
    }
    if (!smrf_sass_grow((void **)&calls->item, calls->count, &calls->capacity,
                        sizeof *calls->item) ||
        !smrf_hash_add(&calls->known, hash, calls->count)) {
        return smrf_sass_nomem(p);
    }
    calls->item[calls->count++] = (struct smrf_sass_call){caller, callee, !indirect, indirect};
    return 0;
}

static uint32_t word_at_(const struct smrf_sass_section *s, uint64_t at)
{
    const uint8_t *b = s->bytes + at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint32_t function_of_(const struct smrf_sass_parser *p, uint32_t word)
{
    return word == 0 || word > p->num_symbols ? SMRF_SASS_NO_INDEX : p->symbols[word - 1].function;
}

static int add_pair_(struct smrf_sass_parser *p, struct pairs *pairs, uint32_t function,
                     uint32_t prototype)
{
    if (!smrf_sass_grow((void **)&pairs->item, pairs->count, &pairs->capacity,
                        sizeof *pairs->item)) {
        return smrf_sass_nomem(p);
    }
    pairs->item[pairs->count++] = (struct pair){function, prototype};
    return 0;
}

static int by_prototype_(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->prototype != y->prototype) {
        return x->prototype < y->prototype ? -1 : 1;
    }
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Everyone who calls through a pointer may call everyone of that prototype. */
static int match_pairs_(struct smrf_sass_parser *p, struct calls *calls, struct pairs *callers,
                        struct pairs *callees)
{
    if (callees->count) {
        qsort(callees->item, callees->count, sizeof *callees->item, by_prototype_);
    }
    for (uint32_t i = 0; i < callers->count; i++) {
        uint32_t low = 0, high = callees->count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (callees->item[middle].prototype < callers->item[i].prototype) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (; low < callees->count && callees->item[low].prototype == callers->item[i].prototype;
             low++) {
            int rc =
                add_call_(p, calls, callers->item[i].function, callees->item[low].function, true);
            if (rc < 0) {
                return rc;
            }
        }
    }
    return 0;
}

static int read_callgraph_(struct smrf_sass_parser *p, const struct smrf_sass_section *s,
                           struct calls *calls)
{
    struct pairs callers = {0}, callees = {0};
    uint32_t part = PART_DIRECT;
    int rc = 0;
    for (uint64_t at = 0; at + 8 <= s->size && rc >= 0; at += 8) {
        uint32_t a = word_at_(s, at), b = word_at_(s, at + 4);
        if (a == 0) {
            part = b;
            continue;
        }
        uint32_t first = function_of_(p, a);
        if (first == SMRF_SASS_NO_INDEX) {
            continue;
        }
        if (part == PART_DIRECT && function_of_(p, b) != SMRF_SASS_NO_INDEX) {
            rc = add_call_(p, calls, first, function_of_(p, b), false);
        } else if (part == PART_PROTOTYPE) {
            rc = add_pair_(p, &callees, first, b);
        } else if (part == PART_INDIRECT) {
            rc = add_pair_(p, &callers, first, b);
        }
    }
    if (rc >= 0) {
        rc = match_pairs_(p, calls, &callers, &callees);
    }
    free(callers.item);
    free(callees.item);
    return rc;
}

/* Function at an address; an external one's too. */
static uint32_t function_at_(const struct smrf_sass_parser *p, uint64_t address)
{
    const struct smrf_sass_module *module = &p->store->module;
    const struct smrf_sass_inst *inst = smrf_sass_at(module, address);
    if (inst) {
        return inst->function;
    }
    uint64_t base = module->code_base + module->code_bytes;
    uint64_t index = address < base ? UINT64_MAX : (address - base) / SMRF_SASS_INST_BYTES;
    uint32_t first = p->first_external; /* the last ones, in the order of their addresses */
    return index < module->num_functions - first ? first + (uint32_t)index : SMRF_SASS_NO_INDEX;
}

/* CALL.REL Rn `(kernel): a table of offsets leads to any function of the kernel's section. */
static int call_by_offset_(struct smrf_sass_parser *p, struct calls *calls, uint32_t caller,
                           uint32_t base)
{
    const struct smrf_sass_module *module = &p->store->module;
    for (uint32_t i = base; i < module->num_functions; i++) {
        const struct smrf_sass_function *f = &module->function[i];
        if (i > base &&
            (f->external || f->entry ||
             f->address != module->function[i - 1].address + f[-1].size || f->name[0] != '$')) {
            break;
        }
        int rc = i > base ? add_call_(p, calls, caller, i, true) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_code_(struct smrf_sass_parser *p, struct calls *calls)
{
    const struct smrf_sass_module *module = &p->store->module;
    uint32_t done = SMRF_SASS_NO_INDEX; /* caller whose calls by offset are in */
    for (uint32_t i = 0; i < module->num_insts; i++) {
        const struct smrf_sass_inst *inst = &module->inst[i];
        if (inst->num_operands == 0 ||
            (strcmp(inst->opcode, "CALL") != 0 && strcmp(inst->opcode, "BRA") != 0)) {
            continue;
        }
        const struct smrf_sass_operand *last = &inst->operand[inst->num_operands - 1];
        if (last->kind != SMRF_SASS_CODE) {
            continue;
        }
        uint32_t callee = function_at_(p, (uint64_t)last->imm);
        int rc = 0;
        if (callee == SMRF_SASS_NO_INDEX) {
            continue;
        }
        if (inst->opcode[0] == 'C' && inst->num_operands > 1) {
            if (done != inst->function) {
                rc = call_by_offset_(p, calls, inst->function, callee);
            }
            done = inst->function;
        } else if (inst->opcode[0] == 'C' || callee != inst->function) {
            rc = add_call_(p, calls, inst->function, callee, false);
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

int smrf_sass_collect_calls(struct smrf_sass_parser *p)
{
    struct calls calls = {0};
    int rc = 0;
    for (uint32_t i = 0; i < p->num_sections && rc >= 0; i++) {
        if (p->sections[i].kind == SASS_CALLGRAPH && p->sections[i].bytes) {
            rc = read_callgraph_(p, &p->sections[i], &calls);
        }
    }
    if (rc >= 0) {
        rc = read_code_(p, &calls);
    }
    smrf_hash_free(&calls.known);
    p->store->module.call = calls.item;
    p->store->module.num_calls = calls.count;
    return rc;
}
