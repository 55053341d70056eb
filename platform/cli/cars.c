/* SPDX-License-Identifier: Apache-2.0 */
/* smrf cars: what the compiler passes to hardware with register stacks. */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"
#include "programs.h"

#include "firmware/cars/cars.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

struct cars {
    bool json, code, prefix;
    unsigned slot;
    char **paths;
    int num_paths;
    json_t *kernels;
};

enum option_key { KEY_PREFIX = 256, KEY_NO_SLOT, KEY_JSON, KEY_CODE };

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct cars *o = state->input;
    (void)arg;
    switch (key) {
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_CODE:
        o->code = true;
        return 0;
    case KEY_PREFIX:
        o->prefix = true;
        return 0;
    case KEY_NO_SLOT:
        o->slot = 0;
        return 0;
    case ARGP_KEY_ARGS:
        o->paths = state->argv + state->next;
        o->num_paths = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a trace is missing: smrf cars TRACE..");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "as JSON on standard output", 0},
    {"code", KEY_CODE, NULL, 0, "the rewritten program, too", 0},
    {"prefix", KEY_PREFIX, NULL, 0,
     "frames of R16 up to the last saved register (cars.saved=prefix)", 0},
    {"no-slot", KEY_NO_SLOT, NULL, 0,
     "no register for the caller's frame pointer (cars.rfp_slot=0)", 0},
    {0}};

/* ---- for people ------------------------------------------------------------------------------ */

static enum smrf_program_frames frames_(const struct cars *o)
{
    return o->prefix ? SMRF_FRAMES_PREFIX : SMRF_FRAMES_MASK;
}

static void print_set_(const struct smrf_program_set *set)
{
    const char *gap = "";
    for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
        if (smrf_program_set_has(set, r)) {
            printf("%sR%u", gap, r);
            gap = " ";
        }
    }
    printf("%s", *gap ? "" : "-");
}

static void print_code_(const struct smrf_cars_code *code, const struct smrf_flow_program *flow,
                        const struct smrf_operand_table *table)
{
    struct smrf_cars_line *line = NULL;
    uint32_t count = 0;
    if (smrf_cars_rewrite(code, flow, &line, &count) != 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct smrf_static_inst *op = &flow->inst[line[i].inst].op;
        if (line[i].kind == SMRF_CARS_KEEP) {
            printf("  %04x %s\n", op->pc, smrf_operand_table_find(table, op->pc)->opcode);
            continue;
        }
        printf("  %04x %s", op->pc,
               line[i].kind == SMRF_CARS_FRAME    ? "PUSH frame pointer"
               : line[i].kind == SMRF_CARS_PUSHES ? "PUSH "
                                                  : "POP ");
        if (line[i].kind != SMRF_CARS_FRAME) {
            print_set_(&code->program.function[line[i].function].saved[SMRF_FRAMES_MASK]);
        }
        putchar('\n');
    }
    free(line);
}

static void print_calls_(const struct smrf_program *p)
{
    for (uint32_t i = 0; i < p->num_calls; i++) {
        printf("  call %04x in %s ->", p->call[i].pc,
               smrf_cli_name(p->function[p->call[i].caller].name, 40));
        for (uint32_t k = 0; k < p->call[i].num_callees; k++) {
            printf(" %s", smrf_cli_name(p->function[p->call[i].callee[k]].name, 40));
        }
        printf("%s%s\n", p->call[i].indirect ? " (through a pointer)" : "",
               p->call[i].pc == p->unknown_call ? " unknown" : "");
    }
}

static void print_(const struct cars *o, const struct smrf_cars_code *code,
                   const struct smrf_flow_program *flow, uint32_t registers,
                   const struct smrf_operand_table *table)
{
    const struct smrf_program *p = &code->program;
    const struct smrf_cars_levels l = smrf_cars_levels_of(p, registers, frames_(o), o->slot);
    printf("kernel              %s\n", p->function[0].name);
    printf("registers           kernel %u, largest frame %u: Low %u, 2xLow %u, High %u\n", l.kernel,
           l.largest, l.low, l.kernel + 2 * l.largest < l.high ? l.kernel + 2 * l.largest : l.high,
           l.high);
    printf("\n  %-32s %4s %5s %9s  %s\n", "function", "PC", "FRU", "max depth", "pushes");
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_program_function *fn = &p->function[f];
        printf("  %-32s %04x %5u %9u  ", smrf_cli_name(fn->name, 32), fn->pc,
               f ? fn->frame[frames_(o)] : registers,
               fn->deepest[frames_(o)][o->slot] + (f ? 0 : registers));
        print_set_(&fn->saved[frames_(o)]);
        printf("%s", fn->recursive ? " (recursive)" : "");
        if (smrf_program_set_count(&fn->read_first)) {
            printf(", copied: ");
            print_set_(&fn->read_first);
        }
        putchar('\n');
    }
    putchar('\n');
    print_calls_(p);
    if (o->code) {
        print_code_(code, flow, table);
    }
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *set_(const struct smrf_program_set *set)
{
    json_t *a = json_array();
    for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
        if (smrf_program_set_has(set, r)) {
            json_array_append_new(a, json_integer((json_int_t)r));
        }
    }
    return a;
}

