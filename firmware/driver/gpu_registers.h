/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket of smrf::gpu: its registers, their bits, and the launch descriptor that it
 * reads from memory. The model, the driver and the table in docs/ip.md are all made from this file.
 * Freestanding.
 *
 * Registers are 32 bits wide, little-endian, and accessed one at a time. A value of 64 bits is a
 * pair of registers: a read of the low one holds the high one for the read that follows. */
#ifndef SMRF_GPU_REGISTERS_H
#define SMRF_GPU_REGISTERS_H

#include <stdint.h>

/* X(name, offset, access, value after reset, meaning). Access: RO read, RW read and write, WO
 * write, W1C read, and write ones to clear. */
#define SMRF_GPU_REGISTERS(X)                                                                      \
    X(ID, 0x00, RO, 0x534d5246, "\"SMRF\"")                                                        \
    X(VERSION, 0x04, RO, 0x10002, "of this map: major << 16 | minor")                              \
    X(SMS, 0x08, RO, 0, "streaming multiprocessors")                                               \
    X(PROGRAMS, 0x0c, RO, 0, "programs that can be launched: handles 0 to PROGRAMS - 1")           \
    X(CONTROL, 0x10, WO, 0, "RESET, STOP")                                                         \
    X(STATUS, 0x14, RO, 0, "BUSY, DONE, ERROR, RESETTING")                                         \
    X(ERROR, 0x18, RW, 0, "cause of the first error since it was cleared; a write clears it")      \
    X(IRQ_ENABLE, 0x1c, RW, 0, "DONE, ERROR: which causes raise the interrupt")                    \
    X(IRQ_CAUSE, 0x20, W1C, 0, "DONE, ERROR")                                                      \
    X(PROGRAM, 0x24, RW, 0, "handle of the program to launch")                                     \
    X(REPEAT, 0x28, RW, 1, "how often it is run in one launch, 1 to 65535")                        \
    X(LIMIT_LO, 0x2c, RW, 0, "core cycles after which the launch is given up; 0 = none")           \
    X(LIMIT_HI, 0x30, RW, 0, "its upper half")                                                     \
    X(DESCRIPTOR_LO, 0x34, RW, 0, "address of a launch descriptor in memory, multiple of 8")       \
    X(DESCRIPTOR_HI, 0x38, RW, 0, "its upper half")                                                \
    X(DOORBELL, 0x3c, WO, 0, "REGISTERS or DESCRIPTOR: launch what these say")                     \
    X(LAUNCHES, 0x40, RO, 0, "launches that have ended without an error")                          \
    X(TAG, 0x44, RO, 0, "of the latest descriptor")                                                \
    X(CYCLES_LO, 0x48, RO, 0, "core cycles in which launches ran")                                 \
    X(CYCLES_HI, 0x4c, RO, 0, "its upper half")                                                    \
    X(WARP_INSTS_LO, 0x50, RO, 0, "warp instructions issued")                                      \
    X(WARP_INSTS_HI, 0x54, RO, 0, "its upper half")                                                \
    X(THREAD_INSTS_LO, 0x58, RO, 0, "thread instructions issued")                                  \
    X(THREAD_INSTS_HI, 0x5c, RO, 0, "its upper half")                                              \
    X(STAT_COUNT, 0x60, RO, 0, "statistics: indices 0 to STAT_COUNT - 1")                          \
    X(STAT_INDEX, 0x64, RW, 0, "which of them the next three show")                                \
    X(STAT_LO, 0x68, RO, 0, "its value: an integer, or a ratio in units of 2^-32")                 \
    X(STAT_HI, 0x6c, RO, 0, "its upper half")                                                      \
    X(STAT_IS_RATIO, 0x70, RO, 0, "0 integer, 1 ratio")                                            \
    X(FEATURES, 0x74, RO, 0, "EXECUTE")                                                            \
    X(STAT_NAME, 0x80, RO, 0, "its name, 64 bytes with a zero at the end, to 0xbf")

/* X(register, name, value, meaning) */
#define SMRF_GPU_BITS(X)                                                                           \
    X(CONTROL, RESET, 0x1, "as after elaboration; what is under way is given up")                  \
    X(CONTROL, STOP, 0x2, "give the present launch up")                                            \
    X(STATUS, BUSY, 0x1, "a launch is under way")                                                  \
    X(STATUS, DONE, 0x2, "the latest launch has ended, well or not")                               \
    X(STATUS, ERROR, 0x4, "ERROR is not 0")                                                        \
    X(STATUS, RESETTING, 0x8, "a reset waits for memory accesses that are under way")              \
    X(IRQ, DONE, 0x1, "a launch has ended")                                                        \
    X(IRQ, ERROR, 0x2, "ERROR has been set")                                                       \
    X(FEATURES, EXECUTE, 0x1, "descriptors of kernels are executed")                               \
    X(DOORBELL, REGISTERS, 0x1, "PROGRAM, REPEAT and LIMIT")                                       \
    X(DOORBELL, DESCRIPTOR, 0x2, "the descriptor in memory")

