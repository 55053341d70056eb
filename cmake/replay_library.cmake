# SPDX-License-Identifier: Apache-2.0
# smrf_replay_library(<target> SOURCES .. CORES ..): a library of the sources, which call the cores.
# Where speed counts, both are optimised as one: the compiler sees all of them and its result is one
# object, so that every program that replays shares it and links fast. Elsewhere, and for a quick
# edit loop, an ordinary library that takes the cores from smrf_core.
function(smrf_replay_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CORES")
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
       AND NOT SMRF_SANITIZE AND NOT SMRF_COVERAGE)
        add_library(${target}_objects OBJECT ${arg_SOURCES} ${arg_CORES})
        target_link_libraries(${target}_objects PRIVATE smrf::systemc)
        target_include_directories(${target}_objects PRIVATE ${PROJECT_SOURCE_DIR})
        # -O2: at -O3 the loop over a cycle outgrows the instruction cache.
        target_compile_options(${target}_objects PRIVATE -O2 -flto=auto -fno-fat-lto-objects)
        # SystemC's templates are compiled once for eight modules.
        set_target_properties(${target}_objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
        set(apart ${arg_SOURCES} ${arg_CORES})
        list(FILTER apart INCLUDE REGEX "\\.c$")
        set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        set(compiled ${target}_objects)
        # CMake counts the precompiled header among the objects.
        set(objects $<FILTER:$<TARGET_OBJECTS:${target}_objects>,INCLUDE,\\.o$>)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
        add_custom_command(OUTPUT ${object}
            # In one partition: GCC 12 fails to divide some of this code ("add_symbol_to_partition_1").
            COMMAND ${CMAKE_CXX_COMPILER} -r -fPIC -O2 -flto=auto -flto-partition=one
                    -flinker-output=nolto-rel -o ${object} "${objects}"
            DEPENDS ${target}_objects "${objects}"
            COMMAND_EXPAND_LISTS VERBATIM COMMENT "Optimising ${target} as one")
        add_library(${target} STATIC ${object})
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    else()
        add_library(${target} STATIC ${arg_SOURCES})
        set(compiled ${target})
    endif()
    target_precompile_headers(${compiled} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<tlm$<ANGLE-R>>")
    smrf_warnings(${compiled})
endfunction()

# smrf_whole_program(<program> <library>): a program that links a library of smrf_replay_library() is
# optimised with it, where the library is optimised as one: nothing else can call what it does not, which
# is worth a tenth of the time of a replay and costs some ten seconds of linking. The library's object is
# not made for it, and neither are the libraries of smrf_link_parts(). At a fixed address, and with the
# archives of smrf_offer_archives(), it starts in two thirds of the time: fewer symbols and addresses are
# looked up.
function(smrf_whole_program program library)
    if(TARGET ${library}_objects)
        target_link_libraries(${program}
            PRIVATE $<FILTER:$<TARGET_OBJECTS:${library}_objects>,INCLUDE,\\.o$>)
        target_link_options(${program} PRIVATE -O2 -flto=auto -flto-partition=balanced -no-pie)
        set_target_properties(${program} PROPERTIES SMRF_HAS_PARTS ON SMRF_TAKES_ARCHIVES ON)
    endif()
endfunction()

# smrf_link_parts(<library> <libraries>..): whoever links the library links these as well, unless it is a
# program that has their sources as objects of its own.
function(smrf_link_parts library)
    set_target_properties(${library} PROPERTIES SMRF_HAS_PARTS ON) # it is not what links
    foreach(part ${ARGN})
        target_link_libraries(${library}
            INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:SMRF_HAS_PARTS>>>:${part}>)
    endforeach()
endfunction()
