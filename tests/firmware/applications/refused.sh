#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# refused.sh SMRF ARCHITECTURE APPLICATION: the message names kernel, instruction and what to do,
# once, and the report at the end repeats it.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" trace --no-trace --arch "$2" -- "$3" >"$folder/out" 2>"$folder/err"
grep -qx passed "$folder/out"
grep -c "^smrf: kernel look cannot be executed: .*TLD.*: modifier .MS of TLD is not supported" \
    "$folder/err" | grep -qx 1
grep -q "^Not executed  *kernel look: .*TLD.*: modifier .MS of TLD is not supported" "$folder/err"
grep -q "^Executed  *2 launches" "$folder/err"
echo "1 passed, 0 failed"
