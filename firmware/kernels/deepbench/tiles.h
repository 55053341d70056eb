/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the tensor-core kernels, for the kernels and the host that launches them: rows, columns
 * and elements of k that a block works on at a time, rows and columns of a warp, and slices: groups
 * of warps that share out the k of a tile too small for all of them. As in the vendor's libraries
 * 256 threads make a tile, and two or more blocks fit an SM of 64 K registers and 64 KB of shared
 * memory. */
#ifndef SMRF_DEEPBENCH_TILES_H
#define SMRF_DEEPBENCH_TILES_H

struct smrf_tile {
    int bm, bn, bk, wm, wn, slices;
};

/* clang-format off */
#define SMRF_TILE_128X128 128, 128, 32, 64, 32, 1
#define SMRF_TILE_64X64    64,  64, 64, 32, 32, 2
#define SMRF_TILE_64X32    64,  32, 64, 32, 16, 2
#define SMRF_TILE_32X32    32,  32, 64, 32, 16, 4
#define SMRF_TILE_128X8   128,   8, 64, 32,  8, 2 /* a handful of columns */
#define SMRF_TILE_32X256   32, 256, 32, 32, 32, 1 /* few filters, many pixels */
#define SMRF_TILE_16X256   16, 256, 32, 16, 32, 1
#define SMRF_TILE_BYTES   128, 128, 64, 64, 32, 1 /* of 8-bit integers */
/* clang-format on */

#define SMRF_TILE_THREADS(bm, bn, bk, wm, wn, slices) ((bm) / (wm) * ((bn) / (wn)) * (slices)*32)

#endif
