// SPDX-License-Identifier: Apache-2.0
// Machine code as text: of a program of the suite, and of a compressed file in the repository.
#ifndef SMRF_TESTS_SUITE_TEXT_H
#define SMRF_TESTS_SUITE_TEXT_H

#include "firmware/kernels/suite.h"
#include "firmware/kernels/texts.h"
#include "traces/whole_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace smrf_test
{

inline std::string suite_text(const smrf_suite_program *program)
{
    char *text = nullptr;
    size_t size = 0;
    char error[SMRF_SASS_ERROR_BYTES] = "no such program";
    const int rc = program ? smrf_suite_text(program, &text, &size, error) : SMRF_ERR_UNKNOWN;
    EXPECT_EQ(rc, 0) << error;
    const std::string copy(text ? text : "", size);
    std::free(text);
    return copy;
}

inline std::string embedded_text(const smrf_sass_text &embedded)
{
    char *text = nullptr;
    size_t size = 0;
    smrf_trace_error_text error{};
    EXPECT_EQ(smrf_whole_text_of_bytes(embedded.stem, embedded.begin,
                                       size_t(embedded.end - embedded.begin), 1u << 24, &text,
                                       &size, &error),
              0)
        << error.text;
    const std::string copy(text ? text : "", size);
    std::free(text);
    return copy;
}

// path: below the repository's root.
inline std::string repository_text(const std::string &path)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    char *text = nullptr;
    size_t size = 0;
    smrf_trace_error_text error{};
    EXPECT_EQ(smrf_whole_text_of_file((std::string(root ? root : ".") + "/" + path).c_str(),
                                      1u << 24, &text, &size, &error),
              0)
        << error.text << ": set SMRF_SOURCE_DIR";
    const std::string copy(text ? text : "", size);
    std::free(text);
    return copy;
}

} // namespace smrf_test

#endif
