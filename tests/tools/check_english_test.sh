#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of the English finds what it is for: each mistake below, put into a small tree, must be
# named, and correct text must not.
#
# usage: check_english_test.sh PYTHON CHECK
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mkdir -p "$work/docs" "$work/models/x" "$work/platform" "$work/traces" "$work/firmware"

# run STATUS: the check of the tree must end so.
run() {
    "$1" "$2" "$work" >"$work/out" 2>&1
    status=$?
    [ $status -eq "$3" ] || { echo "status $status, expected $3:"; cat "$work/out"; failed=1; }
}

printf 'You need no GPU. What is a bank? A port.\n\n`nobody` is a name. It reads so. Many do.\n' >"$work/README.md"
printf '| whoever | quoted |\n' >"$work/docs/style.md"
printf '/* Grants the oldest request. */\nint x; /* A..B */\nconst char *t = "%%s .. is told";\n' >"$work/models/x/x.h"
run "$1" "$2" 0

printf '\nThe text is fine.\nNobody reads it.\n\n- What finds no room waits.\n' >>"$work/README.md"
printf '/* Of the valid ones,\n * so many are free. */\nint y; /* .. and used */\n' >>"$work/models/x/x.h"
printf '    X(a, "cycles", "for whoever steps it")\n' >>"$work/models/x/x.h"
run "$1" "$2" 1
while IFS= read -r expected; do
    grep -qF -- "$expected" "$work/out" || { echo "'$expected' is not among the findings"; failed=1; }
done <<'END'
README.md:5: 'Nobody'
README.md:8: begins with 'What'
models/x/x.h:4: 'so many'
models/x/x.h:6: goes on from another comment
models/x/x.h:7: 'whoever'
5 findings
END
[ $failed -ne 0 ] && cat "$work/out"
exit $failed
