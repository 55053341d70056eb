/* SPDX-License-Identifier: Apache-2.0 */
#include "repeated_load.h"

#include "models/common/smrf_err.h"

#include <string.h>

enum { NONE = -1 };

/* A warp remembers its last load. When it loads the same addresses again, into another register,
 * both names get the one physical register until either is written. */
struct of_warp {
    uint16_t phys[256];    /* of each architectural register */
    uint16_t spare;        /* that a pair saves */
    int pair[2];           /* names of one register, or NONE */
    int last;              /* name of what the last load filled, or NONE */
    uint32_t under_way;    /* the last load, until it has ended */
    uint64_t base, stride; /* its addresses */
};

struct repeated_load {
    struct smrf_rf_params rf;
    struct of_warp warp[SMRF_MAX_WARPS];
};

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct repeated_load);
}

static int init_(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    (void)sm;
    memset(m, 0, sizeof(struct repeated_load));
    ((struct repeated_load *)m)->rf = setup->rf;
    return SMRF_OK;
}

static void start_(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    struct of_warp *w = &((struct repeated_load *)m)->warp[warp];
    for (unsigned reg = 0; reg < 256; reg++) {
        w->phys[reg] = reg < registers ? (uint16_t)(base + reg) : SMRF_PHYS_NONE;
    }
    w->last = w->pair[0] = w->pair[1] = NONE;
    w->under_way = SMRF_NO_FLIGHT;
}

static struct smrf_register_place probe_(const void *m, unsigned warp, unsigned reg)
{
    const struct repeated_load *l = m;
    return smrf_place_of(&l->rf, warp, reg, l->warp[warp].phys[reg]);
}

static struct smrf_register_place source_(void *m, const struct smrf_flight *f, unsigned i)
{
    return probe_(m, f->warp, f->src_reg[i]);
}

/* The written register of a pair takes the spare one. Lanes that are not written move there. */
static struct smrf_register_place destination_(void *m, const struct smrf_flight *f, unsigned i,
                                               struct smrf_register_place *carry)
{
    struct of_warp *w = &((struct repeated_load *)m)->warp[f->warp];
    const int reg = f->dst_reg[i];
    if (reg == w->pair[0] || reg == w->pair[1]) {
        *carry = probe_(m, f->warp, f->dst_reg[i]);
        w->phys[reg] = w->spare;
        w->pair[0] = w->pair[1] = NONE;
    }
    if (reg == w->last) {
        w->last = NONE;
    }
    return probe_(m, f->warp, f->dst_reg[i]);
}

static bool simple_(const struct smrf_memory_request *r)
{
    return r->space == SMRF_SPACE_GLOBAL && r->f->num_dst == 1 && r->f->mask == UINT32_MAX &&
           r->inst->addr_kind == SMRF_ADDR_STRIDE && r->inst->op->access_bytes == 4 &&
           !(r->inst->op->flags & SMRF_INST_BYPASS_L1);
}

/* A load has its addresses: are they those of the last one? Else it is the last one from here
 * on. */
static enum smrf_memory_verdict address_(void *m, const struct smrf_memory_request *r,
                                         struct smrf_memory_answer *answer)
{
    struct of_warp *w = &((struct repeated_load *)m)->warp[r->f->warp];
    const uint8_t reg = r->f->dst_reg[0];
    if (!simple_(r)) {
        return SMRF_MEMORY_ISSUE;
    }
    if (w->last == NONE || w->pair[0] != NONE || w->base != r->inst->base ||
        w->stride != (uint64_t)r->inst->stride) {
        w->last = NONE;
        w->under_way = r->flight;
        w->base = r->inst->base;
        w->stride = (uint64_t)r->inst->stride;
        return SMRF_MEMORY_ISSUE;
    }
    w->spare = w->phys[reg];
    w->phys[reg] = w->phys[w->last];
    w->pair[0] = w->last;
    w->pair[1] = reg;
    answer->at[0] = probe_(m, r->f->warp, reg);
    answer->delay = 1; /* cycle to look it up */
    return SMRF_MEMORY_SHARE;
}

/* A load has ended: its register holds what it loaded. */
static void loaded_(void *m, const struct smrf_flight *f, uint32_t flight)
{
    struct of_warp *w = &((struct repeated_load *)m)->warp[f->warp];
    if (w->under_way == flight) {
        w->under_way = SMRF_NO_FLIGHT;
        w->last = f->dst_reg[0];
    }
}

/* What a store changes is not what was loaded. */
static void store_(void *m, const struct smrf_memory_request *r)
{
    struct repeated_load *l = m;
    (void)r;
    for (unsigned warp = 0; warp < SMRF_MAX_WARPS; warp++) {
        l->warp[warp].last = NONE;
        l->warp[warp].under_way = SMRF_NO_FLIGHT;
    }
}

static const struct smrf_warp_seam warp = {.start = start_};
static const struct smrf_rename_seam rename = {
    .source = source_, .destination = destination_, .probe = probe_};
static const struct smrf_memory_seam memory = {
    .address = address_, .store = store_, .loaded = loaded_, .merge_cycles = 1};

const struct smrf_mechanism repeated_load = {
    .name = "repeated-load",
    .summary = "a load of the same addresses as the warp's last one shares its register",
    .bytes = bytes_,
    .init = init_,
    .warp = &warp,
    .rename = &rename,
    .memory = &memory,
};

/* With a mistake: a pair stays one when it is written. */
static struct smrf_register_place careless_(void *m, const struct smrf_flight *f, unsigned i,
                                            struct smrf_register_place *carry)
{
    (void)carry;
    return probe_(m, f->warp, f->dst_reg[i]);
}

static const struct smrf_rename_seam careless_rename = {
    .source = source_, .destination = careless_, .probe = probe_};

const struct smrf_mechanism careless_load = {
    .name = "careless-load",
    .summary = "repeated-load whose pairs are written together",
    .bytes = bytes_,
    .init = init_,
    .warp = &warp,
    .rename = &careless_rename,
    .memory = &memory,
};
