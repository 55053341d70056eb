/* SPDX-License-Identifier: Apache-2.0 */
/* .nv.info and .nv.info.<function>: a stream of attributes, each a format byte, an attribute byte
 * and, by format, no value, one byte, two bytes, or a length and that many bytes. Numbers are those
 * that nvdisasm prints beside the names (EIATTR_..). */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_SHORT = 3, FORMAT_SIZED = 4 };

enum {
    EIATTR_PARAM_CBANK = 0x0a,
    EIATTR_FRAME_SIZE = 0x11,
    EIATTR_MIN_STACK_SIZE = 0x12,
    EIATTR_KPARAM_INFO = 0x17,
    EIATTR_CBANK_PARAM_SIZE = 0x19,
    EIATTR_REGCOUNT = 0x2f
};

struct attribute {
    uint8_t format, id;
    const uint8_t *bytes; /* of FORMAT_SIZED */
    uint32_t size, value;
};

static uint32_t get_(const uint8_t *bytes, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value |= (uint32_t)bytes[i] << (8 * i);
    }
    return value;
}

/* Function of a word that was index@(name): the symbol's number, plus 1. NULL = another symbol. */
static struct smrf_sass_function *function_of_(struct smrf_sass_parser *p, uint32_t word)
{
    if (word == 0 || word > p->num_symbols) {
        return NULL;
    }
    uint32_t index = p->symbols[word - 1].function;
    return index == SMRF_SASS_NO_INDEX ? NULL : &p->store->module.function[index];
}

static void about_function_(struct smrf_sass_parser *p, const struct attribute *a)
{
    struct smrf_sass_function *f = a->size >= 8 ? function_of_(p, get_(a->bytes, 4)) : NULL;
    if (!f) {
        return;
    }
    uint32_t value = get_(a->bytes + 4, 4);
    if (a->id == EIATTR_REGCOUNT) {
        f->registers = value;
    } else if (a->id == EIATTR_FRAME_SIZE) {
        f->frame_bytes = value;
    } else if (a->id == EIATTR_MIN_STACK_SIZE) {
        f->stack_bytes = value == UINT32_MAX ? -1 : (int64_t)value;
    }
}

struct params {
    struct smrf_sass_param *item;
    uint32_t count, capacity;
};

/* Word 0: index; ordinal, offset: 16 bits each; then 8 bits alignment, 4 space, 6 bank, 14 size. */
static int add_param_(struct smrf_sass_parser *p, struct params *params, const struct attribute *a)
{
    if (a->size < 12) {
        return 0;
    }
    if (!smrf_sass_grow((void **)&params->item, params->count, &params->capacity,
                        sizeof *params->item)) {
        return smrf_sass_nomem(p);
    }
    params->item[params->count++] =
        (struct smrf_sass_param){.ordinal = (uint16_t)get_(a->bytes + 4, 2),
                                 .offset = (uint16_t)get_(a->bytes + 6, 2),
                                 .bytes = (uint16_t)(get_(a->bytes + 8, 4) >> 18)};
    return 0;
}

static int by_ordinal_(const void *a, const void *b)
{
    return ((const struct smrf_sass_param *)a)->ordinal -
           ((const struct smrf_sass_param *)b)->ordinal;
}

/* The next attribute at *at. */
static int next_attribute_(struct smrf_sass_parser *p, const struct smrf_sass_section *s,
                           uint64_t *at, struct attribute *a)
{
    const uint8_t *bytes = s->bytes + *at;
    uint64_t left = s->size - *at;
    *a = (struct attribute){0};
    if (left < 4) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, s->line,
                              "section '%.120s' ends within an attribute", s->name);
    }
    a->format = bytes[0];
    a->id = bytes[1];
    *at += 4;
    a->value = get_(bytes + 2, a->format == FORMAT_BYTE ? 1 : 2);
    if (a->format < FORMAT_NONE || a->format > FORMAT_SIZED) {
        return smrf_sass_fail(
            p, SMRF_ERR_CORRUPT, s->line,
            "section '%.120s' has an attribute of unknown format %u at offset 0x%llx", s->name,
            a->format, (unsigned long long)(*at - 4));
    }
    if (a->format != FORMAT_SIZED) {
        return 0;
    }
    if (a->value > left - 4) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, s->line,
                              "section '%.120s' ends within an attribute", s->name);
    }
    a->bytes = bytes + 4;
    a->size = a->value;
    *at += ((uint64_t)a->size + 3) & ~UINT64_C(3);
    return 0;
}

static int take_(struct smrf_sass_parser *p, struct smrf_sass_function *f, struct params *params,
                 const struct attribute *a)
{
    if (a->format == FORMAT_SIZED && (a->id == EIATTR_REGCOUNT || a->id == EIATTR_FRAME_SIZE ||
                                      a->id == EIATTR_MIN_STACK_SIZE)) {
        about_function_(p, a);
    }
    if (!f) {
        return 0;
    }
    if (a->format == FORMAT_SHORT && a->id == EIATTR_CBANK_PARAM_SIZE) {
        f->param_bytes = a->value;
    }
    if (a->format != FORMAT_SIZED) {
        return 0;
    }
    if (a->id == EIATTR_PARAM_CBANK && a->size >= 8) {
        f->param_base = get_(a->bytes + 4, 2);
        f->param_bytes = get_(a->bytes + 6, 2);
    }
    return a->id == EIATTR_KPARAM_INFO ? add_param_(p, params, a) : 0;
}

static int check_params_(struct smrf_sass_parser *p, const struct smrf_sass_section *s,
                         struct smrf_sass_function *f, struct params *params)
{
    qsort(params->item, params->count, sizeof *params->item, by_ordinal_);
    for (uint32_t i = 0; i < params->count; i++) {
        if (params->item[i].ordinal != i ||
            (uint32_t)params->item[i].offset + params->item[i].bytes > f->param_bytes) {
            return smrf_sass_fail(p, SMRF_ERR_CORRUPT, s->line,
                                  "the parameters of '%.120s' are not described as they should: "
                                  "parameter %u",
                                  f->name, i);
        }
    }
    f->param = smrf_sass_alloc(p->store, (params->count + (size_t)1) * sizeof *f->param);
    if (!f->param) {
        return smrf_sass_nomem(p);
    }
    memcpy(f->param, params->item, params->count * sizeof *f->param);
    f->num_params = params->count;
    return 0;
}

static int read_section_(struct smrf_sass_parser *p, const struct smrf_sass_section *s)
{
    struct smrf_sass_function *f = NULL;
    struct params params = {0};
    if (s->owner) {
        uint32_t symbol = smrf_sass_symbol_find(p, s->owner, strlen(s->owner));
        if (symbol != SMRF_SASS_NO_INDEX) {
            f = function_of_(p, symbol + 1);
        }
    }
    int rc = 0;
    for (uint64_t at = 0; at < s->size && rc >= 0;) {
        struct attribute a;
        rc = next_attribute_(p, s, &at, &a);
        if (rc >= 0) {
            rc = take_(p, f, &params, &a);
        }
    }
    if (rc >= 0 && params.count) {
        rc = check_params_(p, s, f, &params);
    }
    free(params.item);
    return rc;
}

int smrf_sass_read_info(struct smrf_sass_parser *p)
{
    for (uint32_t i = 0; i < p->num_sections; i++) {
        const struct smrf_sass_section *s = &p->sections[i];
        int rc = s->kind == SASS_INFO && s->bytes ? read_section_(p, s) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}
