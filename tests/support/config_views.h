// SPDX-License-Identifier: Apache-2.0
// The part of a configuration that a core wants, as a pointer that lives to the end of the call.
#ifndef SMRF_TESTS_CONFIG_VIEWS_H
#define SMRF_TESTS_CONFIG_VIEWS_H

#include "platform/config/registry.h"

template <class Part> struct config_view {
    Part part;
    operator const Part *() const
    {
        return &part;
    }
};

inline config_view<smrf_memory_config> memory_of(const smrf_config &c)
{
    return {smrf_config_memory(&c)};
}

inline config_view<smrf_mechanism_setup> setup_of(const smrf_config &c, const smrf_mechanism *m)
{
    return {smrf_mechanism_setup_of(&c, m)};
}

inline config_view<smrf_sm_config> sm_of(const smrf_config &c)
{
    return {smrf_config_sm(&c)};
}

inline config_view<smrf_ldst_config> ldst_of(const smrf_config &c)
{
    const smrf_sm_config sm = smrf_config_sm(&c);
    return {smrf_sm_config_ldst(&sm)};
}

#endif
