#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The purity check finds what it is for: one small tree for each rule, built with the system's
# compiler, must be reported, and a clean one must pass.
#
# usage: check_core_purity_test.sh CHECK CC
set -eu
check=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# try NAME EXPECTED TEXT [STANDARD]: a core that holds TEXT; EXPECTED is part of the report.
try() {
    name=$1 expected=$2 text=$3 standard=${4:-c11}
    rm -rf "$work/src" "$work/build"
    mkdir -p "$work/src/models/block" "$work/build"
    file=$work/src/models/block/block.c
    printf '%s\n' "$text" >"$file"
    "$cc" "-std=$standard" -O1 -c "$file" -o "$work/build/block.o"
    ar rc "$work/build/libsmrf_core.a" "$work/build/block.o"
    printf '{\n  "command": "cc -std=%s -o block.o -c %s",\n}\n' "$standard" "$file" \
        >"$work/build/compile_commands.json"
    out=$(sh "$check" "$work/src" "$work/build" OFF) && status=0 || status=$?
    case $out in
    *"$expected"*) ;;
    *) status="$status without '$expected'" ;;
    esac
    want=1
    [ "$name" = clean ] && want=0
    if [ "$status" != $want ]; then
        printf '%s: status %s, expected %s\n%s\n' "$name" "$status" "$want" "$out"
        failed=1
    fi
}

try clean "the cores are pure: 1 C files" '#include <string.h>
/* double and float in a comment, <stdio.h> too */
static const char *const names[] = {"float", "a \" double"}; // double
const char *smrf_x(unsigned i, char *to) { memcpy(to, names[i], 4); return names[i]; }'
try header "block.c:1: #include <stdio.h>    <- header" '#include <stdio.h>
int smrf_x(void) { return 0; }'
try systemc "block.c:1: #  include" '#  include <math.h>
int smrf_x(void) { return 0; }'
try floating "block.c:2: " '
int smrf_x(int a) { return (int)((double)a * 2); }'
try symbol "<- symbol from outside the cores" 'int putchar(int c);
int smrf_x(void) { return putchar(65); }'
try variable "smrf_count    <- variable outside" 'int smrf_count = 3;
int smrf_x(void) { return smrf_count++; }'
try hidden_variable "<- variable outside" 'int smrf_x(void) { static int n; return n++; }'
try dialect "not compiled with -std=c11" 'int smrf_x(void) { return 0; }' gnu11

# a header with floating point, and instrumented builds
printf 'struct smrf_y { double v; };\n' >"$work/src/models/block/block.h"
if sh "$check" "$work/src" "$work/build" OFF | grep -q 'block.h:1: struct smrf_y'; then :; else
    echo "header: floating point was not found"
    failed=1
fi
rm "$work/src/models/block/block.h"
sh "$check" "$work/src" "$work/build" ON >/dev/null && status=0 || status=$?
if [ $status -ne 77 ]; then
    echo "instrumented: status $status, expected 77 (skipped)"
    failed=1
fi
exit $failed
