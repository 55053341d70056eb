#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# smrf against a second SystemC: it is built with it, its modules' and the IP's tests pass, and
# replays have the cycles that they have with the first. Exit 77 = skipped.
#
# usage: check_systemc3.sh SOURCE_DIR BUILD_DIR [PREFIX]
# PREFIX: where the second SystemC is installed; empty: $SMRF_SYSTEMC3
set -u
source=$1 build=$2 prefix=${3:-${SMRF_SYSTEMC3:-}}
if [ -z "$prefix" ]; then
    echo "skipped: no second SystemC; set SMRF_SYSTEMC3 to where one is installed"
    exit 77
fi
second=$build/systemc3
log=$second.log
fail() {
    echo "$1"
    tail -n 30 "$log"
    exit 1
}
cmake -S "$source" -B "$second" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSMRF_SYSTEMC3= \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_PREFIX_PATH="$prefix" -DSMRF_TESTS=ON >"$log" 2>&1 ||
    fail "it cannot be configured"
found=$(grep -o 'SystemC [0-9][0-9.]* ([^)]*)' "$log")
echo "$found"
case $found in
*"CMake package $prefix/"*) ;;
*) fail "that is not the SystemC in $prefix" ;;
esac
cmake --build "$second" -j2 --target smrf module_tests ip_tests \
    example_small_core example_assembled example_compute >"$log" 2>&1 || fail "it cannot be built"
ctest --test-dir "$second" -L '^(module|ip)$' -j2 --output-on-failure >"$log" 2>&1 ||
    fail "its tests fail"
grep 'tests passed' "$log"

cycles() { # of a trace on the platform built in $1
    "$1/smrf" run "$source/traces/bundled/$2" -q --engine systemc --threads 1 --json - 2>"$log" |
        sed -n 's/^ *"cycles": *\([0-9]*\),*$/\1/p' | head -n 1
}
for trace in divergent gemm hotspot matmul; do
    here=$(cycles "$build" $trace) there=$(cycles "$second" $trace)
    [ -n "$here" ] && [ "$here" = "$there" ] ||
        fail "$trace takes '$here' cycles with the first SystemC, '$there' with the second"
    echo "$trace: $here cycles with both"
done
