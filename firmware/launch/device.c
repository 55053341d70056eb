/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of compute capability 7.5 (CUDA programming guide, table of technical specifications). */
#define MAX_BLOCK_THREADS 1024u
#define MAX_BLOCK_Z 64u
#define MAX_GRID_X 0x7fffffffu
#define MAX_GRID_YZ 65535u

/* __constant__ variables also lie in global memory, for generic addresses of them: a bank's bytes
 * for every module from here on. */
#define CONST_BASE UINT64_C(0x00007e3200000000)
#define CONST_STRIDE UINT64_C(0x10000)
#define CONST_BANK 3

struct smrf_device_function {
    struct smrf_device_function *next;
    struct smrf_device_module *module;
    const struct smrf_sass_function *entry;
    struct smrf_exec_code code;
};

struct smrf_device_module {
    struct smrf_device_module *next;
    struct smrf_device *device;
    struct smrf_sass_module *sass;
    struct smrf_device_function *functions;
    uint8_t *constants[SMRF_SASS_CONST_BANKS]; /* as the host last set them */
    smrf_dptr const_address;                   /* of bank 3 in global memory, 0 = it is empty */
};

struct smrf_device {
    struct smrf_memory_space *space;
    struct smrf_device_module *modules;
    const struct smrf_device_listener *listener;
    struct smrf_device_limits limits;
    struct smrf_exec_totals totals;
    char error[SMRF_SASS_ERROR_BYTES];
};

__attribute__((format(printf, 3, 4))) static int fail_(struct smrf_device *device, int code,
                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(device->error, sizeof device->error, format, args);
    va_end(args);
    return code;
}

static int no_memory_(struct smrf_device *device)
{
    return fail_(device, SMRF_ERR_NOMEM, "out of memory");
}

int smrf_device_create(struct smrf_device **device)
{
    *device = calloc(1, sizeof **device);
    if (*device == NULL) {
        return SMRF_ERR_NOMEM;
    }
    int rc = smrf_space_create(&(*device)->space);
    if (rc < 0) {
        free(*device);
        *device = NULL;
    }
    return rc;
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
        free(module->constants[b]);
    }
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

