/* SPDX-License-Identifier: Apache-2.0 */
/* How deep the stack gets: the longest path of the call graph, in registers. Source: CARS III-B,
 * Fig. 4; functions that reach each other count once each (III-C: one iteration of a recursion). */
#include "firmware/cars/internal.h"

#include <stdlib.h>
#include <string.h>

/* reach: [n][words], bit g of row f: f reaches g. */
static void close_(uint64_t *reach, size_t n, size_t words)
{
    for (size_t via = 0; via < n; via++) {
        for (size_t f = 0; f < n; f++) {
            if (!(reach[f * words + via / 64] >> via % 64 & 1)) {
                continue;
            }
            for (size_t w = 0; w < words; w++) {
                reach[f * words + w] |= reach[via * words + w];
            }
        }
    }
}

static bool reaches_(const uint64_t *reach, size_t words, size_t f, size_t g)
{
    return reach[f * words + g / 64] >> g % 64 & 1;
}

static bool together_(const uint64_t *reach, size_t words, size_t f, size_t g)
{
    return f == g || (reaches_(reach, words, f, g) && reaches_(reach, words, g, f));
}

/* Functions by how many they reach, themselves among them: callees stand before their callers. */
static void order_(const uint64_t *reach, size_t n, size_t words, uint32_t *order)
{
    size_t placed = 0;
    for (size_t most = 0; placed < n; most++) {
        for (size_t f = 0; f < n; f++) {
            size_t count = !(reach[f * words + f / 64] >> f % 64 & 1);
            for (size_t w = 0; w < words; w++) {
                count += (size_t)__builtin_popcountll(reach[f * words + w]);
            }
            if (count == most) {
                order[placed++] = (uint32_t)f;
            }
        }
    }
}

static uint32_t deepest_(const struct smrf_program_function *function, const uint64_t *reach,
                         size_t n, size_t words, size_t f, unsigned kind, unsigned slot)
{
    uint32_t own = 0, below = 0;
    for (size_t g = 0; g < n; g++) {
        if (together_(reach, words, f, g)) {
            own += g ? function[g].frame[kind] + slot : 0; /* the kernel has no caller */
        } else if (reaches_(reach, words, f, g) && function[g].deepest[kind][slot] > below) {
            below = function[g].deepest[kind][slot];
        }
    }
    return own + below;
}

int smrf_cars_depths_(struct smrf_program_function *function, const struct smrf_flow_program *flow)
{
    const size_t n = flow->num_functions, words = (n + 63) / 64;
    uint64_t *reach = calloc(n * words + 1, sizeof *reach);
    uint32_t *order = calloc(n + 1, sizeof *order);
    int rc = reach && order ? 0 : SMRF_ERR_NOMEM;
    for (size_t f = 0; !rc && f < n; f++) {
        for (uint32_t k = 0; k < flow->function[f].num_callees; k++) {
            const uint32_t g = flow->function[f].callee[k];
            reach[f * words + g / 64] |= UINT64_C(1) << g % 64;
        }
    }
    if (!rc) {
        close_(reach, n, words);
        order_(reach, n, words, order);
    }
    for (size_t i = 0; !rc && i < n; i++) {
        for (unsigned k = 0; k < SMRF_FRAMES_KINDS * 2; k++) {
            function[order[i]].deepest[k / 2][k % 2] =
                deepest_(function, reach, n, words, order[i], k / 2, k % 2);
        }
    }
    free(reach);
    free(order);
    return rc;
}

struct smrf_cars_levels smrf_cars_levels_of(const struct smrf_program *program, uint32_t registers,
                                            enum smrf_program_frames frames, unsigned slot)
{
    struct smrf_cars_levels l = {.kernel = registers};
    for (uint32_t f = 1; f < program->num_functions; f++) {
        const uint32_t frame = program->function[f].frame[frames] + slot;
        l.largest = frame > l.largest ? frame : l.largest;
    }
    l.low = registers + l.largest;
    l.high = registers + program->function[0].deepest[frames][slot];
    return l;
}
