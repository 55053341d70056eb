/* SPDX-License-Identifier: Apache-2.0 */
/* Which saves and restores of a function a register stack takes the place of. */
#include "firmware/cars/internal.h"

#include <string.h>

static bool has_word_(const struct smrf_flow_program *flow, uint32_t first, uint32_t last,
                      const struct smrf_regset *set)
{
    for (uint32_t s = first; s < last; s++) {
        if (!smrf_regset_has(set, flow->save[s].reg)) {
            return false;
        }
    }
    return true;
}

static uint32_t words_(const struct smrf_flow_inst *inst)
{
    return inst->op.access_bytes / 4u;
}

/* Rows of the list of saves that belong to the instruction of row s. */
static uint32_t row_end_(const struct smrf_flow_program *flow, uint32_t s)
{
    uint32_t end = s + 1;
    while (end < flow->num_saves && flow->save[end].inst == flow->save[s].inst) {
        end++;
    }
    return end;
}

bool smrf_cars_whole_(const struct smrf_flow_program *flow, uint32_t s, uint32_t end,
                      const struct smrf_regset *set)
{
    return end - s == words_(&flow->inst[flow->save[s].inst]) && has_word_(flow, s, end, set);
}

/* An instruction that moves anything else besides keeps its registers in memory, and whatever else
 * moves those. */
void smrf_cars_keep_whole_(const struct smrf_flow_program *flow, uint32_t f,
                           struct smrf_regset *set)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0, end; s < flow->num_saves; s = end) {
            end = row_end_(flow, s);
            if (flow->save[s].function != f || smrf_cars_whole_(flow, s, end, set)) {
                continue;
            }
            for (uint32_t k = s; k < end; k++) {
                changed |= smrf_regset_has(set, flow->save[k].reg);
                smrf_regset_remove(set, flow->save[k].reg);
            }
        }
    }
}

/* Is the function entered or left by a jump? Its frame would be another's. */
static bool jumps_(const struct smrf_flow_program *flow, uint32_t f)
{
    for (uint32_t i = 0; i < flow->num_sites; i++) {
        const struct smrf_flow_site *site = &flow->site[i];
        if (flow->inst[site->inst].role != SMRF_FLOW_TAIL) {
            continue;
        }
        if (site->caller == f) {
            return true;
        }
        for (uint32_t k = 0; k < site->num_callees; k++) {
            if (site->callee[k] == f) {
                return true;
            }
        }
    }
    return false;
}

struct smrf_regset smrf_cars_saved_(const struct smrf_flow_program *flow, uint32_t f,
                                    enum smrf_program_frames frames)
{
    const struct smrf_flow_function *fn = &flow->function[f];
    struct smrf_regset set = fn->saved;
    smrf_regset_subtract(&set, &fn->unrestored);
    for (unsigned r = 0; frames == SMRF_FRAMES_PREFIX && r < SMRF_CARS_FIRST; r++) {
        smrf_regset_remove(&set, r);
    }
    if (fn->unknown_jump || jumps_(flow, f)) {
        return (struct smrf_regset){{0}};
    }
    smrf_cars_keep_whole_(flow, f, &set);
    return set;
}

/* --- what is read before it is written -------------------------------------------------------- */

static bool saves_(const struct smrf_flow_program *flow, uint32_t inst)
{
    uint32_t low = 0, high = flow->num_saves;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (flow->save[middle].inst < inst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < flow->num_saves && flow->save[low].inst == inst;
}

/* One instruction: *old are registers that may still have the value of the function's entry. */
static void pass_(const struct smrf_flow_program *flow, uint32_t i, struct smrf_regset *old,
                  struct smrf_regset *read)
{
    const struct smrf_flow_inst *inst = &flow->inst[i];
    struct smrf_regset now = inst->reads;
    if (inst->role == SMRF_FLOW_RETURNS || saves_(flow, i)) {
        return; /* after the POPs; in place of the PUSH */
    }
    const struct smrf_flow_site *site = smrf_flow_site_at(flow, i);
    for (uint32_t k = 0; site && k < site->num_callees; k++) {
        (void)smrf_regset_unite(&now, &flow->function[site->callee[k]].live_in);
    }
    (void)smrf_regset_meet(&now, old);
    (void)smrf_regset_unite(read, &now);
    if (!inst->conditional) {
        smrf_regset_subtract(old, &inst->writes);
    }
}

struct smrf_regset smrf_cars_read_first_(const struct smrf_flow_program *flow, uint32_t f,
                                         const struct smrf_regset *saved,
                                         struct smrf_regset *at_block)
{
    const struct smrf_flow_function *fn = &flow->function[f];
    struct smrf_regset read = {{0}};
    bool changed = fn->num_blocks != 0;
    for (uint32_t b = 0; b < fn->num_blocks; b++) {
        at_block[b] = b == 0 ? *saved : (struct smrf_regset){{0}};
    }
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < fn->num_blocks; b++) {
            const struct smrf_flow_block *block = &flow->block[fn->first_block + b];
            struct smrf_regset old = at_block[b];
            for (uint32_t i = block->first; i < block->first + block->count; i++) {
                pass_(flow, i, &old, &read);
            }
            for (uint32_t k = 0; k < block->num_succ; k++) {
                changed |= smrf_regset_unite(&at_block[block->succ[k] - fn->first_block], &old);
            }
        }
    }
    return read;
}
