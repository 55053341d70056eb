/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the side file. */
#include "bits.h"

#include "traces/files/input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE 2048 /* bytes of a line: a mangled name may be long */

struct smrf_reuse_reader {
    struct smrf_input input;
    FILE *file; /* of the input */
    char *path;
    unsigned long line; /* of the text, 1-based */
    enum smrf_reuse_mode mode;
    uint32_t rthld, launches;
    char buffer[LINE];
    char error[SMRF_REUSE_TEXT];
};

struct smrf_reuse_block {
    uint32_t warps;
    struct {
        uint32_t insts; /* left */
        uint32_t at;    /* bit of the next one */
        uint32_t bytes;
        size_t offset; /* of the bits, from the start of the struct */
    } warp[];
};

__attribute__((format(printf, 3, 4))) static int fail_(struct smrf_reuse_reader *r, int err,
                                                       const char *fmt, ...)
{
    va_list args;
    int used = snprintf(r->error, sizeof r->error, "%.300s:%lu: ", r->path, r->line);
    va_start(args, fmt);
    vsnprintf(r->error + used, sizeof r->error - (size_t)used, fmt, args);
    va_end(args);
    return err;
}

/* Next line without its end. */
static int next_line_(struct smrf_reuse_reader *r)
{
    r->line++;
    if (!fgets(r->buffer, sizeof r->buffer, r->file)) {
        return ferror(r->file) ? fail_(r, SMRF_ERR_IO, "cannot be read: %s", strerror(errno))
                               : fail_(r, SMRF_ERR_CORRUPT,
                                       "the file ends here: write it again "
                                       "with smrf annotate");
    }
    size_t length = strcspn(r->buffer, "\r\n");
    if (length + 1 == sizeof r->buffer) {
        return fail_(r, SMRF_ERR_FORMAT, "the line is longer than %d characters", LINE - 2);
    }
    r->buffer[length] = '\0';
    return SMRF_OK;
}

/* A line "key value"; *value points into the buffer. */
static int keyed_(struct smrf_reuse_reader *r, const char *key, const char **value)
{
    size_t length = strlen(key);
    int err = next_line_(r);
    if (err) {
        return err;
    }
    if (strncmp(r->buffer, key, length) != 0 || r->buffer[length] != ' ') {
        return fail_(r, SMRF_ERR_FORMAT, "expected '%s ..', not '%.40s'", key, r->buffer);
    }
    *value = r->buffer + length + 1;
    return SMRF_OK;
}

static int head_(struct smrf_reuse_reader *r)
{
    const char *value;
    char *end;
    int err = keyed_(r, "smrf-reuse", &value);
    if (!err && strcmp(value, "1") != 0) {
        err = fail_(r, SMRF_ERR_FORMAT, "version %.20s; this program reads version 1", value);
    }
    err = err ? err : keyed_(r, "mode", &value);
    if (err) {
        return err;
    }
    unsigned mode = 0;
    while (smrf_reuse_mode_name(mode) && strcmp(smrf_reuse_mode_name(mode), value) != 0) {
        mode++;
    }
    if (!smrf_reuse_mode_name(mode)) {
        return fail_(r, SMRF_ERR_FORMAT, "mode is profile, majority or dynamic, not '%.20s'",
                     value);
    }
    r->mode = (enum smrf_reuse_mode)mode;
    err = keyed_(r, "rthld", &value);
    if (err) {
        return err;
    }
    unsigned long rthld = strtoul(value, &end, 10);
    if (end == value || *end || rthld < 1 || rthld > SMRF_REUSE_MAX_RTHLD) {
        return fail_(r, SMRF_ERR_FORMAT, "rthld is 1 to %d, not '%.20s'", SMRF_REUSE_MAX_RTHLD,
                     value);
    }
    r->rthld = (uint32_t)rthld;
    return SMRF_OK;
}

