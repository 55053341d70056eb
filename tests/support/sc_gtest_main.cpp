// SPDX-License-Identifier: Apache-2.0
// Test main for SystemC: one simulation a process. Run without a filter, the program runs each of
// its tests in a process of its own; a SystemC warning or error is a test failure.
#include <gtest/gtest.h>
#include <systemc>

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

void fail_on_report(const sc_core::sc_report &report, const sc_core::sc_actions &)
{
    if (report.get_severity() >= sc_core::SC_WARNING) {
        ADD_FAILURE() << report.get_msg_type() << ": " << report.get_msg() << " at "
                      << sc_core::sc_time_stamp();
    }
    if (report.get_severity() == sc_core::SC_FATAL) {
        std::abort();
    }
}

int run_each_alone(char *program)
{
    int failures = 0;
    const auto *unit = ::testing::UnitTest::GetInstance();
    for (int s = 0; s < unit->total_test_suite_count(); s++) {
        const auto *suite = unit->GetTestSuite(s);
        for (int t = 0; t < suite->total_test_count(); t++) {
            std::string filter = std::string("--gtest_filter=") + suite->name() + "." +
                                 suite->GetTestInfo(t)->name();
            pid_t pid = fork();
            if (pid == 0) {
                execl(program, program, filter.c_str(), static_cast<char *>(nullptr));
                _exit(127);
            }
            int status = 0;
            waitpid(pid, &status, 0);
            failures += status != 0;
        }
    }
    return failures != 0;
}

} // namespace

extern "C" int sc_main(int argc, char *argv[])
{
    bool alone = argc > 1;
    ::testing::InitGoogleTest(&argc, argv);
    if (!alone) {
        return run_each_alone(argv[0]);
    }
    sc_core::sc_report_handler::set_handler(fail_on_report);
    return RUN_ALL_TESTS();
}
