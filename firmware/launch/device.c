/* SPDX-License-Identifier: Apache-2.0 */
#include "device_internal.h"
#include "firmware/cubin/fatbin.h"
#include "firmware/exec/space.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* __constant__ variables also lie in global memory, for generic addresses of them: a bank's bytes
 * for every module from here on. */
#define CONST_BASE UINT64_C(0x00007e3200000000)
#define CONST_STRIDE UINT64_C(0x10000)
#define MODULE_ALIGN UINT64_C(0x10000) /* of what modules have side by side */

int smrf_device_fail(struct smrf_device *device, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(device->error, sizeof device->error, format, args);
    va_end(args);
    return code;
}

static int no_memory_(struct smrf_device *device)
{
    return smrf_device_fail(device, SMRF_ERR_NOMEM, "out of memory");
}

static int create_(struct smrf_device **device, uint64_t base, uint64_t bytes)
{
    *device = calloc(1, sizeof **device);
    if (*device == NULL) {
        return SMRF_ERR_NOMEM;
    }
    (*device)->next.code_base = SMRF_SASS_CODE_BASE;
    (*device)->next.data_base = bytes != 0 ? base : SMRF_SASS_DATA_BASE;
    int rc = bytes != 0 ? smrf_space_create_mapped(&(*device)->space, base, bytes)
                        : smrf_space_create(&(*device)->space);
    if (rc < 0) {
        free(*device);
        *device = NULL;
    }
    return rc;
}

int smrf_device_create(struct smrf_device **device)
{
    return create_(device, 0, 0);
}

int smrf_device_create_mapped(struct smrf_device **device, uint64_t base, uint64_t bytes)
{
    return create_(device, base, bytes);
}

struct smrf_memory_space *smrf_device_space(struct smrf_device *device)
{
    return device->space;
}

static void free_module_(struct smrf_device_module *module)
{
    while (module->functions != NULL) {
        struct smrf_device_function *next = module->functions->next;
        smrf_exec_code_free(&module->functions->code);
        free(module->functions);
        module->functions = next;
    }
    for (unsigned b = 0; b < SMRF_SASS_CONST_BANKS; b++) {
        if (b != SMRF_DEVICE_CONST_BANK) {
            free(module->constants[b]);
        }
    }
    smrf_device_bindings_free(module);
    smrf_sass_free(module->sass);
    free(module);
}

void smrf_device_destroy(struct smrf_device *device)
{
    if (device == NULL) {
        return;
    }
    while (device->modules != NULL) {
        struct smrf_device_module *next = device->modules->next;
        free_module_(device->modules);
        device->modules = next;
    }
    smrf_device_textures_free(device);
    smrf_space_destroy(device->space);
    free(device);
}

const char *smrf_device_error(const struct smrf_device *device)
{
    return device == NULL ? "out of memory" : device->error;
}

void smrf_device_listen(struct smrf_device *device, const struct smrf_device_listener *listener)
{
    device->listener = listener;
}

void smrf_device_limit(struct smrf_device *device, const struct smrf_device_limits *limits)
{
    device->limits = *limits;
}

void smrf_device_together(struct smrf_device *device, bool together)
{
    device->together = together;
}

