/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of sections: .byte, .short, .word, .dword with numbers or relocations, .zero. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    uint8_t bytes; /* of an item, 0 = .zero */
} directives[] = {{".byte", 1}, {".short", 2}, {".word", 4}, {".dword", 8}, {".zero", 0}};

#define NUM_DIRECTIVES (sizeof directives / sizeof *directives)

static size_t which_(const struct smrf_sass_parser *p)
{
    for (size_t i = 0; i < NUM_DIRECTIVES; i++) {
        size_t length = strlen(directives[i].word);
        if (smrf_sass_starts(p, directives[i].word) &&
            ((size_t)(p->end - p->at) == length || p->at[length] == ' ' || p->at[length] == '\t')) {
            return i;
        }
    }
    return NUM_DIRECTIVES;
}

bool smrf_sass_data_directive(const struct smrf_sass_parser *p)
{
    return which_(p) < NUM_DIRECTIVES;
}

/* Makes the section `size` bytes long, new ones zero. */
int smrf_sass_pad(struct smrf_sass_parser *p, struct smrf_sass_section *section, uint64_t size)
{
    if (size <= section->size) {
        return 0;
    }
    uint64_t limit = section->nobits ? SMRF_SASS_MAX_ZERO_BYTES : SMRF_SASS_MAX_INIT_BYTES;
    if (section->kind == SASS_CONST || section->kind == SASS_SHARED) {
        limit = SMRF_SASS_MAX_BANK_BYTES;
    }
    if (size > limit) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line,
                              "section '%.100s' becomes larger than %llu bytes", section->name,
                              (unsigned long long)limit);
    }
    if (!section->nobits && size > section->capacity) {
        uint64_t capacity = section->capacity ? section->capacity * 2 : 256;
        while (capacity < size) {
            capacity *= 2;
        }
        uint8_t *bytes = realloc(section->bytes, (size_t)capacity);
        if (!bytes) {
            return smrf_sass_nomem(p);
        }
        memset(bytes + section->capacity, 0, (size_t)(capacity - section->capacity));
        section->bytes = bytes;
        section->capacity = capacity;
    }
    section->size = size;
    return 0;
}

/* The word that names a texture's or a surface's header: [20@lo(0x0)=texture],
 * [20@lo(0x0)=fun@R_CUDA_SURF_HEADER_INDEX(surface)]. It stays 0, and the section knows the
 * name. */
static int parse_header_(struct smrf_sass_parser *p, uint32_t index, uint8_t bytes)
{
    const char *equal = memchr(p->at, '=', (size_t)(p->end - p->at));
    const char *close = memchr(p->at, ']', (size_t)(p->end - p->at));
    char buffer[48];
    if (!equal || !close || close < equal) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected [number=texture] at %s",
                              smrf_sass_here(p, buffer));
    }
    p->at = equal + 1;
    size_t length = smrf_sass_name_length(p);
    if (length == 3 && memcmp(p->at, "fun", 3) == 0 && p->at[3] == '@') {
        const char *open = memchr(p->at, '(', (size_t)(close - p->at));
        p->at = open ? open + 1 : close;
        length = smrf_sass_name_length(p);
    }
    if (length == 0 || length > (size_t)(close - p->at)) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a texture's name is missing before %s",
                              smrf_sass_here(p, buffer));
    }
    char *name = smrf_sass_copy(p->store, p->at, length);
    if (!name) {
        return smrf_sass_nomem(p);
    }
    p->at = close + 1;
    struct smrf_sass_header *header = smrf_sass_alloc(p->store, sizeof *header);
    if (!header) {
        return smrf_sass_nomem(p);
    }
    *header = (struct smrf_sass_header){.next = p->sections[index].header,
                                        .name = name,
                                        .offset = (uint32_t)p->sections[index].size};
    p->sections[index].header = header;
    return smrf_sass_pad(p, &p->sections[index], p->sections[index].size + bytes);
}

static int parse_item_(struct smrf_sass_parser *p, uint32_t index, uint8_t bytes)
{
    smrf_sass_skip_space(p);
    if (smrf_sass_starts(p, "[")) {
        return parse_header_(p, index, bytes);
    }
    struct smrf_sass_expr expr;
    int rc = smrf_sass_parse_expr(p, &expr);
    if (rc < 0) {
        return rc;
    }
    struct smrf_sass_section *section = &p->sections[index];
    uint64_t at = section->size;
    rc = smrf_sass_pad(p, section, at + bytes);
    if (rc < 0) {
        return rc;
    }
    if (section->kind == SASS_SHARED) { /* a block's shared memory begins with nothing in it */
        return 0;
    }
    if (expr.terms || expr.form != SASS_VALUE || expr.here) {
        struct smrf_sass_fixup fixup = {.expr = expr,
                                        .line = p->line,
                                        .where = index,
                                        .offset = at,
                                        .target = SASS_TO_BYTES,
                                        .bytes = bytes};
        if (section->nobits) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                                  "a relocation in a section without bits");
        }
        return smrf_sass_add_fixup(p, &fixup);
    }
    uint64_t value = (uint64_t)expr.constant;
    if (bytes < 8 && value >> (8 * bytes) && (int64_t)value < -(INT64_C(1) << (8 * bytes - 1))) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a number does not fit %u bytes", bytes);
    }
    if (bytes < 8 && (int64_t)value > 0 && value >> (8 * bytes)) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a number does not fit %u bytes", bytes);
    }
    if (section->nobits) {
        if (value) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a value in a section without bits");
        }
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        section->bytes[at + i] = (uint8_t)(value >> (8 * i));
    }
    return 0;
}

int smrf_sass_parse_data(struct smrf_sass_parser *p, bool has_offset, uint64_t offset)
{
    char buffer[48];
    uint32_t index = p->section;
    struct smrf_sass_section *section = &p->sections[index];
    size_t i = which_(p);
    if (section->kind == SASS_TEXT || i == NUM_DIRECTIVES) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                              "%s does not belong into section '%.80s'", smrf_sass_here(p, buffer),
                              section->name);
    }
    if (has_offset && offset != section->size) {
        return smrf_sass_fail(
            p, SMRF_ERR_CORRUPT, p->line,
            "the data's offset is 0x%llx, but 0x%llx is next: lines are missing or "
            "twice there",
            (unsigned long long)offset, (unsigned long long)section->size);
    }
    p->at += strlen(directives[i].word);
    if (directives[i].bytes == 0) {
        uint64_t count;
        smrf_sass_skip_space(p);
        if (!smrf_sass_unsigned(p, &count) || count > SMRF_SASS_MAX_ZERO_BYTES) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "bad number of bytes before %s",
                                  smrf_sass_here(p, buffer));
        }
        return smrf_sass_pad(p, section, section->size + count);
    }
    do {
        int rc = parse_item_(p, index, directives[i].bytes);
        if (rc < 0) {
            return rc;
        }
    } while (smrf_sass_accept(p, ','));
    smrf_sass_skip_space(p);
    if (!smrf_sass_at_end(p) && !smrf_sass_starts(p, "//") && !smrf_sass_starts(p, "/*")) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "',' expected at %s",
                              smrf_sass_here(p, buffer));
    }
    return 0;
}
