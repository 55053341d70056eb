// SPDX-License-Identifier: Apache-2.0
// Launch files, of a kernel that does nothing. What they dump stays below a folder that is not
// there.
#include "fuzz.h"

#include "firmware/launch/launch_file.h"

#include <cstring>

namespace
{

const char sass[] = "\tcode for sm_75\n\t\tFunction : _Z4copyPfS_i\n"
                    "        /*0000*/ EXIT ;\n\t\t..........\n";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const memory_file file(data, size);
    smrf_device *device = nullptr;
    smrf_device_module *module = nullptr;
    char error[SMRF_SASS_ERROR_BYTES] = "";
    FUZZ_DEMAND(smrf_device_create(&device) == 0);
    smrf_device_limits limits;
    std::memset(&limits, 0, sizeof limits);
    limits.stop_after_insts = 10000;
    smrf_device_limit(device, &limits);
    FUZZ_DEMAND(smrf_device_load_text(device, &module, "kernel", sass, sizeof sass - 1) == 0);
    const struct smrf_launch_outputs nowhere = {"/proc/self/nowhere", true, nullptr, 0};
    const int rc = smrf_launch_file_run_within(device, module, file.path(), &nowhere, error);
    FUZZ_DEMAND(rc >= 0 || error[0] != '\0' || smrf_device_error(device)[0] != '\0');
    smrf_device_destroy(device);
    return 0;
}
