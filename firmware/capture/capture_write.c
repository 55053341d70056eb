/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "capture_internal.h"

#include "traces/files/folder.h"
#include "traces/files/output_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int smrf_capture_fail(struct smrf_capture *c, int code, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* blocks may fail at the same time */
    (void)pthread_mutex_lock(&lock);
    if (c->error[0] == '\0') {
        snprintf(c->error, sizeof c->error, "%s", text);
    }
    (void)pthread_mutex_unlock(&lock);
    return code;
}

int smrf_capture_written(struct smrf_capture *c, int rc)
{
    return rc < 0 ? smrf_capture_fail(c, rc, smrf_trace_writer_error(c->writer)) : 0;
}

/* ---- from the streams to the writer ---------------------------------------------------------- */

static const uint8_t *take_addresses_(const uint8_t *p, unsigned flags,
                                      struct smrf_trace_line *line)
{
    line->strided = (flags & SMRF_STREAM_STRIDE) != 0;
    if (flags & SMRF_STREAM_LIST) {
        for (uint32_t m = line->mask; m != 0; m &= m - 1, p += 8) {
            memcpy(&line->lane[__builtin_ctz(m)], p, 8);
        }
        return p;
    }
    memcpy(&line->base, p, 8);
    memcpy(&line->stride, p + 8, 8);
    return p + 16;
}

static const uint8_t *take_row_(const uint8_t *p, uint32_t mask, uint32_t *row)
{
    if (mask == SMRF_EXEC_ALL) {
        memcpy(row, p, SMRF_LANES * 4);
        return p + (size_t)SMRF_LANES * 4;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1, p += 4) {
        memcpy(&row[__builtin_ctz(m)], p, 4);
    }
    return p;
}

static const uint8_t *take_values_(struct smrf_capture *c, const uint8_t *p,
                                   const struct smrf_capture_op *o, uint32_t mask)
{
    c->values.num_dst = o->num_dst;
    c->values.num_src = o->num_src;
    for (unsigned i = 0; i < o->num_dst; i++) {
        p = take_row_(p, mask, c->values.dst[i]);
    }
    for (unsigned i = 0; i < o->num_src; i++) {
        p = take_row_(p, mask, c->values.src[i]);
    }
    return p;
}