void smrf_device_totals(const struct smrf_device *device, struct smrf_exec_totals *totals)
{
    *totals = device->totals;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* The bank of __constant__ variables at the first free place for one. */
static int place_constants_(struct smrf_device *device, struct smrf_device_module *module)
{
    const uint32_t bytes = module->sass->const_bytes[SMRF_DEVICE_CONST_BANK];
    int rc = SMRF_ERR_INVAL;
    if (bytes == 0) {
        return 0;
    }
    for (smrf_dptr at = CONST_BASE; rc == SMRF_ERR_INVAL; at += CONST_STRIDE) {
        rc = smrf_space_place(device->space, at, bytes);
        module->const_address = at;
    }
    if (rc < 0) {
        return smrf_device_fail(device, rc, "%s: no room on the device for its constants",
                                module->sass->file);
    }
    module->constants[SMRF_DEVICE_CONST_BANK] =
        smrf_space_at(device->space, module->const_address, bytes);
    memcpy(module->constants[SMRF_DEVICE_CONST_BANK],
           module->sass->const_data[SMRF_DEVICE_CONST_BANK], bytes);
    return 0;
}

/* Bring a parsed module's data onto the device. */
static int place_(struct smrf_device *device, struct smrf_device_module *module)
{
    const struct smrf_sass_module *sass = module->sass;
    for (uint32_t i = 0; i < sass->num_data; i++) {
        const struct smrf_sass_data *data = &sass->data[i];
        if (data->size == 0 || device->data_there) {
            continue;
        }
        int rc = smrf_space_place(device->space, data->address, data->size);
        void *to = rc < 0 ? NULL : smrf_space_at(device->space, data->address, data->size);
        if (to == NULL) {
            return smrf_device_fail(
                device, rc < 0 ? rc : SMRF_ERR_NOMEM,
                "%s: its global data does not fit on the device beside that of the "
                "modules already loaded; load it on a device of its own",
                sass->file);
        }
        if (data->bytes != NULL) {
            memcpy(to, data->bytes, data->size);
        } else {
            memset(to, 0, data->size);
        }
    }
    for (unsigned b = 0; b < SMRF_SASS_CONST_BANKS; b++) {
        if (sass->const_bytes[b] == 0 || b == SMRF_DEVICE_CONST_BANK) {
            continue;
        }
        module->constants[b] = malloc(sass->const_bytes[b]);
        if (module->constants[b] == NULL) {
            return no_memory_(device);
        }
        memcpy(module->constants[b], sass->const_data[b], sass->const_bytes[b]);
    }
    return place_constants_(device, module);
}

/* Leaves a gap, which catches what runs over an end. */
static uint64_t align_up_(uint64_t end)
{
    return end / MODULE_ALIGN * MODULE_ALIGN + MODULE_ALIGN;
}

int smrf_device_adopt(struct smrf_device *device, struct smrf_device_module **module,
                      struct smrf_sass_module *sass)
{
    struct smrf_device_module *m = calloc(1, sizeof *m);
    if (m == NULL) {
        smrf_sass_free(sass);
        return no_memory_(device);
    }
    m->device = device;
    m->sass = sass;
    int rc = place_(device, m);
    if (rc < 0) {
        free_module_(m);
        return rc;
    }
    m->next = device->modules;
    device->modules = m;
    *module = m;
    /* Code of external functions lies behind the image, one instruction each. */
    const uint64_t code_end =
        sass->code_base + sass->code_bytes + (uint64_t)SMRF_SASS_INST_BYTES * sass->num_functions;
    device->next.code_base = align_up_(code_end);
    device->next.data_base = align_up_(sass->data_base + sass->data_bytes);
    return 0;
}

int smrf_device_load(struct smrf_device *device, struct smrf_device_module **module,
                     const char *file, unsigned arch)
{
    struct smrf_sass_module *sass;
    *module = NULL;
    int rc = smrf_code_load_file(file, arch, &device->next, &sass, device->error);
    return rc < 0 ? rc : smrf_device_adopt(device, module, sass);
}

int smrf_device_load_bytes(struct smrf_device *device, struct smrf_device_module **module,
                           const char *name, const void *bytes, size_t size, unsigned arch)
{
    struct smrf_sass_module *sass;
    *module = NULL;
    int rc = smrf_code_load_bytes(name, bytes, size, arch, &device->next, &sass, device->error);
    return rc < 0 ? rc : smrf_device_adopt(device, module, sass);
}

int smrf_device_load_text(struct smrf_device *device, struct smrf_device_module **module,
                          const char *name, const char *text, size_t size)
{
    struct smrf_sass_module *sass;
    *module = NULL;
    int rc = smrf_sass_parse_at(&sass, name, text, size, &device->next, device->error);
    return rc < 0 ? rc : smrf_device_adopt(device, module, sass);
}

void smrf_device_data_behind(struct smrf_device *device, smrf_dptr address)
{
    device->next.data_base = address;
    device->data_there = true;
}

const struct smrf_sass_where *smrf_device_next(const struct smrf_device *device)
{
    return &device->next;
}

int smrf_device_unload(struct smrf_device_module *module)
{
    struct smrf_device *device = module->device;
    struct smrf_device_module **at = &device->modules;
    while (*at != module) {
        at = &(*at)->next;
    }
    *at = module->next;
    for (uint32_t i = 0; i < module->sass->num_data; i++) {
        if (module->sass->data[i].size != 0 && !device->data_there) {
            (void)smrf_space_free(device->space, module->sass->data[i].address);
        }
    }
    if (module->const_address != 0) {
        (void)smrf_space_free(device->space, module->const_address);
    }
    free_module_(module);
    return 0;
}

const struct smrf_sass_module *smrf_device_module_info(const struct smrf_device_module *module)
{
    return module->sass;
}

/* The module's kernels, for those who mistyped one. */
static void list_kernels_(const struct smrf_sass_module *sass, char *text, size_t room)
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < sass->num_functions && n < room; i++) {
        if (sass->function[i].entry) {
            n += (size_t)snprintf(text + n, room - n, "%s%s", n > 0 ? ", " : "",
                                  sass->function[i].name);
        }
    }
}