void smrf_device_totals(const struct smrf_device *device, struct smrf_exec_totals *totals)
{
    *totals = device->totals;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* The bank of __constant__ variables at the first free place for one. */
static int place_constants_(struct smrf_device *device, struct smrf_device_module *module)
{
    const uint32_t bytes = module->sass->const_bytes[CONST_BANK];
    int rc = SMRF_ERR_INVAL;
    if (bytes == 0) {
        return 0;
    }
    for (smrf_dptr at = CONST_BASE; rc == SMRF_ERR_INVAL; at += CONST_STRIDE) {
        rc = smrf_space_place(device->space, at, bytes);
        module->const_address = at;
    }
    if (rc < 0) {
        return fail_(device, rc, "%s: no room on the device for its constants", module->sass->file);
    }
    memcpy(smrf_space_at(device->space, module->const_address, bytes),
           module->sass->const_data[CONST_BANK], bytes);
    return 0;
}

/* Bring a parsed module's data onto the device. */
static int place_(struct smrf_device *device, struct smrf_device_module *module)
{
    const struct smrf_sass_module *sass = module->sass;
    for (uint32_t i = 0; i < sass->num_data; i++) {
        const struct smrf_sass_data *data = &sass->data[i];
        if (data->size == 0) {
            continue;
        }
        int rc = smrf_space_place(device->space, data->address, data->size);
        void *to = rc < 0 ? NULL : smrf_space_at(device->space, data->address, data->size);
        if (to == NULL) {
            return fail_(device, rc < 0 ? rc : SMRF_ERR_NOMEM,
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
        if (sass->const_bytes[b] == 0) {
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

/* Takes the parsed module over. */
static int adopt_(struct smrf_device *device, struct smrf_device_module **module,
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
    return 0;
}

int smrf_device_load(struct smrf_device *device, struct smrf_device_module **module,
                     const char *sass_file)
{
    struct smrf_sass_module *sass;
    *module = NULL;
    int rc = smrf_sass_load(&sass, sass_file, device->error);
    return rc < 0 ? rc : adopt_(device, module, sass);
}

int smrf_device_load_text(struct smrf_device *device, struct smrf_device_module **module,
                          const char *name, const char *text, size_t size)
{
    struct smrf_sass_module *sass;
    *module = NULL;
    int rc = smrf_sass_parse(&sass, name, text, size, device->error);
    return rc < 0 ? rc : adopt_(device, module, sass);
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
        return fail_(device, SMRF_ERR_UNKNOWN, "%s: %s \"%s\"; its kernels are: %s",
                     module->sass->file,
                     entry != NULL ? "not a kernel:" : "no kernel, or more than one, is called",
                     name, kernels[0] != '\0' ? kernels : "none");
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
        *rc = fail_(module->device, SMRF_ERR_UNKNOWN, "%s: there is no variable \"%s\"",
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
        return fail_(module->device, SMRF_ERR_INVAL,
                     "%s: \"%s\" is not in global memory and has no address there",
                     module->sass->file, name);
    }
    *address = symbol->address;
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
        return fail_(device, SMRF_ERR_INVAL,
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
        return fail_(device, SMRF_ERR_INVAL,
                     "%s: the host cannot write \"%s\": it is neither global nor constant",
                     module->sass->file, name);
    }
    memcpy(module->constants[symbol->bank] + symbol->address + offset, source, bytes);
    if (symbol->bank == CONST_BANK && bytes != 0) {
        memcpy(
            smrf_space_at(device->space, module->const_address + symbol->address + offset, bytes),
            source, bytes);
    }
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

int smrf_device_alloc(struct smrf_device *device, smrf_dptr *address, uint64_t bytes)
{
    *address = 0;
    if (bytes == 0) {
        return fail_(device, SMRF_ERR_INVAL, "an allocation of 0 bytes");
    }
    *address = smrf_space_alloc(device->space, bytes);
    if (*address == 0) {
        return fail_(device, SMRF_ERR_NOMEM, "no room on the device for %" PRIu64 " bytes", bytes);
    }
    return 0;
}

int smrf_device_free(struct smrf_device *device, smrf_dptr address)
{
    if (smrf_space_free(device->space, address) < 0) {
        return fail_(device, SMRF_ERR_INVAL, "nothing is allocated at 0x%" PRIx64, address);
    }
    return 0;
}

static void *at_(struct smrf_device *device, smrf_dptr address, uint64_t bytes, const char *verb,
                 int *rc)
{
    void *p = smrf_space_at(device->space, address, bytes);
    *rc = 0;
    if (p == NULL) {
        *rc = fail_(device, SMRF_ERR_INVAL,
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
    if (device->listener == NULL || device->listener->copy == NULL) {
        return 0;
    }
    rc = device->listener->copy(device->listener->ctx, to, bytes);
    return rc < 0 ? fail_(device, rc, "the trace could not note a copy") : 0;
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

/* ---- launches -------------------------------------------------------------------------------- */

static int check_dimensions_(struct smrf_device *device, const struct smrf_sass_function *entry,
                             struct smrf_exec_dim grid, struct smrf_exec_dim block,
                             uint32_t dynamic_shared)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const bool block_ok = block.x >= 1 && block.x <= MAX_BLOCK_THREADS && block.y >= 1 &&
                          block.y <= MAX_BLOCK_THREADS && block.z >= 1 && block.z <= MAX_BLOCK_Z &&
                          threads <= MAX_BLOCK_THREADS;
    if (!block_ok) {
        return fail_(device, SMRF_ERR_INVAL,
                     "kernel %s: a block of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                     " threads; at least 1 and at most %u, z at most %u",
                     entry->name, block.x, block.y, block.z, MAX_BLOCK_THREADS, MAX_BLOCK_Z);
    }
    if (grid.x < 1 || grid.x > MAX_GRID_X || grid.y < 1 || grid.y > MAX_GRID_YZ || grid.z < 1 ||
        grid.z > MAX_GRID_YZ) {
        return fail_(device, SMRF_ERR_INVAL,
                     "kernel %s: a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                     " blocks; at least 1, x at most %u, y and z at most %u",
                     entry->name, grid.x, grid.y, grid.z, MAX_GRID_X, MAX_GRID_YZ);
    }
    if ((uint64_t)entry->shared_bytes + dynamic_shared > SMRF_EXEC_MAX_SHARED) {
        return fail_(device, SMRF_ERR_INVAL,
                     "kernel %s: %" PRIu32 " bytes of static and %" PRIu32
                     " of dynamic shared memory; a block has %u",
                     entry->name, entry->shared_bytes, dynamic_shared, SMRF_EXEC_MAX_SHARED);
    }
    return 0;
}

static void add_totals_(struct smrf_exec_totals *sum, const struct smrf_exec_totals *t)
{
    sum->blocks += t->blocks;
    sum->warps += t->warps;
    sum->warp_insts += t->warp_insts;
    sum->thread_insts += t->thread_insts;
    sum->calls += t->calls;
    if (t->call_depth > sum->call_depth) {
        sum->call_depth = t->call_depth;
    }
    sum->divergent_branches += t->divergent_branches;
    sum->forced_syncs += t->forced_syncs;
}

static int run_(struct smrf_device *device, struct smrf_exec_launch *launch)
{
    const struct smrf_device_listener *listener = device->listener;
    struct smrf_exec_totals totals = {0};
    int rc = 0;
    if (listener != NULL && listener->launch_begin != NULL) {
        rc = listener->launch_begin(listener->ctx, launch);
    }
    if (rc < 0) {
        return fail_(device, rc, "kernel %s: the trace could not be begun", launch->entry->name);
    }
    launch->listener = listener != NULL ? &listener->exec : NULL;
    rc = smrf_exec_run(launch, &totals, device->error);
    if (rc < 0) {
        return rc;
    }
    add_totals_(&device->totals, &totals);
    if (listener != NULL && listener->launch_end != NULL) {
        rc = listener->launch_end(listener->ctx, launch, &totals);
    }
    return rc < 0
               ? fail_(device, rc, "kernel %s: the trace could not be ended", launch->entry->name)
               : 0;
}

int smrf_device_launch_raw(struct smrf_device_function *function, struct smrf_exec_dim grid,
                           struct smrf_exec_dim block, uint32_t dynamic_shared, const void *params,
                           uint32_t bytes)
{
    struct smrf_device_module *module = function->module;
    struct smrf_device *device = module->device;
    int rc = check_dimensions_(device, function->entry, grid, block, dynamic_shared);
    if (rc == 0 && bytes > SMRF_EXEC_MAX_PARAMS) {
        rc = fail_(device, SMRF_ERR_INVAL, "kernel %s: %" PRIu32 " bytes of parameters; at most %u",
                   function->entry->name, bytes, SMRF_EXEC_MAX_PARAMS);
    }
    if (rc < 0) {
        return rc;
    }
    struct smrf_exec_launch launch = {
        .code = &function->code,
        .entry = function->entry,
        .space = device->space,
        .grid = grid,
        .block = block,
        .dynamic_shared = dynamic_shared,
        .const_address = module->const_address,
        .params = params,
        .param_bytes = bytes,
        .stack_bytes = device->limits.stack_bytes,
        .heap_bytes = device->limits.heap_bytes,
        .max_insts_per_warp = device->limits.max_insts_per_warp,
        .stop_after_insts = device->limits.stop_after_insts,
        .wants_block = device->limits.wants_block,
        .wants_ctx = device->limits.wants_ctx,
    };
    for (unsigned b = 0; b < SMRF_SASS_CONST_BANKS; b++) {
        launch.const_data[b] = module->constants[b];
        launch.const_bytes[b] = module->sass->const_bytes[b];
    }
    return run_(device, &launch);
}

int smrf_device_launch(struct smrf_device_function *function, struct smrf_exec_dim grid,
                       struct smrf_exec_dim block, uint32_t dynamic_shared, void *const *args,
                       unsigned num_args)
{
    const struct smrf_sass_function *entry = function->entry;
    uint8_t params[SMRF_EXEC_MAX_PARAMS] = {0};
    if (num_args != entry->num_params) {
        return fail_(function->module->device, SMRF_ERR_INVAL,
                     "kernel %s: %u arguments given, %" PRIu32 " parameters declared%s",
                     entry->name, num_args, entry->num_params,
                     entry->num_params == 0 && entry->param_bytes != 0
                         ? "; the text tells the whole block's size only, so give that "
                           "(smrf_device_launch_raw), or nvdisasm's text"
                         : "");
    }
    for (unsigned i = 0; i < num_args; i++) {
        const struct smrf_sass_param *p = &entry->param[i];
        if ((uint32_t)p->offset + p->bytes > entry->param_bytes ||
            entry->param_bytes > sizeof params) {
            return fail_(function->module->device, SMRF_ERR_FORMAT,
                         "kernel %s: parameter %u lies beyond the %" PRIu32
                         " bytes of parameters declared",
                         entry->name, i, entry->param_bytes);
        }
        memcpy(params + p->offset, args[i], p->bytes);
    }
    return smrf_device_launch_raw(function, grid, block, dynamic_shared, params,
                                  entry->param_bytes);
}
