/* SPDX-License-Identifier: Apache-2.0 */
#include "last_result.h"

#include <string.h>

/* One register per warp: a copy of the last result that was written to the banks. */
struct last_result {
    struct {
        bool valid;
        uint8_t reg;
        uint32_t version;
        uint32_t row[SMRF_LANES];
    } warp[SMRF_MAX_WARPS];
};

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct last_result);
}

static int init_(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    (void)setup;
    (void)sm;
    memset(m, 0, sizeof(struct last_result));
    return 0;
}

/* A warp slot is taken by a new warp: the old one's value means nothing. */
static void start_(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    (void)base;
    (void)registers;
    ((struct last_result *)m)->warp[warp].valid = false;
}

/* An instruction enters a collector: hand over what is here, return what the banks must read. */
static uint32_t allocate_(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                          uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    struct last_result *l = m;
    uint32_t from_banks = 0;
    (void)sub;
    (void)unit;
    for (unsigned i = 0; i < f->num_src; i++) {
        if (l->warp[f->warp].valid && l->warp[f->warp].reg == f->src_reg[i]) {
            smrf_value_hand_on(data, i, l->warp[f->warp].row);
            version[i] = l->warp[f->warp].version;
        } else {
            from_banks |= UINT32_C(1) << i;
        }
    }
    return from_banks;
}

/* A result goes to its bank: keep a copy. */
static bool keep_(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                  const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    struct last_result *l = m;
    (void)sub;
    (void)lanes;
    (void)cycle;
    l->warp[f->warp].valid = true;
    l->warp[f->warp].reg = f->dst_reg[i];
    l->warp[f->warp].version = f->version;
    smrf_value_keep(l->warp[f->warp].row, row);
    return true;
}

static const struct smrf_collector_seam collector = {.allocate = allocate_, .write = keep_};
static const struct smrf_warp_seam warp = {.start = start_};

const struct smrf_mechanism last_result = {
    .name = "last-result",
    .summary = "each warp keeps a copy of its last result",
    .bytes = bytes_,
    .init = init_,
    .collector = &collector,
    .warp = &warp,
};

/* With a mistake: a copy is not renewed when its register is written again. */
static bool keep_stale_(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                        const uint32_t *row, uint32_t lanes, uint64_t cycle)
{
    const struct last_result *l = m;
    if (!l->warp[f->warp].valid || l->warp[f->warp].reg != f->dst_reg[i]) {
        return keep_(m, sub, f, i, row, lanes, cycle);
    }
    return false;
}

static const struct smrf_collector_seam stale_collector = {.allocate = allocate_,
                                                           .write = keep_stale_};

const struct smrf_mechanism stale_result = {
    .name = "stale-result",
    .summary = "last-result with copies that go stale",
    .bytes = bytes_,
    .init = init_,
    .collector = &stale_collector,
    .warp = &warp,
};
