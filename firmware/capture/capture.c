/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "capture_internal.h"

#include "firmware/exec/operands.h"
#include "traces/files/folder.h"

#include <stdlib.h>
#include <string.h>

int smrf_capture_stopped(struct smrf_capture *c)
{
    if (c->options.stop == NULL || *c->options.stop == 0) {
        return 0;
    }
    return c->options.salvage
               ? (int)SMRF_ERR_STATE
               : smrf_capture_fail(c, SMRF_ERR_STATE, "stopped by a signal: nothing was written");
}

/* A launch that failed has left its kernel half written: nothing can follow it. */
static int whole_(struct smrf_capture *c)
{
    return c->launch == NULL
               ? 0
               : smrf_capture_fail(c, SMRF_ERR_STATE,
                                   "a launch failed before: its trace cannot be completed");
}

/* ---- launches -------------------------------------------------------------------------------- */

static int find_code_(struct smrf_capture *c, const struct smrf_exec_launch *launch)
{
    const uint32_t version = c->options.format == SMRF_TRACE_V5 ? 5 : 6;
    char error[SMRF_SASS_ERROR_BYTES];
    for (c->code = c->codes; c->code != NULL; c->code = c->code->next) {
        if (c->code->code == launch->code && c->code->entry == launch->entry) {
            break;
        }
    }
    if (c->code == NULL) {
        int rc = smrf_capture_code_make(&c->code, launch->code, launch->entry, version,
                                        c->options.exact, error);
        if (rc != 0) {
            return smrf_capture_fail(c, rc, error);
        }
        c->code->next = c->codes;
        c->codes = c->code;
    }
    const struct smrf_sass_module *m = launch->code->module;
    for (uint32_t f = 0; f < m->num_functions; f++) {
        if (c->code->function_pc[f] != UINT32_MAX) {
            memset(&c->code->tally[m->function[f].first], 0,
                   m->function[f].count * sizeof *c->code->tally);
        }
    }
    return 0;
}

/* The present launch's executions into the totals. */
static void add_counts_(struct smrf_capture *c)
{
    const struct smrf_sass_module *m = c->code->code->module;
    for (uint32_t f = 0; f < m->num_functions; f++) {
        const uint32_t first = m->function[f].first;
        for (uint32_t i = 0; c->code->function_pc[f] != UINT32_MAX && i < m->function[f].count;
             i++) {
            const struct smrf_capture_tally *tally = &c->code->tally[first + i];
            c->totals.by_class[c->code->op[first + i]->op_class] += tally->count;
            c->totals.warp_insts += tally->count;
            c->totals.thread_insts += tally->threads;
        }
    }
}

static int copy_(void *ctx, smrf_dptr to, uint64_t bytes)
{
    struct smrf_capture *c = ctx;
    c->totals.copies++;
    c->totals.copied_bytes += bytes;
    return c->writer == NULL || c->over
               ? 0
               : smrf_capture_written(c, smrf_trace_writer_memcpy(c->writer, to, bytes));
}

static int launch_begin_(void *ctx, const struct smrf_exec_launch *launch)
{
    struct smrf_capture *c = ctx;
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    int rc = whole_(c);
    if (rc == 0 && !c->over) {
        rc = smrf_choice_has(&c->choice, c->totals.launches + 1, launch->entry);
    }
    if (rc <= 0) {
        c->totals.launches += rc == 0;
        return rc == 0 ? SMRF_DEVICE_UNHEARD : rc;
    }
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    const uint64_t warps = (threads + SMRF_LANES - 1) / SMRF_LANES;
    c->most_blocks = blocks > c->most_blocks ? blocks : c->most_blocks;
    c->most_warps = warps > c->most_warps ? warps : c->most_warps;
    rc = find_code_(c, launch);
    if (rc != 0) {
        return rc;
    }
    c->launch = launch;
    c->blocks = c->launch_written = 0;
    rc = smrf_capture_threads_begin(c);
    if (rc != 0) {
        return rc;
    }
    c->totals.launches++;
    if (c->writer == NULL) {
        return 0;
    }
    struct smrf_kernel_info info = {.name = launch->entry->name,
                                    .id = (uint32_t)c->totals.launches,
                                    .grid = smrf_capture_dim3(launch->grid),
                                    .block = smrf_capture_dim3(launch->block),
                                    .shared_bytes = (uint64_t)launch->entry->shared_bytes +
                                                    launch->dynamic_shared,
                                    .num_regs = c->code->registers,
                                    .binary_version = launch->code->module->arch,
                                    .shared_window = SMRF_EXEC_SHARED_WINDOW,
                                    .local_window = SMRF_EXEC_LOCAL_WINDOW};
    return smrf_capture_write_begin(c, &info);
}

static int launch_end_(void *ctx, const struct smrf_exec_launch *launch,
                       const struct smrf_exec_totals *totals)
{
    struct smrf_capture *c = ctx;
    (void)launch;
    (void)totals;
    smrf_capture_threads_end(c);
    add_counts_(c);
    c->launch = NULL;
    if (c->writer == NULL) {
        return 0;
    }
    c->totals.written_launches++;
    return smrf_capture_write_end(c);
}

