/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "session.h"

#include "firmware/exec/space.h"

#include <stdio.h>
#include <string.h>

#define REGISTERS 65536U        /* of an SM and of a block */
#define REGISTER_UNIT 256U      /* registers are given to a warp in such units */
#define SHARED_UNIT 256U        /* .. shared memory to a block, compute capability 7.5 */
#define SHARED_UNIT_AMPERE 128U /* .. 8.0 and later */

static uint32_t round_up_(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t warp_registers_(const struct smrf_cuda_kernel *k)
{
    const uint32_t registers = k->entry->registers != 0 ? k->entry->registers : 1;
    return round_up_(registers * SMRF_EXEC_LANES, REGISTER_UNIT);
}

uint32_t smrf_cuda_kernel_max_threads(const struct smrf_cuda_kernel *k)
{
    const uint32_t threads = REGISTERS / warp_registers_(k) * SMRF_EXEC_LANES;
    return threads < 1024 ? threads : 1024;
}

uint32_t smrf_cuda_kernel_shared(const struct smrf_cuda_kernel *k)
{
    const unsigned arch = smrf_device_module_info(smrf_cuda_module_device(k->module))->arch;
    const uint32_t system = smrf_exec_reserved_shared(arch);
    return k->entry->shared_bytes > system ? k->entry->shared_bytes - system : 0;
}

uint32_t smrf_cuda_kernel_const_bytes(const struct smrf_cuda_kernel *k)
{
    return smrf_device_module_info(smrf_cuda_module_device(k->module))->const_bytes[3];
}

uint32_t smrf_cuda_occupancy(const struct smrf_cuda_kernel *k, uint32_t threads,
                             uint64_t dynamic_shared)
{
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    const uint32_t warps = round_up_(threads, SMRF_EXEC_LANES) / SMRF_EXEC_LANES;
    const uint64_t shared = smrf_cuda_kernel_shared(k) + dynamic_shared + p->reserved_shared;
    if (threads == 0 || threads > 1024 || shared > p->sm_shared_bytes) {
        return 0;
    }
    const uint32_t unit = p->major < 8 ? SHARED_UNIT : SHARED_UNIT_AMPERE;
    const uint32_t block_shared = round_up_((uint32_t)shared, unit);
    uint32_t blocks = p->sm_threads / SMRF_EXEC_LANES / warps;
    /* A sub-core has a quarter of the registers and its warps stay on it. */
    const uint32_t by_registers = REGISTERS / 4 / warp_registers_(k) * 4 / warps;
    const uint32_t by_shared = block_shared != 0 ? p->sm_shared_bytes / block_shared : p->sm_blocks;
    blocks = blocks < p->sm_blocks ? blocks : p->sm_blocks;
    blocks = blocks < by_registers ? blocks : by_registers;
    return blocks < by_shared ? blocks : by_shared;
}

static int check_(const struct smrf_cuda_launch *l)
{
    const struct smrf_exec_dim g = l->grid, b = l->block;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0 || b.x > 1024 ||
        b.y > 1024 || b.z > 64 || threads > 1024 || g.x > 0x7fffffff || g.y > 65535 ||
        g.z > 65535) {
        return CUDA_INVALID_CONFIGURATION;
    }
    if (l->shared > l->kernel->max_dynamic_shared) {
        return CUDA_INVALID_VALUE;
    }
    if (threads > smrf_cuda_kernel_max_threads(l->kernel)) {
        return CUDA_OUT_OF_RESOURCES;
    }
    const uint64_t resident = (uint64_t)smrf_cuda_properties()->sms *
                              smrf_cuda_occupancy(l->kernel, (uint32_t)threads, l->shared);
    return l->cooperative && (uint64_t)g.x * g.y * g.z > resident ? (int)CUDA_COOPERATIVE_TOO_LARGE
                                                                  : CUDA_OK;
}

#define ATTRIBUTE_DYNAMIC_SHARED 8
#define ATTRIBUTE_CARVEOUT 9

int smrf_cuda_kernel_set(struct smrf_cuda_kernel *k, int attribute, int value)
{
    const int64_t most =
        (int64_t)smrf_cuda_properties()->block_shared_optin - (int64_t)smrf_cuda_kernel_shared(k);
    if (attribute == ATTRIBUTE_DYNAMIC_SHARED && value >= 0 && value <= most) {
        k->max_dynamic_shared = (uint32_t)value;
        return CUDA_OK;
    }
    if (attribute == ATTRIBUTE_CARVEOUT && value >= -1 && value <= 100) {
        k->carveout = value;
        return CUDA_OK;
    }
    return CUDA_INVALID_VALUE;
}

