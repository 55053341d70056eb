#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SMRF ARCHITECTURE APPLICATION: replayed while it runs, the application gives the same
# results as through a trace, whatever launches are chosen, and its output and status are its own.
set -e
smrf=$1
arch=$2
application=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
export TMPDIR="$folder/tmp"

# All but where the launches come from and the time. The digest is that of addresses, too: host
# memory that a kernel uses lies elsewhere when the trace is written in another way.
results() {
    grep -v -e '"trace_digest":' -e '"wall_s":' -e '_per_s":' -e '^      "trace"$' -e '^      "-- ' "$1"
}

# compare OPTIONS-OF-BOTH OPTIONS-OF-THE-TRACE OPTIONS-OF-THE-RUN: unquoted on purpose.
compare() {
    for mechanism in baseline malekeh-short; do
        "$smrf" trace -q --force --arch "$arch" $1 $2 -o trace -- "$application" >trace.out
        "$smrf" run -q -m $mechanism --json trace.json trace 2>/dev/null
        "$smrf" run -q -m $mechanism --arch "$arch" $1 $3 --json run.json -- "$application" >run.out 2>run.err
        cmp trace.out run.out
        results trace.json >trace.txt
        results run.json >run.txt
        diff trace.txt run.txt
        grep -q '^      "-- .*application_' run.json
    done
}
compare "" "" ""
compare "--format v6" "" ""
compare "--launches 2-3 --max-insts 100" "" ""
compare "--first 1 --skip 1" "" ""
compare "--kernel a" "--compress gz" ""

# A run that ends early lets the program end by itself; statuses are the program's.
"$smrf" run -q --max-cycles 1000 --json run.json -- "$application" >run.out
cmp trace.out run.out
grep -q '"partial": true' run.json
status=0
"$smrf" run -q --json run.json -- sh -c "$application >/dev/null; exit 7" || status=$?
test $status = 7
status=0
"$smrf" run -q -- ./absent 2>run.err || status=$?
test $status = 127
for wrong in "--kernel a trace" "trace -- $application" "--"; do
    status=0
    "$smrf" run -q $wrong 2>run.err || status=$?
    test $status = 2
    test -s run.err
done
rmdir tmp # nothing is left behind
echo "1 passed, 0 failed"
