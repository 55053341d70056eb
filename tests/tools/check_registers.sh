#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every row of a table that the headers make stands in the document, and its rows of these tables are
# those of the headers.
#
# usage: check_registers.sh PRINT_REGISTERS DOCUMENT
set -u
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" | grep '^| [0-9A-Z]' >"$work/made"
grep -E '^\| (0x[0-9a-f]+|[0-9]+|[A-Z_]+\.[A-Z_]+|ERROR) \|' "$2" >"$work/written"
diff "$work/made" "$work/written" || {
    echo "$2: its tables differ from the headers (< headers, > document); $1 prints them"
    failed=1
}
[ -s "$work/made" ] || failed=1
exit $failed
