#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device's half of each application, compiled again where nvcc is installed (CUDA 11.8).
set -e
cd "$(dirname "$0")"
# compile STEM ARCHITECTURE..
compile() {
    stem=$1
    shift
    codes=
    for arch in "$@"; do
        codes="$codes -gencode arch=compute_$arch,code=sm_$arch"
    done
    nvcc -std=c++17 -fatbin $codes -o "$stem.fatbin" "$stem.cu"
}
for stem in memory functions second errors streams refused grid textures cubes; do
    compile $stem 75 80 86 90
done
compile tensor 80 86 90
compile barriers 80 86 90
