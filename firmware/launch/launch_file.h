/* SPDX-License-Identifier: Apache-2.0 */
/* A launch file (YAML): buffers with their contents, launches in order, and what to write out at
 * the end. What a host program does that has no logic of its own.
 *
 *   launches:                      # in order
 *     - kernel: saxpy
 *       grid: [8, 1, 1]
 *       block: [256, 1, 1]
 *       shared: 0                  # dynamic shared memory, bytes
 *       together: false            # true: blocks take turns, so that they may wait for others
 *       args: [x, y, {f32: 2.0}, {i32: 2048}]   # buffers or typed scalars, in parameter order
 *   buffers:
 *     x: {type: f32, count: 2048, init: {random: {seed: 1, min: -1, max: 1}}}
 *     y: {type: f32, count: 2048, init: {file: y.bin}}  # raw little-endian; also zero, {fill: v},
 *   symbols:                       # __constant__ and __device__ variables of the module
 *     taps: {type: f32, count: 9, init: {file: taps.bin}}   # without init: as the module has it
 *   dump: {y: y.out.bin}                                # {iota: [start, step]}
 *
 * A vector is {f32: [1, 2, 3, 4]}; a structure is the list of its members, which are arguments
 * themselves: [{i32: 5}, x, {u8: 1}]. __device__ variables can be arguments and can be dumped.
 * Types: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64. Names of files are relative to the launch
 * file's folder. */
#ifndef SMRF_LAUNCH_FILE_H
#define SMRF_LAUNCH_FILE_H

#include "firmware/launch/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocate and fill the buffers, launch, write what `dump` names. The whole file is checked before
 * anything is allocated. Returns 0 or a negative enum smrf_err; error then names file, line,
 * reason and what to do. */
int smrf_launch_file_run(struct smrf_device *device, struct smrf_device_module *module,
                         const char *path, char error[SMRF_SASS_ERROR_BYTES]);

/* What a launch file from elsewhere may write. Files that it reads itself are never written. */
struct smrf_launch_outputs {
    const char *folder; /* what `dump` names must lie below it; NULL: anywhere */
    bool keep_files;    /* none may exist before */
    const char *const
        *keep; /* files that must not be written in any case, num_keep; entries may be NULL */
    size_t num_keep;
};

/* The same within these bounds, NULL: none; where a dump breaks one, nothing runs. */
int smrf_launch_file_run_within(struct smrf_device *device, struct smrf_device_module *module,
                                const char *path, const struct smrf_launch_outputs *outputs,
                                char error[SMRF_SASS_ERROR_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
