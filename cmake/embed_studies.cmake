# SPDX-License-Identifier: Apache-2.0
# Writes the C file that holds the studies' text: cmake -DOUT=<file.c> -DFILES=<a.yaml|b.yaml> -P this
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name} id)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND arrays "static const unsigned char ${id}[] = {${hex}};\n")
    string(APPEND rows "    {\"${name}\", ${id}, sizeof ${id}},\n")
endforeach()
file(WRITE ${OUT}.new "/* Made from platform/study by cmake/embed_studies.cmake. */
#include \"platform/experiment/experiment.h\"
${arrays}static const struct smrf_study studies[] = {
${rows}};
const struct smrf_study *smrf_study_at(size_t index)
{
    return index < sizeof studies / sizeof studies[0] ? &studies[index] : NULL;
}
")
file(RENAME ${OUT}.new ${OUT})
