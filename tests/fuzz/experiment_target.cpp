// SPDX-License-Identifier: Apache-2.0
// Experiments: a file that is taken has variants whose machines can be built, and an error names
// its place.
#include "fuzz.h"

#include "platform/experiment/experiment.h"

#include <cstring>

// SystemC's library wants one; no simulation is run.
extern "C" int sc_main(int, char **)
{
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    static char program[] = "nn";
    char *programs[] = {program}; // in place of the file's traces, which may be any of the disk's
    smrf_experiment_options options{};
    options.folder = "out";
    options.programs = programs;
    options.num_programs = 1;
    smrf_experiment x;
    smrf_experiment_init(&x, "input", &options);
    const int rc = text.find("config") == std::string::npos
                       ? smrf_experiment_load_text(&x, "input", text.c_str(), size, &options)
                       : -1;
    FUZZ_DEMAND(rc == 0 || text.find("config") != std::string::npos ||
                std::strncmp(x.source.error, "input", 5) == 0);
    FUZZ_DEMAND(rc != 0 || (x.num_variants > 0 && x.num_traces == 1 && x.num_seeds > 0));
    smrf_experiment_free(&x);
    return 0;
}
