/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "sink.h"

#include "traces/files/output_file.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PLAIN_BYTES ((size_t)256 * 1024) /* input gathered before it is compressed or written */
#define CODED_BYTES ((size_t)128 * 1024)
#define XZ_PRESET 1 /* as the tracer's "xz -1" */
#define GZ_LEVEL 6
#define ZSTD_LEVEL 3
#define ZSTD_LEVEL_BULK 1 /* two thirds of the work, a sixteenth more bytes */
#define WORKERS_MAX 8

struct smrf_sink {
    struct smrf_output output;
    enum smrf_trace_compression compression;
    lzma_stream xz;
    z_stream gz;
    ZSTD_CStream *zstd;
    uint64_t offset;
    size_t have;
    uint8_t plain[PLAIN_BYTES];
    uint8_t coded[CODED_BYTES];
};

static int write_all_(struct smrf_sink *s, const uint8_t *data, size_t bytes,
                      struct smrf_trace_error_text *error)
{
    if (fwrite(data, 1, bytes, s->output.file) != bytes) {
        return smrf_trace_fail(error, SMRF_ERR_IO, "%s: cannot write: %s", s->output.path,
                               strerror(errno));
    }
    return 0;
}

/* What does not fit the first buffer is compressed in the background, in pieces whose sizes and
 * thus results do not depend on the number of workers. */
static uint32_t workers_(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (uint32_t)n;
}

static bool large_(const struct smrf_sink *s, bool finish)
{
    return s->offset == s->have && !finish;
}

static bool share_xz_(struct smrf_sink *s)
{
    const lzma_mt shared = {.threads = workers_(), .preset = XZ_PRESET, .check = LZMA_CHECK_CRC64};
    return lzma_stream_encoder_mt(&s->xz, &shared) == LZMA_OK;
}

static int code_xz_(struct smrf_sink *s, bool finish, struct smrf_trace_error_text *error)
{
    if (large_(s, finish) && !share_xz_(s)) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory for the compressor",
                               s->output.path);
    }
    s->xz.next_in = s->plain;
    s->xz.avail_in = s->have;
    for (;;) {
        s->xz.next_out = s->coded;
        s->xz.avail_out = CODED_BYTES;
        lzma_ret r = lzma_code(&s->xz, finish ? LZMA_FINISH : LZMA_RUN);
        if (r != LZMA_OK && r != LZMA_STREAM_END) {
            return smrf_trace_fail(error, SMRF_ERR_IO, "%s: xz compression failed", s->output.path);
        }
        int rc = write_all_(s, s->coded, CODED_BYTES - s->xz.avail_out, error);
        if (rc != 0) {
            return rc;
        }
        if (finish ? r == LZMA_STREAM_END : s->xz.avail_in == 0) {
            return 0;
        }
    }
}

static int code_gz_(struct smrf_sink *s, bool finish, struct smrf_trace_error_text *error)
{
    s->gz.next_in = s->plain;
    s->gz.avail_in = (uInt)s->have;
    for (;;) {
        s->gz.next_out = s->coded;
        s->gz.avail_out = (uInt)CODED_BYTES;
        int r = deflate(&s->gz, finish ? Z_FINISH : Z_NO_FLUSH);
        if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR) {
            return smrf_trace_fail(error, SMRF_ERR_IO, "%s: gzip compression failed",
                                   s->output.path);
        }
        int rc = write_all_(s, s->coded, CODED_BYTES - s->gz.avail_out, error);
        if (rc != 0) {
            return rc;
        }
        if (finish ? r == Z_STREAM_END : s->gz.avail_out != 0) {
            return 0;
        }
    }
}

static int code_zstd_(struct smrf_sink *s, bool finish, struct smrf_trace_error_text *error)
{
    if (large_(s, finish)) { /* a library without threads ignores it */
        (void)ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_nbWorkers, (int)workers_());
    }
    ZSTD_inBuffer in = {s->plain, s->have, 0};
    for (;;) {
        ZSTD_outBuffer out = {s->coded, CODED_BYTES, 0};
        size_t r = ZSTD_compressStream2(s->zstd, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(r)) {
            return smrf_trace_fail(error, SMRF_ERR_IO, "%s: zstd compression failed: %s",
                                   s->output.path, ZSTD_getErrorName(r));
        }
        int rc = write_all_(s, s->coded, out.pos, error);
        if (rc != 0) {
            return rc;
        }
        if (finish ? r == 0 : in.pos == in.size) {
            return 0;
        }
    }
}

