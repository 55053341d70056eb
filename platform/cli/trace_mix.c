/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_mix.h"

#include "models/common/smrf_err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_opcode_(struct smrf_mix *mix, const char *name, uint64_t warps, uint64_t threads)
{
    for (size_t i = 0; i < mix->num_opcodes; i++) {
        if (strcmp(mix->opcode[i].name, name) == 0) {
            mix->opcode[i].warp_insts += warps;
            mix->opcode[i].thread_insts += threads;
            return SMRF_OK;
        }
    }
    struct smrf_mix_opcode *grown = realloc(mix->opcode, (mix->num_opcodes + 1) * sizeof *grown);
    if (!grown) {
        return SMRF_ERR_NOMEM;
    }
    mix->opcode = grown;
    struct smrf_mix_opcode *o = &mix->opcode[mix->num_opcodes++];
    *o = (struct smrf_mix_opcode){.warp_insts = warps, .thread_insts = threads};
    snprintf(o->name, sizeof o->name, "%s", name);
    return SMRF_OK;
}

/* Executions of each static instruction of a launch: strings are compared once a launch. */
struct uses {
    const struct smrf_static_inst *op;
    uint64_t warps, threads;
};

struct table {
    struct uses *uses;
    size_t room;
};

static struct uses *use_(struct table *t, const struct smrf_static_inst *op)
{
    if (op->index >= t->room) {
        size_t room = t->room ? t->room : 256;
        while (room <= op->index) {
            room *= 2;
        }
        struct uses *grown = realloc(t->uses, room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        memset(grown + t->room, 0, (room - t->room) * sizeof *grown);
        t->uses = grown;
        t->room = room;
    }
    t->uses[op->index].op = op;
    return &t->uses[op->index];
}

static void add_memory_(struct smrf_mix *mix, const struct smrf_static_inst *op, uint64_t lanes)
{
    struct smrf_mix_space *space = &mix->space[op->space];
    space->loads += op->op_class == SMRF_CLASS_LOAD;
    space->stores += op->op_class == SMRF_CLASS_STORE;
    space->atomics += op->op_class == SMRF_CLASS_ATOMIC;
    space->bytes += lanes * op->access_bytes;
}

static void highest_(struct smrf_mix *mix, const uint8_t *regs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (regs[i] + 1u > mix->max_register) {
            mix->max_register = regs[i] + 1u;
        }
    }
}

static int add_inst_(struct smrf_mix *mix, struct table *table, const struct smrf_inst *inst)
{
    const struct smrf_static_inst *op = inst->op;
    struct uses *use = use_(table, op);
    uint64_t lanes = (uint64_t)__builtin_popcount(inst->mask);
    if (!use) {
        return SMRF_ERR_NOMEM;
    }
    if (use->warps == 0) {
        highest_(mix, op->src, op->num_src);
        highest_(mix, op->dst, op->num_dst);
    }
    mix->sources += op->num_src;
    mix->destinations += op->num_dst;
    if (op->step != 0) {
        return SMRF_OK; /* counted with the first */
    }
    use->warps++;
    use->threads += lanes;
    mix->warp_insts++;
    mix->thread_insts += lanes;
    mix->masked_off += lanes == 0;
    mix->by_class[op->op_class]++;
    mix->thread_by_class[op->op_class] += lanes;
    mix->lanes[lanes]++;
    if (op->space != SMRF_SPACE_NONE) {
        add_memory_(mix, op, lanes);
    }
    return SMRF_OK;
}

static int add_block_(struct smrf_mix *mix, struct table *table, struct smrf_trace_block *block)
{
    struct smrf_inst inst;
    mix->blocks++;
    for (uint32_t w = 0; w < smrf_trace_block_warps(block); w++) {
        const uint64_t before = mix->warp_insts;
        int got;
        while ((got = smrf_trace_next_inst(block, w, &inst)) > 0) {
            int err = add_inst_(mix, table, &inst);
            if (err) {
                return err;
            }
        }
        if (got < 0) {
            return got;
        }
        const uint64_t length = mix->warp_insts - before;
        mix->warps++;
        mix->empty_warps += length == 0;
        mix->longest_warp = length > mix->longest_warp ? length : mix->longest_warp;
    }
    return SMRF_OK;
}

static int add_opcodes_(struct smrf_mix *mix, const struct table *table)
{
    int err = SMRF_OK;
    for (size_t i = 0; i < table->room && !err; i++) {
        const struct uses *use = &table->uses[i];
        if (use->warps) {
            char name[SMRF_MIX_OPCODE];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(use->op->text, "."), use->op->text);
            err = add_opcode_(mix, name, use->warps, use->threads);
        }
    }
    return err;
}

int smrf_mix_add_launch(struct smrf_mix *mix, struct smrf_trace *trace)
{
    struct table table = {NULL, 0};
    struct smrf_trace_block *block;
    int got;
    while ((got = smrf_trace_next_block(trace, &block)) > 0) {
        int err = add_block_(mix, &table, block);
        smrf_trace_release_block(trace, block);
        if (err) {
            got = err;
            break;
        }
    }
    if (got == 0) {
        got = add_opcodes_(mix, &table);
    }
    free(table.uses);
    return got;
}

int smrf_mix_add(struct smrf_mix *sum, const struct smrf_mix *part)
{
    int err = SMRF_OK;
    sum->blocks += part->blocks;
    sum->warps += part->warps;
    sum->empty_warps += part->empty_warps;
    sum->warp_insts += part->warp_insts;
    sum->thread_insts += part->thread_insts;
    sum->masked_off += part->masked_off;
    sum->sources += part->sources;
    sum->destinations += part->destinations;
    if (part->longest_warp > sum->longest_warp) {
        sum->longest_warp = part->longest_warp;
    }
    if (part->max_register > sum->max_register) {
        sum->max_register = part->max_register;
    }
    for (unsigned i = 0; i < SMRF_CLASS_COUNT; i++) {
        sum->by_class[i] += part->by_class[i];
        sum->thread_by_class[i] += part->thread_by_class[i];
    }
    for (unsigned i = 0; i <= SMRF_LANES; i++) {
        sum->lanes[i] += part->lanes[i];
    }
    for (unsigned i = 0; i < SMRF_SPACE_COUNT; i++) {
        sum->space[i].loads += part->space[i].loads;
        sum->space[i].stores += part->space[i].stores;
        sum->space[i].atomics += part->space[i].atomics;
        sum->space[i].bytes += part->space[i].bytes;
    }
    for (size_t i = 0; i < part->num_opcodes && !err; i++) {
        err = add_opcode_(sum, part->opcode[i].name, part->opcode[i].warp_insts,
                          part->opcode[i].thread_insts);
    }
    return err;
}

static int more_frequent_(const void *a, const void *b)
{
    const struct smrf_mix_opcode *x = a, *y = b;
    if (x->warp_insts != y->warp_insts) {
        return x->warp_insts < y->warp_insts ? 1 : -1;
    }
    return strcmp(x->name, y->name);
}

void smrf_mix_finish(struct smrf_mix *mix)
{
    if (mix->num_opcodes) {
        qsort(mix->opcode, mix->num_opcodes, sizeof *mix->opcode, more_frequent_);
    }
}

void smrf_mix_free(struct smrf_mix *mix)
{
    free(mix->opcode);
    *mix = (struct smrf_mix){0};
}
