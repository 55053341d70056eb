/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory beyond what exec.h shows: the heap of device-side malloc, and a description of the
 * surroundings of a bad address. */
#ifndef SMRF_EXEC_SPACE_H
#define SMRF_EXEC_SPACE_H

#include "firmware/exec/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device-side malloc: 16-byte aligned, 0 if more than limit bytes would be in use. */
uint64_t smrf_space_heap_alloc(struct smrf_memory_space *space, uint64_t bytes, uint64_t limit);
/* SMRF_ERR_INVAL if malloc did not return this address or it is free already. */
int smrf_space_heap_free(struct smrf_memory_space *space, uint64_t address);

/* A space whose addresses from base on, `bytes` of them, are also addresses of this process: what
 * is placed there (smrf_space_place) the host reads and writes directly, as CUDA's managed and
 * mapped memory. base and bytes are multiples of the page size. SMRF_ERR_NOMEM if something else
 * lies there. */
int smrf_space_create_mapped(struct smrf_memory_space **space, uint64_t base, uint64_t bytes);
/* Memory of this process becomes device memory at its own address, until it is taken out again. */
int smrf_space_map(struct smrf_memory_space *space, void *data, uint64_t bytes);
int smrf_space_unmap(struct smrf_memory_space *space, const void *data);

/* External memory behind a space, such as a platform's. Bytes outside of all ranges are read from
 * it when they are first accessed: a page at a time, or less if a page is incomplete. After that,
 * only writes through the space change them, until the space is destroyed. */
struct smrf_space_backing {
    void *ctx;
    /* Reads `bytes` from address on. False: they are not all there. */
    bool (*read)(void *ctx, uint64_t address, uint8_t *data, uint64_t bytes);
};
#define SMRF_SPACE_PAGE UINT64_C(4096)
#define SMRF_SPACE_PAGE_PART UINT64_C(32) /* the least that is read at a time */
void smrf_space_back(struct smrf_memory_space *space, const struct smrf_space_backing *backing);
/* Calls write with every run of bytes that differ from what was read, in ascending order. Returns
 * 0, or what write returned other than that. */
int smrf_space_changes(const struct smrf_memory_space *space, void *ctx,
                       int (*write)(void *ctx, uint64_t address, const uint8_t *data,
                                    uint64_t bytes));

/* A GPU maps pages of this size: past the end of an allocation it reads and writes what the page
 * holds. In a space that is lenient such reads give zeros where nothing is allocated, such writes
 * do nothing, and both are counted. */
#define SMRF_SPACE_GPU_PAGE (UINT64_C(2) << 20)
void smrf_space_be_lenient(struct smrf_memory_space *space);
bool smrf_space_read_past(struct smrf_memory_space *space, uint64_t address, uint8_t *data,
                          uint32_t bytes);
/* Whether a write there does nothing; none of its bytes is allocated. */
bool smrf_space_write_past(struct smrf_memory_space *space, uint64_t address, uint32_t bytes);
struct smrf_space_past {
    uint64_t number, first; /* how many there were, the address of the first one */
};
struct smrf_space_past smrf_space_past_of(const struct smrf_memory_space *space, bool write);

/* smrf_space_at for a block that may run beside others (claims.h), which does not see what they are
 * about to write. NULL also if the block is to be undone. */
void *smrf_space_use(struct smrf_memory_space *space, uint64_t address, uint64_t bytes, bool write);

/* The allocated range that starts at or below address, if there is one. */
bool smrf_space_near(struct smrf_memory_space *space, uint64_t address, uint64_t *start,
                     uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
