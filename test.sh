#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything and runs every test. Arguments go to ctest, for
# instance: ./test.sh -L core    ./test.sh -R Arbiter
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
. cmake/setup.sh

install_missing
install_extras
warnings_are_errors
configure_options+=(-DSMRF_TRAINING=ON)
configure_and_build
say "running the tests"
ctest --test-dir build --output-on-failure --no-tests=error \
    -j "${CTEST_PARALLEL_LEVEL:-$(nproc)}" "$@" </dev/null
