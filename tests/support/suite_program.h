// SPDX-License-Identifier: Apache-2.0
// Runs a program of the kernel suite on a device of its own.
#ifndef SMRF_TEST_SUITE_PROGRAM_H
#define SMRF_TEST_SUITE_PROGRAM_H

#include "firmware/kernels/suite.h"
#include "models/common/smrf_err.h"
#include "suite_text.h"

#include <string>

namespace smrf_test
{

struct suite_outcome {
    int rc;
    std::string error;
    uint64_t compared; // values compared with the reference
    smrf_exec_totals totals;
};

// limits: of every launch, nullptr = the defaults. listener: hears every launch.
inline suite_outcome run_suite_program(const char *name, enum smrf_size size,
                                       const smrf_device_limits *limits = nullptr,
                                       const smrf_device_listener *listener = nullptr)
{
    suite_outcome outcome{SMRF_ERR_UNKNOWN, "no such program", 0, {}};
    const smrf_suite_program *program = smrf_suite_find(name);
    smrf_suite_run run{};
    if (program == nullptr || (outcome.rc = smrf_device_create(&run.device)) < 0) {
        return outcome;
    }
    if (limits != nullptr) {
        smrf_device_limit(run.device, limits);
    }
    smrf_device_listen(run.device, listener);
    const std::string text = suite_text(program);
    run.size = size;
    outcome.rc =
        smrf_device_load_text(run.device, &run.module, program->sass, text.data(), text.size());
    if (outcome.rc >= 0) {
        outcome.rc = program->run(&run);
    }
    // a failed check stands in the run, a failed call in the device
    outcome.error = run.error[0] != '\0' ? run.error : smrf_device_error(run.device);
    outcome.compared = run.compared;
    smrf_device_totals(run.device, &outcome.totals);
    smrf_device_destroy(run.device);
    return outcome;
}

} // namespace smrf_test

#endif
