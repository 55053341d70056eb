// SPDX-License-Identifier: Apache-2.0
// Side files of reuse bits, of the launch that their own seed is of and of another one.
#include "fuzz.h"

#include "firmware/annotate/reuse_file.h"
#include "traces/trace.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const memory_file file(data, size);
    static char name[] = "_Z6matmulPKfS0_Pf";
    smrf_kernel_info info;
    std::memset(&info, 0, sizeof info);
    info.name = name;
    info.id = 1;
    info.grid = {4, 4, 1};
    info.block = {16, 16, 1};
    smrf_reuse_reader *reader = nullptr;
    smrf_reuse_bits *bits = nullptr;
    char text[SMRF_REUSE_TEXT] = "";
    if (smrf_reuse_reader_open(&reader, file.path(), text) != 0) {
        FUZZ_DEMAND(text[0] != '\0' && reader == nullptr);
        return 0;
    }
    FUZZ_DEMAND(smrf_reuse_bits_create(&bits) == 0);
    for (unsigned launch = 0; launch < 4; launch++) {
        if (smrf_reuse_reader_launch(reader, &info, bits) != 0) {
            FUZZ_DEMAND(smrf_reuse_reader_error(reader)[0] != '\0');
            break;
        }
    }
    smrf_reuse_bits_free(bits);
    smrf_reuse_reader_close(reader);
    return 0;
}
