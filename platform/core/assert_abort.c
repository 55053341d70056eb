/* SPDX-License-Identifier: Apache-2.0 */
/* The assertion hook of libsmrf-core, for programs that use the blocks alone and have none. */
#include "models/common/smrf_assert.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) void smrf_assert_fail(const char *rule, const char *file, int line)
{
    fprintf(stderr, "%s:%d: a rule of the model is broken: %s\n", file, line, rule);
    abort();
}
