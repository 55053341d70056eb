# SPDX-License-Identifier: Apache-2.0
# One set of warnings, sanitizers and coverage flags for every target of the project.
function(smrf_warnings target)
    target_compile_options(${target} PRIVATE
        -fexceptions # of C code too: a broken model rule unwinds through the cores (assert_throw.cpp)
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
        $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes -Wstrict-prototypes>)
    if(SMRF_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=address,undefined
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=address,undefined)
    endif()
    # Objects carry both code and what link-time optimisation needs: the programs that are run for
    # their speed use the second, the tests link fast with the first.
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
       AND NOT SMRF_SANITIZE AND NOT SMRF_COVERAGE)
        target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    endif()
    if(SMRF_COVERAGE)
        target_compile_options(${target} PRIVATE --coverage)
        target_link_options(${target} PUBLIC --coverage)
    endif()
endfunction()

# Optimise a program over all its libraries at link time.
function(smrf_link_time_optimisation target)
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
       AND NOT SMRF_SANITIZE AND NOT SMRF_COVERAGE)
        target_link_options(${target} PRIVATE -flto=auto -O3)
    endif()
endfunction()
