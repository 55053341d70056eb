/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/flow/internal.h"

#include <stdlib.h>

struct smrf_flow_chunk {
    struct smrf_flow_chunk *next;
    _Alignas(16) unsigned char data[];
};

void *smrf_flow_alloc(struct smrf_flow_program *p, size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(struct smrf_flow_chunk)) / (size != 0 ? size : 1)) {
        return NULL;
    }
    struct smrf_flow_chunk *c = calloc(1, sizeof *c + count * size);
    if (c == NULL) {
        return NULL;
    }
    c->next = p->chunk;
    p->chunk = c;
    return c->data;
}

void smrf_flow_free(struct smrf_flow_program *p)
{
    if (p == NULL) {
        return;
    }
    for (struct smrf_flow_chunk *c = p->chunk; c != NULL;) {
        struct smrf_flow_chunk *next = c->next;
        free(c);
        c = next;
    }
    free(p);
}

static int steps_(struct smrf_flow_program *p, const struct smrf_operand_table *table,
                  const struct smrf_flow_options *o, const char **reason)
{
    int rc = smrf_flow_load(p, table, o->binary_version != 0 ? o->binary_version : 75, reason);
    if (rc == 0) {
        rc = smrf_flow_calls(p, table);
    }
    if (rc == 0) {
        rc = smrf_flow_blocks(p, table);
    }
    if (rc == 0) {
        rc = smrf_flow_conditions(p);
    }
    if (rc == 0) {
        rc = smrf_flow_abi(p);
    }
    if (rc == 0) {
        rc = smrf_flow_depth(p);
    }
    if (rc == 0 && o->listed_only) {
        smrf_flow_list_only(p);
    }
    if (rc == 0) {
        rc = smrf_flow_liveness(p);
    }
    if (rc == 0) {
        rc = smrf_flow_divergence(p);
    }
    if (rc == 0) {
        rc = smrf_flow_strands(p);
    }
    if (rc == 0 && (o->operand_entries != 0 || o->last_result)) {
        rc = smrf_flow_placement(p, o);
    }
    if (rc == 0) {
        rc = smrf_flow_intervals(p, o->interval_registers != 0 ? o->interval_registers : 16);
    }
    return rc;
}

int smrf_flow_build(struct smrf_flow_program **program, const struct smrf_operand_table *table,
                    const struct smrf_flow_options *options, const char **reason)
{
    static const struct smrf_flow_options defaults;
    struct smrf_flow_program *p = calloc(1, sizeof *p);
    *program = NULL;
    *reason = "no memory left";
    if (p == NULL) {
        return SMRF_ERR_NOMEM;
    }
    int rc = steps_(p, table, options != NULL ? options : &defaults, reason);
    if (rc != 0) {
        smrf_flow_free(p);
        return rc;
    }
    *program = p;
    return 0;
}

uint32_t smrf_flow_at(const struct smrf_flow_program *p, uint32_t pc)
{
    uint32_t low = 0, high = p->num_insts;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->inst[middle].op.pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->num_insts && p->inst[low].op.pc == pc ? low : SMRF_FLOW_NOWHERE;
}

const struct smrf_flow_site *smrf_flow_site_at(const struct smrf_flow_program *p, uint32_t inst)
{
    uint32_t low = 0, high = p->num_sites;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->site[middle].inst < inst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->num_sites && p->site[low].inst == inst ? &p->site[low] : NULL;
}

bool smrf_flow_others_need(const struct smrf_flow_program *p, uint32_t inst, unsigned i)
{
    const struct smrf_flow_inst *x = &p->inst[inst];
    return !(x->unmerged_dst >> i & 1) || smrf_regset_has(&p->block[x->block].held, x->op.dst[i]);
}

struct smrf_regset smrf_flow_warp_live(const struct smrf_flow_program *p, uint32_t inst)
{
    struct smrf_regset live = p->inst[inst].live_out;
    (void)smrf_regset_unite(&live, &p->block[p->inst[inst].block].held);
    return live;
}
