/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a launch: the runtime and the driver lay them out alike. */
#ifndef SMRF_CUDA_LAUNCH_ATTRIBUTES_H
#define SMRF_CUDA_LAUNCH_ATTRIBUTES_H

#include <stdbool.h>

struct launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
    } value;
};
#define ATTRIBUTE_COOPERATIVE 2

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

#endif
