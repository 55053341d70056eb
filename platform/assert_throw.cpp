// SPDX-License-Identifier: Apache-2.0
// The cores' assertion hook as the platform wants it: a broken rule of the model ends the run with
// an error of the C API instead of the process.
#include "models/common/smrf_assert.h"

#include <stdexcept>
#include <string>

void smrf_assert_fail(const char *rule, const char *file, int line)
{
    throw std::logic_error(std::string("a rule of the model is broken, which is a bug of smrf: ") +
                           rule + " (" + file + ":" + std::to_string(line) + ")");
}
