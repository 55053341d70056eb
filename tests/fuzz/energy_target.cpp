// SPDX-License-Identifier: Apache-2.0
// Energy constants.
#include "fuzz.h"

#include "platform/energy/energy.h"

#include <cstring>

extern "C" int sc_main(int, char *[])
{
    return 0; // SystemC's library wants one
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const memory_file file(data, size);
    static smrf_energy_set set, before;
    char text[512] = "";
    std::memset(&set, 0, sizeof set);
    std::memcpy(&before, &set, sizeof set);
    const int rc = smrf_energy_load(&set, file.path(), text, sizeof text);
    FUZZ_DEMAND(rc == 0 || text[0] != '\0');
    FUZZ_DEMAND(rc == 0 || std::memcmp(&before, &set, sizeof set) == 0);
    return 0;
}
