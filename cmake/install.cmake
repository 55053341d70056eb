# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and `cpack` put where: one library, its headers under smrf/, a CMake package and
# pkg-config files for it, the protocol monitor and the C cores as libraries of their own, the programs,
# presets, studies.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Everything that the program is made of but its main function. The replay's one object comes first: it
# holds the cores and the reader, which are libraries of their own for the tests.
set(smrf_parts smrf_replay smrf_platform smrf_ip smrf_suite smrf_firmware smrf_annotate smrf_compilers smrf_flow
    smrf_config smrf_files)
if(NOT TARGET smrf_replay_objects)
    list(APPEND smrf_parts smrf_core smrf_traces)
endif()
# All of it also becomes a shared library. Calls within it are bound when it is linked.
foreach(part ${smrf_parts} smrf_core smrf_traces smrf_replay_objects)
    if(TARGET ${part})
        set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_compile_options(${part} PRIVATE -fno-semantic-interposition)
    endif()
endforeach()
set(smrf_needs PkgConfig::jansson PkgConfig::yaml PkgConfig::sqlite PkgConfig::lzma PkgConfig::zlib
    PkgConfig::zstd PkgConfig::elf PkgConfig::lz4 PkgConfig::xxhash m)
list(TRANSFORM smrf_parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE smrf_archives)

# Umbrella headers: smrf/gpu.h for platform/ip/gpu.h, and so on.
set(smrf_headers ${PROJECT_BINARY_DIR}/generated/headers)
function(smrf_header name)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
    list(JOIN lines "\n" lines)
    file(CONFIGURE OUTPUT ${smrf_headers}/smrf/${name}
        CONTENT "/* SPDX-License-Identifier: Apache-2.0 */\n#pragma once\n${lines}\n" @ONLY)
