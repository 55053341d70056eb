// SPDX-License-Identifier: Apache-2.0
// Tables of the STHLD machine; one that is taken runs.
#include "fuzz.h"

#include "models/malekeh/sthld.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smrf_sthld_config config;
    unsigned line = 0;
    const char *why = nullptr;
    std::memset(&config, 0, sizeof config);
    // The very bytes: whoever reads behind them is seen by the address sanitizer.
    const int rc = smrf_sthld_read_table(&config.table, reinterpret_cast<const char *>(data), size,
                                         &line, &why);
    FUZZ_DEMAND(rc == 0 || why != nullptr);
    config.max = 64;
    smrf_sthld machine;
    if (rc == 0 && smrf_sthld_init(&machine, &config) == 0) {
        for (uint64_t i = 0; i < 64; i++) {
            smrf_sthld_step(&machine, 1000 + i * i * 7919 % 1000);
            FUZZ_DEMAND(machine.value <= config.max);
        }
    }
    return 0;
}
