/* SPDX-License-Identifier: Apache-2.0 */
/* Address generation of the load/store unit: from the lanes' addresses of one instruction to the
 * 32-byte sectors it touches, or to the passes it takes through the shared-memory banks. Pure
 * functions. Accesses of regular strides over the active lanes take no loop over lanes. */
#ifndef SMRF_COALESCE_H
#define SMRF_COALESCE_H

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_MAX_ACCESS_BYTES 32 /* a lane; no SASS access is wider */
/* Sectors of one instruction: local memory, every lane's words (one more if unaligned) scattered.
 */
#define SMRF_MAX_SECTORS (SMRF_LANES * (SMRF_MAX_ACCESS_BYTES / 4 + 1))
/* Where local memory lies in the address space of requests: above any traced global address. */
#define SMRF_LOCAL_BASE (UINT64_C(1) << 48)
/* Accel-Sim's LOCAL_GENERIC_START: 80 SMs' shared memories of 96 KiB, and 16 KiB for each of 80 x
 * 2,048 threads, below 3 GiB. */
#define SMRF_LOCAL_BASE_ACCELSIM UINT64_C(0x1f880000)

struct smrf_sector {
    uint64_t address; /* bytes, multiple of 32 */
    uint32_t bytes;   /* bit b: byte b is accessed */
};

/* Where a warp's local memory lies. */
struct smrf_local_map {
    uint64_t window;  /* generic address of local offset 0; 0 = none */
    uint64_t thread;  /* number of the warp's lane 0 among all threads that can be resident */
    uint64_t threads; /* all of them, on all SMs */
    uint64_t base;    /* address of the first one's first word */
};

/* Address of the first active lane. Precondition: mask is not 0. */
uint64_t smrf_first_address(const struct smrf_inst *in);

/* Distinct sectors of the active lanes, ascending, into out[SMRF_MAX_SECTORS]. An access that
 * straddles a border takes both sectors. bytes: a lane's, 1..SMRF_MAX_ACCESS_BYTES. Returns their
 * number (Accel-Sim: warp_inst_t::memory_coalescing_arch with 32-byte segments). */
uint32_t smrf_coalesce_global(const struct smrf_inst *in, uint32_t bytes, struct smrf_sector *out);

/* As global, but lanes that access the same bytes are served one after the other: a sector is
 * listed as often as its most wanted byte (Accel-Sim: memory_coalescing_arch_atomic). */
uint32_t smrf_coalesce_atomic(const struct smrf_inst *in, uint32_t bytes, struct smrf_sector *out);

/* Local memory. Word w of all threads is contiguous, in order of threads, as hardware interleaves
 * it: a lane's 4-byte word w lies at base + 4 x (w x threads + thread + lane), so that a
 * warp which accesses the same word in all lanes touches 128 contiguous bytes. Wider accesses are
 * split in words. Addresses within 16 MiB of the window lose its base; others are offsets
 * (Accel-Sim: shader_core_ctx::translate_local_memaddr). */
uint32_t smrf_coalesce_local(const struct smrf_inst *in, uint32_t bytes,
                             const struct smrf_local_map *map, struct smrf_sector *out);

/* Passes through the shared-memory banks: the largest number of distinct 4-byte words that any
 * bank must deliver; at least 1. Lanes that want the same word share it. */
uint32_t smrf_shared_passes(const struct smrf_inst *in, uint32_t bytes, uint32_t banks);

/* The same for an atomic: lanes that access one bank go one after the other, also those that access
 * one word. */
uint32_t smrf_shared_atomic_passes(const struct smrf_inst *in, uint32_t banks);

/* The same for frequent callers: a program has few patterns in which the lanes of a full warp lie
 * to each other, and the passes of one do not depend on where it lies. Begins zeroed; banks: always
 * the same. */
#define SMRF_KNOWN_PATTERNS 8 /* a power of two */
struct smrf_known_pattern {
    uint64_t offset[SMRF_LANES]; /* from the word of lane 0 */
    uint32_t bytes, passes;      /* bytes 0: none */
};
struct smrf_known_passes {
    struct smrf_known_pattern pattern[SMRF_KNOWN_PATTERNS];
};
uint32_t smrf_shared_passes_known(struct smrf_known_passes *known, const struct smrf_inst *in,
                                  uint32_t bytes, uint32_t banks);

#ifdef __cplusplus
}
#endif

#endif
