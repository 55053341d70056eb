/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/exec/flow.h"

#include <string.h>

static unsigned lowest_(uint32_t lanes)
{
    return (unsigned)__builtin_ctz(lanes);
}

static void keep_uniform_(struct smrf_exec_flow *f, unsigned slot)
{
    memcpy(f->kept[slot].ur, f->warp.ur, sizeof f->warp.ur);
    memcpy(f->kept[slot].up, f->warp.up, sizeof f->warp.up);
}

static void set_pc_(struct smrf_exec_flow *f, uint32_t lanes, uint64_t pc)
{
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        f->warp.pc[lowest_(rest)] = pc;
    }
}

void smrf_exec_flow_start(struct smrf_exec_flow *f, const struct smrf_exec_op *entry, uint32_t live)
{
    f->ip = entry;
    f->active = live;
    f->warp.live = live;
    f->turn_ends = SMRF_EXEC_TURN;
    f->turn_limit = SMRF_EXEC_LONG_TURN;
}

const struct smrf_exec_op *smrf_exec_op_at(const struct smrf_exec_code *code, uint64_t address)
{
    const struct smrf_sass_module *m = code->module;
    if (m->num_insts == 0) {
        return NULL;
    }
    uint64_t guess = (address - m->inst[0].address) / SMRF_SASS_INST_BYTES;
    if (guess < m->num_insts && m->inst[guess].address == address) {
        return &code->op[guess];
    }
    const struct smrf_sass_inst *inst = smrf_sass_at(m, address);
    return inst == NULL ? NULL : &code->op[inst - m->inst];
}

void smrf_exec_flow_defer(struct smrf_exec_flow *f, uint32_t lanes, uint64_t pc)
{
    unsigned leader = lowest_(lanes);
    f->split[leader] = lanes;
    f->ready |= UINT32_C(1) << leader;
    f->active &= ~lanes;
    set_pc_(f, lanes, pc);
    keep_uniform_(f, leader);
}

void smrf_exec_flow_park(struct smrf_exec_flow *f, uint32_t lanes, uint64_t pc)
{
    unsigned leader = lowest_(lanes);
    f->active &= ~lanes;
    set_pc_(f, lanes, pc);
    keep_uniform_(f, leader);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        f->keeper[lowest_(rest)] = (uint8_t)leader;
    }
}

void smrf_exec_flow_wake(struct smrf_exec_flow *f, uint32_t lanes)
{
    while (lanes != 0) {
        unsigned leader = lowest_(lanes);
        uint32_t group = 0;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            if (f->warp.pc[lowest_(rest)] == f->warp.pc[leader]) {
                group |= UINT32_C(1) << lowest_(rest);
            }
        }
        if (f->keeper[leader] != leader) {
            f->kept[leader] = f->kept[f->keeper[leader]];
        }
        f->split[leader] = group;
        f->ready |= UINT32_C(1) << leader;
        lanes &= ~group;
    }
}

bool smrf_exec_flow_switch(struct smrf_exec_flow *f)
{
    if (f->ready == 0) {
        return false;
    }
    uint32_t later = f->last >= 31 ? 0 : f->ready & (SMRF_EXEC_ALL << (f->last + 1));
    unsigned leader = lowest_(later != 0 ? later : f->ready);
    f->ready &= ~(UINT32_C(1) << leader);
    f->active = f->split[leader];
    f->last = leader;
    memcpy(f->warp.ur, f->kept[leader].ur, sizeof f->warp.ur);
    memcpy(f->warp.up, f->kept[leader].up, sizeof f->warp.up);
    f->ip = smrf_exec_op_at(f->code, f->warp.pc[leader]);
    f->turn_ends = f->insts + SMRF_EXEC_TURN;
    f->turn_limit = f->insts + SMRF_EXEC_LONG_TURN;
    return true;
}

int smrf_exec_flow_branch(struct smrf_exec_flow *f, const struct smrf_exec_op *from,
                          const struct smrf_exec_op *to)
{
    if (to <= from && f->ready != 0 && f->insts >= f->turn_ends) {
        smrf_exec_flow_defer(f, f->active, to->inst->address);
        (void)smrf_exec_flow_switch(f);
        return 0;
    }
    f->ip = to;
    return 0;
}

