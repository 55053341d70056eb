/* SPDX-License-Identifier: Apache-2.0 */
/* smrf info */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"
#include "info_flow.h"
#include "trace_mix.h"

#include "platform/counters/classes.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#define TOP 15      /* opcodes shown to people */
#define LAUNCHES 20 /* launches shown to people */

static const char *const class_names[SMRF_CLASS_COUNT] = {
#define CLASS_NAME(name, symbol, meaning) [SMRF_CLASS_##symbol] = name,
    SMRF_CLASSES(CLASS_NAME)
#undef CLASS_NAME
};

static const char *const space_names[SMRF_SPACE_COUNT] = {
    [SMRF_SPACE_NONE] = "none",       [SMRF_SPACE_GLOBAL] = "global",
    [SMRF_SPACE_SHARED] = "shared",   [SMRF_SPACE_LOCAL] = "local",
    [SMRF_SPACE_CONST] = "const",     [SMRF_SPACE_GENERIC] = "generic",
    [SMRF_SPACE_TEXTURE] = "texture",
};

struct launch {
    char *name;
    struct smrf_kernel_info info; /* its strings are not used */
    struct smrf_mix mix;
};

struct info {
    bool json, strict, flow, outside;
    char **paths;
    int num_paths;
    struct launch *launches;
    size_t num_launches;
    struct smrf_mix total;
    struct smrf_trace_totals totals; /* copies and unknown opcodes of all traces */
};

/* Long options alone: a letter means the same in every command. */
enum option_key { KEY_OUTSIDE = 256, KEY_FLOW, KEY_JSON, KEY_STRICT };

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct info *o = state->input;
    (void)arg;
    switch (key) {
    case KEY_FLOW:
        o->flow = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_OUTSIDE:
        o->outside = true;
        return 0;
    case KEY_STRICT:
        o->strict = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->paths = state->argv + state->next;
        o->num_paths = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no TRACE: name a kernelslist.g, a trace file or a folder");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"flow", KEY_FLOW, 0, 0,
     "show the kernels' programs instead: graph, functions, calls, live registers, saves and "
     "restores, strands, intervals (only for traces of smrf trace)",
     0},
    {"json", KEY_JSON, 0, 0, "as one JSON document on standard output", 0},
    {"allow-outside", KEY_OUTSIDE, 0, 0, "lines of a list may name files outside of its folder", 0},
    {"strict", KEY_STRICT, 0, 0,
     "an unknown opcode, missing or repeated blocks, a list without kernels are errors, not "
     "warnings",
     0},
    {0},
};

const struct argp smrf_cli_info_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Show the contents of traces without simulating them: launches, thread blocks, warps, "
    "instruction mix, registers, active lanes, memory accesses. Memory use does not grow with the "
    "length of a trace.",
    NULL,
    NULL,
    NULL};

/* --- reading ---------------------------------------------------------------------------------- */

static int read_launch_(struct info *o, struct smrf_trace *trace,
                        const struct smrf_kernel_info *info)
{
    struct launch *grown = realloc(o->launches, (o->num_launches + 1) * sizeof *grown);
    if (!grown) {
        return SMRF_ERR_NOMEM;
    }
    o->launches = grown;
    struct launch *l = &o->launches[o->num_launches++];
    *l = (struct launch){.name = strdup(info->name), .info = *info};
    if (!l->name) {
        return SMRF_ERR_NOMEM;
    }
    int err = smrf_mix_add_launch(&l->mix, trace);
    smrf_mix_finish(&l->mix);
    return err ? err : smrf_mix_add(&o->total, &l->mix);
}

