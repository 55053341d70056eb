/* SPDX-License-Identifier: Apache-2.0 */
#include "allotment.h"

#include <string.h>

static uint32_t round_up_(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t unit_(uint32_t banks)
{
    return (8 + banks - 1) / banks * banks;
}

uint32_t smrf_allotment_of_thread(const struct smrf_sm_params *sm, const struct smrf_sm_kernel *k,
                                  const struct smrf_allotment_seam *seam, void *mechanism)
{
    uint32_t registers = k->registers ? k->registers : 1;
    return round_up_(seam ? seam->registers(mechanism, k) : registers, sm->register_unit);
}

int smrf_allotment_init(struct smrf_allotment *a, const struct smrf_sm_params *sm, uint32_t banks)
{
    a->sm = *sm;
    a->rows = smrf_physical_registers(sm);
    a->unit = unit_(banks);
    smrf_allotment_reset(a);
    return a->rows / a->unit > SMRF_ALLOTMENT_WORDS * 64 ? SMRF_ERR_LIMIT : SMRF_OK;
}

void smrf_allotment_reset(struct smrf_allotment *a)
{
    memset(a->used, 0, sizeof a->used);
    a->threads_used = 0;
}

unsigned smrf_allotment_occupancy(const struct smrf_sm_params *sm, uint32_t banks,
                                  const struct smrf_sm_kernel *k, uint32_t registers,
                                  const char **limit)
{
    const struct {
        uint32_t have, need;
        const char *key;
    } limits[] = {
        {sm->threads, k->warps_per_block * SMRF_LANES, "sm.threads"},
        {sm->warps, k->warps_per_block, "sm.warps"},
        {sm->blocks, 1, "sm.blocks"},
        {sm->registers, k->warps_per_block * SMRF_LANES * registers, "sm.registers"},
        {sm->shared_bytes, k->shared_bytes, "sm.shared_bytes"},
    };
    unsigned best = UINT32_MAX;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        unsigned blocks = limits[i].need ? limits[i].have / limits[i].need : UINT32_MAX;
        if (blocks < best) {
            best = blocks;
            if (limit) {
                *limit = limits[i].key;
            }
        }
    }
    uint32_t warps = (k->warps_per_block + sm->subcores - 1) / sm->subcores;
    if (best && warps * round_up_(registers, unit_(banks)) > smrf_physical_registers(sm)) {
        best = 0; /* enough registers in the SM, but not in one sub-core */
        if (limit) {
            *limit = "sm.registers";
        }
    }
    return best;
}

unsigned smrf_allotment_kernel_blocks(const struct smrf_sm_params *sm, uint32_t banks,
                                      const struct smrf_sm_kernel *k,
                                      const struct smrf_allotment_seam *seam, const char **limit)
{
    uint32_t registers = smrf_allotment_of_thread(sm, k, seam, NULL);
    if (registers == 0 && seam->as_kernel) {
        registers = smrf_allotment_of_thread(sm, k, NULL, NULL);
    }
    return smrf_allotment_occupancy(sm, banks, k, registers, limit);
}

uint32_t smrf_allotment_of_warp(const struct smrf_allotment *a, uint32_t registers)
{
    return round_up_(registers, a->unit);
}

/* --- the map of a sub-core -------------------------------------------------------------------- */

/* The first unit from u on that is used, or free; `total`: none is. */
static uint32_t next_(const uint64_t *map, uint32_t u, uint32_t total, bool used)
{
    while (u < total) {
        const uint64_t word = (used ? map[u / 64] : ~map[u / 64]) >> (u % 64);
        if (word != 0) {
            u += (uint32_t)__builtin_ctzll(word);
            break;
        }
        u = (u / 64 + 1) * 64;
    }
    return u < total ? u : total;
}

/* First fit. Returns the first unit or -1. */
static int find_(const uint64_t *map, uint32_t units, uint32_t total)
{
    for (uint32_t u = 0; u < total;) {
        const uint32_t first = next_(map, u, total, false);
        u = next_(map, first, total, true);
        if (u - first >= units) {
            return (int)first;
        }
    }
    return -1;
}

static void mark_(uint64_t *map, uint32_t first, uint32_t units, bool used)
{
    for (uint32_t u = first, end = first + units; u < end;) {
        const uint32_t at = u % 64, n = end - u < 64 - at ? end - u : 64 - at;
        const uint64_t bits = UINT64_MAX >> (64 - n) << at;
        map[u / 64] = used ? map[u / 64] | bits : map[u / 64] & ~bits;
        u += n;
    }
}

bool smrf_allotment_fits(const struct smrf_allotment *a, unsigned first, uint32_t warps,
                         uint32_t registers)
{
    uint32_t units = smrf_allotment_of_warp(a, registers) / a->unit;
    if (units == 0) {
        return true;
    }
    if (a->threads_used + warps * SMRF_LANES * registers > a->sm.registers) {
        return false;
    }
    const uint32_t total = a->rows / a->unit;
    for (unsigned sub = 0; sub < a->sm.subcores; sub++) {
        uint64_t map[SMRF_ALLOTMENT_WORDS];
        memcpy(map, a->used[sub], (total + 63) / 64 * sizeof *map);
        for (unsigned i = 0; i < warps; i++) {
            if (((first + i) & (a->sm.subcores - 1)) != sub) {
                continue;
            }
            int at = find_(map, units, total);
            if (at < 0) {
                return false;
            }
            mark_(map, (uint32_t)at, units, true);
        }
    }
    return true;
}

void smrf_allotment_count(struct smrf_allotment *a, uint32_t warps, uint32_t registers, bool in)
{
    uint32_t threads = warps * SMRF_LANES * registers;
    a->threads_used = in ? a->threads_used + threads : a->threads_used - threads;
}

int smrf_allotment_take(struct smrf_allotment *a, unsigned sub, uint32_t registers)
{
    int unit = find_(a->used[sub], registers / a->unit, a->rows / a->unit);
    if (unit < 0) {
        return -1;
    }
    mark_(a->used[sub], (uint32_t)unit, registers / a->unit, true);
    return (int)((uint32_t)unit * a->unit);
}

void smrf_allotment_give(struct smrf_allotment *a, unsigned sub, uint32_t base, uint32_t registers)
{
    mark_(a->used[sub], base / a->unit, registers / a->unit, false);
}
