/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers hold the same value in all lanes that run together, and so which branches cannot
 * part them. A value varies if it comes from a lane's own number, memory or neighbours, from a
 * value that varies, or if lanes wrote it that had parted (blocks marked `varied`). A function's
 * arguments are those of all its callers together. */
#include "firmware/flow/internal.h"

#include <stdlib.h>
#include <string.h>

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

static bool sources_vary_(const struct smrf_flow_varying *v, const struct smrf_flow_inst *i)
{
    struct smrf_regset read = i->all_reads;
    (void)smrf_regset_meet(&read, &v->reg);
    return smrf_regset_count(&read) != 0 || (i->op.pred_src & v->pred) != 0;
}

static bool guard_varies_(const struct smrf_flow_varying *v, const struct smrf_flow_inst *i)
{
    return i->op.guard != SMRF_NO_PREDICATE && !i->op.guard_uniform &&
           (v->pred >> i->op.guard & 1) != 0;
}

static bool is_(const struct smrf_flow_inst *i, const char *name)
{
    const char *root = smrf_opcode_root(i->op.opcode);
    return root != NULL && strcmp(root, name) == 0;
}

static bool join_(struct smrf_flow_varying *to, const struct smrf_flow_varying *from)
{
    const bool first = !to->known, pred = (from->pred & ~to->pred) != 0;
    to->known = true;
    to->pred |= from->pred;
    return smrf_regset_unite(&to->reg, &from->reg) || pred || first;
}

static struct smrf_flow_varying everything_(void)
{
    return (struct smrf_flow_varying){.known = true, .reg = smrf_regset_all(), .pred = 0x7f};
}

/* The state behind a call. False: no callee is known to come back, so far. */
static bool call_(struct smrf_flow_uniform *u, struct smrf_flow_varying *v, uint32_t index)
{
    const struct smrf_flow_program *p = u->p;
    const struct smrf_flow_site *site = smrf_flow_site_at(p, index);
    struct smrf_flow_varying behind = {0};
    if (p->inst[index].conditional) {
        (void)join_(&behind, v);
    }
    for (uint32_t k = 0; k < site->num_callees; k++) {
        const struct smrf_flow_function *callee = &p->function[site->callee[k]];
        struct smrf_flow_varying back = u->exit[site->callee[k]], kept = *v;
        u->grown |= join_(&u->entry[site->callee[k]], v);
        if (callee->parts || callee->kind == SMRF_CODE_EXTERNAL) {
            back = everything_(); /* lanes with other values may come back apart */
        }
        if (!back.known) {
            continue;
        }
        (void)smrf_regset_meet(&kept.reg, &callee->preserved);
        smrf_regset_subtract(&back.reg, &callee->preserved);
        (void)smrf_regset_unite(&back.reg, &kept.reg);
        (void)join_(&behind, &back);
    }
    if (site->unknown) {
        behind = everything_();
        for (uint32_t f = 1; f < p->num_functions; f++) {
            const struct smrf_flow_varying all = everything_();
            u->grown |= join_(&u->entry[f], &all);
        }
    }
    *v = behind;
    return v->known;
}

static void step_(struct smrf_flow_varying *v, const struct smrf_flow_inst *i, bool varied)
{
    const bool varies = varied || guard_varies_(v, i) ||
                        (!is_(i, "VOTE") && (lanes_own_(i) || sources_vary_(v, i)));
    if (varies) {
        (void)smrf_regset_unite(&v->reg, &i->all_writes);
        v->pred |= is_(i, "R2P") ? 0x7f : i->op.pred_dst;
    } else if (!i->conditional) {
        smrf_regset_subtract(&v->reg, &i->all_writes);
        v->pred &= (uint8_t)~i->op.pred_dst;
    }
}

/* May the last instruction of a block part lanes that run together? */
static bool parts_(const struct smrf_flow_program *p, const struct smrf_flow_block *block,
                   const struct smrf_flow_varying *v)
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

/* Forward over one function, from its callers' state on entry. Marks the last instructions that may
 * part lanes. */
static void pass_(struct smrf_flow_uniform *u, uint32_t f, struct smrf_flow_varying *in, bool *more)
{
    const struct smrf_flow_program *p = u->p;
    const struct smrf_flow_function *fn = &p->function[f];
    bool changed = u->entry[f].known;
    for (uint32_t b = 0; b < fn->num_blocks; b++) {
        in[b] = (struct smrf_flow_varying){0};
    }
    in[0] = u->entry[f];
    while (changed) {
        changed = false;
        for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
            const struct smrf_flow_block *block = &p->block[b];
            const uint32_t end = block->first + block->count;
            struct smrf_flow_varying v = in[b - fn->first_block];
            bool goes_on = v.known;
            for (uint32_t i = block->first; goes_on && i < end; i++) {
                const uint8_t role = p->inst[i].role;
                if (i == end - 1 && parts_(p, block, &v)) {
                    *more |= !p->inst[i].divergent;
                    p->inst[i].divergent = true;
                }
                if (role == SMRF_FLOW_CALLS || role == SMRF_FLOW_TAIL) {
                    goes_on = call_(u, &v, i);
                } else {
                    step_(&v, &p->inst[i], u->varied[b]);
                }
                if (goes_on && (role == SMRF_FLOW_RETURNS || role == SMRF_FLOW_TAIL)) {
                    u->grown |= join_(&u->exit[f], &v);
                }
            }
            for (uint32_t k = 0; goes_on && k < block->num_succ; k++) {
                changed |= join_(&in[block->succ[k] - fn->first_block], &v);
            }
        }
    }
}

int smrf_flow_uniform_begin(struct smrf_flow_uniform *u, const struct smrf_flow_program *p,
                            const bool *varied)
{
    uint32_t most = 0;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        most = p->function[f].num_blocks > most ? p->function[f].num_blocks : most;
    }
    *u = (struct smrf_flow_uniform){.p = p,
                                    .varied = varied,
                                    .entry = calloc(p->num_functions, sizeof *u->entry),
                                    .exit = calloc(p->num_functions, sizeof *u->exit),
                                    .in = calloc(most + (size_t)1, sizeof *u->in)};
    if (u->entry == NULL || u->exit == NULL || u->in == NULL) {
        return SMRF_ERR_NOMEM;
    }
    u->entry[0].known = true;
    return 0;
}

void smrf_flow_uniform_end(struct smrf_flow_uniform *u)
{
    free(u->entry);
    free(u->exit);
    free(u->in);
}

bool smrf_flow_uniform_run(struct smrf_flow_uniform *u)
{
    bool more = false;
    do {
        u->grown = false;
        for (uint32_t f = 0; f < u->p->num_functions; f++) {
            if (u->p->function[f].num_blocks != 0) {
                pass_(u, f, u->in, &more);
            }
        }
    } while (u->grown);
    return more;
}
