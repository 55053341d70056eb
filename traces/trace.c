/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "trace_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_BUDGET ((size_t)48 * 1024 * 1024)
#define LEAST_BUDGET ((size_t)1024 * 1024) /* what a decoder's dictionary leaves at least */

/* ---- opening -------------------------------------------------------------------------------- */

static bool ends_(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && memcmp(text + n - m, end, m) == 0;
}

static bool is_kernel_name_(const char *path)
{
    static const char *const endings[] = {".traceg", ".traceg.xz", ".traceg.gz", ".traceg.zst",
                                          ".tracez", ".trace",     ".trace.xz"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_(path, endings[i])) {
            return true;
        }
    }
    return false;
}

static char *join_(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = malloc(n + m + 1);
    if (s != NULL) {
        memcpy(s, a, n);
        memcpy(s + n, b, m + 1);
    }
    return s;
}

static int no_memory_(struct smrf_trace *t)
{
    return smrf_trace_fail(&t->error, SMRF_ERR_NOMEM, "%s: no memory", t->path ? t->path : "trace");
}

/* A list, unless its name or its first character says that it is one kernel's trace. */
static int open_list_(struct smrf_trace *t)
{
    int rc = smrf_text_open(&t->list, t->path, NULL, NULL, &t->error);
    if (rc == 0) {
        rc = smrf_text_skip_blank(&t->list, &t->error);
    }
    if (rc < 0) {
        return rc;
    }
    if (rc == 1 && t->list.buffer[t->list.pos] == '-') {
        smrf_text_close(&t->list);
        return 0;
    }
    t->has_list = true;
    const char *slash = strrchr(t->path, '/');
    t->folder = strndup(t->path, slash != NULL ? (size_t)(slash + 1 - t->path) : 0);
    return t->folder != NULL ? 0 : no_memory_(t);
}

static int open_(struct smrf_trace *t, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return smrf_trace_fail(&t->error, SMRF_ERR_IO, "%s: cannot open: %s", path,
                               strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        t->path = join_(path, ends_(path, "/") ? "kernelslist.g" : "/kernelslist.g");
        if (t->path == NULL) {
            return no_memory_(t);
        }
        if (access(t->path, R_OK) != 0) {
            return smrf_trace_fail(&t->error, SMRF_ERR_IO,
                                   "%s: cannot open: %s; a trace folder must hold a kernelslist.g "
                                   "(Accel-Sim's post-traces-processing writes it)",
                                   t->path, strerror(errno));
        }
        return open_list_(t);
    }
    t->path = join_(path, "");
    if (t->path == NULL) {
        return no_memory_(t);
    }
    if (!is_kernel_name_(path)) {
        return open_list_(t);
    }
    if (access(path, R_OK) != 0) {
        return smrf_trace_fail(&t->error, SMRF_ERR_IO, "%s: cannot open: %s", path,
                               strerror(errno));
    }
    return 0;
}

int smrf_trace_open(struct smrf_trace **trace, const char *path,
                    const struct smrf_trace_options *opt)
{
    struct smrf_trace *t = calloc(1, sizeof *t);
    *trace = t;
    if (t == NULL) {
        return SMRF_ERR_NOMEM;
    }
    t->strict = opt != NULL && opt->strict;
    t->outside = opt != NULL && opt->outside;
    t->more = opt != NULL ? opt->more : NULL;
    t->more_ctx = opt != NULL ? opt->more_ctx : NULL;
    t->budget = opt != NULL && opt->memory_budget != 0 ? opt->memory_budget : DEFAULT_BUDGET;
    smrf_digest_init(&t->digest);
    smrf_store_init(&t->store, t->budget);
    t->packer.store = &t->store;
    if (smrf_code_table_init(&t->code) != 0 || smrf_code_table_init(&t->met) != 0) {
        return no_memory_(t);
    }
    return open_(t, path);
}

/* ---- launches ------------------------------------------------------------------------------- */

static void close_kernel_(struct smrf_trace *t)
{
    smrf_trace_ahead_clear(t);
    smrf_census_clear(&t->census);
    t->counted = false;
    if (!t->open) {
        return;
    }
    smrf_text_close(&t->text);
    smrf_binary_kernel_close(t);
    if (t->operands.path != NULL) {
        smrf_operand_table_keep(&t->operands, &t->known);
    }
    smrf_header_free(&t->header);
    smrf_code_table_clear(&t->code);
    free(t->file);
    t->file = NULL;
    t->open = false;
}

