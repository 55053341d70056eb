# SPDX-License-Identifier: Apache-2.0
# SystemC as the target smrf::systemc: from the CMake package that SystemC's own build installs, else
# from pkg-config, as in Debian. Also included by those who use the installed library.
#
# Sets SMRF_SYSTEMC_VERSION, empty if there is none, and SMRF_SYSTEMC_FROM.
if(NOT TARGET smrf::systemc)
    set(SMRF_SYSTEMC_VERSION "")
    find_package(SystemCLanguage QUIET)
    if(TARGET SystemC::systemc)
        set(smrf_systemc SystemC::systemc)
        set(SMRF_SYSTEMC_VERSION ${SystemCLanguage_VERSION})
        set(SMRF_SYSTEMC_FROM "CMake package ${SystemCLanguage_DIR}")
    else()
        find_package(PkgConfig QUIET)
        if(NOT TARGET PkgConfig::systemc)
            pkg_check_modules(systemc QUIET IMPORTED_TARGET GLOBAL systemc)
        endif()
        set(smrf_systemc PkgConfig::systemc)
        set(SMRF_SYSTEMC_VERSION ${systemc_VERSION})
        set(SMRF_SYSTEMC_FROM "pkg-config, ${systemc_INCLUDEDIR}")
    endif()
    if(SMRF_SYSTEMC_VERSION)
        add_library(smrf::systemc INTERFACE IMPORTED GLOBAL)
        target_link_libraries(smrf::systemc INTERFACE ${smrf_systemc})
    endif()
endif()
