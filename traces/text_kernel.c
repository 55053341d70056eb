/* SPDX-License-Identifier: Apache-2.0 */
/* One launch as text: header, then thread blocks between #BEGIN_TB and #END_TB. */
#define _GNU_SOURCE /* memmem */
#include "trace_internal.h"

#include <string.h>

static const char *here_(const struct smrf_trace *t)
{
    return t->text.buffer + t->text.pos;
}

static int fail_(struct smrf_trace *t, int code, const char *reason)
{
    return smrf_trace_fail(&t->error, code, "%s:%llu: %s", t->file,
                           (unsigned long long)t->text.line, reason);
}

static int truncated_(struct smrf_trace *t)
{
    return fail_(
        t, SMRF_ERR_CORRUPT,
        "the file ends inside a thread block (no #END_TB); it is truncated, copy or record "
        "it again");
}

/* Of at most SMRF_TEXT_PAD characters. */
static inline bool starts_(const char *line, const char *word)
{
    return memcmp(line, word, strlen(word)) == 0;
}

bool smrf_text_has_values(const char *text, size_t bytes)
{
    return memmem(text, bytes, " Val ", 5) != NULL;
}

int smrf_text_kernel_open(struct smrf_trace *t)
{
    int rc = smrf_text_open(&t->text, t->file, &t->digest, &t->decoder, &t->error);
    while (rc == 0) {
        rc = smrf_text_skip_blank(&t->text, &t->error);
        if (rc == 0) { /* the end of the file: a header without blocks is complete, too */
            rc = smrf_header_check(&t->header);
            return rc == 0 ? 0 : fail_(t, rc, t->header.reason);
        }
        if (rc < 0) {
            return rc;
        }
        const char *line = here_(t);
        if (*line == '#') {
            break;
        }
        const char *newline = memchr(line, '\n', t->text.limit - t->text.pos);
        rc = smrf_header_line(&t->header, line, (size_t)(newline - line));
        if (rc != 0) {
            return fail_(t, rc, rc == SMRF_ERR_NOMEM ? "no memory" : t->header.reason);
        }
        smrf_text_skip_line(&t->text);
    }
    if (rc < 0) {
        return rc;
    }
    rc = smrf_header_check(&t->header);
    if (rc != 0) {
        return fail_(t, rc, t->header.reason);
    }
    if (!starts_(here_(t), "#BEGIN_TB")) {
        smrf_text_skip_line(&t->text); /* "#traces format = ...", for readers only */
    }
    t->header.info.has_values = t->header.info.tracer_version >= 6 &&
                                smrf_text_has_values(here_(t), t->text.limit - t->text.pos);
    return 0;
}

