/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: building and running. */
#define _POSIX_C_SOURCE 200809L
#include "guarded_engine.h"
#include "platform_internal.h"

#include "platform/crew/crew.h"
#include "platform/results/architecture.h"
#include "platform/results/early_reads.h"
#include "platform/results/laws.h"
#include "traces/digest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCK_WINDOWS 64 /* windows between two looks at the clock */

double smrf_platform_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- the engine's hooks ----------------------------------------------------------------------- */

static const struct smrf_machine *machine_(const struct smrf_platform *p)
{
    return p->ops->machine(p->engine);
}

static const struct smrf_machine *counted_(const struct smrf_platform *p)
{
    return p->ops->counted(p->engine);
}

void smrf_platform_kernel_begin(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_platform *p = ctx;
    if (p->num_launches == p->room) {
        size_t room = p->room ? 2 * p->room : 16;
        struct smrf_launch *grown = realloc(p->launches, room * sizeof *grown);
        if (!grown) {
            p->out_of_memory = true;
            return;
        }
        p->launches = grown;
        p->room = room;
    }
    char *name = strdup(kernel->info.name);
    if (!name) {
        p->out_of_memory = true;
        return;
    }
    p->launches[p->num_launches++] = (struct smrf_launch){
        .name = name,
        .limit = kernel->limit,
        .grid = kernel->info.grid,
        .block = kernel->info.block,
        .start = kernel->start,
        .id = kernel->info.id,
        .binary_version = kernel->info.binary_version,
        .stream = kernel->info.stream,
        .occupancy = kernel->occupancy,
        .partial = true,
    };
    p->launch_runs = true;
    p->read = smrf_platform_trace_totals(p);
    if (p->observer.attach) {
        p->observer.kernel_begin(p->observer.ctx, kernel);
    }
}

void smrf_platform_kernel_end(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    struct smrf_platform *p = ctx;
    if (!p->launch_runs) {
        return;
    }
    struct smrf_launch *launch = &p->launches[p->num_launches - 1];
    struct smrf_counters now;
    smrf_platform_sample(p, machine_(p), kernel->end + 1);
    smrf_counters_collect(&now, machine_(p));
    now.cycles = kernel->end + 1; /* its last cycle is one of them */
    smrf_counters_difference(&launch->counters, &now, &p->ended, p->mechanism->marks);
    launch->end = kernel->end;
    launch->partial = false;
    p->ended = now;
    p->launch_runs = false;
    if (p->observer.attach) {
        p->observer.kernel_end(p->observer.ctx, kernel);
    }
}

void smrf_platform_interval(void *ctx, const uint64_t *row)
{
    struct smrf_platform *p = ctx;
    unsigned columns = p->mechanism->gpu->num_columns;
    if (p->series_rows == p->series_room) {
        size_t room = p->series_room ? 2 * p->series_room : 64;
        uint64_t *grown = realloc(p->series, room * columns * sizeof *grown);
        if (!grown) {
            p->out_of_memory = true;
            return;
        }
        p->series = grown;
        p->series_room = room;
    }
    memcpy(p->series + p->series_rows++ * columns, row, columns * sizeof *row);
}

void smrf_platform_sample(void *ctx, const struct smrf_machine *machine, uint64_t cycle)
{
    struct smrf_platform *p = ctx;
    (void)machine;
    const int err =
        p->samples ? smrf_series_take(p->samples, (uint32_t)p->num_launches, cycle) : SMRF_OK;
    p->out_of_memory |= err == SMRF_ERR_NOMEM;
    p->too_many |= err == SMRF_ERR_LIMIT;
}

void smrf_platform_sample_now(struct smrf_platform *p)
{
    if (p->launch_runs) {
        smrf_platform_sample(p, machine_(p), machine_(p)->cycle);
    }
}

static uint64_t issued_(const struct smrf_machine *machine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->cfg->gpu.sms; i++) {
        sum += smrf_sm_stats_get(machine->sm[i])->warp_insts;
    }
    return sum;
}

