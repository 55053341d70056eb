/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the side file. */
#include "bits.h"

#include "traces/files/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct smrf_reuse_writer {
    struct smrf_output output;
    FILE *file; /* of the output; NULL: it could not be opened */
    enum smrf_reuse_mode mode;
    int err;
    char text[SMRF_REUSE_TEXT]; /* of err */
    uint32_t launches;
    /* dynamic: the block that is being written, its warps one after the other */
    bool in_block;
    uint32_t warp, warps, insts; /* present warp; of the block; instructions of the warp */
    uint8_t *bits;
    size_t num_bits, room; /* room in bytes */
};

static const char *const modes[] = {"profile", "majority", "dynamic"};

const char *smrf_reuse_mode_name(unsigned mode)
{
    return mode < sizeof modes / sizeof *modes ? modes[mode] : NULL;
}

static int fail_(struct smrf_reuse_writer *w, int err)
{
    if (!w->err) {
        w->err = err;
        snprintf(w->text, sizeof w->text, "%.300s: cannot be written: %s", w->output.path,
                 err == SMRF_ERR_NOMEM ? "out of memory" : strerror(errno));
    }
    return w->err;
}

int smrf_reuse_writer_open(struct smrf_reuse_writer **writer, const char *path,
                           enum smrf_reuse_mode mode, uint32_t rthld)
{
    struct smrf_reuse_writer *w = *writer = calloc(1, sizeof *w);
    if (!w) {
        return SMRF_ERR_NOMEM;
    }
    w->mode = mode;
    w->err = smrf_output_open(&w->output, path, w->text, sizeof w->text);
    if (w->err) {
        return w->err;
    }
    w->file = w->output.file;
    fprintf(w->file, "smrf-reuse 1\nmode %s\nrthld %u\n", modes[mode], rthld);
    return SMRF_OK;
}

int smrf_reuse_writer_launch(struct smrf_reuse_writer *w, const struct smrf_kernel_info *info)
{
    if (!w->err && fprintf(w->file, "launch %u %s\n", ++w->launches, info->name) < 0) {
        return fail_(w, SMRF_ERR_IO);
    }
    return w->err;
}

static void line_(FILE *out, const struct smrf_static_inst *op, uint32_t near_src,
                  uint32_t near_dst)
{
    fprintf(out, "%04x %.80s", op->pc, op->text);
    for (unsigned i = 0; i < op->num_dst; i++) {
        fprintf(out, " R%u%c", op->dst[i], near_dst >> i & 1 ? '+' : '-');
    }
    fputs(" :", out);
    for (unsigned i = 0; i < op->num_src; i++) {
        fprintf(out, " R%u%c", op->src[i], near_src >> i & 1 ? '+' : '-');
    }
    fputc('\n', out);
}

int smrf_reuse_writer_profile(struct smrf_reuse_writer *w, const struct smrf_reuse_profile *p)
{
    for (uint32_t i = 0; !w->err && i < p->num; i++) {
        uint32_t near_src, near_dst;
        if (p->counts[i].runs) {
            smrf_reuse_majority(&p->counts[i], &near_src, &near_dst);
            line_(w->file, p->counts[i].op, near_src, near_dst);
        }
    }
    return !w->err && ferror(w->file) ? fail_(w, SMRF_ERR_IO) : w->err;
}

static void u32_(FILE *out, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    fwrite(bytes, 1, sizeof bytes, out);
}

/* Write the warp that has been collected, and empty ones up to (not including) `next`. */
static void flush_warps_(struct smrf_reuse_writer *w, uint32_t next)
{
    while (w->warp < next) {
        size_t bytes = (w->num_bits + 7) / 8;
        u32_(w->file, w->insts);
        u32_(w->file, (uint32_t)bytes);
        if (bytes) {
            fwrite(w->bits, 1, bytes, w->file);
            memset(w->bits, 0, bytes);
        }
        w->num_bits = 0;
        w->insts = 0;
        w->warp++;
    }
}

static void end_block_(struct smrf_reuse_writer *w)
{
    if (w->in_block) {
        flush_warps_(w, w->warps);
    }
    w->in_block = false;
}

static void put_(struct smrf_reuse_writer *w, uint32_t bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++, w->num_bits++) {
        w->bits[w->num_bits / 8] |= (uint8_t)((bits >> i & 1) << w->num_bits % 8);
    }
}

int smrf_reuse_writer_inst(struct smrf_reuse_writer *w, struct smrf_trace_block *block,
                           uint32_t warp, const struct smrf_reuse_marked *m)
{
    if (w->err) {
        return w->err;
    }
    if (!m) {
        end_block_(w);
        w->in_block = true;
        w->warps = smrf_trace_block_warps(block);
        w->warp = 0;
        fputc('B', w->file);
        u32_(w->file, w->warps);
        return ferror(w->file) ? fail_(w, SMRF_ERR_IO) : SMRF_OK;
    }
    flush_warps_(w, warp);
    if (w->num_bits / 8 + 16 > w->room) {
        size_t room = w->room ? 2 * w->room : 4096;
        uint8_t *grown = realloc(w->bits, room);
        if (!grown) {
            return fail_(w, SMRF_ERR_NOMEM);
        }
        memset(grown + w->room, 0, room - w->room);
        w->bits = grown;
        w->room = room;
    }
    put_(w, m->near_src, m->op->num_src);
    put_(w, m->near_dst, m->op->num_dst);
    w->insts++;
    return ferror(w->file) ? fail_(w, SMRF_ERR_IO) : SMRF_OK;
}

int smrf_reuse_writer_end_launch(struct smrf_reuse_writer *w)
{
    if (!w->err) {
        end_block_(w);
        if (fputs("end\n", w->file) == EOF) {
            return fail_(w, SMRF_ERR_IO);
        }
    }
    return w->err;
}

bool smrf_reuse_writer_failed(const struct smrf_reuse_writer *w)
{
    return w && w->err;
}

int smrf_reuse_writer_close(struct smrf_reuse_writer *w, char text[SMRF_REUSE_TEXT])
{
    if (!w) {
        snprintf(text, SMRF_REUSE_TEXT, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    char unused[SMRF_REUSE_TEXT];
    int err = w->err;
    if (err) {
        memcpy(text, w->text, sizeof w->text);
    }
    if (w->file) {
        int closed = smrf_output_close(&w->output, !err, err ? unused : text, SMRF_REUSE_TEXT);
        err = err ? err : closed;
    }
    free(w->bits);
    free(w);
    return err;
}

void smrf_reuse_writer_abandon(struct smrf_reuse_writer *w)
{
    char text[SMRF_REUSE_TEXT];
    if (w) {
        w->err = w->err ? w->err : SMRF_ERR_STATE;
        (void)smrf_reuse_writer_close(w, text);
    }
}