static int read_trace_(struct info *o, const char *path)
{
    struct smrf_trace_options options = {.strict = o->strict, .outside = o->outside};
    struct smrf_trace *trace = NULL;
    struct smrf_kernel_info info;
    int got = smrf_trace_open(&trace, path, &options);
    while (got == 0 && (got = smrf_trace_next_kernel(trace, &info)) > 0) {
        got = read_launch_(o, trace, &info);
        if (got < 0) {
            break;
        }
        got = 0;
    }
    if (got < 0) {
        smrf_cli_error("smrf: %s",
                       got == SMRF_ERR_NOMEM || !trace ? "out of memory" : smrf_trace_error(trace));
    }
    if (trace) {
        const struct smrf_trace_totals *t = smrf_trace_totals_get(trace);
        const char *warning;
        for (size_t i = 0; (warning = smrf_trace_warning(trace, i)) != NULL; i++) {
            smrf_cli_error("smrf: note: %s", warning);
        }
        o->totals.memcpy_commands += t->memcpy_commands;
        o->totals.memcpy_bytes += t->memcpy_bytes;
        o->totals.unknown_opcodes += t->unknown_opcodes;
        o->totals.missing_blocks += t->missing_blocks;
        o->totals.repeated_blocks += t->repeated_blocks;
        o->totals.contradictions += t->contradictions;
        smrf_trace_close(trace);
    }
    return got;
}

/* --- for people ------------------------------------------------------------------------------- */

static double part_(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static void print_launches_(const struct info *o)
{
    printf("\n%6s %-24s %-14s %-12s %4s %7s %9s %12s %6s\n", "launch", "kernel", "grid", "block",
           "regs", "shared", "warps", "warp insts", "lanes");
    for (size_t i = 0; i < o->num_launches && i < LAUNCHES; i++) {
        const struct launch *l = &o->launches[i];
        char grid[40], block[40];
        snprintf(grid, sizeof grid, "%ux%ux%u", l->info.grid.x, l->info.grid.y, l->info.grid.z);
        snprintf(block, sizeof block, "%ux%ux%u", l->info.block.x, l->info.block.y,
                 l->info.block.z);
        printf("%6u %-24s %-14s %-12s %4u %7llu %9s %12s %6.1f\n", l->info.id,
               smrf_cli_name(l->name, 24), grid, block, l->info.num_regs,
               (unsigned long long)l->info.shared_bytes, smrf_cli_count(l->mix.warps),
               smrf_cli_count(l->mix.warp_insts), part_(l->mix.thread_insts, l->mix.warp_insts));
    }
    if (o->num_launches > LAUNCHES) {
        printf("%6s and %zu more: --json has them all\n", "", o->num_launches - LAUNCHES);
    }
}

static void print_mix_(const struct smrf_mix *m)
{
    printf("\ninstruction mix (warp instructions)      top opcodes\n");
    unsigned row = 0, c = 0;
    for (;; row++) {
        while (c < SMRF_CLASS_COUNT && m->by_class[c] == 0) {
            c++;
        }
        bool opcode = row < TOP && row < m->num_opcodes;
        if (c == SMRF_CLASS_COUNT && !opcode) {
            return;
        }
        if (c < SMRF_CLASS_COUNT) {
            printf("  %-8s %16s %6.1f %%", class_names[c], smrf_cli_count(m->by_class[c]),
                   100 * part_(m->by_class[c], m->warp_insts));
            c++;
        } else {
            printf("  %-8s %16s %6s  ", "", "", "");
        }
        if (opcode) {
            printf("      %-10s %14s %6.1f %%", smrf_cli_name(m->opcode[row].name, 40),
                   smrf_cli_count(m->opcode[row].warp_insts),
                   100 * part_(m->opcode[row].warp_insts, m->warp_insts));
        }
        putchar('\n');
    }
}

static void print_memory_(const struct smrf_mix *m)
{
    bool any = false;
    for (unsigned s = SMRF_SPACE_NONE + 1; s < SMRF_SPACE_COUNT; s++) {
        const struct smrf_mix_space *space = &m->space[s];
        if (space->loads + space->stores + space->atomics == 0) {
            continue;
        }
        if (!any) {
            printf("\n%-10s %14s %14s %14s %18s\n", "memory", "loads", "stores", "atomics",
                   "bytes of lanes");
            any = true;
        }
        printf("%-10s %14s %14s %14s %18s\n", space_names[s], smrf_cli_count(space->loads),
               smrf_cli_count(space->stores), smrf_cli_count(space->atomics),
               smrf_cli_count(space->bytes));
    }
}

static void print_registers_(const struct smrf_mix *m)
{
    if (m->max_register == 0) {
        printf("registers           none used\n");
        return;
    }
    printf("registers           R0 to R%u used; %.2f sources and %.2f destinations an "
           "instruction\n",
           (unsigned)m->max_register - 1, part_(m->sources, m->warp_insts),
           part_(m->destinations, m->warp_insts));
}

/* For which architectures the launches were compiled: their binary versions, lowest first. */
static void print_versions_(const struct info *o)
{
    uint32_t last = 0;
    printf("compiled for       ");
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < o->num_launches; i++) {
            const uint32_t v = o->launches[i].info.binary_version;
            next = v > last && v < next ? v : next;
        }
        if (next == UINT32_MAX) {
            break;
        }
        printf(" sm_%u", next);
        last = next;
    }
    puts(last ? "" : " an architecture that the traces do not name");
}