int smrf_device_get_function(struct smrf_device_module *module,
                             struct smrf_device_function **function, const char *name)
{
    struct smrf_device *device = module->device;
    *function = NULL;
    const struct smrf_sass_function *entry = smrf_sass_find(module->sass, name);
    if (entry == NULL || !entry->entry) {
        char kernels[256];
        list_kernels_(module->sass, kernels, sizeof kernels);
        return smrf_device_fail(
            device, SMRF_ERR_UNKNOWN, "%s: %s \"%s\"; its kernels are: %s", module->sass->file,
            entry != NULL ? "not a kernel:" : "no kernel, or more than one, is called", name,
            kernels[0] != '\0' ? kernels : "none");
    }
    for (struct smrf_device_function *f = module->functions; f != NULL; f = f->next) {
        if (f->entry == entry) {
            *function = f;
            return 0;
        }
    }
    struct smrf_device_function *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return no_memory_(device);
    }
    int rc = smrf_exec_decode(&f->code, module->sass, entry, device->error);
    if (rc < 0) {
        free(f);
        return rc;
    }
    f->module = module;
    f->entry = entry;
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return 0;
}

const struct smrf_sass_function *
smrf_device_function_info(const struct smrf_device_function *function)
{
    return function->entry;
}

static const struct smrf_sass_symbol *find_symbol_(struct smrf_device_module *module,
                                                   const char *name, int *rc)
{
    const struct smrf_sass_symbol *symbol = smrf_sass_find_symbol(module->sass, name);
    *rc = 0;
    if (symbol == NULL) {
        *rc = smrf_device_fail(module->device, SMRF_ERR_UNKNOWN, "%s: there is no variable \"%s\"",
                               module->sass->file, name);
    }
    return symbol;
}

int smrf_device_symbol(struct smrf_device_module *module, const char *name, smrf_dptr *address,
                       uint64_t *bytes)
{
    int rc;
    const struct smrf_sass_symbol *symbol = find_symbol_(module, name, &rc);
    if (symbol == NULL) {
        return rc;
    }
    if (symbol->space != 'g') {
        return smrf_device_fail(module->device, SMRF_ERR_INVAL,
                                "%s: \"%s\" is not in global memory and has no address there",
                                module->sass->file, name);
    }
    *address = symbol->address;
    *bytes = symbol->size;
    return 0;
}

int smrf_device_symbol_address(struct smrf_device_module *module, const char *name,
                               smrf_dptr *address, uint64_t *bytes)
{
    int rc;
    const struct smrf_sass_symbol *symbol = find_symbol_(module, name, &rc);
    if (symbol == NULL) {
        return rc;
    }
    if (symbol->space != 'c' || symbol->bank != SMRF_DEVICE_CONST_BANK) {
        return smrf_device_symbol(module, name, address, bytes);
    }
    *address = module->const_address + symbol->address;
    *bytes = symbol->size;
    return 0;
}

