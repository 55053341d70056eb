/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's part of CARS: the levels of the next blocks, and what is remembered of kernels. */
#ifndef SMRF_CARS_GPU_H
#define SMRF_CARS_GPU_H

#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CARS_NAMES 256 /* kernels remembered */

struct smrf_cars_gpu {
    struct smrf_mechanism_setup setup;
    struct smrf_cars_machine machine;
    bool runs; /* the present launch has calls */
    uint64_t hash;
    uint32_t num_known;
    struct smrf_cars_known {
        uint64_t hash; /* of the name */
        struct smrf_cars_machine machine;
    } known[SMRF_CARS_NAMES];
};

#ifdef __cplusplus
}
#endif

#endif