/* Part of the present launch that is done. Its blocks are much alike, so that those read so far
 * tell how many instructions all have. */
static double launch_part_(const struct smrf_platform *p, const struct smrf_progress *progress)
{
    struct smrf_trace_totals read = smrf_platform_trace_totals(p);
    uint64_t insts = read.warp_insts - p->read.warp_insts;
    uint64_t blocks = read.blocks - p->read.blocks;
    uint64_t issued = progress->warp_insts - p->ended.sm.warp_insts;
    if (!p->launch_runs || insts == 0 || progress->blocks_total == 0) {
        return 0.0;
    }
    double part = (double)issued / (double)insts * (double)blocks / (double)progress->blocks_total;
    return part < 1.0 ? part : 1.0;
}

static void report_progress_(struct smrf_platform *p, const struct smrf_machine *machine)
{
    double now = smrf_platform_clock();
    if (now < p->progress_due || p->num_launches == 0) {
        return;
    }
    p->progress_due = now + p->progress_interval;
    const struct smrf_launch *launch = &p->launches[p->num_launches - 1];
    uint64_t done = 0;
    for (uint32_t i = 0; i < machine->cfg->gpu.sms; i++) {
        done += smrf_sm_stats_get(machine->sm[i])->blocks;
    }
    struct smrf_progress progress = {
        .cycle = machine->cycle,
        .warp_insts = issued_(machine),
        .launch = p->num_launches,
        .kernel = launch->name,
        .blocks = done - p->ended.sm.blocks,
        .blocks_total = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z,
        .seconds = p->seconds + now - p->run_began,
    };
    double fraction = smrf_workload_fraction(
        &p->workload, p->num_launches - (p->launch_runs ? 1 : 0), launch_part_(p, &progress));
    p->fraction = fraction > p->fraction ? fraction : p->fraction;
    progress.fraction = fraction < 0 ? fraction : p->fraction;
    p->progress(p->progress_ctx, &progress);
}

/* Looks at the SMs now and then only: what has not moved for long will not have moved a little
 * later either. */
static bool watchdog_(struct smrf_platform *p, const struct smrf_machine *machine)
{
    if (machine->cycle < p->watch_at) {
        return false;
    }
    p->watch_at = machine->cycle + p->cfg.sim.watchdog / 8;
    return smrf_watchdog_bites(machine, p->error, sizeof p->error);
}

bool smrf_platform_window(void *ctx, const struct smrf_machine *machine)
{
    struct smrf_platform *p = ctx;
    if (p->stop) {
        p->halt = SMRF_HALT_STOP;
    } else if (p->too_many) {
        p->halt = SMRF_HALT_SAMPLES;
    } else if (p->insts_limit != SMRF_NO_LIMIT && issued_(machine) >= p->insts_limit) {
        p->halt = SMRF_HALT_INSTS;
    } else if (watchdog_(p, machine)) {
        p->halt = SMRF_HALT_WATCHDOG;
    } else if (p->progress && ++p->progress_skip >= CLOCK_WINDOWS) {
        p->progress_skip = 0;
        report_progress_(p, machine);
    }
    return p->halt == SMRF_HALT_NONE;
}

/* --- building --------------------------------------------------------------------------------- */

int smrf_platform_check(struct smrf_platform *p)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    struct smrf_config_error err = {{0}};
    int rc = smrf_config_check(&p->cfg, &err);
    if (rc) {
        char text[2048];
        snprintf(text, sizeof text, "%s", err.text);
        smrf_platform_name_places(p, text, sizeof text);
        return smrf_platform_fail(p, rc, "%s", text);
    }
    if (p->cfg.rf.read == SMRF_READ_WINDOW && smrf_mechanism_needs_collectors(p->mechanism)) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "mechanism %s: it works in the operand collectors, for which "
                                  "the read stages have no place; set "
                                  "rf.read=collectors and issue.dependence=scoreboard",
                                  p->mechanism->name);
    }
    const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(&p->cfg, p->mechanism);
    const char *refused = p->mechanism->check ? p->mechanism->check(&setup) : NULL;
    return refused ? smrf_platform_fail(p, SMRF_ERR_INVAL, "mechanism %s: %s", p->mechanism->name,
                                        refused)
                   : smrf_platform_check_view(p);
}

