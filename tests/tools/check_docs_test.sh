#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of the documents finds what it is for: each mistake below, put into a copy, must be named.
#
# usage: check_readme_test.sh CHECK SOURCE_DIR BUILD_DIR
set -u
check=$1
source_dir=$(cd "$2" && pwd)
build_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# A tree that differs from the real one in its documents alone.
mkdir "$work/tree"
for name in "$source_dir"/* "$source_dir"/.clang*; do
    case ${name##*/} in
    README.md | docs | build* | out) ;;
    *) ln -s "$name" "$work/tree/${name##*/}" ;;
    esac
done

cp -r "$source_dir/README.md" "$source_dir/docs" "$work/tree"
: >"$work/expected"

# mistake DOCUMENT EXPECTED SED-SCRIPT: all of them go into the one copy, and each must be named.
mistake() {
    sed "$3" "$work/tree/$1" >"$work/next"
    if cmp -s "$work/next" "$work/tree/$1"; then
        echo "$2: the mistake changes nothing in $1"
        failed=1
    fi
    cat "$work/next" >"$work/tree/$1"
    printf '%s: %s\n' "$1" "$2" >>"$work/expected"
    documents="$documents $1"
}

documents=
mistake docs/traces.md "'build/smrf info no-such-trace' ends with status 3" \
    's|smrf info my-trace|smrf info no-such-trace|'
mistake docs/machines.md "there is no rf.stepz" 's|`rf.steps`|`rf.stepz`|'
mistake docs/machines.md "the table of presets differs" 's/^\(| `rtx2060-paper` .*\)gto |$/\1lrr |/'
mistake docs/internals.md "there is no rtx4090-paper" 's|`sc_main.c`|`rtx4090-paper`|'
mistake docs/internals.md "there is no models/none/" 's|`models/seam/`|`models/none/`|'
mistake README.md "'build/smrf run traces/bundled/hotspot | grep" \
    's|^cycles  *[0-9,]*$|cycles 1|'
mistake docs/getting-started.md "'build/smrf trace hotspot -o out/hotspot' prints something else" \
    's|^Warp instructions  *[0-9,]*$|Warp instructions 1|'
mistake docs/write-a-mechanism.md "the code from tests/examples/prefetch.c does not stand there" \
    's|    p->given\[warp\]++;|    p->given[warp]--;|'
# The second block from the same file.
mistake docs/write-a-mechanism.md "the code from tests/examples/repeated_load.c does not stand there" \
    's|        return SMRF_MEMORY_ISSUE;|        return SMRF_MEMORY_SHARE;|'

# shellcheck disable=SC2086 # a list
sh "$check" "$work/tree" "$build_dir" $(printf '%s\n' $documents | sort -u) >"$work/out" 2>&1
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
