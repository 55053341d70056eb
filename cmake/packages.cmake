# SPDX-License-Identifier: Apache-2.0
# Debian packages, made by `cpack`: smrf (the program), libsmrf0 (the shared library), libsmrf-dev (headers
# and libraries for compilers), python3-smrf. Which file belongs to which: the components in install.cmake.
set(debian_dir ${PROJECT_BINARY_DIR}/generated/debian)
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH where it is set
configure_file(cmake/debian/changelog.in ${debian_dir}/changelog @ONLY)
find_program(SMRF_GZIP gzip REQUIRED)
execute_process(COMMAND ${SMRF_GZIP} -9nf ${debian_dir}/changelog COMMAND_ERROR_IS_FATAL ANY)

# smrf_package(<component> <package> <section> <summary> <description>)
function(smrf_package component package section summary description)
    string(TOUPPER ${component} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
    # Only where packages are made: `cmake --install` has LICENSE and CHANGELOG.md.
    install(FILES cmake/debian/copyright ${debian_dir}/changelog.gz
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()
smrf_package(program smrf electronics "cycle-level model of GPU register files"
"Runs traces of CUDA programs through a model of a GPU whose streaming
multiprocessors are modelled cycle by cycle around the register file: banks,
arbiter, operand collectors, and the register caches of published papers.
Reports cycles, counters and energy, and compares mechanisms.
.
This package has the programs smrf and smrf-gen, machines and studies.")
smrf_package(library libsmrf0 libs "cycle-level model of GPU register files - shared library"
"The model behind the program smrf, with a C interface: loads a trace, runs it
on a configured GPU and answers with counters.
.
This package has the shared library, which the Python package loads.")
smrf_package(development libsmrf-dev libdevel "cycle-level model of GPU register files - development files"
"The model behind the program smrf, for programs in C and C++: a C interface,
SystemC/TLM-2.0 modules of a GPU and of its parts, a protocol monitor, and the
blocks of a register file in plain C.
.
This package has headers, static libraries, CMake and pkg-config files.")
smrf_package(python python3-smrf python "cycle-level model of GPU register files - Python package"
"Runs traces of CUDA programs through a model of a GPU's register files and
gives results as attributes, tables and data frames; reads the stores of
experiments.
.
This package has the Python package smrf.")

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development)
set(version "(= ${PROJECT_VERSION})")
set(CPACK_PACKAGE_NAME smrf)
set(CPACK_PACKAGE_CONTACT "smrf's maintainers <maintainers@smrf.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-smrf, nvidia-cuda-toolkit")
if(microhttpd_SONAME MATCHES "^(libmicrohttpd)\\.so\\.([0-9]+)$") # loaded by smrf serve alone
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
endif()
install(FILES cmake/debian/overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME smrf
    COMPONENT program EXCLUDE_FROM_ALL)

# What a program links, it must find: the libraries of cmake/packages.txt that pkg-config knows.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libsmrf0 ${version}, libsystemc-dev, liblzma-dev, \
zlib1g-dev, libzstd-dev, libjansson-dev, libyaml-dev, libsqlite3-dev, libelf-dev, liblz4-dev, libxxhash-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)

# The loader finds a new library as soon as the package is unpacked.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers
    ${debian_dir}/shlibs)
file(WRITE ${debian_dir}/shlibs "libsmrf ${smrf_soversion} libsmrf${smrf_soversion} ${version}\n")

if(SMRF_PYTHON)
    list(APPEND CPACK_COMPONENTS_ALL python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), libsmrf0 ${version}")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
endif()
include(CPack)
