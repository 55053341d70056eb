/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "operands.h"

#include "digest.h"
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024
#define NAME_MAX_BYTES 128
#define ROWS_LIMIT (1u << 20) /* instructions: 16 MiB of machine code */

static int no_memory_(struct smrf_trace_error_text *error, const char *path)
{
    return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory", path);
}

/* Up to the last ".trace" of the file's own name. */
static char *sidecar_path_(const char *trace_file)
{
    const char *slash = strrchr(trace_file, '/');
    const char *end = NULL;
    for (const char *p = slash != NULL ? slash : trace_file; (p = strstr(p, ".trace")) != NULL;
         p++) {
        end = p;
    }
    if (end == NULL) {
        return NULL;
    }
    size_t n = (size_t)(end - trace_file);
    char *path = malloc(n + sizeof ".operands");
    if (path != NULL) {
        memcpy(path, trace_file, n);
        memcpy(path + n, ".operands", sizeof ".operands");
    }
    return path;
}

static bool reserve_(struct smrf_operand_table *t)
{
    if (t->num == t->room) {
        uint32_t room = t->room == 0 ? 256 : 2 * t->room;
        struct smrf_operands *row = realloc(t->row, room * sizeof *row);
        if (row == NULL) {
            return false;
        }
        t->row = row;
        t->room = room;
    }
    if (t->names_room - t->names_bytes < NAME_MAX_BYTES) {
        size_t room = 2 * t->names_room + 16 * NAME_MAX_BYTES;
        char *names = realloc(t->names, room);
        if (names == NULL) {
            return false;
        }
        t->names = names;
        t->names_room = room;
    }
    return true;
}

static int row_(struct smrf_operand_table *t, const char *line, uint64_t number,
                struct smrf_trace_error_text *error)
{
    const char *reason;
    if (!reserve_(t)) {
        return no_memory_(error, t->path);
    }
    struct smrf_operands *o = &t->row[t->num];
    char *name = t->names + t->names_bytes;
    int rc = smrf_operands_parse(line, o, name, NAME_MAX_BYTES, &reason);
    if (rc == 0 && t->num > 0 && o->pc <= o[-1].pc) {
        reason = "PCs must ascend";
        rc = SMRF_ERR_FORMAT;
    }
    if (rc == 0 && t->num == ROWS_LIMIT) {
        reason = "more than 2^20 instructions";
        rc = SMRF_ERR_LIMIT;
    }
    if (rc != 0) {
        return smrf_trace_fail(error, rc, "%s:%llu: %s; see docs/operands.md", t->path,
                               (unsigned long long)number, reason);
    }
    o->line = (uint32_t)number;
    t->names_bytes += strlen(name) + 1;
    t->num++;
    return 0;
}

static int rows_(struct smrf_operand_table *t, struct smrf_text *text,
                 struct smrf_trace_error_text *error)
{
    bool first = true;
    char line[LINE_MAX_BYTES];
    int rc;
    while ((rc = smrf_text_line(text, error)) == 1) {
        const char *start = text->buffer + text->pos;
        size_t n = 0;
        while (start[n] != '\n') {
            n++;
        }
        while (n > 0 && (start[n - 1] == '\r' || start[n - 1] == ' ')) {
            n--;
        }
        if (n >= sizeof line) {
            return smrf_trace_fail(error, SMRF_ERR_FORMAT, "%s:%llu: a line of %zu characters",
                                   t->path, (unsigned long long)text->line, n);
        }
        memcpy(line, start, n);
        line[n] = '\0';
        if (first && strcmp(line, SMRF_OPERANDS_FIRST_LINE) != 0) {
            return smrf_trace_fail(error, SMRF_ERR_FORMAT,
                                   "%s:1: the first line must read '%s'; remove the file to replay "
                                   "without it",
                                   t->path, SMRF_OPERANDS_FIRST_LINE);
        }
        first = false;
        if (n > 0 && line[0] != '#') {
            rc = row_(t, line, text->line, error);
            if (rc != 0) {
                return rc;
            }
        }
        smrf_text_skip_line(text);
    }
    if (rc == 0 && first) {
        return smrf_trace_fail(error, SMRF_ERR_FORMAT, "%s: is empty", t->path);
    }
    return rc;
}

int smrf_operand_table_open(struct smrf_operand_table *t, const char *trace_file,
                            struct smrf_digest *digest, struct smrf_trace_error_text *error)
{
    struct smrf_text text = {0};
    *t = (struct smrf_operand_table){.path = sidecar_path_(trace_file)};
    if (t->path == NULL || access(t->path, F_OK) != 0) {
        smrf_operand_table_close(t);
        return 0;
    }
    int rc = smrf_text_open(&text, t->path, digest, error);
    if (rc == 0) {
        rc = rows_(t, &text, error);
    }
    smrf_text_close(&text);
    if (rc < 0) {
        smrf_operand_table_close(t);
        return rc;
    }
    size_t at = 0; /* the names have their place now */
    for (uint32_t i = 0; i < t->num; i++) {
        t->row[i].opcode = t->names + at;
        at += strlen(t->names + at) + 1;
    }
    return 1;
}

void smrf_operand_table_close(struct smrf_operand_table *t)
{
    free(t->path);
    free(t->row);
    free(t->names);
    *t = (struct smrf_operand_table){0};
}

const struct smrf_operands *smrf_operand_table_find(const struct smrf_operand_table *t, uint32_t pc)
{
    uint32_t low = 0, high = t->num;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (t->row[middle].pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < t->num && t->row[low].pc == pc ? &t->row[low] : NULL;
}