int smrf_device_symbol_write(struct smrf_device_module *module, const char *name,
                             const void *source, uint64_t bytes, uint64_t offset)
{
    struct smrf_device *device = module->device;
    int rc;
    const struct smrf_sass_symbol *symbol = find_symbol_(module, name, &rc);
    if (symbol == NULL) {
        return rc;
    }
    if (offset > symbol->size || bytes > symbol->size - offset) {
        return smrf_device_fail(device, SMRF_ERR_INVAL,
                                "%s: \"%s\" has %" PRIu32 " bytes; %" PRIu64 " at offset %" PRIu64
                                " do not fit",
                                module->sass->file, name, symbol->size, bytes, offset);
    }
    if (symbol->space == 'g') {
        return smrf_device_write(device, symbol->address + offset, source, bytes);
    }
    const uint64_t size =
        symbol->bank < SMRF_SASS_CONST_BANKS ? module->sass->const_bytes[symbol->bank] : 0;
    if (symbol->space != 'c' || symbol->address + offset + bytes > size) {
        return smrf_device_fail(
            device, SMRF_ERR_INVAL,
            "%s: the host cannot write \"%s\": it is neither global nor constant",
            module->sass->file, name);
    }
    memcpy(module->constants[symbol->bank] + symbol->address + offset, source, bytes);
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

int smrf_device_alloc(struct smrf_device *device, smrf_dptr *address, uint64_t bytes)
{
    *address = 0;
    if (bytes == 0) {
        return smrf_device_fail(device, SMRF_ERR_INVAL, "an allocation of 0 bytes");
    }
    *address = smrf_space_alloc(device->space, bytes);
    if (*address == 0) {
        return smrf_device_fail(device, SMRF_ERR_NOMEM,
                                "no room on the device for %" PRIu64 " bytes", bytes);
    }
    return 0;
}

int smrf_device_free(struct smrf_device *device, smrf_dptr address)
{
    if (smrf_space_free(device->space, address) < 0) {
        return smrf_device_fail(device, SMRF_ERR_INVAL, "nothing is allocated at 0x%" PRIx64,
                                address);
    }
    return 0;
}

static void *at_(struct smrf_device *device, smrf_dptr address, uint64_t bytes, const char *verb,
                 int *rc)
{
    void *p = smrf_space_at(device->space, address, bytes);
    *rc = 0;
    if (p == NULL) {
        *rc = smrf_device_fail(device, SMRF_ERR_INVAL,
                               "the host %s %" PRIu64 " bytes at 0x%" PRIx64
                               ", which are not all of one allocation",
                               verb, bytes, address);
    }
    return p;
}

int smrf_device_write(struct smrf_device *device, smrf_dptr to, const void *from, uint64_t bytes)
{
    int rc = 0;
    if (bytes == 0) {
        return 0;
    }
    void *p = at_(device, to, bytes, "writes", &rc);
    if (p == NULL) {
        return rc;
    }
    memcpy(p, from, bytes);
    return smrf_device_copied(device, to, bytes);
}

int smrf_device_copied(struct smrf_device *device, smrf_dptr to, uint64_t bytes)
{
    if (device->listener == NULL || device->listener->copy == NULL) {
        return 0;
    }
    int rc = device->listener->copy(device->listener->ctx, to, bytes);
    return rc < 0 ? smrf_device_fail(device, rc, "the trace could not note a copy") : 0;
}

int smrf_device_read(struct smrf_device *device, void *to, smrf_dptr from, uint64_t bytes)
{
    int rc = 0;
    if (bytes == 0) {
        return 0;
    }
    const void *p = at_(device, from, bytes, "reads", &rc);
    if (p != NULL) {
        memcpy(to, p, bytes);
    }
    return rc;
}

int smrf_device_set(struct smrf_device *device, smrf_dptr to, uint8_t value, uint64_t bytes)
{
    int rc = 0;
    if (bytes == 0) {
        return 0;
    }
    void *p = at_(device, to, bytes, "sets", &rc);
    if (p != NULL) {
        memset(p, value, bytes);
    }
    return rc;
}
