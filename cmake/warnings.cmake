# SPDX-License-Identifier: Apache-2.0
# One set of warnings, sanitizers and coverage flags for every target of the project. Warnings are errors
# where CMAKE_COMPILE_WARNING_AS_ERROR says so: in ./test.sh and in the presets for developers.
function(smrf_warnings target)
    target_compile_options(${target} PRIVATE
        -fexceptions # of C code too: a broken model rule unwinds through the cores (assert_throw.cpp)
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        # GCC's -Wconversion does not warn of signs in C++.
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion>
        $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes -Wstrict-prototypes>)
    if(SMRF_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=address,undefined
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer
            # Behind the checks GCC no longer sees what it sees without them: that a masked shift fits, that
            # an index is in bounds. The other builds have these warnings as errors.
            -Wno-error=conversion -Wno-error=sign-conversion -Wno-error=array-bounds
            -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow)
        target_link_options(${target} PUBLIC -fsanitize=address,undefined)
    endif()
    if(SMRF_FUZZER) # with clang, whose warnings are others
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -Wno-error)
    endif()
    if(SMRF_COVERAGE)
        target_compile_options(${target} PRIVATE --coverage)
        target_link_options(${target} PUBLIC --coverage)
    endif()
endfunction()
