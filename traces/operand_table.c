/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "operands.h"

#include "digest.h"
#include "traces/files/escape.h"
#include "whole_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 16384 /* a function's name may be long */
#define NAME_MAX_BYTES 128
#define ROWS_LIMIT (1u << 20) /* instructions: 16 MiB of machine code */
#define EDGES_LIMIT (1u << 20)
#define SOURCES_LIMIT 4096 /* files */
#define FILE_LIMIT (UINT64_C(1) << 30)

static int no_memory_(struct smrf_trace_error_text *error, const char *path)
{
    return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory", path);
}

/* Up to the last ".trace" of the file's own name. */
char *smrf_operand_table_path(const char *trace_file)
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

static bool grow_(void **array, size_t have, size_t more, size_t *room, size_t item)
{
    if (*room - have >= more) {
        return true;
    }
    size_t larger = 2 * *room + more;
    void *grown = realloc(*array, larger * item);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *room = larger;
    return true;
}

static int row_(struct smrf_operand_table *t, const char *line, uint64_t number,
                struct smrf_trace_error_text *error)
{
    const char *reason;
    if (!grow_((void **)&t->row, t->num, 1, &t->room, sizeof *t->row) ||
        !grow_((void **)&t->names, t->names_bytes, NAME_MAX_BYTES, &t->names_room, 1)) {
        return no_memory_(error, t->path);
    }
    struct smrf_operands *o = &t->row[t->num];
    char *name = t->names + t->names_bytes;
    int rc = smrf_operands_parse(line, t->version, o, name, NAME_MAX_BYTES, &reason);
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
    o->source = t->present_source;
    o->source_line = t->present_line;
    t->names_bytes += strlen(name) + 1;
    t->num++;
    return 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

static const char *number_(const char *p, int base, uint32_t *out)
{
    char *end;
    if (*p++ != ' ' || !((*p >= '0' && *p <= '9') || (base == 16 && *p >= 'a' && *p <= 'f'))) {
        return NULL;
    }
    unsigned long v = strtoul(p, &end, base);
    *out = (uint32_t)v;
    return v <= UINT32_MAX ? end : NULL;
}

/* .function PC bytes registers kind name */
static int function_(struct smrf_operand_table *t, const char *p, const char **reason)
{
    static const char *const kinds[] = {
        [SMRF_CODE_KERNEL] = " kernel ",
        [SMRF_CODE_DEVICE] = " device ",
        [SMRF_CODE_EXTERNAL] = " external ",
    };
    struct smrf_operand_function f = {0};
    size_t kind = 0;
    *reason = "'.function PC bytes registers kernel|device|external name' is expected";
    p = number_(p, 16, &f.pc);
    p = p != NULL ? number_(p, 16, &f.bytes) : NULL;
    p = p != NULL ? number_(p, 10, &f.registers) : NULL;
    while (p != NULL && kind < 3 && strncmp(p, kinds[kind], strlen(kinds[kind])) != 0) {
        kind++;
    }
    if (p == NULL || kind == 3 || p[strlen(kinds[kind])] == '\0') {
        return SMRF_ERR_FORMAT;
    }
    const char *name = p + strlen(kinds[kind]);
    const size_t n = strlen(name) + 1;
    if (t->num_functions != 0 && f.pc <= t->function[t->num_functions - 1].pc) {
        *reason = "functions must ascend";
        return SMRF_ERR_FORMAT;
    }
    if (!grow_((void **)&t->function, t->num_functions, 1, &t->function_room,
               sizeof *t->function) ||
        !grow_((void **)&t->function_names, t->function_names_bytes, n, &t->function_names_room,
               1)) {
        return SMRF_ERR_NOMEM;
    }
    memcpy(t->function_names + t->function_names_bytes, name, n);
    t->function_names_bytes += n;
    f.kind = (uint8_t)kind;
    t->function[t->num_functions++] = f;
    return 0;
}

/* .call PC target.. */
static int edges_(struct smrf_operand_table *t, uint8_t kind, const char *p, const char **reason)
{
    struct smrf_operand_edge e = {.kind = kind};
    *reason = "PCs must follow";
    for (p = number_(p, 16, &e.from); p != NULL && *p != '\0';) {
        p = number_(p, 16, &e.to);
        if (p == NULL) {
            break;
        }
        if (t->num_edges == EDGES_LIMIT) {
            *reason = "more than 2^20 edges";
            return SMRF_ERR_LIMIT;
        }
        if (!grow_((void **)&t->edge, t->num_edges, 1, &t->edge_room, sizeof *t->edge)) {
            return SMRF_ERR_NOMEM;
        }
        t->edge[t->num_edges++] = e;
    }
    return p != NULL ? 0 : SMRF_ERR_FORMAT;
}

static int statement_(struct smrf_operand_table *t, const char *line, uint64_t number,
                      struct smrf_trace_error_text *error)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } edges[] = {{".call", SMRF_EDGE_CALL},
                 {".indirect", SMRF_EDGE_INDIRECT},
                 {".branch", SMRF_EDGE_BRANCH}};
    const char *reason = "unknown statement";
    const size_t n = strcspn(line, " ");
    int rc = SMRF_ERR_FORMAT;
    if (n == 9 && memcmp(line, ".function", n) == 0) {
        rc = function_(t, line + n, &reason);
    }
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        if (strlen(edges[i].word) == n && memcmp(line, edges[i].word, n) == 0) {
            rc = edges_(t, edges[i].kind, line + n, &reason);
        }
    }
    if (rc == SMRF_ERR_NOMEM) {
        return no_memory_(error, t->path);
    }
    return rc == 0 ? 0
                   : smrf_trace_fail(error, rc, "%s:%llu: %s; see docs/operands.md", t->path,
                                     (unsigned long long)number, reason);
}

