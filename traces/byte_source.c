/* SPDX-License-Identifier: Apache-2.0 */
/* Every decoder keeps the same contract: it takes input from `in`, refilled from the file, and
 * reports an early end of the file as corruption with the offset in the compressed file. */
#define _POSIX_C_SOURCE 200809L
#include "byte_source.h"

#include "traces/files/input_file.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define IN_BYTES ((size_t)128 * 1024)
#define MAGIC_BYTES 6
/* What a decoder may ask for, as the file says how much it needs: twice what xz -9 does, and what
 * zstd sets itself as its limit. */
#define DECODER_BYTES (UINT64_C(128) << 20)

enum coding { CODING_PLAIN, CODING_XZ, CODING_GZ, CODING_ZSTD };

struct smrf_source {
    int fd;               /* -1: bytes in memory */
    const uint8_t *bytes; /* of them, the next to take */
    size_t num_bytes;     /* .. and how many are left */
    enum coding coding;
    bool file_ended;    /* take_() has returned 0 */
    bool ended;         /* the decoder has delivered everything */
    bool between;       /* zstd: at a frame boundary, where the file may end */
    uint64_t file_read; /* bytes taken from the file */
    size_t in_pos, in_size;
    lzma_stream xz;
    z_stream gz;
    ZSTD_DStream *zstd;
    struct smrf_source_decoder *decoder; /* takes zstd when it is no longer needed; NULL: no one */
    char *path;
    uint8_t in[IN_BYTES];
};

/* As read(). */
static ssize_t take_(struct smrf_source *s, void *to, size_t size)
{
    if (s->fd >= 0) {
        ssize_t n;
        do {
            n = read(s->fd, to, size);
        } while (n < 0 && errno == EINTR);
        return n;
    }
    size = size < s->num_bytes ? size : s->num_bytes;
    memcpy(to, s->bytes, size);
    s->bytes += size;
    s->num_bytes -= size;
    return (ssize_t)size;
}

static int refill_(struct smrf_source *s, struct smrf_trace_error_text *error)
{
    const ssize_t n = take_(s, s->in, sizeof s->in);
    if (n < 0) {
        return smrf_trace_fail(error, SMRF_ERR_IO, "%s: cannot read: %s", s->path, strerror(errno));
    }
    s->in_pos = 0;
    s->in_size = (size_t)n;
    s->file_read += (uint64_t)n;
    s->file_ended = n == 0;
    return 0;
}

static uint64_t offset_(const struct smrf_source *s)
{
    return s->file_read - (s->in_size - s->in_pos);
}

static int truncated_(struct smrf_source *s, const char *what, struct smrf_trace_error_text *error)
{
    return smrf_trace_fail(error, SMRF_ERR_CORRUPT,
                           "%s: byte %llu: the %s data end early; the file is truncated, copy or "
                           "record it again",
                           s->path, (unsigned long long)offset_(s), what);
}

static int undecodable_(struct smrf_source *s, const char *what,
                        struct smrf_trace_error_text *error)
{
    return smrf_trace_fail(error, SMRF_ERR_CORRUPT,
                           "%s: near byte %llu: corrupt %s data; copy or record the file again",
                           s->path, (unsigned long long)offset_(s), what);
}

static int too_hungry_(struct smrf_source *s, const char *option,
                       struct smrf_trace_error_text *error)
{
    return smrf_trace_fail(error, SMRF_ERR_LIMIT,
                           "%s: takes more than %u MiB of memory to decompress; compress it %s",
                           s->path, (unsigned)(DECODER_BYTES >> 20), option);
}

static enum coding recognise_(const uint8_t *b, size_t n)
{
    static const uint8_t xz[6] = {0xFD, '7', 'z', 'X', 'Z', 0};
    if (n >= 6 && memcmp(b, xz, 6) == 0) {
        return CODING_XZ;
    }
    if (n >= 2 && b[0] == 0x1F && b[1] == 0x8B) {
        return CODING_GZ;
    }
    if (n >= 4 && b[0] == 0x28 && b[1] == 0xB5 && b[2] == 0x2F && b[3] == 0xFD) {
        return CODING_ZSTD;
    }
    if (n >= 4 && (b[0] & 0xF0) == 0x50 && b[1] == 0x2A && b[2] == 0x4D && b[3] == 0x18) {
        return CODING_ZSTD; /* a skippable frame first (pzstd) */
    }
    return CODING_PLAIN;
}

static ZSTD_DStream *take_decoder_(struct smrf_source_decoder *d)
{
    if (d == NULL || d->zstd == NULL) {
        return ZSTD_createDStream();
    }
    ZSTD_DStream *zstd = d->zstd;
    d->zstd = NULL;
    return zstd;
}

