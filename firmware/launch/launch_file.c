/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a launch file: everything is read and checked first, then buffers, launches, dumps. */
#define _GNU_SOURCE
#include "firmware/launch/launch_plan.h"
#include "traces/files/output_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A fault that the device reports, with the line of the launch file before it. */
static int device_fail_(const struct smrf_launch_plan *plan, const struct smrf_device *device,
                        int code, unsigned line)
{
    return smrf_launch_fail(plan, code, line, "%s", smrf_device_error(device));
}

static int check_args_(const struct smrf_launch_plan *plan, const struct smrf_launch_step *step)
{
    const struct smrf_sass_function *f = smrf_device_function_info(step->function);
    if (f->num_params == 0 && f->param_bytes > 0) {
        return 0; /* a listing without attributes: the sizes are the arguments' own */
    }
    if (f->num_params != step->num_args) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, step->line,
                                "kernel '%.100s' has %u parameters, but args lists %u", f->name,
                                f->num_params, step->num_args);
    }
    for (unsigned i = 0; i < step->num_args; i++) {
        const struct smrf_launch_arg *arg = &step->arg[i];
        if (arg->bytes != f->param[i].bytes) {
            return smrf_launch_fail(
                plan, SMRF_ERR_INVAL, arg->line,
                "argument %u has %u bytes, but parameter %u of kernel '%.100s' has "
                "%u: %s",
                i + 1, arg->bytes, i + 1, f->name, f->param[i].bytes,
                arg->num_pointers != 1 || arg->bytes != sizeof(smrf_dptr)
                    ? "give it another type"
                    : "it does not take a buffer");
        }
    }
    return 0;
}

