# SPDX-License-Identifier: Apache-2.0
# smrf_embed(<variable> <set> <header> [TABLE] <files>): a source that holds the text of each file.
#
# With TABLE, the texts are rows of smrf_<set>[] (struct smrf_embedded), which ends with a row of zeros.
# Without, each is an array of its own: smrf_<set>_page_css[]. The header declares either.
function(smrf_embed out set header)
    cmake_parse_arguments(PARSE_ARGV 3 arg "TABLE" "" "")
    list(JOIN arg_UNPARSED_ARGUMENTS "|" files)
    set(source ${PROJECT_BINARY_DIR}/generated/${set}.c)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
    add_custom_command(OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DOUT=${source} -DSET=${set} -DHEADER=${header} -DTABLE=${arg_TABLE}
                "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${arg_UNPARSED_ARGUMENTS} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        COMMENT "Embedding the ${set}" VERBATIM)
    set(${out} ${source} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    return()
endif()

string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} id)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
    if(NOT TABLE)
        string(APPEND arrays "const char smrf_${SET}_${id}[] = {${hex}0};\n")
        continue()
    endif()
    file(READ ${file} text)
    set(description 0)
    if(text MATCHES "\ndescription: ([^\n\"\\]+)\n")
        set(description "\"${CMAKE_MATCH_1}\"")
    endif()
    get_filename_component(name ${file} NAME_WE)
    string(APPEND arrays "static const char ${id}[] = {${hex}0};\n")
    string(APPEND rows "    {\"${name}\", ${id}, sizeof ${id} - 1, ${description}},\n")
endforeach()
if(TABLE)
    string(APPEND arrays "const struct smrf_embedded smrf_${SET}[] = {\n${rows}    {0, 0, 0, 0},\n};\n")
endif()
file(WRITE ${OUT}.new "/* Made by cmake/embed.cmake. */\n#include \"${HEADER}\"\n${arrays}")
file(RENAME ${OUT}.new ${OUT})