static void give_decoder_(struct smrf_source_decoder *d, ZSTD_DStream *zstd)
{
    if (d == NULL || d->zstd != NULL || zstd == NULL) {
        ZSTD_freeDStream(zstd);
    } else {
        d->zstd = zstd;
    }
}

void smrf_source_decoder_free(struct smrf_source_decoder *d)
{
    ZSTD_freeDStream(d->zstd);
    d->zstd = NULL;
}

static int start_decoder_(struct smrf_source *s, struct smrf_trace_error_text *error)
{
    bool ok = true;
    s->coding = recognise_(s->in, s->in_size);
    if (s->coding == CODING_XZ) {
        s->xz = (lzma_stream)LZMA_STREAM_INIT;
        ok = lzma_stream_decoder(&s->xz, DECODER_BYTES, LZMA_CONCATENATED) == LZMA_OK;
    } else if (s->coding == CODING_GZ) {
        ok = inflateInit2(&s->gz, 15 + 16) == Z_OK;
    } else if (s->coding == CODING_ZSTD) {
        s->zstd = take_decoder_(s->decoder);
        ok = s->zstd != NULL && !ZSTD_isError(ZSTD_initDStream(s->zstd));
        s->between = true;
    }
    if (!ok) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory for the decompressor",
                               s->path);
    }
    return 0;
}

/* fd: of the file, -1: bytes. Takes over fd, also on failure. */
static int open_(struct smrf_source **source, const char *name, int fd, const void *bytes,
                 size_t count, struct smrf_source_decoder *decoder,
                 struct smrf_trace_error_text *error)
{
    struct smrf_source *s = malloc(sizeof *s);
    char *copy = strdup(name);
    *source = NULL;
    if (s == NULL || copy == NULL) {
        free(s);
        free(copy);
        if (fd >= 0) {
            (void)close(fd);
        }
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory", name);
    }
    memset(s, 0, offsetof(struct smrf_source, in)); /* a small file touches little of `in` */
    s->fd = fd;
    s->bytes = bytes;
    s->num_bytes = count;
    s->path = copy;
    s->decoder = decoder;
    int rc = refill_(s, error);
    while (rc == 0 && !s->file_ended && s->in_size < MAGIC_BYTES) {
        /* a pipe may deliver less than the magic number at once */
        ssize_t n = take_(s, s->in + s->in_size, sizeof s->in - s->in_size);
        if (n <= 0) {
            break;
        }
        s->in_size += (size_t)n;
        s->file_read += (uint64_t)n;
    }
    if (rc == 0) {
        rc = start_decoder_(s, error);
    }
    if (rc != 0) {
        smrf_source_close(s);
        return rc;
    }
    *source = s;
    return 0;
}

int smrf_source_open(struct smrf_source **source, const char *path,
                     struct smrf_source_decoder *decoder, struct smrf_trace_error_text *error)
{
    char text[sizeof error->text];
    int fd = smrf_input_descriptor(path, text, sizeof text);
    if (fd < 0) {
        *source = NULL;
        return smrf_trace_fail(error, fd, "%s", text);
    }
    return open_(source, path, fd, NULL, 0, decoder, error);
}

int smrf_source_open_bytes(struct smrf_source **source, const char *name, const void *bytes,
                           size_t count, struct smrf_trace_error_text *error)
{
    return open_(source, name, -1, bytes, count, NULL, error);
}

static int64_t read_plain_(struct smrf_source *s, uint8_t *out, size_t size,
                           struct smrf_trace_error_text *error)
{
    if (s->in_pos < s->in_size) { /* what was read to recognise the coding */
        size_t n = s->in_size - s->in_pos;
        n = n < size ? n : size;
        memcpy(out, s->in + s->in_pos, n);
        s->in_pos += n;
        return (int64_t)n;
    }
    const ssize_t n = take_(s, out, size);
    if (n < 0) {
        return smrf_trace_fail(error, SMRF_ERR_IO, "%s: cannot read: %s", s->path, strerror(errno));
    }
    s->file_read += (uint64_t)n;
    return n;
}