static int check_kernels_(struct smrf_launch_plan *plan, struct smrf_device *device,
                          struct smrf_device_module *module)
{
    for (unsigned i = 0; i < plan->num_steps; i++) {
        struct smrf_launch_step *step = &plan->step[i];
        int rc = smrf_device_get_function(module, &step->function, step->kernel);
        if (rc < 0) {
            return device_fail_(plan, device, rc, step->line);
        }
        rc = check_args_(plan, step);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* Variables of the module exist, have the bytes that are written, and an address where one is
 * needed. */
static int check_symbols_(struct smrf_launch_plan *plan, struct smrf_device *device,
                          struct smrf_device_module *module)
{
    for (unsigned i = 0; i < plan->num_buffers; i++) {
        struct smrf_launch_buffer *b = &plan->buffer[i];
        const struct smrf_sass_symbol *symbol;
        uint64_t size;
        if (!b->symbol) {
            continue;
        }
        int rc = smrf_device_symbol_write(module, b->name, "", 0, 0);
        if (rc < 0) {
            return device_fail_(plan, device, rc, b->line);
        }
        symbol = smrf_sass_find_symbol(smrf_device_module_info(module), b->name);
        if (b->count * b->type->bytes > symbol->size) {
            return smrf_launch_fail(plan, SMRF_ERR_INVAL, b->line,
                                    "variable '%.60s' has %u bytes, but %llu %s take %llu", b->name,
                                    symbol->size, (unsigned long long)b->count, b->type->name,
                                    (unsigned long long)(b->count * b->type->bytes));
        }
        if (symbol->space == 'g') {
            rc = smrf_device_symbol(module, b->name, &b->address, &size);
        }
        if (rc < 0) {
            return device_fail_(plan, device, rc, b->line);
        }
    }
    return 0;
}

static int need_address_(const struct smrf_launch_plan *plan, unsigned buffer, unsigned line)
{
    const struct smrf_launch_buffer *b = &plan->buffer[buffer];
    if (!b->symbol || b->address) {
        return 0;
    }
    return smrf_launch_fail(plan, SMRF_ERR_INVAL, line,
                            "'%.60s' is a __constant__ variable: it has no address, and no kernel "
                            "changes it",
                            b->name);
}

static int check_addresses_(const struct smrf_launch_plan *plan)
{
    int rc = 0;
    for (unsigned i = 0; i < plan->num_steps; i++) {
        for (unsigned k = 0; k < plan->step[i].num_args; k++) {
            for (unsigned n = 0; n < plan->step[i].arg[k].num_pointers && rc >= 0; n++) {
                rc = need_address_(plan, plan->step[i].arg[k].pointer[n].buffer,
                                   plan->step[i].arg[k].line);
            }
        }
    }
    for (unsigned i = 0; i < plan->num_dumps && rc >= 0; i++) {
        rc = need_address_(plan, plan->dump[i].buffer, plan->dump[i].line);
    }
    return rc;
}

static int fill_buffer_(struct smrf_launch_plan *plan, struct smrf_device *device,
                        struct smrf_device_module *module, struct smrf_launch_buffer *b)
{
    uint64_t bytes = b->count * b->type->bytes;
    uint8_t *contents = malloc(bytes);
    if (!contents) {
        return smrf_launch_fail(plan, SMRF_ERR_NOMEM, b->line,
                                "no memory left for the %llu bytes of buffer '%.60s'",
                                (unsigned long long)bytes, b->name);
    }
    int rc = smrf_launch_fill(plan, b, contents);
    if (rc >= 0) {
        rc = b->symbol ? smrf_device_symbol_write(module, b->name, contents, bytes, 0)
                       : smrf_device_write(device, b->address, contents, bytes);
        if (rc < 0) {
            rc = device_fail_(plan, device, rc, b->line);
        }
    }
    free(contents);
    return rc;
}

static int make_buffers_(struct smrf_launch_plan *plan, struct smrf_device *device,
                         struct smrf_device_module *module)
{
    for (unsigned i = 0; i < plan->num_buffers; i++) {
        struct smrf_launch_buffer *b = &plan->buffer[i];
        int rc = 0;
        if (!b->symbol) {
            rc = smrf_device_alloc(device, &b->address, b->count * b->type->bytes);
        }
        if (rc < 0) {
            return device_fail_(plan, device, rc, b->line);
        }
        if (!b->keep) {
            rc = fill_buffer_(plan, device, module, b);
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* Where the parameters' places are known from nowhere else: one after the other, each at a
 * multiple of its alignment, as the compiler lays them out. */
static int pack_args_(const struct smrf_launch_plan *plan, const struct smrf_launch_step *step,
                      uint8_t params[SMRF_EXEC_MAX_PARAMS], uint32_t *size)
{
    uint32_t end = 0;
    for (unsigned i = 0; i < step->num_args; i++) {
        const struct smrf_launch_arg *arg = &step->arg[i];
        end = (end + arg->align - 1) / arg->align * arg->align;
        if (end + arg->bytes > SMRF_EXEC_MAX_PARAMS) {
            return smrf_launch_fail(plan, SMRF_ERR_LIMIT, arg->line,
                                    "the arguments have more than %u bytes", SMRF_EXEC_MAX_PARAMS);
        }
        memcpy(params + end, arg->value, arg->bytes);
        end += arg->bytes;
    }
    *size = end;
    return 0;
}

static int run_step_(struct smrf_launch_plan *plan, struct smrf_device *device,
                     struct smrf_launch_step *step)
{
    const struct smrf_sass_function *f = smrf_device_function_info(step->function);
    uint8_t params[SMRF_EXEC_MAX_PARAMS] = {0};
    uint32_t size = 0;
    int rc = 0;
    for (unsigned i = 0; i < step->num_args; i++) {
        for (unsigned k = 0; k < step->arg[i].num_pointers; k++) {
            const struct smrf_launch_pointer *p = &step->arg[i].pointer[k];
            memcpy(step->arg[i].value + p->offset, &plan->buffer[p->buffer].address,
                   sizeof(smrf_dptr));
        }
    }
    smrf_device_together(device, step->together);
    if (f->num_params == 0) {
        rc = pack_args_(plan, step, params, &size);
        if (rc < 0) {
            return rc;
        }
        if (size < f->param_bytes) {
            size = f->param_bytes;
        }
        rc = smrf_device_launch_raw(step->function, step->grid, step->block, step->shared, params,
                                    size);
    } else {
        void **args = calloc(step->num_args, sizeof *args);
        if (!args) {
            return smrf_launch_fail(plan, SMRF_ERR_NOMEM, step->line, "no memory left");
        }
        for (unsigned i = 0; i < step->num_args; i++) {
            args[i] = step->arg[i].value;
        }
        rc = smrf_device_launch(step->function, step->grid, step->block, step->shared, args,
                                step->num_args);
        free(args);
    }
    smrf_device_together(device, false);
    return rc < 0 ? device_fail_(plan, device, rc, step->line) : 0;
}

static int write_dump_(struct smrf_launch_plan *plan, struct smrf_device *device,
                       const struct smrf_launch_dump *dump)
{
    const struct smrf_launch_buffer *b = &plan->buffer[dump->buffer];
    uint64_t bytes = b->count * b->type->bytes;
    uint8_t *contents = malloc(bytes);
    char *name = smrf_launch_resolve(plan, dump->file);
    int rc =
        contents && name ? smrf_device_read(device, contents, b->address, bytes) : SMRF_ERR_NOMEM;
    if (!contents || !name) {
        rc = smrf_launch_fail(plan, SMRF_ERR_NOMEM, dump->line, "no memory left");
    } else if (rc < 0) {
        rc = device_fail_(plan, device, rc, dump->line);
    } else {
        struct smrf_output out;
        char text[512];
        rc = smrf_output_open(&out, name, text, sizeof text);
        if (rc == 0) {
            bool written = fwrite(contents, 1, bytes, out.file) == bytes;
            (void)written; /* the stream remembers */
            rc = smrf_output_close(&out, true, text, sizeof text);
        }
        if (rc != 0) {
            rc = smrf_launch_fail(plan, rc, dump->line, "%s", text);
        }
    }
    free(contents);
    free(name);
    return rc;
}

static void free_buffers_(struct smrf_launch_plan *plan, struct smrf_device *device)
{
    for (unsigned i = 0; i < plan->num_buffers; i++) {
        if (plan->buffer[i].address && !plan->buffer[i].symbol) {
            smrf_device_free(device, plan->buffer[i].address);
        }
    }
}

/* Behind symbolic links, is the file below the folder? */
static bool is_below_(const char *file, const char *folder)
{
    char *target = smrf_output_follow(file);
    char *slash = target ? strrchr(target, '/') : NULL;
    if (slash) {
        *slash = '\0';
    }
    char *parent = !target ? NULL : realpath(!slash ? "." : slash == target ? "/" : target, NULL);
    char *root = realpath(folder, NULL);
    size_t n = root ? strlen(root) : 0;
    bool below = parent && root && strncmp(parent, root, n) == 0 &&
                 (parent[n] == '\0' || parent[n] == '/' || n == 1);
    free(root);
    free(parent);
    free(target);
    return below;
}

/* Is the file one of those that the launch file reads, or that must not be written? */
static bool is_kept_(const struct smrf_launch_plan *plan, const struct smrf_launch_outputs *o,
                     const char *file)
{
    bool kept = smrf_output_same(file, plan->path);
    for (size_t i = 0; !kept && i < o->num_keep; i++) {
        kept = o->keep[i] && smrf_output_same(file, o->keep[i]);
    }
    for (unsigned i = 0; !kept && i < plan->num_buffers; i++) {
        const struct smrf_launch_buffer *b = &plan->buffer[i];
        char *input = b->init == LAUNCH_FILE ? smrf_launch_resolve(plan, b->file) : NULL;
        kept = input && smrf_output_same(file, input);
        free(input);
    }
    return kept;
}

/* A plain file that would be replaced; what is written directly (a pipe, a device) would not be. */
static bool is_file_(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* May the dump be written to that name? */
static int check_dump_(const struct smrf_launch_plan *plan, const struct smrf_launch_outputs *o,
                       const struct smrf_launch_dump *dump, const char *name)
{
    if (o->folder && !is_below_(name, o->folder)) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, dump->line,
                                "dump '%.200s' is not below the working folder; "
                                "--allow-outside writes it all the same",
                                name);
    }
    if (is_kept_(plan, o, name)) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, dump->line,
                                "dump '%.200s' would replace a file that this command reads or "
                                "writes; give it another name",
                                name);
    }
    if (o->keep_files && is_file_(name)) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, dump->line,
                                "dump '%.200s' exists; --force replaces it", name);
    }
    return 0;
}

