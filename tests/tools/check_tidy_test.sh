#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The clang-tidy check finds a mistake of each kind that it is for, and passes a file without one.
#
# usage: check_tidy_test.sh CHECK SOURCE_DIR
set -eu
check=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$2/.clang-tidy" "$work"
cd "$work"

# expect STATUS TEXT: a.c, read from standard input, must end the check so.
expect() {
    cat >a.c
    printf '[{"directory": "%s", "file": "a.c", "command": "cc -std=c11 -c a.c"}]\n' "$work" \
        >compile_commands.json
    out=$(sh "$check" "$work" "$work" a.c) && status=0 || status=$?
    if [ "$status" = 77 ]; then
        echo "$out"
        exit 77
    fi
    case $status:$out in
    "$1":*"$2"*) ;;
    *)
        printf 'status %s, expected %s with "%s":\n%s\n' "$status" "$1" "$2" "$out"
        exit 1
        ;;
    esac
}

expect 0 "1 files without a finding" <<'C'
int twice(int a)
{
    return 2 * a;
}
C
expect 1 bugprone-suspicious-semicolon <<'C'
int twice(int a)
{
    if (a == 0);
    return 2 * a;
}
C
expect 1 misc-redundant-expression <<'C'
int same(int a, int b)
{
    return (a & b) == (a & b);
}
C
# A function of 82 lines.
{
    printf 'int sum(int a)\n{\n'
    for _ in 1 2 3 4 5 6 7 8; do
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            printf '    a += a;\n'
        done
    done
    printf '    return a;\n}\n'
} | expect 1 readability-function-size
expect 1 "file not found" <<'C'
#include "nothing.h"
C
