/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: branches, calls, convergence barriers, the block's barriers, ends.
 * Convergence follows Volta's: BSSY notes in a B register which lanes have to meet, BSYNC waits for
 * them, BREAK takes lanes out, WARPSYNC names the lanes to wait for itself. */
#include "firmware/exec/bar.h"
#include "firmware/exec/flow.h"
#include "firmware/exec/operands.h"
#include "firmware/exec/special.h"

#include <string.h>

static unsigned lowest_(uint32_t lanes)
{
    return (unsigned)__builtin_ctz(lanes);
}

static uint64_t after_(const struct smrf_exec_op *op)
{
    return op->inst->address + SMRF_SASS_INST_BYTES;
}

static int next_(struct smrf_exec_flow *f, const struct smrf_exec_op *op)
{
    f->ip = op + 1;
    return 0;
}

/* ---- branches ------------------------------------------------------------------------------ */

enum { BRA_ALWAYS, BRA_DIV, BRA_CONV, BRA_ANY };

/* op->sub2: index of the target in the code, relative to op. */
static int branch_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    const struct smrf_exec_op *to = op + (int32_t)op->sub2;
    uint32_t taken = mask & smrf_exec_pred(w, &op->psrc[0]);
    if (op->sub == BRA_ANY) {
        taken = taken != 0 ? f->active : 0;
    } else if (op->sub != BRA_ALWAYS && (f->active == w->live) != (op->sub == BRA_CONV)) {
        taken = 0;
    }
    if (taken == f->active) {
        return smrf_exec_flow_branch(f, op, to);
    }
    f->ip = op + 1;
    if (taken != 0) {
        w->block->totals->divergent_branches++;
        smrf_exec_flow_defer(f, taken, to->inst->address);
    }
    return 0;
}

static void register_targets_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                              uint64_t to[SMRF_EXEC_LANES])
{
    const struct smrf_exec_src *src = &op->src[0];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        uint64_t pair = src->kind == SMRF_SASS_UREG
                            ? w->ur[src->reg] | (uint64_t)w->ur[src->reg + (src->reg < 63)] << 32
                            : w->r[src->reg][i] | (uint64_t)w->r[smrf_exec_next_row(src->reg)][i]
                                                      << 32;
        to[i] = pair + op->target;
    }
}

static int branch_indirect_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint64_t to[SMRF_EXEC_LANES];
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    if (mask == 0) {
        return next_(f, op);
    }
    register_targets_(w, op, to);
    return smrf_exec_flow_jump(f, op, mask, to);
}

static void count_call_(struct smrf_exec_flow *f, uint32_t mask)
{
    struct smrf_exec_totals *t = f->warp.block->totals;
    t->calls++;
    f->turn_ends =
        f->insts + SMRF_EXEC_TURN < f->turn_limit ? f->insts + SMRF_EXEC_TURN : f->turn_limit;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint16_t depth = f->depth[lowest_(rest)];
        depth = (uint16_t)(depth + (depth != UINT16_MAX));
        f->depth[lowest_(rest)] = depth;
        if (depth > t->call_depth) {
            t->call_depth = depth;
        }
    }
}

static int call_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    if (mask == 0) {
        return next_(f, op);
    }
    count_call_(f, mask);
    if (op->sub2 != 0 && mask == f->active) {
        f->ip = op + (int32_t)op->sub2;
        return 0;
    }
    uint64_t to[SMRF_EXEC_LANES];
    if (op->num_src != 0) {
        register_targets_(w, op, to);
    } else {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            to[i] = op->target;
        }
    }
    return smrf_exec_flow_jump(f, op, mask, to);
}

static int ret_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint64_t to[SMRF_EXEC_LANES];
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    if (mask == 0) {
        return next_(f, op);
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        f->depth[lowest_(rest)] =
            (uint16_t)(f->depth[lowest_(rest)] - (f->depth[lowest_(rest)] != 0));
    }
    register_targets_(w, op, to);
    return smrf_exec_flow_jump(f, op, mask, to);
}

/* ---- convergence --------------------------------------------------------------------------- */

static int bssy_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t *view = w->barrier[op->sub];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        view[i] = (mask & smrf_exec_bit[i]) != 0 ? mask : view[i];
    }
    return 0;
}

