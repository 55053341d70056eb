/* SPDX-License-Identifier: Apache-2.0 */
/* One launch as Accel-Sim 2.0's .tracez, little-endian:
 *
 *   header text, NUL | u32 dictionary bytes, u32 lines a sub-chunk, dictionary
 *   a warp: u32 lines, u32 sub-chunks, then each { u32 bytes, zstd frame of lines }
 *   footer: u32 blocks, then each { 10 x u32 (block, cluster, block in cluster, rank), u32 warps,
 *           then each { u32 lines, u32 sub-chunks, u64 offset, u32 lines of each sub-chunk } }
 *   u64 offset of the footer
 *
 * Every count and offset is checked against the file before it is used; the footer is read
 * piece by piece, so that memory does not grow with the number of warps. */
#define _POSIX_C_SOURCE 200809L
#include "trace_internal.h"
#include "traces/files/input_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define HEADER_LIMIT ((size_t)16 * 1024 * 1024)
#define FRAME_LIMIT ((size_t)64 * 1024 * 1024) /* text of one sub-chunk; usual: 100 KB */
#define FOOTER_WINDOW 4096u
#define BLOCK_IDS 10

struct smrf_binary {
    int fd;
    uint64_t data, footer, end; /* offsets: first warp, footer, the 8 bytes after it */
    uint64_t at;                /* next byte of the footer */
    uint32_t blocks_left;
    uint64_t window_at;
    size_t window_bytes;
    uint8_t window[FOOTER_WINDOW];
    ZSTD_DCtx *zstd;
    ZSTD_DDict *dictionary;
    struct {
        char *data;
        size_t room;
    } coded, text;
};

struct warp_entry {
    uint32_t warp, insts, chunks;
    uint64_t offset;
    uint64_t counts_at; /* footer position of its sub-chunks' line counts */
};

static int fail_(struct smrf_trace *t, int code, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail_(struct smrf_trace *t, int code, uint64_t at, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return smrf_trace_fail(&t->error, code, "%s: byte %llu: %s", t->file, (unsigned long long)at,
                           reason);
}

static int read_at_(struct smrf_trace *t, uint64_t at, void *out, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(t->binary->fd, (char *)out + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_(t, SMRF_ERR_IO, at, "cannot read: %s", strerror(errno));
        }
        if (n == 0) {
            return fail_(t, SMRF_ERR_CORRUPT, at + done, "the file ends early; it is truncated");
        }
        done += (size_t)n;
    }
    return 0;
}

