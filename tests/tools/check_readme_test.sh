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

cp "$source_dir/README.md" "$work/tree/README.md"
: >"$work/expected"

# mistake NAME EXPECTED SED-SCRIPT: all of them go into the one copy, and each must be named.
mistake() {
    sed "$3" "$work/tree/README.md" >"$work/next"
    if cmp -s "$work/next" "$work/tree/README.md"; then
        echo "$1: the mistake changes nothing in README.md"
        failed=1
    fi
    cat "$work/next" >"$work/tree/README.md"
    printf '%s\n' "$2" >>"$work/expected"
}

mistake command "info no-such-trace' ends with status 3" 's|smrf info my-trace|smrf info no-such-trace|'
mistake option "there is no rf.stepz" 's|`rf.steps`|`rf.stepz`|'
mistake preset "there is no rtx4090-paper" 's|`sc_main.c`|`rtx4090-paper`|'
mistake path "there is no models/none/" 's|`models/seam/`|`models/none/`|'
mistake link "there is no docs/none.svg" 's|docs/sm.svg|docs/none.svg|'
mistake result "prints something else" 's|^cycles  *[0-9,]*$|cycles 1|'
mistake table "table of presets differs" 's/^\(| `rtx2060-paper` .*\)gto |$/\1lrr |/'
mistake code "code from tests/examples/last_result.c does not stand there" \
    's|    uint32_t from_banks = 0;|    uint32_t from_banks = 1;|'

sh "$check" "$work/tree" "$build_dir" >"$work/out" 2>&1
status=$?
[ $status -eq 1 ] || { echo "status $status, expected 1"; failed=1; }
while IFS= read -r expected; do
    if ! grep -qF -- "$expected" "$work/out"; then
        printf '"%s" is missing in:\n' "$expected"
        cat "$work/out"
        failed=1
    fi
done <"$work/expected"

exit $failed
