// SPDX-License-Identifier: Apache-2.0
// The examples want their global switches defined once, by the program.
#define REPORT_DEFINE_GLOBALS
#include "reporting.h"

// The examples never give back what their traffic generators and memories allocate, and their
// threads never end: the leak checker would report both, or stumble over the guard pages of the
// threads' stacks. All other checks of the address sanitizer stay.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options()
{
    return "detect_leaks=0";
}