static int64_t read_xz_(struct smrf_source *s, uint8_t *out, size_t size,
                        struct smrf_trace_error_text *error)
{
    s->xz.next_out = out;
    s->xz.avail_out = size;
    while (s->xz.avail_out == size) {
        if (s->in_pos == s->in_size && !s->file_ended && refill_(s, error) != 0) {
            return error->code;
        }
        s->xz.next_in = s->in + s->in_pos;
        s->xz.avail_in = s->in_size - s->in_pos;
        lzma_ret r = lzma_code(&s->xz, s->file_ended ? LZMA_FINISH : LZMA_RUN);
        s->in_pos = s->in_size - s->xz.avail_in;
        if (r == LZMA_STREAM_END) {
            s->ended = true;
            break;
        }
        if (r == LZMA_BUF_ERROR && s->file_ended) {
            return truncated_(s, "xz", error);
        }
        if (r == LZMA_MEMLIMIT_ERROR) {
            return too_hungry_(s, "with xz -9 or less", error);
        }
        if (r == LZMA_MEM_ERROR) {
            return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory to decompress", s->path);
        }
        if (r != LZMA_OK && r != LZMA_BUF_ERROR) {
            return undecodable_(s, "xz", error);
        }
    }
    return (int64_t)(size - s->xz.avail_out);
}

static int64_t read_gz_(struct smrf_source *s, uint8_t *out, size_t size,
                        struct smrf_trace_error_text *error)
{
    size_t ask = size < (size_t)1 << 30 ? size : (size_t)1 << 30;
    s->gz.next_out = out;
    s->gz.avail_out = (uInt)ask;
    while (s->gz.avail_out == ask) {
        if (s->in_pos == s->in_size && refill_(s, error) != 0) {
            return error->code;
        }
        if (s->file_ended) {
            if (s->between) {
                s->ended = true;
                break;
            }
            return truncated_(s, "gzip", error);
        }
        if (s->between) { /* another member follows; zero padding after the last is legal */
            if (s->in[s->in_pos] == 0) {
                s->in_pos++;
                continue;
            }
            if (inflateReset(&s->gz) != Z_OK) {
                return undecodable_(s, "gzip", error);
            }
            s->between = false;
        }
        s->gz.next_in = s->in + s->in_pos;
        s->gz.avail_in = (uInt)(s->in_size - s->in_pos);
        int r = inflate(&s->gz, Z_NO_FLUSH);
        s->in_pos = s->in_size - s->gz.avail_in;
        if (r == Z_STREAM_END) {
            s->between = true;
        } else if (r != Z_OK && r != Z_BUF_ERROR) {
            return undecodable_(s, "gzip", error);
        }
    }
    return (int64_t)(ask - s->gz.avail_out);
}

static int64_t read_zstd_(struct smrf_source *s, uint8_t *out, size_t size,
                          struct smrf_trace_error_text *error)
{
    ZSTD_outBuffer o = {out, size, 0};
    while (o.pos == 0) {
        if (s->in_pos == s->in_size && !s->file_ended && refill_(s, error) != 0) {
            return error->code;
        }
        if (s->file_ended && s->between) {
            s->ended = true;
            break;
        }
        ZSTD_inBuffer i = {s->in, s->in_size, s->in_pos};
        size_t r = ZSTD_decompressStream(s->zstd, &o, &i);
        bool stuck = i.pos == s->in_pos && o.pos == 0;
        s->in_pos = i.pos;
        if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge) {
            return too_hungry_(s, "without zstd --long", error);
        }
        if (ZSTD_isError(r)) {
            return undecodable_(s, "zstd", error);
        }
        s->between = r == 0;
        if (s->file_ended && stuck && !s->between) {
            return truncated_(s, "zstd", error);
        }
    }
    return (int64_t)o.pos;
}

int64_t smrf_source_read(struct smrf_source *source, void *buffer, size_t size,
                         struct smrf_trace_error_text *error)
{
    if (source->ended || size == 0) {
        return 0;
    }
    switch (source->coding) {
    case CODING_XZ:
        return read_xz_(source, buffer, size, error);
    case CODING_GZ:
        return read_gz_(source, buffer, size, error);
    case CODING_ZSTD:
        return read_zstd_(source, buffer, size, error);
    case CODING_PLAIN:
        break;
    }
    return read_plain_(source, buffer, size, error);
}

uint64_t smrf_source_bytes(const struct smrf_source *source)
{
    return source->file_read;
}

size_t smrf_source_memory(const struct smrf_source *source)
{
    size_t extra = 0;
    if (source->coding == CODING_XZ) {
        extra = (size_t)lzma_memusage(&source->xz);
    } else if (source->coding == CODING_ZSTD) {
        extra = ZSTD_sizeof_DStream(source->zstd);
    }
    return sizeof *source + extra;
}

void smrf_source_close(struct smrf_source *source)
{
    if (source == NULL) {
        return;
    }
    if (source->coding == CODING_XZ) {
        lzma_end(&source->xz);
    } else if (source->coding == CODING_GZ) {
        (void)inflateEnd(&source->gz);
    }
    give_decoder_(source->decoder, source->zstd);
    if (source->fd >= 0) {
        (void)close(source->fd);
    }
    free(source->path);
    free(source);
}
