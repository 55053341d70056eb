/* SPDX-License-Identifier: Apache-2.0 */
/* Every section gets its place, every function its range of instructions, every symbol its value.
 * Code sections lie in the order of the text; functions that a module only names (malloc, free)
 * get addresses behind the image, so that a call of one is told from everything else. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

#define CODE_ALIGN UINT64_C(128)
#define DATA_ALIGN UINT64_C(256)

static uint64_t align_up_(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static int place_sections_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    uint64_t code = module->code_base, data = module->data_base;
    for (uint32_t i = 0; i < p->num_sections; i++) {
        struct smrf_sass_section *s = &p->sections[i];
        uint64_t least = s->kind == SASS_TEXT ? CODE_ALIGN : DATA_ALIGN;
        uint64_t align = s->align > least ? s->align : least;
        if (s->kind == SASS_TEXT) {
            s->base = code = align_up_(code, align);
            code += s->size;
        } else if (s->kind == SASS_DATA) {
            s->base = data = align_up_(data, align);
            data += s->size;
        }
        if (code - module->code_base > (UINT64_C(1) << 31) ||
            data - module->data_base > SMRF_SASS_MAX_ZERO_BYTES) {
            return smrf_sass_fail(p, SMRF_ERR_LIMIT, s->line, "code or data becomes too large");
        }
    }
    module->code_bytes = align_up_(code, CODE_ALIGN) - module->code_base;
    module->data_bytes = data - module->data_base;
    return 0;
}

struct start {
    uint32_t section, symbol;
    uint64_t offset;
};

static int by_place_(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->section != y->section) {
        return x->section < y->section ? -1 : 1;
    }
    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Does a symbol of type function begin the section? nvdisasm counts copies of a name that several
 * modules bring by section, by label and by symbol, each for itself. */
static bool begins_(const struct smrf_sass_parser *p, uint32_t section)
{
    for (uint32_t i = 0; i < p->num_symbols; i++) {
        const struct smrf_sass_label *l = &p->symbols[i];
        if (l->type == SASS_FUNCTION && l->section == section && l->offset == 0) {
            return true;
        }
    }
    return false;
}

/* A code section's own function, where no symbol of type function says so. */
static int name_sections_(struct smrf_sass_parser *p)
{
    for (uint32_t i = 0; i < p->num_sections; i++) {
        struct smrf_sass_section *s = &p->sections[i];
        uint32_t symbol;
        if (s->kind != SASS_TEXT || s->num_insts == 0) {
            continue;
        }
        int rc = smrf_sass_symbol_of(p, s->owner, strlen(s->owner), &symbol);
        if (rc < 0) {
            return rc;
        }
        struct smrf_sass_label *own = &p->symbols[symbol];
        if (own->section != SMRF_SASS_NO_INDEX && own->section != i && begins_(p, i)) {
            continue;
        }
        if (own->section != SMRF_SASS_NO_INDEX && own->section != i) {
            return smrf_sass_fail(p, SMRF_ERR_CORRUPT, own->line,
                                  "'%.120s' is not in its section '%.120s'", own->name, s->name);
        }
        if (own->section == SMRF_SASS_NO_INDEX) {
            own->section = i;
            own->line = s->line;
        }
        own->type = SASS_FUNCTION;
        own->entry |= p->listing;
    }
    return 0;
}

static struct start *find_starts_(struct smrf_sass_parser *p, uint32_t *count)
{
    struct start *start = malloc((p->num_symbols + (size_t)1) * sizeof *start);
    *count = 0;
    if (!start) {
        return NULL;
    }
    for (uint32_t i = 0; i < p->num_symbols; i++) {
        const struct smrf_sass_label *s = &p->symbols[i];
        if (s->type != SASS_FUNCTION || s->section == SMRF_SASS_NO_INDEX ||
            p->sections[s->section].kind != SASS_TEXT || p->sections[s->section].num_insts == 0) {
            continue;
        }
        start[(*count)++] = (struct start){s->section, i, s->offset};
    }
    qsort(start, *count, sizeof *start, by_place_);
    return start;
}

static struct smrf_sass_function *new_function_(struct smrf_sass_parser *p, uint32_t symbol)
{
    struct smrf_sass_module *module = &p->store->module;
    struct smrf_sass_function *f = &module->function[module->num_functions];
    p->symbols[symbol].function = module->num_functions++;
    *f = (struct smrf_sass_function){.name = p->symbols[symbol].name,
                                     .entry = p->symbols[symbol].entry,
                                     .stack_bytes = -1,
                                     .param_base = module->arch >= 90 ? 0x210 : 0x160};
    return f;
}

