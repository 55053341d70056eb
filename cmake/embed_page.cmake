# SPDX-License-Identifier: Apache-2.0
# Writes the C file that holds the page's own files, each as a text smrf_page_<name>:
# cmake -DOUT=<file.c> -DFILES=<a.css|b.js> -P this
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} id)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
    string(APPEND arrays "const char smrf_page_${id}[] = {${hex}0};\n")
endforeach()
file(WRITE ${OUT}.new "/* Made from platform/report/page by cmake/embed_page.cmake. */
#include \"platform/report/html.h\"
${arrays}")
file(RENAME ${OUT}.new ${OUT})