/* X(name, value, meaning) */
#define SMRF_GPU_ERRORS(X)                                                                         \
    X(NONE, 0, "none")                                                                             \
    X(BUSY, 1, "the doorbell was rung while a launch was under way; that goes on")                 \
    X(PROGRAM, 2, "no such program")                                                               \
    X(PARAMETER, 3, "REPEAT, the doorbell or the descriptor's address has no legal value")         \
    X(DESCRIPTOR, 4, "the descriptor is not one: magic, size or a reserved word")                  \
    X(DMA, 5, "the descriptor cannot be read, or its completion not be written")                   \
    X(READ_ONLY, 6, "a write to a register that cannot be written; nothing was changed")           \
    X(NEEDS_RESET, 7, "the latest launch was given up or failed: reset first")                     \
    X(LIMIT, 8, "the launch did not end within its limit of cycles")                               \
    X(STOPPED, 9, "the launch was given up by STOP")                                               \
    X(TRACE, 10, "the program cannot be read")                                                     \
    X(MEMORY, 11, "the memory answered with an error, or broke its protocol")                      \
    X(CHECK, 12, "a check of the model failed: oracle, conservation law or watchdog")              \
    X(INTERNAL, 13, "anything else, such as lack of memory")                                       \
    X(CODE, 14, "the code cannot be read, has no such kernel, or has what is not executed")        \
    X(LAUNCH, 15, "the kernel does not take such a grid, block, shared memory or arguments")       \
    X(ADDRESS, 16, "a thread accessed an address where no memory is")                              \
    X(MISALIGNED, 17, "a thread accessed an address that is no multiple of the access's size")     \
    X(ASSERT, 18, "an assertion of the kernel failed")                                             \
    X(TRAP, 19, "the kernel trapped, or ran out of its stack")                                     \
    X(TIMEOUT, 20, "a warp ran for ever, or waited for ever")

#define SMRF_GPU_REGISTER_ENUM(name, offset, access, reset, meaning) SMRF_GPU_##name = offset,
enum { SMRF_GPU_REGISTERS(SMRF_GPU_REGISTER_ENUM) SMRF_GPU_SPAN = 0xc0 };
#undef SMRF_GPU_REGISTER_ENUM
#define SMRF_GPU_BIT_ENUM(register, name, value, meaning) SMRF_GPU_##register##_##name = value,
enum { SMRF_GPU_BITS(SMRF_GPU_BIT_ENUM) };
#undef SMRF_GPU_BIT_ENUM
#define SMRF_GPU_ERROR_ENUM(name, value, meaning) SMRF_GPU_ERROR_##name = value,
enum { SMRF_GPU_ERRORS(SMRF_GPU_ERROR_ENUM) };
#undef SMRF_GPU_ERROR_ENUM

#define SMRF_GPU_ID_VALUE UINT32_C(0x534d5246)
#define SMRF_GPU_VERSION_VALUE UINT32_C(0x00010002)
#define SMRF_GPU_STAT_NAME_BYTES 64

/* A launch descriptor in memory, little-endian, at an address that is a multiple of 8. */
struct smrf_gpu_descriptor {
    uint32_t magic; /* SMRF_GPU_DESCRIPTOR_MAGIC */
    uint32_t bytes; /* of the descriptor */
    uint32_t program, repeat;
    uint32_t limit_lo, limit_hi;
    uint32_t completion_lo,
        completion_hi; /* where the completion is written, multiple of 8; 0 = nowhere */
    uint32_t tag;      /* the caller's */
    uint32_t reserved; /* 0 */
};
#define SMRF_GPU_DESCRIPTOR_MAGIC UINT32_C(0x31444c53) /* "SLD1" */

/* A descriptor of a kernel to execute, laid out in the same way; DOORBELL_DESCRIPTOR launches
 * either kind. Its addresses are in the memory that launches read and write. */
struct smrf_gpu_kernel {
    uint32_t magic;   /* SMRF_GPU_KERNEL_MAGIC */
    uint32_t bytes;   /* of the descriptor */
    uint32_t program; /* handle of code that the platform registered, or SMRF_GPU_CODE_IN_MEMORY */
    uint32_t repeat;
    uint32_t limit_lo, limit_hi;
    uint32_t completion_lo, completion_hi;
    uint32_t tag;
    uint32_t code_bytes;                   /* of the cubin, fat binary or listing in memory */
    uint32_t code_lo, code_hi;             /* address of the code */
    uint32_t name_lo, name_hi, name_bytes; /* of the kernel; 0 bytes: the only one of the code */
    uint32_t argument_bytes;               /* laid out as the kernel's parameter block */
    uint32_t arguments_lo, arguments_hi;
    uint32_t dynamic_shared;    /* bytes a block */
    uint32_t grid[3], block[3]; /* x, y, z */
    uint32_t flags;             /* SMRF_GPU_KERNEL_FRESH, or 0 */
    /* Where the code's __device__ variables lie, in the order of its data sections; a multiple of
     * 65536; 0 = it has none. A descriptor may end before these two. */
    uint32_t variables_lo, variables_hi;
};
#define SMRF_GPU_KERNEL_FRESH UINT32_C(1) /* the variables get their initial values first */
#define SMRF_GPU_KERNEL_MAGIC UINT32_C(0x314b4c53) /* "SLK1" */
#define SMRF_GPU_CODE_IN_MEMORY UINT32_C(0xffffffff)
#define SMRF_GPU_CODE_MOST (UINT32_C(1) << 24) /* bytes of code */
#define SMRF_GPU_NAME_MOST 255                 /* bytes of a kernel's name */
#define SMRF_GPU_ARGUMENTS_MOST 4096           /* bytes of arguments */

/* The completion, written when the launch has ended. */
struct smrf_gpu_completion {
    uint32_t tag;
    uint32_t state;                /* 1 + error */
    uint32_t cycles_lo, cycles_hi; /* of this launch */
};

#endif
