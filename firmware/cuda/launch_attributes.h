/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a launch: the runtime and the driver lay them out alike. */
#ifndef SMRF_CUDA_LAUNCH_ATTRIBUTES_H
#define SMRF_CUDA_LAUNCH_ATTRIBUTES_H

#include "core.h"

#include <string.h>

struct launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
    } value;
};
enum {
    ATTRIBUTE_WINDOW = 1,
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_WAIT = 3,
    ATTRIBUTE_PRIORITY = 8
};

/* Do attributes ask for a cooperative launch? attribute: [count]. */
static inline bool smrf_cuda_cooperative(const struct launch_attribute *attribute, unsigned count)
{
    bool cooperative = false;
    for (unsigned i = 0; i < count; i++) {
        cooperative = cooperative ||
                      (attribute[i].id == ATTRIBUTE_COOPERATIVE && attribute[i].value.number != 0);
    }
    return cooperative;
}

/* Reads or sets one of the hints of a stream or a kernel. */
static inline int smrf_cuda_hint(struct smrf_cuda_hints *hints, int id, void *value, bool set)
{
    void *own = id == ATTRIBUTE_WINDOW     ? (void *)hints->window
                : id == ATTRIBUTE_WAIT     ? (void *)&hints->wait
                : id == ATTRIBUTE_PRIORITY ? (void *)&hints->priority
                                           : NULL;
    const size_t bytes = id == ATTRIBUTE_WINDOW ? sizeof hints->window : sizeof(int);
    if (own == NULL) {
        return CUDA_INVALID_VALUE;
    }
    memcpy(set ? own : value, set ? value : own, bytes);
    return CUDA_OK;
}

#endif
