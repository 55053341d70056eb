/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch brings: how many registers a warp gets at each level. Source: CARS III-B. */
#include "cars.h"

#include "models/frontend/allotment.h"

#include <string.h>

static bool calls_(const struct smrf_sm_kernel *kernel)
{
    return kernel->program && kernel->program->num_calls;
}

static uint32_t kernel_registers_(const struct smrf_sm_kernel *kernel)
{
    return kernel->registers ? kernel->registers : 1;
}

/* Unit in which a warp is given registers: the SM's, in whole rows of all banks. */
static uint32_t unit_(const struct smrf_mechanism_setup *setup)
{
    const uint32_t rows = (8 + setup->rf.banks - 1) / setup->rf.banks * setup->rf.banks;
    uint32_t unit = rows;
    while (unit % setup->sm.register_unit) {
        unit += rows;
    }
    return unit;
}

static uint32_t up_(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Registers beyond the kernel's: of the largest frame, and of the deepest path. */
static uint32_t largest_(const struct smrf_program *p, const struct smrf_cars_params *o)
{
    uint32_t most = 0;
    for (uint32_t f = 1; f < p->num_functions; f++) {
        const uint32_t frame = p->function[f].frame[o->saved] + o->rfp_slot;
        most = frame > most ? frame : most;
    }
    return most;
}

static uint32_t deepest_(const struct smrf_program *p, const struct smrf_cars_params *o)
{
    uint32_t again = 0; /* an iteration more */
    for (uint32_t f = 1; f < p->num_functions; f++) {
        again += p->function[f].recursive ? p->function[f].frame[o->saved] + o->rfp_slot : 0u;
    }
    return p->function[0].deepest[o->saved][o->rfp_slot] + (o->recursion - 1) * again;
}

/* Registers of the n-th multiple of Low. */
static uint32_t wanted_(const struct smrf_sm_kernel *kernel, const struct smrf_cars_params *o,
                        uint32_t n)
{
    const uint32_t own = kernel_registers_(kernel), largest = largest_(kernel->program, o);
    const uint32_t high = own + deepest_(kernel->program, o);
    const uint32_t wanted =
        o->multiple == SMRF_CARS_MULTIPLE_LITERAL ? n * (own + largest) : own + n * largest;
    return n == 1 ? own + largest : wanted < high ? wanted : high;
}

/* --- is it possible at all? ------------------------------------------------------------------- */

static bool saves_beyond_(const struct smrf_sm_kernel *kernel)
{
    const struct smrf_program *p = kernel->program;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        for (unsigned reg = kernel_registers_(kernel); reg < SMRF_REG_ZERO; reg++) {
            if (smrf_program_set_has(&p->function[f].saved[0], reg)) {
                return true;
            }
        }
    }
    return false;
}

/* Blocks are placed as without stacks: does one fit? */
static bool placed_(const struct smrf_mechanism_setup *setup, const struct smrf_sm_kernel *kernel)
{
    const uint32_t own = smrf_allotment_of_thread(&setup->sm, kernel, NULL, NULL);
    return !kernel->warps_per_block ||
           smrf_allotment_occupancy(&setup->sm, setup->rf.banks, kernel, own, NULL);
}

const char *smrf_cars_program_check(const struct smrf_mechanism_setup *setup,
                                    const struct smrf_sm_kernel *kernel)
{
    const struct smrf_program *p = kernel->program;
    if (!p) {
        return "it needs the kernel's program, which a sidecar of version 2 has "
               "(docs/operands.md); "
               "'smrf trace' writes one beside each trace file";
    }
    if (p->unknown_call != SMRF_PROGRAM_NONE) {
        return "a call through a pointer may lead anywhere: the sidecar must list its targets "
               "(.indirect, docs/operands.md)";
    }
    if (saves_beyond_(kernel)) {
        return "a function saves registers that the kernel does not have: the sidecar is of "
               "another "
               "trace; trace again";
    }
    if (calls_(kernel) &&
        up_(wanted_(kernel, setup->options, 1), unit_(setup)) > smrf_cars_rows(setup)) {
        return "the kernel's registers and its largest frame are more than a sub-core has: raise "
               "sm.registers, or compile with fewer registers";
    }
    if (calls_(kernel) && !placed_(setup, kernel)) {
        return "one thread block does not fit an SM: raise sm.registers (or sm.shared_bytes)";
    }
    return NULL;
}

