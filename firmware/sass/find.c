/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in a finished module, and loading one from a file. */
#include "firmware/sass/internal.h"
#include "traces/files/input_file.h"
#include "traces/whole_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct smrf_sass_store *store_of_(const struct smrf_sass_module *module)
{
    return module->store;
}

/* _Z5saxpyPf, _ZN3foo3barEv, _Z3mulILi4EEvPf: whether the last component before the parameters is
 * `name`, or all components joined by "::" are. */
static bool plain_name_is_(const char *mangled, const char *name)
{
    char joined[512];
    size_t used = 0;
    const char *at = mangled, *last = NULL;
    size_t last_length = 0;
    if (strncmp(at, "_Z", 2) != 0) {
        return strcmp(mangled, name) == 0;
    }
    at += 2;
    bool nested = *at == 'N';
    at += nested;
    at += nested && *at == 'K';
    while (*at == 'L') {
        at++;
    }
    while (*at >= '0' && *at <= '9') {
        char *stop;
        unsigned long length = strtoul(at, &stop, 10);
        if (length == 0 || length > strlen(stop)) {
            return false;
        }
        last = stop;
        last_length = length;
        if (used + length + 3 < sizeof joined) {
            used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.*s",
                                     used ? "::" : "", (int)length, stop);
        }
        at = stop + length;
        if (!nested) {
            break;
        }
    }
    if (!last) {
        return false;
    }
    return (strlen(name) == last_length && memcmp(name, last, last_length) == 0) ||
           strcmp(joined, name) == 0;
}

/* A name that is looked up among a module's. */
struct wanted {
    const struct smrf_sass_module *module;
    const char *name;
};

static bool is_function_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return strcmp(w->module->function[item].name, w->name) == 0;
}

static bool is_symbol_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return strcmp(w->module->symbol[item].name, w->name) == 0;
}

const struct smrf_sass_function *smrf_sass_find(const struct smrf_sass_module *module,
                                                const char *name)
{
    const struct wanted wanted = {module, name};
    const uint32_t at = smrf_hash_find(&store_of_(module)->function_names,
                                       smrf_hash_text(name, strlen(name)), is_function_, &wanted);
    if (at != SMRF_HASH_NONE) {
        return &module->function[at];
    }
    const struct smrf_sass_function *found = NULL;
    for (uint32_t i = 0; i < module->num_functions; i++) {
        const struct smrf_sass_function *f = &module->function[i];
        if (!f->entry || !plain_name_is_(f->name, name)) {
            continue;
        }
        if (found) {
            return NULL;
        }
        found = f;
    }
    return found;
}

const struct smrf_sass_symbol *smrf_sass_find_symbol(const struct smrf_sass_module *module,
                                                     const char *name)
{
    const struct wanted wanted = {module, name};
    const uint32_t at = smrf_hash_find(&store_of_(module)->symbol_names,
                                       smrf_hash_text(name, strlen(name)), is_symbol_, &wanted);
    return at != SMRF_HASH_NONE ? &module->symbol[at] : NULL;
}

const struct smrf_sass_inst *smrf_sass_at(const struct smrf_sass_module *module, uint64_t address)
{
    const struct smrf_sass_store *store = store_of_(module);
    uint64_t offset = address - module->code_base;
    if (offset % SMRF_SASS_INST_BYTES || offset / SMRF_SASS_INST_BYTES >= store->num_slots) {
        return NULL;
    }
    uint32_t slot = store->slot[offset / SMRF_SASS_INST_BYTES];
    return slot ? &module->inst[slot - 1] : NULL;
}

int smrf_sass_load(struct smrf_sass_module **module, const char *file,
                   char error[SMRF_SASS_ERROR_BYTES])
{
    return smrf_sass_load_at(module, file, NULL, error);
}

int smrf_sass_load_at(struct smrf_sass_module **module, const char *file,
                      const struct smrf_sass_where *where, char error[SMRF_SASS_ERROR_BYTES])
{
    char *text;
    size_t size;
    *module = NULL;
    error[0] = 0;
    struct smrf_trace_error_text fault = {0};
    int rc = smrf_whole_text_of_file(file, SMRF_INPUT_PROGRAM_MAX, &text, &size, &fault);
    if (rc == 0) {
        rc = smrf_sass_parse_at(module, file, text, size, where, error);
    } else {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%.*s", SMRF_SASS_ERROR_BYTES - 1, fault.text);
    }
    free(text);
    return rc;
}
