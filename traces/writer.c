/* SPDX-License-Identifier: Apache-2.0 */
/* Text kernels are streamed; a .tracez gathers one sub-chunk of lines and the index of its
 * footer. Nothing has its final name before it is complete, the list last of all. */
#define _POSIX_C_SOURCE 200809L
#include "kernel_header.h"
#include "line_format.h"
#include "sink.h"
#include "traces/files/folder_names.h"
#include "traces/files/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define SUBCHUNK_INSTS 2048u /* as Accel-Sim's post-processor */
#define ZSTD_LEVEL 3

struct bytes {
    char *data;
    size_t have, room;
};

struct smrf_trace_writer {
    struct smrf_trace_error_text error;
    enum smrf_trace_format format;
    enum smrf_trace_compression compression;
    char *dir;         /* NULL: none .. */
    int descriptor;    /* .. but this for the next launch */
    struct bytes list; /* content of kernelslist.g */
    FILE *running;     /* what of it is on the disk already; NULL: nothing */
    size_t saved;      /* its bytes */
    /* the open launch */
    struct smrf_sink *sink;
    char *file; /* its name in the folder */
    uint32_t version, binary_version, num_warps, next_warp;
    struct smrf_dim3 grid;
    bool in_kernel, in_block, in_warp;
    uint64_t insts_left;
    /* .tracez */
    struct bytes chunk, coded, footer;
    uint32_t chunk_insts, blocks;
    size_t block_at, warp_at; /* of the open block's and warp's entries in the footer */
    uint64_t warp_insts;
    ZSTD_CCtx *zstd;
};

static int fail_(struct smrf_trace_writer *w, int code, const char *reason)
{
    return smrf_trace_fail(&w->error, code, "%s/%s: %s", w->dir != NULL ? w->dir : "",
                           w->file != NULL ? w->file : "kernelslist.g", reason);
}

static int no_memory_(struct smrf_trace_writer *w)
{
    return fail_(w, SMRF_ERR_NOMEM, "no memory to write the trace");
}

/* Room for n more. */
static int grow_(struct smrf_trace_writer *w, struct bytes *b, size_t n)
{
    if (b->room - b->have < n) {
        size_t room = 2 * (b->have + n) + 256;
        char *p = realloc(b->data, room);
        if (p == NULL) {
            return no_memory_(w);
        }
        b->data = p;
        b->room = room;
    }
    return 0;
}

static int append_(struct smrf_trace_writer *w, struct bytes *b, const void *data, size_t n)
{
    int rc = grow_(w, b, n);
    if (rc != 0) {
        return rc;
    }
    if (n != 0) {
        memcpy(b->data + b->have, data, n);
    }
    b->have += n;
    return 0;
}

