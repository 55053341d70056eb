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

/* The allocated range that starts at or below address, if there is one. */
bool smrf_space_near(struct smrf_memory_space *space, uint64_t address, uint64_t *start,
                     uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
