# SPDX-License-Identifier: Apache-2.0
# Writes the header with version and commit, only when it changes:
# cmake -DOUT=<file.h> -DVERSION=<x.y.z> -DSOURCE=<dir> -P this
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
    set(commit "unknown")
endif()
set(text "#define SMRF_VERSION \"${VERSION}\"\n#define SMRF_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
    file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
    file(WRITE ${OUT} "${text}")
endif()
