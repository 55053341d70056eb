/* SPDX-License-Identifier: Apache-2.0 */
/* Output of device code, and reading what its pointers name. */
#ifndef SMRF_EXEC_BUILTIN_H
#define SMRF_EXEC_BUILTIN_H

#include "firmware/exec/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies bytes from a lane's generic address; false if they are not all memory. */
bool smrf_exec_peek(struct smrf_exec_warp *w, unsigned lane, uint64_t address, void *to,
                    uint32_t bytes);
/* A string of device memory, cut to room - 1 characters. */
void smrf_exec_peek_text(struct smrf_exec_warp *w, unsigned lane, uint64_t address, char *text,
                         size_t room);
/* vprintf of one lane: gives the text to the launch's print. Returns the number of arguments that
 * the format took, as the device's printf does. */
uint32_t smrf_exec_print(struct smrf_exec_warp *w, unsigned lane, uint64_t format_address,
                         uint64_t arguments_address);

#ifdef __cplusplus
}
#endif

#endif
