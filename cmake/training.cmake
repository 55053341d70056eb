# SPDX-License-Identifier: Apache-2.0
# A Release build by GCC is trained by replays. The sources of the replay library are built once
# more with counters, a program made of them replays small traces over both engines, and the library
# is then compiled for what they count. No result changes. Where that program cannot run, the library
# is not trained.
option(SMRF_TRAINING "Release by GCC: compile for what replays of small traces show to be frequent" ON)

# smrf_train(<objects> LIBRARIES ..): train an object library, which needs these libraries. Its C++
# is compiled in the same batches for both, its C source by source.
function(smrf_train objects)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
    if(NOT TARGET ${objects} OR NOT SMRF_TRAINING OR CMAKE_CROSSCOMPILING)
        return()
    endif()
    set(folder ${PROJECT_BINARY_DIR}/training)
    get_target_property(sources ${objects} SOURCES)
    get_target_property(options ${objects} COMPILE_OPTIONS)
    get_target_property(batch ${objects} UNITY_BUILD_BATCH_SIZE)
    set(c_sources ${PROJECT_SOURCE_DIR}/cmake/training/training.c ${sources})
    list(FILTER sources INCLUDE REGEX "\\.(c|cpp)$")
    list(FILTER c_sources INCLUDE REGEX "\\.c$")
    list(FILTER options EXCLUDE REGEX "lto") # it comes after what is counted
    # Counts are found by this name: the same in the program that counts and in what is compiled for it.
    foreach(source ${c_sources})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
        get_filename_component(name ${name} DIRECTORY)
        string(REPLACE "/" "-" name ${name})
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -dumpdir ${folder}/counts/${name}-)
    endforeach()
    add_executable(smrf-training cmake/training/training.c ${sources})
    target_include_directories(smrf-training PRIVATE ${PROJECT_SOURCE_DIR})
    set_target_properties(smrf-training PROPERTIES SMRF_HAS_PARTS ON UNITY_BUILD ON
        UNITY_BUILD_BATCH_SIZE ${batch})
    target_precompile_headers(smrf-training PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<tlm$<ANGLE-R>>")
    # -fPIC and the like: names of functions that initialise depend on it, and they are counted, too.
    target_compile_options(smrf-training PRIVATE ${options} -fPIC -fno-semantic-interposition -fprofile-generate)
    target_link_options(smrf-training PRIVATE -fprofile-generate)
    # Its own objects come first: of the libraries it takes what they lack.
    target_link_libraries(smrf-training PRIVATE ${arg_LIBRARIES})
    add_custom_command(OUTPUT ${folder}/trained
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/traces
        COMMAND smrf-training ${PROJECT_SOURCE_DIR}/traces/bundled ${folder}/traces
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/traces
        COMMAND ${CMAKE_COMMAND} -E touch ${folder}/trained
        DEPENDS smrf-training VERBATIM
        COMMENT "Training ${objects} on small traces")
    add_custom_target(smrf_trained DEPENDS ${folder}/trained)
    add_dependencies(${objects} smrf_trained)
    target_compile_options(${objects} PRIVATE -fprofile-use -fprofile-partial-training
        -fno-align-loops -fno-align-jumps) # code that fits the cache gains more than aligned loops
    foreach(target smrf-training ${objects})
        target_compile_options(${target}
            PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-dumpdir ${folder}/counts/modules->")
    endforeach()
    # Names of sources are part of what is counted, and compiler caches may write them otherwise.
    set_target_properties(smrf-training ${objects} PROPERTIES C_COMPILER_LAUNCHER ""
        CXX_COMPILER_LAUNCHER "")
endfunction()
