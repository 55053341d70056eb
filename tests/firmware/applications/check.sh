#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh SMRF ARCHITECTURE APPLICATION [ARGUMENT..]: the application passes on a device of that
# architecture, its traces are the same twice and say whose code they are of, and two mechanisms
# replay them with no difference in any value.
set -e
smrf=$1
arch=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for run in 1 2; do
    "$smrf" trace -q --arch "$arch" --format v6 --compress none --json "$run.json" -o "trace$run" -- "$@" >"$run.out"
    tail -n 1 "$run.out" | grep -qx passed
done
diff -r trace1 trace2
grep -h "^-binary version" trace1/*.traceg | sort -u | grep -qx -- "-binary version = ${arch#sm_}"
cmp 1.out 2.out
for mechanism in baseline malekeh-short; do
    "$smrf" run -q --mechanism $mechanism --json run.json trace1
    grep -Eq '"violations": 0[,}]?$' run.json || {
        echo "a value differs with $mechanism"
        exit 1
    }
done
# What the device prints comes in order and once.
case $2 in
"" | assert | address | read | misaligned | beyond)
    if grep -q "^launched$" 1.out; then
        tail -n 5 1.out >printed
        cat >expected <<'TEXT'
launched
thread 0:  0.00 text 123456789abc a%
thread 1:  0.50 text 123456789abd b%
thread 2:  1.00 text 123456789abe c%
passed
TEXT
        diff printed expected
    fi
    ;;
esac
# The kernel that asserts prints its message, once for the one thread.
if [ "$2" = assert ]; then
    "$smrf" trace -q --arch "$arch" --no-trace -- "$@" 2>&1 >/dev/null | grep -c "Assertion .*least. failed" | grep -qx 1
fi
echo "1 passed, 0 failed"
