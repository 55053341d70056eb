# SPDX-License-Identifier: Apache-2.0
# Everything comes from the system's packages (cmake/packages.txt); nothing is downloaded.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/packages.txt smrf_packages)
list(JOIN smrf_packages " " smrf_packages)
find_package(PkgConfig REQUIRED)
set(SMRF_MODULES lzma:liblzma zlib:zlib zstd:libzstd jansson:jansson yaml:yaml-0.1
    sqlite:sqlite3 elf:libelf lz4:liblz4 xxhash:libxxhash)
foreach(pair ${SMRF_MODULES})
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 module)
    pkg_check_modules(${name} IMPORTED_TARGET ${module})
    if(NOT ${name}_FOUND)
        message(FATAL_ERROR
            "smrf needs ${module}, which pkg-config does not find. On Debian: "
            "apt install ${smrf_packages} (./demo.sh and ./test.sh install what is missing).")
    endif()
    list(APPEND smrf_imported PkgConfig::${name})
endforeach()
# libxxhash's archive has no choice of instructions (traces/digest.h); of the two others Debian wants no copies.
list(REMOVE_ITEM smrf_imported PkgConfig::xxhash PkgConfig::yaml PkgConfig::zlib)
include(cmake/archives.cmake)
smrf_offer_archives(${smrf_imported})

pkg_check_modules(microhttpd IMPORTED_TARGET libmicrohttpd)
if(NOT microhttpd_FOUND)
    message(STATUS "smrf serve is left out: pkg-config does not find libmicrohttpd "
        "(Debian: libmicrohttpd-dev)")
else() # the name by which the program loads it
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${microhttpd_LINK_LIBRARIES} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    set(microhttpd_SONAME libmicrohttpd.so)
    if(dynamic MATCHES "SONAME +([^ \n]+)")
        set(microhttpd_SONAME ${CMAKE_MATCH_1})
    endif()
endif()

include(cmake/systemc.cmake)
if(NOT TARGET smrf::systemc)
    message(FATAL_ERROR "smrf needs SystemC. There is no CMake package SystemCLanguage, and pkg-config "
        "does not find systemc. On Debian: apt install libsystemc-dev. Another SystemC: "
        "-DCMAKE_PREFIX_PATH=<where it is installed>.")
endif()
message(STATUS "SystemC ${SMRF_SYSTEMC_VERSION} (${SMRF_SYSTEMC_FROM})")

# libsystemc checks at link time that it was compiled with the same C++ standard as its user.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES smrf::systemc)
set(CMAKE_REQUIRED_FLAGS "-std=c++17")
check_cxx_source_compiles("
    #include <systemc>
    int sc_main(int, char *[]) { sc_core::sc_start(); return 0; }" SMRF_SYSTEMC_LINKS_WITH_CXX17)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT SMRF_SYSTEMC_LINKS_WITH_CXX17)
    message(FATAL_ERROR
        "The installed libsystemc does not link with C++17. Debian's is built for exactly C++17; a "
        "library built for another standard misses the symbol sc_api_version_*_cxx201703L. Install "
        "Debian's libsystemc-dev, or rebuild SystemC with -DCMAKE_CXX_STANDARD=17. Details: "
        "CMakeFiles/CMakeError.log in the build folder.")
endif()
