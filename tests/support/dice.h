// SPDX-License-Identifier: Apache-2.0
// Random choices of a test, the same in every run.
#ifndef SMRF_TEST_DICE_H
#define SMRF_TEST_DICE_H

#include "models/common/smrf_rng.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

struct dice {
    smrf_rng rng{};
    // stream: of the test, so that two tests with the same seed choose differently.
    dice(uint64_t seed, uint64_t stream)
    {
        smrf_rng_seed(&rng, seed, stream);
    }
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng, n);
    }
    template <class T> T of(std::initializer_list<T> list)
    {
        return list.begin()[below(static_cast<uint32_t>(list.size()))];
    }
};

#endif
