#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# source.sh SMRF: a source in the place of a program is compiled, with a stand-in for nvcc, run and
# removed; without nvcc, or where it fails, the message says what to do and nothing is left behind.
set -e
smrf=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
export TMPDIR="$folder/tmp"
echo "// nothing" >app.cu
cat >nvcc <<'TEXT'
#!/bin/sh
echo "$@" >>calls
while test "$1" != -o; do shift; done
printf '#!/bin/sh\necho "ran $#"\nexit 5\n' >"$2"
chmod +x "$2"
TEXT
chmod +x nvcc

# expect STATUS COMMAND..
expect() {
    wanted=$1
    shift
    status=0
    "$@" >out 2>err || status=$?
    if test $status != "$wanted"; then
        echo "status $status, not $wanted: $*"
        cat out err
        exit 1
    fi
    rmdir tmp && mkdir tmp
}
export NVCC="$folder/nvcc"
expect 5 "$smrf" trace -o t -- app.cu one two
grep -qx "ran 2" out
grep -q "^-arch=sm_75 -lineinfo .*/app app.cu$" calls
expect 5 "$smrf" trace --no-trace app.cu
grep -qx "ran 0" out
expect 5 "$smrf" run --arch sm_86 -- app.cu one
grep -qx "ran 1" out
tail -n 1 calls | grep -q "^-arch=sm_86 "
expect 5 "$smrf" trace --no-trace --preset h100-accelsim app.cu
tail -n 1 calls | grep -q "^-arch=sm_90 "
expect 5 "$smrf" run --preset qv100-accelsim app.cu
tail -n 1 calls | grep -q "^-arch=sm_75 "
expect 5 "$smrf" run app.cu
grep -qx "ran 0" out
expect 3 "$smrf" run missing.cu
grep -q "missing.cu: No such file" err
export NVCC=false
expect 3 "$smrf" trace --no-trace app.cu
grep -q "false has failed" err
export NVCC="$folder/none"
expect 2 "$smrf" run app.cu
grep -q "there is no nvcc.*nvcc -arch=sm_75 -lineinfo -o app app.cu; then smrf run" err
echo "1 passed, 0 failed"