static uint32_t u32_(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_(const uint8_t *p)
{
    return u32_(p) | (uint64_t)u32_(p + 4) << 32;
}

/* The next u32 of the footer. */
static int footer_u32_(struct smrf_trace *t, uint32_t *out)
{
    struct smrf_binary *b = t->binary;
    if (b->end - b->at < 4 || b->at > b->end) {
        return fail_(t, SMRF_ERR_CORRUPT, b->at, "the footer ends early");
    }
    if (b->at < b->window_at || b->at + 4 > b->window_at + b->window_bytes) {
        uint64_t n = b->end - b->at;
        b->window_at = b->at;
        b->window_bytes = n < FOOTER_WINDOW ? (size_t)n : FOOTER_WINDOW;
        int rc = read_at_(t, b->at, b->window, b->window_bytes);
        if (rc != 0) {
            return rc;
        }
    }
    *out = u32_(b->window + (b->at - b->window_at));
    b->at += 4;
    return 0;
}

/* ---- opening -------------------------------------------------------------------------------- */

static int header_text_(struct smrf_trace *t, const char *text, size_t bytes)
{
    uint64_t at = 0;
    while (at < bytes) {
        const char *line = text + at;
        const char *newline = memchr(line, '\n', bytes - at);
        size_t n = newline != NULL ? (size_t)(newline - line) : bytes - at;
        if (*line == '-') {
            int rc = smrf_header_line(&t->header, line, n);
            if (rc != 0) {
                return fail_(t, rc, at, "%s",
                             rc == SMRF_ERR_NOMEM ? "no memory" : t->header.reason);
            }
        }
        at += n + 1;
    }
    int rc = smrf_header_check(&t->header);
    if (rc != 0) {
        return fail_(t, rc, 0, "%s", rc == SMRF_ERR_NOMEM ? "no memory" : t->header.reason);
    }
    smrf_digest_add(&t->digest, text, bytes);
    return 0;
}

/* The text up to the NUL. Sets the position after it. */
static int header_(struct smrf_trace *t, uint64_t size, uint64_t *after)
{
    size_t have = 0, room = 0;
    char *text = NULL;
    int rc = 0;
    for (;;) {
        size_t more = size - have < 4096 ? (size_t)(size - have) : 4096;
        if (more == 0 || have >= HEADER_LIMIT) {
            rc = fail_(t, SMRF_ERR_CORRUPT, have,
                       "no NUL byte ends the header; is this a .tracez file?");
            break;
        }
        if (room < have + more) {
            room = 2 * (have + more);
            char *p = realloc(text, room);
            if (p == NULL) {
                rc = fail_(t, SMRF_ERR_NOMEM, have, "no memory for the header");
                break;
            }
            text = p;
        }
        rc = read_at_(t, have, text + have, more);
        if (rc != 0) {
            break;
        }
        const char *nul = memchr(text + have, '\0', more);
        have += more;
        if (nul != NULL) {
            *after = (uint64_t)(nul + 1 - text);
            rc = header_text_(t, text, (size_t)(nul - text));
            break;
        }
    }
    free(text);
    return rc;
}

static int dictionary_(struct smrf_trace *t, uint64_t size, uint64_t at)
{
    struct smrf_binary *b = t->binary;
    uint8_t sizes[8];
    int rc = read_at_(t, at, sizes, sizeof sizes);
    if (rc != 0) {
        return rc;
    }
    uint32_t bytes = u32_(sizes);
    if (bytes > size - at - 8) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "a dictionary of %u bytes is longer than the file",
                     bytes);
    }
    b->data = at + 8 + bytes;
    b->zstd = ZSTD_createDCtx();
    if (b->zstd == NULL) {
        return fail_(t, SMRF_ERR_NOMEM, at, "no memory for the decompressor");
    }
    if (bytes == 0) {
        return 0;
    }
    void *data = malloc(bytes);
    if (data == NULL) {
        return fail_(t, SMRF_ERR_NOMEM, at, "no memory for a dictionary of %u bytes", bytes);
    }
    rc = read_at_(t, at + 8, data, bytes);
    if (rc == 0) {
        b->dictionary = ZSTD_createDDict(data, bytes);
        if (b->dictionary == NULL || ZSTD_isError(ZSTD_DCtx_refDDict(b->zstd, b->dictionary))) {
            rc = fail_(t, SMRF_ERR_CORRUPT, at + 8, "the dictionary does not load");
        }
    }
    free(data);
    return rc;
}

static int footer_(struct smrf_trace *t, uint64_t size)
{
    struct smrf_binary *b = t->binary;
    uint8_t last[8];
    if (size - b->data < 12) {
        return fail_(t, SMRF_ERR_CORRUPT, size, "the file ends before its footer; it is truncated");
    }
    b->end = size - 8;
    int rc = read_at_(t, b->end, last, sizeof last);
    if (rc != 0) {
        return rc;
    }
    b->footer = u64_(last);
    if (b->footer < b->data || b->footer > b->end - 4) {
        return fail_(
            t, SMRF_ERR_CORRUPT, b->end,
            "the footer's offset %llu lies outside the file; it is truncated or no .tracez",
            (unsigned long long)b->footer);
    }
    b->at = b->footer;
    return footer_u32_(t, &b->blocks_left);
}

static int peek_values_(struct smrf_trace *t);

int smrf_binary_kernel_open(struct smrf_trace *t)
{
    struct stat st;
    uint64_t at = 0;
    t->binary = calloc(1, sizeof *t->binary);
    if (t->binary == NULL) {
        return smrf_trace_fail(&t->error, SMRF_ERR_NOMEM, "%s: no memory", t->file);
    }
    char text[sizeof t->error.text];
    t->binary->fd = smrf_input_descriptor(t->file, text, sizeof text);
    if (t->binary->fd < 0) {
        return smrf_trace_fail(&t->error, SMRF_ERR_IO, "%s", text);
    }
    if (fstat(t->binary->fd, &st) != 0) {
        return smrf_trace_fail(&t->error, SMRF_ERR_IO, "%s: cannot open: %s", t->file,
                               strerror(errno));
    }
    uint64_t size = (uint64_t)st.st_size;
    int rc = header_(t, size, &at);
    if (rc == 0 && size - at < 8) {
        rc = fail_(t, SMRF_ERR_CORRUPT, at, "the file ends after its header; it is truncated");
    }
    if (rc == 0) {
        rc = dictionary_(t, size, at);
    }
    if (rc == 0) {
        rc = footer_(t, size);
    }
    return rc == 0 ? peek_values_(t) : rc;
}