/* An option of a mechanism that does not run changes nothing; the user may not know that. */
static void note_ignored_(const struct smrf_platform *p)
{
    const struct smrf_texts *set = &p->layer[SMRF_LAYER_SET];
    const struct smrf_family *f;
    char text[512];
    for (size_t i = 0; p->note && i < set->count; i++) {
        const size_t section = strcspn(set->text[i], ".="), key = strcspn(set->text[i], "=");
        for (unsigned n = 0; (f = smrf_family_at(n)) != NULL; n++) {
            if (f != p->mechanism->family && strlen(f->name) == section &&
                strncmp(f->name, set->text[i], section) == 0) {
                snprintf(text, sizeof text, "--set %.*s: the mechanism %s does not look at it",
                         (int)key, set->text[i], p->mechanism->name);
                p->note(p->note_ctx, text);
            }
        }
    }
}

/* Why there is but one thread, NULL: there may be more. */
static const char *alone_(const struct smrf_platform *p)
{
    return p->has_outside || p->binder ? "the memory is bound from outside"
           : p->cfg.sim.monitor        ? "sim.monitor is on"
           : p->cfg.sim.view == SMRF_VIEW_LT || p->cfg.sim.view == SMRF_VIEW_CYCLE
               ? "sim.view is not at or scoreboard"
           : p->observer.attach ? "an observer is set"
                                : NULL;
}

static void choose_threads_(struct smrf_platform *p)
{
    const char *why = alone_(p);
    char text[128];
    if (p->threads_by_host && !why) {
        const unsigned processors = smrf_crew_processors(), work = p->cfg.gpu.sms + 1;
        p->threads = processors < work ? processors : work;
    }
    if (p->threads > 1 && why) {
        p->threads = 1;
        snprintf(text, sizeof text, "--threads: one thread, because %s", why);
        if (p->note) {
            p->note(p->note_ctx, text);
        }
    }
}

int smrf_platform_build(struct smrf_platform *p)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    if (p->state != SMRF_PLATFORM_OPEN) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "the platform has been built already");
    }
    int rc = smrf_platform_check(p);
    if (rc) {
        return rc;
    }
    note_ignored_(p);
    choose_threads_(p);
    p->hooks = (struct smrf_gpu_hooks){
        .ctx = p,
        .kernel_begin = smrf_platform_kernel_begin,
        .kernel_end = smrf_platform_kernel_end,
        .window = smrf_platform_window,
        .interval = smrf_platform_interval,
        .sample_every = p->wish.interval,
        .sample = smrf_platform_sample,
        .threads = p->threads,
        .all_sms = p->observer.attach != NULL,
        .outside = p->has_outside ? &p->outside : NULL,
        .binder = p->binder,
    };
    char text[1024] = "";
    if (p->mechanism->wants_reuse) {
        rc = smrf_reuse_annotator_create(&p->annotator, &p->cfg, p->side_file, text);
        if (rc) {
            return smrf_platform_fail(p, rc, "%s", text);
        }
        p->hooks.annotator = smrf_reuse_annotator_hook(p->annotator);
    } else if (p->side_file) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "%s: the mechanism %s does not look at reuse; leave the side "
                                  "file out",
                                  p->side_file, p->mechanism->name);
    }
    if (p->mechanism->wants_program) {
        p->lookahead = smrf_lookahead_create(p->cfg.rf.base_registers_only != 0);
        if (!p->lookahead) {
            return smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory for the look ahead");
        }
        p->hooks.annotator = smrf_lookahead_hook(p->lookahead);
    }
    rc = smrf_guarded_create(p->ops, &p->engine, &p->cfg, p->mechanism, &p->hooks, text,
                             sizeof text);
    if (rc) {
        p->state = SMRF_PLATFORM_FAILED;
        if (rc == SMRF_ERR_NOMEM) {
            smrf_platform_name_largest(&p->cfg, text, sizeof text);
        }
        return smrf_platform_fail(p, rc, "%s", text[0] ? text : "the machine cannot be built");
    }
    if ((p->has_outside || p->binder) && machine_(p)->memory) {
        p->state = SMRF_PLATFORM_FAILED;
        return smrf_platform_fail(
            p, SMRF_ERR_STATE, "the engine %s cannot take a TLM memory: use systemc", p->ops->name);
    }
    rc = smrf_platform_apply_table(p, machine_(p)->mechanism_gpu);
    if (!rc && p->observer.attach) {
        rc = p->observer.attach(p->observer.ctx, machine_(p), text, sizeof text);
        rc = rc ? smrf_platform_fail(p, rc, "%s", text) : SMRF_OK;
    }
    if (!rc && p->wish.interval) {
        p->wish.energy = p->energy;
        p->wish.num_energy = p->num_energy;
        rc = smrf_series_create(&p->samples, &p->wish, machine_(p), text, sizeof text);
        rc = rc ? smrf_platform_fail(p, rc, "%s", text[0] ? text : "out of memory") : SMRF_OK;
    }
    p->state = rc ? SMRF_PLATFORM_FAILED : SMRF_PLATFORM_BUILT;
    return rc;
}

