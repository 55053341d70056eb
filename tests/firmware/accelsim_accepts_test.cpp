// SPDX-License-Identifier: Apache-2.0
// Accel-Sim takes and finishes what smrf trace writes: an independent strict reader that knows
// every assertion on a trace's way through it looks at the whole suite, and each of its rules is
// seen to bite.
#include "tests/support/accelsim_reader.h"
#include "tests/support/capture_run.h"
#include "tests/support/suite_program.h"

using namespace smrf_test;

namespace
{

std::string joined(const std::vector<std::string> &lines)
{
    std::string out;
    for (const std::string &l : lines)
        out += l + "\n";
    return out;
}

// Trace a program of the suite, small, as a whole.
void trace_program(const smrf_suite_program *p, const smrf_capture_options &options)
{
    smrf_capture *capture = nullptr;
    ASSERT_EQ(smrf_capture_open(&capture, &options), 0) << smrf_capture_error(capture);
    suite_outcome o =
        run_suite_program(p->name, SMRF_SMALL, nullptr, smrf_capture_listener(capture));
    EXPECT_EQ(o.rc, 0) << p->name << ": " << o.error << smrf_capture_error(capture);
    EXPECT_EQ(smrf_capture_finish(capture), 0) << smrf_capture_error(capture);
    smrf_capture_close(capture);
}

void expect_suite_accepted(enum smrf_trace_format format, accelsim_release release)
{
    unsigned programs = 0;
    for (; smrf_suite_at(programs) != nullptr; programs++) {
        const smrf_suite_program *p = smrf_suite_at(programs);
        temporary_folder folder;
        const std::string dir = folder / "trace";
        smrf_capture_options options{};
        options.dir = dir.c_str();
        options.format = format;
        options.compression = SMRF_COMPRESS_NONE;
        trace_program(p, options);
        accelsim_reader r(dir + "/kernelslist.g", release);
        EXPECT_EQ(joined(r.refusals), "") << p->name;
        EXPECT_GT(r.insts, 100u) << p->name;
    }
    EXPECT_GT(programs, 100u);
}

TEST(accelsim_accepts, version_5_of_every_program_of_the_suite)
{
    expect_suite_accepted(SMRF_TRACE_V5, accelsim_release::v1);
}

TEST(accelsim_accepts, the_lines_of_a_tracez_of_every_program_of_the_suite)
{
    // Version 6 without values: the lines that a .tracez holds (traces_tracez_test: the binary
    // form).
    expect_suite_accepted(SMRF_TRACE_V6, accelsim_release::v2);
}

} // namespace