void smrf_binary_kernel_close(struct smrf_trace *t)
{
    struct smrf_binary *b = t->binary;
    if (b == NULL) {
        return;
    }
    if (b->fd >= 0) {
        (void)close(b->fd);
    }
    ZSTD_freeDCtx(b->zstd);
    ZSTD_freeDDict(b->dictionary);
    free(b->coded.data);
    free(b->text.data);
    free(b);
    t->binary = NULL;
}

/* ---- sub-chunks ----------------------------------------------------------------------------- */

static bool reserve_(char **data, size_t *room, size_t bytes)
{
    if (*room >= bytes) {
        return true;
    }
    char *p = realloc(*data, bytes);
    if (p == NULL) {
        return false;
    }
    *data = p;
    *room = bytes;
    return true;
}

/* Decompress the frame in coded[0, bytes), which stood at offset at, to text that ends in a newline
 * and is padded. Sets its length without the pad. */
static int decompress_(struct smrf_trace *t, uint64_t at, size_t bytes, size_t *text_bytes)
{
    struct smrf_binary *b = t->binary;
    ZSTD_inBuffer in = {b->coded.data, bytes, 0};
    size_t have = 0;
    (void)ZSTD_DCtx_reset(b->zstd, ZSTD_reset_session_only);
    for (;;) {
        size_t room = have + 64 * 1024;
        if (have >= FRAME_LIMIT) {
            return fail_(t, SMRF_ERR_LIMIT, at, "a sub-chunk unpacks to more than %zu bytes",
                         FRAME_LIMIT);
        }
        if (b->text.room < room + SMRF_TEXT_PAD + 1 &&
            !reserve_(&b->text.data, &b->text.room, 2 * room + SMRF_TEXT_PAD + 1)) {
            return fail_(t, SMRF_ERR_NOMEM, at, "no memory to unpack a sub-chunk");
        }
        ZSTD_outBuffer out = {b->text.data, b->text.room - SMRF_TEXT_PAD - 1, have};
        size_t r = ZSTD_decompressStream(b->zstd, &out, &in);
        if (ZSTD_isError(r)) {
            return fail_(t, SMRF_ERR_CORRUPT, at, "a sub-chunk does not unpack: %s",
                         ZSTD_getErrorName(r));
        }
        bool stuck = out.pos == have && in.pos == in.size;
        have = out.pos;
        if (r == 0) {
            break;
        }
        if (stuck) {
            return fail_(t, SMRF_ERR_CORRUPT, at, "a sub-chunk's data end early");
        }
    }
    if (in.pos != in.size) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "%zu bytes follow the frame of a sub-chunk",
                     in.size - in.pos);
    }
    smrf_digest_add(&t->digest, b->text.data, have);
    b->text.data[have++] = '\n';
    memset(b->text.data + have, 0, SMRF_TEXT_PAD);
    *text_bytes = have;
    return 0;
}

/* Read the sub-chunk at *at and step over it. */
static int load_(struct smrf_trace *t, uint64_t *at, size_t *text_bytes)
{
    struct smrf_binary *b = t->binary;
    uint8_t size[4];
    if (*at > b->footer - 4) {
        return fail_(t, SMRF_ERR_CORRUPT, *at, "a sub-chunk lies beyond the warps' data");
    }
    int rc = read_at_(t, *at, size, sizeof size);
    if (rc != 0) {
        return rc;
    }
    uint32_t bytes = u32_(size);
    if (bytes > b->footer - *at - 4 || bytes > FRAME_LIMIT) {
        return fail_(t, SMRF_ERR_CORRUPT, *at,
                     "a sub-chunk of %u bytes does not fit between here and the footer", bytes);
    }
    if (!reserve_(&b->coded.data, &b->coded.room, bytes != 0 ? bytes : 1)) {
        return fail_(t, SMRF_ERR_NOMEM, *at, "no memory for a sub-chunk of %u bytes", bytes);
    }
    rc = read_at_(t, *at + 4, b->coded.data, bytes);
    if (rc == 0) {
        rc = decompress_(t, *at, bytes, text_bytes);
    }
    *at += 4 + (uint64_t)bytes;
    return rc;
}