static void put_u32_(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static int append_u32_(struct smrf_trace_writer *w, struct bytes *b, uint32_t v)
{
    uint8_t le[4];
    put_u32_(le, v);
    return append_(w, b, le, sizeof le);
}

static int write_(struct smrf_trace_writer *w, const void *data, size_t n)
{
    return smrf_sink_write(w->sink, data, n, &w->error);
}

static int write_u32_(struct smrf_trace_writer *w, uint32_t v)
{
    uint8_t le[4];
    put_u32_(le, v);
    return write_(w, le, sizeof le);
}

static char *path_(const struct smrf_trace_writer *w, const char *name)
{
    size_t n = strlen(w->dir), m = strlen(name);
    char *p = malloc(n + m + 2);
    if (p != NULL) {
        memcpy(p, w->dir, n);
        p[n] = '/';
        memcpy(p + n + 1, name, m + 1);
    }
    return p;
}

/* ---- open, list ----------------------------------------------------------------------------- */

int smrf_trace_writer_open(struct smrf_trace_writer **writer, const char *dir,
                           enum smrf_trace_format format, enum smrf_trace_compression compression)
{
    struct smrf_trace_writer *w = calloc(1, sizeof *w);
    *writer = w;
    if (w == NULL) {
        return SMRF_ERR_NOMEM;
    }
    w->format = format;
    w->compression = compression;
    w->version = format == SMRF_TRACE_V5 ? 5 : 6; /* of the lines, in a .tracez too */
    w->dir = dir != NULL ? strdup(dir) : NULL;
    if (dir != NULL && w->dir == NULL) {
        return no_memory_(w);
    }
    if (format == SMRF_TRACE_TRACEZ && compression != SMRF_COMPRESS_NONE &&
        compression != SMRF_COMPRESS_ZSTD) {
        return fail_(
            w, SMRF_ERR_INVAL,
            "a .tracez is zstd-compressed inside and read at random; choose no compression "
            "or zstd");
    }
    if (dir != NULL && mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return smrf_trace_fail(&w->error, SMRF_ERR_IO, "%s: cannot make the folder: %s", dir,
                               strerror(errno));
    }
    if (format == SMRF_TRACE_TRACEZ) {
        w->zstd = ZSTD_createCCtx();
        if (w->zstd == NULL) {
            return no_memory_(w);
        }
    }
    return 0;
}

static int state_(struct smrf_trace_writer *w, bool legal, const char *reason)
{
    if (w->error.code != 0) {
        return w->error.code;
    }
    return legal ? 0 : fail_(w, SMRF_ERR_STATE, reason);
}

int smrf_trace_writer_memcpy(struct smrf_trace_writer *w, uint64_t address, uint64_t bytes)
{
    int rc = state_(w, !w->in_kernel, "a copy command stands between launches, not inside one");
    if (rc != 0) {
        return rc;
    }
    char line[64];
    int n = snprintf(line, sizeof line, "MemcpyHtoD,0x%016llx,%llu\n", (unsigned long long)address,
                     (unsigned long long)bytes);
    return append_(w, &w->list, line, (size_t)n);
}

/* ---- launches ------------------------------------------------------------------------------- */

static int write_header_(struct smrf_trace_writer *w, const struct smrf_kernel_info *i)
{
    char text[1024];
    const char *name = i->name != NULL ? i->name : "";
    int rc = write_(w, "-kernel name = ", 15);
    if (rc == 0) {
        rc = write_(w, name, strlen(name));
    }
    int n = snprintf(
        text, sizeof text,
        "\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n-shmem = %llu\n"
        "-nregs = %u\n-binary version = %u\n-cuda stream id = %llu\n"
        "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n"
        "-nvbit version = none (written by smrf)\n-accelsim tracer version = %u\n"
        "-enable lineinfo = 0\n\n"
        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
        "mem_width [adrrescompress?] [mem_addresses] %s\n\n",
        i->id, i->grid.x, i->grid.y, i->grid.z, i->block.x, i->block.y, i->block.z,
        (unsigned long long)i->shared_bytes, i->num_regs, i->binary_version,
        (unsigned long long)i->stream, (unsigned long long)i->shared_window,
        (unsigned long long)i->local_window, w->version,
        w->version >= 6 ? "immediate1 immediate2 Val|NoVal [dest_val_num] [dest_val] ... "
                          "[src_val1_num] [src_val1] ... [...] [src_valX_num] [src_valX] ..."
                        : "immediate");
    return rc != 0 ? rc : write_(w, text, (size_t)n);
}

static const char *info_refusal_(const struct smrf_kernel_info *i)
{
    const uint64_t most = SMRF_BLOCK_WARPS_MAX * SMRF_LANES;
    if (i->name != NULL && strpbrk(i->name, "\r\n") != NULL) {
        return "the kernel's name holds a line break";
    }
    if (i->grid.x == 0 || i->grid.y == 0 || i->grid.z == 0 || i->grid.x > INT32_MAX ||
        i->grid.y > INT32_MAX || i->grid.z > INT32_MAX) {
        return "a grid dimension is out of range (1 to 2^31 - 1)";
    }
    if (i->block.x == 0 || i->block.y == 0 || i->block.z == 0 || i->block.x > most ||
        i->block.y > most || i->block.z > most ||
        (uint64_t)i->block.x * i->block.y * i->block.z > most) {
        return "a thread block has no thread or more than 2048";
    }
    if (i->num_regs > 256 || i->binary_version > 1000 || i->shared_bytes > UINT32_MAX) {
        return "registers, binary version or shared memory are out of range";
    }
    return NULL;
}

void smrf_trace_writer_into(struct smrf_trace_writer *w, int descriptor)
{
    w->descriptor = descriptor;
}

/* The file of the launch that begins. */
static char *launch_path_(const struct smrf_trace_writer *w, const char *name)
{
    char path[32];
    if (w->dir != NULL) {
        return path_(w, name);
    }
    (void)snprintf(path, sizeof path, "/dev/fd/%d", w->descriptor);
    return strdup(path);
}

int smrf_trace_writer_begin_kernel(struct smrf_trace_writer *w, const struct smrf_kernel_info *info)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    int rc = state_(w, !w->in_kernel, "a launch begins before the one before has ended");
    if (rc != 0) {
        return rc;
    }
    const char *refusal = info_refusal_(info);
    if (refusal != NULL) {
        return fail_(w, SMRF_ERR_INVAL, refusal);
    }
    bool binary = w->format == SMRF_TRACE_TRACEZ;
    char name[64];
    (void)snprintf(name, sizeof name, "kernel-%u.%s%s", info->id, binary ? "tracez" : "traceg",
                   binary ? "" : endings[w->compression]);
    free(w->file);
    w->file = strdup(name);
    char *path = w->file != NULL ? launch_path_(w, name) : NULL;
    if (path == NULL) {
        return no_memory_(w);
    }
    rc = smrf_sink_open(&w->sink, path, binary ? SMRF_COMPRESS_NONE : w->compression,
                        w->version >= 6, &w->error);
    free(path);
    if (rc != 0) {
        return rc;
    }
    w->in_kernel = true;
    w->binary_version = info->binary_version;
    w->grid = info->grid;
    w->num_warps = (info->block.x * info->block.y * info->block.z + SMRF_LANES - 1) / SMRF_LANES;
    w->footer.have = 0;
    w->blocks = 0;
    rc = write_header_(w, info);
    if (rc != 0 || !binary) {
        return rc;
    }
    rc = write_(w, "", 1); /* the header's NUL */
    if (rc == 0) {
        rc = write_u32_(w, 0); /* no dictionary */
    }
    if (rc == 0) {
        rc = write_u32_(w, SUBCHUNK_INSTS);
    }
    return rc != 0 ? rc : append_u32_(w, &w->footer, 0);
}

