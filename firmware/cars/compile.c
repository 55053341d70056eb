/* SPDX-License-Identifier: Apache-2.0 */
/* From the analysis of a program to the information for its hardware. */
#include "firmware/cars/internal.h"

#include <stdlib.h>
#include <string.h>

/* What the program points at. */
struct parts {
    struct smrf_program_function *function;
    struct smrf_program_call *call;
    uint32_t *callees;
    char *names;
};

static void *array_(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

static struct parts *parts_(const struct smrf_flow_program *flow)
{
    struct parts *p = calloc(1, sizeof *p);
    size_t callees = 0, names = 0;
    for (uint32_t i = 0; i < flow->num_sites; i++) {
        callees += flow->site[i].num_callees;
    }
    for (uint32_t f = 0; f < flow->num_functions; f++) {
        names += strlen(flow->function[f].name) + 1;
    }
    if (p) {
        p->function = array_(flow->num_functions, sizeof *p->function);
        p->call = array_(flow->num_sites, sizeof *p->call);
        p->callees = array_(callees, sizeof *p->callees);
        p->names = array_(names, 1);
    }
    return p;
}

static uint16_t frame_(const struct smrf_regset *set, enum smrf_program_frames frames)
{
    unsigned last = SMRF_CARS_FIRST;
    for (unsigned r = SMRF_CARS_FIRST; r < SMRF_REG_ZERO; r++) {
        last = smrf_regset_has(set, r) ? r + 1 : last;
    }
    return (uint16_t)(frames == SMRF_FRAMES_PREFIX ? last - SMRF_CARS_FIRST
                                                   : smrf_regset_count(set));
}

static void mark_(struct smrf_cars_code *code, const struct smrf_flow_program *flow, uint32_t f,
                  const struct smrf_regset *saved)
{
    for (uint32_t s = 0, end; s < flow->num_saves; s = end) {
        for (end = s + 1; end < flow->num_saves && flow->save[end].inst == flow->save[s].inst;) {
            end++;
        }
        if (flow->save[s].function == f && smrf_cars_whole_(flow, s, end, saved)) {
            code->spill[flow->save[s].inst] = 1;
        }
    }
}

static void function_(struct smrf_cars_code *code, const struct smrf_flow_program *flow, uint32_t f,
                      struct smrf_program_function *to, struct smrf_regset *at_block)
{
    const struct smrf_flow_function *fn = &flow->function[f];
    const uint32_t last = fn->first + fn->count;
    to->pc = fn->pc;
    to->bytes = fn->count ? flow->inst[last - 1].op.pc - fn->pc : 0;
    to->recursive = fn->recursive;
    for (unsigned kind = 0; kind < SMRF_FRAMES_KINDS; kind++) {
        const struct smrf_regset saved =
            f ? smrf_cars_saved_(flow, f, (enum smrf_program_frames)kind)
              : (struct smrf_regset){{0}};
        memcpy(to->saved[kind].w, saved.w, sizeof saved.w);
        to->frame[kind] = frame_(&saved, (enum smrf_program_frames)kind);
        if (kind == SMRF_FRAMES_MASK) {
            const struct smrf_regset read = smrf_cars_read_first_(flow, f, &saved, at_block);
            memcpy(to->read_first.w, read.w, sizeof read.w);
            mark_(code, flow, f, &saved);
        }
    }
}

static void calls_(struct smrf_cars_code *code, const struct smrf_flow_program *flow,
                   struct parts *p)
{
    uint32_t *at = p->callees;
    for (uint32_t i = 0; i < flow->num_sites; i++) {
        const struct smrf_flow_site *site = &flow->site[i];
        const struct smrf_flow_inst *inst = &flow->inst[site->inst];
        p->call[i] = (struct smrf_program_call){inst->op.pc, site->caller, site->num_callees, at,
                                                inst->indirect};
        if (site->num_callees) {
            memcpy(at, site->callee, site->num_callees * sizeof *at);
        }
        at += site->num_callees;
        if (site->unknown && code->program.unknown_call == SMRF_PROGRAM_NONE) {
            code->program.unknown_call = inst->op.pc;
        }
    }
}

int smrf_cars_compile(struct smrf_cars_code *code, const struct smrf_flow_program *flow)
{
    struct parts *p = parts_(flow);
    struct smrf_regset *at_block = array_(flow->num_blocks, sizeof *at_block);
    *code = (struct smrf_cars_code){.parts = p, .num_insts = flow->num_insts};
    code->spill = array_(flow->num_insts, 1);
    code->pc = array_(flow->num_insts, sizeof *code->pc);
    bool room = p && p->function && p->call && p->callees && p->names && at_block && code->spill &&
                code->pc;
    char *name = room ? p->names : NULL;
    code->program.unknown_call = SMRF_PROGRAM_NONE;
    for (uint32_t f = 0; room && f < flow->num_functions; f++) {
        function_(code, flow, f, &p->function[f], at_block);
        p->function[f].name = strcpy(name, flow->function[f].name);
        name += strlen(name) + 1;
    }
    free(at_block);
    if (!room) {
        smrf_cars_free(code);
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < flow->num_insts; i++) {
        code->pc[i] = flow->inst[i].op.pc;
    }
    calls_(code, flow, p);
    code->program.num_functions = flow->num_functions;
    code->program.num_calls = flow->num_sites;
    code->program.function = p->function;
    code->program.call = p->call;
    int rc = smrf_cars_depths_(p->function, flow);
    if (rc) {
        smrf_cars_free(code);
    }
    return rc;
}

void smrf_cars_free(struct smrf_cars_code *code)
{
    struct parts *p = code->parts;
    if (p) {
        free(p->function);
        free(p->call);
        free(p->callees);
        free(p->names);
        free(p);
    }
    free(code->spill);
    free(code->pc);
    *code = (struct smrf_cars_code){0};
}

bool smrf_cars_is_spill(const struct smrf_cars_code *code, uint32_t pc)
{
    uint32_t low = 0, high = code->num_insts;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (code->pc[middle] < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < code->num_insts && code->pc[low] == pc && code->spill[low];
}