static int bsync_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    const uint32_t *view = w->barrier[op->sub];
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    uint32_t awaited = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        awaited |= view[lowest_(rest)];
    }
    f->ip = op + 1;
    if ((awaited & w->live & ~mask) == 0) {
        return 0; /* all are here, or none is awaited */
    }
    smrf_exec_flow_park(f, mask, after_(op));
    f->at_sync |= mask;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        f->sync_register[lowest_(rest)] = (uint8_t)op->sub;
    }
    smrf_exec_flow_settle(f);
    return 0;
}

static int break_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint32_t *view = w->barrier[op->sub];
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    f->ip = op + 1;
    for (uint32_t left = mask; left != 0;) {
        uint32_t members = view[lowest_(left)], group = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            if (view[lowest_(rest)] == members) {
                group |= UINT32_C(1) << lowest_(rest);
            }
        }
        for (uint32_t rest = members | group; rest != 0; rest &= rest - 1) {
            if (view[lowest_(rest)] == members) {
                view[lowest_(rest)] = members & ~group;
            }
        }
        left &= ~group;
    }
    smrf_exec_flow_settle(f);
    return 0;
}

static int bmov_to_register_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t *view = w->barrier[op->sub];
    smrf_exec_write(w, op->dst, mask, view);
    if (op->sub2 != 0) { /* .CLEAR */
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            view[i] = (mask & smrf_exec_bit[i]) != 0 ? 0 : view[i];
        }
    }
    return 0;
}

static int bmov_to_barrier_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t scratch[SMRF_EXEC_LANES], *view = w->barrier[op->sub];
    const uint32_t *from = smrf_exec_u32(w, &op->src[0], scratch);
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        view[i] = (mask & smrf_exec_bit[i]) != 0 ? from[i] : view[i];
    }
    return smrf_exec_done(w);
}

static int bmov_active_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t row[SMRF_EXEC_LANES];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        row[i] = smrf_exec_flow_of(w)->active;
    }
    smrf_exec_write(w, op->dst, mask, row);
    return 0;
}

/* Each lane names the lanes that it goes on with. Those that have come together go on together,
 * but for .EXCLUSIVE: behind it every group runs alone, so that uniform registers are its own. */
static int warpsync_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    uint32_t scratch[SMRF_EXEC_LANES], awaited = 0, common = UINT32_MAX;
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    const uint32_t *named = smrf_exec_u32(w, &op->src[0], scratch);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        awaited |= named[lowest_(rest)];
        common &= named[lowest_(rest)];
    }
    f->ip = op + 1;
    const bool one_group = op->sub == 0 || mask == 0 || awaited == common;
    if ((awaited & w->live & ~mask) == 0 && one_group) {
        return smrf_exec_done(w);
    }
    smrf_exec_flow_park(f, mask, after_(op));
    f->at_warpsync |= mask;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        f->warpsync_mask[lowest_(rest)] = named[lowest_(rest)];
    }
    smrf_exec_flow_settle(f);
    return smrf_exec_done(w);
}

static int yield_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    return mask == 0 ? next_(f, op) : smrf_exec_flow_yield(f, op);
}

static int nothing_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return 0;
}

/* ---- ends ---------------------------------------------------------------------------------- */

static int end_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    mask &= smrf_exec_pred(w, &op->psrc[0]);
    f->ip = op + 1;
    if (mask != 0) {
        smrf_exec_flow_exit(f, mask);
    }
    return 0;
}

static int trap_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)op;
    return mask == 0 ? 0
                     : smrf_exec_fail(w, (int)lowest_(mask), SMRF_ERR_CHECK,
                                      "trap: the program's own, or grid.sync(), which needs a "
                                      "cooperative launch");
}

/* ---- binding ------------------------------------------------------------------------------- */

static const struct smrf_sass_operand *take_(struct smrf_exec_binding *b)
{
    return b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
}

static void bind_barrier_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o = take_(b);
    if (o == NULL || o->kind != SMRF_SASS_BARRIER || o->reg > 15) {
        smrf_exec_bind_fail(b, "%s needs a register B0 .. B15", b->inst->mnemonic);
    } else {
        b->op->sub = o->reg;
    }
}

/* A code address; decode.c turns it into a distance where it lies in the module. */
static void bind_target_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o = take_(b);
    if (o == NULL || (o->kind != SMRF_SASS_CODE && o->kind != SMRF_SASS_INT)) {
        smrf_exec_bind_fail(b, "%s needs a target", b->inst->mnemonic);
    } else {
        b->op->target = (uint64_t)o->imm;
    }
}