/* Two launches whose programs are the same decode the same text alike. */
static uint64_t program_(const struct smrf_trace *t)
{
    const struct smrf_kernel_info *info = &t->header.info;
    uint64_t program = smrf_digest_mix(info->tracer_version, info->binary_version);
    return t->operands.path != NULL
               ? smrf_digest_mix(program, smrf_digest_value(&t->operands.content))
               : program;
}

void smrf_kernel_start_parser(struct smrf_trace *t)
{
    const struct smrf_kernel_info *info = &t->header.info;
    struct smrf_line_parser *k = &t->parser;
    k->code = &t->code;
    k->met = t->has_list ? &t->met : NULL; /* a single launch has none before it */
    k->program = program_(t);
    k->packer = &t->packer;
    k->warnings = &t->warnings;
    k->totals = &t->totals;
    k->version = info->tracer_version;
    k->binary_version = info->binary_version;
    k->block_ids = info->tracer_version < 3;
    k->line_numbers = t->header.line_numbers;
    k->strict = t->strict;
    k->operands = t->operands.path != NULL ? &t->operands : NULL;
    smrf_recall_reset(&k->recall);
    smrf_check_launch(&k->check, &t->header);
}

/* Is the path a file of the list's folder itself, and no symbolic link? */
static bool lies_inside_(const struct smrf_trace *t, const char *path)
{
    const size_t n = strlen(t->folder);
    struct stat file;
    return strncmp(path, t->folder, n) == 0 && strchr(path + n, '/') == NULL &&
           lstat(path, &file) == 0 && !S_ISLNK(file.st_mode);
}

/* Does the path lead out of the list's folder by a symbolic link? What cannot be found out is found
 * out by opening it. */
static bool strays_(const struct smrf_trace *t, const char *path)
{
    if (lies_inside_(t, path)) {
        return false;
    }
    char *root = realpath(t->folder[0] != '\0' ? t->folder : ".", NULL);
    char *real = realpath(path, NULL);
    const size_t n = root != NULL ? strlen(root) : 0;
    const bool strays =
        root != NULL && real != NULL && n > 1 && (strncmp(real, root, n) != 0 || real[n] != '/');
    free(real);
    free(root);
    return strays;
}

static int outside_(struct smrf_trace *t, const char *name)
{
    return smrf_trace_fail(&t->error, SMRF_ERR_IO,
                           "%s:%llu: '%.200s' lies outside of the list's folder; "
                           "--allow-outside reads it all the same",
                           t->path, (unsigned long long)t->list.line, name);
}

/* The sidecar of a listed file is read with it. */
static int check_sidecar_(struct smrf_trace *t)
{
    char *path = t->has_list && !t->outside ? smrf_operand_table_path(t->file) : NULL;
    const int rc = path != NULL && strays_(t, path) ? outside_(t, path) : 0;
    free(path);
    return rc;
}

static int open_kernel_(struct smrf_trace *t, struct smrf_kernel_info *info)
{
    t->open = true;
    smrf_header_init(&t->header);
    if (ends_(t->file, ".trace") || ends_(t->file, ".trace.xz")) {
        return smrf_trace_fail(&t->error, SMRF_ERR_FORMAT,
                               "%s: is a raw trace (warps interleaved); run Accel-Sim's "
                               "post-traces-processing on its kernelslist first",
                               t->file);
    }
    int rc = check_sidecar_(t);
    rc = rc < 0 ? rc
                : smrf_operand_table_open(&t->operands, t->file, &t->known, &t->digest, &t->error);
    if (rc < 0) {
        return rc;
    }
    rc = ends_(t->file, ".tracez") ? smrf_binary_kernel_open(t) : smrf_text_kernel_open(t);
    if (rc != 0) {
        return rc;
    }
    /* A decoder with a large dictionary takes its memory out of the waiting instructions'. */
    size_t decoder = t->text.source != NULL ? smrf_source_memory(t->text.source) : 0;
    bool small = t->budget <= LEAST_BUDGET || decoder + LEAST_BUDGET <= t->budget;
    t->store.budget = t->budget <= LEAST_BUDGET ? t->budget
                      : small                   ? t->budget - decoder
                                                : LEAST_BUDGET;
    smrf_kernel_start_parser(t);
    t->header.info.file = t->file;
    t->totals.kernels++;
    *info = t->header.info;
    return 1;
}

