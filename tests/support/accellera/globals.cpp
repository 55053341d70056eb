// SPDX-License-Identifier: Apache-2.0
// The examples want their global switches defined once, by the program.
#define REPORT_DEFINE_GLOBALS
#include "reporting.h"

// The examples never give back what their traffic generators and memories allocate, and their
// threads never end, so that the strings on their stacks are not destroyed.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions()
{
    return "leak:traffic_generator\nleak:memory::memory\nleak:std::__cxx11::basic_string*::"
           "reserve\n";
}
