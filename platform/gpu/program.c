/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "firmware/cars/cars.h"
#include "firmware/flow/flow.h"
#include "models/common/smrf_err.h"

#include <stdlib.h>
#include <string.h>

struct smrf_gpu_analysis {
    uint64_t content; /* digest of the sidecar */
    struct smrf_flow_options options;
    struct smrf_cars_code *code; /* NULL: it could not be made .. */
    const char *why;             /* .. because */
    struct smrf_inst_facts *facts;
    struct smrf_program_set *interval; /* registers of each */
};

static void free_(struct smrf_gpu_analysis *a)
{
    if (a && a->code) {
        smrf_cars_free(a->code);
        free(a->code);
    }
    if (a) {
        free(a->facts);
        free(a->interval);
    }
    free(a);
}

void smrf_gpu_program_mark(const struct smrf_gpu_program *p, struct smrf_static_inst *inst)
{
    if (!p->present) {
        return;
    }
    inst->facts = smrf_program_facts_at(&p->present->code->program, inst->pc);
    if (inst->space == SMRF_SPACE_LOCAL && smrf_cars_is_spill(p->present->code, inst->pc)) {
        inst->flags |= SMRF_INST_SPILL;
    }
}

/* --- analysis --------------------------------------------------------------------------------- */

static int compile_(struct smrf_gpu_analysis *a, const struct smrf_flow_program *flow)
{
    struct smrf_cars_code *code = malloc(sizeof *code);
    int err = code ? smrf_cars_compile(code, flow) : SMRF_ERR_NOMEM;
    if (err) {
        free(code);
        return err;
    }
    a->code = code;
    return SMRF_OK;
}

/* Places are copied as they are. */
_Static_assert((int)SMRF_PLACE_LAST_RESULT == SMRF_FLOW_LAST_RESULT, "same numbers");
_Static_assert((int)SMRF_PLACE_ALSO_BANK == SMRF_FLOW_ALSO_BANK, "same numbers");
_Static_assert((int)SMRF_PLACE_FROM_BANK == SMRF_FLOW_FROM_BANK, "same numbers");

/* Index of a register in a list, `count` if it is not there. */
static unsigned find_register_(const uint8_t *list, unsigned count, unsigned reg)
{
    unsigned at = 0;
    while (at < count && list[at] != reg) {
        at++;
    }
    return at;
}

/* Facts of an instruction, by index in the operand lists that the machine sees. */
static void copy_facts_(struct smrf_gpu_analysis *a, const struct smrf_flow_program *flow,
                        uint32_t i)
{
    const struct smrf_flow_inst *inst = &flow->inst[i];
    const struct smrf_regset live = smrf_flow_warp_live(flow, i);
    struct smrf_inst_facts *f = &a->facts[i];
    memcpy(f->live.w, live.w, sizeof live.w);
    const struct smrf_static_inst *op = &inst->op;
    const bool listed = a->options.listed_only;
    const uint8_t *src = listed ? op->src_listed : op->src;
    const uint8_t *dst = listed ? op->dst_listed : op->dst;
    for (unsigned k = 0; k < (listed ? op->num_src_listed : op->num_src); k++) {
        const unsigned at = find_register_(op->src, op->num_src, src[k]);
        f->src_place[k] = at < op->num_src ? inst->src_place[at] : 0;
    }
    for (unsigned k = 0; k < (listed ? op->num_dst_listed : op->num_dst); k++) {
        const unsigned at = find_register_(op->dst, op->num_dst, dst[k]);
        const bool known = at < op->num_dst;
        f->dst_place[k] = known ? inst->dst_place[at] : 0;
        f->unmerged_dst |= (uint16_t)((known && !smrf_flow_others_need(flow, i, at)) << k);
    }
    f->strand = inst->strand;
    f->ends_strand = inst->ends_strand;
    f->interval = &a->interval[inst->interval];
}