/* Does a list's line leave the folder, "/x" or "a/../../x"? */
static bool leaves_(const char *name)
{
    long depth = 0;
    for (const char *p = name; *p != '\0' && depth >= 0;) {
        size_t n = strcspn(p, "/");
        depth += n == 2 && strncmp(p, "..", 2) == 0 ? -1 : n > 0 && !(n == 1 && *p == '.') ? 1 : 0;
        p += n;
        p += strspn(p, "/");
    }
    return name[0] == '/' || depth < 0;
}

/* The file of a list's line: as named, or compressed since the list was written. */
static int find_file_(struct smrf_trace *t, const char *name)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    if (!t->outside && leaves_(name)) {
        return outside_(t, name);
    }
    char *base = name[0] == '/' ? join_(name, "") : join_(t->folder, name);
    for (size_t i = 0; base != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        char *path = join_(base, endings[i]);
        if (path == NULL) {
            break;
        }
        if (access(path, R_OK) == 0) {
            free(base);
            t->file = path;
            return !t->outside && strays_(t, path) ? outside_(t, path) : 0;
        }
        free(path);
    }
    if (base == NULL) {
        return no_memory_(t);
    }
    int rc = smrf_trace_fail(&t->error, SMRF_ERR_IO,
                             "%s:%llu: the trace file %s is missing or unreadable (nor is there a "
                             ".xz, .gz or .zst of it)",
                             t->path, (unsigned long long)t->list.line, base);
    free(base);
    return rc;
}

static bool memcpy_(const char *line, uint64_t *address, uint64_t *bytes)
{
    static const char word[] = "MemcpyHtoD,";
    if (strncmp(line, word, sizeof word - 1) != 0) {
        return false;
    }
    const char *p = line + sizeof word - 1;
    char *end;
    *address = strtoull(p, &end, 16);
    if (end == p || *end != ',') {
        return false;
    }
    p = end + 1;
    *bytes = strtoull(p, &end, 10);
    return end != p && *end == '\0';
}

/* The next line of the list, which may grow. Returns 1, 0 at its end, or an error. */
static int next_line_(struct smrf_trace *t)
{
    int rc = smrf_text_skip_blank(&t->list, &t->error);
    while (rc == 0 && t->more != NULL) {
        rc = t->more(t->more_ctx, smrf_text_resume(&t->list));
        if (rc < 0) {
            return smrf_trace_fail(&t->error, rc, "%s: the list ends early", t->path);
        }
        if (rc == 0) {
            break;
        }
        rc = smrf_text_skip_blank(&t->list, &t->error);
    }
    return rc;
}

/* Take the list's commands up to the next launch. Returns 1 with t->file set, 0 at the end. */
static int next_file_(struct smrf_trace *t)
{
    for (;;) {
        int rc = next_line_(t);
        if (rc < 0) {
            return rc;
        }
        if (rc == 0) {
            break;
        }
        const char *start = t->list.buffer + t->list.pos;
        while (*start == ' ' || *start == '\t') {
            start++;
        }
        size_t n = 0;
        while (start[n] != '\n') {
            n++;
        }
        while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t' || start[n - 1] == '\r')) {
            n--;
        }
        if (memchr(start, '\0', n) != NULL) {
            return smrf_trace_fail(&t->error, SMRF_ERR_FORMAT, "%s:%llu: the line holds a NUL byte",
                                   t->path, (unsigned long long)t->list.line);
        }
        char *line = strndup(start, n);
        if (line == NULL) {
            return no_memory_(t);
        }
        uint64_t copy[2];
        rc = 0;
        if (strncmp(line, "kernel", 6) == 0 || line[0] == '/' || strncmp(line, "./", 2) == 0 ||
            strncmp(line, "../", 3) == 0) {
            rc = find_file_(t, line);
            rc = rc == 0 ? 1 : rc;
        } else if (memcpy_(line, &copy[0], &copy[1])) {
            t->totals.memcpy_commands++;
            t->totals.memcpy_bytes += copy[1];
            smrf_digest_add(&t->digest, copy, sizeof copy);
            if (t->on_copy) {
                t->on_copy(t->copy_ctx, copy[0], copy[1]);
            }
        } else {
            t->totals.unknown_lines++;
            if (t->strict) {
                rc = smrf_trace_fail(&t->error, SMRF_ERR_UNKNOWN,
                                     "%s:%llu: neither a kernel's file nor a copy: '%.80s'",
                                     t->path, (unsigned long long)t->list.line, line);
            }
            smrf_warn(&t->warnings, "list line ignored: %s:%llu: '%.80s'", t->path,
                      (unsigned long long)t->list.line, line);
        }
        free(line);
        smrf_text_skip_line(&t->list);
        if (rc != 0) {
            return rc;
        }
    }
    if (t->totals.kernels == 0 && t->totals.memcpy_commands == 0 && t->totals.unknown_lines != 0) {
        return smrf_trace_fail(
            &t->error, SMRF_ERR_FORMAT,
            "%s: no line of it names a kernel's trace; expected a kernelslist.g, "
            "a .traceg[.xz|.gz|.zst], a .tracez, or a folder with a kernelslist.g",
            t->path);
    }
    if (t->totals.kernels == 0 && t->strict) {
        return smrf_trace_fail(&t->error, SMRF_ERR_FORMAT, "%s: the list names no kernel", t->path);
    }
    return 0;
}