/* ---- sources --------------------------------------------------------------------------------- */

/* The file's name, kept once. NULL: no memory, or too many. */
static const char *source_(struct smrf_operand_table *t, const char *name, size_t n)
{
    for (size_t i = t->num_sources; i-- > 0;) { /* the last is the likeliest */
        if (strlen(t->source[i]) == n && memcmp(t->source[i], name, n) == 0) {
            return t->source[i];
        }
    }
    if (t->num_sources == SOURCES_LIMIT ||
        !grow_((void **)&t->source, t->num_sources, 1, &t->sources_room, sizeof *t->source)) {
        return NULL;
    }
    char *copy = strndup(name, n);
    if (copy != NULL) {
        t->source[t->num_sources++] = copy;
    }
    return copy;
}

/* '#line 6 "saxpy.cu"', or '#line 0': not known from here on. */
static int source_line_(struct smrf_operand_table *t, const char *line, uint64_t number,
                        struct smrf_trace_error_text *error)
{
    uint32_t value = 0;
    const char *p = number_(line + strlen(SMRF_OPERANDS_LINE) - 1, 10, &value);
    const size_t n = p != NULL ? strlen(p) : 0;
    t->present_line = value;
    t->present_source = NULL;
    if (p != NULL && value == 0 && n == 0) {
        return 0;
    }
    if (p == NULL || value == 0 || n < 4 || p[0] != ' ' || p[1] != '"' || p[n - 1] != '"') {
        return smrf_trace_fail(error, SMRF_ERR_FORMAT,
                               "%s:%llu: '#line number \"file\"' is expected; see docs/operands.md",
                               t->path, (unsigned long long)number);
    }
    t->present_source = source_(t, p + 2, n - 3);
    if (t->present_source == NULL && t->num_sources == SOURCES_LIMIT) {
        return smrf_trace_fail(error, SMRF_ERR_LIMIT, "%s:%llu: more than %d source files", t->path,
                               (unsigned long long)number, SOURCES_LIMIT);
    }
    return t->present_source != NULL ? 0 : no_memory_(error, t->path);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int cut_off_(const struct smrf_operand_table *t, struct smrf_trace_error_text *error,
                    const char *what)
{
    return smrf_trace_fail(error, SMRF_ERR_CORRUPT,
                           "%s: %s: the sidecar is cut off; trace again, or remove it: without it "
                           "the trace replays, too",
                           t->path, what);
}

/* '#end 153', the last line: so many are before it. */
static int end_(struct smrf_operand_table *t, const char *line, uint64_t number,
                struct smrf_trace_error_text *error)
{
    uint32_t lines;
    const char *p = number_(line + strlen(SMRF_OPERANDS_END) - 1, 10, &lines);
    if (p == NULL || *p != '\0' || lines + UINT64_C(1) != number) {
        return smrf_trace_fail(error, SMRF_ERR_CORRUPT,
                               "%s:%llu: '%.40s', but %llu lines are before it: the sidecar is not "
                               "whole; trace again, or remove it",
                               t->path, (unsigned long long)number, line,
                               (unsigned long long)number - 1);
    }
    t->ended = true;
    return 0;
}

/* start[0, n): one line, without its newline. */
static int line_(struct smrf_operand_table *t, const char *start, size_t n, uint64_t number,
                 struct smrf_trace_error_text *error)
{
    char line[LINE_MAX_BYTES];
    while (n > 0 && (start[n - 1] == '\r' || start[n - 1] == ' ')) {
        n--;
    }
    if (n >= sizeof line) {
        return smrf_trace_fail(error, SMRF_ERR_FORMAT, "%s:%llu: a line of %zu characters", t->path,
                               (unsigned long long)number, n);
    }
    memcpy(line, start, n);
    line[n] = '\0';
    if (strlen(line) != n || !smrf_is_utf8(line)) { /* a name from a listing: as outputs show it */
        char *escaped = smrf_utf8(start, n);
        if (escaped == NULL) {
            return no_memory_(error, t->path);
        }
        (void)snprintf(line, sizeof line, "%s", escaped);
        free(escaped);
    }
    smrf_digest_add(&t->content, line, n + 1);
    if (t->ended && n != 0) {
        return smrf_trace_fail(error, SMRF_ERR_CORRUPT, "%s:%llu: nothing may follow '%s'", t->path,
                               (unsigned long long)number, SMRF_OPERANDS_END);
    }
    if (t->version == 0) {
        t->version = strcmp(line, "#smrf operands 1") == 0         ? 1
                     : strcmp(line, "#smrf operands 2") == 0       ? 2
                     : strcmp(line, SMRF_OPERANDS_FIRST_LINE) == 0 ? SMRF_OPERANDS_VERSION
                                                                   : 0;
        return t->version != 0 ? 0
                               : smrf_trace_fail(error, SMRF_ERR_FORMAT,
                                                 "%s:1: the first line must read '%s' (or 1, 2); "
                                                 "remove the file to replay without it",
                                                 t->path, SMRF_OPERANDS_FIRST_LINE);
    }
    if (strncmp(line, SMRF_OPERANDS_LINE, strlen(SMRF_OPERANDS_LINE)) == 0) {
        return source_line_(t, line, number, error);
    }
    if (t->version >= 3 && strncmp(line, SMRF_OPERANDS_END, strlen(SMRF_OPERANDS_END)) == 0) {
        return end_(t, line, number, error);
    }
    if (n == 0 || line[0] == '#') {
        return 0;
    }
    return line[0] == '.' && t->version >= 2 ? statement_(t, line, number, error)
                                             : row_(t, line, number, error);
}

static int finish_(struct smrf_operand_table *t, struct smrf_trace_error_text *error)
{
    size_t at = 0; /* the names have their place now */
    if (t->version == 0) {
        return smrf_trace_fail(error, SMRF_ERR_FORMAT, "%s: is empty", t->path);
    }
    if (t->version >= 3 && !t->ended) {
        return cut_off_(t, error, "has no last line '" SMRF_OPERANDS_END "..'");
    }
    for (uint32_t i = 0; i < t->num; i++) {
        t->row[i].opcode = t->names + at;
        at += strlen(t->names + at) + 1;
    }
    at = 0;
    for (uint32_t i = 0; i < t->num_functions; i++) {
        t->function[i].name = t->function_names + at;
        at += strlen(t->function_names + at) + 1;
    }
    return 0;
}

/* Version 2 has no end line. But each function states its length, and each call a function's start.
 * A file that was cut off contradicts these. */
static int check_length_(const struct smrf_operand_table *t, struct smrf_trace_error_text *error)
{
    char what[96];
    for (uint32_t i = 0; t->version == 2 && i < t->num_functions; i++) {
        const struct smrf_operand_function *f = &t->function[i];
        const struct smrf_operands *last = t->num > 0 ? &t->row[t->num - 1] : NULL;
        const uint64_t end = (uint64_t)f->pc + f->bytes;
        if (f->kind != SMRF_CODE_EXTERNAL && (last == NULL || last->pc + UINT64_C(16) < end)) {
            (void)snprintf(what, sizeof what,
                           "the function at %04x has %u bytes, and it ends at %04x", f->pc,
                           f->bytes, last == NULL ? 0 : last->pc);
            return cut_off_(t, error, what);
        }
    }
    for (uint32_t i = 0; t->version == 2 && i < t->num_edges; i++) {
        const struct smrf_operand_edge *e = &t->edge[i];
        bool found = e->kind == SMRF_EDGE_BRANCH;
        for (uint32_t k = 0; !found && k < t->num_functions; k++) {
            found = t->function[k].pc == e->to;
        }
        if (!found) {
            (void)snprintf(what, sizeof what, "no function begins at %04x, which is called", e->to);
            return cut_off_(t, error, what);
        }
    }
    return 0;
}

static int lines_(struct smrf_operand_table *t, const char *text, size_t bytes,
                  struct smrf_trace_error_text *error)
{
    uint64_t number = 0;
    int rc = 0;
    for (const char *at = text, *end = text + bytes; rc == 0 && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        rc = line_(t, at, (size_t)(stop - at), ++number, error);
        at = stop + 1;
    }
    return rc != 0 ? rc : finish_(t, error);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int file_(struct smrf_operand_table *t, bool unfinished, struct smrf_trace_error_text *error)
{
    int rc = lines_(t, t->text, t->text_bytes, error);
    if (rc == 0 && t->version == 2 && unfinished) {
        rc = cut_off_(t, error, "its last line has no end");
    }
    return rc == 0 ? check_length_(t, error) : rc;
}

int smrf_operand_table_open(struct smrf_operand_table *t, const char *trace_file,
                            struct smrf_operand_tables *before, struct smrf_digest *digest,
                            struct smrf_trace_error_text *error)
{
    *t = (struct smrf_operand_table){.path = smrf_operand_table_path(trace_file)};
    smrf_digest_init(&t->content);
    if (t->path == NULL || access(t->path, F_OK) != 0) {
        smrf_operand_table_close(t);
        return 0;
    }
    int rc = smrf_whole_text_of_file(t->path, FILE_LIMIT, &t->text, &t->text_bytes, error);
    if (rc == 0) {
        const bool unfinished = t->text_bytes > 0 && t->text[t->text_bytes - 1] != '\n';
        smrf_digest_add(digest, t->text, t->text_bytes);
        smrf_digest_add(digest, "\n", unfinished ? 1 : 0); /* as of a finished line */
        rc = smrf_operand_tables_take(before, t) ? 0 : file_(t, unfinished, error);
    }
    if (rc < 0) {
        smrf_operand_table_close(t);
        return rc;
    }
    return 1;
}

int smrf_operand_table_read(struct smrf_operand_table *t, const char *path, const char *text,
                            size_t bytes, struct smrf_trace_error_text *error)
{
    *t = (struct smrf_operand_table){.path = strdup(path)};
    smrf_digest_init(&t->content);
    if (t->path == NULL) {
        return no_memory_(error, path);
    }
    const int rc = lines_(t, text, bytes, error);
    if (rc < 0) {
        smrf_operand_table_close(t);
    }
    return rc;
}

void smrf_operand_table_close(struct smrf_operand_table *t)
{
    free(t->path);
    free(t->text);
    free(t->row);
    free(t->names);
    free(t->function);
    free(t->function_names);
    free(t->edge);
    for (size_t i = 0; i < t->num_sources; i++) {
        free(t->source[i]);
    }
    free(t->source);
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
