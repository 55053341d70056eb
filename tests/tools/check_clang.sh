#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang compiles every C source without a warning. Exit 77 = skipped.
#
# usage: check_clang.sh SOURCE_DIR BUILD_DIR
set -u
if ! command -v clang >/dev/null; then
    echo "skipped: clang is not installed"
    exit 77
fi
cd "$1" || exit 1
# A file that the build leaves out, as its library is not there, cannot be read.
without=/dev/null
if [ -e "$2/compile_commands.json" ] &&
    ! grep -q 'platform/program/http\.c' "$2/compile_commands.json"; then
    without=platform/program/http.c
fi
sources=$(find models traces platform firmware -name '*.c' ! -path 'firmware/driver/riscv/*' ! -path "$without" |
    sort)
printf '%s\n' $sources | xargs -P 2 -n 50 clang -std=c11 -fsyntax-only -I. -I"$2/generated" \
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Werror \
    -DSMRF_CUDART_VERSION=12000 '-DSMRF_CUDA_LIBRARIES=""' || exit 1
echo "compiled by clang: $(printf '%s\n' $sources | grep -c .) C files"
