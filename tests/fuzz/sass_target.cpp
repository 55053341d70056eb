// SPDX-License-Identifier: Apache-2.0
// Disassembled machine code, in both forms.
#include "fuzz.h"

#include "firmware/sass/sass.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    smrf_sass_module *module = nullptr;
    char error[SMRF_SASS_ERROR_BYTES] = "";
    const int rc = smrf_sass_parse(&module, "input", text.c_str(), size, error);
    FUZZ_DEMAND((rc == 0) == (module != nullptr));
    FUZZ_DEMAND(rc == 0 || std::strncmp(error, "input", 5) == 0);
    smrf_sass_free(module);
    return 0;
}
