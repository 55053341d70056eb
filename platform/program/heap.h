/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the program, not of the library: its heap. Memory that is freed is used again: each
 * launch's decoder and buffers take megabytes, and pages that went back to the system between
 * launches would be cleared each time. The first of it lies on huge pages, where the system has
 * them; they come in one step and not in thousands. So does the array of 3 MB that libsystemc
 * clears when it is loaded, and the heap goes on where that array ends. */
#ifndef SMRF_PROGRAM_HEAP_H
#define SMRF_PROGRAM_HEAP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Prepare it, unless that has been done. Called before there are threads. */
void smrf_heap_prepare(void);

#ifdef __cplusplus
}
#endif

#endif