/* At the end of a trace. */
static void report_doubts_(struct smrf_trace *t)
{
    if (t->has_list && t->totals.kernels == 0) {
        smrf_warn(&t->warnings, "no kernel: the list %s names none", t->path);
    }
    if (t->missing.blocks != 0) {
        smrf_warn(&t->warnings,
                  "thread blocks missing: %llu of the grids of %llu launches are not in the trace, "
                  "the first time in %s",
                  (unsigned long long)t->missing.blocks, (unsigned long long)t->missing.launches,
                  t->missing.first);
    }
    if (t->repeated.blocks != 0) {
        smrf_warn(&t->warnings,
                  "thread blocks repeated: %llu in %llu launches came before, the first time in %s",
                  (unsigned long long)t->repeated.blocks, (unsigned long long)t->repeated.launches,
                  t->repeated.first);
    }
    smrf_contradictions_report(t);
}

static int state_error_(struct smrf_trace *t, const char *text)
{
    (void)snprintf(t->error.text, sizeof t->error.text, "%s", text);
    return SMRF_ERR_STATE;
}

int smrf_trace_next_kernel(struct smrf_trace *t, struct smrf_kernel_info *info)
{
    if (t->lost.code != 0 || t->error.code != 0) {
        return t->lost.code != 0 ? t->lost.code : t->error.code;
    }
    if (t->blocks_out != 0) {
        return state_error_(t,
                            "the launch's thread blocks must be released before the next launch");
    }
    close_kernel_(t);
    if (t->has_list) {
        int rc = next_file_(t);
        if (rc == 0) {
            report_doubts_(t);
        }
        if (rc <= 0) {
            return rc;
        }
    } else {
        if (t->single_taken) {
            report_doubts_(t);
            return 0;
        }
        t->single_taken = true;
        t->file = join_(t->path, "");
        if (t->file == NULL) {
            return no_memory_(t);
        }
    }
    return open_kernel_(t, info);
}

/* ---- blocks --------------------------------------------------------------------------------- */

void smrf_trace_free_block(struct smrf_trace_block *b)
{
    smrf_packed_block_free(&b->packed, &b->trace->store);
    free(b);
}

static void doubt_(const struct smrf_trace *t, struct smrf_doubt *d, uint64_t blocks)
{
    if (d->launches++ == 0) {
        (void)snprintf(d->first, sizeof d->first, "%s", t->file);
    }
    d->blocks += blocks;
}

/* A block has come. Returns 0 or an error. */
static int take_census_(struct smrf_trace *t, struct smrf_dim3 id)
{
    const struct smrf_dim3 grid = t->header.info.grid;
    int rc = smrf_census_add(&t->census, ((uint64_t)id.z * grid.y + id.y) * grid.x + id.x);
    if (rc < 0) {
        return no_memory_(t);
    }
    t->totals.repeated_blocks += (uint64_t)rc;
    if (rc > 0 && t->strict) {
        return smrf_trace_fail(&t->error, SMRF_ERR_CORRUPT,
                               "%s: thread block (%u,%u,%u) is there twice", t->file, id.x, id.y,
                               id.z);
    }
    return 0;
}

