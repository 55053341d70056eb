// SPDX-License-Identifier: Apache-2.0
// A fat binary, or a cubin: what its headers, sections, symbols and encodings say is believed by
// nothing.
#include "fuzz.h"

#include "firmware/cubin/cubin.h"
#include "firmware/cubin/fatbin.h"

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::vector<uint8_t> bytes(data, data + size);
    char error[SMRF_SASS_ERROR_BYTES] = "";
    smrf_sass_module *module = nullptr;
    if (smrf_cubin_arch(bytes.data(), size) != 0) {
        const int rc = smrf_cubin_load(&module, "input", bytes.data(), size, nullptr, error);
        FUZZ_DEMAND((rc == 0) == (module != nullptr));
        FUZZ_DEMAND(rc == 0 || std::strncmp(error, "input", 5) == 0);
        smrf_sass_free(module);
        return 0;
    }
    smrf_fatbin fatbin;
    if (smrf_fatbin_read(&fatbin, "input", bytes.data(), size, error) < 0) {
        FUZZ_DEMAND(std::strncmp(error, "input", 5) == 0);
        return 0;
    }
    for (uint32_t i = 0; i < fatbin.count; i++) {
        uint8_t *image = nullptr;
        size_t length = 0;
        if (fatbin.entry[i].bytes > 1u << 24 ||
            smrf_fatbin_unpack(&fatbin.entry[i], "input", &image, &length, error) < 0) {
            continue;
        }
        (void)smrf_cubin_load(&module, "input", image, length, nullptr, error);
        smrf_sass_free(module);
        std::free(image);
    }
    smrf_fatbin_free(&fatbin);
    return 0;
}