/* What the failing block has is dropped, so that the trace has whole blocks only. */
static int launch_failed_(void *ctx, const struct smrf_exec_launch *launch)
{
    struct smrf_capture *c = ctx;
    return c->options.salvage && c->launch != NULL && c->error[0] == '\0'
               ? launch_end_(c, launch, NULL)
               : 0;
}

/* ---- opening, ending ------------------------------------------------------------------------- */

static int open_writer_(struct smrf_capture *c)
{
    const struct smrf_capture_options *o = &c->options;
    char error[512];
    if (o->dir == NULL && o->feed == NULL) {
        return 0;
    }
    if (o->values && o->format == SMRF_TRACE_V5) {
        return smrf_capture_fail(c, SMRF_ERR_INVAL,
                                 "version 5 has no register values; choose version 6");
    }
    const char *dir = NULL;
    if (o->dir != NULL) {
        const int rc = smrf_folder_begin(&c->folder, o->dir, o->replace, error, sizeof error);
        if (rc != 0) {
            return smrf_capture_fail(c, rc, error);
        }
        dir = smrf_folder_path(c->folder);
    }
    return smrf_capture_written(c,
                                smrf_trace_writer_open(&c->writer, dir, o->format, o->compression));
}

int smrf_capture_open(struct smrf_capture **capture, const struct smrf_capture_options *options)
{
    struct smrf_capture *c = calloc(1, sizeof *c);
    *capture = c;
    if (c == NULL) {
        return SMRF_ERR_NOMEM;
    }
    c->options = *options;
    c->listener = (struct smrf_device_listener){
        .ctx = c,
        .copy = copy_,
        .launch_begin = launch_begin_,
        .launch_end = launch_end_,
        .launch_failed = launch_failed_,
        .exec = smrf_capture_thread_open(c, 0),
    };
    int rc = smrf_choice_open(&c->choice, &c->options.launches, c->error, sizeof c->error);
    return rc != 0 ? rc : open_writer_(c);
}

const struct smrf_device_listener *smrf_capture_listener(const struct smrf_capture *capture)
{
    return &capture->listener;
}

void smrf_capture_sums(const struct smrf_capture *capture, struct smrf_capture_totals *totals)
{
    *totals = capture->totals;
}

const char *smrf_capture_error(const struct smrf_capture *capture)
{
    return capture == NULL ? "out of memory" : capture->error;
}

/* Every block that was asked for is in some launch's grid, every warp in some launch's blocks. */
static int check_wanted_(struct smrf_capture *c)
{
    const struct {
        const struct smrf_capture_ranges *wanted;
        uint64_t most;
        const char *form;
    } part[] = {{&c->options.blocks, c->most_blocks,
                 "--blocks: there is no block %llu: the largest grid has %llu, from 0"},
                {&c->options.warps, c->most_warps,
                 "--warps: there is no warp %llu: the largest block has %llu, from 0"}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        for (size_t i = 0; c->totals.launches && i < part[p].wanted->num; i++) {
            const uint64_t last = part[p].wanted->range[i].last;
            if (last >= part[p].most) {
                char text[SMRF_CAPTURE_ERROR_BYTES];
                snprintf(text, sizeof text, part[p].form, (unsigned long long)last,
                         (unsigned long long)part[p].most);
                return smrf_capture_fail(c, SMRF_ERR_INVAL, text);
            }
        }
    }
    return 0;
}

int smrf_capture_finish(struct smrf_capture *c)
{
    char error[512];
    if (whole_(c) != 0 || c->error[0] != '\0') {
        return SMRF_ERR_STATE;
    }
    int wrong = check_wanted_(c);
    if (wrong != 0) {
        return wrong;
    }
    if (c->writer == NULL) {
        return 0;
    }
    struct smrf_trace_writer *writer = c->writer;
    int rc = c->options.feed != NULL ? smrf_capture_feed_end(c) : 0;
    if (rc != 0) {
        return rc;
    }
    rc = smrf_trace_writer_close(writer);
    c->writer = NULL;
    if (rc != 0) {
        return smrf_capture_fail(c, rc, "the list of kernels could not be written");
    }
    struct smrf_folder *folder = c->folder;
    c->folder = NULL;
    if (folder == NULL) {
        return 0;
    }
    rc = smrf_folder_publish(folder, error, sizeof error);
    return rc != 0 ? smrf_capture_fail(c, rc, error) : 0;
}

void smrf_capture_close(struct smrf_capture *c)
{
    if (c == NULL) {
        return;
    }
    if (c->writer != NULL) {
        (void)smrf_trace_writer_close(c->writer);
    }
    smrf_folder_abandon(c->folder);
    while (c->codes != NULL) {
        struct smrf_capture_code *next = c->codes->next;
        smrf_capture_code_free(c->codes);
        c->codes = next;
    }
    smrf_capture_threads_close(c);
    smrf_choice_close(&c->choice);
    free(c);
}
