/* SPDX-License-Identifier: Apache-2.0 */
#include "smrf_gpu.h"

static uint32_t read_(const struct smrf_gpu_device *g, uint32_t offset)
{
    return g->io.read(g->io.ctx, offset);
}

static void write_(const struct smrf_gpu_device *g, uint32_t offset, uint32_t value)
{
    g->io.write(g->io.ctx, offset, value);
}

static void idle_(const struct smrf_gpu_device *g)
{
    if (g->io.idle) {
        g->io.idle(g->io.ctx);
    }
}

static uint32_t read_mmio_(void *ctx, uint32_t offset)
{
    return ((volatile uint32_t *)ctx)[offset / sizeof(uint32_t)];
}

static void write_mmio_(void *ctx, uint32_t offset, uint32_t value)
{
    ((volatile uint32_t *)ctx)[offset / sizeof(uint32_t)] = value;
}

struct smrf_gpu_io smrf_dev_mmio(volatile uint32_t *base)
{
    struct smrf_gpu_io io;
    io.ctx = (void *)base;
    io.read = read_mmio_;
    io.write = write_mmio_;
    io.idle = 0;
    return io;
}

int smrf_dev_init(struct smrf_gpu_device *g, const struct smrf_gpu_io *io)
{
    g->io.ctx = io->ctx; /* field by field: a copy may be a call of memcpy */
    g->io.read = io->read;
    g->io.write = io->write;
    g->io.idle = io->idle;
    g->ended = 0;
    if (read_(g, SMRF_GPU_ID) != SMRF_GPU_ID_VALUE || read_(g, SMRF_GPU_VERSION) >> 16 != 1) {
        return -1;
    }
    smrf_dev_reset(g);
    return 0;
}

