# SPDX-License-Identifier: Apache-2.0
# Puts static libraries together into one: cmake -DAR=<ar> -DOUT=<lib.a> -DLIBRARIES=<a|b> -P this
# Whoever links it needs no order of libraries and nothing drawn in whole.
string(REPLACE "|" ";" LIBRARIES "${LIBRARIES}")
set(script "CREATE ${OUT}.new\n")
foreach(library ${LIBRARIES})
    string(APPEND script "ADDLIB ${library}\n")
endforeach()
file(WRITE ${OUT}.mri "${script}SAVE\nEND\n")
execute_process(COMMAND ${AR} -M INPUT_FILE ${OUT}.mri COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${OUT}.new ${OUT})
