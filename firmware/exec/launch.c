/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: its limits, what a block starts with, what a failure is reported as. */
#include "firmware/exec/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTS (UINT64_C(1) << 28) /* of a warp: some ten seconds */
#define MAX_THREADS 1024
#define DEFAULT_STACK (16U << 10) /* where the kernel does not state what it needs */
#define LEAST_STACK (1U << 10)    /* the driver's default limit */
#define WARP_TURN 16384           /* instructions after which a warp that spins gives way */

static void put32_(uint8_t *bank, uint32_t offset, uint32_t value)
{
    memcpy(bank + offset, &value, sizeof value);
}

static void put64_(uint8_t *bank, uint32_t offset, uint64_t value)
{
    memcpy(bank + offset, &value, sizeof value);
}

/* Constant bank 0 as the driver fills it for sm_75. Offsets: what compiled code reads for
 * blockDim, gridDim, cvta, the stack pointer, %dynamic_smem_size, %gridid, cvta.const and %nsmid.
 */
static void fill_bank0_(struct smrf_exec_runner *r)
{
    const struct smrf_exec_launch *l = r->block.launch;
    uint8_t *bank = r->block.bank0;
    const uint32_t dim[6] = {l->block.x, l->block.y, l->block.z, l->grid.x, l->grid.y, l->grid.z};
    for (uint32_t i = 0; i < 6; i++) {
        put32_(bank, 4 * i, dim[i]);
    }
    put64_(bank, 0x18, SMRF_EXEC_SHARED_WINDOW);
    put64_(bank, 0x20, SMRF_EXEC_LOCAL_WINDOW);
    put32_(bank, 0x28, r->block.local_bytes);
    put32_(bank, 0x2c, l->dynamic_shared);
    put64_(bank, 0x30, 1); /* %gridid */
    put64_(bank, 0x50, l->const_address);
    put32_(bank, 0x10c, 1); /* %nsmid: every block runs on SM 0 */
    const uint32_t grid = l->code->module->arch >= 90 ? 0x44 : 0x8c;
    put32_(bank, grid, (uint32_t)(l->grid_barrier >> 32)); /* %envreg1, %envreg2: grid.sync() */
    put32_(bank, grid + 4, (uint32_t)l->grid_barrier);
    if (l->param_bytes != 0) {
        memcpy(bank + l->entry->param_base, l->params, l->param_bytes);
    }
    for (uint32_t i = 0; i < l->num_words; i++) {
        if (l->word[i].offset <= SMRF_EXEC_BANK0_BYTES - 4) {
            put32_(bank, l->word[i].offset, l->word[i].value);
        }
    }
    r->block.const_data[0] = bank;
    r->block.const_bytes[0] = SMRF_EXEC_BANK0_BYTES;
}

/* CUDA programming guide, technical specifications a compute capability. */
uint32_t smrf_exec_max_shared(unsigned arch)
{
    const uint32_t kib = arch >= 90 ? 227 : arch == 86 || arch == 89 ? 99 : arch >= 80 ? 163 : 64;
    return kib << 10;
}

uint32_t smrf_exec_reserved_shared(unsigned arch)
{
    return arch >= 90 ? 1024 : 0;
}

int smrf_exec_launch_fails_(char *error, int code, const char *name, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "kernel %s: %s", name, text);
    return code;
}

int smrf_exec_check_launch_(const struct smrf_exec_launch *l, char *error)
{
    const char *name = l->entry->name;
    const struct smrf_exec_dim g = l->grid, b = l->block;
    if (b.x == 0 || b.y == 0 || b.z == 0 || b.x > MAX_THREADS || b.y > MAX_THREADS || b.z > 64 ||
        b.x * b.y > MAX_THREADS || b.x * b.y * b.z > MAX_THREADS) {
        return smrf_exec_launch_fails_(
            error, SMRF_ERR_INVAL, name,
            "a block of %u x %u x %u threads: at most 1024, none of them 0", b.x, b.y, b.z);
    }
    if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) {
        return smrf_exec_launch_fails_(
            error, SMRF_ERR_INVAL, name,
            "a grid of %u x %u x %u blocks: none may be 0, at most 2147483647 x "
            "65535 x 65535",
            g.x, g.y, g.z);
    }
    const unsigned arch = l->code->module->arch;
    const uint32_t most_shared = smrf_exec_max_shared(arch) + smrf_exec_reserved_shared(arch);
    if ((uint64_t)l->entry->shared_bytes + l->dynamic_shared > most_shared) {
        return smrf_exec_launch_fails_(error, SMRF_ERR_LIMIT, name,
                                       "%u + %u bytes of shared memory: at most %u",
                                       l->entry->shared_bytes, l->dynamic_shared, most_shared);
    }
    if (l->stack_bytes > SMRF_EXEC_MAX_STACK) {
        return smrf_exec_launch_fails_(error, SMRF_ERR_LIMIT, name,
                                       "a stack of %u bytes a lane: at most %u", l->stack_bytes,
                                       SMRF_EXEC_MAX_STACK);
    }
    if (l->param_bytes != 0 && (l->entry->param_base > SMRF_EXEC_BANK0_BYTES ||
                                l->param_bytes > SMRF_EXEC_BANK0_BYTES - l->entry->param_base)) {
        return smrf_exec_launch_fails_(error, SMRF_ERR_LIMIT, name,
                                       "%u bytes of parameters do not fit constant bank 0",
                                       l->param_bytes);
    }
    return 0;
}

