#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of README.md finds what it is for: each mistake below, put into a copy, must be named.
#
# usage: check_readme_test.sh CHECK SOURCE_DIR BUILD_DIR
set -u
check=$1
source_dir=$2
build_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# A tree that differs from the real one in README.md alone.
mkdir "$work/tree"
for name in "$source_dir"/* "$source_dir"/.clang*; do
    case ${name##*/} in
    README.md | build* | out) ;;
    *) ln -s "$name" "$work/tree/${name##*/}" ;;
    esac
done

# try NAME EXPECTED SED-SCRIPT
try() {
    sed "$3" "$source_dir/README.md" >"$work/tree/README.md"
    if cmp -s "$source_dir/README.md" "$work/tree/README.md"; then
        echo "$1: the mistake changes nothing in README.md"
        failed=1
        return
    fi
    out=$(sh "$check" "$work/tree" "$build_dir") && status=0 || status=$?
    case $status$out in
    1*"$2"*) ;;
    *)
        printf '%s: status %s, expected "%s" in:\n%s\n' "$1" "$status" "$2" "$out"
        failed=1
        ;;
    esac
}

try command "info no-such-trace' ends with status 3" 's|smrf info my-trace|smrf info no-such-trace|'
try option "there is no rf.stepz" 's|`rf.steps`|`rf.stepz`|'
try preset "there is no rtx4090-paper" 's|`sc_main.c`|`rtx4090-paper`|'
try path "there is no models/none/" 's|`models/seam/`|`models/none/`|'
try link "there is no docs/none.svg" 's|docs/sm.svg|docs/none.svg|'
try result "prints something else" 's|^cycles  *[0-9,]*$|cycles 1|'
try table "table of presets differs" 's/^\(| `rtx2060-paper` .*\)gto |$/\1lrr |/'
try code "code from tests/examples/last_result.c does not stand there" \
    's|    uint32_t from_banks = 0;|    uint32_t from_banks = 1;|'

exit $failed
