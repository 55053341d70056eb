#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds build/smrf and build/smrf-gen, traces a kernel of the suite (a heat stencil, executed
# from its machine code on the CPU and checked), and replays the trace on the default preset. The
# result goes to the terminal and to out/demo.json.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
. cmake/setup.sh

install_missing
# A first build compiles everything once: training the compiler (docs/contributing.md) doubles its time.
[ -e build/CMakeCache.txt ] || configure_options+=(-DSMRF_TRAINING=OFF)
configure_and_build smrf smrf-gen
mkdir -p out
say "build/smrf trace --force hotspot -o out/hotspot"
build/smrf trace --force hotspot -o "$PWD/out/hotspot" </dev/null
say "build/smrf run --json out/demo.json out/hotspot"
build/smrf run --json "$PWD/out/demo.json" "$PWD/out/hotspot" </dev/null
printf '\nTry next, in %s:\n    build/smrf trace --list\n    build/smrf run --set rf.banks=4 out/hotspot\n' "$PWD"
