/* SPDX-License-Identifier: Apache-2.0 */
/* The program as hardware with register stacks runs it. */
#include "firmware/cars/internal.h"

#include <stdlib.h>

struct lines {
    struct smrf_cars_line *line;
    uint32_t count;
};

static void add_(struct lines *l, uint32_t inst, uint32_t function, enum smrf_cars_kind kind)
{
    l->line[l->count++] = (struct smrf_cars_line){inst, function, (uint8_t)kind};
}

static void function_(const struct smrf_cars_code *code, const struct smrf_flow_program *flow,
                      uint32_t f, struct lines *l)
{
    const struct smrf_flow_function *fn = &flow->function[f];
    const bool pushes = smrf_program_set_count(&code->program.function[f].saved[0]) != 0;
    if (pushes) {
        add_(l, fn->first, f, SMRF_CARS_PUSHES);
    }
    for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
        if (code->spill[i]) {
            continue;
        }
        if (flow->inst[i].role == SMRF_FLOW_CALLS) {
            add_(l, i, f, SMRF_CARS_FRAME);
        }
        if (flow->inst[i].role == SMRF_FLOW_RETURNS && pushes) {
            add_(l, i, f, SMRF_CARS_POPS);
        }
        add_(l, i, f, SMRF_CARS_KEEP);
    }
}

int smrf_cars_rewrite(const struct smrf_cars_code *code, const struct smrf_flow_program *flow,
                      struct smrf_cars_line **line, uint32_t *count)
{
    struct lines l = {
        malloc((2 * (size_t)flow->num_insts + flow->num_functions + 1) * sizeof *l.line), 0};
    if (!l.line) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t f = 0; f < flow->num_functions; f++) {
        function_(code, flow, f, &l);
    }
    *line = l.line;
    *count = l.count;
    return 0;
}