int smrf_reuse_reader_open(struct smrf_reuse_reader **reader, const char *path,
                           char text[SMRF_REUSE_TEXT])
{
    struct smrf_reuse_reader *r = calloc(1, sizeof *r);
    size_t length = strlen(path);
    *reader = NULL;
    if (!r || !(r->path = malloc(length + 1))) {
        free(r);
        snprintf(text, SMRF_REUSE_TEXT, "out of memory");
        return SMRF_ERR_NOMEM;
    }
    memcpy(r->path, path, length + 1);
    int err = smrf_input_open(&r->input, path, UINT64_MAX, text, SMRF_REUSE_TEXT);
    r->file = r->input.file;
    if (!err && (err = head_(r)) != 0) {
        snprintf(text, SMRF_REUSE_TEXT, "%s", r->error);
    }
    if (err) {
        smrf_reuse_reader_close(r);
        return err;
    }
    *reader = r;
    return SMRF_OK;
}

enum smrf_reuse_mode smrf_reuse_reader_mode(const struct smrf_reuse_reader *r)
{
    return r->mode;
}

uint32_t smrf_reuse_reader_rthld(const struct smrf_reuse_reader *r)
{
    return r->rthld;
}

const char *smrf_reuse_reader_error(const struct smrf_reuse_reader *r)
{
    return r->error;
}

void smrf_reuse_reader_close(struct smrf_reuse_reader *r)
{
    if (r) {
        smrf_input_close(&r->input);
        free(r->path);
        free(r);
    }
}

/* "0040 FFMA R4+ : R2- R3+": take the signs out, which leaves the key, and gather them as bits. */
static int inst_line_(struct smrf_reuse_reader *r, struct smrf_reuse_bits *bits)
{
    char key[LINE];
    uint32_t near[2] = {0, 0}; /* destinations, sources */
    unsigned count[2] = {0, 0};
    unsigned side = 0, word = 0;
    size_t used = 0;
    for (const char *at = r->buffer; *at; word++) {
        size_t length = strcspn(at, " ");
        bool sign = word >= 2 && length > 1 && (at[length - 1] == '+' || at[length - 1] == '-');
        if (word >= 2 && length == 1 && *at == ':') {
            side++;
        } else if (word >= 2 && (!sign || *at != 'R' || side > 1 || count[side] >= SMRF_MAX_SRC)) {
            return fail_(r, SMRF_ERR_FORMAT, "'%.*s' is no register with + or -",
                         length < 40 ? (int)length : 40, at);
        }
        if (sign && side < 2) {
            near[side] |= (uint32_t)(at[length - 1] == '+') << count[side];
            count[side]++;
        }
        if (used) {
            key[used++] = ' ';
        }
        memcpy(key + used, at, sign ? length - 1 : length);
        used += sign ? length - 1 : length;
        at += length;
        at += *at == ' ';
    }
    if (side != 1) {
        return fail_(r, SMRF_ERR_FORMAT, "expected: PC opcode destinations : sources");
    }
    key[used] = '\0';
    if (smrf_reuse_bits_add_key(bits, key, near[1], near[0])) {
        return fail_(r, SMRF_ERR_NOMEM, "out of memory");
    }
    return SMRF_OK;
}

int smrf_reuse_reader_launch(struct smrf_reuse_reader *r, const struct smrf_kernel_info *info,
                             struct smrf_reuse_bits *bits)
{
    const char *value;
    char *name;
    int err = keyed_(r, "launch", &value);
    if (err) {
        return err;
    }
    unsigned long number = strtoul(value, &name, 10);
    if (number != ++r->launches || *name != ' ' || strcmp(name + 1, info->name) != 0) {
        return fail_(r, SMRF_ERR_FORMAT,
                     "this is launch %.80s; the trace's launch %u is %.80s: the file belongs to "
                     "another trace",
                     value, r->launches, info->name);
    }
    if (r->mode == SMRF_REUSE_DYNAMIC) {
        return SMRF_OK;
    }
    smrf_reuse_bits_clear(bits);
    while (!(err = next_line_(r)) && strcmp(r->buffer, "end") != 0) {
        err = inst_line_(r, bits);
        if (err) {
            return err;
        }
    }
    return err;
}

