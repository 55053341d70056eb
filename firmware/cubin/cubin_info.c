/* SPDX-License-Identifier: Apache-2.0 */
/* .nv.info sections: attributes, each a format byte, an attribute byte and a value of 0, 1, 2 or a
 * counted number of bytes. Words that are numbers of symbols are written by name. */
#include "firmware/cubin/cubin_internal.h"

#include <stdlib.h>

enum { FORMAT_SIZED = 4 };
enum {
    EIATTR_FRAME_SIZE = 0x11,
    EIATTR_MIN_STACK_SIZE = 0x12,
    EIATTR_REGCOUNT = 0x2f,
    EIATTR_INDIRECT_BRANCH_TARGETS = 0x34
};
enum { BRANCH_WORDS = 12 }; /* bytes before a branch's targets: place, two halves, their number */

struct attribute {
    uint8_t format, id;
    const uint8_t *bytes; /* of FORMAT_SIZED */
    uint32_t size;
};

/* The attribute at *at, or false where none is left. */
static bool next_(const struct smrf_cubin_section *s, uint64_t *at, struct attribute *a)
{
    if (!s->bytes || s->size < 4 || *at > s->size - 4) {
        return false;
    }
    const uint8_t *bytes = s->bytes + *at;
    *a = (struct attribute){.format = bytes[0], .id = bytes[1], .bytes = bytes + 4};
    *at += 4;
    if (a->format == FORMAT_SIZED) {
        a->size = smrf_get16(bytes + 2);
        if (a->size > s->size - *at) {
            return false;
        }
        *at += a->size;
    }
    return true;
}

/* The code section that an .nv.info section of a function is about: its sh_info. */
static bool about_code_(const struct smrf_cubin *c, const struct smrf_cubin_section *s)
{
    return s->type == SMRF_CUBIN_INFO && s->info < c->num_sections &&
           c->section[s->info].type == SMRF_CUBIN_TEXT;
}

static int add_branches_(struct smrf_cubin *c, uint32_t section, const struct attribute *a,
                         uint32_t *room, uint32_t *label_room)
{
    for (uint32_t at = 0; a->size - at >= BRANCH_WORDS;) {
        const uint8_t *bytes = a->bytes + at;
        const uint32_t count = smrf_get32(bytes + 8);
        if (count > (a->size - at - BRANCH_WORDS) / 4) {
            return smrf_code_fail(c->error, SMRF_ERR_CORRUPT, c->name,
                                  "damaged cubin: the targets of a branch are cut short");
        }
        if (c->num_branches == *room) {
            *room = *room ? *room * 2 : 16;
            void *more = realloc(c->branch, *room * sizeof *c->branch);
            if (!more) {
                return smrf_code_fail(c->error, SMRF_ERR_NOMEM, c->name, "out of memory");
            }
            c->branch = more;
        }
        if (c->num_labels + count > *label_room) {
            *label_room = (c->num_labels + count) * 2;
            void *more = realloc(c->label, *label_room * sizeof *c->label);
            if (!more) {
                return smrf_code_fail(c->error, SMRF_ERR_NOMEM, c->name, "out of memory");
            }
            c->label = more;
        }
        c->branch[c->num_branches++] =
            (struct smrf_cubin_branch){section, count, smrf_get32(bytes), bytes + BRANCH_WORDS};
        for (uint32_t i = 0; i < count; i++) {
            c->label[c->num_labels++] =
                (uint64_t)section << 40 | smrf_get32(bytes + BRANCH_WORDS + 4 * i);
        }
        at += BRANCH_WORDS + 4 * count;
    }
    return 0;
}

static int branches_by_place_(const void *a, const void *b)
{
    const struct smrf_cubin_branch *x = a, *y = b;
    if (x->section != y->section) {
        return x->section < y->section ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int labels_by_place_(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int smrf_cubin_read_branches(struct smrf_cubin *c)
{
    uint32_t room = 0, label_room = 0;
    for (uint32_t i = 1; i < c->num_sections; i++) {
        const struct smrf_cubin_section *s = &c->section[i];
        struct attribute a;
        for (uint64_t at = 0; about_code_(c, s) && next_(s, &at, &a);) {
            if (a.format == FORMAT_SIZED && a.id == EIATTR_INDIRECT_BRANCH_TARGETS) {
                int rc = add_branches_(c, s->info, &a, &room, &label_room);
                if (rc < 0) {
                    return rc;
                }
            }
        }
    }
    if (c->num_branches) {
        qsort(c->branch, c->num_branches, sizeof *c->branch, branches_by_place_);
    }
    if (c->num_labels) {
        qsort(c->label, c->num_labels, sizeof *c->label, labels_by_place_);
    }
    return 0;
}

static bool of_symbol_(const struct smrf_cubin *c, const struct attribute *a)
{
    const bool about =
        a->id == EIATTR_REGCOUNT || a->id == EIATTR_FRAME_SIZE || a->id == EIATTR_MIN_STACK_SIZE;
    return a->format == FORMAT_SIZED && about && a->size >= 8 &&
           smrf_get32(a->bytes) < c->num_symbols && *c->symbol[smrf_get32(a->bytes)].name;
}

int smrf_cubin_write_info(struct smrf_cubin *c, const struct smrf_cubin_section *s)
{
    struct attribute a;
    uint64_t from = 0, at = 0;
    for (; next_(s, &at, &a); from = at) {
        uint64_t byte = from;
        smrf_text_add(&c->text, "\t.byte\t");
        for (uint64_t end = from + 4; byte < end; byte++) {
            smrf_text_add(&c->text, "%s0x%02x", byte == from ? "" : ", ", s->bytes[byte]);
        }
        smrf_text_add(&c->text, "\n");
        if (of_symbol_(c, &a)) {
            smrf_text_add(&c->text, "\t.word\tindex@(%s)\n", c->symbol[smrf_get32(a.bytes)].name);
            byte += 4;
        }
        for (; byte < at; byte++) {
            smrf_text_add(&c->text, "\t.byte\t0x%02x\n", s->bytes[byte]);
        }
    }
    if (from != s->size) {
        return smrf_code_fail(c->error, SMRF_ERR_CORRUPT, c->name,
                              "damaged cubin: section '%.120s' ends within an attribute", s->name);
    }
    return 0;
}