static void print_(const struct info *o)
{
    const struct smrf_mix *m = &o->total;
    printf("launches            %zu\n", o->num_launches);
    printf("thread blocks       %s\n", smrf_cli_count(m->blocks));
    printf("warps               %s (%s without instructions, longest %s)\n",
           smrf_cli_count(m->warps), smrf_cli_count(m->empty_warps),
           smrf_cli_count(m->longest_warp));
    printf("instructions        %s warp, %s thread\n", smrf_cli_count(m->warp_insts),
           smrf_cli_count(m->thread_insts));
    printf("active lanes        %.2f mean; all 32 in %.1f %%, none in %.1f %%\n",
           part_(m->thread_insts, m->warp_insts), 100 * part_(m->lanes[SMRF_LANES], m->warp_insts),
           100 * part_(m->masked_off, m->warp_insts));
    print_registers_(m);
    print_versions_(o);
    printf("copies from host    %s, %s bytes\n", smrf_cli_count(o->totals.memcpy_commands),
           smrf_cli_count(o->totals.memcpy_bytes));
    if (o->totals.unknown_opcodes) {
        printf("opcodes in doubt    %s instructions: unknown, or left out in part; smrf run notes "
               "which\n",
               smrf_cli_count(o->totals.unknown_opcodes));
    }
    if (o->totals.missing_blocks || o->totals.repeated_blocks) {
        printf("blocks in doubt     %s of the grids are missing, %s are there twice\n",
               smrf_cli_count(o->totals.missing_blocks), smrf_cli_count(o->totals.repeated_blocks));
    }
    if (o->totals.contradictions) {
        printf("contradictions      %s between the header and what its lines do: see the notes\n",
               smrf_cli_count(o->totals.contradictions));
    }
    print_launches_(o);
    print_mix_(m);
    print_memory_(m);
}

/* --- as JSON -------------------------------------------------------------------------------- */

static json_t *count_(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *classes_(const uint64_t *values)
{
    json_t *o = json_object();
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        json_object_set_new(o, class_names[c], count_(values[c]));
    }
    return o;
}

static void json_memory_(json_t *o, const struct smrf_mix *m)
{
    json_t *memory = json_object();
    for (unsigned s = SMRF_SPACE_NONE + 1; s < SMRF_SPACE_COUNT; s++) {
        const struct smrf_mix_space *p = &m->space[s];
        json_object_set_new(memory, space_names[s],
                            json_pack("{s:I,s:I,s:I,s:I}", "loads", (json_int_t)p->loads, "stores",
                                      (json_int_t)p->stores, "atomics", (json_int_t)p->atomics,
                                      "lane_bytes", (json_int_t)p->bytes));
    }
    json_object_set_new(o, "memory", memory);
}

