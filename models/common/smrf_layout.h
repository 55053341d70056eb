/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a caller's storage, one after another, each at the start of a host cache line. The same
 * code adds up the bytes that are needed (without storage) and hands the parts out. */
#ifndef SMRF_LAYOUT_H
#define SMRF_LAYOUT_H

#include <stddef.h>

/* base NULL: nothing is handed out. */
struct smrf_layout {
    unsigned char *base; /* 64-byte aligned */
    size_t used;         /* bytes, so far */
};

/* The next part; NULL without a base. */
static inline void *smrf_layout_take(struct smrf_layout *a, size_t bytes)
{
    void *part = a->base ? a->base + a->used : NULL;
    a->used += (bytes + 63) & ~(size_t)63;
    return part;
}

#endif
