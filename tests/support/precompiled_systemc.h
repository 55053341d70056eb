// SPDX-License-Identifier: Apache-2.0
// The same for tests that simulate.
#pragma once
#include "precompiled.h"
#include <systemc>
#include <tlm>