static uint32_t stack_bytes_(const struct smrf_exec_launch *l)
{
    uint64_t bytes = l->stack_bytes;
    if (bytes == 0) {
        bytes = l->entry->stack_bytes < 0             ? DEFAULT_STACK
                : l->entry->stack_bytes > LEAST_STACK ? (uint64_t)l->entry->stack_bytes
                                                      : LEAST_STACK;
    }
    if (bytes > SMRF_EXEC_MAX_STACK) {
        bytes = SMRF_EXEC_MAX_STACK;
    }
    return (uint32_t)((bytes + 15) & ~UINT64_C(15));
}

int smrf_exec_prepare_(struct smrf_exec_runner *r, const struct smrf_exec_launch *l, char *error)
{
    struct smrf_exec_block *b = &r->block;
    r->entry = smrf_exec_op_at(l->code, l->entry->address);
    if (r->entry == NULL) {
        return smrf_exec_launch_fails_(error, SMRF_ERR_INVAL, l->entry->name, "has no code");
    }
    r->listener = l->listener;
    r->take_turn = smrf_exec_turn_(l->listener != NULL);
    r->turn = WARP_TURN;
    r->max_insts = l->max_insts_per_warp != 0 ? l->max_insts_per_warp : MAX_INSTS;
    b->launch = l;
    b->space = l->space;
    b->totals = &r->totals;
    b->num_threads = l->block.x * l->block.y * l->block.z;
    b->num_warps = (b->num_threads + SMRF_EXEC_LANES - 1) / SMRF_EXEC_LANES;
    b->shared_bytes = l->entry->shared_bytes + l->dynamic_shared;
    b->local_bytes = stack_bytes_(l);
    b->local_stride = b->local_bytes + 64U;
    for (unsigned i = 0; i < SMRF_SASS_CONST_BANKS; i++) {
        bool own = l->entry->const_data[i] != NULL && l->const_data[i] == NULL;
        b->const_data[i] = own ? l->entry->const_data[i] : l->const_data[i];
        b->const_bytes[i] = own ? l->entry->const_bytes[i] : l->const_bytes[i];
    }
    fill_bank0_(r);
    b->shared = calloc(1, b->shared_bytes + 1U);
    /* Cleared as far as they are used: smrf_exec_begin_, smrf_exec_clear_local. */
    b->local = malloc(b->num_warps * SMRF_EXEC_LANES * b->local_stride);
    r->flow = malloc(b->num_warps * sizeof *r->flow);
    if (b->shared == NULL || b->local == NULL || r->flow == NULL) {
        return smrf_exec_launch_fails_(error, SMRF_ERR_NOMEM, l->entry->name, "out of memory");
    }
    return 0;
}

/* Where the failure happened: the instruction that ran last. */
void smrf_exec_describe_(struct smrf_exec_runner *r, int code, char *error)
{
    const struct smrf_exec_launch *l = r->block.launch;
    const struct smrf_exec_warp *w = NULL;
    for (uint32_t i = 0; i < r->block.num_warps && w == NULL; i++) {
        if (r->flow[i].warp.error != NULL) {
            w = &r->flow[i].warp;
        }
    }
    if (w == NULL || r->current == NULL) {
        (void)snprintf(error, SMRF_SASS_ERROR_BYTES,
                       "kernel %s, block (%u,%u,%u): the listener stopped the launch (error %d)",
                       l->entry->name, r->block.id.x, r->block.id.y, r->block.id.z, code);
        return;
    }
    r->totals.fault = w->fault != SMRF_FAULT_NONE ? w->fault : (uint8_t)SMRF_FAULT_TRAP;
    const struct smrf_sass_module *m = l->code->module;
    const struct smrf_sass_inst *inst = r->current->inst;
    const struct smrf_sass_function *in = &m->function[inst->function];
    char lane[24] = "";
    if (w->error_lane >= 0) {
        (void)snprintf(lane, sizeof lane, ", lane %d", w->error_lane);
    }
    (void)snprintf(
        error, SMRF_SASS_ERROR_BYTES,
        "kernel %.80s, block (%u,%u,%u), warp %u%s, PC 0x%llx of %.80s (%.60s:%u: %.80s): %s",
        l->entry->name, r->block.id.x, r->block.id.y, r->block.id.z, w->index, lane,
        (unsigned long long)(inst->address - in->address), in->name, m->file, inst->line,
        inst->text, w->error);
}

void smrf_exec_free_(struct smrf_exec_runner *r)
{
    if (r != NULL) {
        free(r->block.shared);
        free(r->block.local);
        free(r->flow);
        free(r);
    }
}