/* Which registers are still needed where, and how a compiler parted the program. */
static int facts_(struct smrf_gpu_analysis *a, const struct smrf_flow_program *flow)
{
    a->facts = calloc(flow->num_insts + 1, sizeof *a->facts);
    a->interval = calloc(flow->num_intervals + 1, sizeof *a->interval);
    if (!a->facts || !a->interval) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t n = 0; n < flow->num_intervals; n++) {
        memcpy(a->interval[n].w, flow->interval[n].registers.w, sizeof a->interval[n].w);
    }
    for (uint32_t i = 0; i < flow->num_insts; i++) {
        copy_facts_(a, flow, i);
    }
    a->code->program.num_insts = flow->num_insts;
    a->code->program.pc = a->code->pc;
    a->code->program.facts = a->facts;
    return SMRF_OK;
}

static int analyse_(struct smrf_gpu_analysis *a, const struct smrf_operand_table *table)
{
    struct smrf_flow_program *flow = NULL;
    struct smrf_flow_options whole = a->options;
    whole.listed_only = false;
    int err = smrf_flow_build(&flow, table, &whole, &a->why);
    if (!err) {
        err = compile_(a, flow);
    }
    if (!err && a->options.listed_only) { /* register stacks are of the whole operands */
        smrf_flow_free(flow);
        flow = NULL;
        err = smrf_flow_build(&flow, table, &a->options, &a->why);
    }
    err = err ? err : facts_(a, flow);
    smrf_flow_free(flow);
    return err == SMRF_ERR_NOMEM ? err : SMRF_OK;
}

/* --- programs --------------------------------------------------------------------------------- */

static bool same_(const struct smrf_flow_options *a, const struct smrf_flow_options *b)
{
    return a->binary_version == b->binary_version &&
           a->interval_registers == b->interval_registers &&
           a->operand_entries == b->operand_entries && a->last_result == b->last_result &&
           a->read_operands == b->read_operands && a->listed_only == b->listed_only;
}

static struct smrf_gpu_analysis *find_(const struct smrf_gpu_program *p, uint64_t content,
                                       const struct smrf_flow_options *options)
{
    for (unsigned i = 0; i < p->num; i++) {
        if (p->known[i]->content == content && same_(&p->known[i]->options, options)) {
            return p->known[i];
        }
    }
    return NULL;
}

/* Where there is no room the one that came first makes some. */
static void keep_(struct smrf_gpu_program *p, struct smrf_gpu_analysis *a)
{
    if (p->num < SMRF_GPU_PROGRAMS) {
        p->known[p->num++] = a;
        return;
    }
    free_(p->known[p->next]);
    p->known[p->next] = a;
    p->next = (p->next + 1) % SMRF_GPU_PROGRAMS;
}

int smrf_gpu_program_open(struct smrf_gpu_program *p, struct smrf_trace *trace,
                          const struct smrf_kernel_info *info, const struct smrf_program_wish *wish,
                          bool listed_only)
{
    const struct smrf_operand_table *table = smrf_trace_program(trace);
    const struct smrf_flow_options options = {info->binary_version,  wish->interval_registers,
                                              wish->operand_entries, wish->last_result,
                                              wish->read_operands,   listed_only};
    p->present = NULL;
    p->why = "its trace has no sidecar of version 2";
    if (!table || table->version < SMRF_OPERANDS_PROGRAM) {
        return SMRF_OK;
    }
    const uint64_t content = smrf_digest_value(&table->content);
    struct smrf_gpu_analysis *a = find_(p, content, &options);
    if (a) {
        p->found++;
    } else {
        a = calloc(1, sizeof *a);
        if (!a) {
            return SMRF_ERR_NOMEM;
        }
        a->content = content;
        a->options = options;
        int err = analyse_(a, table);
        if (err) {
            free_(a);
            return err;
        }
        keep_(p, a);
        p->analysed++;
    }
    p->why = a->why ? a->why : p->why;
    p->present = a->code ? a : NULL;
    return SMRF_OK;
}

const struct smrf_program *smrf_gpu_program_get(const struct smrf_gpu_program *p)
{
    return p->present ? &p->present->code->program : NULL;
}

void smrf_gpu_program_close(struct smrf_gpu_program *p)
{
    for (unsigned i = 0; i < p->num; i++) {
        free_(p->known[i]);
    }
    p->num = 0;
    p->next = 0;
    p->present = NULL;
}
