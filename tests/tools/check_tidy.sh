#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with .clang-tidy's checks, without the analyzer's, over the C sources: half a minute on two
# cores. The C++ sources take a SystemC header each; they are checked by hand, as is with the analyzer.
#
# usage: check_tidy.sh SOURCE_DIR BUILD_DIR [FILE..]
# FILE: these alone. The exit status is 1 if there is a finding, 77 without clang-tidy.
set -u
cd "$1" || exit 1
build=$2
shift 2

if ! command -v clang-tidy >/dev/null; then
    echo "skipped: clang-tidy is not installed"
    exit 77
fi
# A file that the build leaves out, as its library is not there, cannot be read.
without=/dev/null
grep -q 'platform/program/http\.c' "$build/compile_commands.json" || without=platform/program/http.c
[ $# -gt 0 ] || set -- $(find models platform firmware traces sc_main.c -name '*.c' ! -path "$without" | sort)

# -w: warnings are the compiler's business, and GCC's options mean nothing to clang, least of all a folder
# for the counts of a training run.
commands=$(mktemp -d) || exit 1
trap 'rm -rf "$commands"' EXIT
sed -E 's/(-dumpdir [^ ]*|-fprofile-[^ ]*) //g' "$build/compile_commands.json" >"$commands/compile_commands.json" || exit 1
out=$(printf '%s\n' "$@" | xargs -P 2 -n 10 clang-tidy -p "$commands" --quiet \
    --checks='-clang-analyzer-*' --extra-arg=-w 2>/dev/null | grep -E '(warning|error): .*\[')
if [ -n "$out" ]; then
    printf '%s\n' "$out" | sort -u
    exit 1
fi
echo "$# files without a finding"
