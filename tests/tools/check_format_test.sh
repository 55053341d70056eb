#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of the format finds a line that is not laid out as it should be, in C and in C++, and passes
# what is.
#
# usage: check_format_test.sh CHECK SOURCE_DIR
set -eu
check=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$2/.clang-format" .
mkdir -p models/a platform firmware traces tests cmake
printf 'int main(void)\n{\n    return 0;\n}\n' >sc_main.c
cp sc_main.c models/a/a.c

# expect STATUS TEXT: what the check must end with and must print.
expect() {
    out=$(sh "$check" "$work") && status=0 || status=$?
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

expect 0 "2 files are formatted"
printf 'int f(int *a) {return  *a;}\n' >models/a/b.h
expect 1 "models/a/b.h:1:"
rm models/a/b.h
printf 'struct a { int* b; };\n' >tests/c.cpp
expect 1 "tests/c.cpp:1:"
