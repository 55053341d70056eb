/* SPDX-License-Identifier: Apache-2.0 */
/* Address map: which L2 slice and DRAM channel hold an address, and where in them.
 *
 * linear (Accel-Sim SM75_RTX2060: dramid@8;...RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS): 256-byte chunks go
 * round the channels (remainder; the quotient is the address inside the channel, so that any number
 * of channels works); inside a channel, lines of 128 bytes go round its slices (with two slices:
 * address bit 7, the lowest bank bit, as Accel-Sim's sub-partition). With l2.slice_bytes = 256
 * (SM7_QV100: ...RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS) whole chunks go round the slices, and the lowest
 * bank bit is the one above the chunk.
 *
 * ipoly (own construction in the place of Accel-Sim's partition indexing 2): pieces of
 * l2.slice_bytes go round all slices, and each round of `slices` pieces is rotated by a hash of its
 * number n: the remainder of n x x^16, polynomials over GF(2), modulo x^16 + x^12 + x^3 + x + 1.
 * Any number of slices works, every round uses each slice once, and strides of powers of two spread
 * (after Rau, ISCA 1991).
 *
 * accelsim (its partition indexing 2, exactly): linear, and the number of the slice is combined by
 * exclusive or with the remainder of the address above it. For 16, 32 or 64 slices, at most two a
 * channel.
 *
 * Inside a channel, from the lowest bit of the line number on: one bank bit, column bits, the other
 * bank bits, dram.row_bits of row. With dram.open_bytes = 2048 there are four column bits, so a row
 * of a bank holds 2 KiB. dram.bank_hash: bank bits are combined with the lowest row bits (Zhang,
 * Zhu and Zhang, MICRO 2000). */
#ifndef SMRF_MEMORY_MAP_H
#define SMRF_MEMORY_MAP_H

#include "memory_config.h"

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a number is modulo a polynomial over GF(2). */
struct smrf_map_remainder {
    uint64_t mask;       /* what of the number is looked at */
    uint16_t of[8][256]; /* the part of each byte of the number, combined by exclusive or */
};

struct smrf_map {
    uint32_t channels, slices, per_channel;
    uint32_t bank_low_bits, bank_high_bits, column_bits;
    uint32_t piece_bits; /* of the lines that a slice holds in a row */
    bool rotate, fold, hashed_bank;
    uint64_t row_mask;
    uint16_t remainder[256];              /* of byte x x^16 */
    struct smrf_map_remainder set, slice; /* of a line's number; of the address above a slice */
};

/* Where a sector lies. */
struct smrf_place {
    uint32_t slice;
    uint64_t local; /* address within the slice, dense; a slice's tags are made of it */
};

struct smrf_dram_place {
    uint32_t channel, bank;
    uint64_t row;
};

void smrf_map_init(struct smrf_map *map, const struct smrf_memory_config *cfg);
struct smrf_place smrf_map_slice(const struct smrf_map *map, uint64_t address);
struct smrf_dram_place smrf_map_dram(const struct smrf_map *map, uint32_t slice, uint64_t local);

/* Set of a line of a slice. l2.set_hash linear: the low bits of its number; ipoly: the remainder of
 * its number, a polynomial over GF(2), modulo a primitive polynomial of as many bits as sets need,
 * so that strides of powers of two spread (Rau, ISCA 1991; Accel-Sim's set index function P). */
uint32_t smrf_map_set(const struct smrf_map *map, uint64_t local);

#ifdef __cplusplus
}
#endif

#endif
