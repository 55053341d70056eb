/* SPDX-License-Identifier: Apache-2.0 */
#include "prefetch.h"

#include "models/common/smrf_err.h"
#include "models/counters/sm_stats.h"
#include "models/ldst/coalesce.h"
#include "models/seam/mechanism_stats.h"

#include <string.h>

/* --- what the user can set, and what is counted ----------------------------------------------- */

#define PREFETCH_PARAMS(X)                                                                         \
    X(prefetch, lines, NUM, 1, 0, 4, "lines", "", "lines of 128 bytes that are fetched ahead")

struct prefetch_params {
    PREFETCH_PARAMS(SMRF_PARAM_FIELD)
};
static const struct smrf_param params[] = {PREFETCH_PARAMS(SMRF_PARAM_ROW)};

#define PREFETCH_STATS(X)                                                                          \
    X(prefetches, "instructions", "loads without a destination put before loads")                  \
    X(prefetches_done, "instructions", "of them, that have left the SM")

enum { PREFETCH_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
static const struct smrf_mechanism_stat stats[] = {PREFETCH_STATS(SMRF_MECHANISM_ROW)};

SMRF_LAW_SIDE(given_, OWN(prefetches))
SMRF_LAW_SIDE(done_, OWN(prefetches_done))
SMRF_LAW_SIDE(injected_, sm->injected_insts)
static const struct smrf_mechanism_law laws[] = {
    {"prefetches", "prefetches given", "instructions injected", given_, injected_},
    {"prefetches done", "prefetches that have left", "instructions injected", done_, injected_},
};

/* --- the mechanism ---------------------------------------------------------------------------- */

struct prefetch {
    uint32_t lines;
    uint32_t given[SMRF_MAX_WARPS]; /* before the warp's next instruction */
    uint64_t counters[COUNTERS];
    struct smrf_static_inst op;
};

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct prefetch);
}

/* The operation: a load of one lane and no register. */
static int init_(void *m, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct prefetch *p = m;
    (void)sm;
    memset(p, 0, sizeof *p);
    p->lines = ((const struct prefetch_params *)setup->options)->lines;
    p->op.op_class = SMRF_CLASS_LOAD;
    p->op.space = SMRF_SPACE_GLOBAL;
    p->op.access_bytes = 4;
    p->op.text = "PREFETCH";
    return SMRF_OK;
}

/* Puts `lines` prefetches before a global load. */
static bool next_(void *m, unsigned warp, const struct smrf_inst *before, struct smrf_micro *micro)
{
    struct prefetch *p = m;
    const bool load = before->op->op_class == SMRF_CLASS_LOAD &&
                      before->op->space == SMRF_SPACE_GLOBAL && before->mask &&
                      before->addr_kind != SMRF_ADDR_NONE;
    if (!load || p->given[warp] == p->lines) {
        p->given[warp] = 0;
        return false;
    }
    p->given[warp]++;
    p->counters[INDEX_prefetches]++;
    memset(&micro->inst, 0, sizeof micro->inst);
    micro->inst.op = &p->op;
    micro->inst.mask = 1;
    micro->inst.addr_kind = SMRF_ADDR_STRIDE;
    micro->inst.base = smrf_first_address(before) + 128 * (uint64_t)p->given[warp];
    return true;
}

static void finished_(void *m, const struct smrf_flight *f)
{
    (void)f;
    ((struct prefetch *)m)->counters[INDEX_prefetches_done]++;
}

static const uint64_t *counters_(const void *m)
{
    return ((const struct prefetch *)m)->counters;
}

static const struct smrf_micro_seam micro = {.next = next_, .done = finished_};

#define MECHANISM(symbol, text, what, seam)                                                        \
    static const struct smrf_mechanism symbol = {                                                  \
        .name = text,                                                                              \
        .summary = what,                                                                           \
        .family = &prefetch_family,                                                                \
        .bytes = bytes_,                                                                           \
        .init = init_,                                                                             \
        .micro = &seam,                                                                            \
        .counters = counters_,                                                                     \
        .num_counters = COUNTERS,                                                                  \
        .stats = stats,                                                                            \
        .num_stats = sizeof stats / sizeof *stats,                                                 \
        .laws = laws,                                                                              \
        .num_laws = sizeof laws / sizeof *laws,                                                    \
    }

MECHANISM(prefetch, "prefetch", "global loads fetch the lines behind theirs", micro);

/* --- the same with a mistake: it does not count what it gives --------------------------------- */

static bool next_silent_(void *m, unsigned warp, const struct smrf_inst *before,
                         struct smrf_micro *op)
{
    const bool given = next_(m, warp, before, op);
    ((struct prefetch *)m)->counters[INDEX_prefetches] = 0;
    return given;
}

static const struct smrf_micro_seam silent_micro = {.next = next_silent_, .done = finished_};

MECHANISM(silent, "prefetch-silent", "prefetch that does not count", silent_micro);

static const struct smrf_mechanism *const mechanisms[] = {&prefetch, &silent, NULL};

const struct smrf_family prefetch_family = {
    .name = "prefetch",
    .options = {params, sizeof params / sizeof *params, NULL, 0},
    .mechanism = mechanisms,
};
