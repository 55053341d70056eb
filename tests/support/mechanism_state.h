// SPDX-License-Identifier: Apache-2.0
// The state of a mechanism for one SM, as the engines make it.
#ifndef SMRF_TESTS_MECHANISM_STATE_H
#define SMRF_TESTS_MECHANISM_STATE_H

#include "platform/config/registry.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

class mechanism_state
{
  public:
    mechanism_state(const smrf_config &cfg, const smrf_mechanism &m)
    {
        const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &m);
        words_.resize(m.bytes(&setup) / sizeof(uint64_t) + 1);
        EXPECT_EQ(0, m.init(words_.data(), &setup, 0));
    }
    void *get()
    {
        return words_.data();
    }
    const void *get() const
    {
        return words_.data();
    }

  private:
    std::vector<uint64_t> words_;
};

#endif