int smrf_trace_writer_begin_block(struct smrf_trace_writer *w, struct smrf_dim3 id)
{
    int rc = state_(w, w->in_kernel && !w->in_block, "a thread block begins at the wrong place");
    if (rc != 0) {
        return rc;
    }
    if (id.x >= w->grid.x || id.y >= w->grid.y || id.z >= w->grid.z) {
        return fail_(w, SMRF_ERR_INVAL, "the thread block lies outside the grid");
    }
    w->in_block = true;
    w->in_warp = false;
    w->insts_left = 0;
    w->next_warp = 0;
    if (w->format != SMRF_TRACE_TRACEZ) {
        char text[96];
        int n = snprintf(text, sizeof text, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", id.x, id.y,
                         id.z);
        return write_(w, text, (size_t)n);
    }
    const uint32_t ids[10] = {id.x, id.y, id.z}; /* no clusters: their ids and the rank are 0 */
    w->blocks++;
    for (unsigned i = 0; rc == 0 && i < 10; i++) {
        rc = append_u32_(w, &w->footer, ids[i]);
    }
    w->block_at = w->footer.have;
    return rc != 0 ? rc : append_u32_(w, &w->footer, 0);
}

/* ---- warps ---------------------------------------------------------------------------------- */

static int flush_chunk_(struct smrf_trace_writer *w)
{
    if (w->chunk_insts == 0) {
        return 0;
    }
    size_t text = w->chunk.have - 1; /* lines are joined by newlines, none after the last */
    size_t room = ZSTD_compressBound(text);
    w->coded.have = 0;
    if (w->coded.room < room) {
        free(w->coded.data);
        w->coded.data = malloc(room);
        w->coded.room = w->coded.data != NULL ? room : 0;
        if (w->coded.data == NULL) {
            return no_memory_(w);
        }
    }
    size_t n =
        ZSTD_compressCCtx(w->zstd, w->coded.data, w->coded.room, w->chunk.data, text, ZSTD_LEVEL);
    if (ZSTD_isError(n)) {
        return fail_(w, SMRF_ERR_IO, ZSTD_getErrorName(n));
    }
    int rc = write_u32_(w, (uint32_t)n);
    if (rc == 0) {
        rc = write_(w, w->coded.data, n);
    }
    if (rc == 0) {
        rc = append_u32_(w, &w->footer, w->chunk_insts);
    }
    w->chunk.have = 0;
    w->chunk_insts = 0;
    return rc;
}

