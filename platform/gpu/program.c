/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "firmware/cars/cars.h"
#include "models/common/smrf_err.h"

#include <stdlib.h>
#include <string.h>

static void mark_(void *ctx, struct smrf_static_inst *inst)
{
    const struct smrf_gpu_program *p = ctx;
    if (p->code && inst->space == SMRF_SPACE_LOCAL && smrf_cars_is_spill(p->code, inst->pc)) {
        inst->flags |= SMRF_INST_SPILL;
    }
}

static int compile_(struct smrf_gpu_program *p, const struct smrf_flow_program *flow)
{
    struct smrf_cars_code *code = malloc(sizeof *code);
    int err = code ? smrf_cars_compile(code, flow) : SMRF_ERR_NOMEM;
    if (err) {
        free(code);
        return err;
    }
    p->code = code;
    return SMRF_OK;
}

_Static_assert((int)SMRF_PLACE_LAST_RESULT == SMRF_FLOW_LAST_RESULT &&
                   (int)SMRF_PLACE_ALSO_BANK == SMRF_FLOW_ALSO_BANK,
               "places are handed over as they are");

static void tell_(struct smrf_gpu_program *p, const struct smrf_flow_program *flow, uint32_t i)
{
    const struct smrf_flow_inst *inst = &flow->inst[i];
    const struct smrf_regset live = smrf_flow_warp_live(flow, i);
    struct smrf_inst_facts *f = &p->facts[i];
    memcpy(f->live.w, live.w, sizeof live.w);
    memcpy(f->src_place, inst->src_place, sizeof f->src_place);
    memcpy(f->dst_place, inst->dst_place, sizeof f->dst_place);
    f->strand = inst->strand;
    f->ends_strand = inst->ends_strand;
    f->interval = &p->interval[inst->interval];
}

/* Which registers are still needed where, and how a compiler parted the program. */
static int facts_(struct smrf_gpu_program *p, const struct smrf_flow_program *flow)
{
    p->facts = calloc(flow->num_insts + 1, sizeof *p->facts);
    p->interval = calloc(flow->num_intervals + 1, sizeof *p->interval);
    if (!p->facts || !p->interval) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t n = 0; n < flow->num_intervals; n++) {
        memcpy(p->interval[n].w, flow->interval[n].registers.w, sizeof p->interval[n].w);
    }
    for (uint32_t i = 0; i < flow->num_insts; i++) {
        tell_(p, flow, i);
    }
    p->code->program.num_insts = flow->num_insts;
    p->code->program.pc = p->code->pc;
    p->code->program.facts = p->facts;
    return SMRF_OK;
}

int smrf_gpu_program_open(struct smrf_gpu_program *p, struct smrf_trace *trace,
                          const struct smrf_kernel_info *info,
                          const struct smrf_program_wish *wish)
{
    const struct smrf_operand_table *table = smrf_trace_program(trace);
    const struct smrf_flow_options options = {info->binary_version, wish->interval_registers,
                                              wish->operand_entries, wish->last_result};
    struct smrf_flow_program *flow = NULL;
    smrf_gpu_program_close(p);
    smrf_trace_on_instruction(trace, mark_, p);
    p->why = "its trace has no sidecar of version 2";
    if (!table || table->version < SMRF_OPERANDS_VERSION) {
        return SMRF_OK;
    }
    int err = smrf_flow_build(&flow, table, &options, &p->why);
    if (!err) {
        err = compile_(p, flow);
        err = err ? err : facts_(p, flow);
        smrf_flow_free(flow);
    }
    return err == SMRF_ERR_NOMEM ? err : SMRF_OK;
}

const struct smrf_program *smrf_gpu_program_get(const struct smrf_gpu_program *p)
{
    return p->code ? &p->code->program : NULL;
}

void smrf_gpu_program_close(struct smrf_gpu_program *p)
{
    if (p->code) {
        smrf_cars_free(p->code);
        free(p->code);
    }
    p->code = NULL;
    free(p->facts);
    free(p->interval);
    p->facts = NULL;
    p->interval = NULL;
}
