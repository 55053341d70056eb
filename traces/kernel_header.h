/* SPDX-License-Identifier: Apache-2.0 */
/* The `-key = value` lines in front of a kernel's trace. */
#ifndef SMRF_KERNEL_HEADER_H
#define SMRF_KERNEL_HEADER_H

#include "trace.h"

#define SMRF_BLOCK_WARPS_MAX 64 /* 2048 threads: twice what any GPU so far accepts */

struct smrf_kernel_header {
    struct smrf_kernel_info info;
    char *name;
    bool line_numbers; /* -enable lineinfo = 1 */
    bool has_grid, has_block, has_shared, has_regs;
    const char *reason; /* why a line or the header was refused */
    char text[352];     /* with the values that were refused */
};

void smrf_header_init(struct smrf_kernel_header *h);
void smrf_header_free(struct smrf_kernel_header *h);
/* Take one line (not NUL-terminated, newline excluded). Returns 0 or an error with reason set. */
int smrf_header_line(struct smrf_kernel_header *h, const char *line, size_t bytes);
/* Check that all that is needed has been seen. */
int smrf_header_check(struct smrf_kernel_header *h);
uint32_t smrf_header_warps(const struct smrf_kernel_header *h);

#endif
