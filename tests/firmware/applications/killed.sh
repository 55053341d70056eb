#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# killed.sh SMRF APPLICATION: the launches of a program that is killed, aborts or leaves without
# exit() are a whole trace. The summary says how many they are and what is missing; the status is
# not 0.
set -e
smrf=$1
application=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# ends STATUS COMMAND..
ends() {
    wanted=$1
    shift
    status=0
    "$@" >out 2>err </dev/null || status=$?
    test $status = "$wanted" || {
        echo "status $status, not $wanted: $*"
        cat err
        exit 1
    }
}

# whole [OTHER]: three launches, in the summary and on the disk, and nothing of an unfinished one.
whole() {
    grep -q "^Executed  *3 launches, 3 thread blocks, 3 warps$" err
    grep -q "^  *3 launches, [0-9]* warp instructions$" err
    test "$(grep -c '^kernel-[123].traceg.zst$' trace/kernelslist.g)" = 3
    test "$(ls trace | wc -l)" = 7
    test "$(ls -A | tr '\n' ' ')" = "err out ${1}trace "
    "$smrf" run -q trace
    rm -rf trace
}
for how in abort:134:6 kill:137:9 within:137:9; do
    number=${how##*:}
    how=${how%:*}
    ends "${how#*:}" "$smrf" trace -o trace -- "$application" "${how%:*}"
    grep -q "^Incomplete  *process [0-9]* was ended by signal $number, .* had ended by then$" err
    whole
done
ends 5 "$smrf" trace -o trace -- "$application" leave # of its own accord, between two launches
! grep -q Incomplete err
whole

# A process of the program, which then ends well.
ends 3 "$smrf" trace --json sums.json -o trace -- sh -c '"$1" kill; exit 0' sh "$application"
grep -q "^Incomplete  *process [0-9]* did not end by exit(): its trace has" err
grep -q "did not end by exit" sums.json
rm sums.json
whole

# Without a trace, and into a folder that holds one.
ends 137 "$smrf" trace --no-trace -- "$application" within
grep -q "^Executed  *3 launches" err
grep -q "^Incomplete .*: only launches that had ended by then count$" err
mkdir trace
echo kernel-9.traceg >trace/kernelslist.g
touch trace/kernel-9.traceg
ends 137 "$smrf" trace --force -o trace -- "$application" kill
whole

# The same signal twice, as timeout sends it, leaves the blocks that had ended.
ends 124 timeout 1 "$smrf" trace -o trace -- sh -c 'exec sleep 20' # no CUDA
ends 143 sh -c '"$1" trace -o trace -- "$2" long &
    until grep -q launched out; do sleep .1; done
    sleep .2; kill $!; kill $!; wait $!' sh "$smrf" "$application"
grep -q "^Executed  *4 launches" err
test "$(grep -c '^kernel-[1234].traceg.zst$' trace/kernelslist.g)" = 4
"$smrf" info trace >out
grep -q "^launches  *4$" out

# Replayed while it runs: the launches that had ended.
ends 134 "$smrf" run --json run.json -- "$application" abort
test "$(grep -c '"name": "append"' run.json)" = 3
echo "1 passed, 0 failed"
