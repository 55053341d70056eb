#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the traces of the tables in docs/speed.md into a folder.
#
# usage: tests/bench/traces.sh BUILD_DIR FOLDER
set -eu
gen=$1/smrf-gen
smrf=$1/smrf
to=$2
mkdir -p "$to"

# FFMA with any three sources: about half of them meet another of their bank.
set --
n=0
state=12345
while [ $n -lt 16 ]; do
    sources=
    for _ in 1 2 3; do
        state=$(((state * 1103515245 + 12345) % 2147483648))
        sources="$sources R$((2 + state / 65536 % 38))"
    done
    set -- "$@" --inst "FFMA R$((40 + n % 20))$sources"
    n=$((n + 1))
done
"$gen" pattern "$@" --warps 16 --blocks 360 --length 520 --loop 48 -o "$to/ffma-random"
"$gen" pattern --inst "FFMA R20+16 R2 R3 R5" --warps 16 --blocks 600 --length 520 --loop 40 -o "$to/ffma"

# Loads that hit L1, and the same with every load to DRAM.
mix() {
    "$gen" pattern --inst "LDG.E.SYS R40+4 R2 @0x7f0a20000000,4,$1,128" --inst "FFMA R20+8 R20 R3 R40" \
        --inst "IADD3 R28+8 R29 R3" --inst "FFMA R20+8 R21 R3 R41" --inst "IMAD R28+8 R30 R3" \
        --inst "FFMA R20+8 R22 R3 R42" --inst "LOP3.LUT R28+8 R31 R3" --inst "IADD3 R28+8 R32 R3" \
        --warps 16 --blocks 240 --length 520 --loop 40 -o "$2"
}
mix 0 "$to/mix"
mix 1048576 "$to/dram"
"$gen" matmul --size 256 -o "$to/matmul"
"$gen" divergent --threads 400000 -o "$to/divergent"

# A tensor-core GEMM, a program of many launches, and one that is over at once.
"$smrf" trace gemm_bench_t1 --size medium --compress none -o "$to/gemm_bench_t1" >/dev/null
"$smrf" trace gaussian --size small --compress none -o "$to/gaussian" >/dev/null
"$gen" divergent --threads 500 -o "$to/tiny"

# Programs of the suite, for what users run.
for program in srad kmeans; do
    "$smrf" trace $program --size medium --compress none -o "$to/$program" >/dev/null
done
