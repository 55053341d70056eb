/* SPDX-License-Identifier: Apache-2.0 */
/* What the module shows: data symbols, data to be copied, constant banks, shared memory. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

/* The section's bytes become the module's. */
static int keep_bytes_(struct smrf_sass_parser *p)
{
    struct smrf_sass_store *store = p->store;
    store->bytes = calloc(p->num_sections + (size_t)1, sizeof *store->bytes);
    if (!store->bytes) {
        return smrf_sass_nomem(p);
    }
    for (uint32_t i = 0; i < p->num_sections; i++) {
        store->bytes[store->num_bytes++] = p->sections[i].bytes;
    }
    return 0;
}

/* The functions of the code section that belongs to the same function as s: the kernel and what
 * lies in its section. Their number, 0 = there is none. */
static uint32_t functions_of_(struct smrf_sass_parser *p, const struct smrf_sass_section *s,
                              uint32_t *first)
{
    uint32_t symbol =
        s->owner ? smrf_sass_symbol_find(p, s->owner, strlen(s->owner)) : SMRF_SASS_NO_INDEX;
    if (symbol == SMRF_SASS_NO_INDEX || p->symbols[symbol].section == SMRF_SASS_NO_INDEX) {
        return 0;
    }
    const struct smrf_sass_section *text = &p->sections[p->symbols[symbol].section];
    *first = text->first_function;
    return text->num_functions;
}

static int give_bank_(struct smrf_sass_parser *p, const struct smrf_sass_section *s)
{
    struct smrf_sass_module *module = &p->store->module;
    if (!s->owner) {
        module->const_data[s->bank] = s->bytes;
        module->const_bytes[s->bank] = (uint32_t)s->size;
        return 0;
    }
    uint32_t first = 0, count = functions_of_(p, s, &first);
    for (uint32_t i = first; i < first + count; i++) {
        struct smrf_sass_function *f = &module->function[i];
        f->const_data[s->bank] = s->bank ? s->bytes : NULL;
        f->const_bytes[s->bank] = (uint32_t)s->size;
        f->header = s->header != NULL ? s->header : f->header;
        if (s->bank == 0 && i == first && f->param_bytes == 0 && s->size > f->param_base) {
            f->param_bytes = (uint32_t)s->size - f->param_base; /* no .nv.info in the text */
        }
    }
    return 0;
}

static void give_shared_(struct smrf_sass_parser *p, const struct smrf_sass_section *s)
{
    uint32_t first = 0;
    if (functions_of_(p, s, &first)) {
        p->store->module.function[first].shared_bytes = (uint32_t)s->size;
    }
}

static int give_sections_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    module->data = calloc(p->num_sections + (size_t)1, sizeof *module->data);
    if (!module->data) {
        return smrf_sass_nomem(p);
    }
    for (uint32_t i = 0; i < p->num_sections; i++) {
        const struct smrf_sass_section *s = &p->sections[i];
        int rc = 0;
        if (s->kind == SASS_CONST) {
            rc = give_bank_(p, s);
        } else if (s->kind == SASS_SHARED) {
            give_shared_(p, s);
        } else if (s->kind == SASS_DATA && s->size > UINT32_MAX) {
            rc = smrf_sass_fail(p, SMRF_ERR_LIMIT, s->line, "section '%.120s' is larger than 4 GiB",
                                s->name);
        } else if (s->kind == SASS_DATA && s->size) {
            module->data[module->num_data++] =
                (struct smrf_sass_data){s->base, (uint32_t)s->size, s->nobits ? NULL : s->bytes};
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static char space_of_(uint8_t kind)
{
    return kind == SASS_DATA ? 'g' : kind == SASS_CONST ? 'c' : kind == SASS_SHARED ? 's' : 0;
}

static int symbol_size_(struct smrf_sass_parser *p, const struct smrf_sass_label *s, uint32_t *size)
{
    int64_t value = 0;
    if (s->size != SMRF_SASS_NO_INDEX) {
        const struct smrf_sass_size *of = &p->sizes[s->size];
        int rc = smrf_sass_eval(p, &of->expr, of->line, 0, &value);
        if (rc < 0) {
            return rc;
        }
        if (value < 0 || (uint64_t)value > p->sections[s->section].size - s->offset) {
            return smrf_sass_fail(p, SMRF_ERR_CORRUPT, of->line,
                                  "the size of '%.120s' goes beyond its section", s->name);
        }
    }
    *size = (uint32_t)value;
    return 0;
}

static int make_symbols_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    module->symbol = calloc(p->num_symbols + (size_t)1, sizeof *module->symbol);
    if (!module->symbol) {
        return smrf_sass_nomem(p);
    }
    for (uint32_t i = 0; i < p->num_symbols; i++) {
        const struct smrf_sass_label *s = &p->symbols[i];
        if (s->section == SMRF_SASS_NO_INDEX || s->label ||
            !space_of_(p->sections[s->section].kind)) {
            continue;
        }
        const struct smrf_sass_section *section = &p->sections[s->section];
        struct smrf_sass_symbol *out = &module->symbol[module->num_symbols++];
        *out = (struct smrf_sass_symbol){.name = s->name,
                                         .address = s->value,
                                         .space = (uint8_t)space_of_(section->kind),
                                         .bank = section->bank};
        int rc = symbol_size_(p, s, &out->size);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* For look-up in the finished module. */
static bool enter_(struct smrf_hash_index *names, const char *name, uint32_t index)
{
    return smrf_hash_add(names, smrf_hash_text(name, strlen(name)), index);
}

static int index_names_(struct smrf_sass_parser *p)
{
    struct smrf_sass_store *store = p->store;
    const struct smrf_sass_module *module = &store->module;
    bool fits = true;
    for (uint32_t i = 0; fits && i < module->num_symbols; i++) {
        fits = enter_(&store->symbol_names, module->symbol[i].name, i);
    }
    for (uint32_t i = 0; fits && i < module->num_functions; i++) {
        fits = enter_(&store->function_names, module->function[i].name, i);
    }
    return fits ? 0 : smrf_sass_nomem(p);
}

int smrf_sass_collect_symbols(struct smrf_sass_parser *p)
{
    int rc = give_sections_(p);
    if (rc >= 0) {
        rc = make_symbols_(p);
    }
    if (rc >= 0) {
        rc = index_names_(p);
    }
    if (rc >= 0) {
        rc = keep_bytes_(p);
    }
    return rc;
}