/* --- levels ----------------------------------------------------------------------------------- */

/* Warps of a sub-core that its other limits let be resident. */
static uint32_t resident_(const struct smrf_cars *m, const struct smrf_sm_kernel *kernel)
{
    const uint32_t own = smrf_allotment_of_thread(&m->setup.sm, kernel, NULL, NULL);
    uint32_t blocks = smrf_allotment_occupancy(&m->setup.sm, m->setup.rf.banks, kernel, own, NULL);
    blocks = kernel->share && kernel->share < blocks ? kernel->share : blocks;
    const uint32_t warps = blocks * kernel->warps_per_block;
    return warps ? (warps + m->subs - 1) / m->subs : 1;
}

/* Registers of a level: what it wants, and an equal share of what is over. */
static struct smrf_cars_level level_(const struct smrf_cars *m, uint32_t wanted, uint32_t resident)
{
    const uint32_t unit = unit_(&m->setup), most = m->rows / unit * unit;
    const uint32_t least = up_(wanted, unit) < most ? up_(wanted, unit) : most;
    const uint32_t fit = m->rows / least;
    struct smrf_cars_level l = {.wanted = wanted, .warps = fit < resident ? fit : resident};
    l.registers = m->rows / l.warps / unit * unit;
    return l;
}

static void add_level_(struct smrf_cars *m, uint32_t wanted, uint32_t resident)
{
    const struct smrf_cars_level l = level_(m, wanted, resident);
    const bool same = m->num_levels && m->levels[m->num_levels - 1].warps == l.warps;
    m->num_levels -= same; /* as many warps, and more registers wanted: the one is the other */
    if (m->num_levels < SMRF_CARS_LEVELS) {
        m->levels[m->num_levels++] = l;
    }
}

void smrf_cars_launch_(struct smrf_cars *m, const struct smrf_sm_kernel *kernel)
{
    const struct smrf_cars_params *o = m->options;
    m->kernel = *kernel;
    m->program = calls_(kernel) ? kernel->program : NULL;
    m->num_levels = 0;
    m->level = 0;
    memset(&m->samples, 0, sizeof m->samples);
    m->most_blocks = m->blocks;
    m->alone_since = 0;
    if (!m->program) {
        return;
    }
    const uint32_t resident = resident_(m, kernel);
    const uint32_t high = kernel_registers_(kernel) + deepest_(m->program, o);
    switch ((enum smrf_cars_policy)o->policy) {
    case SMRF_CARS_POLICY_LOW:
        add_level_(m, wanted_(kernel, o, 1), resident);
        break;
    case SMRF_CARS_POLICY_NXLOW:
        add_level_(m, wanted_(kernel, o, o->frames), resident);
        break;
    case SMRF_CARS_POLICY_HIGH:
        add_level_(m, high, resident);
        break;
    case SMRF_CARS_POLICY_ADAPTIVE:
    case SMRF_CARS_POLICY_PAPER:
        for (uint32_t n = 1; n < SMRF_CARS_LEVELS && wanted_(kernel, o, n) < high; n++) {
            add_level_(m, wanted_(kernel, o, n), resident);
        }
        add_level_(m, high, resident);
        break;
    }
}

uint32_t smrf_cars_registers(void *state, const struct smrf_sm_kernel *kernel)
{
    struct smrf_cars *m = state;
    if (m && (m->kernel.program != kernel->program || m->kernel.registers != kernel->registers ||
              m->kernel.warps_per_block != kernel->warps_per_block ||
              m->kernel.shared_bytes != kernel->shared_bytes || m->kernel.share != kernel->share)) {
        smrf_cars_launch_(m, kernel);
    }
    return calls_(kernel) ? 0 : kernel_registers_(kernel);
}

void smrf_cars_fail_(struct smrf_cars *m, unsigned warp, const char *why)
{
    m->failed = true;
    m->services->fail(m->services->ctx, warp, why);
}
