/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the points-to analysis. */
#include "firmware/kernels/calls/calls.h"

#define MAX_VARIABLES 655360
#define PART 32 /* most variables of a program */
#define WORDS (PART / 32)
#define MAX_STATEMENTS (3 * MAX_VARIABLES)
#define BLOCK 64
#define MOST_PROGRAMS 14 /* log2 of them, as a scale */

enum { COPY, LOAD, STORE };

struct element {
    int32_t base, next;
    uint32_t bits;
};

struct work {
    struct element element[MAX_VARIABLES * WORDS];
    int32_t sets[MAX_VARIABLES], first[MAX_VARIABLES + 1];
    int32_t kind[MAX_STATEMENTS], from[MAX_STATEMENTS];
    bool points[MAX_VARIABLES][PART]; /* a program's variables point to its own */
    int32_t got[MAX_VARIABLES * WORDS], want[MAX_VARIABLES * WORDS];
};

/* Programs of a part's variables each. */
static const struct {
    int variables, part;
} sizes[SMRF_SIZES] = {{32, 32}, {3072, 32}, {655360, 32}};

static uint32_t below_(struct smrf_suite_rng *rng, int limit)
{
    return smrf_suite_u32(rng) % (uint32_t)limit;
}

/* Every fourth variable is given an address at the start, and each up to three statements. */
static void variable_(struct work *work, struct smrf_suite_rng *rng, int v, int part)
{
    int program = v / part * part; /* its first variable */
    int statements = work->first[v];
    if (v % 4 == 0) {
        work->points[v][below_(rng, part)] = true;
    }
    for (int k = (int)below_(rng, 4); k > 0; k--, statements++) {
        uint32_t kind = below_(rng, 16);
        work->kind[statements] = kind == 0 ? LOAD : kind == 1 ? STORE : COPY;
        work->from[statements] = program + (int32_t)below_(rng, part);
    }
    work->first[v + 1] = statements;
}

/* A program's variables are the first one, turned on: each has as many statements, and every set as
 * many members, so that the lanes of a warp stay together. */
static void alike_(struct work *work, struct smrf_suite_rng *rng, int v, int part)
{
    int program = v / part * part, before = v - 1;
    int statements = work->first[v];
    if (v == program) {
        const int member = 1 + (int)below_(rng, part - 1), num = 1 + (int)below_(rng, 3);
        work->points[v][member] = true;
        for (int k = 0; k < num; k++, statements++) {
            uint32_t kind = below_(rng, 16);
            work->kind[statements] = kind == 0 ? LOAD : kind == 1 ? STORE : COPY;
            work->from[statements] = program + 1 + (int32_t)below_(rng, part - 1);
        }
    }
    for (int i = 0; v != program && i < part; i++) {
        work->points[v][(i + 1) % part] = work->points[before][i];
    }
    for (int s = work->first[before < 0 ? 0 : before]; v != program && s < work->first[v]; s++) {
        work->kind[statements] = work->kind[s];
        work->from[statements++] = program + (work->from[s] - program + 1) % part;
    }
    work->first[v + 1] = statements;
}

/* The lists' elements lie in no order; an element's base counts the words of all programs'
 * variables. */
static void make_(struct work *work, int variables, int part, int words, bool alike)
{
    struct smrf_suite_rng rng = {18};
    for (int v = 0; v < variables; v++) {
        int program = v / part * part;
        (alike ? alike_ : variable_)(work, &rng, v, part);
        work->sets[v] = -1;
        for (int w = words - 1; w >= 0; w--) {
            int at = program * words +
                     (int)((unsigned)(w * part + v - program) * 5u % (unsigned)(words * part));
            struct element *e = &work->element[at];
            *e = (struct element){program / 32 + w, work->sets[v], 0};
            work->sets[v] = at;
            for (int b = 0; b < 32; b++) {
                e->bits |= (uint32_t)(work->points[v][32 * w + b]) << b;
            }
        }
    }
}

static bool merge_(struct work *work, int to, int from, int part)
{
    bool changed = false;
    for (int i = 0; i < part; i++) {
        changed |= work->points[from][i] && !work->points[to][i];
        work->points[to][i] |= work->points[from][i];
    }
    return changed;
}

static bool visit_(struct work *work, int v, int part)
{
    int program = v / part * part;
    bool changed = false;
    for (int s = work->first[v]; s < work->first[v + 1]; s++) {
        int from = work->from[s], kind = work->kind[s];
        if (kind == COPY) {
            changed |= merge_(work, v, from, part);
        }
        for (int o = 0; o < part; o++) {
            if (kind == LOAD && work->points[from][o]) {
                changed |= merge_(work, v, program + o, part);
            } else if (kind == STORE && work->points[v][o]) {
                changed |= merge_(work, program + o, from, part);
            }
        }
    }
    return changed;
}

static void reference_(struct work *work, int variables, int part)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < variables; v++) {
            changed |= visit_(work, v, part);
        }
    }
}

static void flatten_(struct work *work, int variables, int part, int words)
{
    for (int v = 0; v < variables; v++) {
        int first = v / part * part / 32;
        for (int e = work->sets[v]; e >= 0; e = work->element[e].next) {
            work->got[v * words + work->element[e].base - first] = (int32_t)work->element[e].bits;
        }
        for (int i = 0; i < part; i++) {
            int32_t *word = &work->want[v * words + i / 32];
            *word = (int32_t)((uint32_t)*word | (uint32_t)work->points[v][i] << (i % 32));
        }
    }
}

static int body_(struct smrf_suite_run *run, struct work *work, bool alike)
{
    int variables = sizes[run->size].variables, part = sizes[run->size].part, words = part / 32;
    if (run->scale > MOST_PROGRAMS) {
        snprintf(run->error, sizeof run->error, "scale %u: choose 1 to %u", run->scale,
                 MOST_PROGRAMS);
        return SMRF_ERR_INVAL;
    }
    variables = run->scale ? part << run->scale : variables;
    make_(work, variables, part, words, alike);
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
    reference_(work, variables, part);
    flatten_(work, variables, part, words);
    return smrf_suite_check_i32(run, "points-to set's word", work->got, work->want,
                                (size_t)(variables * words));
}

static int any_(struct smrf_suite_run *run, void *memory)
{
    return body_(run, memory, false);
}

static int together_(struct smrf_suite_run *run, void *memory)
{
    return body_(run, memory, true);
}

static int run_pta_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), any_);
}

static int run_together_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), together_);
}

SMRF_WORK_BUILDS(pta, "pta", "pta", "points-to analysis", "32 variables",
                 "96 programs of 32 variables", "15360 programs of 32 variables", run_pta_);
/* A scale is of the number of programs: many blocks, of which the first ones find the level. */
const struct smrf_suite_program smrf_suite_pta_together = {
    "pta_together",
    "calls",
    "points-to analysis whose lanes call together",
    "pta",
    {"32 variables", "96 programs of 32 variables", "15360 programs of 32 variables"},
    .run = run_together_,
    .has_scale = true};