static json_t *functions_(const struct cars *o, const struct smrf_program *p, uint32_t registers)
{
    json_t *a = json_array();
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_program_function *fn = &p->function[f];
        const uint32_t frame = f ? fn->frame[frames_(o)] : registers;
        const uint32_t depth = fn->deepest[frames_(o)][o->slot] + (f ? 0 : registers);
        json_array_append_new(
            a, json_pack("{s:s,s:I,s:I,s:I,s:b,s:o,s:o}", "name", fn->name, "pc",
                         (json_int_t)fn->pc, "fru", (json_int_t)frame, "max_stack_depth",
                         (json_int_t)depth, "recursive", (int)fn->recursive, "pushes",
                         set_(&fn->saved[frames_(o)]), "copied", set_(&fn->read_first)));
    }
    return a;
}

static json_t *calls_(const struct smrf_program *p)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < p->num_calls; i++) {
        json_t *callees = json_array();
        for (uint32_t k = 0; k < p->call[i].num_callees; k++) {
            json_array_append_new(callees, json_string(p->function[p->call[i].callee[k]].name));
        }
        json_array_append_new(a, json_pack("{s:I,s:s,s:o,s:b}", "pc", (json_int_t)p->call[i].pc,
                                           "caller", p->function[p->call[i].caller].name, "callees",
                                           callees, "indirect", (int)p->call[i].indirect));
    }
    return a;
}

static json_t *json_(const struct cars *o, const struct smrf_program *p, uint32_t registers)
{
    const struct smrf_cars_levels l = smrf_cars_levels_of(p, registers, frames_(o), o->slot);
    return json_pack("{s:s,s:I,s:I,s:I,s:I,s:o,s:o}", "name", p->function[0].name,
                     "kernel_registers", (json_int_t)l.kernel, "largest_frame",
                     (json_int_t)l.largest, "low", (json_int_t)l.low, "high", (json_int_t)l.high,
                     "functions", functions_(o, p, registers), "calls", calls_(p));
}

static int program_(void *ctx, const struct smrf_kernel_info *info,
                    const struct smrf_operand_table *table, const struct smrf_flow_program *flow,
                    size_t number)
{
    struct cars *o = ctx;
    struct smrf_cars_code code;
    int rc = smrf_cars_compile(&code, flow);
    if (rc != 0) {
        return rc;
    }
    if (o->json) {
        json_array_append_new(o->kernels, json_(o, &code.program, info->num_regs));
    } else {
        printf("%s", number ? "\n" : "");
        print_(o, &code, flow, info->num_regs, table);
    }
    smrf_cars_free(&code);
    return 0;
}

const struct argp smrf_cli_cars_argp = {
    options,
    parse_,
    "TRACE..",
    "Call graph of every kernel, the registers that each function pushes instead of saving them "
    "(FRU), and the registers of a warp at each level: Low has room for one frame, High for the "
    "deepest path. The traces need sidecars of version 2, which smrf trace writes.",
    NULL,
    NULL,
    NULL};

int smrf_cli_cars(int argc, char **argv)
{
    struct cars o = {.slot = 1};
    int rc = argp_parse(&smrf_cli_cars_argp, argc, argv, 0, NULL, &o);
    if (rc != 0) {
        return SMRF_EXIT_USAGE;
    }
    o.kernels = json_array();
    rc = smrf_cli_programs(o.paths, o.num_paths, "smrf cars", program_, &o);
    int status = rc != 0 ? smrf_cli_status(rc) : SMRF_EXIT_OK;
    if (status == SMRF_EXIT_OK && o.json) {
        status = smrf_cli_document(json_pack("{s:O}", "kernels", o.kernels), "-");
    }
    json_decref(o.kernels);
    return status;
}