static int u32_(struct smrf_reuse_reader *r, uint32_t *value)
{
    uint8_t b[4];
    if (fread(b, 1, 4, r->file) != 4) {
        return fail_(r, SMRF_ERR_CORRUPT, "the file ends within a block");
    }
    *value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return SMRF_OK;
}

/* One warp of a record, behind what has been gathered in *record. */
static int warp_(struct smrf_reuse_reader *r, struct smrf_reuse_block **record, size_t *used,
                 uint32_t warp, uint64_t insts)
{
    uint32_t stated = 0, bytes = 0;
    int err = u32_(r, &stated);
    err = err ? err : u32_(r, &bytes);
    if (!err && (stated != insts || bytes > insts * 5 + 1)) {
        err = fail_(r, SMRF_ERR_CORRUPT, "warp %u has %u instructions, the trace's has %" PRIu64,
                    warp, stated, insts);
    }
    if (err) {
        return err;
    }
    struct smrf_reuse_block *grown = realloc(*record, *used + bytes + 1);
    if (!grown) {
        return fail_(r, SMRF_ERR_NOMEM, "out of memory");
    }
    *record = grown;
    if (fread((uint8_t *)grown + *used, 1, bytes, r->file) != bytes) {
        return fail_(r, SMRF_ERR_CORRUPT, "the file ends within a block");
    }
    grown->warp[warp].insts = stated;
    grown->warp[warp].at = 0;
    grown->warp[warp].offset = *used;
    grown->warp[warp].bytes = bytes;
    *used += bytes;
    return SMRF_OK;
}

int smrf_reuse_reader_block(struct smrf_reuse_reader *r, struct smrf_trace_block *block,
                            struct smrf_reuse_block **bits)
{
    uint32_t expected = smrf_trace_block_warps(block), warps = 0;
    *bits = NULL;
    if (fgetc(r->file) != 'B') {
        return fail_(r, SMRF_ERR_CORRUPT, "launch %u has fewer blocks than the trace", r->launches);
    }
    int err = u32_(r, &warps);
    if (!err && warps != expected) {
        err =
            fail_(r, SMRF_ERR_CORRUPT, "a block has %u warps, the trace's has %u", warps, expected);
    }
    size_t used = sizeof **bits + warps * sizeof(*bits)->warp[0];
    struct smrf_reuse_block *record = err ? NULL : malloc(used);
    if (!err && !record) {
        err = fail_(r, SMRF_ERR_NOMEM, "out of memory");
    }
    for (uint32_t w = 0; !err && w < warps; w++) {
        err = warp_(r, &record, &used, w, smrf_trace_warp_length(block, w));
    }
    if (err) {
        free(record);
        return err;
    }
    record->warps = warps;
    *bits = record;
    return SMRF_OK;
}

int smrf_reuse_reader_end_launch(struct smrf_reuse_reader *r)
{
    if (r->mode != SMRF_REUSE_DYNAMIC) {
        return SMRF_OK;
    }
    int err = next_line_(r);
    if (!err && strcmp(r->buffer, "end") != 0) {
        err = fail_(r, SMRF_ERR_CORRUPT, "launch %u has more blocks than the trace", r->launches);
    }
    return err;
}

static uint32_t get_(const uint8_t *bits, uint32_t at, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value |= (uint32_t)(bits[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    }
    return value;
}

int smrf_reuse_block_next(struct smrf_reuse_block *block, uint32_t warp,
                          const struct smrf_static_inst *op, uint32_t *near_src, uint32_t *near_dst)
{
    uint32_t count = (uint32_t)op->num_src + op->num_dst;
    if (warp >= block->warps || !block->warp[warp].insts ||
        (block->warp[warp].at + count + 7) / 8 > block->warp[warp].bytes) {
        if (count || warp >= block->warps || !block->warp[warp].insts) {
            return SMRF_ERR_CORRUPT;
        }
    }
    const uint8_t *bits = (const uint8_t *)block + block->warp[warp].offset;
    uint32_t at = block->warp[warp].at;
    block->warp[warp].insts--;
    block->warp[warp].at += count;
    *near_src = get_(bits, at, op->num_src);
    *near_dst = get_(bits, at + op->num_src, op->num_dst);
    return SMRF_OK;
}