/* Parse every line of the text at hand. */
static int lines_(struct smrf_trace *t, const struct warp_entry *w, uint64_t at, size_t bytes,
                  uint32_t expected)
{
    const char *text = t->binary->text.data;
    uint32_t lines = 0;
    for (size_t pos = 0; pos < bytes;) {
        if (text[pos] == '\n' || text[pos] == '\r' || text[pos] == ' ') {
            pos++;
            continue;
        }
        if (lines == expected) {
            lines++; /* too many: no need to look at them */
            break;
        }
        uint64_t taken;
        int64_t n = smrf_parse_lines(&t->parser, text + pos, text + bytes, expected - lines, &taken,
                                     &t->error);
        if (n < 0 && t->error.code != 0) {
            return t->error.code;
        }
        if (n < 0) {
            return fail_(t, (int)n, at, "warp %u, line %u of the sub-chunk: %s", w->warp, lines + 1,
                         t->parser.reason);
        }
        if (t->parser.check.found != 0) {
            int rc = smrf_contradict_line(t, "%s: byte %llu: warp %u, line %u of the sub-chunk",
                                          t->file, (unsigned long long)at, w->warp, lines + 1);
            if (rc != 0) {
                return rc;
            }
        }
        pos += (size_t)n;
        lines += (uint32_t)taken;
    }
    if (lines != expected) {
        return fail_(t, SMRF_ERR_CORRUPT, at,
                     "warp %u: the footer says %u lines of this sub-chunk, it holds %s", w->warp,
                     expected, lines < expected ? "fewer" : "more");
    }
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static int block_entry_(struct smrf_trace *t, struct smrf_dim3 *id, uint32_t *warps)
{
    uint32_t ids[BLOCK_IDS];
    uint64_t at = t->binary->at;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < BLOCK_IDS; i++) {
        rc = footer_u32_(t, &ids[i]);
    }
    if (rc == 0) {
        rc = footer_u32_(t, warps);
    }
    if (rc != 0) {
        return rc;
    }
    const struct smrf_dim3 *grid = &t->header.info.grid;
    *id = (struct smrf_dim3){ids[0], ids[1], ids[2]};
    if (id->x >= grid->x || id->y >= grid->y || id->z >= grid->z) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "thread block (%u,%u,%u) lies outside the grid",
                     id->x, id->y, id->z);
    }
    if (*warps > smrf_header_warps(&t->header)) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "%u warps, the block's threads make %u", *warps,
                     smrf_header_warps(&t->header));
    }
    return 0;
}

/* The footer's entry of a warp, checked against the warp's own header. */
static int warp_entry_(struct smrf_trace *t, struct warp_entry *w)
{
    struct smrf_binary *b = t->binary;
    uint32_t low, high;
    uint8_t own[8];
    uint64_t at = b->at;
    int rc = footer_u32_(t, &w->insts);
    if (rc == 0) {
        rc = footer_u32_(t, &w->chunks);
    }
    if (rc == 0) {
        rc = footer_u32_(t, &low);
    }
    if (rc == 0) {
        rc = footer_u32_(t, &high);
    }
    if (rc != 0) {
        return rc;
    }
    w->offset = low | (uint64_t)high << 32;
    w->counts_at = b->at;
    if (w->chunks > w->insts || (w->insts != 0 && w->chunks == 0)) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "warp %u: %u lines in %u sub-chunks", w->warp,
                     w->insts, w->chunks);
    }
    if ((uint64_t)w->chunks * 4 > b->end - b->at) {
        return fail_(t, SMRF_ERR_CORRUPT, at, "warp %u: %u sub-chunks, more than the footer holds",
                     w->warp, w->chunks);
    }
    b->at += (uint64_t)w->chunks * 4;
    if (w->offset < b->data || b->footer < 8 || w->offset > b->footer - 8) {
        return fail_(t, SMRF_ERR_CORRUPT, at,
                     "warp %u: its offset %llu lies outside the warps' data", w->warp,
                     (unsigned long long)w->offset);
    }
    rc = read_at_(t, w->offset, own, sizeof own);
    if (rc == 0 && (u32_(own) != w->insts || u32_(own + 4) != w->chunks)) {
        return fail_(t, SMRF_ERR_CORRUPT, w->offset,
                     "warp %u: %u lines in %u sub-chunks here, %u in %u in the footer", w->warp,
                     u32_(own), u32_(own + 4), w->insts, w->chunks);
    }
    return rc;
}

