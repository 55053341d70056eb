// SPDX-License-Identifier: Apache-2.0
// The assertion hook of the cores, as tests want it: say what broke, then abort.
#include "models/common/smrf_assert.h"

#include <cstdio>
#include <cstdlib>

void smrf_assert_fail(const char *rule, const char *file, int line)
{
    std::fprintf(stderr, "%s:%d: model rule broken: %s\n", file, line, rule);
    std::abort();
}
