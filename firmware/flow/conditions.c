/* SPDX-License-Identifier: Apache-2.0 */
/* Which guards of a block let the same lanes through. Values of predicates and registers are
 * numbered from the block's beginning on: two numbers are equal only if the values are. Compilers
 * have more conditions than predicates: they keep them in registers (P2R) and test these again,
 * which is followed. */
#include "firmware/flow/internal.h"
#include "traces/opcode.h"

#include <stdlib.h>
#include <string.h>

#define PREDICATES 7

enum made { MADE_TEST, MADE_SAVE };

/* A value that was made of another. */
struct derived {
    enum made how;
    uint32_t of, value;
};

struct numbers {
    uint32_t pred[PREDICATES], reg[256];
    uint32_t last;        /* number given */
    struct derived *made; /* [instructions of the longest block] */
    uint32_t num_made;
};

static void begin_(struct numbers *n)
{
    n->last = 0;
    n->num_made = 0;
    for (unsigned i = 0; i < PREDICATES; i++) {
        n->pred[i] = ++n->last;
    }
    for (unsigned i = 0; i < 256; i++) {
        n->reg[i] = ++n->last;
    }
}

static uint32_t derive_(struct numbers *n, enum made how, uint32_t of)
{
    for (uint32_t i = 0; i < n->num_made; i++) {
        const struct derived *d = &n->made[i];
        if (how == MADE_TEST && d->how == MADE_SAVE && d->value == of) {
            return d->of; /* what was kept there */
        }
        if (d->how == how && d->of == of) {
            return d->value;
        }
    }
    n->made[n->num_made++] = (struct derived){how, of, ++n->last};
    return n->last;
}

static uint32_t condition_(const struct numbers *n, const struct smrf_flow_inst *inst)
{
    const struct smrf_static_inst *op = &inst->op;
    if (!inst->conditional || inst->role != SMRF_FLOW_STEP || op->guard_uniform ||
        op->guard >= PREDICATES) {
        return 0;
    }
    return 2 * n->pred[op->guard] + op->guard_inverted;
}

static void step_(struct numbers *n, const struct smrf_flow_inst *inst)
{
    const struct smrf_static_inst *op = &inst->op;
    const bool plain = !inst->conditional;
    uint32_t value = 0;
    if (plain && inst->tests_zero && op->num_src == 1) {
        value = derive_(n, MADE_TEST, n->reg[op->src[0]]);
    } else if (plain && inst->saves_pred) {
        value = derive_(n, MADE_SAVE, n->pred[__builtin_ctz(inst->saves_pred)]);
    }
    const char *root = smrf_opcode_root(op->opcode);
    const unsigned preds = root && strcmp(root, "R2P") == 0 ? 0x7f : op->pred_dst;
    for (unsigned i = 0; i < PREDICATES; i++) {
        if (preds >> i & 1) {
            n->pred[i] = value ? value : ++n->last;
        }
    }
    for (unsigned i = 0; i < op->num_dst; i++) {
        n->reg[op->dst[i]] = value ? value : ++n->last;
    }
}

int smrf_flow_conditions(struct smrf_flow_program *p)
{
    struct numbers n = {.made = calloc(p->num_insts + (size_t)1, sizeof *n.made)};
    if (n.made == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        const struct smrf_flow_block *block = &p->block[b];
        begin_(&n);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            p->inst[i].condition = condition_(&n, &p->inst[i]);
            step_(&n, &p->inst[i]);
        }
    }
    free(n.made);
    return 0;
}