static int warp_(struct smrf_trace *t, struct smrf_trace_block *block, uint32_t warp)
{
    struct smrf_binary *b = t->binary;
    struct warp_entry w = {.warp = warp};
    int rc = warp_entry_(t, &w);
    if (rc != 0) {
        return rc;
    }
    uint64_t next = b->at, at = w.offset + 8, sum = 0;
    smrf_digest_add(&t->digest, &w.insts, sizeof w.insts);
    smrf_packer_begin_warp(&t->packer, warp);
    smrf_check_warp(&t->parser.check, block->id, warp);
    block->packed.warp[warp].insts = w.insts;
    b->at = w.counts_at;
    for (uint32_t i = 0; i < w.chunks; i++) {
        uint32_t expected;
        size_t bytes;
        uint64_t from = at;
        rc = footer_u32_(t, &expected);
        if (rc == 0) {
            rc = load_(t, &at, &bytes);
        }
        if (rc == 0) {
            rc = lines_(t, &w, from, bytes, expected);
        }
        if (rc != 0) {
            return rc;
        }
        sum += expected;
    }
    if (sum != w.insts) {
        return fail_(t, SMRF_ERR_CORRUPT, w.counts_at,
                     "warp %u: its sub-chunks hold %llu lines together, not %u", warp,
                     (unsigned long long)sum, w.insts);
    }
    b->at = next;
    t->totals.warps++;
    t->totals.warp_insts += w.insts;
    return smrf_contradict_warp(t, "%s: byte %llu: warp %u", t->file, (unsigned long long)w.offset,
                                warp);
}

int smrf_binary_kernel_block(struct smrf_trace *t, struct smrf_trace_block *block)
{
    struct smrf_binary *b = t->binary;
    uint32_t warps;
    if (b->blocks_left == 0) {
        if (b->at != b->end) {
            return fail_(t, SMRF_ERR_CORRUPT, b->at, "%llu bytes follow the footer's last block",
                         (unsigned long long)(b->end - b->at));
        }
        return 0;
    }
    block->place = b->at;
    int rc = block_entry_(t, &block->id, &warps);
    if (rc == 0 && smrf_packed_block_init(&block->packed, smrf_header_warps(&t->header)) != 0) {
        rc = fail_(t, SMRF_ERR_NOMEM, b->at, "no memory for a thread block");
    }
    if (rc != 0) {
        return rc;
    }
    b->blocks_left--;
    smrf_digest_add(&t->digest, &block->id, sizeof block->id);
    smrf_packer_begin_block(&t->packer, &block->packed);
    for (uint32_t w = 0; w < warps; w++) {
        rc = warp_(t, block, w);
        if (rc != 0) {
            return rc;
        }
    }
    rc = smrf_packer_end_block(&t->packer, &t->error);
    return rc != 0 ? rc : 1;
}

/* Whether the first warp's first lines carry values: what smrf_kernel_info.has_values says. */
static int peek_values_(struct smrf_trace *t)
{
    struct smrf_binary *b = t->binary;
    struct smrf_digest digest = t->digest;
    uint64_t at = b->at;
    uint32_t warps;
    struct smrf_dim3 id;
    struct warp_entry w = {0};
    size_t bytes = 0;
    if (t->header.info.tracer_version < 6 || b->blocks_left == 0) {
        return 0;
    }
    int rc = block_entry_(t, &id, &warps);
    if (rc == 0 && warps != 0) {
        rc = warp_entry_(t, &w);
    }
    if (rc == 0 && w.chunks != 0) {
        uint64_t from = w.offset + 8;
        rc = load_(t, &from, &bytes);
    }
    if (rc != 0) {
        return rc;
    }
    t->header.info.has_values = bytes != 0 && smrf_text_has_values(b->text.data, bytes);
    b->at = at;
    t->digest = digest;
    return 0;
}
