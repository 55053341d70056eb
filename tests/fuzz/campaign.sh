#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A long fuzz campaign: tests/fuzz/campaign.sh [-t SECONDS a target] [-j PROCESSES] [TARGET..]
#
# Builds the targets in build-fuzz, with clang's libFuzzer, address and undefined-behaviour sanitizers
# where there is clang and with this folder's driver elsewhere, runs each on its seeds and on what
# earlier campaigns found worth keeping (build-fuzz/corpus), and prints a line a target: inputs, edges
# covered, inputs kept, finds. Finds lie in build-fuzz/finds. Status 1 if there are any.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

seconds=60 jobs=$(nproc)
while getopts t:j: option; do
    case $option in
    t) seconds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -eq 0 ]; then
    for file in tests/fuzz/*_target.cpp; do
        name=${file##*/}
        set -- "$@" "${name%_target.cpp}"
    done
fi

fuzzer=OFF compilers=()
if command -v clang clang++ >/dev/null &&
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }' |
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then
    fuzzer=ON
    compilers=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DSMRF_SANITIZE=ON)
fi
cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSMRF_FUZZER=$fuzzer \
    "${compilers[@]}" >/dev/null
if ! cmake --build build-fuzz --target "${@/#/fuzz_}" >build-fuzz/build.log 2>&1; then
    grep -m 5 -A 5 -E 'error|FAILED' build-fuzz/build.log >&2
    exit 1
fi

one() {
    local name=$1 root=$PWD corpus=$PWD/build-fuzz/corpus/$1 finds=$PWD/build-fuzz/finds/$1 options=()
    mkdir -p "$corpus" "$finds"
    [ ! -e "tests/fuzz/$name.dict" ] || options=("-dict=$root/tests/fuzz/$name.dict")
    [ "$fuzzer" = OFF ] || options+=(-timeout=1 -rss_limit_mb=1024 -print_final_stats=1 -max_len=65536)
    [ "$fuzzer" = ON ] || options+=(-runs=1000000000 "-seed=$RANDOM")
    (cd "$finds" && "$root/build-fuzz/tests/fuzz_$name" "${options[@]}" "-max_total_time=$seconds" \
        "$corpus" "$root/tests/fuzz/seeds/$name" >"../$name.log" 2>&1) || true
    local log=build-fuzz/finds/$name.log inputs edges
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p; s/.*: \([0-9]*\) inputs of.*/\1/p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
    printf '%-10s %12s inputs %8s edges %6s kept %4s finds\n' "$name" "${inputs:-?}" "${edges:--}" \
        "$(find "$corpus" -type f | wc -l)" "$(find "$finds" -type f | wc -l)"
}
export -f one
export fuzzer seconds
printf '%s\n' "$@" | xargs -P "$jobs" -I '{}' bash -c 'one {}'
[ -z "$(find build-fuzz/finds -mindepth 2 -type f | head -1)" ]
