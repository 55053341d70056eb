// SPDX-License-Identifier: Apache-2.0
// The headers of an engine for C++. Some of their functions bear the name of the struct they
// return, which C keeps apart and g++'s -Wshadow does not like.
#ifndef SMRF_TESTS_ENGINE_HEADERS_H
#define SMRF_TESTS_ENGINE_HEADERS_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include "models/ldst/ldst.h"
#include "models/sm/sm.h"
#include "platform/engine/engine.h"
#include "traces/trace.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
