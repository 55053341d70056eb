// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include "models/common/smrf_err.h"

#include <cstdio>
#include <exception>
#include <new>

int smrf_guard(int (*call)(void *arg), void *arg, char *text, size_t size)
{
    try {
        return call(arg);
    } catch (const std::bad_alloc &) {
        std::snprintf(text, size, "out of memory");
        return SMRF_ERR_NOMEM;
    } catch (const std::exception &e) {
        std::snprintf(text, size, "%s", e.what());
        return SMRF_ERR_CHECK;
    } catch (...) {
        std::snprintf(text, size, "an exception of unknown type");
        return SMRF_ERR_CHECK;
    }
}