/* The launch has no further block. Returns 0 or an error. */
static int end_census_(struct smrf_trace *t)
{
    const struct smrf_dim3 grid = t->header.info.grid;
    uint64_t plane = (uint64_t)grid.x * grid.y, blocks = 0;
    if (t->counted) {
        return 0;
    }
    t->counted = true;
    blocks = __builtin_mul_overflow(plane, grid.z, &blocks) ? UINT64_MAX : blocks;
    uint64_t missing = smrf_census_missing(&t->census, blocks);
    if (missing != 0 && t->strict) {
        return smrf_trace_fail(&t->error, SMRF_ERR_CORRUPT,
                               "%s: %llu of the grid's %llu thread blocks are not in the trace",
                               t->file, (unsigned long long)missing, (unsigned long long)blocks);
    }
    if (missing != 0) {
        t->totals.missing_blocks += missing;
        doubt_(t, &t->missing, missing);
    }
    if (t->census.repeated != 0) {
        doubt_(t, &t->repeated, t->census.repeated);
    }
    return 0;
}

/* By what is in it, the next one is guessed. */
static void weigh_(struct smrf_trace *t, const struct smrf_packed_block *b)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < b->num_chunks; i++) {
        bytes += b->chunk[i].used;
    }
    t->ahead.largest = bytes > t->ahead.largest ? bytes : t->ahead.largest;
}

int smrf_trace_read_block(struct smrf_trace *t, struct smrf_trace_block **block)
{
    struct smrf_trace_block *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return no_memory_(t);
    }
    b->trace = t;
    b->packed = (struct smrf_packed_block){
        .store = &t->store, .code = &t->code, .error = &t->lost, .any_mask = t->any_mask};
    int rc = t->binary != NULL ? smrf_binary_kernel_block(t, b) : smrf_text_kernel_block(t, b);
    if (rc > 0 && b->packed.has_values &&
        (b->packed.values = calloc(1, sizeof *b->packed.values)) == NULL) {
        rc = no_memory_(t);
    }
    if (rc > 0) {
        int counted = take_census_(t, b->id);
        counted = counted != 0 ? counted : smrf_contradict_block(t, b);
        rc = counted != 0 ? counted : rc;
    }
    if (rc <= 0) {
        smrf_trace_free_block(b);
        return rc == 0 ? end_census_(t) : rc;
    }
    t->totals.blocks++;
    t->totals.spilled_bytes = t->store.spilled_bytes;
    weigh_(t, &b->packed);
    *block = b;
    return 1;
}

/* The same if no block waits: then no thread reads ahead. */
static int read_asked_(struct smrf_trace *t, struct smrf_trace_block **block)
{
    if (t->error.code != 0) {
        return t->error.code;
    }
    if (!t->open) {
        return state_error_(t, "no launch is open: call smrf_trace_next_kernel first");
    }
    smrf_trace_ahead_end(t);
    t->ahead.hides = false;
    return smrf_trace_read_block(t, block);
}

int smrf_trace_next_block(struct smrf_trace *t, struct smrf_trace_block **block)
{
    struct smrf_trace_block *b = NULL;
    *block = NULL;
    if (t->lost.code != 0) {
        return t->lost.code;
    }
    int rc = smrf_trace_ahead_ready(t) ? smrf_trace_ahead_take(t, &b) : read_asked_(t, &b);
    if (rc <= 0) {
        return rc;
    }
    t->blocks_out++;
    b->next = t->out;
    b->link = &t->out;
    if (b->next != NULL) {
        b->next->link = &b->next;
    }
    t->out = b;
    *block = b;
    return 1;
}

void smrf_trace_release_block(struct smrf_trace *trace, struct smrf_trace_block *block)
{
    if (block == NULL) {
        return;
    }
    trace->blocks_out--;
    *block->link = block->next;
    if (block->next != NULL) {
        block->next->link = block->link;
    }
    if (trace->ahead.under_way) { /* the store is the reading thread's */
        block->next = trace->ahead.back;
        trace->ahead.back = block;
        return;
    }
    smrf_trace_free_block(block);
}

struct smrf_dim3 smrf_trace_block_id(const struct smrf_trace_block *block)
{
    return block->id;
}

uint32_t smrf_trace_block_warps(const struct smrf_trace_block *block)
{
    return block->packed.num_warps;
}