endfunction()
smrf_header(smrf.h smrf/version.h platform/platform.h)
smrf_header(protocol_monitor.h models/tlm/protocol_monitor.h)
smrf_header(transaction_recorder.h models/tlm/transaction_recorder.h) # needs LWTR4SC
smrf_header(driver.h firmware/driver/smrf_gpu.h)
file(GLOB smrf_ip RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS platform/ip/*.h
    models/rf/register_file.h)
foreach(header ${smrf_ip})
    get_filename_component(name ${header} NAME)
    smrf_header(${name} ${header})
endforeach()
configure_file(cmake/install/version.h.in ${smrf_headers}/smrf/version.h @ONLY)

# The shared library, for programs that load it when they run, such as Python.
set(smrf_soversion ${PROJECT_VERSION_MAJOR})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/whole.cpp CONTENT "// Its parts are linked whole.\n")
add_library(smrf_shared SHARED ${PROJECT_BINARY_DIR}/generated/whole.cpp)
add_dependencies(smrf_shared ${smrf_parts})
target_link_options(smrf_shared PRIVATE LINKER:--whole-archive ${smrf_archives} LINKER:--no-whole-archive
    LINKER:-Bsymbolic)
set_target_properties(smrf_shared PROPERTIES OUTPUT_NAME smrf LINK_DEPENDS "${smrf_archives}"
    VERSION ${PROJECT_VERSION} SOVERSION ${smrf_soversion})
target_link_libraries(smrf_shared PUBLIC smrf::systemc PRIVATE ${smrf_needs} Threads::Threads)
if(SMRF_SANITIZE OR SMRF_COVERAGE)
    get_target_property(options smrf_platform INTERFACE_LINK_OPTIONS)
    list(FILTER options INCLUDE REGEX "sanitize|coverage")
    target_link_options(smrf_shared PUBLIC ${options})
endif()

# One library for the linker. Whoever links the static one needs no order of libraries and nothing drawn in
# whole; inside the build its parts stand for it.
if(BUILD_SHARED_LIBS)
    set(smrf_library smrf_shared)
    set(scope PUBLIC)
else()
    set(smrf_library smrf_library)
    install(TARGETS smrf_shared LIBRARY COMPONENT library NAMELINK_SKIP)
    set(smrf_archive ${PROJECT_BINARY_DIR}/libsmrf.a)
    list(JOIN smrf_archives "|" smrf_joined)
    add_custom_command(OUTPUT ${smrf_archive}
        COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR} -DOUT=${smrf_archive} "-DLIBRARIES=${smrf_joined}"
                -P ${PROJECT_SOURCE_DIR}/cmake/install/merge.cmake
        DEPENDS ${smrf_parts} ${smrf_archives} cmake/install/merge.cmake VERBATIM)
    add_custom_target(smrf_archive ALL DEPENDS ${smrf_archive})
    install(FILES ${smrf_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    add_library(smrf_library INTERFACE)
    target_link_libraries(smrf_library INTERFACE $<BUILD_INTERFACE:smrf_ip>
        $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libsmrf.a> smrf::systemc ${smrf_needs} stdc++)
    set(scope INTERFACE)
endif()
set_target_properties(${smrf_library} PROPERTIES EXPORT_NAME smrf)

# For other people's sockets: it needs nothing of the rest. Its names are weak, so that it may stand before
# or behind libsmrf, which has them as well; one object, since weak names draw no other out of an archive.
add_library(smrf_monitor models/tlm/protocol_monitor.cpp models/tlm/protocol_checks.cpp
    models/tlm/protocol_references.cpp)
target_link_libraries(smrf_monitor PUBLIC smrf::systemc)
set_target_properties(smrf_monitor PROPERTIES OUTPUT_NAME smrf-monitor EXPORT_NAME monitor UNITY_BUILD ON
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
smrf_warnings(smrf_monitor)
if(NOT BUILD_SHARED_LIBS)
    add_custom_command(TARGET smrf_monitor POST_BUILD
        COMMAND ${CMAKE_OBJCOPY} --weaken $<TARGET_FILE:smrf_monitor> VERBATIM)
endif()

# The plain C cores alone: nothing of SystemC, and no library but the C compiler's own.
add_library(smrf_blocks $<TARGET_OBJECTS:smrf_core> platform/core/assert_abort.c)
set_target_properties(smrf_blocks PROPERTIES OUTPUT_NAME smrf-core EXPORT_NAME core
    VERSION ${PROJECT_VERSION} SOVERSION ${smrf_soversion})
smrf_warnings(smrf_blocks)

function(smrf_interface target scope)
    target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<BUILD_INTERFACE:${smrf_headers}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/smrf>)
    if(NOT target STREQUAL "smrf_blocks")
        target_compile_features(${target} INTERFACE cxx_std_17)
    endif()
endfunction()
smrf_interface(${smrf_library} ${scope})
smrf_interface(smrf_monitor PUBLIC)
smrf_interface(smrf_blocks PUBLIC)
add_library(smrf::smrf ALIAS ${smrf_library})
add_library(smrf::monitor ALIAS smrf_monitor)
add_library(smrf::core ALIAS smrf_blocks)

# Four parts, each a package of its own (cmake/packages.cmake): the program, the shared library, what
# compilers need, the Python package.
install(TARGETS ${smrf_library} smrf_monitor EXPORT smrf LIBRARY COMPONENT library
    NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
install(TARGETS smrf_blocks EXPORT smrf-core LIBRARY COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
install(TARGETS smrf smrf-gen RUNTIME COMPONENT program)
# Manual pages and completion, which the programs make of their own option tables.
install(CODE "execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/cmake/manual.sh\"
    \"$<TARGET_FILE:smrf>\" \"$<TARGET_FILE:smrf-gen>\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(DIRECTORY models platform traces firmware DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smrf
    COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "kernels" EXCLUDE
    PATTERN "*internal.h" EXCLUDE)
install(DIRECTORY ${smrf_headers}/smrf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES firmware/driver/smrf_gpu.c DESTINATION ${CMAKE_INSTALL_DATADIR}/smrf/driver
    COMPONENT development)
# The register map for the tools of others, from the header's lists.
add_executable(register_map cmake/registers/register_map.c)
target_include_directories(register_map PRIVATE ${PROJECT_SOURCE_DIR})
smrf_warnings(register_map)
foreach(format rdl ipxact)
    string(REPLACE ipxact xml ending ${format})
    set(map ${PROJECT_BINARY_DIR}/generated/smrf_gpu.${ending})
    add_custom_command(OUTPUT ${map} COMMAND register_map ${format} ${map} DEPENDS register_map VERBATIM)
    list(APPEND register_maps ${map})
endforeach()
add_custom_target(register_maps ALL DEPENDS ${register_maps})
install(FILES ${register_maps} DESTINATION ${CMAKE_INSTALL_DATADIR}/smrf/registers COMPONENT development)
install(DIRECTORY platform/presets platform/study DESTINATION ${CMAKE_INSTALL_DATADIR}/smrf
    COMPONENT program FILES_MATCHING PATTERN "*.yaml")
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# The Python package, where there is a Python. It finds the shared library by its own place.
find_program(SMRF_PYTHON python3)
set(SMRF_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python package is installed")
if(SMRF_PYTHON)
    install(DIRECTORY python/smrf DESTINATION ${SMRF_PYTHON_FOLDER} COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
    install(DIRECTORY python/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-smrf
        COMPONENT python FILES_MATCHING PATTERN "*.py")
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/smrf)
install(EXPORT smrf NAMESPACE smrf:: FILE smrfTargets.cmake DESTINATION ${package}
    COMPONENT development)
install(EXPORT smrf-core NAMESPACE smrf:: FILE smrfCoreTargets.cmake DESTINATION ${package}
    COMPONENT development)
configure_package_config_file(cmake/install/smrfConfig.cmake.in generated/smrfConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(generated/smrfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/smrfConfig.cmake
    ${PROJECT_BINARY_DIR}/generated/smrfConfigVersion.cmake cmake/systemc.cmake DESTINATION ${package}
    COMPONENT development)

# The package's pkg-config files lie in the folder of the architecture, for cross compilers.
set(package_libdir ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_LIBRARY_ARCHITECTURE AND NOT CMAKE_INSTALL_LIBDIR MATCHES "${CMAKE_LIBRARY_ARCHITECTURE}$")
    set(package_libdir ${CMAKE_INSTALL_LIBDIR}/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
# SystemC needs its C++ standard; where it has no pkg-config file, its place stands in ours.
set(std "(C++: -std=c++17, as SystemC was built)")
set(systemc_pc systemc)
if(TARGET SystemC::systemc)
    set(systemc_pc "")
    get_target_property(folder SystemC::systemc LOCATION)
    get_filename_component(folder ${folder} DIRECTORY)
    get_target_property(systemc_includes SystemC::systemc INTERFACE_INCLUDE_DIRECTORIES)
    list(TRANSFORM systemc_includes PREPEND " -I")
    list(JOIN systemc_includes "" systemc_cflags)
    set(systemc_libs " -L${folder} -Wl,-rpath,${folder} -lsystemc")
endif()
function(smrf_pkg_config_in component libdir name)
    # Wherever the installed tree is moved to, its files find each other.
    file(RELATIVE_PATH up /${libdir}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up "${up}")
    configure_file(cmake/install/smrf.pc.in generated/${component}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/generated/${component}/${name}.pc
        DESTINATION ${libdir}/pkgconfig COMPONENT ${component} ${ARGN})
endfunction()
function(smrf_pkg_config name description requires libs cflags)
    smrf_pkg_config_in(prefix ${CMAKE_INSTALL_LIBDIR} ${name})
    smrf_pkg_config_in(development ${package_libdir} ${name} EXCLUDE_FROM_ALL)
endfunction()
set(requires "")
if(NOT BUILD_SHARED_LIBS)
    list(TRANSFORM SMRF_MODULES REPLACE "^[a-z0-9]+:" "" OUTPUT_VARIABLE requires)
    list(JOIN requires " " requires)
endif()
smrf_pkg_config(smrf "Cycle-level model of a GPU's register files in SystemC/TLM-2.0 ${std}"
    "${systemc_pc} ${requires}" "-lstdc++ -lm${systemc_libs}" "${systemc_cflags}")
smrf_pkg_config(smrf-monitor "Checks the TLM-2.0 base protocol between two sockets ${std}"
    "${systemc_pc}" "-lstdc++${systemc_libs}" "${systemc_cflags}")
smrf_pkg_config(smrf-core "The blocks of a GPU's register file in plain C, without SystemC" "" "" "")

include(cmake/packages.cmake)