/* Register pair [+ base]: BRX's base, printed as a number, counts from the next instruction. */
static void bind_register_target_(struct smrf_exec_binding *b, bool relative)
{
    const struct smrf_sass_operand *o = take_(b);
    if (o == NULL || (o->kind != SMRF_SASS_REG && o->kind != SMRF_SASS_UREG)) {
        smrf_exec_bind_fail(b, "%s needs a register pair", b->inst->mnemonic);
        return;
    }
    b->op->src[b->op->num_src++] = (struct smrf_exec_src){.kind = o->kind, .reg = o->reg};
    const struct smrf_sass_operand *base = take_(b);
    if (base == NULL) {
        return;
    }
    b->op->target = (uint64_t)base->imm;
    if (base->kind == SMRF_SASS_INT && relative) {
        b->op->target += b->inst->address + SMRF_SASS_INST_BYTES;
    } else if (base->kind != SMRF_SASS_INT && base->kind != SMRF_SASS_CODE) {
        smrf_exec_bind_fail(b, "%s needs an address", b->inst->mnemonic);
    }
}

static void bind_bra_(struct smrf_exec_binding *b)
{
    b->op->fn = branch_;
    b->op->sub = smrf_exec_bind_has(b, "DIV")    ? BRA_DIV
                 : smrf_exec_bind_has(b, "CONV") ? BRA_CONV
                 : smrf_exec_bind_has(b, "ANY")  ? BRA_ANY /* all go where one does */
                                                 : BRA_ALWAYS;
    (void)smrf_exec_bind_has(b, "U");
    smrf_exec_bind_condition(b);
    if (smrf_exec_bind_kind(b) ==
        SMRF_SASS_UREG) { /* BRA.DIV UR4, target: lanes that should be here */
        b->next++;
    }
    bind_target_(b);
}

static void bind_jump_(struct smrf_exec_binding *b, bool relative)
{
    smrf_exec_bind_condition(b);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_REG || smrf_exec_bind_kind(b) == SMRF_SASS_UREG) {
        b->op->fn = branch_indirect_;
        bind_register_target_(b, relative);
    } else {
        b->op->fn = branch_;
        bind_target_(b);
    }
}

static void bind_call_(struct smrf_exec_binding *b)
{
    static const char *const how[] = {"REL", "ABS"};
    (void)smrf_exec_bind_one_of(b, how, 2, 0);
    (void)smrf_exec_bind_has(b, "NOINC");
    b->op->fn = call_;
    smrf_exec_bind_condition(b);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_REG || smrf_exec_bind_kind(b) == SMRF_SASS_UREG) {
        bind_register_target_(b, false);
    } else {
        bind_target_(b);
    }
}

static void bind_ret_(struct smrf_exec_binding *b)
{
    static const char *const how[] = {"REL", "ABS"};
    (void)smrf_exec_bind_one_of(b, how, 2, 0);
    (void)smrf_exec_bind_has(b, "NODEC");
    b->op->fn = ret_;
    smrf_exec_bind_condition(b);
    bind_register_target_(b, false);
}

static void bind_bmov_(struct smrf_exec_binding *b)
{
    b->op->control = SMRF_EXEC_PLAIN;
    (void)smrf_exec_bind_has(b, "32");
    b->op->sub2 = smrf_exec_bind_has(b, "CLEAR");
    if (smrf_exec_bind_kind(b) == SMRF_SASS_BARRIER) {
        b->op->fn = bmov_to_barrier_;
        bind_barrier_(b);
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
        return;
    }
    smrf_exec_bind_dst(b);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_SPECIAL) {
        const struct smrf_sass_operand *o = take_(b);
        if (o->name == NULL || strcmp(o->name, "MACTIVE") != 0) {
            smrf_exec_bind_fail(b, "%s is not supported", b->inst->text);
        }
        b->op->fn = bmov_active_;
        return;
    }
    b->op->fn = bmov_to_register_;
    bind_barrier_(b);
}