uint64_t smrf_trace_warp_length(const struct smrf_trace_block *block, uint32_t warp)
{
    return warp < block->packed.num_warps ? block->packed.warp[warp].insts : 0;
}

int smrf_trace_take_insts(struct smrf_trace_block *block, uint32_t warp, unsigned most,
                          struct smrf_inst *room, const struct smrf_inst **inst,
                          struct smrf_inst_run *run)
{
    struct smrf_packed_block *b = &block->packed;
    return warp < b->num_warps ? smrf_packed_next(b, &b->warp[warp], most, room, inst, run)
                               : SMRF_ERR_INVAL;
}

int smrf_trace_next_inst(struct smrf_trace_block *block, uint32_t warp, struct smrf_inst *inst)
{
    const struct smrf_inst *at;
    int rc = smrf_trace_take_insts(block, warp, 1, inst, &at, NULL);
    if (rc > 0 && at != inst) {
        memcpy(inst, at, offsetof(struct smrf_inst, lane));
    }
    if (rc > 0 && inst->addr_kind == SMRF_ADDR_LIST && inst->list != NULL) { /* its own */
        (void)smrf_inst_list(inst, inst->lane);
        inst->list = NULL;
    }
    return rc;
}

const struct smrf_static_inst *smrf_trace_instruction(const struct smrf_trace_block *block,
                                                      uint32_t index)
{
    const struct smrf_code_table *code = &block->trace->code;
    return index < code->count ? &smrf_code_at(code, index)->inst : NULL;
}

/* ---- what has been read --------------------------------------------------------------------- */

void smrf_trace_on_copy(struct smrf_trace *trace,
                        void (*copy)(void *ctx, uint64_t address, uint64_t bytes), void *ctx)
{
    trace->on_copy = copy;
    trace->copy_ctx = ctx;
}

void smrf_trace_read_beside(struct smrf_trace *trace, const struct smrf_trace_beside *beside)
{
    smrf_text_beside(&trace->text, beside);
}

const struct smrf_trace_totals *smrf_trace_totals_get(const struct smrf_trace *trace)
{
    struct smrf_trace *t = (struct smrf_trace *)(uintptr_t)trace; /* brings the digest up to date */
    if (t->ahead.hides) {
        t->ahead.seen.totals.digest = smrf_digest_value(&t->ahead.seen.digest);
        return &t->ahead.seen.totals;
    }
    smrf_text_hash(&t->text);
    t->totals.digest = smrf_digest_value(&t->digest);
    return &t->totals;
}

const char *smrf_trace_error(const struct smrf_trace *trace)
{
    return trace == NULL           ? "no memory"
           : trace->lost.code != 0 ? trace->lost.text
                                   : trace->error.text;
}

void smrf_trace_on_instruction(struct smrf_trace *trace,
                               void (*met)(void *ctx, struct smrf_static_inst *inst), void *ctx)
{
    trace->parser.on_instruction = met;
    trace->parser.instruction_ctx = ctx;
}

void smrf_trace_sum_registers(struct smrf_trace *trace, bool base_only, uint32_t banks)
{
    trace->parser.base_only = base_only;
    trace->parser.banks = banks;
}

void smrf_trace_run_any_mask(struct smrf_trace *trace, bool any)
{
    trace->any_mask = any;
}

const struct smrf_operand_table *smrf_trace_program(const struct smrf_trace *t)
{
    return t->open && t->operands.path != NULL ? &t->operands : NULL;
}

const char *smrf_trace_warning(const struct smrf_trace *trace, size_t i)
{
    const size_t shown = trace->ahead.hides ? trace->ahead.seen.warnings : trace->warnings.count;
    return i < shown ? trace->warnings.text[i] : NULL;
}

void smrf_trace_close(struct smrf_trace *t)
{
    if (t == NULL) {
        return;
    }
    smrf_trace_ahead_end(t);
    while (t->out != NULL) {
        smrf_trace_release_block(t, t->out);
    }
    close_kernel_(t);
    smrf_text_close(&t->list);
    smrf_source_decoder_free(&t->decoder);
    smrf_code_table_destroy(&t->code);
    smrf_code_table_destroy(&t->met);
    smrf_operand_tables_close(&t->known);
    smrf_store_destroy(&t->store);
    smrf_trace_ahead_room(t, 0);
    smrf_warnings_free(&t->warnings);
    free(t->folder);
    free(t->path);
    free(t);
}