static int flush_(struct smrf_sink *s, bool finish, struct smrf_trace_error_text *error)
{
    int rc = 0;
    switch (s->compression) {
    case SMRF_COMPRESS_NONE:
        rc = write_all_(s, s->plain, s->have, error);
        break;
    case SMRF_COMPRESS_XZ:
        rc = code_xz_(s, finish, error);
        break;
    case SMRF_COMPRESS_GZ:
        rc = code_gz_(s, finish, error);
        break;
    case SMRF_COMPRESS_ZSTD:
        rc = code_zstd_(s, finish, error);
        break;
    }
    s->have = 0;
    return rc;
}

static bool start_coder_(struct smrf_sink *s, bool bulk)
{
    switch (s->compression) {
    case SMRF_COMPRESS_NONE:
        return true;
    case SMRF_COMPRESS_XZ:
        s->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_easy_encoder(&s->xz, XZ_PRESET, LZMA_CHECK_CRC64) == LZMA_OK;
    case SMRF_COMPRESS_GZ:
        return deflateInit2(&s->gz, GZ_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    case SMRF_COMPRESS_ZSTD:
        s->zstd = ZSTD_createCStream();
        return s->zstd != NULL &&
               !ZSTD_isError(ZSTD_initCStream(s->zstd, bulk ? ZSTD_LEVEL_BULK : ZSTD_LEVEL)) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1));
    }
    return false;
}

static void destroy_(struct smrf_sink *s)
{
    if (s->compression == SMRF_COMPRESS_XZ) {
        lzma_end(&s->xz);
    } else if (s->compression == SMRF_COMPRESS_GZ) {
        (void)deflateEnd(&s->gz);
    }
    ZSTD_freeCStream(s->zstd);
    free(s);
}

int smrf_sink_open(struct smrf_sink **sink, const char *path,
                   enum smrf_trace_compression compression, bool bulk,
                   struct smrf_trace_error_text *error)
{
    char text[sizeof error->text];
    *sink = NULL;
    struct smrf_sink *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory to write it", path);
    }
    int rc = smrf_output_open(&s->output, path, text, sizeof text);
    if (rc != 0) {
        free(s);
        return smrf_trace_fail(error, rc, "%s", text);
    }
    s->output.hasty = true;
    s->compression = compression;
    if (!start_coder_(s, bulk)) {
        smrf_sink_abandon(s);
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory for the compressor", path);
    }
    *sink = s;
    return 0;
}

void smrf_sink_fill(struct smrf_sink *s, size_t bytes)
{
    s->have += bytes;
    s->offset += bytes;
}

int smrf_sink_write(struct smrf_sink *s, const void *data, size_t bytes,
                    struct smrf_trace_error_text *error)
{
    const uint8_t *p = data;
    while (bytes > 0) {
        size_t n = PLAIN_BYTES - s->have;
        n = n < bytes ? n : bytes;
        memcpy(s->plain + s->have, p, n);
        smrf_sink_fill(s, n);
        p += n;
        bytes -= n;
        if (s->have == PLAIN_BYTES) {
            int rc = flush_(s, false, error);
            if (rc != 0) {
                return rc;
            }
        }
    }
    return 0;
}

char *smrf_sink_room(struct smrf_sink *s, size_t bytes, struct smrf_trace_error_text *error)
{
    if (PLAIN_BYTES - s->have < bytes && flush_(s, false, error) != 0) {
        return NULL;
    }
    return (char *)s->plain + s->have;
}

uint64_t smrf_sink_offset(const struct smrf_sink *s)
{
    return s->offset;
}

int smrf_sink_commit(struct smrf_sink *s, struct smrf_trace_error_text *error)
{
    char text[sizeof error->text];
    int rc = flush_(s, true, error);
    int closed = smrf_output_close(&s->output, rc == 0, text, sizeof text);
    destroy_(s);
    return rc != 0 ? rc : closed != 0 ? smrf_trace_fail(error, closed, "%s", text) : 0;
}

void smrf_sink_abandon(struct smrf_sink *s)
{
    char text[256]; /* not used */
    if (s == NULL) {
        return;
    }
    (void)smrf_output_close(&s->output, false, text, sizeof text);
    destroy_(s);
}