/* Entry of a warp in the file and in the footer. */
static int begin_binary_warp_(struct smrf_trace_writer *w, uint64_t insts)
{
    uint64_t chunks = (insts + SUBCHUNK_INSTS - 1) / SUBCHUNK_INSTS;
    if (insts > UINT32_MAX) {
        return fail_(w, SMRF_ERR_LIMIT, "a warp of a .tracez holds at most 2^32 - 1 instructions");
    }
    uint64_t offset = smrf_sink_offset(w->sink);
    int rc = write_u32_(w, (uint32_t)insts);
    if (rc == 0) {
        rc = write_u32_(w, (uint32_t)chunks);
    }
    if (rc == 0) {
        rc = append_u32_(w, &w->footer, (uint32_t)insts);
    }
    if (rc == 0) {
        rc = append_u32_(w, &w->footer, (uint32_t)chunks);
    }
    if (rc == 0) {
        rc = append_u32_(w, &w->footer, (uint32_t)offset);
    }
    if (rc == 0) {
        rc = append_u32_(w, &w->footer, (uint32_t)(offset >> 32));
    }
    if (rc == 0) {
        put_u32_((uint8_t *)w->footer.data + w->block_at, w->next_warp + 1);
    }
    return rc;
}

static int end_warp_(struct smrf_trace_writer *w)
{
    if (w->insts_left != 0) {
        return fail_(w, SMRF_ERR_STATE, "a warp has fewer instructions than it was begun with");
    }
    return w->format == SMRF_TRACE_TRACEZ ? flush_chunk_(w) : 0;
}

int smrf_trace_writer_begin_warp(struct smrf_trace_writer *w, uint32_t warp, uint64_t insts)
{
    int rc = state_(w, w->in_block, "a warp begins outside a thread block");
    if (rc == 0) {
        rc = end_warp_(w);
    }
    if (rc != 0) {
        return rc;
    }
    if (warp < w->next_warp || warp >= w->num_warps) {
        return fail_(w, SMRF_ERR_INVAL, "warps must come in ascending order, within the block");
    }
    w->insts_left = insts;
    w->in_warp = true;
    if (w->format == SMRF_TRACE_TRACEZ) {
        for (; rc == 0 && w->next_warp < warp; w->next_warp++) {
            rc = begin_binary_warp_(w, 0); /* a .tracez numbers warps by position */
        }
        if (rc == 0) {
            rc = begin_binary_warp_(w, insts);
        }
        w->next_warp = warp + 1;
        return rc;
    }
    w->next_warp = warp + 1;
    char text[64];
    int n =
        snprintf(text, sizeof text, "\nwarp = %u\ninsts = %llu\n", warp, (unsigned long long)insts);
    return write_(w, text, (size_t)n);
}

int smrf_trace_writer_line(struct smrf_trace_writer *w, const struct smrf_trace_line *line)
{
    const struct smrf_listed_text *listed = line->listed;
    struct smrf_listed_text own;
    if (w->error.code != 0) {
        return w->error.code;
    }
    if (!w->in_warp || w->insts_left == 0) {
        return fail_(w, SMRF_ERR_STATE, "more instructions than the warp was begun with");
    }
    if (listed == NULL || listed->version != w->version) {
        smrf_trace_line_list(&own, line, w->version);
        listed = &own;
    }
    const char *refusal = smrf_line_refusal(line, listed);
    if (refusal != NULL) {
        return fail_(w, SMRF_ERR_INVAL, refusal);
    }
    w->insts_left--;
    if (w->format != SMRF_TRACE_TRACEZ) {
        char *text = smrf_sink_room(w->sink, SMRF_LINE_TEXT_MAX, &w->error);
        if (text == NULL) {
            return w->error.code;
        }
        smrf_sink_fill(w->sink, smrf_line_format(text, line, listed, w->binary_version));
        return 0;
    }
    int rc = grow_(w, &w->chunk, SMRF_LINE_TEXT_MAX);
    if (rc != 0) {
        return rc;
    }
    w->chunk.have +=
        smrf_line_format(w->chunk.data + w->chunk.have, line, listed, w->binary_version);
    return ++w->chunk_insts == SUBCHUNK_INSTS ? flush_chunk_(w) : 0;
}

/* ---- ends ----------------------------------------------------------------------------------- */

