// SPDX-License-Identifier: Apache-2.0
// The examples want their global switches defined once, by the program.
#define REPORT_DEFINE_GLOBALS
#include "reporting.h"