void smrf_dev_reset(struct smrf_gpu_device *g)
{
    write_(g, SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
    while (read_(g, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
        idle_(g);
    }
    g->ended = 0;
}

int smrf_dev_take_error(struct smrf_gpu_device *g)
{
    const uint32_t error = read_(g, SMRF_GPU_ERROR);
    if (error != SMRF_GPU_ERROR_NONE) {
        write_(g, SMRF_GPU_ERROR, 0);
    }
    return -(int)error;
}

/* What speaks against the launch at once is told at once. An interrupt that is still pending then
 * is of an earlier launch. */
static int ring_(struct smrf_gpu_device *g, uint32_t how)
{
    write_(g, SMRF_GPU_IRQ_CAUSE, SMRF_GPU_IRQ_DONE);
    g->ended = 0;
    write_(g, SMRF_GPU_DOORBELL, how);
    return smrf_dev_take_error(g);
}

int smrf_dev_launch(struct smrf_gpu_device *g, uint32_t program, uint32_t repeat, uint64_t limit)
{
    write_(g, SMRF_GPU_PROGRAM, program);
    write_(g, SMRF_GPU_REPEAT, repeat);
    write_(g, SMRF_GPU_LIMIT_LO, (uint32_t)limit);
    write_(g, SMRF_GPU_LIMIT_HI, (uint32_t)(limit >> 32));
    return ring_(g, SMRF_GPU_DOORBELL_REGISTERS);
}

void smrf_dev_describe(struct smrf_gpu_descriptor *d, uint32_t program, uint32_t repeat,
                       uint64_t limit, uint64_t completion, uint32_t tag)
{
    d->magic = SMRF_GPU_DESCRIPTOR_MAGIC;
    d->bytes = (uint32_t)sizeof *d;
    d->program = program;
    d->repeat = repeat;
    d->limit_lo = (uint32_t)limit;
    d->limit_hi = (uint32_t)(limit >> 32);
    d->completion_lo = (uint32_t)completion;
    d->completion_hi = (uint32_t)(completion >> 32);
    d->tag = tag;
    d->reserved = 0;
}

bool smrf_dev_executes(const struct smrf_gpu_device *g)
{
    return (read_(g, SMRF_GPU_FEATURES) & SMRF_GPU_FEATURES_EXECUTE) != 0;
}

void smrf_dev_describe_kernel(struct smrf_gpu_kernel *k, uint64_t code, uint32_t code_bytes,
                              uint64_t arguments, uint32_t argument_bytes, uint64_t completion,
                              uint32_t tag)
{
    k->magic = SMRF_GPU_KERNEL_MAGIC;
    k->bytes = (uint32_t)sizeof *k;
    k->program = SMRF_GPU_CODE_IN_MEMORY;
    k->repeat = 1;
    k->limit_lo = 0;
    k->limit_hi = 0;
    k->completion_lo = (uint32_t)completion;
    k->completion_hi = (uint32_t)(completion >> 32);
    k->tag = tag;
    k->code_bytes = code_bytes;
    k->code_lo = (uint32_t)code;
    k->code_hi = (uint32_t)(code >> 32);
    k->name_lo = 0;
    k->name_hi = 0;
    k->name_bytes = 0;
    k->argument_bytes = argument_bytes;
    k->arguments_lo = (uint32_t)arguments;
    k->arguments_hi = (uint32_t)(arguments >> 32);
    k->dynamic_shared = 0;
    k->grid[0] = k->grid[1] = k->grid[2] = 1;
    k->block[0] = k->block[1] = k->block[2] = 1;
    k->flags = 0;
    k->variables_lo = 0;
    k->variables_hi = 0;
}

int smrf_dev_launch_described(struct smrf_gpu_device *g, uint64_t address)
{
    write_(g, SMRF_GPU_DESCRIPTOR_LO, (uint32_t)address);
    write_(g, SMRF_GPU_DESCRIPTOR_HI, (uint32_t)(address >> 32));
    return ring_(g, SMRF_GPU_DOORBELL_DESCRIPTOR);
}

void smrf_dev_stop(struct smrf_gpu_device *g)
{
    write_(g, SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_STOP);
}

bool smrf_dev_busy(const struct smrf_gpu_device *g)
{
    return (read_(g, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) != 0;
}

int smrf_dev_wait(struct smrf_gpu_device *g)
{
    while (smrf_dev_busy(g)) {
        idle_(g);
    }
    return smrf_dev_take_error(g);
}

void smrf_dev_irq_enable(struct smrf_gpu_device *g, bool on)
{
    write_(g, SMRF_GPU_IRQ_CAUSE, SMRF_GPU_IRQ_DONE | SMRF_GPU_IRQ_ERROR);
    write_(g, SMRF_GPU_IRQ_ENABLE, on ? SMRF_GPU_IRQ_DONE : 0);
}

int smrf_dev_wait_irq(struct smrf_gpu_device *g)
{
    while (!(g->ended & SMRF_GPU_IRQ_DONE)) {
        idle_(g);
    }
    return smrf_dev_take_error(g);
}

void smrf_dev_irq(struct smrf_gpu_device *g)
{
    const uint32_t cause = read_(g, SMRF_GPU_IRQ_CAUSE);
    write_(g, SMRF_GPU_IRQ_CAUSE, cause);
    g->ended |= cause;
}

uint64_t smrf_dev_counter(const struct smrf_gpu_device *g, uint32_t low)
{
    const uint32_t lo = read_(g, low);
    return lo | (uint64_t)read_(g, low + 4) << 32;
}

static bool is_named_(const struct smrf_gpu_device *g, const char *name)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < SMRF_GPU_STAT_NAME_BYTES; i++) {
        word = i % 4 == 0 ? read_(g, SMRF_GPU_STAT_NAME + i) : word >> 8;
        if ((char)(word & 0xff) != name[i]) {
            return false;
        }
        if (name[i] == '\0') {
            return true;
        }
    }
    return false;
}

int smrf_dev_find_statistic(const struct smrf_gpu_device *g, const char *name)
{
    const uint32_t count = read_(g, SMRF_GPU_STAT_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        write_(g, SMRF_GPU_STAT_INDEX, i);
        if (is_named_(g, name)) {
            return (int)i;
        }
    }
    return -1;
}

uint64_t smrf_dev_statistic(const struct smrf_gpu_device *g, uint32_t index, bool *is_ratio)
{
    write_(g, SMRF_GPU_STAT_INDEX, index);
    *is_ratio = read_(g, SMRF_GPU_STAT_IS_RATIO) != 0;
    return smrf_dev_counter(g, SMRF_GPU_STAT_LO);
}