int smrf_exec_flow_yield(struct smrf_exec_flow *f, const struct smrf_exec_op *op)
{
    f->ip = op + 1;
    if (f->ready == 0) {
        f->preempt = true;
        return 0;
    }
    unsigned self = lowest_(f->active);
    f->last = self;
    smrf_exec_flow_defer(f, f->active, op->inst->address + SMRF_SASS_INST_BYTES);
    (void)smrf_exec_flow_switch(f);
    f->preempt = f->last <= self; /* every split has had its turn */
    return 0;
}

/* Waits of BSYNC: a lane waits for the live lanes of its view of the register; they have arrived
 * when they wait at the same register and count this lane in. */
static void settle_sync_(struct smrf_exec_flow *f)
{
    uint32_t undecided = f->at_sync;
    while (undecided != 0) {
        unsigned lane = lowest_(undecided);
        unsigned reg = f->sync_register[lane];
        uint32_t group = (f->warp.barrier[reg][lane] | UINT32_C(1) << lane) & f->warp.live;
        uint32_t arrived = 0;
        for (uint32_t rest = group & f->at_sync; rest != 0; rest &= rest - 1) {
            unsigned other = lowest_(rest);
            if (f->sync_register[other] == reg &&
                (other == lane || (f->warp.barrier[reg][other] >> lane & 1) != 0)) {
                arrived |= UINT32_C(1) << other;
            }
        }
        if (arrived == group) {
            f->at_sync &= ~group;
            undecided &= ~group;
            smrf_exec_flow_wake(f, group);
        } else {
            undecided &= ~(arrived | UINT32_C(1) << lane);
        }
    }
}

static void settle_warpsync_(struct smrf_exec_flow *f)
{
    uint32_t undecided = f->at_warpsync;
    while (undecided != 0) {
        unsigned lane = lowest_(undecided);
        uint32_t group = (f->warpsync_mask[lane] | UINT32_C(1) << lane) & f->warp.live;
        undecided &= ~(UINT32_C(1) << lane);
        if ((group & ~f->at_warpsync) == 0) {
            f->at_warpsync &= ~group;
            undecided &= ~group;
            smrf_exec_flow_wake(f, group);
        }
    }
}

void smrf_exec_flow_settle(struct smrf_exec_flow *f)
{
    if (f->at_sync != 0) {
        settle_sync_(f);
    }
    if (f->at_warpsync != 0) {
        settle_warpsync_(f);
    }
}

bool smrf_exec_flow_force(struct smrf_exec_flow *f)
{
    uint32_t waiting = f->at_sync;
    uint32_t release = 0;
    /* First those that wait only for lanes which have left the barrier by BREAK while this lane's
     * copy of the register was saved elsewhere. */
    for (uint32_t rest = waiting; rest != 0 && release == 0; rest &= rest - 1) {
        unsigned lane = lowest_(rest);
        unsigned reg = f->sync_register[lane];
        uint32_t same = 0, missing;
        for (uint32_t r = waiting; r != 0; r &= r - 1) {
            if (f->sync_register[lowest_(r)] == reg && f->warp.pc[lowest_(r)] == f->warp.pc[lane]) {
                same |= UINT32_C(1) << lowest_(r);
            }
        }
        missing = f->warp.barrier[reg][lane] & f->warp.live & ~same;
        bool left = true;
        for (uint32_t r = missing; r != 0; r &= r - 1) {
            left = left && (f->warp.barrier[reg][lowest_(r)] >> lowest_(r) & 1) == 0;
        }
        if (left) {
            release = same;
        }
    }
    if (release == 0 && waiting != 0) {
        unsigned lane = lowest_(waiting);
        for (uint32_t r = waiting; r != 0; r &= r - 1) {
            if (f->sync_register[lowest_(r)] == f->sync_register[lane] &&
                f->warp.pc[lowest_(r)] == f->warp.pc[lane]) {
                release |= UINT32_C(1) << lowest_(r);
            }
        }
    }
    f->at_sync &= ~release;
    if (release == 0 && f->at_warpsync != 0) {
        unsigned lane = lowest_(f->at_warpsync);
        for (uint32_t r = f->at_warpsync; r != 0; r &= r - 1) {
            if (f->warp.pc[lowest_(r)] == f->warp.pc[lane]) {
                release |= UINT32_C(1) << lowest_(r);
            }
        }
        f->at_warpsync &= ~release;
    }
    smrf_exec_flow_wake(f, release);
    return release != 0;
}