int smrf_trace_writer_end_block(struct smrf_trace_writer *w)
{
    int rc = state_(w, w->in_block, "a thread block ends that did not begin");
    if (rc == 0) {
        rc = end_warp_(w);
    }
    w->in_block = w->in_warp = false;
    if (rc != 0 || w->format == SMRF_TRACE_TRACEZ) {
        return rc;
    }
    return write_(w, "\n#END_TB\n", 9);
}

int smrf_trace_writer_end_kernel(struct smrf_trace_writer *w)
{
    int rc = state_(w, w->in_kernel && !w->in_block, "a launch ends at the wrong place");
    if (rc != 0) {
        return rc;
    }
    w->in_kernel = false;
    if (w->format == SMRF_TRACE_TRACEZ) {
        uint64_t offset = smrf_sink_offset(w->sink);
        put_u32_((uint8_t *)w->footer.data, w->blocks);
        rc = write_(w, w->footer.data, w->footer.have);
        if (rc == 0) {
            rc = write_u32_(w, (uint32_t)offset);
        }
        if (rc == 0) {
            rc = write_u32_(w, (uint32_t)(offset >> 32));
        }
        if (rc != 0) {
            return rc;
        }
    }
    struct smrf_sink *sink = w->sink;
    w->sink = NULL;
    rc = smrf_sink_commit(sink, &w->error);
    if (w->dir == NULL) {
        return rc;
    }
    if (rc == 0) {
        rc = append_(w, &w->list, w->file, strlen(w->file));
    }
    return rc != 0 ? rc : append_(w, &w->list, "\n", 1);
}

const char *smrf_trace_writer_error(const struct smrf_trace_writer *w)
{
    return w == NULL ? "no memory" : w->error.text;
}

const char *smrf_trace_writer_take_list(struct smrf_trace_writer *w, size_t *bytes)
{
    *bytes = w->list.have;
    w->list.have = 0;
    return w->list.data;
}

int smrf_trace_writer_save(struct smrf_trace_writer *w)
{
    int rc = state_(w, !w->in_kernel && w->dir != NULL, "the list is saved between launches");
    char *path = rc == 0 && w->running == NULL ? path_(w, SMRF_FOLDER_RUNNING) : NULL;
    if (path != NULL) {
        w->running = fopen(path, "we");
        free(path);
    }
    if (rc == 0 && (w->running == NULL ||
                    fwrite(w->list.data + w->saved, 1, w->list.have - w->saved, w->running) !=
                        w->list.have - w->saved ||
                    fflush(w->running) != 0)) {
        rc = fail_(w, SMRF_ERR_IO, strerror(errno));
    }
    w->saved = w->list.have;
    return rc;
}

/* The whole list replaces it. */
static void end_running_(struct smrf_trace_writer *w)
{
    char *path = w->running != NULL ? path_(w, SMRF_FOLDER_RUNNING) : NULL;
    if (w->running != NULL) {
        (void)fclose(w->running);
    }
    if (path != NULL) {
        (void)unlink(path);
    }
    free(path);
}

static int write_list_(struct smrf_trace_writer *w)
{
    free(w->file);
    w->file = NULL;
    char *path = path_(w, "kernelslist.g");
    if (path == NULL) {
        return no_memory_(w);
    }
    struct smrf_output out;
    char text[sizeof w->error.text] = "";
    int rc = smrf_output_sync_contents(w->dir) == 0 ? 0 : fail_(w, SMRF_ERR_IO, strerror(errno));
    if (rc == 0 && (rc = smrf_output_open(&out, path, text, sizeof text)) == 0) {
        (void)fwrite(w->list.data, 1, w->list.have, out.file); /* closing the file reports it */
        rc = smrf_output_close(&out, true, text, sizeof text);
    }
    free(path);
    return rc == 0 ? 0 : smrf_trace_fail(&w->error, rc, "%s", text);
}

int smrf_trace_writer_close(struct smrf_trace_writer *w)
{
    if (w == NULL) {
        return SMRF_ERR_NOMEM;
    }
    int rc = state_(w, !w->in_kernel, "closed inside a launch; the launch is dropped");
    if (rc == 0 && w->dir != NULL) {
        rc = write_list_(w);
    }
    end_running_(w);
    smrf_sink_abandon(w->sink);
    ZSTD_freeCCtx(w->zstd);
    free(w->list.data);
    free(w->chunk.data);
    free(w->coded.data);
    free(w->footer.data);
    free(w->file);
    free(w->dir);
    free(w);
    return rc;
}
