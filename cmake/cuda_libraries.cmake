# SPDX-License-Identifier: Apache-2.0
# The libraries that CUDA programs are run with: libcuda.so.1 has the device and the driver's entry points,
# libcudart.so.N the runtime's, one for each major version of CUDA, whose symbols carry its name as version.
include(GNUInstallDirs)
set(smrf_cuda_dir ${PROJECT_BINARY_DIR}/cuda)
set_target_properties(smrf_firmware smrf_traces smrf_files smrf_core PROPERTIES POSITION_INDEPENDENT_CODE ON)

# A file of the linker that exports the patterns given, under a version or (NONE) without one.
function(smrf_cuda_exports file version)
    string(JOIN "$<SEMICOLON> " patterns ${ARGN})
    if(version STREQUAL NONE)
        set(version "")
    endif()
    file(GENERATE OUTPUT ${file}
        CONTENT "${version} { global: ${patterns}$<SEMICOLON> local: *$<SEMICOLON> }$<SEMICOLON>\n")
endfunction()

function(smrf_cuda_library target soname exports)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:-z,defs)
    string(REGEX REPLACE "\\.so.*" "" stem ${soname})
    string(REGEX REPLACE "^.*\\.so" ".so" suffix ${soname})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${stem} SUFFIX ${suffix} NO_SONAME ON
        LIBRARY_OUTPUT_DIRECTORY ${smrf_cuda_dir} LINK_DEPENDS ${exports} C_VISIBILITY_PRESET hidden
        BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
    target_link_options(${target} PRIVATE LINKER:-soname=${soname})
    smrf_warnings(${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/smrf/cuda COMPONENT program)
endfunction()

file(GLOB cuda_runtime_sources CONFIGURE_DEPENDS firmware/cuda/runtime_*.c)
file(GLOB cuda_driver_sources CONFIGURE_DEPENDS firmware/cuda/*.c)
list(REMOVE_ITEM cuda_driver_sources ${cuda_runtime_sources})

set(exports ${PROJECT_BINARY_DIR}/generated/libcuda.exports)
smrf_cuda_exports(${exports} NONE "cu[A-Z]*" "smrf_cuda_*")
add_library(smrf_cuda SHARED ${cuda_driver_sources})
smrf_cuda_library(smrf_cuda libcuda.so.1 ${exports})
target_link_libraries(smrf_cuda PRIVATE smrf_firmware Threads::Threads)

set(smrf_cuda_targets smrf_cuda)
set(cuda_versions 11.0:11080 12:12000 13:13000)
foreach(pair ${cuda_versions})
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 version)
    list(GET pair 1 number)
    set(exports ${PROJECT_BINARY_DIR}/generated/libcudart.${version}.exports)
    smrf_cuda_exports(${exports} libcudart.so.${version} "cuda*" "__cuda*")
    set(target smrf_cudart_${version})
    add_library(${target} SHARED ${cuda_runtime_sources})
    smrf_cuda_library(${target} libcudart.so.${version} ${exports})
    target_compile_definitions(${target} PRIVATE SMRF_CUDART_VERSION=${number})
    target_link_libraries(${target} PRIVATE smrf_cuda)
    list(APPEND smrf_cuda_targets ${target})
endforeach()

# Loaded into programs that have the runtime in themselves; its exports are none.
set(exports ${PROJECT_BINARY_DIR}/generated/static_runtime.exports)
file(GENERATE OUTPUT ${exports} CONTENT "{ local: *$<SEMICOLON> }$<SEMICOLON>\n")
add_library(smrf_static_runtime SHARED firmware/cuda/inside/static_runtime.c)
smrf_cuda_library(smrf_static_runtime libsmrf-static-runtime.so ${exports})
target_link_libraries(smrf_static_runtime PRIVATE ${CMAKE_DL_LIBS})
list(APPEND smrf_cuda_targets smrf_static_runtime)