/* --- traces one after the other --------------------------------------------------------------- */

static void add_totals_(struct smrf_trace_totals *sum, const struct smrf_trace_totals *t)
{
    sum->kernels += t->kernels;
    sum->blocks += t->blocks;
    sum->warps += t->warps;
    sum->warp_insts += t->warp_insts;
    sum->thread_insts += t->thread_insts;
    sum->memcpy_commands += t->memcpy_commands;
    sum->memcpy_bytes += t->memcpy_bytes;
    sum->unknown_opcodes += t->unknown_opcodes;
    sum->unknown_lines += t->unknown_lines;
    sum->missing_blocks += t->missing_blocks;
    sum->repeated_blocks += t->repeated_blocks;
    sum->contradictions += t->contradictions;
    sum->spilled_bytes += t->spilled_bytes;
    /* One trace: its own digest. Several: theirs, in order. */
    sum->digest = sum->digest ? smrf_digest_mix(sum->digest, t->digest) : t->digest;
}

struct smrf_trace_totals smrf_platform_trace_totals(const struct smrf_platform *p)
{
    struct smrf_trace_totals sum = p->totals;
    if (p->trace) {
        add_totals_(&sum, smrf_trace_totals_get(p->trace));
    }
    return sum;
}

/* What the launches since the last call need a word about: their architecture, their streams. */
static void note_launches_(struct smrf_platform *p)
{
    char text[512];
    const size_t before = p->noted_launches;
    if (smrf_streams_note(p->launches + before, p->num_launches - before, text, sizeof text) > 1 &&
        p->note) {
        p->note(p->note_ctx, text);
    }
    if (smrf_architecture_note(p->cfg.gpu.architecture, p->launches + before,
                               p->num_launches - before, text, sizeof text) &&
        p->note) {
        p->note(p->note_ctx, text);
    }
    p->noted_launches = p->num_launches;
}

/* A trace is at its end: keep its sums, report its warnings. */
static void close_trace_(struct smrf_platform *p)
{
    const char *warning;
    for (size_t i = 0; p->note && (warning = smrf_trace_warning(p->trace, i)) != NULL; i++) {
        p->note(p->note_ctx, warning);
    }
    note_launches_(p);
    add_totals_(&p->totals, smrf_trace_totals_get(p->trace));
    smrf_trace_close(p->trace);
    p->trace = NULL;
}

