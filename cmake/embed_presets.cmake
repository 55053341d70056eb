# SPDX-License-Identifier: Apache-2.0
# Writes the C file that holds the presets' text: cmake -DOUT=<file.c> -DFILES=<a.yaml|b.yaml> -P this
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name} id)
    file(READ ${file} text)
    if(NOT text MATCHES "\ndescription: ([^\n\"\\]+)\n")
        message(FATAL_ERROR "${file} needs a line 'description: ...' without quotes or backslashes")
    endif()
    set(description "${CMAKE_MATCH_1}")
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND arrays "static const unsigned char ${id}[] = {${hex}};\n")
    string(APPEND rows "    {\"${name}\", \"presets/${name}.yaml\", \"${description}\", ${id}, sizeof ${id}},\n")
endforeach()
file(WRITE ${OUT}.new "/* Made from platform/presets by cmake/embed_presets.cmake. */
#include \"platform/config/internal.h\"
${arrays}const struct smrf_preset_data smrf_preset_data[] = {
${rows}};
const size_t smrf_preset_data_count = sizeof smrf_preset_data / sizeof smrf_preset_data[0];
")
file(RENAME ${OUT}.new ${OUT})
