/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "info_flow.h"

#include "cli.h"
#include "document.h"
#include "programs.h"

#include <string.h>

#define SET_TEXT 256

struct flow_info {
    json_t *kernels; /* NULL: for people */
};

/* ---- for people ------------------------------------------------------------------------------ */

/* "R2 R16-R31": cut with ".." where it does not fit. */
static const char *set_text_(const struct smrf_regset *set, char text[SET_TEXT])
{
    size_t n = 0;
    snprintf(text, SET_TEXT, "-");
    for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
        unsigned last = r;
        if (!smrf_regset_has(set, r)) {
            continue;
        }
        while (last + 1 < SMRF_REG_ZERO && smrf_regset_has(set, last + 1)) {
            last++;
        }
        if (n + 16 > SET_TEXT) {
            snprintf(text + n, SET_TEXT - n, " ..");
            return text;
        }
        n += (size_t)snprintf(text + n, SET_TEXT - n, "%sR%u", n != 0 ? " " : "", r);
        if (last > r) {
            n += (size_t)snprintf(text + n, SET_TEXT - n, "-R%u", last);
        }
        r = last;
    }
    return text;
}

struct measure {
    uint32_t most;
    double mean;
};

/* Registers that are live behind the instructions of a function, of a thread or of the warp. */
static struct measure measure_(const struct smrf_flow_program *p,
                               const struct smrf_flow_function *f, bool warp)
{
    struct measure m = {0, 0.0};
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const struct smrf_regset live = warp ? smrf_flow_warp_live(p, i) : p->inst[i].live_out;
        const uint32_t n = smrf_regset_count(&live);
        m.most = n > m.most ? n : m.most;
        m.mean += n;
    }
    m.mean /= f->count != 0 ? f->count : 1;
    return m;
}

static uint32_t loops_(const struct smrf_flow_program *p, const struct smrf_flow_function *f)
{
    uint32_t n = 0;
    for (uint32_t b = f->first_block; b < f->first_block + f->num_blocks; b++) {
        bool header = false;
        for (uint32_t k = 0; k < p->block[b].num_pred; k++) {
            header |= smrf_flow_dominates(p, b, p->block[b].pred[k]);
        }
        n += header;
    }
    return n;
}

static void print_function_(const struct smrf_flow_program *p, const struct smrf_flow_function *f)
{
    char text[SET_TEXT];
    const struct measure thread = measure_(p, f, false), warp = measure_(p, f, true);
    printf("  %-28s %04x %6u %6u %5u %5u %5u %7.1f %5u %7.1f %5u %5u  %s%s\n",
           smrf_cli_name(f->name, 28), f->pc, f->count, f->num_blocks, loops_(p, f), f->registers,
           thread.most, thread.mean, warp.most, warp.mean, f->depth, f->stack_registers,
           set_text_(&f->saved, text), f->recursive ? " (recursive)" : "");
}

static void print_calls_(const struct smrf_flow_program *p)
{
    for (uint32_t s = 0; s < p->num_sites; s++) {
        const struct smrf_flow_site *site = &p->site[s];
        printf("  call %04x in %s ->", p->inst[site->inst].op.pc,
               smrf_cli_name(p->function[site->caller].name, 40));
        for (uint32_t k = 0; k < site->num_callees; k++) {
            printf(" %s", smrf_cli_name(p->function[site->callee[k]].name, 40));
        }
        printf("%s\n", site->unknown ? " unknown" : "");
    }
}

static void print_saves_(const struct smrf_flow_program *p)
{
    for (uint32_t s = 0; s < p->num_saves; s++) {
        const struct smrf_flow_save *save = &p->save[s];
        printf("  %-7s %04x R%u at %d in %s\n", save->restore ? "restore" : "save",
               p->inst[save->inst].op.pc, save->reg, save->offset,
               smrf_cli_name(p->function[save->function].name, 40));
    }
}

static void print_blocks_(const struct smrf_flow_program *p)
{
    char text[SET_TEXT];
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        const struct smrf_flow_block *block = &p->block[b];
        const struct smrf_flow_inst *first = &p->inst[block->first];
        printf("  block %04x %3u insts, strand %u, interval %u,", first->op.pc, block->count,
               first->strand, first->interval);
        if (block->idom != SMRF_FLOW_NOWHERE) {
            printf(" behind %04x,", p->inst[p->block[block->idom].first].op.pc);
        }
        printf(" live %s, held %u%s", set_text_(&block->live_in, text),
               smrf_regset_count(&block->held),
               p->inst[block->first + block->count - 1].divergent ? ", parts lanes" : "");
        for (uint32_t k = 0; k < block->num_succ; k++) {
            printf("%s %04x", k == 0 ? " ->" : "", p->inst[p->block[block->succ[k]].first].op.pc);
        }
        putchar('\n');
    }
}

static void print_(const struct smrf_flow_program *p)
{
    uint32_t sources = 0, final = 0, released = 0;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        sources += p->inst[i].op.num_src;
        final += (uint32_t)__builtin_popcount(p->inst[i].final_src);
        released += (uint32_t)__builtin_popcount(p->inst[i].release_src);
    }
    printf("kernel              %s\n", p->function[0].name);
    printf("program             %u functions, %u instructions, %u blocks, %u calls\n",
           p->num_functions, p->num_insts, p->num_blocks, p->num_sites);
    printf("strands, intervals  %u, %u\n", p->num_strands, p->num_intervals);
    printf("source operands     %u, of which read for the last time: %u by the lanes that run, %u "
           "by the warp\n",
           sources, final, released);
    printf("\n  %-28s %4s %6s %6s %5s %5s %13s %13s %5s %5s  %s\n", "function", "PC", "insts",
           "blocks", "loops", "regs", "thread's live", "warp's live", "depth", "stack", "saves");
    for (uint32_t f = 0; f < p->num_functions; f++) {
        print_function_(p, &p->function[f]);
    }
    putchar('\n');
    print_calls_(p);
    print_saves_(p);
    print_blocks_(p);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *number_(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *set_(const struct smrf_regset *set)
{
    json_t *a = json_array();
    for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
        if (smrf_regset_has(set, r)) {
            json_array_append_new(a, number_(r));
        }
    }
    return a;
}