/* Returns 1, 0 if there is none left, or an error. */
static int open_trace_(struct smrf_platform *p)
{
    if (p->next_trace == p->workload.num_paths) {
        return 0;
    }
    const struct smrf_trace_options options = {.strict = p->strict,
                                               .outside = p->allow_outside || p->follow.more,
                                               .more = p->follow.more,
                                               .more_ctx = p->follow.ctx};
    int err = smrf_trace_open(&p->trace, p->workload.path[p->next_trace], &options);
    if (err) {
        return smrf_platform_fail(p, err, "%s",
                                  p->trace ? smrf_trace_error(p->trace) : "out of memory");
    }
    err = p->annotator
              ? smrf_reuse_annotator_trace(p->annotator, p->workload.path[p->next_trace], &options)
              : SMRF_OK;
    if (err) {
        return smrf_platform_fail(p, err, "%s", smrf_reuse_annotator_error(p->annotator));
    }
    char text[1024] = "";
    err = smrf_guarded_load(p->ops, p->engine, p->trace, text, sizeof text);
    if (err) {
        return smrf_platform_fail(p, err, "%s", text);
    }
    p->next_trace++;
    return 1;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Control bits wait for the latencies of their architecture: that code for another one reads
 * registers early is no fault of the model. */
static int check_early_reads_(struct smrf_platform *p, const struct smrf_counters *now)
{
    char text[1024] = "", first[128];
    if (now->sm.early_reads == 0) {
        return SMRF_OK;
    }
    smrf_first_early_read(machine_(p), first, sizeof first);
    const bool other = smrf_architecture_refusal(p->cfg.gpu.architecture, p->launches,
                                                 p->num_launches, text, sizeof text) != 0;
    return smrf_platform_fail(
        p, other ? SMRF_ERR_INVAL : SMRF_ERR_CHECK,
        "%llu registers were read before their results were there (first: %s): %s",
        (unsigned long long)now->sm.early_reads, first,
        other ? text
              : "the trace's control bits do not wait for what they should, or smrf's table of "
                "latencies (models/issue/latencies.c) is wrong. issue.dependence=latency waits by "
                "the table");
}

/* What is wrong at the end of any run, complete or not. */
static int check_part_(struct smrf_platform *p)
{
    struct smrf_counters now;
    smrf_counters_collect(&now, machine_(p));
    if (p->out_of_memory) {
        return smrf_platform_fail(p, SMRF_ERR_NOMEM,
                                  "out of memory for the lists of launches, intervals and samples");
    }
    const uint64_t faults = counted_(p)->foreign_faults;
    if (now.bus.errors || faults) {
        return smrf_platform_fail(
            p, SMRF_ERR_PROTOCOL,
            "the memory that is bound answered %llu of %llu accesses with an error, and the base "
            "protocol was broken there %llu times",
            (unsigned long long)now.bus.errors, (unsigned long long)now.bus.accesses,
            (unsigned long long)faults);
    }
    const int early = check_early_reads_(p, &now);
    if (early) {
        return early;
    }
    uint64_t violations = smrf_mechanism_unsound(machine_(p)->cfg, p->mechanism)
                              ? 0 /* counted in the results */
                              : smrf_counters_violations(&now);
    if (violations || now.sm.oracle_stale_copies) {
        char first[512] = "";
        const uint64_t lies = smrf_platform_trace_totals(p).contradictions;
        smrf_platform_finding(p, 0, first, sizeof first);
        if (lies) { /* a mechanism may rely on what the trace breaks */
            return smrf_platform_fail(
                p, SMRF_ERR_CORRUPT,
                "the trace contradicts itself in %llu places (see the notes), and %llu operands or "
                "registers differ from what program order demands; first: %s",
                (unsigned long long)lies,
                (unsigned long long)(violations + now.sm.oracle_stale_copies), first);
        }
        return smrf_platform_fail(
            p, SMRF_ERR_CHECK,
            "value oracle: %llu operands or registers differed from what program order "
            "demands, and %llu copies from their banks; first: %s",
            (unsigned long long)violations, (unsigned long long)now.sm.oracle_stale_copies, first);
    }
    return SMRF_OK;
}

static int check_whole_(struct smrf_platform *p)
{
    const uint64_t held = counted_(p)->foreign_held;
    if (held) {
        return smrf_platform_fail(
            p, SMRF_ERR_PROTOCOL,
            "the memory that is bound still holds references to %llu transactions that are over: "
            "it acquires more often than it releases",
            (unsigned long long)held);
    }
    struct smrf_counters total;
    smrf_platform_totals(p, &total);
    uint64_t ended = 0;
    for (size_t i = 0; i < p->num_launches; i++) {
        ended += !p->launches[i].partial;
    }
    struct smrf_audit audit = {&total, counted_(p), &p->totals, ended};
    char text[3072];
    int err = smrf_laws_check(&audit, text, sizeof text);
    if (err) {
        return smrf_platform_fail(p, err, "conservation laws broken, which is a bug of smrf: %s",
                                  text);
    }
    p->laws = smrf_laws_applied(&audit);
    return SMRF_OK;
}

/* The watchdog has found a standstill: what the memory that is bound may have to do with it. */
static int blame_memory_(struct smrf_platform *p)
{
    const struct smrf_machine *machine = counted_(p);
    const size_t used = strlen(p->error), left = sizeof p->error - used;
    if (machine->memory || p->has_outside || machine->payloads_in_use == 0) {
        return SMRF_ERR_CHECK;
    }
    snprintf(p->error + used, left,
             "\n  the memory that is bound owes answers to %llu accesses%s%s",
             (unsigned long long)machine->payloads_in_use,
             machine->foreign_faults ? ", and has broken the base protocol before" : "",
             p->cfg.bus.end_resp || p->cfg.bus.blocking
                 ? ""
                 : "; if it waits for END_RESP as a call of its own: bus.end_resp=on");
    return machine->foreign_faults ? SMRF_ERR_PROTOCOL : SMRF_ERR_CHECK;
}

static int halted_(struct smrf_platform *p)
{
    switch (p->halt) {
    case SMRF_HALT_WATCHDOG: /* the text is there */
        return blame_memory_(p);
    case SMRF_HALT_SAMPLES:
        return smrf_platform_fail(
            p, SMRF_ERR_LIMIT,
            "the series has more than %zu numbers: choose a longer interval, fewer "
            "statistics or larger parts",
            SMRF_SERIES_VALUES);
    case SMRF_HALT_INSTS:
        return SMRF_RUN_MORE;
    case SMRF_HALT_STOP:
    case SMRF_HALT_NONE:
        break;
    }
    return SMRF_RUN_HALTED;
}

/* Returns an enum smrf_platform_run_end or an error with its text. Runs in chunks, so that a
 * machine in which nothing can ever happen again does not sleep past the watchdog. */
static int run_(struct smrf_platform *p, uint64_t until)
{
    uint64_t at = machine_(p)->cycle;
    uint64_t chunk = (uint64_t)p->cfg.sim.watchdog + 1;
    for (;;) {
        int got = p->trace ? 1 : open_trace_(p);
        if (got <= 0) { /* a list that would have grown on ends with the run */
            return got < 0 ? got : p->follow.more && p->stop ? halted_(p) : SMRF_RUN_DONE;
        }
        char text[1024] = "";
        uint64_t chunk_end = until - at > chunk ? at + chunk : until;
        int end = smrf_guarded_run(p->ops, p->engine, chunk_end, text, sizeof text);
        if (end < 0) {
            return smrf_platform_fail(p, end, "%s", text);
        }
        if (end == SMRF_RUN_LIMIT && chunk_end == until) {
            return SMRF_RUN_MORE;
        }
        if (end == SMRF_RUN_LIMIT) {
            at = chunk_end;
            if (!smrf_platform_window(p, machine_(p))) { /* an engine asleep opens no window */
                return halted_(p);
            }
            continue;
        }
        if (end == SMRF_RUN_STOPPED) {
            return halted_(p);
        }
        close_trace_(p);
    }
}

static const char *end_text_(int result)
{
    return result < 0                  ? "failed"
           : result == SMRF_RUN_DONE   ? "finished"
           : result == SMRF_RUN_HALTED ? "stopped"
                                       : "limit";
}

int smrf_platform_run(struct smrf_platform *p, uint64_t cycles)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    if (p->state == SMRF_PLATFORM_OPEN) {
        int err = smrf_platform_build(p);
        if (err) {
            return err;
        }
    }
    if (p->state != SMRF_PLATFORM_BUILT) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "the run has %s",
                                  p->state == SMRF_PLATFORM_DONE ? "ended" : "failed before");
    }
    if (p->workload.num_paths == 0) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "no trace: add one before running");
    }
    if (p->busy) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "a run is under way in another process");
    }
    p->busy = true;
    uint64_t now = machine_(p)->cycle;
    p->halt = SMRF_HALT_NONE;
    p->run_began = smrf_platform_clock();
    int result = run_(p, cycles > SMRF_NO_LIMIT - now ? SMRF_NO_LIMIT : now + cycles);
    p->busy = false;
    p->seconds += smrf_platform_clock() - p->run_began;
    int err = result < 0 ? SMRF_OK : check_part_(p);
    if (!err && result == SMRF_RUN_DONE) {
        err = check_whole_(p);
    }
    result = err ? err : result;
    p->end = end_text_(result);
    if (result < 0) {
        p->state = SMRF_PLATFORM_FAILED;
        memcpy(p->failure, p->error, sizeof p->failure);
    } else if (result == SMRF_RUN_DONE) {
        p->state = SMRF_PLATFORM_DONE;
    } else if (result == SMRF_RUN_HALTED) {
        p->stop = 0;
    }
    return result;
}

