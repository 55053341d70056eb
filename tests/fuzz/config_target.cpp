// SPDX-License-Identifier: Apache-2.0
// Configurations, in this program's form and in Accel-Sim's: an error names its place and changes
// nothing.
#include "fuzz.h"

#include "platform/config/config.h"

#include <cstring>

namespace
{

void ignore(void *, const smrf_option_report *report)
{
    FUZZ_DEMAND(report->reason != nullptr && report->line > 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    smrf_config start, cfg;
    std::memset(&start, 0, sizeof start);
    smrf_config_default(&start);
    for (int form = 0; form < 2; form++) {
        smrf_config_error error;
        std::memset(&error, 0, sizeof error);
        std::memcpy(&cfg, &start, sizeof cfg);
        const int rc = form == 0 ? smrf_config_load_text(&cfg, "input", text.c_str(), size, &error)
                                 : smrf_config_gpgpusim_text(&cfg, "input", text.c_str(), size,
                                                             ignore, nullptr, &error);
        FUZZ_DEMAND(rc == 0 || std::strncmp(error.text, "input", 5) == 0);
        FUZZ_DEMAND(rc == 0 || std::memcmp(&cfg, &start, sizeof cfg) == 0);
        (void)smrf_config_check(&cfg, &error);
    }
    return 0;
}