static void json_mix_(json_t *o, const struct smrf_mix *m)
{
    json_t *instructions = json_object(), *opcodes = json_object(), *lanes = json_array();
    json_object_set_new(o, "blocks", count_(m->blocks));
    json_object_set_new(o, "warps", count_(m->warps));
    json_object_set_new(o, "empty_warps", count_(m->empty_warps));
    json_object_set_new(o, "longest_warp", count_(m->longest_warp));
    json_object_set_new(instructions, "warp", count_(m->warp_insts));
    json_object_set_new(instructions, "thread", count_(m->thread_insts));
    json_object_set_new(instructions, "by_class", classes_(m->by_class));
    json_object_set_new(instructions, "thread_by_class", classes_(m->thread_by_class));
    for (size_t i = 0; i < m->num_opcodes; i++) {
        json_object_set_new(opcodes, m->opcode[i].name, count_(m->opcode[i].warp_insts));
    }
    json_object_set_new(instructions, "by_opcode", opcodes);
    for (unsigned i = 0; i <= SMRF_LANES; i++) {
        json_array_append_new(lanes, count_(m->lanes[i]));
    }
    json_object_set_new(instructions, "by_active_lanes", lanes);
    json_object_set_new(o, "instructions", instructions);
    json_object_set_new(o, "registers",
                        json_pack("{s:I,s:I,s:I}", "highest_used_plus_1",
                                  (json_int_t)m->max_register, "sources", (json_int_t)m->sources,
                                  "destinations", (json_int_t)m->destinations));
    json_memory_(o, m);
}

static json_t *json_launch_(const struct launch *l)
{
    const struct smrf_kernel_info *k = &l->info;
    json_t *o = json_pack(
        "{s:s,s:I,s:[I,I,I],s:[I,I,I],s:I,s:I,s:I,s:I,s:b}", "name", l->name, "id",
        (json_int_t)k->id, "grid", (json_int_t)k->grid.x, (json_int_t)k->grid.y,
        (json_int_t)k->grid.z, "block", (json_int_t)k->block.x, (json_int_t)k->block.y,
        (json_int_t)k->block.z, "registers_per_thread", (json_int_t)k->num_regs, "shared_bytes",
        (json_int_t)k->shared_bytes, "binary_version", (json_int_t)k->binary_version,
        "tracer_version", (json_int_t)k->tracer_version, "has_values", (int)k->has_values);
    json_mix_(o, &l->mix);
    return o;
}

static int print_json_(const struct info *o)
{
    json_t *root = json_object(), *kernels = json_array();
    json_object_set_new(root, "launches", count_(o->num_launches));
    json_mix_(root, &o->total);
    json_object_set_new(root, "host_copies", count_(o->totals.memcpy_commands));
    json_object_set_new(root, "host_copy_bytes", count_(o->totals.memcpy_bytes));
    json_object_set_new(root, "unknown_opcodes", count_(o->totals.unknown_opcodes));
    json_object_set_new(root, "missing_blocks", count_(o->totals.missing_blocks));
    json_object_set_new(root, "repeated_blocks", count_(o->totals.repeated_blocks));
    json_object_set_new(root, "contradictions", count_(o->totals.contradictions));
    for (size_t i = 0; i < o->num_launches; i++) {
        json_array_append_new(kernels, json_launch_(&o->launches[i]));
    }
    json_object_set_new(root, "kernels", kernels);
    return smrf_cli_document(root, "-");
}

int smrf_cli_info(int argc, char **argv)
{
    struct info o = {0};
    int err = 0;
    if (argp_parse(&smrf_cli_info_argp, argc, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    if (o.flow) {
        return smrf_cli_info_flow(o.paths, o.num_paths, o.json);
    }
    for (int i = 0; i < o.num_paths && !err; i++) {
        err = read_trace_(&o, o.paths[i]);
    }
    smrf_mix_finish(&o.total);
    int status = err ? smrf_cli_status(err) : SMRF_EXIT_OK;
    if (!status && o.json) {
        status = print_json_(&o);
    } else if (!status) {
        print_(&o);
    }
    for (size_t i = 0; i < o.num_launches; i++) {
        free(o.launches[i].name);
        smrf_mix_free(&o.launches[i].mix);
    }
    free(o.launches);
    smrf_mix_free(&o.total);
    return status;
}