static void make_functions_(struct smrf_sass_parser *p, const struct start *start, uint32_t count)
{
    struct smrf_sass_module *module = &p->store->module;
    for (uint32_t i = 0; i < count; i++) {
        struct smrf_sass_section *section = &p->sections[start[i].section];
        bool same_section = i > 0 && start[i - 1].section == start[i].section;
        if (same_section && start[i - 1].offset == start[i].offset) { /* another name for it */
            p->symbols[start[i].symbol].function = module->num_functions - 1;
            continue;
        }
        if (!same_section) {
            section->first_function = module->num_functions;
        }
        section->num_functions++;
        struct smrf_sass_function *f = new_function_(p, start[i].symbol);
        uint64_t end = section->size;
        for (uint32_t k = i + 1; k < count && start[k].section == start[i].section; k++) {
            if (start[k].offset != start[i].offset) {
                end = start[k].offset;
                break;
            }
        }
        f->address = section->base + start[i].offset;
        f->size = (uint32_t)(end - start[i].offset);
        f->first = section->first_inst + (uint32_t)(start[i].offset / SMRF_SASS_INST_BYTES);
        f->count = f->size / SMRF_SASS_INST_BYTES;
        f->registers = section->registers;
        f->barriers = section->barriers;
    }
}

static void make_externals_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    uint64_t address = module->code_base + module->code_bytes;
    p->first_external = module->num_functions;
    for (uint32_t i = 0; i < p->num_symbols; i++) {
        const struct smrf_sass_label *s = &p->symbols[i];
        if (s->type != SASS_FUNCTION || s->section != SMRF_SASS_NO_INDEX) {
            continue;
        }
        struct smrf_sass_function *f = new_function_(p, i);
        f->external = true;
        f->address = address;
        f->first = module->num_insts;
        address += SMRF_SASS_INST_BYTES;
    }
}

static void place_insts_(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    for (uint32_t i = 0; i < module->num_functions; i++) {
        const struct smrf_sass_function *f = &module->function[i];
        for (uint32_t k = 0; k < f->count; k++) {
            struct smrf_sass_inst *inst = &module->inst[f->first + k];
            inst->function = i;
            inst->address = f->address + (uint64_t)k * SMRF_SASS_INST_BYTES;
            p->store->slot[(inst->address - module->code_base) / SMRF_SASS_INST_BYTES] =
                f->first + k + 1;
        }
    }
}

static void place_symbols_(struct smrf_sass_parser *p)
{
    for (uint32_t i = 0; i < p->num_symbols; i++) {
        struct smrf_sass_label *s = &p->symbols[i];
        if (s->section != SMRF_SASS_NO_INDEX) {
            s->value = p->sections[s->section].base + s->offset;
        } else if (s->function != SMRF_SASS_NO_INDEX) {
            s->value = p->store->module.function[s->function].address;
        } else if (s->shared && p->relocatable) { /* extern __shared__ */
            s->value = p->shared_bytes;
        }
    }
}

int smrf_sass_place(struct smrf_sass_parser *p)
{
    struct smrf_sass_store *store = p->store;
    struct smrf_sass_module *module = &store->module;
    int rc = name_sections_(p);
    if (rc >= 0) {
        rc = place_sections_(p);
    }
    if (rc >= 0 && p->relocatable) {
        rc = smrf_sass_place_relocatable(p);
    }
    if (rc < 0) {
        return rc;
    }
    module->inst = p->insts; /* the module's from here on */
    module->num_insts = p->num_insts;
    p->insts = NULL;
    store->num_slots = (uint32_t)(module->code_bytes / SMRF_SASS_INST_BYTES);
    store->slot = calloc(store->num_slots + (size_t)1, sizeof *store->slot);
    module->function = calloc(p->num_symbols + (size_t)1, sizeof *module->function);
    uint32_t count;
    struct start *start = find_starts_(p, &count);
    if (!store->slot || !module->function || !start) {
        free(start);
        return smrf_sass_nomem(p);
    }
    make_functions_(p, start, count);
    free(start);
    make_externals_(p);
    place_insts_(p);
    place_symbols_(p);
    return 0;
}
