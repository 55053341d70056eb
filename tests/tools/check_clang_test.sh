#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_clang.sh accepts a sound file and finds what clang warns of.
#
# usage: check_clang_test.sh CHECK
set -u
command -v clang >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/models" "$work/traces" "$work/platform" "$work/firmware"
printf 'int f(void);\nint f(void)\n{\n    return 1;\n}\n' >"$work/models/a.c"
sh "$1" "$work" "$work" || exit 1
printf '_Bool g(void);\n_Bool g(void)\n{\n    return !"text";\n}\n' >"$work/models/b.c"
! sh "$1" "$work" "$work" 2>/dev/null || exit 1
echo "found"
