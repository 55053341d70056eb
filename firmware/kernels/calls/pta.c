/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the points-to analysis. */
#include "firmware/kernels/calls/calls.h"

#define MAX_VARIABLES 256
#define WORDS (MAX_VARIABLES / 32)
#define MAX_STATEMENTS (3 * MAX_VARIABLES)
#define BLOCK 64

enum { COPY, LOAD, STORE };

struct element {
    int32_t base, next;
    uint32_t bits;
};

struct work {
    struct element element[MAX_VARIABLES * WORDS];
    int32_t sets[MAX_VARIABLES], first[MAX_VARIABLES + 1];
    int32_t kind[MAX_STATEMENTS], from[MAX_STATEMENTS];
    bool points[MAX_VARIABLES][MAX_VARIABLES];
    int32_t got[MAX_VARIABLES * WORDS], want[MAX_VARIABLES * WORDS];
};

static const int variable_counts[SMRF_SIZES] = {32, 96, 192};

static uint32_t below_(struct smrf_suite_rng *rng, int limit)
{
    return smrf_suite_u32(rng) % (uint32_t)limit;
}

/* Every fourth variable is given an address at the start. The lists' elements lie in no order. */
static void make_(struct work *work, int variables, int words)
{
    struct smrf_suite_rng rng = {18};
    int statements = 0;
    for (int v = 0; v < variables; v++) {
        if (v % 4 == 0) {
            work->points[v][below_(&rng, variables)] = true;
        }
        work->first[v] = statements;
        for (int k = (int)below_(&rng, 4); k > 0; k--, statements++) {
            uint32_t kind = below_(&rng, 16);
            work->kind[statements] = kind == 0 ? LOAD : kind == 1 ? STORE : COPY;
            work->from[statements] = (int32_t)below_(&rng, variables);
        }
        work->sets[v] = -1;
        for (int w = words - 1; w >= 0; w--) {
            int at = (int)((unsigned)(w * variables + v) * 5u % (unsigned)(words * variables));
            struct element *e = &work->element[at];
            *e = (struct element){w, work->sets[v], 0};
            work->sets[v] = at;
            for (int b = 0; b < 32; b++) {
                e->bits |= (uint32_t)(work->points[v][32 * w + b]) << b;
            }
        }
    }
    work->first[variables] = statements;
}

static bool merge_(struct work *work, int to, int from, int variables)
{
    bool changed = false;
    for (int i = 0; i < variables; i++) {
        changed |= work->points[from][i] && !work->points[to][i];
        work->points[to][i] |= work->points[from][i];
    }
    return changed;
}

static void reference_(struct work *work, int variables)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < variables; v++) {
            for (int s = work->first[v]; s < work->first[v + 1]; s++) {
                int from = work->from[s], kind = work->kind[s];
                if (kind == COPY) {
                    changed |= merge_(work, v, from, variables);
                }
                for (int o = 0; o < variables; o++) {
                    if (kind == LOAD && work->points[from][o]) {
                        changed |= merge_(work, v, o, variables);
                    } else if (kind == STORE && work->points[v][o]) {
                        changed |= merge_(work, o, from, variables);
                    }
                }
            }
        }
    }
}

static void flatten_(struct work *work, int variables, int words)
{
    for (int v = 0; v < variables; v++) {
        for (int e = work->sets[v]; e >= 0; e = work->element[e].next) {
            work->got[v * words + work->element[e].base] = (int32_t)work->element[e].bits;
        }
        for (int i = 0; i < variables; i++) {
            int32_t *word = &work->want[v * words + i / 32];
            *word = (int32_t)((uint32_t)*word | (uint32_t)work->points[v][i] << (i % 32));
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int variables = variable_counts[run->size], words = (variables + 31) / 32;
    make_(work, variables, words);
    size_t element_bytes = sizeof(struct element) * (size_t)(variables * words);
    size_t statements = (size_t)work->first[variables];
    smrf_dptr elements, sets, first, kind, from, changed;
    SMRF_TRY(smrf_suite_buffer(run, &elements, work->element, element_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &sets, work->sets, sizeof(int32_t) * (size_t)variables));
    SMRF_TRY(
        smrf_suite_buffer(run, &first, work->first, sizeof(int32_t) * (size_t)(variables + 1)));
    SMRF_TRY(smrf_suite_buffer(run, &kind, work->kind, sizeof(int32_t) * statements));
    SMRF_TRY(smrf_suite_buffer(run, &from, work->from, sizeof(int32_t) * statements));
    SMRF_TRY(smrf_suite_buffer(run, &changed, NULL, sizeof(int32_t)));
    for (int32_t again = 1; again;) {
        SMRF_TRY(smrf_device_set(run->device, changed, 0, sizeof again));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "propagate", smrf_work_grid(variables, BLOCK),
                                  smrf_work_dim(BLOCK, 1), &elements, &sets, &first, &kind, &from,
                                  &changed, &variables));
        SMRF_TRY(smrf_device_read(run->device, &again, changed, sizeof again));
    }
    SMRF_TRY(smrf_device_read(run->device, work->element, elements, element_bytes));
    reference_(work, variables);
    flatten_(work, variables, words);
    return smrf_suite_check_i32(run, "points-to set's word", work->got, work->want,
                                (size_t)(variables * words));
}

static int run_pta_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_PAIR(pta, "pta", "points-to analysis", "32 variables", "96 variables", "192 variables",
               run_pta_);