static int write_chunk_(struct smrf_capture *c, const uint8_t *p, const uint8_t *end,
                        uint32_t *mask)
{
    while (p < end) {
        uint32_t word;
        memcpy(&word, p, 4);
        p += 4;
        struct smrf_capture_op *o = c->code->op[word >> 8];
        if (word & SMRF_STREAM_MASK) {
            memcpy(mask, p, 4);
            p += 4;
        }
        o->line.mask = *mask;
        o->line.values = NULL;
        if (word & (SMRF_STREAM_STRIDE | SMRF_STREAM_LIST)) {
            p = take_addresses_(p, word, &o->line);
        }
        if (word & SMRF_STREAM_VALUES) {
            p = take_values_(c, p, o, *mask);
            o->line.values = &c->values;
        }
        int rc = smrf_capture_written(c, smrf_trace_writer_line(c->writer, &o->line));
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

static int write_warp_(struct smrf_capture *c, struct smrf_stream *s, uint32_t i)
{
    const struct smrf_stream_warp *w = &s->warp[i];
    uint32_t mask = 0;
    int rc = smrf_capture_written(c, smrf_trace_writer_begin_warp(c->writer, i, w->insts));
    for (uint32_t k = 0; rc == 0 && w->open != NULL && k <= w->num; k++) {
        uint32_t bytes;
        const uint8_t *p = smrf_stream_read(s, w, k, c->window, &bytes);
        if (p == NULL) {
            return smrf_capture_fail(c, SMRF_ERR_IO, "cannot read the temporary file (TMPDIR)");
        }
        rc = write_chunk_(c, p, p + bytes, &mask);
    }
    c->launch_written += w->insts;
    c->totals.written_insts += w->insts;
    return rc;
}

int smrf_capture_write_block(struct smrf_capture *c, struct smrf_stream_block *block)
{
    int rc = smrf_capture_written(
        c, smrf_trace_writer_begin_block(c->writer, smrf_capture_dim3(block->at)));
    for (uint32_t i = 0; rc == 0 && i < block->stream.num_warps; i++) {
        rc = write_warp_(c, &block->stream, i);
    }
    if (rc == 0) {
        rc = smrf_capture_written(c, smrf_trace_writer_end_block(c->writer));
    }
    c->totals.written_blocks++;
    c->totals.spilled_bytes += block->stream.spilled_bytes;
    block->stream.spilled_bytes = 0;
    return rc;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A file in memory that no other process sees. */
static int memory_file_(struct smrf_capture *c)
{
    const int fd = memfd_create("smrf-launch", MFD_CLOEXEC);
    return fd >= 0 ? fd : smrf_capture_fail(c, SMRF_ERR_IO, "no memory file for a launch");
}

static int write_sidecar_(struct smrf_capture *c)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/kernel-%llu.operands", smrf_folder_path(c->folder),
                     (unsigned long long)c->totals.launches);
    char text[SMRF_CAPTURE_ERROR_BYTES], *sidecar;
    size_t bytes;
    struct smrf_output out;
    if (n < 0 || (size_t)n >= sizeof path) {
        return smrf_capture_fail(c, SMRF_ERR_IO, "the name of the folder is too long");
    }
    int rc = smrf_capture_code_text(c->code, &sidecar, &bytes);
    if (rc != 0) {
        return smrf_capture_fail(
            c, rc, rc == SMRF_ERR_NOMEM ? "no memory left for a sidecar" : strerror(errno));
    }
    rc = smrf_output_open(&out, path, text, sizeof text);
    if (rc == 0) {
        out.hasty = true; /* the folder is put on the disk as a whole */
        (void)(fwrite(sidecar, 1, bytes, out.file) == bytes); /* the stream remembers */
        rc = smrf_output_close(&out, true, text, sizeof text);
    }
    free(sidecar);
    return rc == 0 ? 0 : smrf_capture_fail(c, rc, text);
}

int smrf_capture_write_begin(struct smrf_capture *c, const struct smrf_kernel_info *info)
{
    if (c->options.feed != NULL) {
        c->lines = memory_file_(c);
        if (c->lines < 0) {
            return c->lines;
        }
        smrf_trace_writer_into(c->writer, c->lines);
    }
    return smrf_capture_written(c, smrf_trace_writer_begin_kernel(c->writer, info));
}

static int write_all_(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno != EINTR) {
            return SMRF_ERR_IO;
        }
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int deliver_(struct smrf_capture *c, int lines, int sidecar)
{
    size_t bytes;
    const char *copies = smrf_trace_writer_take_list(c->writer, &bytes);
    const int rc = c->options.feed->deliver(c->options.feed->ctx, copies, bytes, lines, sidecar);
    c->over = c->over || rc > 0;
    return rc < 0 ? smrf_capture_fail(c, rc, "the launch could not be handed to the replay") : 0;
}

static int feed_(struct smrf_capture *c)
{
    char *text = NULL;
    size_t bytes = 0;
    const int sidecar = memory_file_(c);
    int rc = sidecar < 0 ? sidecar : smrf_capture_code_text(c->code, &text, &bytes);
    rc = rc == 0 ? write_all_(sidecar, text, bytes) : rc;
    free(text);
    if (rc != 0) {
        (void)smrf_capture_fail(c, rc, "no memory left for a sidecar");
        if (sidecar >= 0) {
            (void)close(sidecar);
        }
        (void)close(c->lines);
        return rc;
    }
    return deliver_(c, c->lines, sidecar);
}

int smrf_capture_write_end(struct smrf_capture *c)
{
    const int rc = smrf_capture_written(c, smrf_trace_writer_end_kernel(c->writer));
    if (rc != 0) {
        return rc;
    }
    if (c->options.feed != NULL) {
        return feed_(c);
    }
    const int written = write_sidecar_(c);
    return written == 0 && c->options.salvage
               ? smrf_capture_written(c, smrf_trace_writer_save(c->writer))
               : written;
}

int smrf_capture_feed_end(struct smrf_capture *c)
{
    return c->over ? 0 : deliver_(c, -1, -1);
}