/* Decodes a kernel on its first launch. */
static int ready_(struct smrf_cuda_kernel *k)
{
    if (k->function != NULL || k->refused != CUDA_OK) {
        return k->refused;
    }
    if (smrf_device_get_function(smrf_cuda_module_device(k->module), &k->function, k->entry->name) <
        0) {
        const char *reason = smrf_device_error(smrf_cuda_device());
        char text[1024];
        fprintf(stderr, "smrf: kernel %s cannot be executed: %s\n", k->entry->name, reason);
        (void)snprintf(text, sizeof text, "kernel %s: %s", k->entry->name, reason);
        smrf_session_note(SMRF_NOTE_REFUSED, text);
        k->refused = CUDA_NOT_SUPPORTED;
    }
    return k->refused;
}

static int code_of_(enum smrf_exec_fault fault)
{
    switch (fault) {
    case SMRF_FAULT_ADDRESS:
        return CUDA_ILLEGAL_ADDRESS;
    case SMRF_FAULT_MISALIGNED:
        return CUDA_MISALIGNED;
    case SMRF_FAULT_ASSERT:
        return CUDA_ASSERT;
    case SMRF_FAULT_TIMEOUT:
        return CUDA_TIMEOUT;
    case SMRF_FAULT_TRAP:
        return CUDA_LAUNCH_FAILED;
    default:
        return CUDA_UNKNOWN;
    }
}

uint32_t smrf_cuda_available_shared(const struct smrf_cuda_kernel *k, uint32_t blocks)
{
    const uint32_t each = smrf_cuda_properties()->sm_shared_bytes / blocks;
    const uint32_t used = smrf_cuda_kernel_shared(k) + smrf_cuda_properties()->reserved_shared;
    return each > used ? each - used : 0;
}

static int run_(const struct smrf_cuda_launch *l)
{
    struct smrf_device_function *f = l->kernel->function;
    const uint32_t shared = (uint32_t)l->shared;
    smrf_device_together(smrf_cuda_device(), l->cooperative);
    return l->params != NULL ? smrf_device_launch_raw(f, l->grid, l->block, shared, l->params,
                                                      (uint32_t)l->param_bytes)
                             : smrf_device_launch(f, l->grid, l->block, shared, l->args,
                                                  l->kernel->entry->num_params);
}

/* Says once of each kernel that it reads, or writes, past the end of an allocation. */
static void tell_past_(struct smrf_cuda_kernel *k, bool write)
{
    static uint64_t told[2];
    uint64_t start = 0, bytes = 0;
    struct smrf_memory_space *space = smrf_device_space(smrf_cuda_device());
    const struct smrf_space_past past = smrf_space_past_of(space, write);
    if (past.number != told[write] && !k->told_past[write]) {
        (void)smrf_space_near(space, past.first, &start, &bytes);
        fprintf(stderr,
                "smrf: note: kernel %s %s past the end of an allocation, %llu times; the "
                "program's first such %s is at 0x%llx, offset %llu of %llu bytes. %s\n",
                k->entry->name, write ? "writes" : "reads",
                (unsigned long long)(past.number - told[write]), write ? "write" : "read",
                (unsigned long long)past.first, (unsigned long long)(past.first - start),
                (unsigned long long)bytes,
                write ? "It does nothing; a GPU overwrites what lies there."
                      : "It gets zeros; a GPU gives what lies there.");
        k->told_past[write] = true;
    }
    told[write] = past.number;
}

/* The error of a kernel that fails comes with a later call, as from a GPU, which runs it later. */
int smrf_cuda_launch(const struct smrf_cuda_launch *l)
{
    int rc = smrf_cuda_enter();
    smrf_cuda_print_flush();
    if (smrf_session_stopped()) { /* the trace is complete without it, the program about to end */
        return smrf_cuda_leave(rc);
    }
    rc = rc == CUDA_OK ? check_(l) : rc;
    rc = rc == CUDA_OK ? ready_(l->kernel) : rc;
    const bool failed = rc == CUDA_OK && run_(l) < 0;
    smrf_session_launched();
    tell_past_(l->kernel, false);
    tell_past_(l->kernel, true);
    if (failed) {
        const char *reason = smrf_device_error(smrf_cuda_device());
        if (!smrf_session_stopped()) {
            const int code = code_of_(smrf_device_fault(smrf_cuda_device()));
            fprintf(stderr, "smrf: %s\n", reason);
            smrf_session_note(SMRF_NOTE_FAULT, reason);
            smrf_cuda_fault(code);
        }
    }
    return smrf_cuda_leave(rc);
}
