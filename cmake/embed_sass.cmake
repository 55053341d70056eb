# SPDX-License-Identifier: Apache-2.0
# smrf_embed_sass(<variable> <texts>): sources that hold the compressed texts as they are, in the table
# smrf_sass_texts (firmware/kernels/texts.h).
function(smrf_embed_sass out texts)
    set(assembly "/* Generated. */\n    .section .rodata\n")
    set(declarations "")
    set(rows "")
    foreach(text ${texts})
        get_filename_component(stem ${text} NAME_WE)
        string(MAKE_C_IDENTIFIER "smrf_text_${stem}" symbol)
        string(APPEND assembly
            "    .global ${symbol}\n    .global ${symbol}_end\n"
            "${symbol}:\n    .incbin \"${text}\"\n${symbol}_end:\n")
        string(APPEND declarations "extern const unsigned char ${symbol}[], ${symbol}_end[];\n")
        string(APPEND rows "    {\"${stem}\", ${symbol}, ${symbol}_end},\n")
    endforeach()
    string(APPEND assembly "    .section .note.GNU-stack,\"\",@progbits\n")
    set(folder ${PROJECT_BINARY_DIR}/generated)
    file(CONFIGURE OUTPUT ${folder}/sass_texts.S CONTENT "${assembly}" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/sass_texts.c @ONLY CONTENT
        "/* Generated. */\n#include \"firmware/kernels/texts.h\"\n${declarations}
const struct smrf_sass_text smrf_sass_texts[] = {\n${rows}    {0, 0, 0},\n};\n")
    set_source_files_properties(${folder}/sass_texts.S PROPERTIES OBJECT_DEPENDS "${texts}")
    set(${out} ${folder}/sass_texts.S ${folder}/sass_texts.c PARENT_SCOPE)
endfunction()
