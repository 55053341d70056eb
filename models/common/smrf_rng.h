/* SPDX-License-Identifier: Apache-2.0 */
/* The only source of randomness in the model: xorshift64*, seeded from the configuration. */
#ifndef SMRF_RNG_H
#define SMRF_RNG_H

#include <stdint.h>

struct smrf_rng {
    uint64_t state; /* never zero after smrf_rng_seed */
};

/* Seed a stream. stream: distinguishes generators that share one seed (SM, sub-core, ...). */
static inline void smrf_rng_seed(struct smrf_rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t z = seed + (stream + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    r->state = z ? z : UINT64_C(0x9E3779B97F4A7C15);
}

/* Next 32 bits. */
static inline uint32_t smrf_rng_next(struct smrf_rng *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)((r->state * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

/* Uniform number in [0, bound); bound must be at least 1. */
static inline uint32_t smrf_rng_below(struct smrf_rng *r, uint32_t bound)
{
    return (uint32_t)(((uint64_t)smrf_rng_next(r) * bound) >> 32);
}

#endif