static void bind_warpsync_(struct smrf_exec_binding *b)
{
    b->op->fn = warpsync_;
    smrf_exec_bind_condition(b);
    /* .COLLECTIVE R, target: what the lanes are to do together stands before the target. */
    const bool collective = smrf_exec_bind_has(b, "COLLECTIVE");
    b->op->sub = smrf_exec_bind_has(b, "EXCLUSIVE");
    if (smrf_exec_bind_has(b, "ALL")) {
        b->op->src[b->op->num_src++] =
            (struct smrf_exec_src){.kind = SMRF_SASS_INT, .imm = SMRF_EXEC_ALL, .ureg = 63};
    } else {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    if (collective &&
        (smrf_exec_bind_kind(b) == SMRF_SASS_CODE || smrf_exec_bind_kind(b) == SMRF_SASS_INT)) {
        b->next++;
    }
}

static void bind_end_(struct smrf_exec_binding *b)
{
    static const char *const how[] = {"KEEPREFCOUNT", "PREEMPTED", "NO_ATEXIT"};
    (void)smrf_exec_bind_one_of(b, how, 3, 0);
    b->op->fn = end_;
    smrf_exec_bind_condition(b);
}

/* Whatever operands and modifiers: no effect here. */
static void bind_nothing_(struct smrf_exec_binding *b)
{
    b->op->control = SMRF_EXEC_PLAIN;
    b->op->fn = nothing_;
    b->next = b->inst->num_operands;
    b->known = UINT32_MAX;
}

static void bind_bsync_(struct smrf_exec_binding *b, smrf_exec_fn *fn)
{
    b->op->fn = fn;
    smrf_exec_bind_condition(b);
    bind_barrier_(b);
}

static void bind_bssy_(struct smrf_exec_binding *b)
{
    b->op->control = SMRF_EXEC_PLAIN;
    b->op->fn = bssy_;
    bind_barrier_(b);
    bind_target_(b);
}

static bool bind_flow_(struct smrf_exec_binding *b, const char *name)
{
    if (strcmp(name, "BRA") == 0) {
        bind_bra_(b);
    } else if (strcmp(name, "BRX") == 0 || strcmp(name, "BRXU") == 0) {
        bind_jump_(b, true);
    } else if (strcmp(name, "JMP") == 0 || strcmp(name, "JMX") == 0 || strcmp(name, "JMXU") == 0) {
        bind_jump_(b, false);
    } else if (strcmp(name, "CALL") == 0) {
        bind_call_(b);
    } else if (strcmp(name, "RET") == 0) {
        bind_ret_(b);
    } else if (strcmp(name, "BSSY") == 0) {
        bind_bssy_(b);
    } else if (strcmp(name, "BSYNC") == 0) {
        bind_bsync_(b, bsync_);
    } else if (strcmp(name, "BREAK") == 0) {
        bind_bsync_(b, break_);
    } else if (strcmp(name, "BMOV") == 0) {
        bind_bmov_(b);
    } else if (strcmp(name, "WARPSYNC") == 0) {
        bind_warpsync_(b);
    } else if (strcmp(name, "EXIT") == 0 || strcmp(name, "KILL") == 0) {
        bind_end_(b);
    } else {
        return false;
    }
    return true;
}

int smrf_exec_bind_control(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const char *const no_effect[] = {"NOP",           "DEPBAR",    "MEMBAR",   "ERRBAR",
                                            "CCTL",          "CCTLL",     "CCTLT",    "PMTRIG",
                                            "ENDCOLLECTIVE", "LDGDEPBAR", "CGAERRBAR"};
    struct smrf_exec_binding b;
    const char *name = op->inst->opcode;
    smrf_exec_bind_begin(&b, op, error);
    op->control = SMRF_EXEC_CONTROL;
    if (bind_flow_(&b, name)) {
        return smrf_exec_bind_end(&b);
    }
    if (strcmp(name, "YIELD") == 0 || strcmp(name, "NANOSLEEP") == 0) {
        bind_nothing_(&b);
        op->control = SMRF_EXEC_CONTROL;
        op->fn = yield_;
        return 1;
    }
    if (strcmp(name, "BPT") == 0) {
        bind_nothing_(&b);
        op->fn = trap_;
        return 1;
    }
    if (smrf_exec_bind_bar(&b)) {
        return smrf_exec_bind_end(&b);
    }
    for (unsigned i = 0; i < sizeof no_effect / sizeof no_effect[0]; i++) {
        if (strcmp(name, no_effect[i]) == 0) {
            bind_nothing_(&b);
            return 1;
        }
    }
    op->control = SMRF_EXEC_PLAIN;
    int rc = smrf_exec_bind_special(&b);
    return rc == 1 ? smrf_exec_bind_end(&b) : rc;
}