/* Where the results go: to where they may, and each to a file of its own. */
static int check_dumps_(const struct smrf_launch_plan *plan, const struct smrf_launch_outputs *o)
{
    int rc = 0;
    for (unsigned i = 0; i < plan->num_dumps && rc == 0; i++) {
        const struct smrf_launch_dump *dump = &plan->dump[i];
        char *name = smrf_launch_resolve(plan, dump->file);
        if (!name) {
            return smrf_launch_no_memory(plan);
        }
        rc = check_dump_(plan, o, dump, name);
        for (unsigned k = 0; k < i && rc == 0; k++) {
            char *other = smrf_launch_resolve(plan, plan->dump[k].file);
            if (other && smrf_output_same(name, other)) {
                rc = smrf_launch_fail(plan, SMRF_ERR_INVAL, dump->line,
                                      "two dumps are written to one file, '%.200s'", name);
            }
            free(other);
        }
        free(name);
    }
    return rc;
}

int smrf_launch_file_run(struct smrf_device *device, struct smrf_device_module *module,
                         const char *path, char error[SMRF_SASS_ERROR_BYTES])
{
    return smrf_launch_file_run_within(device, module, path, NULL, error);
}

int smrf_launch_file_run_within(struct smrf_device *device, struct smrf_device_module *module,
                                const char *path, const struct smrf_launch_outputs *outputs,
                                char error[SMRF_SASS_ERROR_BYTES])
{
    const struct smrf_launch_outputs anywhere = {.folder = NULL};
    struct smrf_launch_plan plan;
    int rc = smrf_launch_read(&plan, path, error);
    if (rc >= 0) {
        rc = check_dumps_(&plan, outputs ? outputs : &anywhere);
    }
    if (rc >= 0) {
        rc = check_kernels_(&plan, device, module);
    }
    if (rc >= 0) {
        rc = check_symbols_(&plan, device, module);
    }
    if (rc >= 0) {
        rc = check_addresses_(&plan);
    }
    if (rc >= 0) {
        rc = make_buffers_(&plan, device, module);
    }
    for (unsigned i = 0; i < plan.num_steps && rc >= 0; i++) {
        rc = run_step_(&plan, device, &plan.step[i]);
    }
    for (unsigned i = 0; i < plan.num_dumps && rc >= 0; i++) {
        rc = write_dump_(&plan, device, &plan.dump[i]);
    }
    free_buffers_(&plan, device);
    smrf_launch_free(&plan);
    return rc < 0 ? rc : 0;
}