void smrf_platform_abandon(struct smrf_platform *p)
{
    if (!smrf_handle_exists(p)) {
        return;
    }
    if (p->busy) {
        p->ops->abandon(p->engine);
    }
}

/* What has been simulated and counted is forgotten. */
static void clear_results_(struct smrf_platform *p)
{
    for (size_t i = 0; i < p->num_launches; i++) {
        free(p->launches[i].name);
    }
    p->num_launches = p->noted_launches = p->series_rows = p->next_trace = p->laws = 0;
    p->ended = (struct smrf_counters){0};
    p->totals = p->read = (struct smrf_trace_totals){0};
    p->digest = p->watch_at = 0;
    p->seconds = p->fraction = p->progress_due = 0.0;
    p->launch_runs = p->out_of_memory = false;
    p->stop = 0;
    p->halt = SMRF_HALT_NONE;
    p->end = "limit";
    p->failure[0] = '\0';
    smrf_workload_free(&p->workload);
}

int smrf_platform_reset(struct smrf_platform *p)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    char text[1024] = "";
    if (!p->engine || p->busy || p->observer.attach) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "%s",
                                  !p->engine ? "build the platform first"
                                  : p->busy  ? "a run is under way in another process"
                                             : "a run that is recorded cannot begin anew");
    }
    int err = smrf_guarded_reset(p->ops, p->engine, text, sizeof text);
    if (err) {
        return smrf_platform_fail(p, err, "%s", text);
    }
    if (p->trace) {
        smrf_trace_close(p->trace);
        p->trace = NULL;
    }
    clear_results_(p);
    err = smrf_platform_apply_table(p, machine_(p)->mechanism_gpu);
    p->state = err ? SMRF_PLATFORM_FAILED : SMRF_PLATFORM_BUILT;
    return err;
}

void smrf_platform_observe(struct smrf_platform *p, const struct smrf_observer *observer)
{
    if (!p || !observer) {
        return;
    }
    p->observer = *observer;
}

int smrf_platform_limit_insts(struct smrf_platform *p, uint64_t insts)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    p->insts_limit = insts;
    return SMRF_OK;
}

void smrf_platform_stop(struct smrf_platform *p)
{
    if (!p) {
        return;
    }
    p->stop = 1;
}
