/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers hold the same value in all lanes that run together, and so which branches cannot
 * part them. A value varies if it comes from a lane's own number, memory or neighbours, from a value
 * that varies, or if lanes wrote it that had parted (blocks marked `varied`). */
#include "firmware/flow/internal.h"

#include <stdlib.h>
#include <string.h>

struct varying {
    bool known;
    struct smrf_regset reg;
    uint8_t pred; /* bit p */
};

static bool lanes_own_(const struct smrf_flow_inst *i)
{
    const struct smrf_static_inst *op = &i->op;
    switch ((enum smrf_class)op->op_class) {
    case SMRF_CLASS_TENSOR:
    case SMRF_CLASS_ATOMIC:
    case SMRF_CLASS_TEX:
    case SMRF_CLASS_BRANCH: /* BMOV */
        return true;
    case SMRF_CLASS_LOAD:
        if (op->space == SMRF_SPACE_LOCAL || op->space == SMRF_SPACE_GENERIC) {
            return true;
        }
        break; /* one word for all where the address is one */
    default:
        break;
    }
    static const char *const names[] = {"SHFL", "MATCH", "S2R", "CS2R", "P2R", "LDSM"};
    const char *root = smrf_opcode_root(op->opcode);
    for (size_t k = 0; root != NULL && k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(root, names[k]) == 0) {
            return !i->uniform_source;
        }
    }
    return root == NULL;
}

static bool sources_vary_(const struct varying *v, const struct smrf_flow_inst *i)
{
    struct smrf_regset read = i->reads;
    (void)smrf_regset_meet(&read, &v->reg);
    return smrf_regset_count(&read) != 0 || (i->op.pred_src & v->pred) != 0;
}

static bool guard_varies_(const struct varying *v, const struct smrf_flow_inst *i)
{
    return i->op.guard != SMRF_NO_PREDICATE && !i->op.guard_uniform &&
           (v->pred >> i->op.guard & 1) != 0;
}

static bool is_(const struct smrf_flow_inst *i, const char *name)
{
    const char *root = smrf_opcode_root(i->op.opcode);
    return root != NULL && strcmp(root, name) == 0;
}

static void step_(const struct smrf_flow_program *p, struct varying *v, uint32_t index, bool varied)
{
    const struct smrf_flow_inst *i = &p->inst[index];
    if (i->role == SMRF_FLOW_CALLS) {
        const struct smrf_flow_site *site = smrf_flow_site_at(p, index);
        struct smrf_regset lost = {{0}};
        for (uint32_t k = 0; k < site->num_callees; k++) {
            struct smrf_regset other = smrf_regset_all();
            smrf_regset_subtract(&other, &p->function[site->callee[k]].preserved);
            (void)smrf_regset_unite(&lost, &other);
        }
        if (site->unknown) {
            lost = smrf_regset_all();
        }
        (void)smrf_regset_unite(&v->reg, &lost);
        v->pred = 0x7f;
        return;
    }
    const bool varies = varied || guard_varies_(v, i) ||
                        (!is_(i, "VOTE") && (lanes_own_(i) || sources_vary_(v, i)));
    if (varies) {
        (void)smrf_regset_unite(&v->reg, &i->writes);
        v->pred |= is_(i, "R2P") ? 0x7f : i->op.pred_dst;
    } else if (!i->conditional) {
        smrf_regset_subtract(&v->reg, &i->writes);
        v->pred &= (uint8_t)~i->op.pred_dst;
    }
}

static bool join_(struct varying *to, const struct varying *from)
{
    const bool first = !to->known, pred = (from->pred & ~to->pred) != 0;
    to->known = true;
    to->pred |= from->pred;
    return smrf_regset_unite(&to->reg, &from->reg) || pred || first;
}

/* May the last instruction of a block part lanes that run together? */
static bool parts_(const struct smrf_flow_program *p, const struct smrf_flow_block *block,
                   const struct varying *v)
{
    const struct smrf_flow_inst *last = smrf_flow_last(p, block);
    const bool moves = last->role == SMRF_FLOW_JUMP || last->role == SMRF_FLOW_TAIL ||
                       last->role == SMRF_FLOW_CALLS || last->role == SMRF_FLOW_RETURNS;
    if (!moves) {
        return false;
    }
    const struct smrf_flow_site *site = smrf_flow_site_of(p, block);
    const bool choice = last->conditional ||
                        (site != NULL && (site->unknown || site->num_callees > 1)) ||
                        (last->role == SMRF_FLOW_JUMP && last->indirect);
    return choice && (guard_varies_(v, last) || sources_vary_(v, last));
}

/* Forward over one function; sets `divergent` of the last instructions. True: one became so. */
static bool pass_(const struct smrf_flow_program *p, const struct smrf_flow_function *fn,
                  struct varying *in, const bool *varied)
{
    bool changed = true, more = false;
    for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
        in[b - fn->first_block] = (struct varying){0};
    }
    struct varying *entry = &in[0];
    entry->known = true;
    if (fn->kind != SMRF_CODE_KERNEL) { /* arguments of who knows whom */
        entry->reg = smrf_regset_all();
        smrf_regset_remove(&entry->reg, SMRF_FLOW_STACK_POINTER);
        entry->pred = 0x7f;
    }
    while (changed) {
        changed = false;
        for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
            const struct smrf_flow_block *block = &p->block[b];
            struct varying v = in[b - fn->first_block];
            if (!v.known) {
                continue;
            }
            for (uint32_t i = block->first; i < block->first + block->count; i++) {
                if (i == block->first + block->count - 1 && parts_(p, block, &v)) {
                    more |= !p->inst[i].divergent;
                    p->inst[i].divergent = true;
                }
                step_(p, &v, i, varied[b]);
            }
            for (uint32_t k = 0; k < block->num_succ; k++) {
                changed |= join_(&in[block->succ[k] - fn->first_block], &v);
            }
        }
    }
    return more;
}

int smrf_flow_uniform(struct smrf_flow_program *p, uint32_t f, const bool *varied, bool *more)
{
    const struct smrf_flow_function *fn = &p->function[f];
    *more = false;
    if (fn->num_blocks == 0) {
        return 0;
    }
    struct varying *in = calloc(fn->num_blocks, sizeof *in);
    if (in == NULL) {
        return SMRF_ERR_NOMEM;
    }
    *more = pass_(p, fn, in, varied);
    free(in);
    return 0;
}
