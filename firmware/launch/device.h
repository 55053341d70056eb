/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of a kernel, in the image of the CUDA driver API: load a module (machine code),
 * allocate, copy, launch. A host program is plain C over these calls. */
#ifndef SMRF_DEVICE_H
#define SMRF_DEVICE_H

#include "firmware/exec/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_device;
struct smrf_device_module;
struct smrf_device_function;

/* Device address. */
typedef uint64_t smrf_dptr;

int smrf_device_create(struct smrf_device **device);
/* A device whose addresses from base on, `bytes` of them (both multiples of the page size), are
 * this process's as well: modules' data lies there, and what smrf_space_place puts there. */
int smrf_device_create_mapped(struct smrf_device **device, uint64_t base, uint64_t bytes);
struct smrf_memory_space *smrf_device_space(struct smrf_device *device);
void smrf_device_destroy(struct smrf_device *device);
/* Text of the last error, never NULL. */
const char *smrf_device_error(const struct smrf_device *device);

/* Call these for every launch and copy (a capture). NULL: none. The pointer is kept. */
struct smrf_device_listener {
    void *ctx;
    int (*copy)(void *ctx, smrf_dptr to, uint64_t bytes); /* host to device */
    /* SMRF_DEVICE_UNHEARD: nothing more of this launch is wanted. */
    int (*launch_begin)(void *ctx, const struct smrf_exec_launch *launch);
    struct smrf_exec_listener exec;
    int (*launch_end)(void *ctx, const struct smrf_exec_launch *launch,
                      const struct smrf_exec_totals *totals);
    /* Instead of launch_end where the launch failed; may be NULL. */
    int (*launch_failed)(void *ctx, const struct smrf_exec_launch *launch);
};
#define SMRF_DEVICE_UNHEARD 1
void smrf_device_listen(struct smrf_device *device, const struct smrf_device_listener *listener);

/* Limits of every following launch, 0 = the default. */
struct smrf_device_limits {
    uint64_t max_insts_per_warp, stop_after_insts, heap_bytes;
    uint32_t stack_bytes;
    unsigned threads; /* that run a launch's blocks; 0 and 1: one after the other */
    bool (*wants_block)(void *ctx, struct smrf_exec_dim id);
    void *wants_ctx;
    /* As in struct smrf_exec_launch: what stops a launch, and the output of printf and assert. */
    const volatile sig_atomic_t *stop;
    void (*print)(void *ctx, bool is_error, const char *text, size_t bytes);
    void *print_ctx;
};
void smrf_device_limit(struct smrf_device *device, const struct smrf_device_limits *limits);
/* Blocks of every following launch are there together and take turns, or run one after the other.
 */
void smrf_device_together(struct smrf_device *device, bool together);
/* Sums over all launches so far. */
void smrf_device_totals(const struct smrf_device *device, struct smrf_exec_totals *totals);

/* A listing, cubin, fat binary or program of one module; arch: which code of a fat binary, 75 of
 * sm_75, 0 = the oldest. */
int smrf_device_load(struct smrf_device *device, struct smrf_device_module **module,
                     const char *file, unsigned arch);
/* The same of the file's bytes; name: for messages. */
int smrf_device_load_bytes(struct smrf_device *device, struct smrf_device_module **module,
                           const char *name, const void *bytes, size_t size, unsigned arch);
int smrf_device_load_text(struct smrf_device *device, struct smrf_device_module **module,
                          const char *name, const char *text, size_t size);
/* Takes a parsed module over, also where it fails: it must have been placed at
 * smrf_device_next. */
int smrf_device_adopt(struct smrf_device *device, struct smrf_device_module **module,
                      struct smrf_sass_module *sass);
/* Data of the next module lies at this address, a multiple of 65536, of the memory behind the
 * space (smrf_space_back). It holds what is there: the caller writes initial values. */
void smrf_device_data_behind(struct smrf_device *device, smrf_dptr address);
/* Valid until the next module is loaded. */
const struct smrf_sass_where *smrf_device_next(const struct smrf_device *device);
/* Frees the module, its functions and its data. */
int smrf_device_unload(struct smrf_device_module *module);
/* The module as parsed: names and kinds of its kernels and variables. */
const struct smrf_sass_module *smrf_device_module_info(const struct smrf_device_module *module);
/* Kernel by mangled or plain name; decodes it. The same name again gives the same function. */
int smrf_device_get_function(struct smrf_device_module *module,
                             struct smrf_device_function **function, const char *name);
/* A __device__ or __constant__ variable. __constant__ has no address in the device's space: use
 * smrf_device_symbol_write. */
int smrf_device_symbol(struct smrf_device_module *module, const char *name, smrf_dptr *address,
                       uint64_t *bytes);
/* The same for both kinds: where generic addresses find a __constant__ variable; what the host
 * writes there, kernels read from the constant bank. */
int smrf_device_symbol_address(struct smrf_device_module *module, const char *name,
                               smrf_dptr *address, uint64_t *bytes);
int smrf_device_symbol_write(struct smrf_device_module *module, const char *name,
                             const void *source, uint64_t bytes, uint64_t offset);

int smrf_device_alloc(struct smrf_device *device, smrf_dptr *address, uint64_t bytes);
int smrf_device_free(struct smrf_device *device, smrf_dptr address);
int smrf_device_write(struct smrf_device *device, smrf_dptr to, const void *from, uint64_t bytes);
/* Tells the listener of a copy that was made without smrf_device_write. */
int smrf_device_copied(struct smrf_device *device, smrf_dptr to, uint64_t bytes);
int smrf_device_read(struct smrf_device *device, void *to, smrf_dptr from, uint64_t bytes);
int smrf_device_set(struct smrf_device *device, smrf_dptr to, uint8_t value, uint64_t bytes);

/* Textures and surfaces. A handle is valid from add to remove; no handle is 0. */
struct smrf_exec_texture;
int smrf_device_texture_add(struct smrf_device *device, const struct smrf_exec_texture *texture,
                            uint32_t *handle);
int smrf_device_texture_remove(struct smrf_device *device, uint32_t handle);
const struct smrf_exec_texture *smrf_device_texture(const struct smrf_device *device,
                                                    uint32_t handle);
/* Whether a kernel of the module uses a texture or surface reference of that name. */
bool smrf_device_names(const struct smrf_device_module *module, const char *name);
/* The module's reference of that name has this handle from now on, 0 = none. */
int smrf_device_bind(struct smrf_device_module *module, const char *name, uint32_t handle);

/* args[i] points to the i-th parameter's value, of the size the kernel declares. */
int smrf_device_launch(struct smrf_device_function *function, struct smrf_exec_dim grid,
                       struct smrf_exec_dim block, uint32_t dynamic_shared, void *const *args,
                       unsigned num_args);
/* The same with the parameter block as it lies in constant bank 0 from param_base on: for a text
 * that declares no parameters (cuobjdump -sass). */
int smrf_device_launch_raw(struct smrf_device_function *function, struct smrf_exec_dim grid,
                           struct smrf_exec_dim block, uint32_t dynamic_shared, const void *params,
                           uint32_t bytes);
/* What a GPU would report of the last launch, if that failed. */
enum smrf_exec_fault smrf_device_fault(const struct smrf_device *device);
/* The parsed kernel, for callers that lay out parameters themselves. */
const struct smrf_sass_function *
smrf_device_function_info(const struct smrf_device_function *function);

#ifdef __cplusplus
}
#endif

#endif