static json_t *pc_(const struct smrf_flow_program *p, uint32_t inst)
{
    return number_(p->inst[inst].op.pc);
}

static json_t *callees_(const struct smrf_flow_program *p, const uint32_t *callee, uint32_t num)
{
    json_t *a = json_array();
    for (uint32_t k = 0; k < num; k++) {
        json_array_append_new(a, json_string(p->function[callee[k]].name));
    }
    return a;
}

static json_t *json_blocks_(const struct smrf_flow_program *p, const struct smrf_flow_function *f)
{
    json_t *a = json_array();
    for (uint32_t b = f->first_block; b < f->first_block + f->num_blocks; b++) {
        const struct smrf_flow_block *block = &p->block[b];
        json_t *succ = json_array();
        for (uint32_t k = 0; k < block->num_succ; k++) {
            json_array_append_new(succ, pc_(p, p->block[block->succ[k]].first));
        }
        json_array_append_new(
            a, json_pack("{s:o,s:I,s:o,s:o,s:o,s:o,s:b,s:I,s:I}", "pc", pc_(p, block->first),
                         "instructions", (json_int_t)block->count, "successors", succ, "dominator",
                         block->idom == SMRF_FLOW_NOWHERE ? json_null()
                                                          : pc_(p, p->block[block->idom].first),
                         "live_in", set_(&block->live_in), "held", set_(&block->held),
                         "parts_lanes", (int)p->inst[block->first + block->count - 1].divergent,
                         "strand", (json_int_t)p->inst[block->first].strand, "interval",
                         (json_int_t)p->inst[block->first].interval));
    }
    return a;
}

static json_t *json_functions_(const struct smrf_flow_program *p)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < p->num_functions; i++) {
        const struct smrf_flow_function *f = &p->function[i];
        json_array_append_new(
            a, json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:b,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
                         f->name, "pc", (json_int_t)f->pc, "instructions", (json_int_t)f->count,
                         "registers", (json_int_t)f->registers, "depth", (json_int_t)f->depth,
                         "stack_registers", (json_int_t)f->stack_registers, "recursive",
                         (int)f->recursive, "returns_lanes_apart", (int)f->parts, "used",
                         set_(&f->used), "live_in", set_(&f->live_in), "preserved",
                         set_(&f->preserved), "saved", set_(&f->saved), "unrestored",
                         set_(&f->unrestored), "callees", callees_(p, f->callee, f->num_callees),
                         "blocks", json_blocks_(p, f)));
    }
    return a;
}

static json_t *json_program_(const struct smrf_flow_program *p)
{
    json_t *calls = json_array(), *saves = json_array(), *intervals = json_array();
    for (uint32_t s = 0; s < p->num_sites; s++) {
        const struct smrf_flow_site *site = &p->site[s];
        json_array_append_new(calls, json_pack("{s:o,s:o,s:b}", "pc", pc_(p, site->inst), "callees",
                                               callees_(p, site->callee, site->num_callees),
                                               "unknown", (int)site->unknown));
    }
    for (uint32_t s = 0; s < p->num_saves; s++) {
        const struct smrf_flow_save *save = &p->save[s];
        json_array_append_new(
            saves, json_pack("{s:o,s:s,s:I,s:I,s:b}", "pc", pc_(p, save->inst), "function",
                             p->function[save->function].name, "register", (json_int_t)save->reg,
                             "offset", (json_int_t)save->offset, "restore", (int)save->restore));
    }
    for (uint32_t i = 0; i < p->num_intervals; i++) {
        json_array_append_new(intervals, json_pack("{s:o,s:o}", "pc", pc_(p, p->interval[i].header),
                                                   "registers", set_(&p->interval[i].registers)));
    }
    return json_pack("{s:s,s:o,s:o,s:o,s:I,s:o}", "name", p->function[0].name, "functions",
                     json_functions_(p), "calls", calls, "saves", saves, "strands",
                     (json_int_t)p->num_strands, "intervals", intervals);
}

/* ---- the traces ------------------------------------------------------------------------------ */

static int program_(void *ctx, const struct smrf_kernel_info *info,
                    const struct smrf_operand_table *table, const struct smrf_flow_program *program,
                    size_t number)
{
    const struct flow_info *o = ctx;
    (void)info;
    (void)table;
    if (o->kernels) {
        json_array_append_new(o->kernels, json_program_(program));
        return 0;
    }
    printf("%s", number ? "\n" : "");
    print_(program);
    return 0;
}

int smrf_cli_info_flow(char *const *paths, int num_paths, bool json)
{
    struct flow_info o = {.kernels = json ? json_array() : NULL};
    int rc = smrf_cli_programs(paths, num_paths, "--flow", program_, &o);
    int status = rc != 0 ? smrf_cli_status(rc) : SMRF_EXIT_OK;
    if (status == SMRF_EXIT_OK && json) {
        status = smrf_cli_document(json_pack("{s:O}", "kernels", o.kernels), "-");
    }
    json_decref(o.kernels);
    return status;
}