bool smrf_exec_flow_overtake(struct smrf_exec_flow *f)
{
    uint32_t waiting = f->at_sync, release = 0;
    const uint32_t blocked = waiting | f->at_warpsync | f->at_bar;
    while (waiting != 0) {
        unsigned lane = lowest_(waiting), reg = f->sync_register[lane];
        uint32_t *view = f->warp.barrier[reg], same = 0;
        for (uint32_t r = waiting; r != 0; r &= r - 1) {
            if (f->sync_register[lowest_(r)] == reg && f->warp.pc[lowest_(r)] == f->warp.pc[lane] &&
                (view[lane] >> lowest_(r) & 1) != 0) {
                same |= UINT32_C(1) << lowest_(r);
            }
        }
        same |= UINT32_C(1) << lane;
        uint32_t missing = view[lane] & f->warp.live & ~same;
        waiting &= ~same;
        if ((missing & blocked) != 0) {
            continue;
        }
        for (uint32_t r = missing; r != 0; r &= r - 1) {
            view[lowest_(r)] &= ~same; /* as if these had left by BREAK */
        }
        release |= same;
    }
    f->at_sync &= ~release;
    smrf_exec_flow_wake(f, release);
    return release != 0;
}

void smrf_exec_flow_exit(struct smrf_exec_flow *f, uint32_t lanes)
{
    f->warp.live &= ~lanes;
    f->active &= ~lanes;
    struct smrf_exec_block *block = f->warp.block;
    block->live_threads -= (uint32_t)__builtin_popcount(lanes);
    smrf_exec_flow_settle(f);
    if (block->barriers_in_use != 0) {
        smrf_exec_barrier_settle(block);
    }
}

/* Name of the function outside the module at an address. */
static const char *external_at_(const struct smrf_sass_module *m, uint64_t address)
{
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (m->function[i].address == address && m->function[i].external) {
            return m->function[i].name;
        }
    }
    return NULL;
}

int smrf_exec_flow_jump(struct smrf_exec_flow *f, const struct smrf_exec_op *op, uint32_t lanes,
                        const uint64_t target[SMRF_EXEC_LANES])
{
    uint64_t to[SMRF_EXEC_LANES];
    const struct smrf_exec_op *go = NULL; /* where the running split goes on */
    uint32_t going = 0, left = lanes;
    memcpy(to, target, sizeof to);
    if (f->active != lanes) { /* lanes whose guard does not hold fall through */
        going = f->active & ~lanes;
        go = op + 1;
    }
    while (left != 0) {
        unsigned leader = lowest_(left);
        uint32_t group = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            if (to[lowest_(rest)] == to[leader]) {
                group |= UINT32_C(1) << lowest_(rest);
            }
        }
        const struct smrf_exec_op *at = smrf_exec_op_at(f->code, to[leader]);
        if (at == NULL) {
            const char *name = external_at_(f->code->module, to[leader]);
            int rc =
                name == NULL ? (int)SMRF_ERR_UNKNOWN : smrf_exec_builtin(&f->warp, name, group);
            if (rc == SMRF_ERR_UNKNOWN) {
                return smrf_exec_fail(&f->warp, (int)leader, SMRF_ERR_LIMIT,
                                      name == NULL ? "jumps to 0x%llx, where there is no code"
                                                   : "calls what at 0x%llx is not in the module",
                                      (unsigned long long)to[leader]);
            }
            if (rc < 0) {
                return rc;
            }
            for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
                unsigned lane = lowest_(rest);
                to[lane] = f->warp.r[20][lane] | (uint64_t)f->warp.r[21][lane] << 32;
                f->depth[lane] = (uint16_t)(f->depth[lane] - (f->depth[lane] != 0));
                if (smrf_exec_op_at(f->code, to[lane]) == NULL) {
                    return smrf_exec_fail(&f->warp, (int)lane, SMRF_ERR_LIMIT,
                                          "%s returns to 0x%llx (R20:R21), where there is no code",
                                          name, (unsigned long long)to[lane]);
                }
            }
            continue; /* the lanes now have code addresses */
        }
        left &= ~group;
        if (go == NULL || go == at) {
            go = at;
            going |= group;
        } else {
            smrf_exec_flow_defer(f, group, to[leader]);
        }
    }
    if (going != lanes && f->warp.block->totals != NULL) {
        f->warp.block->totals->divergent_branches++;
    }
    return smrf_exec_flow_branch(f, op, go);
}
