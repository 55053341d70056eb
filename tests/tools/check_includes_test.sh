#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of includes finds what it is for: one small tree for each rule must be reported, and a clean
# one must pass.
#
# usage: check_includes_test.sh CHECK
set -eu
check=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# try NAME EXPECTED (FILE HEADER)..: a tree in which each FILE includes its HEADER; EXPECTED is part of
# the report.
try() {
    name=$1 expected=$2
    shift 2
    rm -rf "$work/src"
    mkdir -p "$work/src/models" "$work/src/platform" "$work/src/firmware" "$work/src/traces"
    while [ $# -gt 0 ]; do
        mkdir -p "$work/src/$(dirname "$1")"
        printf '#include "%s"\n#include <string.h>\n' "$2" >>"$work/src/$1"
        shift 2
    done
    out=$(sh "$check" "$work/src") && status=0 || status=$?
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

try clean "one way: 4 of them" models/a/a.c a.h models/a/a.c models/b/b.h models/b/b.h models/c/c.h \
    platform/gpu/gpu.c platform/config/config.h platform/gpu/gpu.h models/a/a.h
try two "models/b/b.h: models/a/a.h: models/a includes models/b, too" \
    models/a/a.c models/b/b.h models/b/b.h models/a/a.h
try three "platform/c/c.cpp: platform/a/a.h: platform/a includes platform/c, too" \
    platform/a/a.c platform/b/b.h platform/b/b.h platform/c/c.h platform/c/c.cpp platform/a/a.h
try files_of_the_top "platform/cli/run.c: platform/platform.h: platform includes platform/cli, too" \
    platform/cli/run.c platform/platform.h platform/platform.c platform/cli/cli.h
try upwards "models/a/a.c: traces/trace.h: models does not know traces" models/a/a.c traces/trace.h
try firmware "firmware/x/x.h: platform/platform.h: firmware does not know platform" \
    firmware/x/x.h platform/platform.h
try tops "traces/t.c: firmware/x/x.h: firmware/ includes traces/, too" \
    traces/t.c firmware/x/x.h firmware/x/x.c traces/t.h
try list "models/x.def: models/a/a.h: models/a includes models, too" \
    models/x.def models/a/a.h models/a/a.h models/x.h
try relative "models/a/a.c: ../b/b.h: includes go by the name from the top" models/a/a.c ../b/b.h
exit $failed
