/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of smrf::gpu for firmware: freestanding C11, no library, no state outside its struct.
 * Accesses go through struct smrf_gpu_io. So the same code drives registers in the address space
 * (smrf_dev_mmio) and a model behind b_transport. One core at a time uses a device. Its interrupt
 * handler may interrupt any of these functions except those that read counters, because a counter
 * has two halves. */
#ifndef SMRF_GPU_DRIVER_H
#define SMRF_GPU_DRIVER_H

#include "gpu_registers.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_gpu_io {
    void *ctx;
    uint32_t (*read)(void *ctx, uint32_t offset);
    void (*write)(void *ctx, uint32_t offset, uint32_t value);
    /* Waits while there is nothing to do; an interrupt ends the wait. NULL: spin. */
    void (*idle)(void *ctx);
};

struct smrf_gpu_device {
    struct smrf_gpu_io io;
    volatile uint32_t ended; /* set by the interrupt handler: SMRF_GPU_IRQ_* */
};

/* Device whose registers are at this address of the core's own address space. */
struct smrf_gpu_io smrf_dev_mmio(volatile uint32_t *base);

/* Functions return 0 or -enum SMRF_GPU_ERROR_*, unless they say otherwise. */

/* Looks for a GPU that this driver understands, and resets it. Returns 0, or -1: there is none. */
int smrf_dev_init(struct smrf_gpu_device *g, const struct smrf_gpu_io *io);
/* Resets the GPU, and returns when the reset has ended. */
void smrf_dev_reset(struct smrf_gpu_device *g);

/* Launches `program`, `repeat` times; limit: core cycles, 0 = none. Returns once the launch has
 * begun. */
int smrf_dev_launch(struct smrf_gpu_device *g, uint32_t program, uint32_t repeat, uint64_t limit);
/* Fill in a descriptor; launch the descriptor at this address of the memory that the GPU sees. */
void smrf_dev_describe(struct smrf_gpu_descriptor *d, uint32_t program, uint32_t repeat,
                       uint64_t limit, uint64_t completion, uint32_t tag);
/* Can the GPU execute kernels? */
bool smrf_dev_executes(const struct smrf_gpu_device *g);
/* Fills in a kernel's descriptor: its code at an address of the memory that the GPU sees, with this
 * one kernel, and a grid of 1 x 1 x 1 blocks of 1 x 1 x 1 threads. Change its fields as needed,
 * then launch it as any descriptor. */
void smrf_dev_describe_kernel(struct smrf_gpu_kernel *k, uint64_t code, uint32_t code_bytes,
                              uint64_t arguments, uint32_t argument_bytes, uint64_t completion,
                              uint32_t tag);
int smrf_dev_launch_described(struct smrf_gpu_device *g, uint64_t address);
/* Stops the present launch. The GPU needs a reset afterwards. */
void smrf_dev_stop(struct smrf_gpu_device *g);

bool smrf_dev_busy(const struct smrf_gpu_device *g);
/* Waits for the end of the launch: by polling, or by interrupt (enabled before the launch). */
int smrf_dev_wait(struct smrf_gpu_device *g);
void smrf_dev_irq_enable(struct smrf_gpu_device *g, bool on);
int smrf_dev_wait_irq(struct smrf_gpu_device *g);
/* Call it from the interrupt handler: it clears the cause. */
void smrf_dev_irq(struct smrf_gpu_device *g);

/* Returns the first error since the last call, and clears it. */
int smrf_dev_take_error(struct smrf_gpu_device *g);

/* Reads a pair of registers: SMRF_GPU_CYCLES_LO, SMRF_GPU_WARP_INSTS_LO, SMRF_GPU_THREAD_INSTS_LO.
 */
uint64_t smrf_dev_counter(const struct smrf_gpu_device *g, uint32_t low);
/* Index of the statistic with this name, or -1. */
int smrf_dev_find_statistic(const struct smrf_gpu_device *g, const char *name);
/* Its value: an integer, or a ratio in units of 2^-32. */
uint64_t smrf_dev_statistic(const struct smrf_gpu_device *g, uint32_t index, bool *is_ratio);

#ifdef __cplusplus
}
#endif

#endif
