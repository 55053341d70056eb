/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: checked, given to the executor, told to the listener. */
#include "device_internal.h"

#include <inttypes.h>
#include <string.h>

/* Of compute capability 7.5 (CUDA programming guide, table of technical specifications). */
#define MAX_BLOCK_THREADS 1024u
#define MAX_BLOCK_Z 64u
#define MAX_GRID_X 0x7fffffffu
#define MAX_GRID_YZ 65535u

static int check_dimensions_(const struct smrf_device_function *function, struct smrf_exec_dim grid,
                             struct smrf_exec_dim block, uint32_t dynamic_shared)
{
    const struct smrf_device_module *module = function->module;
    const struct smrf_sass_function *entry = function->entry;
    struct smrf_device *device = module->device;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const bool block_ok = block.x >= 1 && block.x <= MAX_BLOCK_THREADS && block.y >= 1 &&
                          block.y <= MAX_BLOCK_THREADS && block.z >= 1 && block.z <= MAX_BLOCK_Z &&
                          threads <= MAX_BLOCK_THREADS;
    if (!block_ok) {
        return smrf_device_fail(device, SMRF_ERR_INVAL,
                                "kernel %s: a block of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                                " threads; at least 1 and at most %u, z at most %u",
                                entry->name, block.x, block.y, block.z, MAX_BLOCK_THREADS,
                                MAX_BLOCK_Z);
    }
    if (grid.x < 1 || grid.x > MAX_GRID_X || grid.y < 1 || grid.y > MAX_GRID_YZ || grid.z < 1 ||
        grid.z > MAX_GRID_YZ) {
        return smrf_device_fail(device, SMRF_ERR_INVAL,
                                "kernel %s: a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                                " blocks; at least 1, x at most %u, y and z at most %u",
                                entry->name, grid.x, grid.y, grid.z, MAX_GRID_X, MAX_GRID_YZ);
    }
    const unsigned arch = module->sass->arch;
    const uint32_t most_shared = smrf_exec_max_shared(arch) + smrf_exec_reserved_shared(arch);
    if ((uint64_t)entry->shared_bytes + dynamic_shared > most_shared) {
        return smrf_device_fail(device, SMRF_ERR_INVAL,
                                "kernel %s: %" PRIu32 " bytes of static and %" PRIu32
                                " of dynamic shared memory; a block has %u",
                                entry->name, entry->shared_bytes, dynamic_shared, most_shared);
    }
    return 0;
}

/* Blocks that are there together may meet in grid.sync(). Its counter starts at 0. */
static int place_barrier_(struct smrf_device *device, struct smrf_exec_launch *launch)
{
    void *at = smrf_space_at(device->space, SMRF_EXEC_GRID, SMRF_EXEC_GRID_BYTES);
    if (!launch->together) {
        return 0;
    }
    if (at == NULL) {
        const int rc = smrf_space_place(device->space, SMRF_EXEC_GRID, SMRF_EXEC_GRID_BYTES);
        if (rc < 0) {
            return smrf_device_fail(device, rc, "kernel %s: no memory for the grid's barrier",
                                    launch->entry->name);
        }
        at = smrf_space_at(device->space, SMRF_EXEC_GRID, SMRF_EXEC_GRID_BYTES);
    }
    memset(at, 0, SMRF_EXEC_GRID_BYTES);
    launch->grid_barrier = SMRF_EXEC_GRID;
    return 0;
}

static int run_(struct smrf_device *device, struct smrf_exec_launch *launch)
{
    const struct smrf_device_listener *listener = device->listener;
    struct smrf_exec_totals totals = {0};
    int heard = 0;
    device->fault = SMRF_FAULT_NONE;
    if (listener != NULL && listener->launch_begin != NULL) {
        heard = listener->launch_begin(listener->ctx, launch);
    }
    if (heard < 0) {
        return smrf_device_fail(device, heard, "kernel %s: the trace could not be begun",
                                launch->entry->name);
    }
    listener = heard == SMRF_DEVICE_UNHEARD ? NULL : listener;
    launch->listener = listener != NULL ? &listener->exec : NULL;
    int rc = smrf_exec_run(launch, &totals, device->error);
    if (rc < 0) {
        device->fault = totals.fault;
        if (listener != NULL && listener->launch_failed != NULL) {
            (void)listener->launch_failed(listener->ctx, launch);
        }
        return rc;
    }
    smrf_exec_add_totals(&device->totals, &totals);
    if (listener != NULL && listener->launch_end != NULL) {
        rc = listener->launch_end(listener->ctx, launch, &totals);
    }
    return rc < 0 ? smrf_device_fail(device, rc, "kernel %s: the trace could not be ended",
                                     launch->entry->name)
                  : 0;
}

enum smrf_exec_fault smrf_device_fault(const struct smrf_device *device)
{
    return (enum smrf_exec_fault)device->fault;
}

int smrf_device_launch_raw(struct smrf_device_function *function, struct smrf_exec_dim grid,
                           struct smrf_exec_dim block, uint32_t dynamic_shared, const void *params,
                           uint32_t bytes)
{
    struct smrf_device_module *module = function->module;
    struct smrf_device *device = module->device;
    int rc = check_dimensions_(function, grid, block, dynamic_shared);
    if (rc == 0 && bytes > SMRF_EXEC_MAX_PARAMS) {
        rc = smrf_device_fail(device, SMRF_ERR_INVAL,
                              "kernel %s: %" PRIu32 " bytes of parameters; at most %u",
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
        .texture = (const struct smrf_exec_texture *const *)device->texture,
        .num_textures = device->num_textures,
        .const_address = module->const_address,
        .params = params,
        .param_bytes = bytes,
        .stack_bytes = device->limits.stack_bytes,
        .heap_bytes = device->limits.heap_bytes,
        .max_insts_per_warp = device->limits.max_insts_per_warp,
        .stop_after_insts = device->limits.stop_after_insts,
        .stop = device->limits.stop,
        .threads = device->limits.threads,
        .together = device->together,
        .wants_block = device->limits.wants_block,
        .wants_ctx = device->limits.wants_ctx,
        .print = device->limits.print,
        .print_ctx = device->limits.print_ctx,
    };
    struct smrf_exec_word word[SMRF_DEVICE_WORDS];
    rc = smrf_device_words(function, word);
    if (rc < 0) {
        return rc;
    }
    launch.word = word;
    launch.num_words = (uint32_t)rc;
    for (unsigned b = 0; b < SMRF_SASS_CONST_BANKS; b++) {
        launch.const_data[b] = module->constants[b];
        launch.const_bytes[b] = module->sass->const_bytes[b];
    }
    rc = place_barrier_(device, &launch);
    return rc < 0 ? rc : run_(device, &launch);
}

int smrf_device_launch(struct smrf_device_function *function, struct smrf_exec_dim grid,
                       struct smrf_exec_dim block, uint32_t dynamic_shared, void *const *args,
                       unsigned num_args)
{
    const struct smrf_sass_function *entry = function->entry;
    uint8_t params[SMRF_EXEC_MAX_PARAMS] = {0};
    if (num_args != entry->num_params) {
        return smrf_device_fail(function->module->device, SMRF_ERR_INVAL,
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
            return smrf_device_fail(function->module->device, SMRF_ERR_FORMAT,
                                    "kernel %s: parameter %u lies beyond the %" PRIu32
                                    " bytes of parameters declared",
                                    entry->name, i, entry->param_bytes);
        }
        memcpy(params + p->offset, args[i], p->bytes);
    }
    return smrf_device_launch_raw(function, grid, block, dynamic_shared, params,
                                  entry->param_bytes);
}
