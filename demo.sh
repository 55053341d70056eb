#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds build/smrf, and replays the bundled matrix multiply on the
# default preset. The result goes to the terminal and to out/demo.json.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
. cmake/setup.sh

install_missing
configure_and_build smrf
mkdir -p out
say "build/smrf run --json out/demo.json traces/bundled/matmul"
build/smrf run --json "$PWD/out/demo.json" traces/bundled/matmul </dev/null
printf '\nTry next, in %s:\n    build/smrf run --set rf.banks=4 traces/bundled/matmul\n' "$PWD"