/* The number in "key = number". */
static bool keyed_number_(const char *line, const char *key, uint64_t *out)
{
    const char *p = line + strlen(key);
    uint64_t v = 0;
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    if (*p++ != '=') {
        return false;
    }
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    const char *start = p;
    while (*p >= '0' && *p <= '9' && p - start < 19) {
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    while (*p == ' ' || *p == '\t' || *p == '\r') {
        p++;
    }
    *out = v;
    return p != start && *p == '\n';
}

static bool block_id_(const char *line, struct smrf_dim3 *id)
{
    uint32_t v[3];
    const char *p = line + strlen("thread block");
    while (*p == ' ' || *p == '\t' || *p == '=') {
        p++;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n = 0;
        const char *start = p;
        while (*p >= '0' && *p <= '9' && p - start < 10) {
            n = n * 10 + (uint64_t)(*p++ - '0');
        }
        if (p == start || n > INT32_MAX || (i < 2 && *p++ != ',')) {
            return false;
        }
        v[i] = (uint32_t)n;
    }
    *id = (struct smrf_dim3){v[0], v[1], v[2]};
    return true;
}

/* The block's header up to its first warp or its end. */
static int begin_(struct smrf_trace *t, struct smrf_trace_block *b)
{
    const struct smrf_dim3 *grid = &t->header.info.grid;
    bool named = false;
    smrf_text_skip_line(&t->text);
    for (;;) {
        int rc = smrf_text_skip_blank(&t->text, &t->error);
        if (rc <= 0) {
            return rc < 0 ? rc : truncated_(t);
        }
        const char *line = here_(t);
        if (starts_(line, "thread block")) {
            if (!block_id_(line, &b->id)) {
                return fail_(t, SMRF_ERR_FORMAT, "must read 'thread block = x,y,z'");
            }
            if (b->id.x >= grid->x || b->id.y >= grid->y || b->id.z >= grid->z) {
                return fail_(t, SMRF_ERR_FORMAT, "the thread block lies outside the grid");
            }
            b->place = t->text.line;
            named = true;
        } else if (!starts_(line, "cluster")) { /* ids that version 2.0 of Accel-Sim adds */
            break;
        }
        smrf_text_skip_line(&t->text);
    }
    if (!named) {
        return fail_(t, SMRF_ERR_FORMAT, "'thread block = x,y,z' must follow #BEGIN_TB");
    }
    return 0;
}

static int refused_(struct smrf_trace *t, int64_t rc)
{
    return t->error.code != 0 ? t->error.code : fail_(t, (int)rc, t->parser.reason);
}

/* The instruction lines of a warp: the hot loop. */
static int insts_(struct smrf_trace *t, uint64_t insts)
{
    struct smrf_text *text = &t->text;
    for (uint64_t left = insts; left > 0;) {
        if (text->pos == text->limit) {
            int rc = smrf_text_fill(text, &t->error);
            if (rc <= 0) {
                return rc < 0 ? rc : truncated_(t);
            }
        }
        const char *line = text->buffer + text->pos;
        if (*line <= ' ') {
            int rc = smrf_text_skip_blank(text, &t->error);
            if (rc <= 0) {
                return rc < 0 ? rc : truncated_(t);
            }
            line = text->buffer + text->pos;
        }
        if (*line == '#' || *line == 'w' || *line == 't') {
            return smrf_trace_fail(&t->error, SMRF_ERR_CORRUPT,
                                   "%s:%llu: the warp has %llu instructions fewer than its 'insts' "
                                   "line says; the trace is incomplete",
                                   t->file, (unsigned long long)text->line,
                                   (unsigned long long)left);
        }
        uint64_t lines;
        int64_t bytes =
            smrf_parse_lines(&t->parser, line, text->buffer + text->limit, left, &lines, &t->error);
        if (bytes < 0) {
            return refused_(t, bytes);
        }
        if (t->parser.check.found != 0) {
            int rc = smrf_contradict_line(t, "%s:%llu", t->file, (unsigned long long)text->line);
            if (rc != 0) {
                return rc;
            }
        }
        text->pos += (size_t)bytes;
        text->line += lines;
        left -= lines;
    }
    return 0;
}

static int warp_(struct smrf_trace *t, struct smrf_trace_block *b)
{
    uint64_t warp, insts;
    if (!keyed_number_(here_(t), "warp", &warp)) {
        return fail_(t, SMRF_ERR_FORMAT, "must read 'warp = number'");
    }
    if (warp >= b->packed.num_warps) {
        return fail_(t, SMRF_ERR_FORMAT, "the warp's number is beyond the block's threads");
    }
    struct smrf_packed_warp *w = &b->packed.warp[warp];
    if (smrf_packed_written(w)) {
        return fail_(t, SMRF_ERR_FORMAT, "the thread block has this warp already");
    }
    smrf_text_skip_line(&t->text);
    int rc = smrf_text_skip_blank(&t->text, &t->error);
    if (rc <= 0) {
        return rc < 0 ? rc : truncated_(t);
    }
    if (!starts_(here_(t), "insts") || !keyed_number_(here_(t), "insts", &insts)) {
        return fail_(t, SMRF_ERR_FORMAT, "'insts = number' must follow the warp's line");
    }
    smrf_text_skip_line(&t->text);
    smrf_packer_begin_warp(&t->packer, (uint32_t)warp);
    smrf_check_warp(&t->parser.check, b->id, (uint32_t)warp);
    w->insts = insts;
    t->totals.warps++;
    t->totals.warp_insts += insts;
    rc = insts_(t, insts);
    return rc != 0 ? rc
                   : smrf_contradict_warp(t, "%s:%llu", t->file,
                                          (unsigned long long)(t->text.line - (insts != 0)));
}

int smrf_text_kernel_block(struct smrf_trace *t, struct smrf_trace_block *b)
{
    for (;;) {
        int rc = smrf_text_skip_blank(&t->text, &t->error);
        if (rc <= 0) {
            return rc;
        }
        const char *line = here_(t);
        if (starts_(line, "#BEGIN_TB")) {
            break;
        }
        if (*line != '#') {
            return fail_(
                t, SMRF_ERR_FORMAT,
                "text outside #BEGIN_TB .. #END_TB; a raw .trace must go through Accel-Sim's "
                "post-traces-processing first");
        }
        smrf_text_skip_line(&t->text);
    }
    int rc = begin_(t, b);
    if (rc == 0) {
        rc = smrf_packed_block_init(&b->packed, smrf_header_warps(&t->header));
    }
    if (rc != 0) {
        return rc == SMRF_ERR_NOMEM ? fail_(t, rc, "no memory for a thread block") : rc;
    }
    smrf_packer_begin_block(&t->packer, &b->packed);
    for (;;) {
        rc = smrf_text_skip_blank(&t->text, &t->error);
        if (rc <= 0) {
            return rc < 0 ? rc : truncated_(t);
        }
        const char *line = here_(t);
        if (starts_(line, "#END_TB")) {
            break;
        }
        if (!starts_(line, "warp")) {
            return fail_(
                t, SMRF_ERR_FORMAT,
                "'warp = number' or #END_TB must stand here; does the warp above have more "
                "instructions than its 'insts' line says?");
        }
        rc = warp_(t, b);
        if (rc != 0) {
            return rc;
        }
    }
    smrf_text_skip_line(&t->text);
    rc = smrf_packer_end_block(&t->packer, &t->error);
    return rc != 0 ? rc : 1;
}
